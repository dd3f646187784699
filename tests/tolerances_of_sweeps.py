"""The tolerances of tests of adaptive sweeps, by name, each with its derivation as in tests/tolerances.py."""

from math import sqrt

from tests.tolerances import UNIT_ROUNDOFF

# Intervals without a change, and points whose interval is counted: enough to see a share that is wrong by a tenth.
REFINE_TRIALS = 2_000

# A count of events with probability p in REFINE_TRIALS independent trials exceeds its mean by six standard errors
# sqrt(p (1 - p)/trials) of the share with probability 1e-9, and p (1 - p) <= 1/4. Trials that share a point with the
# next one are dependent by pairs: the variance is at most three times as large.
REFINE_SHARE = 6 * sqrt(3 / (4 * REFINE_TRIALS))

# The same for the share 0.9 of independent intervals that hold their mean: p (1 - p) = 0.09.
REFINE_COVERAGE = 6 * sqrt(0.09 / REFINE_TRIALS)

# Means of up to 8 numbers in [0, 1] in two orders: at most 32 roundings.
REFINE_MEANS = 32 * UNIT_ROUNDOFF

# Quantiles up to 13 from two libraries: each keeps twelve digits.
REFINE_QUANTILE = 2 * 13e-12


# The bound of a GPU's memory over the bytes that are counted while a Gaussian law is trained: 1.5 for fragments, times
# 12 n + 68 numbers an example where an erf takes 4 n or more, at n = 40: 5.1; states and snapshots add half at most.
GPU_MEMORY = 1.5 * (12 * 40 + 68) / (4 * 40) * 1.5
