"""Deep linear networks as gated ones with all gates open: deep gated networks, section 8."""

from fractions import Fraction

import sympy
from sympy import Eq

from theory.claims.areas.kernel import _signs
from theory.claims.areas.kernel._symbols import BY_COUNTING, VARIANCE, V, d, layers, nodes, w
from theory.claims.documents import DEEP_GATED_NETWORKS
from theory.claims.misprints import SIGNS_OF_WEIGHTS
from theory.claims.model import Claim, Kind, Level
from theory.claims.rational import rational_by_name
from theory.claims.sources import Source
from theory.kernels import alike
from theory.kernels import mean as library_mean

_SIGNS = r"weights are independent, $\sigma$ or $-\sigma$ with probability 1/2 each"


def _mean(at: dict[str, Fraction]) -> Fraction:
    open_ = (1,) * int(at["w"])
    return _signs.coefficients(int(at["d"]), open_, open_)[0][0] * at["V"] ** (int(at["d"]) - 1)


MEAN = Claim(
    id="kernel.linear.mean",
    title="The mean of the tangent kernel of a deep linear network with one input",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Symbol(r"\mathbb{E}[K_0]", real=True), d * (w * V) ** (d - 1), evaluate=False),
    params=(nodes(1, 3), layers(1, 3), VARIANCE),
    assumptions=(_SIGNS, "$x = 1$, one output, all gates open"),
    sources=tuple(
        Source(
            DEEP_GATED_NETWORKS,
            label,
            printed=d * (w * V) ** (d - 1),
            note=r"$V = \sigma^2$; for $x = 1$; another input multiplies it by $x^2$",
            misprint=SIGNS_OF_WEIGHTS,
        )
        for label in ("Corollary 8.1", "(16)")
    ),
    **rational_by_name(_mean),
    numeric=lambda w, d, V: float(library_mean(alike(w, d))) * V ** (d - 1),
    unchecked={Level.SYMBOLIC: BY_COUNTING},
)

CLAIMS = (MEAN,)
