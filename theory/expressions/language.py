"""The parser of user text: formulas and matrices here, domains of parameters in `domains` with the same walk.

`theory.problem.grammar` walks over the syntax tree of the text and enforces the limits on what is written; here are the
SymPy expressions that it builds, with the limits on the size of their numbers, enforced before any arithmetic.
"""

import ast
import difflib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise

import sympy

from theory.expressions.functions import OwensT, Phi, Phi2, Relu
from theory.expressions.symbols import z
from theory.problem import grammar
from theory.problem.errors import InputError
from theory.problem.grammar import MAX_EXPONENT, NAME, one_line, short, tree_of
from theory.problem.user_files import read_text

# Intermediate numbers may have at most this many bits (2 400 digits), which a tower of powers exceeds at once.
MAX_BITS = 8000
MAX_HERMITE = 64
MAX_FILE_BYTES = 1_000_000


def _hermite(order: sympy.Expr, x: sympy.Expr) -> sympy.Expr:
    if not order.is_Integer or not 0 <= order <= MAX_HERMITE:
        raise InputError(f"hermite({order}, ...): the order must be 0 to {MAX_HERMITE}.", "hermite(2, z1) = z1**2 - 1.")
    return sympy.hermite_prob(order, x)


def _phi2(a: sympy.Expr, b: sympy.Expr, rho: sympy.Expr) -> sympy.Expr:
    if rho.is_Rational and abs(rho) > 1:
        raise InputError(f"Phi2(..., {rho}): a correlation lies between -1 and 1.", "Phi2(a, b, rho).")
    return Phi2(a, b, rho)


FUNCTIONS: Mapping[str, Callable[..., sympy.Expr]] = {
    "Heaviside": sympy.Heaviside,
    "sign": sympy.sign,
    "erf": sympy.erf,
    "erfc": sympy.erfc,
    "Phi": Phi,
    "Phi2": _phi2,
    "relu": Relu,
    "ReLU": Relu,
    "step": sympy.Heaviside,
    "Abs": sympy.Abs,
    "abs": sympy.Abs,
    "sqrt": sympy.sqrt,
    "exp": sympy.exp,
    "log": sympy.log,
    "sin": sympy.sin,
    "cos": sympy.cos,
    "asin": sympy.asin,
    "acos": sympy.acos,
    "atan": sympy.atan,
    "atan2": sympy.atan2,
    "tanh": sympy.tanh,
    "sinh": sympy.sinh,
    "cosh": sympy.cosh,
    "sigmoid": lambda x: 1 / (1 + sympy.exp(-x)),
    "softplus": lambda x: sympy.log(1 + sympy.exp(x)),
    "swish": lambda x: x / (1 + sympy.exp(-x)),
    "silu": lambda x: x / (1 + sympy.exp(-x)),
    "gelu": lambda x: x * Phi(x),
    "min": sympy.Min,
    "max": sympy.Max,
    "owens_t": OwensT,
    "hermite": _hermite,
}
CONSTANTS = {"pi": sympy.pi, "oo": sympy.oo}
NO_NUMBERS = ("nan", "inf", "infinity")
LIST = "Write [0, 0], one entry a variable."
EQUATIONS = 'Write equations with commas between them, such as "z1 + z2 = 1, z3 = 0".'
# Names of Gaussian variables and of the expectation, which name no parameter.
TAKEN = re.compile("z[0-9]+|E")
ROWS = "Give it as bracketed rows, [[1, 1/2], [1/2, 1]], or as @ and the name of a file with such rows."


@dataclass(frozen=True)
class Names:
    """The names that a formula may use: z1 to z<variables>, the parameters, and E[...] if `expectation` is given.

    >>> Names(2, {"g": sympy.Symbol("g")}).known()[:4]
    ['z1', 'z2', 'g', 'pi']
    """

    variables: int = 0
    parameters: Mapping[str, sympy.Symbol] = field(default_factory=dict)
    expectation: Callable[[sympy.Expr], sympy.Expr] | None = None

    def known(self) -> list[str]:
        """Return every name and function, for suggestions."""
        return [*(f"z{k + 1}" for k in range(self.variables)), *self.parameters, *CONSTANTS, *FUNCTIONS]


def parse(text: str, names: Names | None = None) -> sympy.Expr:
    """Parse a formula into a SymPy expression, decimals as exact fractions; InputError for anything else.

    >>> parse("0.7*erf(2*z1)", Names(variables=1))
    7*erf(2*z1)/10
    >>> parse("ReLU(z1) + step(z1)*Φ(z1) − π", Names(variables=1))
    Heaviside(z1)*Phi(z1) + relu(z1) - pi
    """
    source = one_line(text)
    expr = Walk(source, names or Names()).expression(tree_of(source).body, 0)
    return finite(expr, source)


def parse_equation(text: str, names: Names | None = None) -> tuple[sympy.Expr, sympy.Expr]:
    """Parse the two sides of "LHS = RHS"; InputError for an inequality or anything but one equals sign.

    >>> parse_equation("2/4 = 1 - 0.5")
    (1/2, 1/2)
    """
    source = one_line(re.sub("[<>!=]=", _not_an_equation, text))
    sides = source.split("=")
    if len(sides) != 2 or not all(side.strip() for side in sides):
        raise InputError(
            f"{short(source)} has {len(sides) - 1} equals signs with a formula on each side; an equation has one.",
            'Write "LHS = RHS".',
        )
    left, right = (parse(side, names) for side in sides)
    return left, right


def _not_an_equation(sign: re.Match) -> str:
    raise InputError(f"{sign[0]} is not an equals sign; only equations are judged.", 'Write "LHS = RHS" with one =.')


def parse_equations(text: str, names: Names | None = None) -> list[tuple[sympy.Expr, sympy.Expr]]:
    """Parse equations separated by commas, such as "z1 + z2 = 1, z3 = 0", to pairs of sides; InputError otherwise.

    >>> parse_equations("z1 + z2 = 1, z1 = z2 = 1/2", Names(variables=2))
    [(z1 + z2, 1), (z1, z2), (z2, 1/2)]
    """
    source, clauses = _clauses(text)
    walk = Walk(source, names or Names())
    equations = []
    for clause in clauses:
        if not isinstance(clause, ast.Compare):
            raise InputError(f"{short(source)} is no list of equations.", EQUATIONS)
        sides = [finite(walk.expression(side, 0), source) for side in (clause.left, *clause.comparators)]
        equations += pairwise(sides)
    return equations


def named(*texts: str) -> list[str]:
    """Return the names of parameters in lists such as "[m, 0]" or in equations, in the order of the text.

    A blank text has none: its parser says what is missing.

    >>> named("[m, exp(s)]", "z1 = b, z2 = m")
    ['m', 's', 'b']
    """
    occurring = []
    for text in filter(str.strip, texts):
        for clause in _clauses(text)[1]:
            nodes = list(ast.walk(clause))
            called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
            names = [node for node in nodes if isinstance(node, ast.Name) and id(node) not in called]
            occurring += [node.id for node in sorted(names, key=lambda node: node.col_offset)]
    return [
        name
        for name in dict.fromkeys(occurring)
        if NAME.fullmatch(name) and not TAKEN.fullmatch(name) and name not in (*CONSTANTS, *FUNCTIONS)
    ]


def _clauses(text: str) -> tuple[str, list[ast.expr]]:
    """Return the text on one line and its parts between commas, with each equals sign as a comparison.

    The sign of that comparison is <, because numbers are read at their places in the text.
    """
    if wrong := re.search("[<>!=]=|[<>]", text):
        raise InputError(
            f"{wrong[0]} is not an equals sign; observations are equations.",
            f"{EQUATIONS} For a region, write the step into the expectation: E[f Heaviside(z1)]/E[Heaviside(z1)].",
        )
    source = one_line(text, "list of equations", EQUATIONS)
    body = tree_of(source.replace("=", "<")).body
    return source, body.elts if isinstance(body, ast.Tuple) else [body]


def parse_rows(text: str, names: Names | None = None) -> list[list[sympy.Expr]]:
    """Parse a covariance: bracketed rows, [[1, 1/2], [1/2, 1]], or `@file` with the same inside.

    >>> parse_rows("[[1, 0.5], [1/2, 1]]")
    [[1, 1/2], [1/2, 1]]
    """
    source = one_line(read_text(text[1:], MAX_FILE_BYTES, ROWS) if text.startswith("@") else text, "covariance", ROWS)
    body = tree_of(source).body
    rows = body.elts if isinstance(body, ast.List) else []
    if not rows or not all(isinstance(row, ast.List) and row.elts for row in rows):
        raise InputError(f"{short(source)} is not a matrix.", ROWS)
    lengths = sorted({len(row.elts) for row in rows})
    if len(lengths) > 1:
        several = " and ".join([", ".join(map(str, lengths[:-1])), str(lengths[-1])])
        raise InputError(f"{short(source)} has rows of {several} entries; a matrix has rows of one length.", ROWS)
    walk = Walk(source, names or Names())
    return [[finite(walk.expression(entry, 0), source) for entry in row.elts] for row in rows]


def parse_list(text: str, names: Names | None = None) -> list[sympy.Expr]:
    """Parse a mean, such as [0, 1/2].

    >>> parse_list("[0, 1/2]")
    [0, 1/2]
    """
    source = one_line(text, "mean", LIST)
    body = tree_of(source).body
    if not isinstance(body, ast.List) or not body.elts:
        raise InputError(f"{short(source)} is not a list.", LIST)
    walk = Walk(source, names or Names())
    return [finite(walk.expression(entry, 0), source) for entry in body.elts]


def finite(expr: sympy.Expr, source: str) -> sympy.Expr:
    """Return the expression; InputError where it divides by zero or is not real."""
    if expr.has(sympy.zoo, sympy.nan):
        raise InputError(f"{short(source)} divides by zero.", "Check the denominators.")
    if expr.has(sympy.I):
        raise InputError(f"{short(source)} is not real.", "Check even roots, logarithms and inverse sines.")
    return expr


class Walk(grammar.Walk[sympy.Expr]):
    """The builder of SymPy expressions, whose variables and parameters are `names`."""

    functions = FUNCTIONS

    def __init__(self, source: str, names: Names) -> None:
        super().__init__(source)
        self.names = names

    def constant(self, value: Fraction) -> sympy.Rational:
        """Return the number as an exact fraction."""
        return sympy.Rational(value.numerator, value.denominator)

    def name(self, name: str) -> sympy.Expr:
        """Return the constant, variable or parameter of a name; InputError for an unknown name."""
        if name.lower() in NO_NUMBERS:
            raise InputError(f"{name} is no number, nor a name.", "Write finite numbers; an infinite bound is oo.")
        if name in CONSTANTS:
            return CONSTANTS[name]
        if name in self.names.parameters:
            return self.names.parameters[name]
        index = re.fullmatch(r"z([1-9][0-9]{0,3})", name)
        if index and int(index[1]) <= self.names.variables:
            return z(int(index[1]))
        if index and self.names.variables:
            raise InputError(
                f"{name} occurs, but there are {self.names.variables} variables.",
                f"Use z1 to z{self.names.variables}, or give a larger covariance.",
            )
        if name in FUNCTIONS:
            raise InputError(f"{name} is a function and needs arguments.", f"Write {name}(...).")
        close = difflib.get_close_matches(name, self.names.known(), 1)
        guess = f"Did you mean {close[0]}? " if close else ""
        hint = f"{guess}Give each parameter a domain, such as {name}>0 (--where on the command line)."
        raise InputError(f"The name {name} is not known.", hint)

    def added(self, parts: Sequence[sympy.Expr]) -> sympy.Expr:
        """Return the sum of the parts."""
        self.bounded(sum(_bits(part) for part in parts))
        return sympy.Add(*parts)

    def multiplied(self, parts: Sequence[sympy.Expr]) -> sympy.Expr:
        """Return the product of the parts."""
        self.bounded(sum(_bits(part) for part in parts))
        return sympy.Mul(*parts)

    def inverse(self, value: sympy.Expr) -> sympy.Expr:
        """Return 1/value; InputError where it is zero."""
        if value == 0:
            raise InputError(f"{short(self.source)} divides by zero.", "Check the denominators.")
        return 1 / value

    def power(self, base: sympy.Expr, exponent: sympy.Expr) -> sympy.Expr:
        """Return base ** exponent; a number as exponent is a fraction of size at most MAX_EXPONENT."""
        if not exponent.free_symbols:
            if not exponent.is_Rational or abs(exponent) > MAX_EXPONENT or exponent.q > MAX_EXPONENT:
                raise InputError(
                    f"The exponent {short(str(exponent))} is not a fraction of size at most {MAX_EXPONENT}.",
                    f"Use smaller exponents, with denominators to {MAX_EXPONENT}.",
                )
            self.bounded(_bits(base) * max(1, abs(int(exponent))))
        if base == 0 and exponent.is_negative is not False:
            raise InputError(f"{short(self.source)} divides by zero.", "Check the denominators.")
        return base**exponent

    def bounded(self, bits: int) -> None:
        """Raise InputError for a number of more bits than the limit."""
        if bits > MAX_BITS:
            raise InputError(f"A number in {short(self.source)} would have {bits} bits.", f"The limit is {MAX_BITS}.")

    def function(self, name: str, arguments: Sequence[sympy.Expr]) -> sympy.Expr:
        """Return the function at real arguments; InputError where its value is not real."""
        for argument in arguments:
            # Nested functions of numbers, such as exp(exp(exp(9))), grow like towers of powers.
            if not argument.free_symbols and argument.is_finite is not False:
                self.bounded(_exponential_bits(argument) if name == "exp" else _bits(argument))
            if argument.is_extended_real is False:
                raise InputError(f"{short(str(argument))} is not real.", "Check even roots and inverse sines.")
        try:
            value = FUNCTIONS[name](*arguments)
        except (ValueError, TypeError) as error:
            if isinstance(error, InputError):
                raise
            # SymPy compares the numbers in max and min, and fails where they contain Phi, relu or owens_t.
            hint = "Write Phi, relu and owens_t of numbers out, or put a parameter in their place."
            raise InputError(f"{name} cannot compare its arguments.", hint) from error
        if not value.free_symbols and value.is_extended_real is False:
            listed = ", ".join(map(str, arguments))
            raise InputError(f"{short(f'{name}({listed})')} is not real.", "Check its arguments.")
        return value

    def expectation(self, node: ast.Subscript, depth: int) -> sympy.Expr:
        """Return the expectation of E[...] where the formula may contain one; else InputError."""
        if self.names.expectation is None:
            return super().expectation(node, depth)
        return self.names.expectation(self.expression(node.slice, depth + 1))


def _bits(expr: sympy.Expr) -> int:
    """Return a bound on the bits of the numbers in `expr`, with powers of constants as if multiplied out."""
    if expr.is_Rational:
        return int(expr.p).bit_length() + int(expr.q).bit_length()
    if expr.is_Pow and expr.exp.is_Rational:
        return _bits(expr.base) * max(1, abs(int(expr.exp)))
    if isinstance(expr, sympy.exp) and not expr.free_symbols:
        return _exponential_bits(expr.exp)
    return max((_bits(argument) for argument in expr.args if isinstance(argument, sympy.Expr)), default=2)


def _exponential_bits(exponent: sympy.Expr) -> int:
    """Return the bits of exp(exponent) before or after the binary point; the exponent itself is bounded already."""
    return 2 * abs(int(exponent.evalf(15))) + 2 if exponent.is_extended_real else 2
