"""The tolerances of tests of correlations, by name, each with its derivation as in tests/tolerances.py."""

from tests.tolerances import UNIT_ROUNDOFF

# R(d) is at most 1 in size, from some dozen roundings; the argument of exp and cos, at most 12 here, carries its
# own rounding into the value: 12 eps, twice.
CORRELATION = (12 + 2 * 12) * UNIT_ROUNDOFF

# F^T F of Fourier modes on at most 16 x 16 sites: 256 products of size <= 1/16 in sum, an FFT of 8 stages on either
# side, and the eigenvalues, sums of 256 numbers in 8 stages.
EMBEDDED = 3 * 8 * 16 * UNIT_ROUNDOFF

# A ball of 60 bits rounded to float64: one rounding of each, relative or of a number of size 1.
GAP_FLOAT64 = 2 * UNIT_ROUNDOFF

# The sum of the eigenvalues against the trace: 20 eigenvalues, each right to 20 roundings of the largest, which the
# trace bounds.
SPECTRUM_TRACE = 20 * 20 * UNIT_ROUNDOFF

# Balls at 40 digits of numbers below 1, through some dozen operations that lose less than five digits.
CERTIFIED_RADIUS = 1e-35

# Eigenvalues of a ring of 20 sites, by FFT: five stages of four roundings of numbers whose sum is below 20.
EDGE_OF_CLIPPING = 20 * 5 * 4 * UNIT_ROUNDOFF
