"""Tolerances of Gaussian averages with means as parameters, and given observations."""

# Gauss-Legendre sums of 40 nodes on intervals of two standard deviations reproduce smooth integrands to rounding, and
# 12 standard deviations leave 4e-33 outside. Some 1e4 terms of float64 lose less than 1e4 epsilon = 2e-12 of the mean
# absolute value of the integrand, which is below 10 in these cases.
NODES = 2e-11

# An integral over the observed value of closed forms in float64, each of which has an absolute error below 1e-12 times
# terms of size 10, besides the rounding above.
TOTAL = 5e-11
