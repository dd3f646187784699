"""Bars through gates, in exact integers: the rows and the columns that a rectangle covers are independent blocks.

u at row r and column s is the product of two lit sites of lines, so that E prod u over a set of sites is that over its
rows times that over its columns. All else is as for single pulses.
"""

from fractions import Fraction
from itertools import product

import numpy as np
from jaxtyping import Bool, Shaped

from theory.moments import blocks
from theory.moments.arithmetic import Arithmetic
from theory.moments.exact_features import ExactFeatures
from theory.moments.exact_moments import Examples, require_examples
from theory.moments.feature_moments import FeatureMoments, law_moments
from theory.moments.inputs import Sites, input_statistics_of
from theory.moments.lit_sites import LitInputs, covering, exact_moments, examples, flips, of_patterns
from theory.problem import Bars, Network


def _line(law: Bars) -> str:
    return "ring" if law.boundary == "torus" else "open"


@covering.register
def _(law: Bars, c: int, *sites: Sites) -> Shaped[np.ndarray, "..."]:
    places = [(site // law.shape[1], site % law.shape[1]) for site in sites]
    down = blocks.covering(law.shape[0], law.rows[c], _line(law), *(row for row, _ in places))
    across = blocks.covering(law.shape[1], law.columns[c], _line(law), *(column for _, column in places))
    return np.asarray(down * across)


def _lines(side: int, widths: tuple[int, int], boundary: str) -> list[tuple[Bool[np.ndarray, " side"], Fraction]]:
    """Return every block on one axis, as the sites that it covers, with its probability."""
    site, found = np.arange(side), []
    for width in range(widths[0], widths[1] + 1):
        starts = side if boundary == "ring" else side - width + 1
        share = Fraction(1, starts * (widths[1] - widths[0] + 1))
        found += [((site - start) % side < width, share) for start in range(starts)]
    return found


@examples.register
def _(law: Bars, network: Network) -> Examples:
    sides = [
        [_lines(side, ranges[c], _line(law)) for side, ranges in zip(law.shape, (law.rows, law.columns), strict=True)]
        for c in range(law.classes)
    ]
    require_examples(sum(len(down) * len(across) for down, across in sides) * len(flips(law)), network, law.n)
    return of_patterns(
        law,
        [[(np.outer(a, b).ravel(), p * q) for (a, p), (b, q) in product(down, across)] for down, across in sides],
    )


@law_moments.register
def _(law: Bars, network: Network, arithmetic: Arithmetic) -> FeatureMoments:
    return ExactFeatures(exact_moments(law, network), arithmetic)


@input_statistics_of.register
def _(law: Bars, c: int) -> LitInputs:
    return LitInputs(law, c, alike=law.boundary == "torus")
