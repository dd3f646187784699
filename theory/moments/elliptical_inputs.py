"""Statistics of the inputs of elliptical laws, x = r z/Z: moments and the marginal of one site.

With C = Cov x, E x_i x_j x_k x_l = (E r^4/(E r^2)^2) (C_ij C_kl + C_ik C_jl + C_il C_jk). The marginal is that of a
Student t, a variance-gamma law, a mixture of normal laws or a coordinate on a sphere: P(x_i <= a) = E Phi(a Z/r).
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, singledispatch
from math import ceil, floor, inf, lgamma, log, pi, sqrt

import numpy as np
from jaxtyping import Float
from scipy.special import betainc, k0, ndtr, stdtr

from theory.moments.inputs import Density, InputStatistics, Sites
from theory.moments.scales import moments_of
from theory.problem import OutOfReachError, latent_correlation
from theory.problem.distributions.elliptical import Elliptical
from theory.problem.scales import DiscreteScale, GammaScale, Scale, SphereScale, StudentScale

# The integral over sqrt(G), G ~ Gamma(shape), ends so far from the mode: the density beyond is below e^-64 of its peak.
REACH = 8
# Nodes of a panel, on which the integrand is smooth, and the halvings of the panels below 1: what lies below the last
# has the probability 2^-60 or less.
NODES, HALVINGS = 24, 60


@dataclass(frozen=True, eq=False)
class EllipticalInputs(InputStatistics):
    """The inputs of class `c` of an elliptical law; an infinite moment raises OutOfReachError.

    A Student t of 8 degrees of freedom has the excess kurtosis 6/(dof - 4):

    >>> law = Elliptical(4, (2, 1), {"kind": "student-t", "dof": 8}, "open", "unit-variance", (1, 0))
    >>> EllipticalInputs(law, 0).kurtosis.round(12).tolist()
    [1.5, 1.5, 1.5, 1.5]
    """

    law: Elliptical
    c: int

    alike = True

    @property
    def mean(self) -> Float[np.ndarray, " n"]:
        """0, because the law is odd."""
        self._require(1, "mean")
        return np.zeros(self.law.n)

    @cached_property
    def covariance(self) -> Float[np.ndarray, "n n"]:
        """(E r^2/Z^2) R."""
        self._require(2, "variance")
        unit = self.law.normaliser == "unit-variance"
        second = moments_of(self._scale, self.law.n).second
        return (1.0 if unit else float(second)) * latent_correlation(self.law.process, self.c)

    def third(self, i: Sites, j: Sites, k: Sites) -> Float[np.ndarray, "..."]:
        """0, because the law is odd."""
        self._require(3, "third moments")
        return np.zeros(np.broadcast_shapes(*map(np.shape, (i, j, k))))

    def fourth(self, i: Sites, j: Sites, k: Sites, l: Sites) -> Float[np.ndarray, "..."]:
        """(E r^4/(E r^2)^2) (C_ij C_kl + C_ik C_jl + C_il C_jk)."""
        self._require(4, "fourth moments, and so no kurtosis")
        C, ratio = self.covariance, 1 + float(moments_of(self._scale, self.law.n).excess_kurtosis / 3)
        return np.asarray(ratio * (C[i, j] * C[k, l] + C[i, k] * C[j, l] + C[i, l] * C[j, k]))

    def marginal(self, site: int) -> Density:
        """The law of r z_j/Z, the same at every site."""
        del site
        return marginal_of(self._scale, self.law)

    @property
    def _scale(self) -> Scale:
        return self.law.scale[self.c]

    def _require(self, order: int, what: str) -> None:
        """Raise OutOfReachError where E r^order is infinite."""
        if isinstance(self._scale, StudentScale) and self._scale.dof <= order:
            raise OutOfReachError(
                f"A Student t of {self._scale.dof} degrees of freedom has no finite {what} (class {self.c}): E|x|^p is "
                "finite for p < dof only.",
                f"Use at least {order + 1} degrees of freedom.",
            )


@singledispatch
def marginal_of(scale: Scale, law: Elliptical) -> Density:
    """Return the marginal of one site of a class with this scale. Raises OutOfReachError for an unknown kind.

    >>> law = Elliptical(3, (2, 1), "sphere", "open", "unit-variance", (1, 0))
    >>> marginal_of(law.scale[0], law).density(np.array([0.0, 1.0])).round(12).tolist()  # uniform on +-sqrt(3)
    [0.288675134595, 0.288675134595]
    """
    del law
    raise OutOfReachError(
        f'The scale "{scale.kind}" has no marginal here.', "Register it in theory/moments/elliptical_inputs.py."
    )


@marginal_of.register
def _(scale: StudentScale, law: Elliptical) -> Density:
    dof = scale.dof
    tau = sqrt((dof - 2) / dof) if law.normaliser == "unit-variance" else 1.0
    size = lgamma((dof + 1) / 2) - lgamma(dof / 2) - log(dof * pi) / 2 - log(tau)
    return Density(
        lambda x: np.exp(size - (dof + 1) / 2 * np.log1p((x / tau) ** 2 / dof)),
        lambda x: stdtr(dof, x / tau),
        -inf,
        inf,
    )


@marginal_of.register
def _(scale: GammaScale, law: Elliptical) -> Density:
    del law
    shape = float(scale.shape)

    t, weight = _nodes(sqrt(shape))
    weight = weight * 2 * np.exp((2 * shape - 1) * np.log(t) - t * t - lgamma(shape))  # the density of sqrt(G)
    rate = sqrt(shape) / t  # 1/r

    def density(x: Float[np.ndarray, "*any"]) -> Float[np.ndarray, "*any"]:
        """Return p(x); at shape 1/2 that of a product of two normal numbers, which is infinite at 0."""
        if scale.shape == Fraction(1, 2):
            return k0(np.abs(x)) / pi
        return np.exp(-((np.asarray(x)[..., None] * rate) ** 2) / 2) @ (weight * rate) / sqrt(2 * pi)

    return Density(density, lambda x: ndtr(np.asarray(x)[..., None] * rate) @ weight, -inf, inf)


def _nodes(root: float) -> tuple[Float[np.ndarray, " t"], Float[np.ndarray, " t"]]:
    """Return Gauss-Legendre nodes and weights for t = sqrt(G), G ~ Gamma(root^2): panels of length 1, and halves to 0.

    Phi(x root/t) varies with the logarithm of t, so that the panels below 1 shrink by halves.
    """
    low, high = max(floor(root - REACH), 1), ceil(root + REACH)
    edges = np.arange(low, high + 1.0)
    if low == 1:
        edges = np.concatenate([2.0 ** np.arange(-HALVINGS, 0), edges])
    unit, share = np.polynomial.legendre.leggauss(NODES)
    half = np.diff(edges)[:, None] / 2
    return (edges[:-1, None] + half * (1 + unit)).ravel(), (half * share).ravel()


@marginal_of.register
def _(scale: DiscreteScale, law: Elliptical) -> Density:
    shares = np.array([float(p) for p in scale.probabilities])
    second = moments_of(scale, law.n).second if law.normaliser == "unit-variance" else 1
    widths = np.array([float(value) for value in scale.values]) / sqrt(second)
    return Density(
        lambda x: np.exp(-((np.asarray(x)[..., None] / widths) ** 2) / 2) @ (shares / widths) / sqrt(2 * pi),
        lambda x: ndtr(np.asarray(x)[..., None] / widths) @ shares,
        -inf,
        inf,
    )


@marginal_of.register
def _(scale: SphereScale, law: Elliptical) -> Density:
    """Return the law of sqrt(n) u_1 for u uniform on the unit sphere: p(u) = (1 - u^2)^((n-3)/2)/B(1/2, (n-1)/2)."""
    del scale
    n = law.n
    end = sqrt(n)
    size = lgamma(n / 2) - lgamma((n - 1) / 2) - log(pi) / 2 - log(end)

    def density(x: Float[np.ndarray, "*any"]) -> Float[np.ndarray, "*any"]:
        square = np.square(x) / n
        with np.errstate(divide="ignore"):
            inside = np.exp(size + (n - 3) / 2 * np.log(np.where(square < 1, 1 - square, 1.0)))
        return np.where(square < 1, inside, 0.0)

    def cumulative(x: Float[np.ndarray, "*any"]) -> Float[np.ndarray, "*any"]:
        u = np.clip(np.asarray(x) / end, -1, 1)
        return (1 + np.sign(u) * betainc(0.5, (n - 1) / 2, u * u)) / 2

    return Density(density, cumulative, -end, end)
