"""The tolerances of `theory.flow.integrators`, each with its derivation; the others are in `tests/tolerances.py`."""

from tests.tolerances import UNIT_ROUNDOFF

# The slope of log error between steps h and h/2 is the order and D h/(2 log 2), D the ratio of the next term of the
# error to the first: of a solution that changes within times of 1 it is at most 8, and h is at most 1/64.
INTEGRATOR_ORDER = 8 / 64 / (2 * 0.69)

# At most 300 steps to t = 7 of sums of six stages, each with a few roundings of y.
INTEGRATOR_ROUNDING = 300 * 8 * UNIT_ROUNDOFF

# Of a flow that contracts, the errors of the steps add up; those that take as much as they may are fewer than 100, as
# the estimate is that of the order below. Relative to what one step allows.
INTEGRATOR_SMOOTH = 100

# With a fast mode at the end of the stable interval the error of a step is neither damped nor amplified, and the
# control rejects what goes beyond the tolerance: some steps' errors are seen at once. Relative likewise.
INTEGRATOR_STIFF = 10
