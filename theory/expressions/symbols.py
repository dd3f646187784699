"""The symbols that several packages share, each with one set of assumptions."""

import sympy

g = sympy.Symbol("g", positive=True)  # gain of the erf nonlinearity
rho = sympy.Symbol("rho", real=True)  # correlation of two latent sites
t = sympy.Symbol("t", nonnegative=True)  # time
# The parameter of the path of Price's theorem; the assumption `prime` distinguishes it from a user's symbol t.
path = sympy.Symbol("t", nonnegative=True, prime=False)
path_ = sympy.Symbol("t_", nonnegative=True, prime=False)
tau = sympy.Symbol("tau", positive=True)  # time constant of gradient flow
K = sympy.Symbol("K", integer=True, positive=True)  # number of units
n = sympy.Symbol("n", integer=True, positive=True)  # number of inputs


def z(index: int) -> sympy.Symbol:
    """Return the Gaussian variable z1, z2, ..., counted from 1 in the order of the covariance matrix.

    >>> z(1), z(1) is z(1), z(12).is_real
    (z1, True, True)
    """
    return sympy.Symbol(f"z{index}", real=True)
