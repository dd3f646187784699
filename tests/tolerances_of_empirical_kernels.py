"""Tolerances of the tests of kernels that are computed from weights and gates."""

from tests.tolerances import UNIT_ROUNDOFF

# Relative to the largest entry, in float64: for at most 4 layers of at most 8 units an entry is a sum over layers of
# products of sums, with at most 2 x 4 x 8 = 64 roundings one after the other on each side. Terms of both signs cancel:
# the drawn weights have sums of absolute terms at most 16 times as large as the largest entry.
EMPIRICAL_KERNEL = 64 * 16 * UNIT_ROUNDOFF

# Relative, of nu of a kernel with a condition number c: c times the roundings of a solve with at most 40 rows, of which
# the backward error bound of Cholesky's method counts (3 n + 1) for each entry of the factor.
NU_ROUNDINGS = 4 * 40 * UNIT_ROUNDOFF

# A tangent kernel in float32, over its largest entry: products of two sums of 128 terms, through five layers forward
# and back, on both sides of the comparison.
KERNEL_BENCH = 2 * 2 * 5 * 128 * 2.0**-24
