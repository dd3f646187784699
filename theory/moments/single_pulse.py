"""The single pulse on a ring: its counts of lit sites, from which all of its moments follow, and its inputs one by one.

E prod_{j in S} u_j = (1/n) E_W sum_gaps (W - (n - gap))_+ for the gaps between neighbours of S on the ring.
Definitions: localization notes, section 1.
"""

from fractions import Fraction
from itertools import product

import numpy as np
from jaxtyping import Shaped

from theory.moments import blocks
from theory.moments.arithmetic import Arithmetic
from theory.moments.exact_features import ExactFeatures
from theory.moments.exact_moments import Examples, require_examples
from theory.moments.feature_moments import FeatureMoments, law_moments
from theory.moments.inputs import Sites, input_statistics_of
from theory.moments.lit_sites import (
    LitInputs,
    covering,
    exact_moments,
    examples,
    flips,
    of_patterns,
    pulses,
)
from theory.problem import Network, SinglePulse


@covering.register
def _(law: SinglePulse, c: int, *sites: Sites) -> Shaped[np.ndarray, "..."]:
    return blocks.covering(law.n, law.widths[c], "ring", *sites)


@examples.register
def _(law: SinglePulse, network: Network) -> Examples:
    require_examples(sum(pulses(law, c) for c in range(law.classes)) * len(flips(law)), network, law.n)
    site = np.arange(law.n)
    return of_patterns(
        law,
        [
            [
                ((site - start) % law.n < width, Fraction(1, pulses(law, c)))
                for width, start in product(range(least, largest + 1), range(law.n))
            ]
            for c, (least, largest) in enumerate(law.widths)
        ],
    )


@law_moments.register
def _(law: SinglePulse, network: Network, arithmetic: Arithmetic) -> FeatureMoments:
    return ExactFeatures(exact_moments(law, network), arithmetic)


@input_statistics_of.register
def _(law: SinglePulse, c: int) -> LitInputs:
    return LitInputs(law, c, alike=True)
