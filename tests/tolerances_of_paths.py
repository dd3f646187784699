"""Tolerances of the tests of paths and deep networks."""

from tests.tolerances import UNIT_ROUNDOFF

# A soft gate in float64: the exponent beta q is rounded once, which moves exp by |beta q| <= 40 roundings; the
# exponential, the sum, the quotient and the product with 1 + epsilon add five more.
SOFT_GATE = 45 * UNIT_ROUNDOFF

# An output of float64 through at most four levels of at most twelve nodes, relative to the sum of the absolute values
# of its paths: 4 (12 + 2) roundings of sums and products, and at each level the error of a soft gate, whose exponent
# carries the error of the preactivation times beta <= 4.
DEEP_PASS = (4 * (12 + 2) * (1 + 4) + 4 * 45) * UNIT_ROUNDOFF
# The same in float32.
DEEP_PASS_SINGLE = DEEP_PASS / UNIT_ROUNDOFF * 2.0**-23
