"""The tolerances of tests of adaptive sweeps, by name, each with its derivation as in tests/tolerances.py."""

from math import sqrt

# Intervals without a change, and points whose interval is counted: enough to see a share that is wrong by a tenth.
REFINE_TRIALS = 2_000

# A count of events with probability p in REFINE_TRIALS independent trials exceeds its mean by six standard errors
# sqrt(p (1 - p)/trials) of the share with probability 1e-9, and p (1 - p) <= 1/4. Trials that share a point with the
# next one are dependent by pairs: the variance is at most three times as large.
REFINE_SHARE = 6 * sqrt(3 / (4 * REFINE_TRIALS))

# Quantiles up to 13 from two libraries: each keeps twelve digits.
REFINE_QUANTILE = 2 * 13e-12
