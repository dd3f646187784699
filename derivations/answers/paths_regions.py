"""The answer of `gdln paths --regions`: the plane divided by the gates of a deep network, and regions of its paths."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from derivations.answers.exact_numbers import exact_text
from derivations.answers.paths import gates_in_words, number_text, numbers_in
from derivations.output import counted
from theory.paths.regions import Counts, Division, PathRegion, declared_gates, division, third_input
from theory.problem import DeepNetwork, FiniteData, InputError, Problem
from theory.problem.numbers import shown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_EXAMINED = 256  # active paths whose regions are examined one by one
_ROWS = 12  # paths and faces in the text
_MARGIN = Fraction(5, 4)  # of the picture around the examples


@dataclass(frozen=True)
class RegionsAnswer:
    """The division of the plane by the gates of a deep network.

    `regions` are those of the active paths, in the order of the paths, or None for more than MOST_EXAMINED active ones.
    `point` is the input that the picture marks, and `constant` the third input, None where there are two.
    """

    declared: DeepNetwork
    division: Division
    counts: Counts
    regions: tuple[PathRegion, ...] | None
    point: tuple[Fraction, Fraction]
    constant: Fraction | None = None

    def json(self) -> dict[str, Any]:
        """The object that `gdln paths --regions --json` prints; exact numbers are fractions in strings.

        The half-edges 2 k and 2 k + 1 are a pair of opposite directions; the face 0 is the outside of the square.
        """
        parts, counts = self.division.subdivision, self.counts
        return {
            "depth": self.declared.depth,
            "nodes": list(self.division.gates.widths),
            "gating": self.declared.gating.kind,
            "third_input": None if self.constant is None else exact_text(self.constant),
            "bit_patterns": str(counts.bits),
            "activation_regions": counts.patterns,
            "patterns_on_lines_alone": counts.thin,
            "paths": str(counts.paths),
            "active_paths": counts.active,
            "most_activation_regions_of_a_path": counts.most,
            "path_regions": None if self.regions is None else list(map(_region_json, self.regions)),
            "components": None if self.regions is None else sum(len(one.components) for one in self.regions),
            "half_edges": {
                "vertices": [list(map(exact_text, point)) for point in parts.vertices],
                "origin": list(parts.origins),
                "next": list(parts.following),
                "face": list(parts.sides),
            },
            "faces": [
                {"face": face, "gates": [list(map(int, level)) for level in pattern]}
                for face, pattern in enumerate(self.division.patterns, start=1)
            ],
        }

    def text(self) -> str:
        """The network and its numbers of regions, then the regions of paths and the faces, for a reader."""
        parts, counts = self.division.subdivision, self.counts
        levels = ", ".join(map(str, self.division.gates.widths))
        x = "(x1, x2)" if self.constant is None else f"(x1, x2, {number_text(self.constant)})"
        side = number_text(-parts.vertices[0][0])
        lines = [
            f"{'network':<10}{self.declared.depth} layers of weights, hidden levels of {levels} nodes, x = {x}",
            f"{'gates':<10}{gates_in_words(self.declared)}",
            f"{'patterns':<10}{counts.bits} bit patterns: {counts.patterns} of activation regions, "
            f"{counts.thin} more on lines or points alone",
            f"{'paths':<10}{counts.paths} through the hidden levels, {counts.active} of them active somewhere",
            f"{'':<10}the region of a path consists of at most {counted(counts.most, 'activation region')}",
            *self._connected(),
            f"{'plane':<10}cut out by |x1|, |x2| <= {side}, with every vertex inside: {len(parts.vertices)} vertices, "
            f"{parts.edges} edges, {parts.faces} faces",
            "",
            *self._paths(),
            *self._faces(),
        ]
        return "\n".join(lines)

    def _connected(self) -> Iterator[str]:
        if self.regions is None:
            return
        pieces, apart = sum(len(one.components) for one in self.regions), sum(not one.convex for one in self.regions)
        yield (
            f"{'':<10}{counted(len(self.regions), 'region')} of active paths, with "
            f"{counted(pieces, 'connected component')} in all; not convex: {apart}"
        )

    def _paths(self) -> Iterator[str]:
        if self.regions is None:
            yield f"regions of single paths are examined for up to {MOST_EXAMINED} active paths"
            yield ""
            return
        if not self.regions:
            return
        yield f"{'path':<14}{'activation regions':<20}{'components':<12}{'convex':<8}lines"
        for one in self.regions[:_ROWS]:
            convex = "yes" if one.convex else "no"
            yield f"{_named(one):<14}{one.patterns:<20}{len(one.components):<12}{convex:<8}{one.lines}"
        if len(self.regions) > _ROWS:
            yield f"... {len(self.regions)} active paths, all of them with --json"
        yield ""

    def _faces(self) -> Iterator[str]:
        wide = max(len("open gates"), *(len(_gates_text(pattern)) for pattern in self.division.patterns[:_ROWS]))
        yield f"{'face':<6}{'open gates':<{wide + 2}}corners"
        for face, pattern in enumerate(self.division.patterns[:_ROWS], start=1):
            corners = " ".join(
                f"({number_text(x)}, {number_text(y)})" for x, y in self.division.subdivision.corners(face)
            )
            yield f"{face:<6}{_gates_text(pattern):<{wide + 2}}{corners}"
        if len(self.division.patterns) > _ROWS:
            yield f"... {len(self.division.patterns)} faces, all of them with --json"

    def figure(self) -> "Figure":
        """Active paths in each region, the region of the path with the most of them, and the overlap with an input."""
        from derivations.publish.region_figure import figure_of, panels_of

        # Without biases all lines pass through the origin, so that every square around it shows the whole plane.
        corners = [part for point in self._crossings() for part in point]
        half = max(Fraction(1), *(_MARGIN * abs(part) for part in (*self.point, *corners)))
        regions = self.division.of_paths()
        largest = max(sorted(regions), key=regions.__getitem__, default=(0,) * len(self.division.gates.widths))
        return figure_of(panels_of(self.division.gates, ((-half, half),) * 2, largest, self.point))

    def _crossings(self) -> Iterator[tuple[Fraction, Fraction]]:
        """Yield the vertices inside of the square that cuts out the plane."""
        vertices = self.division.subdivision.vertices
        side = max(abs(part) for point in vertices for part in point)
        yield from (point for point in vertices if max(map(abs, point)) < side)


def answer(problem: Problem, number: int = 0) -> RegionsAnswer:
    """Return the regions of the plane on which the paths of a problem's deep network are active, exactly.

    `number` is the example that the picture marks; data without a list of examples have the point (1, 1) instead.
    Raises InputError for a number that no example has, and OutOfReachError as `theory.paths.regions` does.

    >>> from theory.problem import HardResponse, InitialByName, OwnGates, Training
    >>> weights = InitialByName((("Theta_1", [[1, 0], [0, 1]]), ("Theta_2", [[1, 1]]), ("Theta_3", [[1]])))
    >>> network = DeepNetwork((2, 1), OwnGates(HardResponse("closed")))
    >>> found = answer(Problem(FiniteData([[1, 2]], [0]), network, Training("mse", 1, weights, (1,))))
    >>> found.counts.patterns, [(one.path, len(one.components)) for one in found.regions]
    (4, [((0, 0), 1), ((1, 0), 1)])
    """
    examples = problem.data.x if isinstance(problem.data, FiniteData) else ()
    gates = declared_gates(problem)
    if examples and not 0 <= number < len(examples):
        raise InputError(
            f"--inputs {number}: the data have {len(examples)} examples.", "Examples count from 0.", "inputs"
        )
    point = (examples[number][0], examples[number][1]) if examples else (Fraction(1), Fraction(1))
    divided = division(gates)
    counts = divided.counts
    few = counts.active <= MOST_EXAMINED
    regions = tuple(divided.region(path) for path in sorted(divided.of_paths())) if few else None
    return RegionsAnswer(problem.deep, divided, counts, regions, point, third_input(problem))


def marked(inputs: str | None, in_torch: bool) -> int:
    """Return the number of the input that the picture marks, from the options `--inputs` and `--torch`.

    Raises InputError for several inputs, and for `--torch`, which evaluates inputs.

    >>> marked(None, in_torch=False), marked("2", in_torch=False)
    (0, 2)
    """
    if in_torch:
        raise InputError(
            "--torch evaluates the network on its examples, and --regions divides the plane.",
            "Leave out one of them.",
            "torch",
        )
    numbers = (0,) if inputs is None else numbers_in(inputs)
    if len(numbers) != 1:
        raise InputError(
            f"--inputs {shown(inputs)} names {len(numbers)} inputs; the picture of regions marks one.",
            "Write --inputs 0.",
            "inputs",
        )
    return numbers[0]


def _named(region: PathRegion) -> str:
    return "-".join(map(str, region.path))


def _region_json(region: PathRegion) -> dict[str, Any]:
    return {
        "path": list(region.path),
        "faces": list(region.faces),
        "components": [list(component) for component in region.components],
        "convex": region.convex,
        "lines": region.lines,
    }


def _gates_text(pattern: tuple[tuple[bool, ...], ...]) -> str:
    return " | ".join(" ".join(str(int(gate)) for gate in level) for level in pattern)
