"""The marginal law of one site: its density and distribution, or its values with probabilities, and its kurtosis.

x = erf(g z)/Z with z ~ N(0, 1) is increasing in z, so that with u = erfinv(Z x)

    P(x <= a) = Phi(erfinv(Z a)/g),   p(x) = phi(u/g) dz/dx = (Z/(2 sqrt2 g)) exp(u^2 - u^2/(2 g^2)),   |x| < 1/Z,

and E x^4 is a four-sign expectation: each factor erf(g z) acts as the sign of a separate Gaussian, and any two of these
have the correlation kappa^2 = 2 g^2/(1 + 2 g^2). Definitions: localization notes, section 1.
"""

from fractions import Fraction
from functools import singledispatch
from math import sqrt

import numpy as np
from jaxtyping import Float
from scipy.special import erfinv, ndtr

from theory.moments.arithmetic import FLOAT64
from theory.moments.single_pulse import flips, lit
from theory.moments.statistics import class_statistics, require_centred
from theory.problem import GaussianClone, NonlinearGP, OutOfReachError, SinglePulse, latent_variance


@singledispatch
def density(law: object, c: int, x: Float[np.ndarray, "*any"]) -> Float[np.ndarray, "*any"]:
    """p(x) of one site in class `c`, in units of 1/x; 0 outside the support.

    Raises OutOfReachError for a law whose sites take finitely many values; `values` has their probabilities.

    >>> law = NonlinearGP(4, (2, 1), 1, "open", "none", (1, 0))
    >>> density(law, 0, np.array([-2.0, 2.0])).tolist()
    [0.0, 0.0]
    """
    del c, x
    raise OutOfReachError(
        f"A site of the law {type(law).__name__} has no density here; it may take finitely many values.",
        "For single pulses ask for theory.moments.marginal.values; sample other laws.",
    )


def _gain(law: NonlinearGP, c: int) -> float:
    """Return the gain for a latent scaled to variance 1: g times the standard deviation of z in class c."""
    return float(law.gains[c]) * sqrt(latent_variance(law, c))


@density.register
def _(law: NonlinearGP, c: int, x: np.ndarray) -> np.ndarray:
    require_centred(law, "The density of a site")
    g, z = _gain(law, c), float(np.sqrt(class_statistics(law, c, FLOAT64).normaliser_squared))
    inside = np.abs(z * x) < 1
    u = erfinv(np.where(inside, z * x, 0.0))
    return np.where(inside, z / (2 * np.sqrt(2.0) * g) * np.exp(u * u * (1 - 1 / (2 * g * g))), 0.0)


@density.register
def _(law: GaussianClone, c: int, x: np.ndarray) -> np.ndarray:
    require_centred(law, "The density of a site")
    variance = float(class_statistics(law, c, FLOAT64).variance)
    return np.exp(-x * x / (2 * variance)) / np.sqrt(2 * np.pi * variance)


@singledispatch
def cumulative(law: object, c: int, x: Float[np.ndarray, "*any"]) -> Float[np.ndarray, "*any"]:
    """P(x_j <= x) of one site in class `c`; 0 and 1 beyond the support.

    Raises OutOfReachError for a law whose sites take finitely many values; `values` has their probabilities.

    >>> law = NonlinearGP(4, (2, 1), 1, "open", "none", (1, 0))
    >>> cumulative(law, 0, np.array([-1.0, 0.0, 1.0])).tolist()
    [0.0, 0.5, 1.0]
    """
    return density(law, c, x)  # a law that has no density refuses


@cumulative.register
def _(law: NonlinearGP, c: int, x: np.ndarray) -> np.ndarray:
    require_centred(law, "The distribution of a site")
    return ndtr(erfinv(np.clip(x / largest(law, c), -1, 1)) / _gain(law, c))


@cumulative.register
def _(law: GaussianClone, c: int, x: np.ndarray) -> np.ndarray:
    require_centred(law, "The distribution of a site")
    return ndtr(x / np.sqrt(float(class_statistics(law, c, FLOAT64).variance)))


@singledispatch
def largest(law: object, c: int) -> float:
    """Return the end of the support of one site in class `c`, in units of x: infinite, or 1/Z for erf(g z)/Z.

    Raises OutOfReachError for a law whose support is not known here.

    >>> largest(NonlinearGP(4, (2, 1), 1, "open", "none", (1, 0)), 0)
    1.0
    """
    del c
    raise OutOfReachError(f"The law {type(law).__name__} has no known support of a site.", "Sample it.")


@largest.register
def _(law: NonlinearGP, c: int) -> float:
    require_centred(law, "The support of a site")
    return 1 / float(np.sqrt(class_statistics(law, c, FLOAT64).normaliser_squared))


@largest.register
def _(law: GaussianClone, c: int) -> float:
    del law, c
    return np.inf


@largest.register
def _(law: SinglePulse, c: int) -> float:
    return float(max(values(law, c)))


def values(law: SinglePulse, c: int) -> dict[int, Fraction]:
    """The values of one site in class `c` with their probabilities, ascending.

    >>> law = SinglePulse(40, ((3, 4), (9, 10)), "zero-one", "none", (1, 0))
    >>> {x: str(p) for x, p in values(law, 0).items()}
    {0: '73/80', 1: '7/80'}
    """
    require_centred(law, "The values of a site")
    share, found = lit(law, c, (0,)), flips(law)
    total: dict[int, Fraction] = {}
    for low, high in found:
        for x, p in ((low, 1 - share), (high, share)):
            total[x] = total.get(x, Fraction(0)) + p / len(found)
    return {x: total[x] for x in sorted(total)}


@singledispatch
def excess_kurtosis(law: object, c: int) -> float:
    """E(x - m)^4/(E(x - m)^2)^2 - 3 of one site in class `c`, m its mean; a pure number.

    The absolute error is below 1e-13/(E erf(g z)^2)^2 for the nonlinear Gaussian process, of rounding for the others.

    Raises OutOfReachError for a law without it, and for a site that has a single value.

    >>> excess_kurtosis(GaussianClone(4, (2, 1), 1, "open", "none", (1, 0)), 0)
    0.0
    >>> -2 < excess_kurtosis(NonlinearGP(4, (2, 1), 100, "open", "none", (1, 0)), 0) < -1.9
    True
    """
    del c
    raise OutOfReachError(f"No kurtosis of the law {type(law).__name__}.", "Sample it.")


@excess_kurtosis.register
def _(law: NonlinearGP, c: int) -> float:
    k2 = class_statistics(law, c, FLOAT64).kappa_squared
    fourth = FLOAT64.four_signs(k2, k2, k2, k2, k2, k2)
    square = FLOAT64.sign_pair(k2, 1 - k2 * k2)
    return float(fourth / square**2 - 3)


@excess_kurtosis.register
def _(law: GaussianClone, c: int) -> float:
    del law, c
    return 0.0


@excess_kurtosis.register
def _(law: SinglePulse, c: int) -> float:
    table = values(law, c)
    mean = sum((x * p for x, p in table.items()), Fraction(0))
    second, fourth = (sum((p * (x - mean) ** r for x, p in table.items()), Fraction(0)) for r in (2, 4))
    if second == 0:
        raise OutOfReachError(
            f"Class {c}: every site has the value {mean} always, so that its kurtosis is undefined.",
            "Shorten the widths.",
        )
    return float(fourth / second**2 - 3)
