"""Closed forms as a list of array operations, for NumPy or torch, in the precision of the arrays and in few buffers.

A symbol stands for a column (one number for each row of a block), a row, or a whole block. Subexpressions of columns or
rows alone stay small; whole blocks reuse the memory of those that are no longer needed.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import numpy as np
import sympy

from theory.gaussian.float64.closed_form import distributed
from theory.problem.errors import OutOfReachError

COLUMN, ROW, BLOCK = "column", "row", "block"
_FUNCTIONS = {sympy.atan: "arctan", sympy.exp: "exp"}
_HALF = sympy.Rational(1, 2)

Operand = int | float  # a slot of the memory, or a number: a slot is an int


@dataclass(frozen=True)
class _Operation:
    name: str
    operands: tuple[Operand, ...]
    slot: int
    whole: bool  # the result is a whole block
    last: tuple[int, ...] = ()  # slots of whole blocks that no later operation reads


@dataclass
class _Builder:
    kinds: dict[int, str | None] = field(default_factory=dict)
    operations: list[_Operation] = field(default_factory=list)
    known: dict[sympy.Expr, Operand] = field(default_factory=dict)

    def slot(self, kind: str) -> int:
        self.kinds[len(self.kinds)] = kind
        return len(self.kinds) - 1

    def apply(self, name: str, *operands: Operand) -> Operand:
        kinds = {self.kinds[one] for one in operands if isinstance(one, int)}
        kind = kinds.pop() if len(kinds) == 1 else BLOCK
        place = self.slot(kind)
        self.operations.append(_Operation(name, operands, place, kind == BLOCK))
        return place

    def combined(self, name: str, parts: Sequence[Operand]) -> Operand | None:
        """Combine columns, rows and blocks among themselves first: most operations are then small."""
        groups: list[Operand] = []
        for kind in (COLUMN, ROW, BLOCK):
            of_kind = [part for part in parts if isinstance(part, int) and self.kinds[part] == kind]
            numbers = [part for part in parts if isinstance(part, float)] if not groups and of_kind else []
            if of_kind:
                groups.append(self.folded(name, [*of_kind, *numbers]))
        if not groups:
            return self.number(name, parts)
        return self.folded(name, groups)

    def folded(self, name: str, parts: Sequence[Operand]) -> Operand:
        total = parts[0]
        for part in parts[1:]:
            total = self.apply(name, total, part)
        return total

    @staticmethod
    def number(name: str, parts: Sequence[Operand]) -> float | None:
        if not parts:
            return None
        return float(sum(parts)) if name == "add" else float(np.prod(parts))

    def of(self, expr: sympy.Expr) -> Operand:
        if expr not in self.known:
            self.known[expr] = self._of(expr)
        return self.known[expr]

    def _of(self, expr: sympy.Expr) -> Operand:
        if not expr.free_symbols:
            return float(expr.evalf(20))
        if expr.is_Add:
            return self._sum(expr)
        if expr.is_Mul:
            return self._product(expr)
        if expr.is_Pow and expr.exp.is_Rational and expr.exp.q <= 2:
            return self._power(expr)
        if expr.func in _FUNCTIONS:
            return self.apply(_FUNCTIONS[expr.func], self.of(expr.args[0]))
        raise OutOfReachError(
            f"{expr.func.__name__} has no array operation here.",
            "Ask for certified digits of single pairs: certified_kernel, or gdln ntk.",
        )

    def _sum(self, expr: sympy.Expr) -> Operand:
        less = [part for part in expr.args if part.free_symbols and part.as_coeff_Mul()[0].is_negative]
        more = [part for part in expr.args if part not in less]
        total = self.combined("add", [self.of(part) for part in more])
        if not less:
            return total
        taken = self.combined("add", [self.of(-part) for part in less])
        return self.apply("multiply", taken, -1.0) if total is None else self.difference(total, taken)

    def difference(self, total: Operand, taken: Operand) -> Operand:
        """Return a difference; torch subtracts from arrays alone."""
        if isinstance(total, float):
            return self.apply("add", self.apply("multiply", taken, -1.0), total)
        return self.apply("subtract", total, taken)

    def _product(self, expr: sympy.Expr) -> Operand:
        above, below = [], []
        for factor in expr.args:
            divides = factor.is_Pow and factor.exp.is_negative and factor.free_symbols
            (below if divides else above).append(1 / factor if divides else factor)
        top = self.combined("multiply", [self.of(part) for part in above])
        if not below:
            return top
        return self.apply("divide", 1.0 if top is None else top, self.combined("multiply", [self.of(x) for x in below]))

    def _power(self, expr: sympy.Pow) -> Operand:
        if expr.exp.is_negative:
            return self.apply("divide", 1.0, self.of(1 / expr))
        root = self.apply("sqrt", self.of(expr.base)) if expr.exp.q == 2 else None
        whole = self.folded("multiply", [self.of(expr.base)] * int(expr.exp)) if expr.exp >= 1 else None
        parts = [part for part in (root, whole) if part is not None]
        return self.folded("multiply", parts)


@dataclass(frozen=True)
class Program:
    """Operations that compute several forms of the same symbols at once.

    >>> x, y = sympy.symbols("x y", positive=True)
    >>> product = program([sympy.sqrt(x) * y], {x: COLUMN, y: BLOCK})
    >>> product.run(np, {x: np.array([[4.0]]), y: np.array([[3.0, 5.0]])}, [])[0].tolist()
    [[6.0, 10.0]]
    """

    inputs: Mapping[sympy.Symbol, int]
    operations: tuple[_Operation, ...]
    results: tuple[Operand, ...]
    slots: int

    def run(self, xp: ModuleType, values: Mapping[sympy.Symbol, Any], buffers: list[Any] | None) -> list[Any]:
        """Return the values of the forms; `buffers` are whole blocks that may be overwritten, None for fresh arrays.

        Blocks that are no longer needed are added to `buffers`; the inputs are not overwritten.
        """
        memory: list[Any] = [None] * self.slots
        for symbol, slot in self.inputs.items():
            memory[slot] = values[symbol]
        for one in self.operations:
            operands = [memory[x] if type(x) is int else x for x in one.operands]
            memory[one.slot] = _applied(xp, one, operands, buffers)
            if buffers is not None:
                for slot in one.last:
                    buffers.append(memory[slot])
                    memory[slot] = None
        return [memory[x] if type(x) is int else x for x in self.results]


def _applied(xp: ModuleType, one: _Operation, operands: list[Any], buffers: list[Any] | None) -> Any:
    function: Callable[..., Any] = getattr(xp, one.name)
    if xp is not np and one.name == "divide" and isinstance(operands[0], float):
        return xp.multiply(xp.reciprocal(operands[1]), operands[0])
    if one.whole and buffers:
        return function(*operands, out=buffers.pop())
    return function(*operands)


def program(
    forms: Sequence[sympy.Expr],
    kinds: Mapping[sympy.Symbol, str],
    named: Mapping[sympy.Symbol, sympy.Expr] | None = None,
) -> Program:
    """Return the program of forms in the symbols of `kinds`, with common subexpressions computed once.

    The forms may also use the symbols of `named`, which stand for expressions that are computed first. Raises
    OutOfReachError for a function without an array operation.
    """
    builder = _Builder()
    inputs = {symbol: builder.slot(kind) for symbol, kind in kinds.items()}
    builder.known.update(inputs)
    named = named or {}
    names = (sympy.Dummy(real=True) for _ in iter(int, 1))
    expanded = [distributed(form) for form in (*named.values(), *forms)]
    steps, results = sympy.cse(expanded, symbols=names)
    for symbol, expr in (*steps, *zip(named, results, strict=False)):
        builder.known[symbol] = builder.of(expr)
    results = results[len(named) :]
    operands = tuple(builder.of(expr) for expr in results)
    return Program(inputs, _with_last_reads(builder, set(inputs.values()), operands), operands, len(builder.kinds))


def _with_last_reads(builder: _Builder, inputs: set[int], results: Sequence[Operand]) -> tuple[_Operation, ...]:
    """Note at each operation the whole blocks that it is the last to read."""
    kept = inputs | {slot for slot in results if isinstance(slot, int)}
    operations: list[_Operation] = []
    for one in reversed(builder.operations):
        last = {x for x in one.operands if isinstance(x, int) and x not in kept and builder.kinds[x] == BLOCK}
        kept |= last
        operations.append(_Operation(one.name, one.operands, one.slot, one.whole, tuple(sorted(last))))
    return tuple(reversed(operations))
