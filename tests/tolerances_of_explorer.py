"""Tolerances of what the page of the explorer shows."""

from tests.tolerances import UNIT_ROUNDOFF

# A number shown to six significant digits: half a unit of the last is at most 5e-6 of the number. erf(a z) with
# |z| <= 1 changes by at most 2/sqrt(pi) < 1.2 times the change of a.
SHOWN_DIGITS = 1e-5

# A Fourier sum of n <= 12 terms (twice that where it is a double sum), each with a cosine of an argument below 2 pi 12,
# whose rounding moves it by at most 76 units, and the sums' own n roundings: relative to the sum of the terms' sizes.
SPECTRUM = (2 * 76 + 4 * 12) * UNIT_ROUNDOFF

# A stored ratio has six decimals. Training in float64 on another machine differs by rounding, 1e-12 over 32 steps.
STORED_RATIO = 0.5e-6 + 1e-9

# A number that a slider writes with twelve significant digits: half a unit of the last is at most 5e-12 of the number.
SLIDER_DIGITS = 5e-12

# A closed form of at most 20 operations beside the library's, whose functions are right to a few roundings; the terms
# of a chain in a field, at most 3 times their sum, lose as much. Relative to the second moment of one site.
CLOSED_FORM = 64 * UNIT_ROUNDOFF
