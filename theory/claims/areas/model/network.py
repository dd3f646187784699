"""A network with one hidden layer. Localization notes, eq. (1)."""

import sympy
from sympy import Eq, Sum

from theory.claims.areas.model._definition import W1, W2, b1, definition, output
from theory.claims.documents import NOTES
from theory.claims.gradient_flow import j, k, x
from theory.claims.sources import Source
from theory.expressions.symbols import K, n

activation = sympy.Function("sigma")
b2 = sympy.Symbol("b2", real=True)

NETWORK = definition(
    "model.network.definition",
    "A network with one hidden layer",
    Eq(
        output,
        Sum(W2[k] * activation(Sum(W1[k, j] * x[j], (j, 1, n)) + b1[k]), (k, 1, K)) + b2,
        evaluate=False,
    ),
    (Source(NOTES, "(1)"),),
    r"$x \in \mathbb{R}^n$, one output, $K$ hidden units; in the runs that are described $W_2$ is fixed, each entry "
    "$1/K$",
)

CLAIMS = (NETWORK,)
