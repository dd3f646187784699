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

# Outputs of float64 of convolutional and residual networks, relative to the largest output or 1: at most seven layers
# of at most 18 terms, with a skip and a mean over at most 12 positions each, and the error of a soft gate (see
# DEEP_PASS).
LAYERS_PASS = (7 * (18 + 1 + 12 + 2) * (1 + 4) + 7 * 45) * UNIT_ROUNDOFF

# Their gradients, relative to the largest entry. Rounding errors are random. A sum over 11 examples and at most 30
# positions has sqrt(330) = 18 of them, seven layers forward and back 14 sqrt(18) = 60: less than 100, where
# SIM_GRADIENT has 50.
LAYERS_GRADIENT = 2 * SIM_GRADIENT

# Their weights after at most 12 steps: DEEP_TRAINING with these gradients.
LAYERS_TRAINING = DEEP_TRAINING / SIM_GRADIENT * LAYERS_GRADIENT

# Mean losses of the set, in float64: sums of 11 penalties, each with a pass through three layers.
DEEP_LOSS = 11 * 4 * 50 * UNIT_ROUNDOFF

# Weights of float32 after 3 steps, norm over norm, between two ways to train networks of 784 inputs. A step moves the
# weights by at most a 20th of their norm, with random rounding errors: sqrt(784) roundings an entry on both sides.
DEEP_BENCH = 3 * 0.05 * 2 * 784**0.5 * 2.0**-23

# Levels less their mean, over their standard deviation: float64 sums of up to 102,400 levels a channel, with a rounding
# for each term, in the mean and in the variance, whose root halves its error. Levels are within 3 deviations.
STANDARD_LEVELS = 3 * 1.5 * 102_400 * UNIT_ROUNDOFF

# sin(k t) and the imaginary part of x^k, for k up to 20: the angle 2 pi and its multiples have three roundings, a sine
# and a cosine one each, and each of the k products three; an error of t or of x enters k times.
CIRCLE = 20 * (3 * 2 * 3.15 + 2 + 3) * UNIT_ROUNDOFF


# Outputs of linearised networks after at most 12 steps, relative to the largest one: weights as in LAYERS_TRAINING, and
# a pass through them, whose gradients LAYERS_GRADIENT bounds.
LINEARISED = LAYERS_TRAINING + LAYERS_GRADIENT
