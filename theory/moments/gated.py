"""The moments of a gated problem as arrays: Sigma^yx(p), Sigma^xx(p, q), A and b (notes, eq. 6, 7 and 12)."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float, Shaped

from theory.expressions.balls.precision import precision
from theory.moments.arithmetic import certified
from theory.moments.feature_moments import FeatureMoments
from theory.moments.fixed_biases import moments_of
from theory.moments.inputs import second_moments
from theory.problem import Problem


@dataclass(frozen=True, eq=False)
class GatedMoments:
    """Population moments through the K gates of a problem; entries are float64, or Arb balls in object arrays.

    Each array is computed at its first use. `features` are the moments for the flow, without n x n arrays where the
    law's symmetry allows it. With m > 1 outputs sigma_yx is (K, m, n), like the weights, and b is (P, m).
    Where the biases are fixed, y stands for what they leave of it, see `fixed_biases`.

    Two exclusive gates have Sigma^xx(p_1, p_2) = 0, and here each passes half of the covariance:

    >>> from theory.problem import Network, NonlinearGP, NormalInitialisation, SiteGate, Training
    >>> law = NonlinearGP(4, (2, 1), 1, "open", "unit-variance", (1, 0))
    >>> gates = SiteGate(2, lo=0), SiteGate(2, hi=0)
    >>> training = Training("half-mse", 1, NormalInitialisation(0, 0), (1,))
    >>> moments = gated_moments(Problem(law, Network("gated-linear", "mean", 2, gates), training))
    >>> moments.sigma_xx[:, :, 1, 1].round(12).tolist()
    [[0.5, 0.0], [0.0, 0.5]]
    """

    problem: Problem
    features: FeatureMoments

    @cached_property
    def A(self) -> Shaped[np.ndarray, "P P"]:
        """<phi phi^T>: <x~ x~^T> with x~ = (g_1 x, ..., g_K x), unit-major: row k n + j. Source: notes, eq. (12).

        With biases K + 1 rows follow, those of g_1, ..., g_K and 1/s: P = K n + K + 1.
        """
        return self.features.A.dense()

    @property
    def b(self) -> Shaped[np.ndarray, "P *m"]:
        """<phi y>: <x~ y>, unit-major; with biases followed by <g_k y> and <y>/s."""
        return self.features.b

    @property
    def y2(self) -> Any:
        """<y.y>."""
        return self.features.y2

    @cached_property
    def sigma_yx(self) -> Shaped[np.ndarray, "K *m n"]:
        """Sigma^yx(p_k) = <g_k y x>. Source: notes, eq. (6)."""
        units, n = self.problem.network.units, self.problem.data.n
        return np.moveaxis(self.b[: units * n].reshape(units, n, *self.b.shape[1:]), 1, -1)

    @cached_property
    def sigma_xx(self) -> Shaped[np.ndarray, "K K n n"]:
        """Sigma^xx(p_k, p_l) = <g_k g_l x x^T>; exactly 0 for exclusive gates. Source: notes, eq. (7)."""
        units, n = self.problem.network.units, self.problem.data.n
        return self.A[: units * n, : units * n].reshape(units, n, units, n).transpose(0, 2, 1, 3)

    @cached_property
    def covariances(self) -> Float[np.ndarray, "C n n"]:
        """E[x x^T | class c] for every class in float64; the covariances where the classes have no means."""
        return second_moments(self.problem.data)


def gated_moments(problem: Problem) -> GatedMoments:
    """The moments of a gated-linear problem in float64, entries accurate to a few roundings of their largest term.

    Gates: sites and directions with any bounds, hard and soft, always, repeated, in any combination; on the input of a
    law that has a latent, directions of one site, of several where x is proportional to z, and at 0 of two with weights
    of equal size. Of finite data in float64.
    Raises OutOfReachError for other gates, networks and laws. Sources: notes, eq. (6), (7); small-bump note, eq. (7),
    (8), corrected.

    >>> from theory.problem import AlwaysGate, FiniteData, Network, NormalInitialisation, Training
    >>> law = FiniteData([[1, 0], [0, 1], [1, 1], [0, 0]], [1, -1, 1, -1])
    >>> training = Training("half-mse", 1, NormalInitialisation(0, 0), (1,))
    >>> moments = gated_moments(Problem(law, Network("gated-linear", "mean", 1, (AlwaysGate(),)), training))
    >>> moments.sigma_yx.tolist(), moments.sigma_xx[0, 0].tolist(), moments.y2
    ([[0.5, 0.0]], [[0.5, 0.25], [0.25, 0.5]], 1.0)
    """
    return GatedMoments(problem, moments_of(problem))


def gated_moments_certified(problem: Problem, digits: int) -> GatedMoments:
    """The same as balls, at a working precision of `digits` and a few guard digits.

    A ball's radius is relative to the largest term of its entry: Sigma^yx, a sum over the classes, may cancel.
    Raises OutOfReachError where overlapping gates need more certified integrals than can be computed.

    >>> from theory.problem import AlwaysGate, FiniteData, Network, NormalInitialisation, Training
    >>> law, network = FiniteData([[1], [2]], [1, 0]), Network("gated-linear", "mean", 1, (AlwaysGate(),))
    >>> problem = Problem(law, network, Training("half-mse", 1, NormalInitialisation(0, 0), (1,)))
    >>> gated_moments_certified(problem, 30).A[0, 0]
    2.50000000000000
    """

    with precision(digits=digits + 8):
        moments = GatedMoments(problem, moments_of(problem, certified()))
        _ = moments.A, moments.b, moments.y2  # assembled here, at this precision
        return moments
