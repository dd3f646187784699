"""The support of a law with finitely many inputs: the different inputs, and what a predictor can learn of their labels.

Inputs that are equal get equal predictions, so that only their mean label can be learned, and the input 0 is always
predicted as 0. The rest of <y^2> is lost whatever the gates.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from jaxtyping import Shaped

from theory.flow.graph.gate_values import examples_of
from theory.moments.exact_moments import Examples
from theory.problem import Law, OutOfReachError


@dataclass(frozen=True, eq=False)
class Support:
    """N different nonzero inputs x, their probabilities, and the mean label of each as m numbers.

    `lost` is the least <(y - f(x))^2> over all functions f with f(0) = 0.

    >>> half = Fraction(1, 2)
    >>> Support(np.array([[half]]), (Fraction(1),), ((half,),), Fraction(1, 4)).size
    1
    """

    x: Shaped[np.ndarray, "N n"]
    probabilities: tuple[Fraction, ...]
    means: tuple[tuple[Fraction, ...], ...]
    lost: Fraction

    @property
    def size(self) -> int:
        """N."""
        return len(self.x)


def support_of(law: Law) -> Support:
    """Return the support of a law. Raises OutOfReachError for a law without a list of its inputs, and with contexts.

    The input 1 occurs with the labels 1 and 0, whose variance no gates explain:

    >>> from theory.problem import FiniteData
    >>> support = support_of(FiniteData([[1], [1], [2]], [1, 0, 1]))
    >>> support.x.astype(int).tolist(), [str(mean) for mean, in support.means], str(support.lost)
    ([[1], [2]], ['1/2', '1'], '1/6')
    """
    listed = examples_of(law)
    if listed is None:
        raise OutOfReachError(
            f'The law "{law.law}" has no list of exact inputs, over which all gates could be enumerated.',
            'Use single-pulse, pulses, bars or finite data, such as [data] law = "finite".',
        )
    if listed.context is not None:
        raise OutOfReachError(
            "The data have contexts, and the gates that are compared are functions of x alone.",
            "Leave data.context out.",
        )
    return _united(listed)


def _united(data: Examples) -> Support:
    """Unite equal inputs."""
    shares: dict[tuple[Fraction, ...], Fraction] = {}
    sums: dict[tuple[Fraction, ...], list[Fraction]] = {}
    squares = Fraction(0)
    for row, share, label in zip(data.x.tolist(), data.probabilities, data.labels, strict=True):
        x = tuple(map(Fraction, row))
        shares[x] = shares.get(x, Fraction(0)) + share
        sums[x] = [total + share * y for total, y in zip(sums.get(x, [Fraction(0)] * len(label)), label, strict=True)]
        squares += share * sum(y * y for y in label)
    inputs = [x for x in shares if any(x)]
    means = tuple(tuple(total / shares[x] for total in sums[x]) for x in inputs)
    learned = sum((shares[x] * y * y for x, label in zip(inputs, means, strict=True) for y in label), Fraction(0))
    rows = np.array(inputs, dtype=object).reshape(len(inputs), data.x.shape[1])
    return Support(rows, tuple(shares[x] for x in inputs), means, squares - learned)
