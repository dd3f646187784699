"""Questions about real algebraic sets, decided by Z3 (nlsat): is there a point at which these relations hold?

Polynomials, roots, absolute values, signs, steps, minima and maxima are stated to the solver as they are defined:
w = sqrt(u) is w >= 0 and w^2 = u. Every other function is a variable within its range, so that each point of the
parameters is a point of the solver's set, with perhaps more points beside it. `empty` is therefore a proof, and the
only answer that is used; a model, a time-out and "unknown" decide nothing.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache, reduce

import sympy
import z3

from theory.expressions.balls.closed_form import fraction
from theory.expressions.balls.precision import precision
from theory.expressions.balls.real import Undecided, Undefined, enclose
from theory.expressions.exact import rational
from theory.expressions.functions import OwensT, Phi, Phi2

# Python writes integers of up to 4,300 digits, and the solver reads them as text.
LONGEST = 10**4000
# Steps of the solver, which end a question at the same place on every machine; about a second.
MOST_STEPS = 3_000_000
BITS = 200
# Closed rational ranges of functions that are not algebraic, and whether the ends are values; None is infinite.
_QUARTER_TURN = Fraction(355, 226)  # above pi/2
_RANGES: Mapping[type, tuple[Fraction | None, Fraction | None, bool]] = {
    sympy.exp: (Fraction(0), None, False),
    sympy.cosh: (Fraction(1), None, True),
    sympy.sin: (Fraction(-1), Fraction(1), True),
    sympy.cos: (Fraction(-1), Fraction(1), True),
    sympy.tanh: (Fraction(-1), Fraction(1), False),
    sympy.erf: (Fraction(-1), Fraction(1), False),
    sympy.erfc: (Fraction(0), Fraction(2), False),
    sympy.asin: (-_QUARTER_TURN, _QUARTER_TURN, False),
    sympy.acos: (Fraction(0), 2 * _QUARTER_TURN, True),
    sympy.atan: (-_QUARTER_TURN, _QUARTER_TURN, False),
    sympy.atan2: (-2 * _QUARTER_TURN, 2 * _QUARTER_TURN, False),
    Phi: (Fraction(0), Fraction(1), False),
    Phi2: (Fraction(0), Fraction(1), True),
    OwensT: (Fraction(-1, 4), Fraction(1, 4), True),
}
_POWERS = (Fraction(0), None, True)
# An irrational end of an interval is replaced by the next multiple of 1/CLOSE outside of it.
CLOSE = 10**30
_MAY_BE_COMPLEX = (sympy.log, sympy.asin, sympy.acos, Phi2)
# Monotone functions: a number, the value there, and 1 where they increase, -1 where they decrease.
_MONOTONE: Mapping[type, tuple[int, Fraction, int]] = {
    sympy.exp: (0, Fraction(1), 1),
    sympy.log: (1, Fraction(0), 1),
    sympy.acos: (1, Fraction(0), -1),
    sympy.erfc: (0, Fraction(1), -1),
    Phi: (0, Fraction(1, 2), 1),
    **dict.fromkeys((sympy.erf, sympy.atan, sympy.asin, sympy.tanh, sympy.sinh), (0, Fraction(0), 1)),
}


Relation = tuple[sympy.Expr, str]


def outer_ends(interval: sympy.Interval) -> tuple[Fraction | None, Fraction | None]:
    """Return the rational ends of an interval that contains `interval`; None for an infinite end.

    >>> [str(end) for end in outer_ends(sympy.Interval.open(0, sympy.oo))]
    ['0', 'None']
    """
    low, high = interval.start, interval.end
    below = None if low.is_infinite else rational(low if low.is_Rational else sympy.floor(low * CLOSE) / CLOSE)
    above = None if high.is_infinite else rational(high if high.is_Rational else sympy.ceiling(high * CLOSE) / CLOSE)
    return below, above


def inner_ends(interval: sympy.Interval) -> tuple[Fraction | None, Fraction | None]:
    """Return rational ends that differ from those of the interval at irrational ends only, inside it; None: infinite.

    >>> [float(end) for end in inner_ends(sympy.Interval.open(1, sympy.sqrt(2)))]
    [1.0, 1.4142135623730951]
    """
    (low, high), step = outer_ends(interval), Fraction(1, CLOSE)
    low = low if low is None or interval.start.is_Rational else low + step
    return low, high if high is None or interval.end.is_Rational else high - step


def within(box: Mapping[sympy.Symbol, sympy.Interval]) -> tuple[Relation, ...]:
    """Return the relations of a box, with those ends that belong to its intervals.

    >>> a = sympy.Symbol("a", real=True)
    >>> within({a: sympy.Interval.Lopen(0, 2)})
    ((a, '>'), (a - 2, '<='))
    """
    relations: list[Relation] = []
    for symbol, interval in box.items():
        for end, sign, is_open in (
            (interval.start, ">", interval.left_open),
            (interval.end, "<", interval.right_open),
        ):
            relations += [(symbol - end, sign + "=" * (not is_open))] if end.is_finite else []
    return tuple(relations)


def sign_on(expr: sympy.Expr, box: Mapping[sympy.Symbol, sympy.Interval], inside: "RealSet | None" = None) -> int:
    """Return 1 or -1 where the expression certainly has this sign everywhere in the box and in this set, else 0.

    >>> x, y = sympy.symbols("x y", real=True)
    >>> sign_on(1 + 2 * x**2 * (1 - y**2), {x: sympy.Interval.open(0, sympy.oo), y: sympy.Interval.open(-1, 1)})
    1
    """
    symbols = sorted(expr.free_symbols, key=lambda symbol: symbol.name)
    return _sign_on(expr, tuple((symbol, *box[symbol].args[:2]) for symbol in symbols), inside or RealSet())


@lru_cache(maxsize=4096)
def _sign_on(expr: sympy.Expr, ends: tuple[tuple[sympy.Symbol, sympy.Expr, sympy.Expr], ...], inside: "RealSet") -> int:
    box = within({symbol: sympy.Interval.open(low, high) for symbol, low, high in ends})
    return RealSet((*box, *inside.relations), inside.comparisons).sign(expr)


@dataclass(frozen=True)
class Root:
    """The one root of a polynomial with rational coefficients between two fractions."""

    polynomial: sympy.Poly
    low: Fraction
    high: Fraction


@dataclass(frozen=True)
class RealSet:
    """The points at which all relations hold: (expr, ">=") is expr >= 0; also == != < <= >, and "real".

    (expr, "real") says that the value is a real number, though parts may not be: sqrt(x)*sqrt(y) for negative x and y;
    (expr, "real and not 0") that it is another one than 0.

    `comparisons` compare symbols with numbers, which may be roots of polynomials. At a point of the set all roots and
    quotients in the relations are real.

    >>> x, y = sympy.symbols("x y", real=True)
    >>> disc = RealSet(((1 - x**2 - y**2, ">="),))
    >>> disc.empty((abs(x) + abs(y) - sympy.sqrt(2), ">")), disc.empty((x - y, "==")), disc.sign(x + y - 2)
    (True, False, -1)
    """

    relations: tuple[Relation, ...] = ()
    comparisons: tuple[tuple[sympy.Symbol, str, sympy.Expr | Root], ...] = ()

    def empty(self, *more: Relation) -> bool:
        """Return whether the solver proves that no point meets the relations and these further ones."""
        return self._solver(more)[0].check() == z3.unsat

    def query(self, *more: Relation) -> str:
        """Return the question of `empty` as SMT-LIB, for other solvers: "unsat" is the proof."""
        return self._solver(more)[0].to_smt2()

    def point(self, symbols: Iterable[sympy.Symbol], *more: Relation) -> dict[sympy.Symbol, sympy.Expr] | None:
        """Return a point of the solver's set, exactly; None where there is none, or none in roots of squares.

        >>> x = sympy.Symbol("x", real=True)
        >>> RealSet(((x, ">"),)).point([x], (x**2 - 2, "=="))
        {x: sqrt(2)}
        """
        solver, encoding = self._solver(more)
        if solver.check() != z3.sat:
            return None
        model = solver.model()
        terms = {symbol: encoding.of(symbol).translate(solver.ctx) for symbol in symbols}
        values = {symbol: _exact(model.eval(term, model_completion=True)) for symbol, term in terms.items()}
        return None if None in values.values() else values

    def _solver(self, more: tuple[Relation, ...]) -> tuple[z3.Solver, "_Encoding"]:
        encoding = self._encoding.copy()
        encoding.add(more)
        # In a context of its own, since the solver's steps and models depend on what else a context has seen.
        context = z3.Context()
        solver = z3.Tactic("qfnra-nlsat", context).solver()
        solver.set("rlimit", MOST_STEPS)
        solver.add(*(fact.translate(context) for fact in encoding.facts))
        return solver, encoding

    @cached_property
    def _encoding(self) -> "_Encoding":
        encoding = _Encoding()
        encoding.add(self.relations)
        for symbol, sign, end in self.comparisons:
            number = encoding.root(end) if isinstance(end, Root) else encoding.of(end)
            encoding.facts.append(_related(encoding.of(symbol) - number, sign))
        return encoding

    def sign(self, expr: sympy.Expr) -> int:
        """Return 1 or -1 where the expression certainly has this sign at every point at which it is real, else 0."""
        return 1 if self.empty((expr, "<=")) else -1 if self.empty((expr, ">=")) else 0


@dataclass
class _Encoding:
    """Terms of the solver for expressions, and the facts that define their variables."""

    facts: list[z3.BoolRef] = field(default_factory=list)
    terms: dict[sympy.Basic, z3.ArithRef] = field(default_factory=dict)
    pairs: dict[sympy.Basic, tuple[z3.ArithRef, z3.ArithRef]] = field(default_factory=dict)
    variables: int = 0

    def copy(self) -> "_Encoding":
        """Return an encoding with the same variables, to which more can be added."""
        return _Encoding([*self.facts], dict(self.terms), dict(self.pairs), self.variables)

    def add(self, relations: Iterable[Relation]) -> None:
        """State these relations."""
        for expr, sign in relations:
            if sign in ("real", "real and not 0"):
                real, imaginary = self.pair(expr)
                self.facts += [imaginary == 0] + ([real != 0] if sign != "real" else [])
            else:
                self.facts.append(_related(self.of(expr), sign))

    def of(self, expr: sympy.Expr) -> z3.ArithRef:
        """Return the term of an expression."""
        if expr not in self.terms:
            self.terms[expr] = self._term(expr)
        return self.terms[expr]

    def root(self, root: Root) -> z3.ArithRef:
        """Return a variable that is the root."""
        variable, value = self._new(), z3.RealVal(0)
        for coefficient in root.polynomial.all_coeffs():
            value = value * variable + _number(rational(coefficient))
        self.facts += [value == 0, variable >= _number(root.low), variable <= _number(root.high)]
        return variable

    def _term(self, expr: sympy.Expr) -> z3.ArithRef:
        if expr.is_Rational:  # a longer one is any number, so that the set has more points
            return _number(rational(expr)) if max(abs(expr.p), expr.q) < LONGEST else self._new()
        if expr.is_Add:
            return z3.Sum([self.of(argument) for argument in expr.args])
        if expr.is_Mul:
            return z3.Product([self.of(argument) for argument in expr.args])
        if expr.is_Pow and expr.exp.is_Rational:
            return self._power(expr.base, expr.exp)
        if isinstance(expr, sympy.Abs):
            inner = self.of(expr.args[0])
            return z3.If(inner >= 0, inner, -inner)
        if isinstance(expr, sympy.sign | sympy.Heaviside):
            inner = self.of(expr.args[0])
            below, between = (-1, 0) if isinstance(expr, sympy.sign) else (0, z3.Q(1, 2))
            return z3.If(inner > 0, z3.RealVal(1), z3.If(inner < 0, z3.RealVal(below), z3.RealVal(0) + between))
        if isinstance(expr, sympy.Max | sympy.Min):
            return self._extreme([self.of(argument) for argument in expr.args], isinstance(expr, sympy.Max))
        return self._variable(expr)

    def _power(self, base: sympy.Expr, exponent: sympy.Rational) -> z3.ArithRef:
        inner = self.of(base)
        if exponent.q != 1:  # SymPy's roots of negative numbers are not real
            root = self._new()
            self.facts += [root >= 0, z3.Product([root] * int(exponent.q)) == inner]
            inner = root
        power = z3.Product([inner] * abs(int(exponent.p)))
        if exponent > 0:
            return power
        inverse = self._new()
        self.facts += [power != 0, inverse * power == 1]
        return inverse

    def pair(self, expr: sympy.Expr) -> tuple[z3.ArithRef, z3.ArithRef]:
        """Return the real and the imaginary part, roots and logarithms on their principal branches."""
        if not expr.has(*_MAY_BE_COMPLEX) and all(power.exp.is_Integer for power in expr.atoms(sympy.Pow)):
            return self.of(expr), z3.RealVal(0)
        if expr not in self.pairs:
            self.pairs[expr] = self._pair(expr)
        return self.pairs[expr]

    def _pair(self, expr: sympy.Expr) -> tuple[z3.ArithRef, z3.ArithRef]:
        parts = [self.pair(argument) for argument in expr.args]
        if expr.is_Add:
            return z3.Sum([real for real, _ in parts]), z3.Sum([imaginary for _, imaginary in parts])
        if expr.is_Mul:
            return reduce(_times, parts)
        if expr.is_Pow and expr.exp.is_Rational and expr.exp.q <= 2:
            return self._power_of_pair(parts[0], expr.exp)
        real, imaginary = self._new(), self._new()
        on_line = z3.And(*(part[1] == 0 for part in parts))
        first = parts[0][0]
        if isinstance(expr, sympy.log | sympy.asin | sympy.acos | sympy.atan):
            # Inverse functions: their value is real just where the argument is real and in their domain.
            inside = first > 0 if isinstance(expr, sympy.log) else z3.And(first >= -1, first <= 1)
            domain = on_line if isinstance(expr, sympy.atan) else z3.And(on_line, inside)
            self.facts.append((imaginary == 0) == domain)
            self.facts += [z3.Implies(domain, fact) for fact in _monotone(expr.func, first, real)]
        elif not expr.is_Pow and not isinstance(expr, Phi2):
            self.facts.append(z3.Implies(on_line, imaginary == 0))
        return real, imaginary

    def _power_of_pair(
        self, base: tuple[z3.ArithRef, z3.ArithRef], exponent: sympy.Rational
    ) -> tuple[z3.ArithRef, z3.ArithRef]:
        if exponent.q == 2:
            root = (self._new(), self._new())
            square = _times(root, root)
            self.facts += [square[0] == base[0], square[1] == base[1], root[0] >= 0, z3.Or(root[0] > 0, root[1] >= 0)]
            base = root
        power = reduce(_times, [base] * abs(int(exponent.p)))
        if exponent > 0:
            return power
        inverse = (self._new(), self._new())
        one = _times(inverse, power)
        self.facts += [one[0] == 1, one[1] == 0]
        return inverse

    def _extreme(self, terms: list[z3.ArithRef], greatest: bool) -> z3.ArithRef:
        result = terms[0]
        for term in terms[1:]:
            result = z3.If((term >= result) if greatest else (term <= result), term, result)
        return result

    def _variable(self, expr: sympy.Expr) -> z3.ArithRef:
        """A symbol, a number in a ball, or a function within its range; infinite and other things are any number."""
        variable = z3.Real(expr.name) if expr.is_Symbol and not expr.is_Dummy else self._new()
        if not expr.free_symbols and (ends := _enclosed(expr)):
            self.facts += [variable >= _number(ends[0]), variable <= _number(ends[1])]
        elif expr.is_Pow or expr.func in _RANGES:
            low, high, closed = _POWERS if expr.is_Pow else _RANGES[expr.func]
            for end, sign in ((low, ">"), (high, "<")):
                if end is not None:
                    self.facts.append(_related(variable - _number(end), sign + "=" * closed))
        if expr.func in _MONOTONE:
            self.facts += _monotone(expr.func, self.of(expr.args[0]), variable)
        return variable

    def _new(self) -> z3.ArithRef:
        self.variables += 1
        return z3.Real(f"v!{self.variables}")


def _monotone(function: type, argument: z3.ArithRef, value: z3.ArithRef) -> list[z3.BoolRef]:
    """Return on which side of a known value a monotone function lies."""
    at, known, direction = _MONOTONE[function]
    inside = {sympy.log: argument > 0, sympy.acos: argument <= 1}.get(function, z3.BoolVal(True))
    apart = (value - _number(known)) * direction
    return [z3.Implies(inside, z3.And((argument > at) == (apart > 0), (argument < at) == (apart < 0)))]


def _times(a: tuple[z3.ArithRef, z3.ArithRef], b: tuple[z3.ArithRef, z3.ArithRef]) -> tuple[z3.ArithRef, z3.ArithRef]:
    return a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]


def _related(term: z3.ArithRef, sign: str) -> z3.BoolRef:
    return {
        "==": term == 0,
        "!=": term != 0,
        "<": term < 0,
        "<=": term <= 0,
        ">": term > 0,
        ">=": term >= 0,
    }[sign]


def _number(value: Fraction) -> z3.ArithRef:
    return z3.Q(value.numerator, value.denominator)


def _exact(value: z3.ExprRef) -> sympy.Expr | None:
    """Return a value of the solver as a fraction or with square roots; None for roots of higher degree."""
    if z3.is_rational_value(value):
        return sympy.Rational(value.numerator_as_long(), value.denominator_as_long())
    if not z3.is_algebraic_value(value) or len(value.poly()) != 3:
        return None
    coefficients = [sympy.Integer(int(str(number))) for number in reversed(value.poly())]
    a, b, c = coefficients
    return sorted((-b + side * sympy.sqrt(b**2 - 4 * a * c)) / (2 * a) for side in (1, -1))[value.index() - 1]


def _enclosed(number: sympy.Expr) -> tuple[Fraction, Fraction] | None:
    """Return rational numbers around a number, None where balls do not reach it."""
    try:
        with precision(BITS):
            ball = enclose(number, {})
            return fraction(ball.lower()), fraction(ball.upper())
    except (Undecided, Undefined):
        return None
