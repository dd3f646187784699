"""The grammar of user text: one walk over Python's syntax tree of a formula, for every kind of value built from it.

Python's `ast` parses the text, and a walk over its tree calls a builder for each listed operation and function; nothing
is executed as code. Numbers become the exact fractions of their source text. The builder of SymPy expressions is
`theory.expressions.language`, that of NumPy arrays `theory.problem.formulas`.
"""

import ast
import difflib
import math
import re
import warnings
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from typing import Generic, TypeVar

from theory.problem.errors import InputError

MAX_CHARACTERS = 4000
MAX_DEPTH = 60
MAX_EXPONENT = 64
MAX_DECIMAL_EXPONENT = 1000
MAX_DIGITS = 200

NUMBER = re.compile(r"(?P<whole>[0-9]*)(?:\.(?P<part>[0-9]*))?(?:[eE](?P<exponent>[+-]?[0-9]+))?")
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
# The functions of the language, each with its least and greatest number of arguments; hermite is He_n, orthogonal under
# N(0, 1).
ARITIES: Mapping[str, tuple[int, int]] = {
    "Heaviside": (1, 1),
    "sign": (1, 1),
    "erf": (1, 1),
    "erfc": (1, 1),
    "Phi": (1, 1),
    "Phi2": (3, 3),
    "relu": (1, 1),
    "ReLU": (1, 1),
    "step": (1, 1),
    "Abs": (1, 1),
    "abs": (1, 1),
    "sqrt": (1, 1),
    "exp": (1, 1),
    "log": (1, 1),
    "sin": (1, 1),
    "cos": (1, 1),
    "asin": (1, 1),
    "acos": (1, 1),
    "atan": (1, 1),
    "atan2": (2, 2),
    "tanh": (1, 1),
    "sinh": (1, 1),
    "cosh": (1, 1),
    "sigmoid": (1, 1),
    "softplus": (1, 1),
    "swish": (1, 1),
    "silu": (1, 1),
    "gelu": (1, 1),
    "min": (2, 8),
    "max": (2, 8),
    "owens_t": (2, 2),
    "hermite": (2, 2),
}
# Functions that are no misspelled others, besides these and those of Python's `math`.
OTHERS = {"elu", "selu", "celu", "mish", "softsign", "cot", "sec", "csc", "sinc"}
# Characters of printed formulas, and how they are typed.
PASTED = str.maketrans({"Φ": "Phi", "π": "pi", "ρ": "rho", "∞": "oo", "−": "-", "·": "*", "≤": "<=", "≥": ">="})
CODE = "Code where a formula is expected: "
GRAMMAR = "Formulas have numbers, names, + - * / **, parentheses and functions such as erf(g*z1)."
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


def short(text: str) -> str:
    """Return the text quoted, and shortened to 60 characters, for an error message."""
    return repr(text if len(text) <= 60 else text[:57] + "...")


def one_line(text: str, what: str = "formula", hint: str = GRAMMAR) -> str:
    """Return the text on one line; InputError where it exceeds limits that need no parsing.

    `what` names the text in messages, and `hint` says how it is written.
    """
    source = " ".join(text.translate(PASTED).split())
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


def misspelt(name: str, known: Collection[str]) -> str | None:
    """Return the function of which a name is a misspelling, or numpy's name; None for the name of another function.

    >>> misspelt("tnah", ["tanh", "atan"]), misspelt("arctan", ["tanh", "atan"]), misspelt("softmax", ["max"])
    ('tanh', 'atan', None)
    """
    if name.removeprefix("arc") != name and f"a{name.removeprefix('arc')}" in known:
        return f"a{name.removeprefix('arc')}"
    close = [one for one in difflib.get_close_matches(name, known, 3) if abs(len(one) - len(name)) <= 1]
    return close[0] if close else None


Value = TypeVar("Value")


class Walk(ABC, Generic[Value]):
    """A walk over the syntax tree of one source text, which allows only listed operations and functions.

    A builder derives from it and makes the values; `functions` are the names of the functions that it knows.
    """

    functions: Collection[str] = tuple(ARITIES)

    def __init__(self, source: str) -> None:
        self.source = source

    def expression(self, node: ast.expr, depth: int) -> Value:
        """Return the value of a node; `depth` counts its ancestors, a chain of sums or products as one."""
        if depth > MAX_DEPTH:
            raise InputError(f"The formula is nested more than {MAX_DEPTH} deep.", "Simplify it.")
        if isinstance(node, ast.Constant):
            return self.constant(self._number(node))
        if isinstance(node, ast.Name):
            return self.name(node.id)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
            inner = self.expression(node.operand, depth + 1)
            return -inner if isinstance(node.op, ast.USub) else inner
        if isinstance(node, ast.BinOp) and isinstance(node.op, OPERATIONS):
            return self._operation(node, depth)
        if isinstance(node, ast.Call):
            return self._call(node, depth)
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == "E":
            return self.expectation(node, depth)
        what = PHRASES.get(type(node), "an operator or construct that formulas do not have")
        raise InputError(f"{CODE}{what} in {short(self.source)}.", GRAMMAR)

    @abstractmethod
    def constant(self, value: Fraction) -> Value:
        """Return a number."""

    @abstractmethod
    def name(self, name: str) -> Value:
        """Return the constant, variable or parameter of a name; InputError for an unknown name."""

    @abstractmethod
    def added(self, parts: Sequence[Value]) -> Value:
        """Return the sum of the parts."""

    @abstractmethod
    def multiplied(self, parts: Sequence[Value]) -> Value:
        """Return the product of the parts."""

    @abstractmethod
    def inverse(self, value: Value) -> Value:
        """Return 1/value; InputError where that is certainly a division by zero."""

    @abstractmethod
    def power(self, base: Value, exponent: Value) -> Value:
        """Return base ** exponent."""

    @abstractmethod
    def function(self, name: str, arguments: Sequence[Value]) -> Value:
        """Return a function of `functions` at arguments, whose number is right."""

    def expectation(self, node: ast.Subscript, depth: int) -> Value:
        """Return the expectation of E[...] where the formula may contain one; else InputError."""
        del node, depth
        raise InputError("E[...] is not used here: the expectation is taken of the whole formula.", "Drop E[ and ].")

    def _number(self, node: ast.Constant) -> Fraction:
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
        return Fraction(int(digits)) * Fraction(10) ** (int(exponent) - len(parts["part"] or ""))

    def _operation(self, node: ast.BinOp, depth: int) -> Value:
        """Return the value of an operation; a chain of sums or products is walked in a loop as one level."""
        if isinstance(node.op, ast.Pow):
            return self.power(self.expression(node.left, depth + 1), self.expression(node.right, depth + 1))
        kinds = (ast.Add, ast.Sub) if isinstance(node.op, ast.Add | ast.Sub) else (ast.Mult, ast.Div)
        chain: list[tuple[ast.operator, ast.expr]] = []
        first: ast.expr = node
        while isinstance(first, ast.BinOp) and isinstance(first.op, kinds):
            chain.append((first.op, first.right))
            first = first.left
        parts = [self.expression(first, depth + 1)]
        for operator, right in reversed(chain):
            value = self.expression(right, depth + 1)
            if isinstance(operator, ast.Div):
                value = self.inverse(value)
            parts.append(-value if isinstance(operator, ast.Sub) else value)
        return self.added(parts) if kinds[0] is ast.Add else self.multiplied(parts)

    def _call(self, node: ast.Call, depth: int) -> Value:
        """Return a listed function of the right number of arguments."""
        if not isinstance(node.func, ast.Name):
            raise InputError(f"{CODE}something other than a named function is called.", GRAMMAR)
        name = node.func.id
        if name not in self.functions:
            other = name in ARITIES or name in OTHERS or hasattr(math, name)
            close = None if other else misspelt(name, self.functions)
            hint = f"Did you mean {close}?" if close else f"Functions: {', '.join(self.functions)}."
            raise InputError(f"The function {name} is not {'offered here' if other else 'known'}.", hint)
        least, most = ARITIES[name]
        if node.keywords or not least <= len(node.args) <= most:
            wanted = str(least) if least == most else f"{least} to {most}"
            plural = "" if wanted == "1" else "s"
            raise InputError(
                f"{name} takes {wanted} argument{plural}; it got {len(node.args) + len(node.keywords)}.", GRAMMAR
            )
        return self.function(name, [self.expression(argument, depth + 1) for argument in node.args])
