"""Tolerances of the tests of tangent kernels."""

# Eigenvalues of order 1 of a symmetric matrix of four rows: a few units of rounding for each row, 2e-16 x 4 x 10.
EIGENVALUES = 1e-14

# Kernels of small networks in float32 against float64: each of the d terms is a product of sums of a few numbers, with
# a relative rounding of 6e-8 for each of at most 30 operations.
FLOAT32_KERNEL = 2e-6

# Stored numbers have ten significant digits; a formula with 15 digits loses two to the difference of its terms.
STORED_DIGITS = 1e-9
