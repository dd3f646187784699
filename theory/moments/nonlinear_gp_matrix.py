"""The nonlinear Gaussian process with a correlation matrix: that of a line, by pairs of sites, times their scales."""

from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Any, NoReturn

import numpy as np
from jaxtyping import Float, Shaped

from theory.moments.arithmetic import FLOAT64, Arithmetic, Numbers
from theory.moments.feature_moments import FeatureMoments, law_moments
from theory.moments.inputs import Density, InputStatistics, Marginal, Sites, Values, input_statistics_of
from theory.moments.nonlinearities.dispatch import inputs_through, statistics_through
from theory.moments.nonlinearities.gates import basis_of, check_gates, independent, unit_process
from theory.moments.nonlinearities.refusals import refuse
from theory.moments.pairs import ByPairs, numbers, of_any_rank
from theory.moments.process import process_moments
from theory.moments.process_inputs import ProcessInputs
from theory.moments.statistics import ClassStatistics, Lags, statistics_of
from theory.moments.unit_gaussians import Tail, TailPair
from theory.problem import Network, OutOfReachError, resolved
from theory.problem.distributions.nonlinear_gp_matrix import NonlinearGPMatrix
from theory.problem.gates.base import looks_on, sites_of


@dataclass(frozen=True)
class MatrixProcessStatistics(ByPairs, ClassStatistics):
    """Moments of class `c` of the law "nlgp-matrix": those at variance 1, times the scales of their sites.

    E|x_i| = s_i sqrt(3)/2 for uniform inputs of standard deviation s_i:

    >>> law = NonlinearGPMatrix("uniform", [1], [[[1, 0], [0, 1]]], [[2, 1]])
    >>> MatrixProcessStatistics(law, 0, FLOAT64).half_space(np.array([0, 3])).round(12).tolist()
    [1.732050807569, 0.866025403784]
    """

    law: NonlinearGPMatrix

    @cached_property
    def _unit(self) -> ClassStatistics:
        """The statistics at scale 1."""
        process = unit_process(self.law.nonlinearity)
        one = statistics_through(process.nonlinearity, process, 0, self.arithmetic)
        return one.at(numbers(self.law.matrices[self.c], self.arithmetic))

    @cached_property
    def _scales(self) -> Shaped[np.ndarray, " n"]:
        return numbers(self.law.deviations[self.c], self.arithmetic)

    @property
    def _latent(self) -> tuple[Numbers, Numbers]:
        return self._unit.latent

    @property
    def spread(self) -> Any:
        """1, the variance of the latent."""
        return self._unit.spread

    @cached_property
    def covariances(self) -> Numbers:
        """E[x_k x_l] by the number of the pair."""
        return self._unit.covariances * np.multiply.outer(self._scales, self._scales).ravel()

    def half_space(self, lag: Lags) -> Numbers:
        """E[s_i x_k]."""
        return self._unit.half_space(lag) * self._scales[lag % self.law.n]

    def first_beyond(self, tail: Tail) -> Shaped[np.ndarray, " n"]:
        """E[T x_k]."""
        return self._unit.first_beyond(tail) * self._scales

    def second_beyond(self, tail: Tail, k: Lags, l: Lags) -> Numbers:
        """E[T x_k x_l]."""
        return self._unit.second_beyond(tail, k, l) * self._scales[k] * self._scales[l]

    def first_beyond_two(self, pair: TailPair) -> Shaped[np.ndarray, " n"]:
        """E[T T' x_k]."""
        return self._unit.first_beyond_two(pair) * self._scales

    def second_beyond_two(self, pair: TailPair, k: Lags, l: Lags) -> Numbers:
        """E[T T' x_k x_l]."""
        return self._unit.second_beyond_two(pair, k, l) * self._scales[k] * self._scales[l]

    @property
    def seconds_through_two(self) -> float:
        """That of scale 1."""
        return self._unit.seconds_through_two

    def require_time(self, alone: int, pairs: int) -> None:
        """As for scale 1."""
        self._unit.require_time(alone, pairs)

    def latent_of(self, *_arguments: Any) -> NoReturn:
        """Refuse thresholds."""
        refuse(self.law, "thresholds of an input with a scale of its own")

    input_of = latent_of


@statistics_of.register
def _(law: NonlinearGPMatrix, c: int, arithmetic: Arithmetic) -> MatrixProcessStatistics:
    return MatrixProcessStatistics(law, c, arithmetic)


@law_moments.register
def _(law: NonlinearGPMatrix, network: Network, arithmetic: Arithmetic) -> FeatureMoments:
    require_no_scale(law, network)
    gates = basis_of(law, network)
    check_gates(law, network, gates)
    found = process_moments(law, network, arithmetic)
    return of_any_rank(found, law.regular and independent(law, gates))


def require_no_scale(law: NonlinearGPMatrix, network: Network) -> None:
    """Refuse gates on inputs whose bounds on the latent depend on the scale of the site in each class, or on a 0.

    >>> from theory.problem import SiteGate
    >>> law = NonlinearGPMatrix("uniform", [1], [[[1, 0], [0, 1]]], [[2, 1]])
    >>> require_no_scale(law, Network("gated-linear", "mean", 1, (SiteGate(0, lo=0, on="input"),)))
    """
    for index, gate in enumerate(resolved(network.gates)):
        sites = list(sites_of(gate)) if looks_on(gate) == "input" else []
        still = np.argwhere(law.deviations[:, sites] == 0).tolist()
        if still:
            c, place = still[0]
            raise OutOfReachError(
                f"network.gates[{index}] looks at site {sites[place]}, which has the scale 0 in class {c}: there it "
                "does not follow the sign of the latent, and such gates have no exact moments here.",
                'Gate another site, gate the latent (on = "latent"), or simulate it (gdln simulate).',
            )
        if (law.deviations[:, sites] != law.deviations[:, sites[:1]]).any():
            raise OutOfReachError(
                f"network.gates[{index}] looks at {len(sites)} inputs whose scales differ in some class: it is no "
                "half-space of the latent, and such gates have no exact moments here.",
                'Gate one site, gate the latent (on = "latent"), or simulate it (gdln simulate).',
            )
        bounds = {gate.lo, gate.hi} - {-inf, inf} if looks_on(gate) == "input" else set()
        if bounds and (bounds != {0} or gate.sharpness != inf or law.means):
            raise OutOfReachError(
                f"network.gates[{index}]: on inputs with a scale for each site and class, a threshold other than 0, a "
                "soft gate, and class means have no exact moments here.",
                'Gate the latent (on = "latent"), or simulate it (gdln simulate).',
            )


@dataclass(frozen=True, eq=False)
class MatrixProcessInputs(InputStatistics):
    """The inputs of class `c`: those of `unit_process`, times the scales.

    >>> law = NonlinearGPMatrix("uniform", [1], [[[1, 0], [0, 1]]], [[2, 1]])
    >>> found = MatrixProcessInputs(law, 0)
    >>> found.variance.round(12).tolist(), found.kurtosis.round(12).tolist()
    ([4.0, 1.0], [-1.2, -1.2])
    """

    law: NonlinearGPMatrix
    c: int

    @cached_property
    def _unit(self) -> ProcessInputs:
        """The inputs at scale 1, by the statistics of the matrix."""
        process = unit_process(self.law.nonlinearity)
        found = inputs_through(process.nonlinearity, process, 0)
        # In place of the statistics of two sites, which it would make at its first use.
        vars(found)["_class"] = MatrixProcessStatistics(self.law, self.c, FLOAT64)._unit
        return found

    @property
    def _scales(self) -> Float[np.ndarray, " n"]:
        return self.law.deviations[self.c]

    @property
    def mean(self) -> Float[np.ndarray, " n"]:
        """0, because f is odd."""
        return np.zeros(self.law.n)

    @cached_property
    def covariance(self) -> Float[np.ndarray, "n n"]:
        """E[x_k x_l]."""
        n = self.law.n
        return MatrixProcessStatistics(self.law, self.c, FLOAT64).covariances.reshape(n, n)

    def third(self, i: Sites, j: Sites, k: Sites) -> Float[np.ndarray, "..."]:
        """0, because f is odd."""
        return np.zeros(np.broadcast_shapes(*map(np.shape, (i, j, k))))

    def fourth(self, i: Sites, j: Sites, k: Sites, l: Sites) -> Float[np.ndarray, "..."]:
        """That of scale 1, times four scales."""
        s = self._scales
        return np.asarray(self._unit.fourth(i, j, k, l) * s[i] * s[j] * s[k] * s[l])

    def marginal(self, site: int) -> Marginal:
        """The law of f(z) s_site/Z, 0 alone for a site that does not vary."""
        found, scale = self._unit.marginal(0), float(self._scales[site])
        if not scale:
            return Values((0,), (1,))
        if isinstance(found, Values):
            return Values(tuple(scale * x for x in found.values), found.probabilities)
        low, high = (end if abs(end) == inf else scale * end for end in (found.low, found.high))
        return Density(lambda x: found.density(x / scale) / scale, lambda x: found.cumulative(x / scale), low, high)


@input_statistics_of.register
def _(law: NonlinearGPMatrix, c: int) -> MatrixProcessInputs:
    return MatrixProcessInputs(law, c)
