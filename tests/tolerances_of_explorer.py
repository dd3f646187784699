"""Tolerances of what the page of the explorer shows."""

# A number shown to six significant digits: half a unit of the last is at most 5e-6 of the number. erf(a z) with
# |z| <= 1 changes by at most 2/sqrt(pi) < 1.2 times the change of a.
SHOWN_DIGITS = 1e-5
