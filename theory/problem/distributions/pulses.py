"""Several pulses on a line or a ring: their definition."""

from dataclasses import dataclass, field
from fractions import Fraction
from math import exp, pi, sin
from typing import ClassVar

from theory.problem.distributions.base import Label, Law, Mean, number_of_sites, set_field, whole_range
from theory.problem.errors import InputError
from theory.problem.numbers import exact, one_of, shown

PULSE_BOUNDARIES = ("open", "ring")
FORMS = ("block", "raised-cosine", "gaussian")
OVERLAPS = ("sum", "max")
MOST_PULSES = 100
MOST_HEIGHTS = 100
_GRID = 2**20


@dataclass(frozen=True)
class Pulses(Law):
    """x is the sum, or the largest, of N pulses on n sites; all pulses of an example are drawn independently.

    In class c the number N is uniform on the integers of counts[c] = [a, b], and the width W of each pulse on those of
    widths[c]. Its start is uniform: on all sites of a ring, or on the n - W + 1 sites of an open line from which it
    fits. Its height H is uniform on `heights`. A pulse is H times its form at the sites start, ..., start + W - 1, and
    0 elsewhere. With j = 0, ..., W - 1 the form is 1 for "block", sin^2(pi (j + 1)/(W + 1)) for "raised-cosine" and
    exp(-(j - (W - 1)/2)^2/(2 s^2)), s = W/6, for "gaussian", rounded to multiples of 2^-20, so that inputs are
    exact fractions. Where pulses overlap, "sum" adds them and "max" takes the largest: of blocks of height 1 it is the
    union.

    Raises InputError for sites, widths or counts out of range, no heights, negative heights with "max", unknown words.

    >>> law = Pulses(6, "open", "raised-cosine", [[1, 3], [5, 5]], [[1, 2], [1, 1]], [1], "sum", [1, 0])
    >>> [str(value) for value in law.profile(3)]
    ['1/2', '1', '1/2']
    """

    n: int
    boundary: str
    form: str
    widths: tuple[tuple[int, int], ...]
    counts: tuple[tuple[int, int], ...]
    heights: tuple[Fraction, ...]
    overlap: str
    labels: tuple[Label, ...]
    priors: tuple[Fraction, ...] = field(default=(), kw_only=True)
    means: tuple[Mean, ...] = field(default=(), kw_only=True)

    law: ClassVar[str] = "pulses"
    boundaries: ClassVar[tuple[str, ...]] = PULSE_BOUNDARIES

    def __post_init__(self) -> None:
        number_of_sites(self.n)
        one_of(self.boundary, "data.boundary", PULSE_BOUNDARIES)
        one_of(self.form, "data.form", FORMS)
        one_of(self.overlap, "data.overlap", OVERLAPS)
        fits = f"a pulse does not fit {self.n} sites"
        self.each_class(
            "widths",
            lambda ends, at: whole_range(ends, at, self.n, "width", fits),
            "ranges [a, b] of widths",
            "Give one for each class, such as [[3, 4], [9, 10]].",
        )
        self.each_class(
            "counts",
            lambda ends, at: whole_range(ends, at, MOST_PULSES, "number", "its moments would have too many digits"),
            "ranges [a, b] of numbers of pulses",
            "Give one for each class, such as [[1, 1], [2, 3]].",
        )
        set_field(self, "heights", self._heights())
        self.check_classes()

    def _heights(self) -> tuple[Fraction, ...]:
        given = self.heights
        if not isinstance(given, list | tuple) or not 0 < len(given) <= MOST_HEIGHTS:
            raise InputError(
                f"data.heights = {shown(given)} must be 1 to {MOST_HEIGHTS} heights of pulses.",
                "Write heights = [1], or [1, -1] for pulses of both signs.",
            )
        heights = tuple(exact(height, f"data.heights[{index}]") for index, height in enumerate(given))
        if self.overlap == "max" and min(heights) < 0:
            raise InputError(
                f"data.heights has {min(heights)}: the largest of a negative pulse and the 0 around it is 0.",
                'Write overlap = "sum", or heights of at least 0.',
            )
        return heights

    def profile(self, width: int) -> tuple[Fraction, ...]:
        """Return the form of a pulse of height 1 at its `width` sites, in exact numbers."""
        if self.form == "block":
            return (Fraction(1),) * width
        middle, spread = (width - 1) / 2, width / 6
        values = (
            sin(pi * (j + 1) / (width + 1)) ** 2
            if self.form == "raised-cosine"
            else exp(-(((j - middle) / spread) ** 2) / 2)
            for j in range(width)
        )
        return tuple(Fraction(round(value * _GRID), _GRID) for value in values)
