"""A division of a rectangle into convex polygons by straight cuts, with half-edges and fractions.

Every edge is a pair of half-edges of opposite directions; a half-edge knows its origin, the next one around its face,
and the face on its left. The half-edges 2 k and 2 k + 1 are a pair. The face 0 is the outside of the rectangle.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from theory.paths.regions.gating import Form, Point, value
from theory.problem.errors import OutOfReachError

OUTSIDE = 0
MOST_FACES = 20_000


@dataclass(frozen=True)
class Subdivision:
    """Vertices, and for each half-edge its origin, the next half-edge and its face; `starts` has one for each face.

    >>> square = Cuts(Fraction(0), Fraction(1), Fraction(0), Fraction(1)).subdivision()
    >>> len(square.vertices), square.edges, square.faces
    (4, 4, 1)
    """

    vertices: tuple[Point, ...]
    origins: tuple[int, ...]
    following: tuple[int, ...]
    sides: tuple[int, ...]
    starts: tuple[int, ...]

    @property
    def edges(self) -> int:
        """The number of edges, those of the rectangle included."""
        return len(self.origins) // 2

    @property
    def faces(self) -> int:
        """The number of faces inside of the rectangle; they are numbered from 1."""
        return len(self.starts) - 1

    def around(self, face: int) -> Iterator[int]:
        """Yield the half-edges of a face in their order."""
        first = now = self.starts[face]
        while True:
            yield now
            now = self.following[now]
            if now == first:
                return

    def corners(self, face: int) -> tuple[Point, ...]:
        """Return the vertices of a face, counterclockwise; some may lie in the middle of a straight side."""
        return tuple(self.vertices[self.origins[half]] for half in self.around(face))

    def area(self, face: int) -> Fraction:
        """Return the area of a face."""
        return area(self.corners(face))

    def inner_point(self, face: int) -> Point:
        """Return a point in the interior of a face, the mean of its vertices."""
        corners = self.corners(face)
        return sum(x for x, _ in corners) / len(corners), sum(y for _, y in corners) / len(corners)

    def ends(self, half: int) -> tuple[Point, Point]:
        """Return both ends of a half-edge."""
        return self.vertices[self.origins[half]], self.vertices[self.origins[half ^ 1]]


def area(corners: tuple[Point, ...]) -> Fraction:
    """Return the area of a polygon with these corners in counterclockwise order.

    >>> area(((0, 0), (2, 0), (0, 1)))
    Fraction(1, 1)
    """
    turned = (*corners[1:], *corners[:1])
    return Fraction(sum(x * v - y * u for (x, y), (u, v) in zip(corners, turned, strict=True))) / 2


class Cuts:
    """A rectangle that is cut, one face at a time.

    >>> cuts = Cuts(Fraction(0), Fraction(1), Fraction(0), Fraction(1))
    >>> cuts.cut(1, (1, -1, 0)), cuts.cut(1, (1, -1, 5))  # the diagonal, through two corners; a line that misses
    (2, None)
    """

    def __init__(self, left: Fraction, right: Fraction, low: Fraction, high: Fraction) -> None:
        self.vertices = [(left, low), (right, low), (right, high), (left, high)]
        self.origins = [0, 1, 1, 2, 2, 3, 3, 0]
        self.following = [2, 7, 4, 1, 6, 3, 0, 5]
        self.before = [6, 3, 0, 5, 2, 7, 4, 1]
        self.sides = [1, OUTSIDE] * 4
        self.starts = [1, 0]

    def subdivision(self) -> Subdivision:
        """Return the division as it is now."""
        parts = (self.vertices, self.origins, self.following, self.sides, self.starts)
        return Subdivision(*map(tuple, parts))

    def cut(self, face: int, form: Form) -> int | None:
        """Cut a face along the line on which `form` vanishes; return the new face, or None where the line misses it.

        Raises OutOfReachError beyond 20,000 faces.
        """
        cycle = list(self._around(face))
        values = [value(form, self.vertices[self.origins[half]]) for half in cycle]
        if not (min(values) < 0 < max(values)):
            return None
        if len(self.starts) > MOST_FACES:
            raise OutOfReachError(
                f"The plane is divided into more than {MOST_FACES} faces.", "Use fewer units, or a smaller rectangle."
            )
        one, other = self._on_the_line(cycle, values)
        new = len(self.starts)
        forward, back = self._pair(self.origins[other], self.origins[one])
        first, last = self.before[other], self.before[one]
        self._link(first, forward), self._link(forward, one)
        self._link(last, back), self._link(back, other)
        self.sides[forward] = face
        self.starts[face] = forward
        self.starts.append(back)
        for half in self._around(new):
            self.sides[half] = new
        return new

    def _around(self, face: int) -> Iterator[int]:
        first = now = self.starts[face]
        while True:
            yield now
            now = self.following[now]
            if now == first:
                return

    def _on_the_line(self, cycle: list[int], values: list[Fraction]) -> tuple[int, int]:
        """Return the two half-edges of the face whose origins are on the line, made where they do not exist."""
        met = []
        for half, start, end in zip(cycle, values, (*values[1:], values[0]), strict=True):
            if start == 0:
                met.append(half)
            elif start * end < 0:
                met.append(self._divide(half, start / (start - end)))
        one, other = met
        return one, other

    def _divide(self, half: int, share: Fraction) -> int:
        """Put a vertex on an edge, `share` of its length from the origin; return the half-edge that begins there."""
        start, end = self.vertices[self.origins[half]], self.vertices[self.origins[half ^ 1]]
        self.vertices.append((start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1])))
        vertex, twin = len(self.vertices) - 1, half ^ 1
        onward, back = self._pair(vertex, self.origins[twin])
        self.sides[onward], self.sides[back] = self.sides[half], self.sides[twin]
        self._link(onward, self.following[half]), self._link(half, onward)
        self._link(self.before[twin], back), self._link(back, twin)
        self.origins[twin] = vertex
        return onward

    def _pair(self, start: int, end: int) -> tuple[int, int]:
        number = len(self.origins)
        self.origins += [start, end]
        for column in (self.following, self.before, self.sides):
            column += [-1, -1]
        return number, number + 1

    def _link(self, half: int, then: int) -> None:
        self.following[half] = then
        self.before[then] = half
