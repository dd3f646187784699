"""The overlap of the active sub-networks of two inputs: deep gated networks, introduction and Lemma 2.4."""

from fractions import Fraction
from functools import lru_cache
from itertools import product
from operator import mul

import sympy
from sympy import Eq, Integer

from theory.claims.areas.kernel import _gates
from theory.claims.areas.kernel._symbols import BY_COUNTING, OPEN, d, layers, mu, nodes, w
from theory.claims.documents import DEEP_GATED_NETWORKS
from theory.claims.misprints import DISTINCT_INPUTS, OTHER_INPUTS
from theory.claims.model import Claim, Kind, Level
from theory.claims.rational import rational_by_name
from theory.claims.sources import Reading, Says, Source
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
    sources=(
        *(Source(DEEP_GATED_NETWORKS, label, printed=(mu * w) ** (d - 1), note="part (i)") for label in _LEMMA),
        Source(
            DEEP_GATED_NETWORKS,
            "section 2",
            printed=(mu * w) ** (d - 1),
            says=Says.READ_AS,
            words=r"Loosely speaking, say, in each layer $\mu \in (0, 1)$ fraction of the gates are on, then "
            r"$\lambda_0(s, s)$ is about $(\mu w)^{d-1}$.",
            note=r"read for the mean; with $\sigma^2 = 1/(\mu w)$ the mean of a diagonal entry of $K_0$ is then "
            r"$d \lvert x \rvert^2$",
        ),
        Source(
            DEEP_GATED_NETWORKS,
            "section 8",
            printed=w ** (d - 1),
            says=Says.READ_AS,
            words=r"It also follows that $\lambda_0(s, s') = w^{d-1}$, $\forall s, s' \in [n]$.",
            note="of a deep linear network, whose gates are all open for every input",
            readings=(Reading(r"all gates are open, $\mu = 1$", where=Eq(mu, 1)),),
        ),
    ),
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
            note="part (ii)",
            misprint=DISTINCT_INPUTS,
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


@lru_cache(maxsize=16)
def largest_ratio(width: int, levels: int, power: int) -> Fraction:
    """Return the largest lambda(s, s')/(lambda(s, s) eta^power) where two inputs share a node of each level."""
    paths = tuple(product(range(width), repeat=levels))
    patterns = tuple(product(product((0, 1), repeat=width), repeat=levels))
    ratios = set()
    for one, other in product(patterns, patterns):
        both = tuple(tuple(map(mul, *rows)) for rows in zip(one, other, strict=True))
        if not all(map(any, both)):
            continue
        eta = max(
            Fraction(sum(shared), sum(own)) for gates in (one, other) for shared, own in zip(both, gates, strict=True)
        )
        counts = (
            sum(all(level[node] for level, node in zip(gates, path, strict=True)) for path in paths)
            for gates in (both, one)
        )
        ratios.add(Fraction(*counts) / eta**power)
    return max(ratios)


BOUND = Claim(
    id="kernel.overlap.bound",
    title="The share of common paths is at most a power of the largest overlap of two inputs in a level",
    kind=Kind.INEQUALITY,
    statement=Eq(
        sympy.Symbol(r"\max \frac{\lambda_0(s, s')}{\lambda_0(s, s)\, \eta^{d-1}}", real=True),
        Integer(1),
        evaluate=False,
    ),
    params=(nodes(1, 3), layers(2, 3)),
    conditions=(d >= 2,),
    assumptions=(
        r"the maximum is over all gates 0 and 1 of two inputs that share an open node of each level",
        r"$\eta$ is the largest $\tau(s, s', l)/\tau(s, s, l)$ over both inputs and the $d - 1$ levels with gates, and "
        r"$\tau(s, s', l)$ the number of nodes of the level $l$ that both open",
    ),
    sources=(
        Source(
            DEEP_GATED_NETWORKS,
            "section 2",
            printed=Integer(1),
            says=Says.READ_AS,
            words=r"$\operatorname{max}_{s, s'} \bar\lambda_{cross}(s, s')/\bar\lambda_{self}(s) \leq \eta^{d-1}$",
            note=r"for the means $\eta$ is 1, and the bound says nothing, where some draw of $\Theta^g$ opens the same "
            "gates of a level for both inputs",
            condition=r"$\eta$ is that of the same draw of $\Theta^g$, or for the means the largest of all draws",
            misprint=OTHER_INPUTS,
        ),
    ),
    **rational_by_name(lambda at: largest_ratio(int(at["w"]), int(at["d"]) - 1, int(at["d"]) - 1)),
    unchecked={
        **_SYMBOLIC,
        Level.FLOATING: "the library counts the paths and has no bound of their ratio",
    },
)

CLAIMS = (OWN, CROSS, VARIANCE, BOUND)
