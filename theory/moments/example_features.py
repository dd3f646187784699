"""A finite data set through more gated inputs than A has room for: float64, without an array of all rows of A.

Two gates that are never open on one example have <g_k g_l x x^T> = 0, so that units decouple into the connected
components of "open together": exclusive gates are blocks. The rank of each is exact, that of its features in whole
numbers. Source: notes, eq. (8)-(12).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float

from theory.moments.arithmetic import FLOAT64, Arithmetic
from theory.moments.exact_moments import MOST_FEATURES, MOST_ROWS, Examples, opened_on, whole_numbers
from theory.moments.exact_range import Component, components, decoupled
from theory.moments.feature_moments import Block, FeatureMoments, Structure
from theory.problem import InputError, Network, OutOfReachError


@dataclass(frozen=True, eq=False)
class ExampleFeatures(FeatureMoments):
    """The moments of examples: A of each component, b (P, m) and <y.y>.

    One example has rank 1, whatever the number of sites:

    >>> from fractions import Fraction
    >>> from theory.problem import AlwaysGate
    >>> one = Examples(np.array([[Fraction(3), Fraction(4)]], dtype=object), (Fraction(1),), ((Fraction(2),),))
    >>> features = example_features(one, Network("gated-linear", "mean", 1, (AlwaysGate(),)))
    >>> features.structure.rank, features.assembled().tolist(), features.b.tolist(), features.y2
    (1, [[9.0, 12.0], [12.0, 16.0]], [6.0, 8.0], 4.0)
    """

    parts: tuple[tuple[Component, Float[np.ndarray, "_ _"]], ...]
    first: Float[np.ndarray, "P m"]
    squares: float
    arithmetic: Arithmetic = FLOAT64

    def assembled(self) -> Float[np.ndarray, "P P"]:
        """A as an array."""
        A = np.zeros((len(self.first),) * 2)
        for component, kernel in self.parts:
            A[np.ix_(component.places, component.places)] = kernel
        return A

    @property
    def b(self) -> Float[np.ndarray, "P *m"]:
        """<x~ y>, unit-major."""
        return self.first[:, 0] if self.first.shape[1] == 1 else self.first

    @property
    def y2(self) -> float:
        """<y.y>."""
        return self.squares

    @cached_property
    def structure(self) -> Structure:
        """The exact rank of A and its decoupling."""
        ranks, size = [component.rank for component, _ in self.parts], len(self.first)
        notes = [f"A has rank {sum(ranks)} of {size}, exactly, from the examples in whole numbers."]
        if sum(ranks) < size:
            notes.append("The directions that no example has keep w0.")
        return Structure(sum(ranks), max(ranks), False, (*notes, decoupled(ranks)))

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """A block for each component."""
        return tuple(own.block(kernel, self.b[own.places], FLOAT64) for own, kernel in self.parts)


def example_features(data: Examples, network: Network) -> ExampleFeatures:
    """The moments of examples without biases, in float64, with exact ranks.

    Raises OutOfReachError where the features are too many numbers or a component is too large for an exact rank,
    InputError where no gate opens on an input that is not 0.

    Two gates at one site are never open together: two blocks of one site each.

    >>> from fractions import Fraction
    >>> from theory.problem import SiteGate
    >>> x = np.array([[Fraction(1)], [Fraction(-2)]], dtype=object)
    >>> data = Examples(x, (Fraction(1, 2),) * 2, ((Fraction(1),), (Fraction(0),)))
    >>> gates = SiteGate(0, lo=0, on="input"), SiteGate(0, hi=0, on="input")
    >>> features = example_features(data, Network("gated-linear", "mean", 2, gates))
    >>> [block.kernel.dense().round(12).tolist() for block in features.blocks]
    [[[0.5]], [[2.0]]]
    """
    whole, common = whole_numbers(data.x)
    opened = opened_on(data, network) & (whole != 0).any(axis=1)[:, None]
    p, labels = np.array(data.probabilities, dtype=float), np.array(data.labels, dtype=float)
    n, parts = whole.shape[1], []
    for units in components(opened.T.astype(float) @ opened > 0):
        examples = np.flatnonzero(opened[:, units].any(axis=1))
        if len(examples) * len(units) * n > MOST_FEATURES or len(units) * n > MOST_ROWS:
            raise OutOfReachError(
                f"A coupled component has {len(examples)} examples of {len(units) * n} gated inputs; the limits are "
                f"{MOST_ROWS} gated inputs and {MOST_FEATURES} numbers.",
                "Use fewer examples, sites or units that are open together.",
            )
        gates = opened[np.ix_(examples, units)]
        features = (gates[:, :, None] * whole[examples][:, None, :]).reshape(len(examples), len(units) * n)
        seen = np.flatnonzero((features != 0).any(axis=0))
        if len(seen):
            places = (units[:, None] * n + np.arange(n)).ravel()[seen]
            numbers = features[:, seen].astype(float) / common
            kernel = (numbers * p[examples, None]).T @ numbers
            parts.append((Component.of(places, features[:, seen].T), kernel))
    if not parts:
        raise InputError(
            "A = <x~ x~^T> is 0: no gate of this network ever opens on an input that is not 0, so nothing is learned.",
            "Move the bounds of the gates between the values of the inputs.",
        )
    first = np.einsum("ek,ej,eo->kjo", opened, data.x.astype(float), p[:, None] * labels, optimize=True)
    return ExampleFeatures(tuple(parts), first.reshape(-1, labels.shape[1]), float(p @ (labels**2).sum(axis=1)))
