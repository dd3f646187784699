"""Tolerances of the tests that train families of deep networks."""

from tests.tolerances import SIM_GRADIENT, UNIT_ROUNDOFF

# Four epochs of 11 examples in batches of 4, 4 and 3.
STEPS = 12

# Weights of float64 after at most 12 steps, relative to the largest weight. A step of plain descent adds less than a
# tenth of a gradient, whose rounding errors SIM_GRADIENT bounds. Adam and RMSprop divide each entry by its own size: a
# step is at most 0.07 of the weights, and an entry 100 times smaller than the largest has a relative error of 100
# SIM_GRADIENT, which is 7 SIM_GRADIENT a step. Steps this small let errors grow by at most a few per cent each, which
# the eighth SIM_GRADIENT covers.
DEEP_TRAINING = 8 * STEPS * SIM_GRADIENT

# Mean losses of the set, in float64: sums of 11 penalties, each with a pass through three layers.
DEEP_LOSS = 11 * 4 * 50 * UNIT_ROUNDOFF
