"""One nonlinearity of each kind, their functions from the definitions alone, and the double integrals of these."""

import numpy as np
from scipy import stats
from scipy.special import erf

from theory.problem import NONLINEARITIES, Algebraic, Cubic, Quantile

TABLE = Quantile(["1/2", "3/4", "9/10", 1], [0, 1, "3/2", 3])
BINARY_AND_MORE = Quantile(["1/2", "3/4", 1], [1, 1, 2])  # +-1 with probability 1/4 each, and values beyond
WITH_FIELDS = {"cubic": Cubic("1/2"), "algebraic": Algebraic("9/2"), "quantile": TABLE}
EVERY = {kind: WITH_FIELDS[kind] if kind in WITH_FIELDS else made() for kind, made in NONLINEARITIES.items()}

PLAIN = {"erf": erf, "sign": np.sign, "identity": lambda z: z, "tanh": np.tanh}
DISTRIBUTIONS = {"uniform": stats.uniform(-1, 2), "laplace": stats.laplace(), "logistic": stats.logistic()}
REACH = 13.0
PANELS = 40
NODES, WEIGHTS = np.polynomial.legendre.leggauss(30)


def function(nonlinearity):
    """f(z) on arrays: quantile functions are those of SciPy, at the probability q beyond |z|."""
    kind = nonlinearity.kind
    if kind in PLAIN:
        return PLAIN[kind]
    if kind == "cubic":
        return lambda z: z + float(nonlinearity.c) * z**3
    if kind in DISTRIBUTIONS:
        size = DISTRIBUTIONS[kind].isf
    elif kind == "algebraic":
        k = float(nonlinearity.k)

        def size(q):
            share = 1 - 2 * q
            return share / np.where(q < 0.2, -np.expm1(k * np.log1p(-2 * np.minimum(q, 0.2))), 1 - share**k) ** (1 / k)
    else:
        p, x = (np.array([float(number) for number in row]) for row in (nonlinearity.p, nonlinearity.x))
        size = lambda q: np.interp(1 - q, p, x)  # noqa: E731
    return lambda z: np.sign(z) * size(np.minimum(stats.norm.sf(np.abs(z)), 0.5))


def kinks(nonlinearity):
    """The z > 0 at which f is not smooth."""
    return stats.norm.ppf([float(p) for p in nonlinearity.p[1:-1]]) if nonlinearity.kind == "quantile" else np.zeros(0)


def nodes(edges):
    """Gauss-Legendre nodes and weights of the panels between edges."""
    half = np.diff(edges)[..., None] / 2
    shape = (*edges.shape[:-1], -1)
    return (edges[..., :-1, None] + half * (1 + NODES)).reshape(shape), (half * WEIGHTS).reshape(shape)


def mean_square(nonlinearity):
    """E f(z)^2."""
    edges = np.unique(np.concatenate([np.linspace(0, REACH, PANELS), kinks(nonlinearity)]))
    z, weight = nodes(edges)
    return 2 * weight @ (stats.norm.pdf(z) * function(nonlinearity)(z) ** 2)


def cross(first, second, nonlinearity, rho):
    """E[first(z1) second(z2)] of odd functions with the kinks of f: over z1 > 0, and over the rest of z2 given z1."""
    rest = np.sqrt(1 - rho**2)
    points = np.concatenate([[0.0], kinks(nonlinearity)])
    near = rest * 2.0 ** np.arange(-2, 6)
    edges = np.concatenate(
        [np.linspace(0, REACH, PANELS), (points[:, None] + np.concatenate([-near, [0], near])).ravel()]
    )
    z, weight = nodes(np.unique(np.clip(edges, 0, REACH)))
    at = (np.concatenate([-points, points]) - rho * z[:, None]) / rest
    regular = np.broadcast_to(np.linspace(-REACH, REACH, PANELS), (len(z), PANELS))
    e, inner = nodes(np.sort(np.clip(np.concatenate([regular, at], axis=1), -REACH, REACH), axis=1))
    given = (inner * stats.norm.pdf(e) * second(rho * z[:, None] + rest * e)).sum(axis=1)
    return 2 * weight @ (stats.norm.pdf(z) * first(z) * given)
