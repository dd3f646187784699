"""Figures of the plane divided by gates: active paths, the region of a path, and the overlap with an input."""

from collections.abc import Callable
from fractions import Fraction
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from derivations.experiments.model import Data
from derivations.publish.region_table import example
from theory.paths.regions import Division, LinearGates, ReluGates, division, pattern_at

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Gates = LinearGates | ReluGates
Box = tuple[tuple[Fraction, Fraction], tuple[Fraction, Fraction]]
_SMALLEST_MARKED = 0.008  # of the area shown: a smaller face has no room for its number
_SIZE = (3, 3)  # units and layers of the network that is drawn
_WIDE: Box = ((Fraction(-2), Fraction(2)),) * 2
_UNIT: Box = ((Fraction(-1), Fraction(1)),) * 2

PATHS_CAPTION = (
    "The deep linearly gated network of the table with three layers, two of them hidden, of three units, with biases. "
    "Left: the number of active paths in each activation region. Middle: the region of the path through the first unit "
    "of each layer, which the lines of the other units cut into activation regions. Right: the overlap of each region "
    "with the input at the dot."
)
RELU_CAPTION = (
    r"Regions of paths through two ReLU layers. Left: two separate strips. Middle and right: the right half of the "
    r"square for $\epsilon > 0$, the first quadrant for $\epsilon < 0$."
)
KINDS_CAPTION = (
    "Activation regions of the same weights: linear gates without biases, linear gates with biases, and a ReLU network "
    "with biases, whose lines bend where they meet a line of the layer before. The number is that of open gates."
)


def panels_of(gates: Gates, box: Box, path: tuple[int, ...], point: tuple[Fraction, Fraction]) -> Data:
    """Return three panels: active paths of each region, the region of one path, and the overlap with the input `point`.

    >>> made = panels_of(LinearGates([[[1, 0], [0, 1]]]), ((-1, 1), (-1, 1)), (0,), ("1/2", "1/2"))
    >>> [sorted(panel["value"]) for panel in made.values()]  # four quadrants, with 0, 1, 1, 2 open gates
    [[0, 1, 1, 2], [0, 0, 1, 1], [0, 1, 1, 2]]
    """
    made = division(gates, box)
    region, at = set(made.region(path).faces), pattern_at(gates, point)
    own = made.patterns
    return {
        "active paths": panel(made, lambda face: prod(map(sum, own[face - 1]))),
        f"the region of one path, {made.region(path).patterns} activation regions": panel(
            made, lambda face: int(face in region)
        ),
        "overlap with one input": panel(made, lambda face: _overlap(at, own[face - 1]))
        | {"dot": [float(Fraction(part)) for part in point]},
    }


def _overlap(one: Any, other: Any) -> int:
    """Return the number of paths that two patterns both open: the product over layers of the gates open in both."""
    return prod(sum(a and b for a, b in zip(*layers, strict=True)) for layers in zip(one, other, strict=True))


def panel(made: Division, value: Callable[[int], int]) -> dict[str, Any]:
    """Return the polygons of a division, x and y of their corners in turn, and a number for each face 1, 2, ...

    >>> panel(division(LinearGates([[[1, 0]]]), ((-1, 1), (0, 1))), lambda face: face)["value"]
    [1, 2]
    """
    parts = made.subdivision
    faces = range(1, parts.faces + 1)
    corners = [[float(part) for corner in parts.corners(face) for part in corner] for face in faces]
    return {"corners": corners, "value": [value(face) for face in faces]}


def paths_data() -> Data:
    """Return the panels of the network with linear gates and biases."""
    return panels_of(example(LinearGates, *_SIZE, biased=True), _WIDE, (0, 0), (Fraction(1), Fraction(-1, 2)))


def relu_data() -> Data:
    """Return the panels of the disconnected region and of the one that jumps."""
    saw = ReluGates([[[1, 0]] * 4, [[2, -4, 4, -4]]], [[0, -1, -2, -3], [-1]])
    found = {"two intervals": (saw, ((Fraction(-1), Fraction(5)), (Fraction(0), Fraction(6))))}
    for title, weight in ((r"$\epsilon = 1/10$", Fraction(1, 10)), (r"$\epsilon = -1/10$", Fraction(-1, 10))):
        found[title] = ReluGates([[[1, 0], [0, 1], [0, -1]], [[0, 1, weight]]]), _UNIT
    return {title: _region(division(gates, box)) for title, (gates, box) in found.items()}


def _region(made: Division) -> dict[str, Any]:
    faces = set(made.region((0, 0)).faces)
    return panel(made, lambda face: int(face in faces))


def kinds_data() -> Data:
    """Return the panels of linear gates without and with biases, and of a ReLU network, with the same weights."""
    found: Data = {}
    for (title, kind), biased in zip(_KINDS, (False, True, True), strict=True):
        made = division(example(kind, *_SIZE, biased=biased), _WIDE)
        found[title] = panel(made, lambda face, own=made.patterns: sum(map(sum, own[face - 1])))
    return found


FIGURES = {
    "path-regions": (PATHS_CAPTION, paths_data),
    "path-regions-of-relu": (RELU_CAPTION, relu_data),
    "activation-regions": (KINDS_CAPTION, kinds_data),
}
_KINDS = (("linear gates, no biases", LinearGates), ("linear gates", LinearGates), ("ReLU", ReluGates))


def figure_of(panels: Data) -> "Figure":
    """Return the figure, one panel beside the other; the colour of a face is its number."""
    from derivations.plots import STYLE, plt

    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(1, len(panels), figsize=(3.2 * len(panels), 3.4), squeeze=False)
        for axis, (title, own) in zip(axes[0], panels.items(), strict=True):
            _panel(axis, own)
            axis.set_title(title, fontsize=8)
    return figure


def draw(panels: Data, path: Path, mark: str) -> None:
    """Write the image of the panels."""
    from derivations import plots

    plots.save(figure_of(panels), path, mark)


def _panel(axis: "Axes", own: dict[str, Any]) -> None:
    from matplotlib.patches import Polygon

    largest = max(*own["value"], 1)
    faces = [list(zip(flat[::2], flat[1::2], strict=True)) for flat in own["corners"]]
    xs, ys = ([corner[k] for face in faces for corner in face] for k in (0, 1))
    whole = (max(xs) - min(xs)) * (max(ys) - min(ys))
    for face, value in zip(faces, own["value"], strict=True):
        share = value / largest
        axis.add_patch(Polygon(face, facecolor=_mixed(share), edgecolor="#444444", lw=0.6))
        size, (x, y) = _size_and_middle(face)
        if largest > 1 and size > _SMALLEST_MARKED * whole:
            # On a dark page black and white change places, and the light blue of a face stays.
            ink = "white" if share > 0.6 else "#111111" if share else "black"
            axis.text(x, y, str(value), ha="center", va="center", fontsize=6, color=ink)
    if "dot" in own:
        axis.plot(*own["dot"], "o", color="#D55E00", ms=5, mec="white")
    axis.set(xlim=(min(xs), max(xs)), ylim=(min(ys), max(ys)), xlabel="$x_1$", ylabel="$x_2$", aspect="equal")


def _mixed(share: float) -> tuple[float, ...]:
    """Return a colour between white and blue."""
    return tuple(1 - share * (1 - part) for part in (0.0, 0.447, 0.698))


def _size_and_middle(face: list[tuple[float, float]]) -> tuple[float, tuple[float, float]]:
    """Return the area and the centre of mass of a polygon."""
    pairs = list(zip(face, [*face[1:], face[0]], strict=True))
    turns = [x * v - y * u for (x, y), (u, v) in pairs]
    size = sum(turns) / 2
    x, y = (sum(t * (a[k] + b[k]) for t, (a, b) in zip(turns, pairs, strict=True)) / (6 * size) for k in (0, 1))
    return size, (x, y)
