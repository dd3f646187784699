"""Tolerances of the tests of tangent kernels."""

# Standard errors between a simulated and an exact mean or variance. A normal estimate is farther away with probability
# 6e-7; the seed is fixed. The variance of 40,000 networks is a mean of as many terms, with the standard error that the
# exact fourth cumulant gives.
KERNEL_STANDARD_ERRORS = 5.0

# Eigenvalues of order 1 of a symmetric matrix of four rows: a few units of rounding for each row, 2e-16 x 4 x 10.
EIGENVALUES = 1e-14

# Kernels of small networks in float32 against float64: each of the d terms is a product of sums of a few numbers, with
# a relative rounding of 6e-8 for each of at most 30 operations.
FLOAT32_KERNEL = 2e-6

# Stored numbers have ten significant digits; a formula with 15 digits loses two to the difference of its terms.
STORED_DIGITS = 1e-9
