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

# A mean of at most 50 products of numbers below 2 in float64, summed in another order.
MEAN_OF_PRODUCTS = 50 * 4 * float(np.finfo(np.float64).eps)

# A percentage in float64: a share of whole numbers, and a few operations on numbers up to 100; so an end of a bar.
ROUNDED = 100 * 8 * float(np.finfo(np.float64).eps)

# Exact moments of a kernel, the map of a kernel of 7 examples, and ratios of losses, in float64, relative or of numbers
# near 1: ten steps with sums of at most 40 products of up to four layers each, four roundings an entry.
KERNEL_LAW = 10 * 4 * 4 * 40 * float(np.finfo(np.float64).eps)
