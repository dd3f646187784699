"""Small faults of a source: what `mutations` plants, one at a time.

A comparison, sign, product or connective is exchanged, a term, `not`, minus or statement dropped, a constant moved by
one. Docstrings, annotations, messages and texts in general stay as they are: no test compares them all.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

_EXCHANGED = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.And: ast.Or,
    ast.Or: ast.And,
}
_SKIPPED = ast.Raise | ast.If | ast.AugAssign | ast.Continue | ast.Break
_SHOWN = ("__repr__", "__str__")  # methods whose text no test compares whole


@dataclass(frozen=True)
class Mutant:
    """A fault: its line, what stood there and stands there now, the whole source, and the lines of its statement."""

    line: int
    before: str
    after: str
    source: str
    statement: range

    def __str__(self) -> str:
        return f"line {self.line}: {_short(self.before)}  ->  {_short(self.after)}"


def mutants(source: str) -> Iterator[Mutant]:
    """Yield every fault of the source, in the order of its lines.

    Docstrings, annotations, messages of errors and texts in general stay as they are: no test compares them all.
    """
    tree = ast.parse(source)
    places = [(node, within, new) for node, within in _planted(tree, range(0)) for new in _faults(node)]
    for node, within, new in sorted(places, key=lambda place: (place[0].lineno, place[0].col_offset)):
        text = new if isinstance(new, str) else f"({ast.unparse(ast.fix_missing_locations(new))})"
        yield Mutant(node.lineno, ast.get_source_segment(source, node), text, _spliced(source, node, text), within)


def _planted(node: ast.AST, within: range) -> Iterator[tuple[ast.AST, range]]:
    """The nodes below `node` in which faults are planted, and the lines of the statement that each belongs to."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "bases"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.JoinedStr | ast.arguments | ast.Import | ast.ImportFrom) or not isinstance(
                child, ast.AST
            ):
                continue
            if isinstance(child, ast.FunctionDef) and child.name in _SHOWN:
                continue
            own = _lines(child) if isinstance(child, ast.stmt) else within
            yield child, own
            if not isinstance(child, ast.Raise):
                yield from _planted(child, own)


def _lines(statement: ast.stmt) -> range:
    """The lines of a statement; of one with a block in it, those before the block."""
    block = getattr(statement, "body", None)
    return range(statement.lineno, max(block[0].lineno, statement.lineno + 1) if block else statement.end_lineno + 1)


def _faults(node: ast.AST) -> Iterator[ast.AST | str]:
    """The replacements of a node: other nodes, or text."""
    if isinstance(node, ast.Compare):
        for index, operator in enumerate(node.ops):
            changed = [*node.ops[:index], _EXCHANGED[type(operator)](), *node.ops[index + 1 :]]
            yield ast.Compare(node.left, changed, node.comparators)
    elif isinstance(node, ast.BinOp) and type(node.op) in _EXCHANGED:
        yield ast.BinOp(node.left, _EXCHANGED[type(node.op)](), node.right)
        yield from (node.left, node.right) if isinstance(node.op, ast.Add | ast.Sub) else ()
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(_EXCHANGED[type(node.op)](), node.values)
        for index in range(len(node.values)):
            yield _joined(node.op, [*node.values[:index], *node.values[index + 1 :]])
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        yield node.operand
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float):
        yield ast.Constant(not node.value if isinstance(node.value, bool) else node.value + 1)
    elif isinstance(node, _SKIPPED) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
        yield "pass"


def _joined(operator: ast.boolop, values: list[ast.expr]) -> ast.expr:
    return values[0] if len(values) == 1 else ast.BoolOp(operator, values)


def _spliced(source: str, node: ast.AST, text: str) -> str:
    """The source with `text` in the place of the node, and as many lines as before; columns count bytes."""
    lines = source.encode().splitlines(keepends=True)
    start = sum(map(len, lines[: node.lineno - 1])) + node.col_offset
    end = sum(map(len, lines[: node.end_lineno - 1])) + node.end_col_offset
    whole = b"".join(lines)
    gone = "\n" * (node.end_lineno - node.lineno)
    filled = f"{text[:-1]}{gone})" if text.startswith("(") else text + gone
    return (whole[:start] + filled.encode() + whole[end:]).decode()


def _short(text: str, most: int = 70) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= most else f"{flat[: most - 3]}..."
