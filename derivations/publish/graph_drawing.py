"""A drawing of a gated graph as SVG text: nodes in columns by depth, edges with their weights, paths highlighted."""

from collections.abc import Collection, Mapping
from itertools import pairwise
from xml.sax.saxutils import escape

from theory.flow.graph.paths import Path
from theory.problem.graph import Edge, Graph, Node

_COLUMN, _ROW, _RADIUS, _MARGIN, _TITLE = 190, 84, 29, 56, 28
PRINTED = {
    "ground": "white", "plain": "#7b818c", "marked": "#c2410c", "pale": "#f4f5f7", "ink": "#1f2430", "gate": "#2563a8",
}  # fmt: skip
# In their place where the reader prefers a dark page.
_DARK = {
    "ground": "#14171b", "plain": "#9aa4af", "marked": "#f0883e",
    "pale": "#1d2229", "ink": "#e6e8eb", "gate": "#4da6e0",
}  # fmt: skip
_PAINTED = ("fill", "stroke")
_HEAD = 8  # length of an arrow's head

Point = tuple[float, float]
Slot = str | Edge  # a place in a column: a node, or an edge that passes the column


def drawing(
    graph: Graph,
    paths: Collection[Path] = (),
    through: str | None = None,
    colours: Mapping[str, str] = PRINTED,
) -> str:
    """The graph as one SVG element. With `through`, a weight's name, the paths through that weight are highlighted.

    Gated nodes and edges carry a g; edges without weights are dashed. A node stands in the column of its longest path
    from an input; an edge that passes a column has a place of its own there, so that it crosses no node. `colours` has
    the names of `PRINTED`.

    >>> from theory.problem.graph import one_hidden_layer
    >>> from theory.problem import Network
    >>> drawing(one_hidden_layer(Network("relu", "mean", 3), 5)).startswith("<svg")
    True
    """
    points = _points(graph, top=_TITLE * (through is not None))
    marked = {edge for path in paths if any(each.weight == through for each in path.edges) for edge in path.edges}
    width = _MARGIN + max(x for x, _ in points.values())
    height = _MARGIN + max(y for _, y in points.values())
    title = f"Gated graph with {len(graph.nodes)} nodes and {len(graph.edges)} edges"
    if through is not None:
        title += f"; the paths through {through} are highlighted"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" font-family="sans-serif" font-size="13" role="img">',
        f"<title>{escape(title)}</title>",
        *([_dark_style()] if colours is PRINTED else []),
        f'<rect width="{width:g}" height="{height:g}" fill="{colours["ground"]}"/>',
    ]
    if through is not None:
        lines.append(_text(_MARGIN - _RADIUS, 24, f"paths through {through}", colours["marked"], "start"))
    ordered = sorted(graph.edges, key=lambda each: each in marked)  # marked ones lie on top
    drawn = [_edge(edge, _course(edge, points), edge in marked, edge.weight == through, colours) for edge in ordered]
    lines += [line for line, _ in drawn]
    lines += [label for _, label in drawn if label]
    on_paths = {name for edge in marked for name in (edge.source, edge.target)}
    lines += [line for node in graph.nodes for line in _node(node, points[node.name], node.name in on_paths, colours)]
    return "\n".join([*lines, "</svg>"]) + "\n"


def _dark_style() -> str:
    rules = [f'[{name}="{PRINTED[part]}"] {{ {name}: {dark} }}' for part, dark in _DARK.items() for name in _PAINTED]
    return f"<style>@media (prefers-color-scheme: dark) {{ {' '.join(rules)} }}</style>"


def _points(graph: Graph, top: float) -> dict[tuple[Edge, int] | str, Point]:
    """The centre of each node, and of each edge in the columns that it passes, by (edge, column)."""
    depth: dict[str, int] = {}
    for name in graph.order:
        depth[name] = max((depth[edge.source] + 1 for edge in graph.into(name)), default=0)
    last = max(depth.values())
    depth |= dict.fromkeys(graph.outputs, last)
    columns: list[list[Slot]] = [[name for name in graph.order if depth[name] == column] for column in range(last + 1)]
    seen = set()
    for edge in graph.edges:
        ends = edge.source, edge.target
        first, after = depth[edge.source] + 1, depth[edge.target]
        for column in range(first, after):
            columns[column].append(edge)
        if first == after and ends in seen:
            columns[after - 1].append(edge)  # a second edge between two nodes bends through a place of its own
        seen.add(ends)
    tallest = max(map(len, columns))
    points: dict[tuple[Edge, int] | str, Point] = {}
    for column, slots in enumerate(columns):
        heights = {slot: _height(slot, graph, points, column) for slot in slots}
        lowest = (tallest - len(slots)) / 2
        for row, slot in enumerate(sorted(slots, key=heights.__getitem__)):
            key = slot if isinstance(slot, str) else (slot, column)
            points[key] = _MARGIN + column * _COLUMN, _MARGIN + top + (lowest + row) * _ROW
    return points


def _height(slot: Slot, graph: Graph, points: dict, column: int) -> float:
    """The mean height of the predecessors of a place: neighbours then lie side by side, and few edges cross."""
    if not isinstance(slot, str):
        before = points.get((slot, column - 1)) or points.get(slot.source)
        return before[1] if before else 0.0
    found = []
    for edge in graph.into(slot):
        before = points.get((edge, column - 1)) or points.get(edge.source)
        found += [before[1]] if before else []
    return sum(found) / len(found) if found else 0.0


def _course(edge: Edge, points: dict) -> list[Point]:
    """The points that an edge runs through, from the rim of its source to the rim of its target."""
    (x1, y1), (x2, y2) = points[edge.source], points[edge.target]
    passed = sorted(point for key, point in points.items() if isinstance(key, tuple) and key[0] is edge)
    passed = [(x + (_COLUMN / 2) * (x == x1), y) for x, y in passed]
    return [(x1 + _RADIUS, y1), *passed, (x2 - _RADIUS - _HEAD, y2)]


def _edge(edge: Edge, course: list[Point], marked: bool, chosen: bool, colours: Mapping[str, str]) -> tuple[str, str]:
    """The line of an edge with its arrow, and its label."""
    colour, width = (colours["marked"], 2.6 if chosen else 1.8) if marked else (colours["plain"], 1.4)
    dash = ' stroke-dasharray="5 4"' if edge.weight is None else ""
    d = f"M{course[0][0]:g},{course[0][1]:g}"
    for (x1, y1), (x2, y2) in pairwise(course):
        middle = (x1 + x2) / 2
        d += f" C{middle:g},{y1:g} {middle:g},{y2:g} {x2:g},{y2:g}"
    x, y = course[-1]
    head = f"M{x + _HEAD:g},{y:g} L{x:g},{y - 4.5:g} L{x:g},{y + 4.5:g} Z"
    line = (
        f'<path d="{d}" fill="none" stroke="{colour}" stroke-width="{width}"{dash}/><path d="{head}" fill="{colour}"/>'
    )
    said = " ".join([edge.weight or "", *["· g"] * (edge.gate is not None)]).strip()
    if not said:
        return line, ""
    if len(course) > 2:
        at_x, at_y = course[1]
    else:
        at_x, at_y = (course[0][0] + x) / 2, (course[0][1] + y) / 2
    half = 3.6 * len(said) + 3
    rim = (
        f'<rect x="{at_x - half:g}" y="{at_y - 10:g}" width="{2 * half:g}" height="20" rx="4" '
        f'fill="{colours["ground"]}"/>'
    )
    return line, rim + _text(at_x, at_y + 4, said, colours["marked" if marked else "ink"])


def _node(node: Node, place: Point, marked: bool, colours: Mapping[str, str]) -> list[str]:
    x, y = place
    colour = colours["marked" if marked else "ink"]
    lines = [
        f'<circle cx="{x:g}" cy="{y:g}" r="{_RADIUS}" fill="{colours["pale"]}" stroke="{colour}" stroke-width="1.6"/>',
        _text(x, y - 1, node.name, colours["ink"]),
        _text(x, y + 14, str(node.dimension), colours["plain"]),
    ]
    if node.gates:
        lines.append(f'<circle cx="{x + 22:g}" cy="{y - 22:g}" r="10" fill="{colours["gate"]}"/>')
        lines.append(_text(x + 22, y - 18, "g", colours["ground"]))
    return lines


def _text(x: float, y: float, said: str, colour: str, anchor: str = "middle") -> str:
    return f'<text x="{x:g}" y="{y:g}" fill="{colour}" text-anchor="{anchor}">{escape(said)}</text>'
