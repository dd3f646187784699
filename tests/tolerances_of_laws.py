"""Tolerances of the data laws, their samplers and their controls, each with its derivation."""

from tests.tolerances import UNIT_ROUNDOFF

# SciPy's least squares stops where a step changes the cost by less than 1e-8 of it, or the parameters by 1e-8: of an
# exact fit, whose cost is quadratic around its minimum, they are then known to the root of that, relative to numbers
# of size up to 10.
FIELD_FIT = 10 * 1e-8**0.5

# A covariance matched by a root in the correlation of the latent, to 1e-15; its derivative is at most kurtosis-like, 2
# for these marginals; the covariances themselves are right to a few roundings, those by series or quadrature to 1e-13.
MATCHED_COVARIANCE = 2e-13

# The same normal numbers coloured in products of other sizes: sums of at most 12 terms of size 7, in another order.
SIM_DRAW = 12 * 7 * UNIT_ROUNDOFF

# Central moments of several pulses, in units of the fourth power of the largest input: 15 products of cumulants with
# coefficients of at most N^2 = 4, each cumulant a sum over at most 40 single pulses with a few roundings more; or one
# sum over at most 200 inputs of products of four. 15 * 4 * 45 roundings.
PULSE_SUMS = 15 * 4 * 45 * UNIT_ROUNDOFF

# Least squares of 14 numbers in float64 by singular values, a few hundred roundings, times a condition of at most 10^3.
GATES_LSTSQ = 300 * 1_000 * UNIT_ROUNDOFF

# Singular values of a few inputs of whole numbers up to 2: those that are not 0 exceed a hundredth, the others are some
# hundred roundings.
GATES_RANK = 1e-9

# Eigenvalues of a matrix of at most 20 rows relative to the largest: those that are 0 are some hundred roundings and
# the errors of quadrature, 1e-13; the others exceed 1e-5.
PIECEWISE_RANK = 1e-10

# Heights of a pulse are rounded to multiples of 2^-20.
PULSE_HEIGHTS = 2**-21

# Means of products of up to 9 spins against their enumeration, absolute: weights exp(E), |E| <= 42, with an error of
# 42 roundings; sums over 512 configurations, pairwise, of 9; the transfer matrix of 4 for each of 9 sites.
SPIN_MEANS = (42 + 9 + 4 * 9) * UNIT_ROUNDOFF

# Without a field they are two powers of r and three operations, each rounded once, relative to the mean.
SPIN_DIGITS = 8 * UNIT_ROUNDOFF

# Weights of size 1 on a kernel whose condition number is below 100.
SPIN_FLOW = 100 * SPIN_MEANS

# Gauss-Legendre sums over 192 x 192 nodes of Gaussian densities on panels of at most 1.5 standard deviations, truncated
# at 9 (P = 2e-19), times numbers up to 40; or integrals by SciPy asked for 1e-14 of six orthants of size 2.
CONDITIONAL_SUMS = 1e-12

# Sums over N <= 4000 rows in float64, relative to the largest of them: N eps, with eps = 2.2e-16.
ROWS_SUMMED = 1e-12
