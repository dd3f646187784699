"""Gates of ReLU units on the input, 1[w.x >= 0] with x = erf(gain z)/Z: exact moments and three approximations.

Parity (x and -x have the same law) gives, for all w and v, E[g] = 1/2, E[g x x^T] = Cov(x)/2 and
E[1_w 1_v x_k] = (E[1_w x_k] + E[1_v x_k])/2. E[1_w x_k] is exact for one site, for two weights of equal size
(x_i +- x_j has the sign of z_i +- z_j), and one integral for two other weights: see `two_sites`. Three weights or more
would need as many integrals; for them there are approximations, each returned with its regime of validity. Source:
localization map, section 5, item 11; notes, eq. (2).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float
from scipy.special import erf

from theory.moments.arithmetic import FLOAT64
from theory.moments.directions import Direction, Entries, half_space, same_sign_on_latent, side
from theory.moments.statistics import ClassStatistics, Stationary, all_lags, class_statistics, require_centred
from theory.moments.two_sites import through_two_sites
from theory.problem import DirectionGate, Erf, GaussianClone, InputError, OutOfReachError

Weights = Sequence[Any] | Mapping[int, Any]


@dataclass(frozen=True)
class GateMoment:
    """E[1[w.x >= 0] x_k | class] for every k, the method, and where it holds.

    If `exact` is True the formula is exact, and `regime` states the error of `value`. Otherwise `regime` is the limit
    in which the formula becomes exact. Its error away from the limit is not known; measured errors are in the book.

    At large gain x_k = sign(z_k), so that E[1[x_1 >= 0] x_1] = 1/2:

    >>> from theory.problem import NonlinearGP
    >>> law = NonlinearGP(4, (2, 1), 10**6, "open", "unit-variance", (1, 0))
    >>> moment = exact_moment(law, 0, {1: 1})
    >>> moment.value[1].round(5).item(), moment.form, moment.exact
    (0.5, 'site', True)
    """

    value: Float[np.ndarray, " n"]
    form: str
    exact: bool
    regime: str


def exact_moment(law: Stationary, c: int, w: Weights) -> GateMoment:
    """E[1[w.x >= 0] x_k | class c] where it is exact: w at one or two sites; any w where x is Gaussian or elliptical.

    One site, or two weights of equal size: (1/(pi Z)) asin(kappa r_k), r_k the correlation of z_k with w.z. Two other
    weights: the integral of `two_sites`, absolute error below 1e-13/Z. Raises OutOfReachError for three
    sites or more of the nonlinear process; InputError for a w that is no nonzero vector of n numbers.

    >>> from theory.problem import NonlinearGP
    >>> law = NonlinearGP(4, (1, 2), 1, "open", "unit-variance", (1, 0))
    >>> bool((exact_moment(law, 0, {1: -3}).value == -exact_moment(law, 0, [0, 1, 0, 0]).value).all())
    True
    """
    entries = _entries(law, w)
    statistics = class_statistics(law, c, FLOAT64)
    if not law.latent:
        form = "gaussian" if isinstance(law, GaussianClone) else "elliptical"
        return GateMoment(_half(statistics, entries), form, True, "any w; rounding")
    if same_sign_on_latent(entries):
        form = "site" if len(entries) == 1 else "two equal sites"
        return GateMoment(_half(statistics, entries), form, True, "any gain; rounding")
    if len(entries) == 2:
        return GateMoment(through_two_sites(statistics, entries), "two-site integral", True, "any gain; 1e-13/Z")
    raise OutOfReachError(
        f"E[1[w.x >= 0] x] with w at {len(entries)} sites is an integral over {len(entries)} variables without a known "
        "reduction, as x = erf(gain z)/Z is not Gaussian.",
        "Simulate it, or take an approximation: for a small gain, the gate that reads the latent z in place of x; for "
        "weights on many sites, w.x with a Gaussian distribution. The page on ReLU gates of the book has their errors.",
    )


def latent_direction(law: Stationary, c: int, w: Weights) -> GateMoment:
    """Replace the gate by 1[w.z >= 0] on the latent: (1/(pi Z)) asin(kappa (Rw)_k/sqrt(w'Rw)).

    Regime: gain -> 0 at any w, since erf(g z) = (2 g/sqrt(pi)) z (1 + O(g^2)); exact at every gain for one site and
    for two weights of equal size.

    >>> from theory.problem import NonlinearGP
    >>> law = NonlinearGP(4, (2, 1), 1, "open", "unit-variance", (1, 0))
    >>> bool((latent_direction(law, 0, {2: 1}).value == exact_moment(law, 0, {2: 1}).value).all())
    True
    """
    entries = _entries(law, w)
    value = _half(class_statistics(law, c, FLOAT64), entries)
    return GateMoment(value, "latent-direction", not law.latent or same_sign_on_latent(entries), "gain -> 0")


def clt(law: Stationary, c: int, w: Weights) -> GateMoment:
    """Treat w.x and x_k as jointly Gaussian (Bussgang): (Cw)_k/sqrt(2 pi w'Cw), C = Cov(x).

    Regime: many sites, w spread over them, xi fixed (a central limit theorem for w.x: the share of x_k in it vanishes);
    also gain -> 0, where x is Gaussian. Exact on the Gaussian clone.

    >>> from theory.problem import NonlinearGP
    >>> law = NonlinearGP(4, (2, 1), 1, "open", "unit-variance", (1, 0))
    >>> clt(law, 0, [1, 1, 1, 1]).regime
    'w spread over many sites, or gain -> 0'
    """
    C, values = _covariance(law, c), _vector(law, w)
    value = C @ values / np.sqrt(2 * np.pi * (values @ C @ values))
    return GateMoment(value, "clt", isinstance(law, GaussianClone), "w spread over many sites, or gain -> 0")


def large_gain(law: Stationary, c: int, w: Weights) -> GateMoment:
    """Take w.x as Gaussian given x_k = +-s: (s/2) erf((Cw)_k/sqrt(2 (s^2 w'Cw - (Cw)_k^2))), s^2 = C_kk.

    For binary x_k the conditional mean x_k (Cw)_k/s^2 and variance w'Cw - (Cw)_k^2/s^2 of w.x are exact; only
    the Gaussian shape is approximate. Regime: gain -> oo (binary x) *and* w spread over many sites. For w at one site
    the formula gives the limit s/2; for two unequal weights its error remains as gain -> oo. It is the formula of
    the reference code up to a factor, erf(D C w/sqrt2) with D = diag(w'Cw - (Cw)_k^2)^(-1/2) at unit variance.

    >>> from theory.problem import NonlinearGP
    >>> law = NonlinearGP(4, (2, 1), 1, "open", "unit-variance", (1, 0))
    >>> bool(abs(large_gain(law, 0, {1: 1}).value[1] - 0.5) <= 8 * np.finfo(float).eps)  # s/2
    True
    """
    C, values = _covariance(law, c), _vector(law, w)
    along, variance = C @ values, C[0, 0]
    # At least 0 by Cauchy-Schwarz; the difference of two numbers of size w'Cw is rounded by some n eps of that.
    own = variance * (values @ C @ values)
    left = np.where(own - along**2 <= law.n * np.finfo(float).eps * own, 0.0, own - along**2)
    with np.errstate(divide="ignore"):
        value = np.sqrt(variance) / 2 * erf(along / np.sqrt(2 * left))
    return GateMoment(value, "large-gain", False, "gain -> oo and w spread over many sites")


def _entries(law: Stationary, w: Weights) -> Entries:
    """Return the nonzero weights by site; InputError or OutOfReachError unless they fit a law without class means."""
    require_centred(law, "The moment through a ReLU gate")
    if law.latent and not isinstance(law.nonlinearity, Erf):
        raise OutOfReachError(
            f"Moments through ReLU gates are those of x = erf(gain z)/Z, not of {law.nonlinearity.kind}(z)/Z.",
            "Ask its Gaussian clone, or gate a site of the latent.",
        )
    gate = DirectionGate(w, lo=0, on="input")
    if gate.size not in (None, law.n) or gate.sites[-1] >= law.n:
        given = f"{gate.size} numbers" if gate.size is not None else f"a weight at site {gate.sites[-1]}"
        raise InputError(f"w has {given}; the data have n = {law.n} sites.", "Sites count from 0.")
    return gate.v


def _vector(law: Stationary, w: Weights) -> Float[np.ndarray, " n"]:
    """Return w divided by its largest entry."""
    values = np.zeros(law.n)
    entries = _entries(law, w)
    largest = max(abs(number) for _, number in entries)
    for site, number in entries:
        values[site] = float(number / largest)
    return values


def _covariance(law: Stationary, c: int) -> Float[np.ndarray, "n n"]:
    require_centred(law, "The moment through a ReLU gate")
    return class_statistics(law, c, FLOAT64).covariance(all_lags(law))


def _half(statistics: ClassStatistics, entries: Entries) -> Float[np.ndarray, " n"]:
    """E[1[v.u >= 0] x_k] = E[s_v x_k]/2 for the direction of the entries."""
    return side(entries) * half_space(statistics, Direction.of(entries)) / 2
