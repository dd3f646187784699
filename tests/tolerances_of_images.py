"""The tolerances of laws of images, each with its derivation; those of all else are in `tests/tolerances.py`."""

from tests.tolerances import UNIT_ROUNDOFF

# Means of at most 200 numbers of size 1, summed in two orders: 200 roundings each.
PATCH_SUMS = 400 * UNIT_ROUNDOFF

# Counts of drawn positions against their uniform law: one false alarm in 10,000 choices of the seed, which is fixed.
LEVEL_OF_COUNTS = 1e-4

# Statistics of whitened patches: the same sums of products of four factors, each of size 32 at most:
# a whitening matrix has the norm 1/sqrt(floor l_1), here 1/sqrt(0.01 * 0.1).
WHITENED_SUMS = 400 * 32**4 * UNIT_ROUNDOFF
