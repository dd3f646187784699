"""A finite data set through gates: sums over its examples in fractions, or in float64 where these are too many."""

from functools import lru_cache

import numpy as np

from theory.moments.arithmetic import FLOAT64, Arithmetic
from theory.moments.basis import require_linear
from theory.moments.exact_features import ExactFeatures
from theory.moments.exact_moments import (
    MOST_ROWS,
    ExactMoments,
    Examples,
    of_examples,
    require_examples,
    require_rows,
)
from theory.moments.example_features import example_features
from theory.moments.example_statistics import ExampleStatistics, of_class
from theory.moments.feature_moments import FeatureMoments, law_moments
from theory.moments.gate_events import Contexts
from theory.moments.inputs import input_statistics_of
from theory.problem import FiniteData, Network


@lru_cache(maxsize=8)
def exact_moments(law: FiniteData, network: Network) -> ExactMoments:
    """The moments of a gated-linear network on a finite data set, as fractions.

    Raises OutOfReachError for soft gates, and where A or the data are too large to be exact.

    >>> from theory.problem import AlwaysGate
    >>> law = FiniteData([[1, 0], [0, 1], [1, 1]], [1, -1, 1])
    >>> moments = exact_moments(law, Network("gated-linear", "mean", 1, (AlwaysGate(),)))
    >>> moments.rows.tolist(), moments.denominator, [str(entry) for entry in moments.first]
    ([[2, 1], [1, 2]], 3, ['2/3', '0'])
    """
    require_linear(network)
    require_rows(network, law.n)
    require_examples(len(law.x), network, law.n)
    return of_examples(_examples(law), network)


def _examples(law: FiniteData) -> Examples:
    labels = tuple(law.label_vectors[c] for c in law.category)
    return Examples(np.array(law.x, dtype=object), law.example_probabilities, labels, contexts_of(law))


def _beyond_exact(law: FiniteData, network: Network) -> bool:
    """Whether A is too large for exact moments; with biases, which couple all units, there are no others."""
    return not network.has_biases and network.units * law.n > MOST_ROWS


def contexts_of(law: FiniteData) -> Contexts:
    """The context of each example as an array; None for data without contexts.

    >>> contexts_of(FiniteData([[1], [2]], [1, -1], context=[3, 0])).tolist()
    [3, 0]
    """
    return np.array(law.context) if law.context else None


@law_moments.register
def _(law: FiniteData, network: Network, arithmetic: Arithmetic) -> FeatureMoments:
    if arithmetic is FLOAT64 and _beyond_exact(law, network):
        require_linear(network)
        return example_features(_examples(law), network)
    return ExactFeatures(exact_moments(law, network), arithmetic)


@input_statistics_of.register
def _(law: FiniteData, c: int) -> ExampleStatistics:
    return of_class(np.array(law.x, float), np.array(law.category), np.array(law.example_probabilities, float), c)
