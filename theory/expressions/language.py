"""The parser of user text: formulas and matrices here, domains of parameters in `domains` with the same walk.

Python's `ast` parses the text, and a walk over its tree builds SymPy expressions from a whitelist; nothing is executed
as code. Numbers become the exact fractions of their source text. All limits are enforced before any arithmetic on the
numbers they bound.
"""

import ast
import difflib
import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import sympy

from theory.expressions.functions import OwensT, Phi, Phi2, Relu
from theory.expressions.symbols import z
from theory.problem.errors import InputError
from theory.problem.user_files import read_text

MAX_CHARACTERS = 4000
MAX_DEPTH = 60
MAX_EXPONENT = 64
MAX_DECIMAL_EXPONENT = 1000
MAX_DIGITS = 200
# Intermediate numbers may have at most this many bits (2 400 digits), which a tower of powers exceeds at once.
MAX_BITS = 8000
MAX_HERMITE = 64
MAX_FILE_BYTES = 1_000_000

NUMBER = re.compile(r"(?P<whole>[0-9]*)(?:\.(?P<part>[0-9]*))?(?:[eE](?P<exponent>[+-]?[0-9]+))?")
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


def _hermite(order: sympy.Expr, x: sympy.Expr) -> sympy.Expr:
    if not order.is_Integer or not 0 <= order <= MAX_HERMITE:
        raise InputError(f"hermite({order}, ...): the order must be 0 to {MAX_HERMITE}.", "hermite(2, z1) = z1**2 - 1.")
    return sympy.hermite_prob(order, x)


def _phi2(a: sympy.Expr, b: sympy.Expr, rho: sympy.Expr) -> sympy.Expr:
    if rho.is_Rational and abs(rho) > 1:
        raise InputError(f"Phi2(..., {rho}): a correlation lies between -1 and 1.", "Phi2(a, b, rho).")
    return Phi2(a, b, rho)


# name -> (function, least and greatest number of arguments); hermite is He_n, orthogonal under N(0, 1).
FUNCTIONS: Mapping[str, tuple[Callable[..., sympy.Expr], int, int]] = {
    "Heaviside": (sympy.Heaviside, 1, 1),
    "sign": (sympy.sign, 1, 1),
    "erf": (sympy.erf, 1, 1),
    "erfc": (sympy.erfc, 1, 1),
    "Phi": (Phi, 1, 1),
    "Phi2": (_phi2, 3, 3),
    "relu": (Relu, 1, 1),
    "Abs": (sympy.Abs, 1, 1),
    "abs": (sympy.Abs, 1, 1),
    "sqrt": (sympy.sqrt, 1, 1),
    "exp": (sympy.exp, 1, 1),
    "log": (sympy.log, 1, 1),
    "sin": (sympy.sin, 1, 1),
    "cos": (sympy.cos, 1, 1),
    "asin": (sympy.asin, 1, 1),
    "acos": (sympy.acos, 1, 1),
    "atan": (sympy.atan, 1, 1),
    "atan2": (sympy.atan2, 2, 2),
    "min": (sympy.Min, 2, 8),
    "max": (sympy.Max, 2, 8),
    "owens_t": (OwensT, 2, 2),
    "hermite": (_hermite, 2, 2),
}
CONSTANTS = {"pi": sympy.pi, "oo": sympy.oo}
CODE = "Code where a formula is expected: "
LIST = "Write [0, 0], one entry a variable."
ROWS = "Give it as bracketed rows, [[1, 1/2], [1/2, 1]], or as @ and the name of a file with such rows."
GRAMMAR = "Formulas have numbers, names, + - * / **, parentheses and functions such as erf(g*z1)."


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


def short(text: str) -> str:
    """Return the text quoted, and shortened to 60 characters, for an error message."""
    return repr(text if len(text) <= 60 else text[:57] + "...")


def one_line(text: str, what: str = "formula", hint: str = GRAMMAR) -> str:
    """Return the text on one line; InputError where it exceeds limits that need no parsing.

    `what` names the text in messages, and `hint` says how it is written.
    """
    source = " ".join(text.split())
    if not source:
        raise InputError(f"The {what} is empty.", hint)
    if len(source) > MAX_CHARACTERS:
        raise InputError(f"The {what} has {len(source)} characters; the limit is {MAX_CHARACTERS}.", "Shorten it.")
    odd = [character for character in source if not 32 <= ord(character) < 127 or character in "#\\;$?!`\"'{}@&|~%:"]
    if "^" in source:
        raise InputError("^ is not an operator here.", "Write powers with **, as in z1**2.")
    if odd:
        raise InputError(f"{CODE}the character {odd[0]!r} is not allowed in {short(source)}.", GRAMMAR)
    depth = deepest = 0
    for character in source:
        depth += (character in "([") - (character in ")]")
        deepest = max(deepest, depth)
    signs = max(map(len, re.findall(r"[-+]+", source.replace(" ", ""))), default=0)
    if max(deepest, signs) > MAX_DEPTH:
        raise InputError(f"The {what} is nested {max(deepest, signs)} deep; the limit is {MAX_DEPTH}.", "Simplify it.")
    return source


def tree_of(source: str) -> ast.Expression:
    """Return Python's syntax tree of one line; InputError for a syntax error."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return ast.parse(source, mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        place = getattr(error, "offset", None)
        lacks = " and ".join(f"a {end}" for start, end in ("()", "[]") if source.count(start) > source.count(end))
        where = f": it lacks {lacks}" if lacks else f" near character {place}" if place else ""
        raise InputError(f"{short(source)} is not a formula{where}.", GRAMMAR) from error


def finite(expr: sympy.Expr, source: str) -> sympy.Expr:
    """Return the expression; InputError where it divides by zero or is not real."""
    if expr.has(sympy.zoo, sympy.nan):
        raise InputError(f"{short(source)} divides by zero.", "Check the denominators.")
    if expr.has(sympy.I):
        raise InputError(f"{short(source)} is not real.", "Check even roots, logarithms and inverse sines.")
    return expr


OPERATIONS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow)
PHRASES = {
    ast.Lambda: "a lambda",
    ast.NamedExpr: "an assignment",
    ast.Attribute: "an attribute",
    ast.Compare: "a comparison",
    ast.BoolOp: "a logical operation",
    ast.IfExp: "a condition",
    ast.List: "a list",
    ast.Tuple: "a comma",
    ast.ListComp: "a comprehension",
    ast.GeneratorExp: "a comprehension",
    ast.Starred: "a star",
    ast.Await: "await",
    ast.Subscript: "an index",
}


class Walk:
    """A walk over the syntax tree of one source text that builds only listed operations and functions."""

    def __init__(self, source: str, names: Names) -> None:
        self.source = source
        self.names = names

    def expression(self, node: ast.expr, depth: int) -> sympy.Expr:
        """Return the expression of a node; `depth` counts its ancestors, a chain of sums or products as one."""
        if depth > MAX_DEPTH:
            raise InputError(f"The formula is nested more than {MAX_DEPTH} deep.", "Simplify it.")
        if isinstance(node, ast.Constant):
            return self.number(node)
        if isinstance(node, ast.Name):
            return self.name(node.id)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
            inner = self.expression(node.operand, depth + 1)
            return -inner if isinstance(node.op, ast.USub) else inner
        if isinstance(node, ast.BinOp) and isinstance(node.op, OPERATIONS):
            return self.operation(node, depth)
        if isinstance(node, ast.Call):
            return self.call(node, depth)
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == "E":
            return self.expectation(node, depth)
        what = PHRASES.get(type(node), "an operator or construct that formulas do not have")
        raise InputError(f"{CODE}{what} in {short(self.source)}.", GRAMMAR)

    def number(self, node: ast.Constant) -> sympy.Rational:
        """Return the exact fraction of a number's source text."""
        text = self.source[node.col_offset : node.end_col_offset]
        parts = NUMBER.fullmatch(text)
        if not parts or not (parts["whole"] or parts["part"]):
            raise InputError(
                f"{CODE}{short(text)} is not a number.", "Numbers look like 2, 0.7 or 1e-3; 1/3 is a quotient."
            )
        digits = (parts["whole"] or "") + (parts["part"] or "")
        exponent = parts["exponent"] or "0"
        if len(digits) > MAX_DIGITS:
            raise InputError(f"A number has {len(digits)} digits; the limit is {MAX_DIGITS}.", "Shorten it.")
        if len(exponent) > 6 or abs(int(exponent)) > MAX_DECIMAL_EXPONENT:
            raise InputError(f"The decimal exponent of {short(text)} exceeds {MAX_DECIMAL_EXPONENT}.", "Rescale.")
        value = Fraction(int(digits)) * Fraction(10) ** (int(exponent) - len(parts["part"] or ""))
        return sympy.Rational(value.numerator, value.denominator)

    def name(self, name: str) -> sympy.Expr:
        """Return the constant, variable or parameter of a name; InputError for an unknown name."""
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

    def operation(self, node: ast.BinOp, depth: int) -> sympy.Expr:
        """Return the expression of an operation; a chain of sums or products is walked in a loop as one level."""
        if isinstance(node.op, ast.Pow):
            return self.power(node, depth)
        kinds = (ast.Add, ast.Sub) if isinstance(node.op, ast.Add | ast.Sub) else (ast.Mult, ast.Div)
        chain: list[tuple[ast.operator, ast.expr]] = []
        first: ast.expr = node
        while isinstance(first, ast.BinOp) and isinstance(first.op, kinds):
            chain.append((first.op, first.right))
            first = first.left
        parts = [self.expression(first, depth + 1)]
        for operator, right in reversed(chain):
            value = self.expression(right, depth + 1)
            if isinstance(operator, ast.Div) and value == 0:
                raise InputError(f"{short(self.source)} divides by zero.", "Check the denominators.")
            parts.append(
                -value if isinstance(operator, ast.Sub) else 1 / value if isinstance(operator, ast.Div) else value
            )
        self.bounded(sum(_bits(part) for part in parts))
        return sympy.Add(*parts) if kinds[0] is ast.Add else sympy.Mul(*parts)

    def power(self, node: ast.BinOp, depth: int) -> sympy.Expr:
        """Return base ** exponent; a number as exponent is a fraction of size at most MAX_EXPONENT."""
        base, exponent = self.expression(node.left, depth + 1), self.expression(node.right, depth + 1)
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
        if bits > MAX_BITS:
            raise InputError(f"A number in {short(self.source)} would have {bits} bits.", f"The limit is {MAX_BITS}.")

    def call(self, node: ast.Call, depth: int) -> sympy.Expr:
        """Return a listed function of the right number of arguments."""
        if not isinstance(node.func, ast.Name):
            raise InputError(f"{CODE}something other than a named function is called.", GRAMMAR)
        name = node.func.id
        if name not in FUNCTIONS:
            close = difflib.get_close_matches(name, FUNCTIONS, 1)
            hint = f"Did you mean {close[0]}?" if close else f"Functions: {', '.join(FUNCTIONS)}."
            raise InputError(f"The function {name} is not known.", hint)
        function, least, most = FUNCTIONS[name]
        if node.keywords or not least <= len(node.args) <= most:
            wanted = str(least) if least == most else f"{least} to {most}"
            plural = "" if wanted == "1" else "s"
            raise InputError(
                f"{name} takes {wanted} argument{plural}; it got {len(node.args) + len(node.keywords)}.", GRAMMAR
            )
        arguments = [self.expression(argument, depth + 1) for argument in node.args]
        for argument in arguments:
            # Nested functions of numbers, such as exp(exp(exp(9))), grow like towers of powers.
            if not argument.free_symbols and argument.is_finite is not False:
                self.bounded(_exponential_bits(argument) if name == "exp" else _bits(argument))
            if argument.is_extended_real is False:
                raise InputError(f"{short(str(argument))} is not real.", "Check even roots and inverse sines.")
        try:
            value = function(*arguments)
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
            raise InputError(
                "E[...] is not used here: the expectation is taken of the whole formula.", "Drop E[ and ]."
            )
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
