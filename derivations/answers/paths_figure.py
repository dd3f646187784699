"""The figure of `gdln paths`: the network for each of some inputs, with the edges of its active paths."""

from itertools import pairwise
from typing import TYPE_CHECKING

from matplotlib import pyplot as plt
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from derivations.plots import BLUE, GREY, STYLE
from theory.paths.convolution import ConvolutionalNetwork
from theory.problem import OutOfReachError

if TYPE_CHECKING:
    from derivations.answers.paths import InputPaths, PathsAnswer

MOST_NODES = 24  # of a level
_DRAWN, _COLUMNS = 6, 3
_PALE = "#d5d8dc"

Edge = tuple[int, int, int]  # level of the source, source, target


def paths_figure(answer: "PathsAnswer") -> Figure:
    """Draw the network for up to six inputs: open nodes filled, edges on active paths in colour.

    Raises OutOfReachError for a level of more than MOST_NODES nodes.
    """
    widest = max(answer.network.widths)
    if widest > MOST_NODES:
        raise OutOfReachError(
            f"A level has {widest} nodes, and a picture shows levels of at most {MOST_NODES}.",
            "Leave --plot out, or draw a smaller network.",
        )
    drawn = answer.inputs[:_DRAWN]
    columns = min(_COLUMNS, len(drawn))
    rows = -(-len(drawn) // columns)
    with plt.rc_context(STYLE):
        size = (max(2.8, 0.9 * len(answer.network.widths) + 1) * columns, max(2.2, 0.24 * widest + 1) * rows)
        figure, axes = plt.subplots(rows, columns, figsize=size, squeeze=False)
        for axis, one in zip(axes.ravel(), drawn, strict=False):
            _network(axis, answer, one)
        for axis in axes.ravel()[len(drawn) :]:
            axis.remove()
    return figure


def active_edges(answer: "PathsAnswer", one: "InputPaths") -> set[Edge]:
    """Return the edges that lie on an active path of the input: on a path of open nodes from an input to the output."""
    opened = _open(answer, one)
    edges = [edge for edge in _edges(answer) if opened[edge[0]][edge[1]] and opened[edge[0] + 1][edge[2]]]
    last = len(opened) - 1
    ahead, back = {(0, node) for node in range(len(opened[0]))}, {(last, 0)}
    for level, source, target in edges:
        if (level, source) in ahead:
            ahead.add((level + 1, target))
    for level, source, target in reversed(edges):
        if (level + 1, target) in back:
            back.add((level, source))
    return {edge for edge in edges if (edge[0], edge[1]) in ahead and (edge[0] + 1, edge[2]) in back}


def _open(answer: "PathsAnswer", one: "InputPaths") -> list[list[bool]]:
    """Whether each node of each level passes its value on; inputs and the output always do."""
    inputs, output = [True] * answer.network.widths[0], [True]
    return [inputs, *([gate != 0 for gate in level] for level in one.gates), output]


def _edges(answer: "PathsAnswer") -> list[Edge]:
    """All edges, level by level."""
    network, widths = answer.network, (*answer.network.widths, 1)
    shared = isinstance(network, ConvolutionalNetwork)
    edges = []
    for level, (before, after) in enumerate(pairwise(widths)):
        for target in range(after):
            sources = range(before)
            if shared and level < len(network.kernels):
                n, window = network.n, len(network.kernels[level][0][0])
                seen = {(target + shift) % n for shift in range(window)}
                sources = [source for source in sources if source % n in seen]
            edges += [(level, source, target) for source in sources]
    return edges


def _network(axis: plt.Axes, answer: "PathsAnswer", one: "InputPaths") -> None:
    widths = (*answer.network.widths, 1)
    active, opened = active_edges(answer, one), _open(answer, one)

    def place(level: int, node: int) -> tuple[float, float]:
        return level, (widths[level] - 1) / 2 - node

    for chosen, colour, width in ((False, _PALE, 0.6), (True, BLUE, 1.4)):
        lines = [
            (place(level, source), place(level + 1, target))
            for level, source, target in _edges(answer)
            if ((level, source, target) in active) == chosen
        ]
        axis.add_collection(LineCollection(lines, colors=colour, linewidths=width, zorder=1 + chosen))
    for level, nodes in enumerate(opened):
        for node, is_open in enumerate(nodes):
            fill = (BLUE if 0 < level < len(widths) - 1 else "white") if is_open else "white"
            rim = BLUE if is_open else GREY
            axis.plot(*place(level, node), "o", ms=7, mfc=fill, mec=rim, mew=1.0, zorder=3)
    for node, value in enumerate(one.seen):
        x, y = place(0, node)
        axis.text(x - 0.12, y, f"{float(value):.3g}", ha="right", va="center", fontsize=7)
    axis.text(len(widths) - 0.88, 0, f"{float(one.output):.3g}", ha="left", va="center", fontsize=7)
    tall = max(widths) / 2
    axis.set(xlim=(-0.6, len(widths) - 0.4), ylim=(-tall - 0.1, tall + 0.1), yticks=[])
    names = ["x", *(f"$G_{{{level}}}$" for level in range(1, len(widths) - 1)), "y"]
    axis.set_xticks(range(len(widths)), names)
    axis.tick_params(length=0)
    for side in ("left", "bottom"):
        axis.spines[side].set_visible(False)
    axis.set_title(f"input {one.number}: {one.active} of {answer.network.number_of_paths} paths active", fontsize=8)
