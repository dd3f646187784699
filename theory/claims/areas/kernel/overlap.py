"""The overlap of the active sub-networks of two inputs: deep gated networks, introduction and Lemma 2.4."""

from fractions import Fraction
from itertools import product
from math import prod

import sympy
from sympy import Eq, Integer, Range, S

from theory.claims.areas.kernel import _gates
from theory.claims.areas.kernel._symbols import BY_COUNTING, OPEN, d, layers, mu, nodes, w
from theory.claims.documents import DEEP_GATED_NETWORKS
from theory.claims.model import Claim, Kind, Level, Param
from theory.claims.rational import rational_by_name
from theory.claims.slips import DEPTH_OF_OVERLAP
from theory.claims.sources import Source
from theory.kernels import GatedNetwork, GivenValues, alike, overlap_moment, overlap_variance

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


def _share(at: dict[str, Fraction]) -> Fraction:
    """Both inputs open the first c of w nodes of a level, and s opens a; paths are counted one by one."""
    first, shared = int(at["a"]), int(at["c"])
    levels = int(at["d"]) - 1
    paths = tuple(product(range(int(at["w"])), repeat=levels))
    both, one = (sum(prod(int(node < most) for node in path) for path in paths) for most in (shared, first))
    return Fraction(both, one)


def _share_in_float64(w: int, d: int, a: int, c: int) -> float:
    rows = [[int(i < a) for i in range(w)], [int(i < c or a <= i) for i in range(w)]]
    network = GatedNetwork([[1], [1]], (GivenValues(rows),) * (d - 1))
    return float(overlap_moment(network, [(0, 1)]) / overlap_moment(network, [(0, 0)]))


SHARE = Claim(
    id="kernel.overlap.share",
    title="The overlap of two sub-networks decays by one factor for each level of gates",
    kind=Kind.EQUATION,
    statement=Eq(
        sympy.Symbol(r"\frac{\lambda_0(s, s')}{\lambda_0(s, s)}", real=True), (c / a) ** (d - 1), evaluate=False
    ),
    params=(
        nodes(1, 3),
        layers(1, 4),
        Param(a, S.Naturals, "nodes of a level that $s$ opens", (Integer(3),), Range(1, 4)),
        Param(c, S.Naturals, "nodes of a level that both inputs open", (Integer(1),), Range(1, 4)),
    ),
    conditions=(a <= w, c <= a),
    assumptions=("at each of the $d - 1$ levels $s$ opens $a$ nodes, of which $s'$ opens $c$",),
    sources=(
        Source(
            DEEP_GATED_NETWORKS,
            "section 1",
            printed=(c / a) ** d,
            note=r"$\mu = c/a$ is the overlap at each layer; the ratio is printed as at most $\mu^d$, with $d$ the "
            r"depth of Table 1, whose last layer has no gates",
            slip=DEPTH_OF_OVERLAP,
        ),
    ),
    **rational_by_name(_share),
    numeric=_share_in_float64,
    drawn=10,
    unchecked=_SYMBOLIC,
)

CLAIMS = (OWN, CROSS, VARIANCE, SHARE)
