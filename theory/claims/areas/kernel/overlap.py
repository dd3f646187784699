"""The overlap of the active sub-networks of two inputs: deep gated networks, introduction and Lemma 2.4."""

from fractions import Fraction

import sympy
from sympy import Eq

from theory.claims.areas.kernel import _gates
from theory.claims.areas.kernel._symbols import BY_COUNTING, OPEN, d, layers, mu, nodes, w
from theory.claims.documents import DEEP_GATED_NETWORKS
from theory.claims.model import Claim, Kind, Level
from theory.claims.rational import rational_by_name
from theory.claims.sources import Source
from theory.kernels import alike, overlap_moment, overlap_variance

a, c = sympy.symbols("a c", integer=True, positive=True)

_LEMMA = ("Lemma 2.4", "Lemma 7.4")
_GATES = r"gates are independent, for each node and each input, and open with probability $\mu$"
_SYMBOLIC = {Level.SYMBOLIC: BY_COUNTING}


def _over_gates(at: dict[str, Fraction], cross: bool, power: int = 1) -> Fraction:
    return _gates.mean(_gates.overlaps(int(at["w"]), int(at["d"]) - 1, cross, power), at["mu"])


OWN = Claim(
    id="kernel.overlap.own",
    title="The mean number of paths from an input node that an input opens",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Symbol(r"\mathbb{E}[\lambda_0(s, s)]", real=True), (mu * w) ** (d - 1), evaluate=False),
    params=(nodes(1, 3), layers(1, 4), OPEN),
    assumptions=(_GATES,),
    sources=tuple(Source(DEEP_GATED_NETWORKS, label, printed=(mu * w) ** (d - 1), note="part (i)") for label in _LEMMA),
    **rational_by_name(lambda at: _over_gates(at, False)),
    numeric=lambda w, d, mu: float(overlap_moment(alike(w, d, Fraction(mu)), [(0, 0)])),
    unchecked=_SYMBOLIC,
)

CROSS = Claim(
    id="kernel.overlap.cross",
    title="The mean number of paths from an input node that two inputs open",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Symbol(r"\mathbb{E}[\lambda_0(s, s')]", real=True), (mu**2 * w) ** (d - 1), evaluate=False),
    params=(nodes(1, 3), layers(1, 3), OPEN),
    assumptions=(_GATES, r"$s \neq s'$"),
    sources=tuple(
        Source(
            DEEP_GATED_NETWORKS,
            label,
            printed=(mu**2 * w) ** (d - 1),
            note=r"part (ii), for two inputs $s \neq s'$; on the diagonal the lemma's “$\forall s, s'$” means (i)",
        )
        for label in _LEMMA
    ),
    **rational_by_name(lambda at: _over_gates(at, True)),
    numeric=lambda w, d, mu: float(overlap_moment(alike(w, d, Fraction(mu)), [(0, 1)])),
    unchecked=_SYMBOLIC,
)

VARIANCE = Claim(
    id="kernel.overlap.variance",
    title="The variance of the number of paths that an input opens",
    kind=Kind.EQUATION,
    statement=Eq(
        sympy.Symbol(r"\operatorname{Var} \lambda_0(s, s)", real=True),
        (mu * w) ** (d - 1) * ((1 - mu + mu * w) ** (d - 1) - (mu * w) ** (d - 1)),
        evaluate=False,
    ),
    params=(nodes(1, 3), layers(1, 4), OPEN),
    assumptions=(_GATES,),
    **rational_by_name(lambda at: _over_gates(at, False, 2) - _over_gates(at, False) ** 2),
    numeric=lambda w, d, mu: float(overlap_variance(alike(w, d, Fraction(mu)))),
    unchecked=_SYMBOLIC,
)


CLAIMS = (OWN, CROSS, VARIANCE)
