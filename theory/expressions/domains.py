"""Domains of parameters as a user types them: bounds such as "-1<rho<1", and conditions such as "c**2<a*b"."""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import sympy
from sympy.solvers.inequalities import solve_poly_inequality

from theory.expressions.balls.precision import precision
from theory.expressions.balls.real import FUNCTIONS as WITH_BALLS
from theory.expressions.balls.real import Table, Undecided, Undefined, enclose, sign
from theory.expressions.language import CONSTANTS, FUNCTIONS, Names, Walk, finite
from theory.expressions.real_algebra import RealSet
from theory.problem.errors import InputError
from theory.problem.grammar import NAME, one_line, short, tree_of

HINT = 'Write domains like "g>0, -1<rho<1, c**2<a*b".'
# "a real" and "a is real" are bounds, too.
REAL = re.compile(r"\b([A-Za-z_]\w*)\s+(?:is\s+)?real\b")
MAX_CONDITIONS = 16
SIGNS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
# Precisions, in bits, at which a condition is evaluated.
BITS = (64, 512, 4096)


class Nowhere(ValueError):
    """A condition is satisfied by no interval of numbers."""


@dataclass(frozen=True)
class Condition:
    """A comparison of two expressions in parameters; `sign` is one of < <= > >=.

    >>> a, b = sympy.symbols("a b", real=True)
    >>> smaller = Condition(a**2, "<", b)
    >>> str(smaller), smaller.margin, smaller.holds({a: sympy.Integer(1), b: sympy.Integer(1)})
    ('a**2 < b', -a**2 + b, False)
    """

    left: sympy.Expr
    sign: str
    right: sympy.Expr

    def __str__(self) -> str:
        return f"{self.left} {self.sign} {self.right}"

    @property
    def symbols(self) -> set[sympy.Symbol]:
        """The parameters that the condition depends on; those that cancel do not count."""
        sides = (self.left, self.right) if self.bare is not None else (self.margin,)
        return set().union(*(side.free_symbols for side in sides))

    @property
    def strict(self) -> bool:
        """Whether equality breaks the condition."""
        return "=" not in self.sign

    @cached_property
    def margin(self) -> sympy.Expr:
        """The expression that the condition requires to be positive, or not negative."""
        return self.right - self.left if "<" in self.sign else self.left - self.right

    @cached_property
    def polynomial(self) -> sympy.Expr | None:
        """The margin, expanded, where it is a polynomial with rational coefficients; else None."""
        symbols = sorted(self.symbols, key=lambda symbol: symbol.name)
        if not symbols or not self.margin.is_polynomial(*symbols):
            return None
        poly = sympy.Poly(self.margin, *symbols)
        return poly.as_expr() if poly.domain.is_QQ or poly.domain.is_ZZ else None

    def holds(self, point: Table) -> bool | None:
        """Whether the condition holds for these values of the symbols; None where balls do not decide."""
        for bits in BITS:
            try:
                with precision(bits):
                    side = sign(enclose(self.margin, point))
            except Undefined:
                return False
            except Undecided:
                continue
            return side > 0 or (side == 0 and not self.strict)
        return None

    @property
    def relation(self) -> tuple[sympy.Expr, str]:
        """The condition as a relation of `theory.expressions.real_algebra`."""
        return self.margin, ">" if self.strict else ">="

    @property
    def impossible(self) -> bool:
        """Whether certainly no numbers satisfy the condition."""
        return self.holds({}) is False if not self.symbols else RealSet((self.relation,)).empty()

    def at(self, point: Mapping[sympy.Symbol, sympy.Expr]) -> "Condition":
        """Return the condition with symbols replaced by values or other symbols."""
        return Condition(self.left.xreplace(dict(point)), self.sign, self.right.xreplace(dict(point)))

    @property
    def bare(self) -> sympy.Interval | None:
        """The ray allowed by a comparison of one name with one number, which may be infinite; else None."""
        for one, other, upward in (
            (self.left, self.right, ">" in self.sign),
            (self.right, self.left, "<" in self.sign),
        ):
            if one.is_Symbol and not other.free_symbols:
                return _ray(other, upward, self.strict)
        return None

    @property
    def ordered(self) -> tuple[sympy.Symbol, sympy.Symbol] | None:
        """The lower and the upper name of a comparison of two names; None for any other condition."""
        if not (self.left.is_Symbol and self.right.is_Symbol):
            return None
        return (self.left, self.right) if "<" in self.sign else (self.right, self.left)

    def interval(self) -> sympy.Interval | None:
        """Return the exact solutions of a condition on one parameter; None where they are unknown or no interval.

        Raises Nowhere where there is no solution or a single one.

        >>> r = sympy.Symbol("r", real=True)
        >>> Condition(r**2, "<=", sympy.Integer(2)).interval()
        Interval(-sqrt(2), sqrt(2))
        """
        if self.bare is not None or not self.symbols:
            return self.bare
        (x,) = self.symbols
        if self.polynomial is None or sympy.degree(self.polynomial, x) > 2:
            return None
        solutions = solve_poly_inequality(sympy.Poly(self.polynomial, x), ">" if self.strict else ">=")
        if not any(isinstance(part, sympy.Interval) for part in solutions):
            raise Nowhere(f"{self.polynomial} is positive nowhere")
        return solutions[0] if len(solutions) == 1 else None


def _ray(end: sympy.Expr, upward: bool, is_open: bool) -> sympy.Interval:
    return sympy.Interval(end, sympy.oo, is_open, True) if upward else sympy.Interval(-sympy.oo, end, True, is_open)


@dataclass(frozen=True)
class Domain:
    """Parameters with the interval of each, and further conditions that they satisfy.

    >>> plane = Domain({sympy.Symbol("r", real=True): sympy.Interval.open(-1, 1)})
    >>> plane.names, plane.bounds
    ({'r': r}, ['-1 < r < 1'])
    """

    intervals: Mapping[sympy.Symbol, sympy.Interval] = field(default_factory=dict)
    conditions: tuple[Condition, ...] = ()

    @property
    def names(self) -> dict[str, sympy.Symbol]:
        """The symbol of each parameter, with the assumptions that its interval allows, by name."""
        return {symbol.name: symbol for symbol in self.intervals}

    @property
    def bounds(self) -> list[str]:
        """The intervals as inequalities."""
        return [bounds_of(symbol, interval) for symbol, interval in self.intervals.items()]


def bounds_of(symbol: sympy.Symbol, interval: sympy.Interval) -> str:
    """Write an interval as an inequality.

    >>> bounds_of(sympy.Symbol("g"), sympy.Interval.open(0, sympy.oo))
    'g > 0'
    """
    low, high = interval.start, interval.end
    if low.is_infinite and high.is_infinite:
        return f"{symbol} real"
    if high.is_infinite:
        return f"{symbol} {'>' if interval.left_open else '>='} {low}"
    below = f"{symbol} {'<' if interval.right_open else '<='} {high}"
    return below if low.is_infinite else f"{low} {'<' if interval.left_open else '<='} {below}"


def domain_of(intervals: Mapping[sympy.Symbol, sympy.Set], conditions: tuple[Condition, ...]) -> Domain:
    """Return a domain whose symbols have the assumptions that follow from their intervals.

    Raises InputError where the bounds of a symbol leave no interval.
    """
    for symbol, interval in intervals.items():
        if not isinstance(interval, sympy.Interval):
            raise InputError(
                f"The domain of {symbol} contains no interval: its bounds contradict each other.", "Check the bounds."
            )
    table = {symbol: _assuming(symbol.name, interval) for symbol, interval in intervals.items()}
    return Domain(
        {table[symbol]: interval for symbol, interval in intervals.items()}, tuple(c.at(table) for c in conditions)
    )


def parse_domains(text: str | None) -> Domain:
    """Parse bounds and conditions, separated by commas; None is a domain without parameters.

    Every name that occurs is a parameter. Raises InputError for any other text, and for bounds that contradict.

    >>> domain = parse_domains("a>0, b>0, c**2<a*b")
    >>> domain.names["a"].is_positive, [str(condition) for condition in domain.conditions]
    (True, ['c**2 < a*b'])
    >>> parse_domains("-1<r1<r2<1, a real").bounds
    ['-1 < r1 < 1', '-1 < r2 < 1', 'a real']
    """
    if text is None:
        return Domain()
    text = REAL.sub(r"-oo < \1 < oo", text)
    if equal := re.search(r"!=|==|(?<![<>])=", text):
        raise InputError(
            f"Domains are given by < <= > >= only, not by {equal[0]}: {short(text)}.",
            "For an equation, put the number or formula in place of the name; to leave out a point, choose one side.",
        )
    source = one_line(text, "list of domains", HINT)
    body = tree_of(source).body
    clauses = body.elts if isinstance(body, ast.Tuple) else [body]
    names = {name: sympy.Symbol(name, real=True) for clause in clauses for name in _names(clause)}
    walk = Walk(source, Names(parameters=names))
    intervals: dict[sympy.Symbol, sympy.Set] = {
        symbol: sympy.Interval(-sympy.oo, sympy.oo) for symbol in names.values()
    }
    joint = []
    for condition in (condition for clause in clauses for condition in _conditions(clause, walk)):
        interval = _own_interval(condition)
        if interval is None:
            joint.append(condition)
        else:
            (symbol,) = condition.symbols
            intervals[symbol] = sympy.Intersection(intervals[symbol], interval)
    if len(joint) > MAX_CONDITIONS:
        raise InputError(f"There are {len(joint)} conditions; the limit is {MAX_CONDITIONS}.", "Leave some out.")
    return domain_of(_along_chains(intervals, joint), tuple(joint))


def _names(clause: ast.expr) -> Iterator[str]:
    """Yield the names of a clause in the order of the text, without functions and constants."""
    called = {id(node.func) for node in ast.walk(clause) if isinstance(node, ast.Call)}
    nodes = (node for node in ast.walk(clause) if isinstance(node, ast.Name) and id(node) not in called)
    for name in (node.id for node in sorted(nodes, key=lambda node: node.col_offset) if node.id not in CONSTANTS):
        if re.fullmatch(r"z[0-9]+", name):
            raise InputError(
                f"{name} is a Gaussian variable; domains are for parameters only.",
                "Write a restriction of it into the expectation, such as Heaviside(z1 - z2).",
            )
        if name in FUNCTIONS or name == "E" or not NAME.fullmatch(name):
            raise InputError(f"{name} is taken and cannot name a parameter.", "Choose another name.")
        yield name


def _conditions(clause: ast.expr, walk: Walk) -> Iterator[Condition]:
    """Yield the comparisons of neighbours in a chain such as a < b < c."""
    if not isinstance(clause, ast.Compare):
        raise InputError(f"{short(walk.source)} is no list of comparisons.", f"Separate comparisons by commas. {HINT}")
    operands = [finite(walk.expression(operand, 0), walk.source) for operand in (clause.left, *clause.comparators)]
    for left, kind, right in zip(operands[:-1], clause.ops, operands[1:], strict=True):
        if type(kind) not in SIGNS:
            raise InputError(f"Domains are given by < <= > >= only: {short(walk.source)}.", HINT)
        yield Condition(left, SIGNS[type(kind)], right)


def _own_interval(condition: Condition) -> sympy.Interval | None:
    """Return the interval of the parameter that a condition bounds, or None for a condition on several parameters.

    Raises InputError for a condition that is neither.
    """
    for side in (condition.left, condition.right):
        if not side.free_symbols and not side.is_extended_real:
            raise InputError(f"{side} is not a number.", HINT)
        for function in side.atoms(sympy.Function):
            if function.func not in WITH_BALLS:
                raise InputError(f"Conditions do not take {function.func.__name__}: {condition}.", HINT)
        if any(power.exp.free_symbols for power in side.atoms(sympy.Pow)):
            raise InputError(f"{condition} has a parameter in an exponent.", "Write exp, or take logarithms.")
        if side.has(sympy.oo, -sympy.oo) and condition.bare is None:
            raise InputError(
                f"oo bounds a name by itself, not a formula: {condition}.", "Write a<oo, or leave the bound out."
            )
    if not condition.symbols:
        raise InputError(f"{condition} contains no parameter.", f"Leave it out. {HINT}")
    try:
        return condition.interval() if len(condition.symbols) == 1 else None
    except Nowhere as error:
        raise InputError(f"{condition} leaves no interval: {error}.", "Correct the condition.") from error


def _along_chains(
    intervals: Mapping[sympy.Symbol, sympy.Set], conditions: list[Condition]
) -> dict[sympy.Symbol, sympy.Set]:
    """Return the intervals with bounds carried along chains of names: -1 < r1 < r2 also bounds r2."""
    narrowed = dict(intervals)
    for _ in narrowed:
        for condition in (condition for condition in conditions if condition.ordered):
            low, high = condition.ordered
            if all(isinstance(narrowed[symbol], sympy.Interval) for symbol in (low, high)):
                below, above = narrowed[low], narrowed[high]
                narrowed[high] = above.intersect(_ray(below.start, True, condition.strict or below.left_open))
                narrowed[low] = below.intersect(_ray(above.end, False, condition.strict or above.right_open))
    return narrowed


def _assuming(name: str, interval: sympy.Interval) -> sympy.Symbol:
    low, high = interval.inf, interval.sup
    if low > 0 or (low == 0 and interval.left_open):
        return sympy.Symbol(name, positive=True)
    if high < 0 or (high == 0 and interval.right_open):
        return sympy.Symbol(name, negative=True)
    if low == 0:
        return sympy.Symbol(name, nonnegative=True)
    if high == 0:
        return sympy.Symbol(name, nonpositive=True)
    return sympy.Symbol(name, real=True)
