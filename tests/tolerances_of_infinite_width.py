"""Tolerances of the tests of infinitely wide networks, and of the expectations of sines and cosines."""

from math import exp, pi

from tests.tolerances import UNIT_ROUNDOFF

# A trapezoidal sum of step h over f times the Gaussian density errs by twice the Fourier transform of f exp(-x^2/2) at
# 2 pi/h: for frequencies up to 8 and factors below 1e6 (powers, exponentials) less than 2e6 exp(-(2 pi/h - 8)^2/2).
# It ends at 15, where the density times such factors is below 1e-40.
TRAPEZOID_STEP = 0.3
TRAPEZOID_REACH = 15.0
TRAPEZOID = 2e6 * exp(-((2 * pi / TRAPEZOID_STEP - 8) ** 2) / 2) + 1e-30

# A form of at most 40 terms of size below 10, each right to a few roundings.
WAVES = 40 * 10 * UNIT_ROUNDOFF
