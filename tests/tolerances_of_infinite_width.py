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

# A mean over two Gaussians by 480 x 320 Gauss-Legendre nodes between kinks, in panels of 20 nodes and of width 1 to 3:
# the rule errs by less than 1e-17 for integrands that vary on the scale 1/3 and slower, which is that of the inner
# integral at the correlation 0.95. So the roundings of 150,000 terms remain, sqrt(150,000) = 390 of them relative to
# E s(z)^2, itself below 4. The integrals end at 12 standard deviations.
DUAL_QUADRATURE = 390 * 4 * UNIT_ROUNDOFF
DUAL_REACH = 12.0

# Three layers of a kernel, each a dual by quadrature times the slopes of the layers after it, which are below 8 here
# together; variances, covariance and slope of each layer carry the error of the quadrature.
RECURSION_QUADRATURE = 3 * 4 * 8 * DUAL_QUADRATURE

# Float64 through three layers: a form of up to 30 terms of size at most 4 in each layer, with slopes below 8.
GRAM_ROUNDED = 30 * 4 * 8 * UNIT_ROUNDOFF

# The same in float32.
GRAM_SINGLE = GRAM_ROUNDED * 2.0**29

# A change of the covariance by the factor 1 + r of rounding of float64 shifts a ReLU's slope by sqrt(2 r)/pi at
# correlation 1, and a kernel of depth 3 by the sum over its layers, at most three times as much.
NEAR_EQUAL = 3 * (2 * 4 * UNIT_ROUNDOFF) ** 0.5

# Standard errors between means over drawn networks and an exact mean; the seed is fixed.
WIDE_STANDARD_ERRORS = 5.0
