"""Laws that draw their own examples: statistics of their inputs are estimated, and exact moments are refused by name.

The moments of a network on such a law have standard errors (`theory.moments.estimated`). Only answers that state these
ask for them; all others ask here, and learn that there are none.
"""

import numpy as np

from theory.moments.arithmetic import Arithmetic
from theory.moments.estimated import kept
from theory.moments.example_statistics import ExampleStatistics, of_class
from theory.moments.feature_moments import FeatureMoments, exactly, law_moments
from theory.moments.inputs import input_statistics_of
from theory.problem import Law, Network, OutOfReachError
from theory.problem.distributions.sampled import SampledLaw


@law_moments.register
def _(law: SampledLaw, network: Network, arithmetic: Arithmetic) -> FeatureMoments:
    del network, arithmetic
    raise _only_estimated(law)


@input_statistics_of.register
def _(law: SampledLaw, c: int) -> ExampleStatistics:
    x, category = kept(law)
    return of_class(x, category, np.full(len(x), 1 / len(x)), c)


def is_estimated(law: Law) -> bool:
    """Whether the statistics of the inputs are those of drawn examples, because the law has registered no exact ones.

    >>> from theory.problem import FiniteData
    >>> is_estimated(FiniteData([[1], [0]], [1, 0]))  # sums over all examples that there are
    False
    """
    return exactly(input_statistics_of, law) is input_statistics_of.registry[SampledLaw]


def _only_estimated(law: SampledLaw) -> OutOfReachError:
    return OutOfReachError(
        f'The law "{law.law}" is known by its examples: its moments are estimated, with standard errors, and this '
        "needs exact ones.",
        "gdln solve has them for a gated-linear network of one hidden layer; gdln simulate trains any network on it.",
    )
