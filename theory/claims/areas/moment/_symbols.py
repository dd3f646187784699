"""The symbols of the moments through a site gate, and the equation of the normaliser."""

import sympy

from theory.claims.expectations import SECOND_MOMENT, Z_SQUARED

d = sympy.Symbol("d", integer=True)  # distance from the gate's site
xi1, xi2 = sympy.symbols("xi1 xi2", positive=True)  # correlation lengths of y = 1 and y = 0, in sites
NORMALISER = sympy.Eq(SECOND_MOMENT, Z_SQUARED, evaluate=False)
