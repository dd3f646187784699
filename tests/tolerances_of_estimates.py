"""The tolerances of tests of estimated moments, by name, each with its derivation as in tests/tolerances.py."""

from tests.tolerances import UNIT_ROUNDOFF

# Sums of 1,000 terms in two orders: at most 1,000 roundings of the largest sum of squares.
ESTIMATED_SUMS = 1_000 * UNIT_ROUNDOFF

# A redundant site has an eigenvalue of a few roundings, which is held with those up to 3.6e-9 of the largest; what
# moves is then accurate to WORST_ERROR of theory.flow.linear.accuracy.
ESTIMATED_HELD = 1e-6

# All numbers whose intervals are counted together (Bonferroni): one false alarm in a hundred choices of the seeds,
# which are fixed.
COVERAGE_LEVEL = 0.01
