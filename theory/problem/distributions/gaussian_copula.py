"""Sites with finitely many values each, tied together by a Gaussian copula or independent: the definition."""

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from statistics import NormalDist
from typing import ClassVar

import numpy as np
from jaxtyping import Float, Int

from theory.problem.distributions.arrays import ArraysLaw, FloatArray
from theory.problem.distributions.base import Label, Mean, set_field
from theory.problem.distributions.gaussian import require_covariances
from theory.problem.distributions.nonlinear_gp_matrix import require_unit_diagonal
from theory.problem.distributions.sampled import Estimate, SampledLaw
from theory.problem.errors import InputError
from theory.problem.positivity import MOST_DENSE


@dataclass(frozen=True)
class GaussianCopula(ArraysLaw, SampledLaw):
    """x_i = means[c][i] + Q_i(Phi(z_i)), z ~ N(0, correlations[c]), Q_i the quantile function of site i in class c.

    Site i has the value values[c][i][v], ascending in v, with the probability probabilities[c][i][v]; a site with
    fewer values than others has the probability 0 for the rest. Without `correlations` the sites are independent. The
    arrays are rounded to float64; they are written out, or those of these names in the archive `file`, which `sha256`
    identifies. `rows` is the number of rows of sites that lie on a grid, row by row. Gates look at x.

    Statistics of the inputs are exact; moments through gates are estimated, as `estimate` says. Raises InputError for
    values that descend, probabilities that do not add up to 1, and a matrix that is no correlation.

    >>> law = GaussianCopula([1], [[[0, 1], [0, 1]]], [[["1/2", "1/2"], ["1/4", "3/4"]]], [[[1, "1/2"], ["1/2", 1]]])
    >>> law.n, law.draw(np.random.default_rng(0), 3)[0].shape
    (2, (3, 2))
    """

    labels: tuple[Label, ...]
    values: FloatArray | tuple[()] = ()
    shares: FloatArray | tuple[()] = ()
    correlations: FloatArray | tuple[()] = ()
    priors: tuple[Fraction, ...] = field(default=(), kw_only=True)
    means: tuple[Mean, ...] = field(default=(), kw_only=True)
    file: str = field(default="", compare=False, kw_only=True)
    sha256: str = field(default="", kw_only=True)
    rows: int = field(default=0, kw_only=True)
    estimate: Estimate = field(default_factory=Estimate, kw_only=True)

    law: ClassVar[str] = "gaussian-copula"
    arrays: ClassVar[tuple[str, ...]] = ("values", "shares", "correlations")

    def __post_init__(self) -> None:
        arrays = self.declare_arrays()
        for name in self.arrays[:2]:
            if name not in arrays:
                raise InputError(
                    f'data.law = "gaussian-copula" has no {name}.',
                    "Give `values` and `shares`, or a `file`.",
                )
        set_field(self, "levels", arrays["values"])
        set_field(self, "weights", arrays["shares"])
        set_field(self, "matrices", arrays.get("correlations"))
        self._check_marginals()
        if self.matrices is not None:
            require_covariances(self.matrices, self.labels, "correlations")
            require_unit_diagonal(self.matrices)
            if self.matrices.shape[:2] != self.levels.shape[:2]:
                raise InputError(
                    f"data.correlations has the shape {list(self.matrices.shape)}, data.values "
                    f"{list(self.levels.shape)}.",
                    "Give both for the same classes and sites.",
                )
        set_field(self, "estimate", Estimate.of(self.estimate))
        self.check_classes()
        self.check_rows()

    def _check_marginals(self) -> None:
        levels, weights = self.levels, self.weights
        if levels.ndim != 3 or 0 in levels.shape or weights.shape != levels.shape:
            raise InputError(
                f"data.values has the shape {list(levels.shape)}, data.shares {list(weights.shape)}; "
                "both need [C, n, V].",
                "Give V values with their probabilities for each site in each class.",
            )
        if isinstance(self.labels, list | tuple) and len(self.labels) != len(levels):
            raise InputError(
                f"data.values has {len(levels)} classes, data.labels {len(self.labels)} entries.",
                "Give one of both for each class.",
            )
        if levels.shape[1] > MOST_DENSE:
            raise InputError(
                f"data.values has n = {levels.shape[1]} sites, more than {MOST_DENSE}.", "Use fewer sites."
            )
        rounding = 4 * levels.shape[2] * float(np.finfo(float).eps)
        wrong = (np.abs(weights.sum(axis=2) - 1) > rounding) | (weights < 0).any(axis=2)
        wrong |= (np.diff(levels, axis=2) < 0).any(axis=2)
        if wrong.any():
            c, site = np.argwhere(wrong)[0].tolist()
            raise InputError(
                f"Site {site} of class {c} has values that descend, or probabilities that are below 0 or add up to "
                f"{weights[c, site].sum():.17g}.",
                "Give ascending values, with probabilities that add up to 1.",
            )

    @property
    def n(self) -> int:
        """The number of sites."""
        return self.levels.shape[1]

    @cached_property
    def thresholds(self) -> Float[np.ndarray, "C n W"]:
        """The z at which a site passes to the next of its values: P(z_i < t_iv) is the share of its first v + 1."""
        flat = np.cumsum(self.weights, axis=2)[:, :, :-1]
        return np.array([_quantile(p) for p in flat.ravel().tolist()]).reshape(flat.shape)

    @cached_property
    def _factors(self) -> list[Float[np.ndarray, "n n"]] | None:
        """For each class a factor F of the correlation F F', by its eigenvectors: it may be singular."""
        if self.matrices is None:
            return None
        roots = []
        for matrix in self.matrices:
            values, vectors = np.linalg.eigh(matrix)
            roots.append(vectors * np.sqrt(np.where(values > 0, values, 0.0)))  # others are 0 up to rounding
        return roots

    def draw(self, generator: np.random.Generator, rows: int) -> tuple[Float[np.ndarray, "B n"], Int[np.ndarray, " B"]]:
        """Draw `rows` examples: the classes first, then the latent of each class in turn."""
        category = generator.choice(self.classes, size=rows, p=np.array(self.probabilities, dtype=float))
        x = np.empty((rows, self.n))
        for c in range(self.classes):
            mine = np.flatnonzero(category == c)
            z = generator.standard_normal((len(mine), self.n))
            z = z if self._factors is None else z @ self._factors[c].T
            for site in range(self.n):
                place = np.searchsorted(self.thresholds[c, site], z[:, site], side="right")
                x[mine, site] = self.levels[c, site][place]
        if self.means:
            x += np.array(self.means, dtype=float)[category]
        return x, category


def _quantile(p: float) -> float:
    """Return the z with P(N(0, 1) < z) = p, infinite at 0 and where the sum of probabilities has reached 1."""
    if p <= 0:
        return -np.inf
    return NormalDist().inv_cdf(p) if p < 1 else np.inf
