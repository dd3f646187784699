"""The localization amplifier of a pixel's marginal, phi(a) = E[X erf(X a/sqrt(2 (1 - a^2)))] for |a| < 1.

X has mean 0 and variance 1. If a pixel X and the preactivation h of a ReLU have the correlation a, and h given X is
taken as Gaussian, then E[X sign(h)] = phi(a): a closure, exact for Gaussian inputs.

    float64       phi and its elasticity d ln phi/d ln a, for densities and for finitely many values
    certified     phi to any number of digits, for formulas and for finitely many values
    samples       phi of data, with its standard error
    series        the coefficients at a = 0 from the moments of X
    instability   the flat state of one ReLU neuron under the closure: when it is unstable, and how fast
"""

from theory.moments.amplifier.certified import FormulaMarginal, certified_amplifier
from theory.moments.amplifier.float64 import Amplifier, unit_marginal
from theory.moments.amplifier.instability import FlatState, critical_gain, flat_state, flat_state_of
from theory.moments.amplifier.samples import SampledAmplifier, sampled
from theory.moments.amplifier.series import amplifier_coefficients, elasticity_coefficients

__all__ = [
    "Amplifier",
    "FlatState",
    "FormulaMarginal",
    "SampledAmplifier",
    "amplifier_coefficients",
    "certified_amplifier",
    "critical_gain",
    "elasticity_coefficients",
    "flat_state",
    "flat_state_of",
    "sampled",
    "unit_marginal",
]
