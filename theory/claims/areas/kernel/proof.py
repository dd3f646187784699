"""The steps behind Theorem 2.3 of deep gated networks: Lemma 2.2 on path sensitivities, and the Facts of its proof."""

from fractions import Fraction

import sympy
from sympy import Eq, Integer, Range, S

from theory.claims.areas.kernel import _paths
from theory.claims.areas.kernel._symbols import BY_COUNTING, VARIANCE, V, d, layers, nodes, w
from theory.claims.documents import DEEP_GATED_NETWORKS
from theory.claims.model import Claim, Kind, Level, Param
from theory.claims.rational import rational_by_name
from theory.claims.slips import ADJACENT_WEIGHTS, FIRST_LAYER, SHARED_NODES
from theory.claims.sources import Says, Source

d_in = sympy.Symbol("d_in", integer=True, positive=True)
k = sympy.Symbol("k", integer=True, nonnegative=True)

_COUNTED = {
    Level.SYMBOLIC: BY_COUNTING,
    Level.FLOATING: "a step of a proof: the library sums over partitions of paths and never over single ones",
}
_SIGNS = r"weights are independent, $\sigma$ or $-\sigma$ with probability 1/2 each; two input nodes, one output"
_LEMMA = ("Lemma 2.2", "Lemma 7.2")

DIFFERENT = Claim(
    id="kernel.proof.different",
    title="The sensitivities of two different paths have a product of mean 0",
    kind=Kind.EQUATION,
    statement=Eq(
        sympy.Symbol(
            r"\sum_{p_1 \neq p_2} \mathbb{E}[\langle \varphi_{0, p_1}, \varphi_{0, p_2} \rangle]^2", real=True
        ),
        Integer(0),
        evaluate=False,
    ),
    params=(nodes(1, 2), layers(1, 3)),
    assumptions=(_SIGNS, r"$\sigma = 1$"),
    sources=tuple(Source(DEEP_GATED_NETWORKS, label, printed=Integer(0), note="part (i)") for label in _LEMMA),
    **rational_by_name(lambda at: _paths.products(int(at["w"]), int(at["d"]))[0]),
    unchecked=_COUNTED,
)

SAME = Claim(
    id="kernel.proof.same",
    title="The squared sensitivity of a path does not depend on the signs",
    kind=Kind.EQUATION,
    statement=Eq(
        sympy.Symbol(r"\langle \varphi_{0, p}, \varphi_{0, p} \rangle", real=True), d * V ** (d - 1), evaluate=False
    ),
    params=(nodes(1, 2), layers(1, 3), VARIANCE),
    assumptions=(_SIGNS,),
    sources=tuple(
        Source(DEEP_GATED_NETWORKS, label, printed=d * V ** (d - 1), note=r"part (ii), $V = \sigma^2$")
        for label in _LEMMA
    ),
    **rational_by_name(lambda at: _paths.products(int(at["w"]), int(at["d"]))[1] * at["V"] ** (int(at["d"]) - 1)),
    unchecked=_COUNTED,
)

_INPUTS = Param(d_in, S.Naturals, "input nodes", (Integer(1), Integer(3)), Range(1, 4))


def _through(at: dict[str, Fraction], *fixed: tuple[int, int, int]) -> int:
    """The number of paths through these weights; a layer below 0 counts from the end."""
    width, depth = int(at["w"]), int(at["d"])
    own = _paths.paths(int(at["d_in"]), width, depth)
    return len(_paths.through(own, *((layer % depth, one, two) for layer, one, two in fixed)))


FIRST = Claim(
    id="kernel.proof.first_layer",
    title="The number of paths through a weight of the first layer",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Symbol(r"\#\{p : p \rightsquigarrow \theta\}", real=True), w ** (d - 2), evaluate=False),
    params=(nodes(1, 3), layers(2, 5), _INPUTS),
    conditions=(d >= 2,),
    assumptions=(r"$\theta$ is a weight of the first layer, from an input node to a node of the first level",),
    sources=(
        Source(
            DEEP_GATED_NETWORKS,
            "Fact 2",
            printed=d_in * w ** (d - 2),
            note="the printed number for the first layer is right for one input node",
            slip=FIRST_LAYER,
        ),
    ),
    **rational_by_name(lambda at: _through(at, (0, 0, 0))),
    unchecked=_COUNTED,
)

MIDDLE = Claim(
    id="kernel.proof.middle_layer",
    title="The number of paths through a weight of a middle layer",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Symbol(r"\#\{p : p \rightsquigarrow \theta\}", real=True), d_in * w ** (d - 3), evaluate=False),
    params=(nodes(1, 3), layers(3, 5), _INPUTS),
    conditions=(d >= 3,),
    assumptions=(r"$\theta$ is a weight of the second layer, between two hidden levels",),
    sources=(Source(DEEP_GATED_NETWORKS, "Fact 2", printed=d_in * w ** (d - 3), note="for the middle layers"),),
    **rational_by_name(lambda at: _through(at, (1, 0, 0))),
    unchecked=_COUNTED,
)

LAST = Claim(
    id="kernel.proof.last_layer",
    title="The number of paths through a weight of the last layer",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Symbol(r"\#\{p : p \rightsquigarrow \theta\}", real=True), d_in * w ** (d - 2), evaluate=False),
    params=(nodes(1, 3), layers(2, 5), _INPUTS),
    conditions=(d >= 2,),
    assumptions=(r"$\theta$ is a weight of the last layer",),
    sources=(Source(DEEP_GATED_NETWORKS, "Fact 2", printed=d_in * w ** (d - 2), note="for the last layer"),),
    **rational_by_name(lambda at: _through(at, (-1, 0, 0))),
    unchecked=_COUNTED,
)

ADJACENT = Claim(
    id="kernel.proof.adjacent",
    title="Paths through two weights of adjacent middle layers",
    protocol="Paths through two weights of adjacent middle layers that meet: the share of those through one of them",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Symbol(r"\frac{|\mathcal{P}''|}{|\mathcal{P}'|}", real=True), 1 / w, evaluate=False),
    params=(nodes(1, 3), layers(4, 5), _INPUTS),
    conditions=(d >= 4,),
    assumptions=(
        r"$\mathcal{P}'$ are the paths through a weight of the second layer, $\mathcal{P}''$ those that also pass a "
        "given weight of the third layer that begins where the first one ends",
    ),
    sources=(
        Source(
            DEEP_GATED_NETWORKS,
            "Fact 3",
            printed=1 / w**2,
            note=r"printed for “an arbitrary set of paths constrained to pass through some set of weights”; it is "
            r"right where both nodes of the further weight are free. For the first layer a free weight has the share "
            r"$1/(d_{in} w)$, which is printed as $1/w$",
            slip=ADJACENT_WEIGHTS,
        ),
    ),
    **rational_by_name(lambda at: Fraction(_through(at, (1, 0, 0), (2, 0, 0)), _through(at, (1, 0, 0)))),
    unchecked=_COUNTED,
)


def _meeting(shared: int) -> tuple[_paths.Path, _paths.Path]:
    """Two base paths from one input node that meet at `shared` nodes and in no weight, and end apart for two layers."""
    levels = [0, *[1, 0] * shared, 1, 1, 0]  # 0 where they are at one node
    return tuple(0 for _ in levels), tuple(levels)


def _survivors(at: dict[str, Fraction]) -> int:
    one, other = _meeting(int(at["k"]))
    last = len(one) - 2
    return _paths.assignments(one, other, ((last, one[last], 0), (last, other[last], 0)))


SHARED = Claim(
    id="kernel.proof.shared_node",
    title="Base paths that share nodes and no weight can be spliced at each of these nodes",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Symbol(r"\#\{(p_1, p_2, p_3, p_4)\}", real=True), Integer(6) ** k, evaluate=False),
    params=(Param(k, S.Naturals0, "inner nodes that the base paths share", (Integer(0), Integer(2)), Range(0, 3)),),
    assumptions=(
        "the base paths share the input node, the output node, $k$ nodes between them and no weight",
        r"the weights of both base paths occur twice each; $p_1$ and $p_2$ pass the last weight $\theta(m)$ of the "
        r"first base path, $p_3$ and $p_4$ the last weight $\theta(m')$ of the second",
    ),
    sources=(
        Source(
            DEEP_GATED_NETWORKS,
            "Fact 7",
            printed=Integer(1),
            note=r"the first Fact 7: “the only possible assignment is $p_1 = p_2 = \rho_a$ and $p_3 = p_4 = \rho_b$” "
            r"(or both exchanged, with $m$ and $m'$); for base paths without a common inner node it is right. The "
            r"second Fact 7, on base paths that share weights, has $\mathbb{E}[K_0^2]$ for $\mathbb{E}[K_0]^2$ in (11)",
            slip=SHARED_NODES,
        ),
        Source(
            DEEP_GATED_NETWORKS,
            "Fact 5",
            says=Says.READ_AS,
            words=r"For any given base paths $\rho_a$ and $\rho_b$ there could be multiple assignments possible for "
            "$p_1, p_2, p_3, p_4$.",
        ),
    ),
    **rational_by_name(_survivors),
    drawn=3,
    unchecked=_COUNTED,
)

CLAIMS = (DIFFERENT, SAME, FIRST, MIDDLE, LAST, ADJACENT, SHARED)
