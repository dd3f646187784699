"""Networks as mixtures of experts, one for each path of hidden nodes. Half-space feature learning, section 2."""

from fractions import Fraction
from itertools import product

import sympy
from sympy import Eq, Integer, Max, Ne, Symbol

from theory.claims.areas.path import _networks
from theory.claims.areas.path._networks import FIRST, INPUTS, LAST, NETWORK, SECOND, SMALL, R, U, W, X
from theory.claims.areas.path.output import RELU_SUM, WEIGHTS, exactly, relu_in_float64, y_hat
from theory.claims.documents import HALF_SPACES
from theory.claims.indicator import is_open
from theory.claims.misprints import SECOND_INDEX
from theory.claims.model import Claim, Kind, Level, Param
from theory.claims.rational import rational_by_name
from theory.claims.sources import Says, Source
from theory.paths import forward, linearly_gated, output_over_paths, relu_network

_SIGNS = {Level.SYMBOLIC: "the sign of each pre-activation decides; all are tried at drawn points"}
_DRAWN = 24

RELU = Claim(
    id="path.experts.relu",
    title="A ReLU network is a mixture of linear experts, one for each path of hidden nodes",
    kind=Kind.EQUATION,
    statement=Eq(y_hat, RELU_SUM, evaluate=False),
    params=(*INPUTS, *WEIGHTS),
    assumptions=(
        NETWORK,
        r"ReLU units; a path $\pi$ of hidden nodes has the gate $f_\pi$, 1 where all its pre-activations are $\geq 0$, "
        r"and the expert $g_\pi$, its weights times $w_{1, i_1} \cdot x$",
    ),
    sources=tuple(Source(HALF_SPACES, label, printed=RELU_SUM) for label in ("Theorem 1", "(10)")),
    **rational_by_name(lambda at: _networks.relu_output(_networks.three_layers(at), [at["x1"], at["x2"]])),
    numeric=relu_in_float64,
    drawn=_DRAWN,
    unchecked=_SIGNS,
)

# The gating network of linear gating has weights of its own: a in layer 1, b in layer 2.
a11, a12, a21, a22 = sympy.symbols("a11 a12 a21 a22", real=True)
b11, b12, b21, b22 = sympy.symbols("b11 b12 b21 b22", real=True)
_A, _B = ((a11, a12), (a21, a22)), ((b11, b12), (b21, b22))
GATING = tuple(
    Param(symbol, sympy.S.Reals, f"weight of the gating network, layer {number}", likely=SMALL)
    for number, layer in ((1, _A), (2, _B))
    for row in layer
    for symbol in row
)
_ETA_1 = tuple(sum(_A[a][i] * X[i] for i in range(2)) for a in range(2))
_ETA_2 = tuple(sum(_B[b][a] * _ETA_1[a] for a in range(2)) for b in range(2))


def _gating_layers(at: dict[str, Fraction]) -> _networks.Layers:
    return [[[at["a11"], at["a12"]], [at["a21"], at["a22"]]], [[at["b11"], at["b12"]], [at["b21"], at["b22"]]]]


def _gated_by_nodes(at: dict[str, Fraction], seen: list[Fraction]) -> Fraction:
    gates = _networks.linear_gates(_gating_layers(at), [at["x1"], at["x2"]])
    return _networks.output(_networks.three_layers(at), gates, seen)


def _gated_in_float64(value_input: str, **values: float) -> float:
    at = exactly(**values)
    gating = [*_gating_layers(at), [[Fraction(1)] * 2]]
    x = [[at["x1"], at["x2"]]]
    net = linearly_gated(x, _networks.three_layers(at), gating, at_zero=1, value_input=value_input)
    return float(output_over_paths(net, 0))


def _mixture(expert) -> sympy.Expr:
    """Return the sum over paths of gate times expert; `expert` gives the value of a node of level 1."""
    pairs = ((a, b) for a in range(2) for b in range(2))
    return sum(is_open(_ETA_1[a]) * is_open(_ETA_2[b]) * W[b][a] * R[b] * expert(a) for a, b in pairs)


_LINEAR = _mixture(lambda a: sum(U[a][i] * X[i] for i in range(2)))
LINEARLY_GATED = Claim(
    id="path.experts.linearly_gated",
    title="A deep linearly gated network is a mixture of linear experts, one for each path of hidden nodes",
    kind=Kind.EQUATION,
    statement=Eq(y_hat, _LINEAR, evaluate=False),
    params=(*INPUTS, *WEIGHTS, *GATING),
    assumptions=(
        NETWORK,
        r"a gate is 1 where its $\eta_\ell$ is $\geq 0$, $\eta_\ell = W_\ell \eta_{\ell-1}$ with weights of its own",
    ),
    sources=tuple(Source(HALF_SPACES, label, printed=_LINEAR) for label in ("Theorem 2", "(7)")),
    **rational_by_name(lambda at: _gated_by_nodes(at, [at["x1"], at["x2"]])),
    numeric=lambda **values: _gated_in_float64("x", **values),
    drawn=_DRAWN,
    unchecked=_SIGNS,
)

_CONSTANT = _mixture(lambda a: sum(U[a]))
CONSTANT = Claim(
    id="path.experts.constant",
    title="With ones in place of the input the experts of a deep linearly gated network are constants",
    kind=Kind.EQUATION,
    statement=Eq(y_hat, _CONSTANT, evaluate=False),
    params=(*INPUTS, *WEIGHTS, *GATING),
    assumptions=(NETWORK, "the gates see the input, the first layer of the value network sees $(1, 1)$"),
    sources=(Source(HALF_SPACES, "section 2.3", printed=_CONSTANT),),
    **rational_by_name(lambda at: _gated_by_nodes(at, [Fraction(1)] * 2)),
    numeric=lambda **values: _gated_in_float64("ones", **values),
    drawn=_DRAWN,
    unchecked=_SIGNS,
)

# The values of hidden nodes: one input node, a third hidden level of one node with the weights r and, for gates, s.
x = Symbol("x", real=True)
s1, s2 = sympy.symbols("s1 s2", real=True)
_ONE_INPUT = Param(x, sympy.S.Reals, "the input", likely=SMALL)
_GATES_OF_THIRD = tuple(
    Param(symbol, sympy.S.Reals, "weight of the gating network, layer 3", likely=SMALL) for symbol in (s1, s2)
)
_SECOND_ETA = tuple(x * sum(_B[b][a] * _A[a][0] for a in range(2)) for b in range(2))
_THIRD_ETA = s1 * _SECOND_ETA[0] + s2 * _SECOND_ETA[1]
_PAIRS = tuple((a, b) for a in range(2) for b in range(2))
_HIDDEN_GATED = sum(
    is_open(_A[a][0] * x) * is_open(_SECOND_ETA[b]) * is_open(_THIRD_ETA) * x * U[a][0] * W[b][a] * R[b]
    for a, b in _PAIRS
)
_RELU_1 = tuple(Max(U[a][0] * x, 0) for a in range(2))
_DRIVE_2 = tuple(sum(W[b][a] * _RELU_1[a] for a in range(2)) for b in range(2))
_DRIVE_3 = R[0] * Max(_DRIVE_2[0], 0) + R[1] * Max(_DRIVE_2[1], 0)
_HIDDEN_RELU = sum(
    is_open(U[a][0] * x) * is_open(_DRIVE_2[b]) * is_open(_DRIVE_3) * x * U[a][0] * W[b][a] * R[b] for a, b in _PAIRS
)
_THIRD = "one input node, hidden levels of two, two and one nodes; the value is that of the one node, with its gate"


def _lemma(form: sympy.Expr, *labels: str) -> tuple[Source, ...]:
    return tuple(Source(HALF_SPACES, label, printed=form, misprint=SECOND_INDEX[label]) for label in labels)


def _one_input(at: dict[str, Fraction]) -> _networks.Layers:
    layers = _networks.three_layers({**at, "u12": Fraction(0), "u22": Fraction(0)})
    return [[row[:1] for row in layers[0]], *layers[1:], [[Fraction(1)]]]


def _third_gating(at: dict[str, Fraction]) -> _networks.Layers:
    second = [[at["b11"], at["b12"]], [at["b21"], at["b22"]]]
    return [[[at["a11"]], [at["a21"]]], second, [[at["s1"], at["s2"]]]]


def _third_gated(at: dict[str, Fraction]) -> Fraction:
    gates = _networks.linear_gates(_third_gating(at), [at["x"]])
    return _networks.levels(_one_input(at), gates, [at["x"]])[3][0]


def _third_relu(at: dict[str, Fraction]) -> Fraction:
    return _networks.relu_levels(_one_input(at), [at["x"]])[3][0]


def _third_in_float64(gated: bool, **values: float) -> float:
    at = exactly(**values)
    if not gated:
        return float(forward(relu_network([[at["x"]]], _one_input(at), at_zero=1), 0)[3][0])
    gating = [*_third_gating(at), [[Fraction(1)]]]
    return float(forward(linearly_gated([[at["x"]]], _one_input(at), gating, at_zero=1, value_input="x"), 0)[3][0])


HIDDEN_GATED = Claim(
    id="path.experts.hidden_gated",
    title="Hidden nodes of a linearly gated network as sums over paths",
    protocol="The value of a hidden node of a deep linearly gated network is a sum over the paths that lead to it",
    kind=Kind.EQUATION,
    statement=Eq(Symbol("h_{3,1}", real=True), _HIDDEN_GATED, evaluate=False),
    params=(_ONE_INPUT, FIRST[0], FIRST[2], *SECOND, *LAST, GATING[0], GATING[2], *GATING[4:], *_GATES_OF_THIRD),
    assumptions=(_THIRD, "linear gating, weights $r$ of layer 3"),
    sources=_lemma(_HIDDEN_GATED, "(8)", "Lemma 3"),
    **rational_by_name(_third_gated),
    numeric=lambda **values: _third_in_float64(gated=True, **values),
    drawn=_DRAWN,
    unchecked=_SIGNS,
)

HIDDEN_RELU = Claim(
    id="path.experts.hidden_relu",
    title="Hidden nodes of a ReLU network as sums over paths",
    protocol="The value of a hidden node of a ReLU network is a sum over the paths that lead to it",
    kind=Kind.EQUATION,
    statement=Eq(Symbol("h_{3,1}", real=True), _HIDDEN_RELU, evaluate=False),
    params=(_ONE_INPUT, FIRST[0], FIRST[2], *SECOND, *LAST),
    assumptions=(_THIRD, "ReLU units, weights $r$ of layer 3"),
    sources=_lemma(_HIDDEN_RELU, "(11)", "Lemma 4"),
    **rational_by_name(_third_relu),
    numeric=lambda **values: _third_in_float64(gated=False, **values),
    drawn=48,
    unchecked=_SIGNS,
)

y1, y2 = sympy.symbols("y1 y2", real=True)
_OTHER_X = (y1, y2)
_KERNEL = Symbol(r"\sum_\pi \partial_\pi \hat{y}(x)\, \partial_\pi \hat{y}(x')", real=True)
_ETA = {
    x: (first, tuple(sum(row[a] * first[a] for a in range(2)) for row in _B))
    for x in (X, _OTHER_X)
    for first in [tuple(sum(row[i] * x[i] for i in range(2)) for row in _A)]
}
_SHARED = sympy.Mul(
    *(
        sum(is_open(_ETA[X][level][node]) * is_open(_ETA[_OTHER_X][level][node]) for node in range(2))
        for level in range(2)
    )
)


def _expert_slopes(at: dict[str, Fraction], x: list[Fraction]) -> list[Fraction]:
    """The slopes of the output by the four constants, each the output with this constant at 1 and the others at 0."""
    first, second = _networks.linear_gates(_gating_layers(at), x)
    return [
        sum((int((a, b) == own) * first[a] * second[b] for a in range(2) for b in range(2)), start=Fraction(0))
        for own in product(range(2), repeat=2)
    ]


KERNEL = Claim(
    id="path.experts.kernel",
    title="Constant experts that are learned with fixed gates have the overlap as their kernel",
    kind=Kind.EQUATION,
    statement=Eq(_KERNEL, _SHARED, evaluate=False),
    params=(
        *INPUTS,
        *(Param(own, sympy.S.Reals, "entry of the other input $x'$", likely=SMALL) for own in _OTHER_X),
        *GATING,
    ),
    assumptions=(
        "two input nodes, two hidden levels of two nodes with linear gating; the expert of each of the four paths is a "
        "constant",
        "the right side is the overlap as a product over the levels",
    ),
    sources=(
        Source(
            HALF_SPACES,
            "section 3.2",
            says=Says.READ_AS,
            words=r"The learning problem for $g_\pi$ with fixed gating functions is equivalent to learning a linear "
            "model with inner product kernel given by the overlap kernel.",
        ),
    ),
    **rational_by_name(
        lambda at: _networks.inner(_expert_slopes(at, [at["x1"], at["x2"]]), _expert_slopes(at, [at["y1"], at["y2"]]))
    ),
    drawn=60,
    unchecked=_SIGNS | {Level.FLOATING: "the library's value is compared in `path.overlap.product`"},
)

_OPENINGS = (*_ETA_1, *_ETA_2)


def _slope_of_a_gating_weight(at: dict[str, Fraction]) -> Fraction:
    """The difference quotient of the output by a11, for a step at which no pre-activation changes its sign."""
    x = [at["x1"], at["x2"]]

    def evaluated(step: Fraction) -> tuple[Fraction, list[list[Fraction]]]:
        moved = {**at, "a11": at["a11"] + step}
        return _gated_by_nodes(moved, x), _networks.linear_gates(_gating_layers(moved), x)

    step = Fraction(1)
    while evaluated(step)[1] != evaluated(Fraction(0))[1]:
        step /= 2
    return (evaluated(step)[0] - evaluated(Fraction(0))[0]) / step


HARD_GATES = Claim(
    id="path.experts.hard_gates",
    title="The output of a deep linearly gated network does not change with the weights of hard gates",
    kind=Kind.EQUATION,
    statement=Eq(Symbol(r"\partial_{a_{11}} \hat{y}", real=True), Integer(0), evaluate=False),
    params=(*INPUTS, *WEIGHTS, *GATING),
    conditions=tuple(Ne(own, 0) for own in _OPENINGS),
    assumptions=(
        NETWORK,
        "linear gating with gates of 0 and 1; no pre-activation of the gating network vanishes, which excludes a set "
        "of weights of measure 0",
    ),
    sources=(
        Source(
            HALF_SPACES,
            "section 2.2",
            says=Says.UNSTATED,
            note="so gradient descent on the gates of (4) leaves the half-spaces as they start. The paper trains them "
            "and does not say how; a soft gate, which section 2 allows, or a substitute for the slope of the step "
            "moves them",
        ),
    ),
    **rational_by_name(_slope_of_a_gating_weight),
    drawn=_DRAWN,
    unchecked=_SIGNS | {Level.FLOATING: "the library evaluates outputs, and no slope by the weights of hard gates"},
)

x, u1, u2, c1, c2, c3, q1, q2 = sympy.symbols("x u1 u2 c1 c2 c3 q1 q2", real=True)
_WITH_BIASES = q1 * Max(u1 * x + c1, 0) + q2 * Max(u2 * x + c2, 0) + c3


def _without_biases(at: dict[str, Fraction]) -> Fraction:
    """The network with a second input node and a third hidden node that both have the value 1."""
    one, none = Fraction(1), Fraction(0)
    layers = [[[at["u1"], at["c1"]], [at["u2"], at["c2"]], [none, one]], [[at["q1"], at["q2"], at["c3"]]]]
    return _networks.relu_output(layers, [at["x"], one])


BIAS = Claim(
    id="path.experts.bias",
    title="A ReLU network with biases is one without, with a node of value 1 in each level",
    kind=Kind.EQUATION,
    statement=Eq(y_hat, _WITH_BIASES, evaluate=False),
    params=tuple(
        Param(own, sympy.S.Reals, doc, likely=SMALL)
        for own, doc in (
            (x, "input"),
            (u1, "weight of layer 1"),
            (u2, "weight of layer 1"),
            (c1, "bias of the first node"),
            (c2, "bias of the second node"),
            (c3, "bias of the output"),
            (q1, "weight of the last layer"),
            (q2, "weight of the last layer"),
        )
    ),
    assumptions=(
        "one input node, two hidden nodes, one output, with biases on the right side; on the left the network with a "
        "further input node and a further hidden node, whose weights are kept so that both have the value 1",
    ),
    sources=(
        Source(
            HALF_SPACES,
            "section 2.1",
            says=Says.READ_AS,
            words="biases can easily be incorporated by adding one extra neuron per layer representing the constant 1 "
            "and freezing the input weights of these constant nodes.",
        ),
    ),
    **rational_by_name(_without_biases),
    drawn=_DRAWN,
    unchecked=_SIGNS | {Level.FLOATING: "a construction: the library's networks have no biases"},
)

CLAIMS = (RELU, LINEARLY_GATED, CONSTANT, HARD_GATES, HIDDEN_RELU, HIDDEN_GATED, KERNEL, BIAS)
