"""Tolerances of the tests of elliptical laws and mixtures, each with its derivation, as in tests/tolerances.py."""

import numpy as np

from tests.tolerances import UNIT_ROUNDOFF

# An elliptical example r z: sums of at most 25 squares and 9 coloured numbers, and a root, relative to the largest; on
# the sphere also the inverse of a covariance of condition 100.
SIM_SCALED = 1000 * UNIT_ROUNDOFF

# |x|^2/n - 1 on the ellipsoid of neighbours correlated by exp(-25): twice that for each of at most six sites.
SIM_NEIGHBOURS = 12 * float(np.exp(-25))

# The square of a number of variance 1 has the standard deviation sqrt(2) if it is normal, sqrt(4/5) if it is uniform.
SIM_SQUARES = float(np.sqrt(2))

# Gauss-Legendre sums of 80 nodes over t^k exp(-t^2/2) on [0, 14], k <= 10: they converge geometrically, and 60 nodes
# differ from 80 by less than 1e-12 of the sum; roundings of 80 x 80 x 80 terms of size up to 10 add less.
ELLIPTICAL_QUADRATURE = 1e-11

# Moments up to the second of a scale by the trapezoidal rule in log r, whose error is below the rounding of some 500
# terms with exponents up to 100.
SCALE_RULE = 500 * 100 * UNIT_ROUNDOFF

# Gauss-Legendre sums of 80 nodes on panels that double, of a density that is itself such a sum, good to 1e-13; the
# Student t of 9 degrees of freedom has x^2 p(x) < x^-8 beyond the last panel, at 1e4.
MARGINAL_INTEGRAL = 1e-12

# The moments of a mixture beside sums of those of its components: at most ten terms of size up to 6, added in another
# order, and kurtoses of size 20.
MIXTURE_SUM = 256 * UNIT_ROUNDOFF
