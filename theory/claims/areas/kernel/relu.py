"""ReLU gates depend on the weights: the mean kernel differs from that of independent gates (deep gated networks)."""

from fractions import Fraction
from functools import lru_cache

import numpy as np
import sympy
from sympy import Eq, Rational

from theory.claims.areas.kernel._symbols import BY_COUNTING
from theory.claims.documents import DEEP_GATED_NETWORKS
from theory.claims.model import Claim, Kind, Level
from theory.claims.rational import rational
from theory.claims.sources import Says, Source

_WIDTH = 3
_UNCHECKED = {
    Level.SYMBOLIC: BY_COUNTING,
    Level.FLOATING: "the library's moments are for gates that are independent of the weights",
}
_NETWORK = (
    r"weights are independent, $\pm 1$ with probability 1/2 each; three layers, three nodes in each hidden level, one "
    "input node with $x = 1$, a gate is open where its preactivation is positive"
)


@lru_cache(maxsize=1)
def _counted() -> tuple[Fraction, Fraction]:
    """E K0 and the share of open gates of the second level, over all signs."""
    number = 2 * _WIDTH + _WIDTH**2
    signs = 1 - 2 * (np.arange(2**number)[:, None] >> np.arange(number) & 1)
    first, last = signs[:, :_WIDTH], signs[:, -_WIDTH:]
    middle = signs[:, _WIDTH:-_WIDTH].reshape(-1, _WIDTH, _WIDTH)
    one = first > 0
    z1 = first * one
    q2 = (middle @ z1[..., None])[..., 0]
    two = q2 > 0
    back2 = last * two
    back1 = (back2[:, None] @ middle)[:, 0] * one
    kernel = ((q2 * two) ** 2).sum(1) + (back2**2).sum(1) * (z1**2).sum(1) + (back1**2).sum(1)
    return Fraction(int(kernel.sum()), len(signs)), Fraction(int(two.sum()), two.size)


MEAN = Claim(
    id="kernel.relu.mean",
    title="The mean kernel of a small ReLU network is not that of gates independent of the weights",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Symbol(r"\mathbb{E} K_0", real=True), Rational(45, 8), evaluate=False),
    assumptions=(_NETWORK,),
    sources=(
        Source(
            DEEP_GATED_NETWORKS,
            "Assumption 2",
            says=Says.UNSTATED,
            note=r"as the paper says, ReLU gates do not satisfy it; with independent gates, open with probability 1/2, "
            r"the mean is $3 (3/2)^2 = 27/4$",
        ),
    ),
    **rational(lambda _point: _counted()[0]),
    unchecked=_UNCHECKED,
)

OPEN = Claim(
    id="kernel.relu.open_share",
    title="With weights of two values fewer than half of the gates of a second ReLU level are open",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Symbol(r"\mathbb{E}[G(2, i)]", real=True), Rational(11, 32), evaluate=False),
    assumptions=(_NETWORK,),
    sources=(
        Source(
            DEEP_GATED_NETWORKS,
            "section 2",
            says=Says.UNSTATED,
            note=r"the section expects “roughly half the number of activations to be on”; a preactivation of few "
            r"weights $\pm 1$ is often 0, and a weight of a symmetric density has none of these ties",
        ),
    ),
    **rational(lambda _point: _counted()[1]),
    unchecked=_UNCHECKED,
)

CLAIMS = (MEAN, OPEN)
