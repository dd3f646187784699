"""Nonlinearities f of x = f(gain z)/Z, one file for each kind; a new file in this folder is found without being listed.

Uniform, Laplace, logistic, algebraic and quantile are f(z) = Q(Phi(z)) with a quantile function Q: every site has the
distribution of Q, and the sites together have a Gaussian copula.

What is exact in `theory.moments` (everything else is refused by name; all kinds are sampled and trained on):

    erf, uniform, identity, cubic
                              gates at sites and directions, at any threshold, hard and soft, in float64 and certified;
                              soft gates on the input of erf, uniform and cubic in float64
    sign                      the same as far as the features are independent: hard gates at sites, not at 0 at two of
                              them, and soft gates of the latent
    laplace, logistic, algebraic, quantile, tanh
                              gates as for cubic, in float64 by quadrature; a table with values of their own
                              probability as for sign
"""

from theory.problem.discovery import declared
from theory.problem.keys import kind_of
from theory.problem.nonlinearities.base import Nonlinearity

_FIRST = ("erf", "sign", "identity", "cubic", "uniform", "laplace", "logistic", "algebraic", "quantile", "tanh")
NONLINEARITIES: dict[str, type[Nonlinearity]] = declared(__name__, __path__, Nonlinearity, "kind", _FIRST)

__all__ = ["NONLINEARITIES", "Nonlinearity", "nonlinearity_of"]


def nonlinearity_of(value: object, where: str) -> Nonlinearity:
    """Return the nonlinearity that `value` declares: a word, a table with `kind`, or the nonlinearity itself.

    Raises InputError, which names `where`, for an unknown kind and for keys that are missing or unknown.

    >>> nonlinearity_of("sign", "data.nonlinearity"), nonlinearity_of({"kind": "cubic", "c": 1}, "data.nonlinearity")
    (Sign(), Cubic(c=Fraction(1, 1)))
    """
    if isinstance(value, Nonlinearity):
        return value
    kind, given = kind_of(value, where, NONLINEARITIES, "A new one is a file in theory/problem/nonlinearities/.")
    return kind(**given)
