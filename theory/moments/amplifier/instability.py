"""The flat state of one ReLU neuron under the closure: its fixed point, and the modes that grow around it.

One neuron, no bias, y in {0, 1} with equal priors, on a ring. With the spectra lambda_0(q), lambda_1(q) of the
covariances S_0, S_1 of the classes y = 0 and y = 1, the variance v of a site in class 1, phi that of x/sqrt(v), and
a = S_1 w/sqrt(v w' S_1 w), the closure is

    tau dw/dt = [sqrt(v) phi(a) - (S_0 + S_1) w]/4.

All entries of a flat w have a_0 = sqrt(lambda_1(0)/(n v)), n v the sum of lambda_1. Around the flat fixed point a mode
q != 0 grows at the rate

    [(lambda_0 + lambda_1)(0) E(a_0) lambda_1(q)/lambda_1(0) - (lambda_0 + lambda_1)(q)]/(4 tau),

with the elasticity E = d ln phi/d ln a. So the flat state is unstable if and only if E(a_0) exceeds the least
(1 + r_q)/(1 + r_0), q != 0, where r_q = lambda_0(q)/lambda_1(q).
"""

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from jaxtyping import Float
from scipy.optimize import brentq

from theory.moments.amplifier.float64 import Amplifier, unit_marginal
from theory.moments.inputs import InputStatistics, input_statistics
from theory.problem import InputError, Law, OutOfReachError

# Rounding of the covariances of sites that are shifted along the ring.
_CIRCULANT = 1e-9
_GAIN_DIGITS = 1e-12


@dataclass(frozen=True, eq=False)
class FlatState:
    """The flat fixed point: a_0, E(a_0), its critical value, and the rate of each mode in 1/tau.

    `rates[0]` is that of the flat direction itself, -(lambda_0 + lambda_1)(0)/4; `mode`, the
    wave of q <= n/2 periods, has the critical elasticity.

    >>> FlatState(0.5, 1.1, 1.2, 3, np.array([-1.0, -0.1])).unstable
    False
    """

    a: float
    elasticity: float
    critical: float
    mode: int
    rates: Float[np.ndarray, " n"]

    @property
    def unstable(self) -> bool:
        """Whether a mode grows."""
        return self.elasticity > self.critical


def flat_state(lam0: Float[np.ndarray, " n"], lam1: Float[np.ndarray, " n"], amplifier: Amplifier) -> FlatState:
    """Return the flat state for the spectra of the classes y = 0 and y = 1, in the order of the DFT, of any variance.

    Raises InputError for spectra of different length or with negative numbers. A Gaussian pixel has E = 1: the flat
    state is unstable where some r_q is below r_0.

    >>> from theory.moments.marginal import gaussian_marginal
    >>> gaussian = Amplifier(gaussian_marginal(1.0))
    >>> flat_state(np.array([2.0, 0.5, 1.0, 0.5]), np.array([1.5, 1.0, 0.5, 1.0]), gaussian).unstable
    True
    """
    lam0, lam1 = np.asarray(lam0, float), np.asarray(lam1, float)
    if lam0.shape != lam1.shape or lam0.ndim != 1 or len(lam0) < 2:
        raise InputError("The spectra must be two lists of n >= 2 numbers.", "Give one for each class.")
    n = len(lam0)
    for name, lam in (("y = 0", lam0), ("y = 1", lam1)):
        if not (lam >= 0).all():
            raise InputError(
                f"The spectrum of {name} has the value {lam.min():.3g}; that of a covariance has none below 0.",
                "Give eigenvalues of the covariance matrix, the DFT of its first row.",
            )
    if not lam1[0] > 0:
        raise OutOfReachError("lambda_1(0) = 0: there is no flat fixed point.", "Give class y = 1 a flat component.")
    a = float(np.sqrt(lam1[0] / lam1.sum()))
    if a >= 1:
        raise OutOfReachError(
            "lambda_1(q) = 0 for all q > 0: all sites are equal, and a_0 = 1.",
            "Give class y = 1 a shorter correlation.",
        )
    elasticity = float(amplifier.elasticity(a))
    both = lam0 + lam1
    rates = (both[0] * elasticity * lam1 / lam1[0] - both) / 4
    rates[0] = -both[0] / 4
    with np.errstate(divide="ignore"):
        needed = np.where(lam1[1:] > 0, both[1:] / np.where(lam1[1:] > 0, lam1[1:], 1.0), np.inf) / (both[0] / lam1[0])
    place = int(np.argmin(needed))
    # Modes q and n - q are one wave; which of the two has the least number is a matter of rounding.
    mode = min(place + 1, n - place - 1)
    return FlatState(a, elasticity, float(needed[place]), mode, rates)


def flat_state_of(law: Law) -> FlatState:
    """Return the flat state for a law on a ring with the labels 1 and 0.

    Raises InputError for other labels or priors, for class means, and for covariances that are not circulant.

    >>> from theory.problem import NonlinearGP
    >>> law = NonlinearGP(40, (3, 1), 3, "ring", "unit-variance", (1, 0))
    >>> flat_state_of(law).unstable
    True
    """
    zero, one = _classes(law)
    each = [input_statistics(law, c) for c in (zero, one)]
    lam0, lam1 = (_spectrum(statistics) for statistics in each)
    return flat_state(lam0, lam1, Amplifier(unit_marginal(each[1].marginal(0))))


def critical_gain(law: Law, low: float, high: float) -> float:
    """Return the gain between `low` and `high` at which the flat state becomes unstable, or stable again.

    Raises OutOfReachError where both ends are on the same side.

    >>> from theory.problem import NonlinearGP
    >>> law = NonlinearGP(40, (3, 1), 1, "ring", "unit-variance", (1, 0))
    >>> 0 < critical_gain(law, 0.05, 5.0) < 5
    True
    """
    if not hasattr(law, "gain"):
        raise InputError(f"The law {law.law} has no gain.", "Give a law with data.gain.")

    def excess(gain: float) -> float:
        found = flat_state_of(replace(law, gain=Fraction(gain)))
        return found.elasticity - found.critical

    at = excess(low), excess(high)
    if (at[0] > 0) == (at[1] > 0):
        side = "unstable" if at[0] > 0 else "stable"
        raise OutOfReachError(
            f"The flat state is {side} at the gains {low:g} and {high:g} (elasticity less its critical value: "
            f"{at[0]:.3g} and {at[1]:.3g}).",
            "Give a bracket at whose ends it differs.",
        )
    return float(brentq(excess, low, high, xtol=_GAIN_DIGITS, rtol=_GAIN_DIGITS))


def _classes(law: Law) -> tuple[int, int]:
    """The classes y = 0 and y = 1."""
    labels = [float(label) if not isinstance(label, tuple) else None for label in law.labels]
    if sorted(label for label in labels if label is not None) != [0.0, 1.0] or len(labels) != 2:
        raise InputError("The closure is that of two classes with the labels 1 and 0.", "Set labels = [1.0, 0.0].")
    if len(set(law.probabilities)) > 1:
        raise InputError("The closure is that of two classes with equal priors.", "Leave data.priors out.")
    return labels.index(0.0), labels.index(1.0)


def _spectrum(statistics: InputStatistics) -> Float[np.ndarray, " n"]:
    C, mean = statistics.covariance, statistics.mean
    scale = C[0, 0]
    if np.abs(mean).max() > _CIRCULANT * np.sqrt(scale):
        raise InputError("A class has a mean; the closure is that of inputs of mean 0.", "Leave data.means out.")
    first = C[0]
    shifted = np.stack([np.roll(first, k) for k in range(len(first))])
    if np.abs(C - shifted).max() > _CIRCULANT * scale:
        raise InputError(
            "A covariance is not circulant: the sites are not alike under shifts.", 'Use boundary = "ring".'
        )
    # Rounding may leave eigenvalues of a positive semidefinite matrix a little below zero.
    lam = np.fft.fft(first).real
    if lam.min() < -_CIRCULANT * scale * len(first):
        raise InputError(f"A covariance has the eigenvalue {lam.min():.3g}.", "Give a covariance.")
    return np.maximum(lam, 0.0)
