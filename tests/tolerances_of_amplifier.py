"""Tolerances of the localization amplifier, each with its derivation."""

# E h(X) = int h'(x) P(|X| > x) dx with h' <= 1.2: 1 - P(X <= x) is rounded to 2e-16 on a range of at most 40, and a
# tail of probability 3e-16 is left out, |x| < 40 there; 100 panels may each miss 1e-14 of the range.
AMPLIFIER_FLOAT64 = 1e-10
# Fifteen certified digits of numbers below 1, and twenty digits of the quadrature beside them.
AMPLIFIER_CERTIFIED = 2e-15
# A central difference with the step h = 1e-5 or 2^-20 errs by h^2 times third derivatives of some 10, and by the error
# of phi, here 1e-10 at most, over h.
AMPLIFIER_JACOBIAN = 2e-5
# Standard errors of a studentised difference: P(|N| > 5) = 6e-7, for a few dozen comparisons with fixed seeds.
STUDENTISED = 5.0
# Forty certified digits of a number below 1: a radius of half a unit of the last one.
AMPLIFIER_FORTY_DIGITS = 10.0**-39
