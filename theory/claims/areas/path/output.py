"""The output of a gated network as a sum over its paths. Neural path kernel, (1); deep gated networks, (2)."""

from fractions import Fraction

import sympy
from sympy import Eq, Integer, Interval, Max, Mul

from theory.claims.areas.path import _networks
from theory.claims.areas.path._networks import (
    FIRST,
    GATES,
    INPUTS,
    LAST,
    NETWORK,
    PATHS,
    SECOND,
    R,
    U,
    W,
    X,
    g1,
    g2,
    h1,
    h2,
)
from theory.claims.documents import DEEP_GATED_NETWORKS, NEURAL_PATH_KERNEL
from theory.claims.indicator import is_open
from theory.claims.model import Claim, Kind, Level, Param
from theory.claims.rational import rational_by_name
from theory.claims.sources import Source
from theory.paths import output_over_paths, relu_network, weighted
from theory.proof.derivation import Derivation, Step

y_hat = sympy.Symbol(r"\hat{y}", real=True)
WEIGHTS = (*FIRST, *SECOND, *LAST)
_G, _H = (g1, g2), (h1, h2)

PATH_SUM = sum(Mul(X[i], _G[a], _H[b], U[a][i], W[b][a], R[b]) for i, a, b in PATHS)
BY_LEVELS = sum(
    R[b] * _H[b] * sum(W[b][a] * _G[a] * sum(U[a][i] * X[i] for i in range(2)) for a in range(2)) for b in range(2)
)


def exactly(**values: float) -> dict[str, Fraction]:
    """Return floats as the fractions that they are."""
    return {name: Fraction(value) for name, value in values.items()}


def network_in_float64(**values: float) -> float:
    """Return the library's sum over paths at float64 values."""
    at = exactly(**values)
    net = weighted([[at["x1"], at["x2"]]], [[[at["g1"], at["g2"]]], [[at["h1"], at["h2"]]]], _networks.three_layers(at))
    return float(output_over_paths(net, 0))


def _by_nodes(at: dict[str, Fraction]) -> Fraction:
    gates = [[at["g1"], at["g2"]], [at["h1"], at["h2"]]]
    return _networks.output(_networks.three_layers(at), gates, [at["x1"], at["x2"]])


def _derive_sum() -> Derivation:
    result = Eq(y_hat, PATH_SUM, evaluate=False)
    steps = (
        Step(
            Eq(y_hat, BY_LEVELS, evaluate=False),
            r"$z_l = G_l \odot \Theta_l z_{l-1}$, level by level, and $\hat y = \Theta_d z_{d-1}$",
            "definition",
        ),
        Step(result, "multiplied out: one term for each path", "identity"),
    )
    return Derivation("path.output.sum", result, steps)


SUM = Claim(
    id="path.output.sum",
    title=r"The output is a sum over paths: $\hat y = \langle \phi(x), v \rangle$",
    kind=Kind.EQUATION,
    statement=Eq(y_hat, PATH_SUM, evaluate=False),
    params=(*INPUTS, *GATES, *WEIGHTS),
    assumptions=(
        NETWORK,
        "gates are any numbers; a term has an entry of the input, a gate per hidden level, a weight per layer",
    ),
    sources=(
        Source(NEURAL_PATH_KERNEL, "(1)", printed=PATH_SUM),
        Source(
            NEURAL_PATH_KERNEL,
            "Proposition 2.1",
            printed=PATH_SUM,
            note=r"the paper gives $\Theta(1)$ as $w$ rows of $d_{in}$; its $q = \Theta^\top z$ needs the transpose",
        ),
        Source(DEEP_GATED_NETWORKS, "(2)", printed=PATH_SUM),
        Source(DEEP_GATED_NETWORKS, "section 1", printed=PATH_SUM, note="Conceptual Gain I"),
    ),
    **rational_by_name(_by_nodes),
    derive=_derive_sum,
    numeric=network_in_float64,
)

c = sympy.Symbol("c", positive=True)
_Q = tuple(sum(U[a][i] * X[i] for i in range(2)) for a in range(2))
_Z = tuple(Max(q, 0) for q in _Q)
_P = tuple(sum(W[b][a] * _Z[a] for a in range(2)) for b in range(2))
RELU_SUM = sum(is_open(_Q[a]) * is_open(_P[b]) * W[b][a] * R[b] * _Q[a] for a in range(2) for b in range(2))


def relu_in_float64(**values: float) -> float:
    """Return the library's sum over the active paths of a ReLU network at float64 values."""
    at = exactly(**values)
    net = relu_network([[at["x1"], at["x2"]]], _networks.three_layers(at), at_zero=1)
    return float(output_over_paths(net, 0))


HOMOGENEOUS = Claim(
    id="path.output.homogeneous",
    title="Homogeneity of a ReLU network without biases",
    protocol="A ReLU network without biases is positively homogeneous: an input times $c$ gives the output times $c$",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Function(r"\hat{y}")(c * sympy.Symbol("x")), c * RELU_SUM, evaluate=False),
    params=(
        Param(c, Interval.open(0, sympy.oo), "factor of the input", (Integer(2),)),
        *INPUTS,
        *WEIGHTS,
    ),
    assumptions=(
        NETWORK,
        r"ReLU units, $1[q]$ is 1 for $q \geq 0$; all gates are the same for $x$ and $c x$. So the labels 1 at $x$ and "
        "$-1$ at $2 x$ cannot both be fitted",
    ),
    sources=(
        Source(
            DEEP_GATED_NETWORKS,
            "section 1",
            printed=c * RELU_SUM,
            note=r"“A hard dataset for DNNs”: $\phi_{2x} = 2 \phi_x$, here for every positive factor",
        ),
    ),
    **rational_by_name(
        lambda at: _networks.relu_output(_networks.three_layers(at), [at["c"] * at["x1"], at["c"] * at["x2"]])
    ),
    numeric=lambda c, x1, x2, **weights: relu_in_float64(x1=float(c * x1), x2=float(c * x2), **weights),
    drawn=16,
    unchecked={Level.SYMBOLIC: "the sign of each pre-activation decides; all are tried at drawn points"},
)

_ETA = tuple(sum(R[b] * W[b][a] * U[a][i] for a in range(2) for b in range(2)) for i in range(2))
_EFFECTIVE = sum(X[i] * _ETA[i] for i in range(2))

DEEP_LINEAR = Claim(
    id="path.output.deep_linear",
    title="With all gates open the paths from one input node add up to one effective weight",
    kind=Kind.EQUATION,
    statement=Eq(y_hat, _EFFECTIVE, evaluate=False),
    params=(*INPUTS, *WEIGHTS),
    assumptions=(NETWORK, "all gates are 1; the effective weight of an input node is the sum of its path values"),
    sources=(
        Source(DEEP_GATED_NETWORKS, "(14)", printed=_EFFECTIVE),
        Source(DEEP_GATED_NETWORKS, "(15)", printed=_EFFECTIVE, note=r"with $\eta$ of (13)"),
    ),
    **rational_by_name(
        lambda at: _networks.output(_networks.three_layers(at), [[Fraction(1)] * 2] * 2, [at["x1"], at["x2"]])
    ),
    numeric=lambda **values: network_in_float64(g1=1.0, g2=1.0, h1=1.0, h2=1.0, **values),
    unchecked={Level.SYMBOLIC: "the sum of `path.output.sum` with all gates 1; no further step is needed"},
)

w, d, d_in = sympy.symbols("w d d_in", integer=True, positive=True)


def _sizes(depth_least: int) -> tuple[Param, ...]:
    naturals = sympy.S.Naturals
    return (
        Param(d_in, naturals, "input nodes", (Integer(1),), sympy.Range(1, 4)),
        Param(w, naturals, "nodes of each hidden level", (Integer(1),), sympy.Range(1, 5)),
        Param(
            d,
            naturals,
            "layers of weights",
            (Integer(depth_least),),
            sympy.Range(depth_least, 6),
        ),
    )


def _enumerated(at: dict[str, Fraction]) -> int:
    """Walks from the input, node by node, to the output: their number by the adjacency of the levels."""
    ways = [1] * int(at["d_in"])
    for _ in range(int(at["d"]) - 1):
        ways = [sum(ways)] * int(at["w"])
    return sum(ways)


def _counted(d_in: int, w: int, d: int) -> float:
    ones = [[[1] * a for _ in range(b)] for a, b in zip([d_in, *[w] * (d - 1)], [*[w] * (d - 1), 1], strict=True)]
    return float(weighted([[1] * d_in], [[[1] * w]] * (d - 1), ones).number_of_paths)


_NUMBER = d_in * w ** (d - 1)
COUNT = Claim(
    id="path.output.count",
    title=r"The number of paths is $d_{in} w^{d-1}$",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Symbol("P", integer=True), _NUMBER, evaluate=False),
    params=_sizes(1),
    assumptions=("equal hidden levels, fully connected, one output",),
    sources=(
        Source(NEURAL_PATH_KERNEL, "section 2", printed=_NUMBER),
        Source(NEURAL_PATH_KERNEL, "section 2.1", printed=_NUMBER, note="18 paths in the toy of Figure 1"),
        Source(DEEP_GATED_NETWORKS, "section 1", printed=_NUMBER),
    ),
    **rational_by_name(_enumerated),
    numeric=_counted,
    drawn=12,
    unchecked={Level.SYMBOLIC: "a product of the widths; walks are counted level by level"},
)

_WEIGHTS = d_in * w + (d - 2) * w**2 + w
SIZE = Claim(
    id="path.output.size",
    title="The number of weights of a fully connected network",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Symbol("d_net", integer=True), _WEIGHTS, evaluate=False),
    params=_sizes(2),
    conditions=(d >= 2,),
    assumptions=("equal hidden levels, at least one, one output, no biases",),
    sources=(Source(NEURAL_PATH_KERNEL, "section 1", printed=_WEIGHTS, note=r"$d_{net}$ of the notation"),),
    **rational_by_name(
        lambda at: sum(
            1
            for before, after in zip(
                [int(at["d_in"]), *[int(at["w"])] * (int(at["d"]) - 1)],
                [*[int(at["w"])] * (int(at["d"]) - 1), 1],
                strict=True,
            )
            for _ in range(before)
            for _ in range(after)
        )
    ),
    drawn=12,
    unchecked={
        Level.SYMBOLIC: "a count of the entries of all layers, one by one",
        Level.FLOATING: "the library has the weights themselves and no formula for their number",
    },
)

CLAIMS = (SUM, HOMOGENEOUS, DEEP_LINEAR, COUNT, SIZE)
