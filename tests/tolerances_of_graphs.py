"""The tolerances of tests of gated graphs, by name, each with its derivation as in tests/tolerances.py."""

from tests.tolerances import UNIT_ROUNDOFF

# The gradient flow of a gated graph by its paths against autograd, relative to the largest entry: up to 30 paths of at
# most five products of 2 x 4 matrices, with moments summed over 30 examples. Terms of different paths cancel; in 40
# random graphs the sum of their sizes is below 100 times the result.
GRAPH_FLOW = 100 * 40 * UNIT_ROUNDOFF
# The integrator of a graph's flow keeps a relative error of 1e-10 a step and takes fewer than 100 steps to these
# times, at which the flows contract or grow by a factor below 10.
GRAPH_INTEGRATED = 1e-10 * 100 * 10
# One hidden layer: up to t = 20 tau all its modes contract, so that errors of fewer than 100 steps add up at most.
GRAPH_SHALLOW = 1e-10 * 100
# Gradient descent of a graph against the Euler map of its moments: 320 steps, each with roundings of sums over 4,000
# examples and products of four matrices of size 1 to 2, in a flow that may double an error four times over.
GRAPH_DESCENT = 320 * 64 * 16 * UNIT_ROUNDOFF

# The strength of a path, computed twice: a product of at most four matrices of at most four units and its norm, so at
# most 4 x 4 + 16 roundings on each side, relative to the product of the norms, which is below 16 times the result here.
GRAPH_STRENGTH = 2 * 32 * 16 * UNIT_ROUNDOFF

# Singular values of a sum of three 2 x 2 products, from their squares by trace and determinant: the roundings of the
# squares, relative to the largest one; the smaller singular value loses the ratio of both.
GRAPH_MODES = 4 * GRAPH_STRENGTH

# Examples made from the second moments of a context, d = 3: the eigensolver, the root and its square each err by at
# most 4 d roundings of the largest eigenvalue, and what counts as 0 is below 4 d of them.
TABLE_MADE = 4 * 4 * 3 * UNIT_ROUNDOFF

# Moments of a table in float64, relative to the largest: sums over 40 examples with weights and gates of a few
# roundings each, and a soft gate of 16 more (SOFT_GATE).
TABLE_SUM = (40 + 4 + 16) * UNIT_ROUNDOFF

# The flow from such moments against that of the same data in fractions: a condition of at most 1,000, of moments and
# labels up to 10.
TABLE_FLOW = TABLE_SUM * 1e3 * 10

# Scalar modes beside the whole network, both integrated with a relative error of 1e-13 a step: at most 1,000 steps, and
# a growth below 10. It covers singular vectors in float64, too: hundreds of roundings over gaps of 1e-3.
GRAPH_RACE = 1e-13 * 1_000 * 10

# Of a number that is printed with two digits, relative to it.
TWO_DIGITS = 0.05

# Closed forms of deep linear networks: fewer than 30 roundings of sums of positive terms and of orthogonal matrices of
# up to seven rows. Relative; a test multiplies it by the condition, 1 + the rate times t for an exponential.
DEEP_FLOAT = 64 * UNIT_ROUNDOFF

# What Arb leaves unknown of each piece of an integral that stands for the exact value of such a form, relative: the
# balls of a hundred pieces add up to 1e-20, six digits below it.
DEEP_INTEGRAL = 1e-22

# The relative error a step that DOP853 is asked for on the unreduced flow, in fewer than 1,000 steps to these times.
DEEP_STEP = 1e-12
DEEP_ODE = 1000 * DEEP_STEP

# The limit of a layered network: its strengths have the roundings of a closed form, and the gradient there is a sum of
# at most 64 products of them. Relative to the size of its terms.
LAYERED_LIMIT = 64 * DEEP_FLOAT


# A mode of a routing network: the time is a quadrature with a relative error of 1e-13, and the number of the roundings
# of its places, its limit and the strength that is asked for is below ten of those. The strength at a time is the
# inverse: its error is that of the time, times a velocity below 1.
ROUTING_TIME = 10 * 1e-13
