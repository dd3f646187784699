"""The plane divided by the gates of a network: activation regions, and the regions on which paths are active.

The gates of a layer are affine on each face of the layers before, so that the line on which a pre-activation vanishes
there cuts the face in two (half-space paper, section 3.1). Everything is exact; lines that are parallel, coincide, or
meet in a point or a corner need no perturbation. Where a pre-activation vanishes on a whole face, its gate is closed.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import prod

from theory.paths.regions.gating import (
    Form,
    Gates,
    Path,
    Pattern,
    Point,
    combined,
    inputs,
    is_active,
    passed_on,
    pattern_at,
    reach,
    value,
)
from theory.paths.regions.planar import OUTSIDE, Cuts, Subdivision, area
from theory.problem.errors import InputError, OutOfReachError
from theory.problem.numbers import exact, shown

MOST_PAIRS = 2_000_000  # of an activation region and a path that is active there
Box = tuple[tuple[Fraction, Fraction], tuple[Fraction, Fraction]]


@dataclass(frozen=True)
class PathRegion:
    """The region A_pi on which a path is active: its faces, their activation patterns, and its connected components.

    It is open, because gates are strict. Two of its faces are connected where they share an edge on which the path is
    active as well. `lines` is the number of different lines on its boundary, those of the rectangle not counted.

    >>> from theory.paths.regions import LinearGates
    >>> quadrants = division(LinearGates([[[1, 0], [0, 1]], [[1, 1]]]))
    >>> region = quadrants.region((0, 0))  # x > 0 and x + y > 0
    >>> region.patterns, len(region.components), region.convex, region.lines
    (2, 1, True, 2)
    """

    path: Path
    faces: tuple[int, ...]
    patterns: int
    components: tuple[tuple[int, ...], ...]
    convex: bool
    lines: int


@dataclass(frozen=True)
class Counts:
    """The exact numbers of a division.

    `bits` bit patterns are possible, `patterns` of them occur on a region with an interior, `thin` others occur on
    lines or points alone. Of all `paths`, `active` ones are active somewhere. `most` is the largest number of
    activation regions that one path's region consists of.

    >>> from theory.paths.regions import LinearGates
    >>> division(LinearGates([[[1, 0], [0, 1]], [[1, 1]]])).counts
    Counts(faces=6, bits=8, patterns=6, thin=0, paths=2, active=2, most=2)
    """

    faces: int
    bits: int
    patterns: int
    thin: int
    paths: int
    active: int
    most: int


@dataclass(frozen=True)
class Division:
    """The plane, or a rectangle of it, divided by the gates; `patterns[f - 1]` are the open gates on the face f.

    With `box` None the rectangle of `subdivision` has every vertex inside, so that its faces are those of the plane.

    >>> from theory.paths.regions import LinearGates
    >>> division(LinearGates([[[1, 0], [0, 1]]])).subdivision.faces  # four quadrants
    4
    """

    gates: Gates
    box: Box | None
    subdivision: Subdivision
    patterns: tuple[Pattern, ...]

    @cached_property
    def counts(self) -> Counts:
        """The exact numbers of regions. Raises OutOfReachError as `of_paths` does."""
        by_path = self.of_paths()
        on_faces = set(self.patterns)
        return Counts(
            faces=self.subdivision.faces,
            bits=2 ** sum(self.gates.widths),
            patterns=len(on_faces),
            thin=len(set(self._on_edges_and_vertices()) - on_faces),
            paths=self.gates.paths,
            active=len(by_path),
            most=max(by_path.values(), default=0),
        )

    def of_paths(self) -> Counter[Path]:
        """Return, for each path that is active somewhere, of how many activation regions its region consists.

        Raises OutOfReachError for more than 2,000,000 pairs of an activation region and a path that is active there.
        """
        pairs = sum(prod(map(sum, pattern)) for pattern in set(self.patterns))
        if pairs > MOST_PAIRS:
            raise OutOfReachError(
                f"There are {pairs} pairs of an activation region and a path that is active there; they are counted "
                f"one by one up to {MOST_PAIRS}.",
                "Use fewer units or layers, or ask for one path.",
            )
        counted: Counter[Path] = Counter()
        for pattern in set(self.patterns):
            counted.update(product(*([i for i, gate in enumerate(layer) if gate] for layer in pattern)))
        return counted

    def region(self, path: Path) -> PathRegion:
        """Return the region of a path. Raises InputError for a path that the network does not have."""
        path = self.gates.checked(path)
        faces = tuple(f for f, pattern in enumerate(self.patterns, start=1) if is_active(pattern, path))
        face_set = set(faces)
        walls = [
            half for f in faces for half in self.subdivision.around(f) if not self._open_across(half, face_set, path)
        ]
        return PathRegion(
            path,
            faces,
            len({self.patterns[f - 1] for f in faces}),
            self._components(face_set, path),
            self._is_convex(faces, face_set, walls),
            len({_line(*self.subdivision.ends(half)) for half in walls if self._other(half) != OUTSIDE}),
        )

    def size(self, faces: tuple[int, ...]) -> Fraction:
        """Return the area of these faces together. Raises InputError for a division of the whole plane."""
        if self.box is None:
            raise InputError("Regions of the whole plane have no finite area.", "Divide a box.")
        return sum((self.subdivision.area(face) for face in faces), Fraction(0))

    def _other(self, half: int) -> int:
        return self.subdivision.sides[half ^ 1]

    def _open_across(self, half: int, face_set: set[int], path: Path) -> bool:
        """Return whether the path is active beyond a half-edge of one of its faces, and on the edge itself."""
        return self._other(half) in face_set and is_active(self._on_edges[half // 2], path)

    @cached_property
    def _on_edges(self) -> dict[int, Pattern]:
        """The gates that are open in the middle of each edge between two faces; the edge k has the half-edge 2 k."""
        sides = self.subdivision.sides
        inner = (half for half in range(0, len(sides), 2) if OUTSIDE not in sides[half : half + 2])
        return {half // 2: pattern_at(self.gates, self._middle(half)) for half in inner}

    def _middle(self, half: int) -> Point:
        (x, y), (u, v) = self.subdivision.ends(half)
        return (x + u) / 2, (y + v) / 2

    def _components(self, face_set: set[int], path: Path) -> tuple[tuple[int, ...], ...]:
        left, components = set(face_set), []
        while left:
            reached = [left.pop()]
            for face in reached:
                for half in self.subdivision.around(face):
                    if self._other(half) in left and self._open_across(half, face_set, path):
                        left.remove(self._other(half))
                        reached.append(self._other(half))
            components.append(tuple(sorted(reached)))
        return tuple(sorted(components))

    def _is_convex(self, faces: tuple[int, ...], face_set: set[int], walls: list[int]) -> bool:
        """Return whether the faces fill the convex hull of their corners, and no wall separates two of them."""
        corners = {corner for face in faces for corner in self.subdivision.corners(face)}
        whole = sum((self.subdivision.area(face) for face in faces), Fraction(0))
        return area(_hull(corners)) == whole and all(self._other(half) not in face_set for half in walls)

    def _on_edges_and_vertices(self) -> Iterator[Pattern]:
        """Yield the patterns on edges and vertices, those on the boundary of the plane's rectangle left out."""
        on_rim = {self.subdivision.origins[h] for h, side in enumerate(self.subdivision.sides) if side == OUTSIDE}
        yield from self._on_edges.values()
        for vertex, point in enumerate(self.subdivision.vertices):
            if vertex not in on_rim:
                yield pattern_at(self.gates, point)


def division(gates: Gates, box: Box | None = None) -> Division:
    """Divide the plane, or the rectangle `box` = ((left, right), (low, high)), by the gates of a network.

    Raises InputError for a rectangle without an interior, OutOfReachError beyond 20,000 faces.

    >>> from theory.paths.regions import ReluGates
    >>> kink = ReluGates([[[1, 0], [0, 1]], [[1, -1]]])
    >>> division(kink, ((-1, 1), (-1, 1))).counts.patterns  # the last unit bends where x = y > 0
    5
    """
    limits = _checked(box) if box is not None else ((-reach(gates), reach(gates)),) * 2
    cuts = Cuts(*limits[0], *limits[1])
    forms: dict[int, tuple[Form, ...]] = {1: inputs()}
    patterns: dict[int, Pattern] = {1: ()}
    for weights, biases in zip(gates.weights, gates.biases, strict=True):
        for row, bias in zip(weights, biases, strict=True):
            for face in list(forms):
                new = cuts.cut(face, combined(row, bias, forms[face]))
                if new is not None:
                    forms[new], patterns[new] = forms[face], patterns[face]
        now = cuts.subdivision()
        for face, before in list(forms.items()):
            inside = now.inner_point(face)
            drives = [combined(row, bias, before) for row, bias in zip(weights, biases, strict=True)]
            opened = tuple(value(form, inside) > 0 for form in drives)
            forms[face] = tuple(passed_on(gates, form, gate) for form, gate in zip(drives, opened, strict=True))
            patterns[face] = (*patterns[face], opened)
    subdivision = cuts.subdivision()
    return Division(
        gates,
        limits if box is not None else None,
        subdivision,
        tuple(patterns[f + 1] for f in range(subdivision.faces)),
    )


def _checked(box: Box) -> Box:
    try:
        (left, right), (low, high) = box
    except (TypeError, ValueError):
        raise InputError(f"box = {shown(box)} is no rectangle.", "Give ((left, right), (low, high)).") from None
    sides = tuple(tuple(exact(end, "an end of the box") for end in pair) for pair in ((left, right), (low, high)))
    if any(start >= end for start, end in sides):
        raise InputError(f"box = {shown(box)} has no interior.", "Let each pair of ends ascend.")
    return sides


def _line(start: Point, end: Point) -> Form:
    """Return the line through two points with its first nonzero coefficient 1."""
    a, b = start[1] - end[1], end[0] - start[0]
    scale = a or b
    return a / scale, b / scale, -(a * start[0] + b * start[1]) / scale


def _hull(points: set[Point]) -> tuple[Point, ...]:
    """Return the corners of the convex hull, counterclockwise (Andrew's chains)."""
    chains = []
    for ordered in (sorted(points), sorted(points, reverse=True)):
        chain: list[Point] = []
        for point in ordered:
            while len(chain) > 1 and area((chain[-2], chain[-1], point)) <= 0:
                chain.pop()
            chain.append(point)
        chains += chain[:-1]
    return tuple(chains)
