"""Tolerances of the tests that repeat experiments of the sources."""

import numpy as np

# Spacing of float32 at 1: one rounding is at most half of it, relative to the result.
_FLOAT32 = float(np.finfo(np.float32).eps)

# A tangent kernel in float32, relative to its largest entry: inputs and weights are rounded once, and each of three
# layers adds a sum of six products on the way forward and back, twice for a product of two gradients.
FLOAT32_KERNEL = 4 * 3 * 6 * _FLOAT32

# Errors of at most 10 after three steps in float32: each step of a network of three layers has sums of at most six
# products of numbers below 10, and moves the output by less than its size.
FLOAT32_ERRORS = 10 * 4 * 3 * 6 * _FLOAT32

# The registered margin of the experiments, no rounding: training has left the linearised one where the logarithms of
# both sizes of errors differ by more than 5 %.
LEAVING = 0.05

# nu = y^T K^-1 y of a kernel of 8 images in float64, relative: its condition, below 10^4, times a few hundred roundings
# of the products of up to 784 pixels. The numbers of paths are whole, and their means have a few roundings.
ALIGNMENT = 1e4 * 300 * float(np.finfo(np.float64).eps)

# Rates and ratios of an exact flow in float64, relative: 120 rows of A with a condition below 100, and a logarithm of
# numbers between 1/2 and 1, each with a few roundings of sums of 120 products.
MODE_RATE = 100 * 120 * 40 * float(np.finfo(np.float64).eps)

# What is left of the slowest mode at the end of the trainings of the notes' experiments, which their texts bound.
SLOWEST_MODE = 1 / 500

# A mean of at most 50 products of numbers below 2 in float64, summed in another order.
MEAN_OF_PRODUCTS = 50 * 4 * float(np.finfo(np.float64).eps)

# Sum of the differences of all weights after steps of Adam in float32, over the sum of their moves: a gradient of a
# convolution is a sum over 32 images and 32 x 32 positions, whose roundings add up like their square root, and Adam
# divides a gradient by its own size, which keeps relative errors.
FLOAT32_MOVES = (32 * 32 * 32) ** 0.5 * _FLOAT32

# A percentage in float64: a share of whole numbers, and a few operations on numbers up to 100; so an end of a bar.
ROUNDED = 100 * 8 * float(np.finfo(np.float64).eps)

# Exact moments of a kernel, the map of a kernel of 7 examples, and ratios of losses, in float64, relative or of numbers
# near 1: ten steps with sums of at most 40 products of up to four layers each, four roundings an entry.
KERNEL_LAW = 10 * 4 * 4 * 40 * float(np.finfo(np.float64).eps)

# Losses over that at the start after at most 24 steps in float32, relative: each step adds the roundings of sums of at
# most 784 products in seven layers, on the way forward and back, which add up like the square root of their number.
FLOAT32_COURSE = 24 * 2 * 7 * 784**0.5 * _FLOAT32
