"""Overlap of active paths and the path kernel. Neural path kernel, section 2.2; deep gated networks, section 1."""

from fractions import Fraction
from itertools import pairwise, product

import sympy
from sympy import Eq, FiniteSet, Integer, Max, Ne, Piecewise, Symbol

from theory.claims.areas.path import _networks
from theory.claims.areas.path._networks import (
    FIRST,
    GATES,
    INPUTS,
    NETWORK,
    SECOND,
    SMALL,
    X,
    g1,
    g2,
    gate,
    h1,
    h2,
    y1,
    y2,
)
from theory.claims.areas.path.output import exactly
from theory.claims.documents import DEEP_GATED_NETWORKS, HALF_SPACES, NEURAL_PATH_KERNEL
from theory.claims.indicator import is_open
from theory.claims.misprints import GATED_LEVELS
from theory.claims.model import Claim, Kind, Level, Param
from theory.claims.rational import rational_by_name
from theory.claims.sources import Reading, Says, Source
from theory.paths import overlap, path_kernel, relu_network, weighted
from theory.proof.derivation import Derivation, Step

p1, p2, q1, q2 = sympy.symbols("p1 p2 q1 q2", real=True)
_OTHER_GATES = tuple(gate(symbol, level, "$x'$") for level, pair in ((1, (p1, p2)), (2, (q1, q2))) for symbol in pair)
_OTHER_INPUT = tuple(Param(symbol, sympy.S.Reals, "entry of the other input $x'$", likely=SMALL) for symbol in (y1, y2))
_LAMBDA, _H = Symbol(r"\Lambda(x, x')", real=True), Symbol("H(x, x')", real=True)
_ALL_OPEN = [[[1, 1], [1, 1]], [[1, 1], [1, 1]], [[1, 1]]]
_BOTH = "gates are any numbers from 0 to 1; for gates 0 and 1 the overlap counts paths that both inputs open"


def _gates_of(at: dict[str, Fraction], names: str) -> list[list[Fraction]]:
    one, other = names
    return [[at[f"{one}1"], at[f"{one}2"]], [at[f"{other}1"], at[f"{other}2"]]]


def _over_paths(at: dict[str, Fraction], with_inputs: bool) -> Fraction:
    """The sum over the paths from both input nodes, with the entries of the inputs or divided by their number."""
    one, other = _gates_of(at, "gh"), _gates_of(at, "pq")
    total = Fraction(0)
    for start, a, b in product(range(2), repeat=3):
        activity = one[0][a] * one[1][b] * other[0][a] * other[1][b]
        total += activity * (at[f"x{start + 1}"] * at[f"y{start + 1}"] if with_inputs else Fraction(1, 2))
    return total


def _library(kernel, **values: float) -> float:
    at = exactly(x1=1.0, x2=0.0, y1=1.0, y2=0.0) | exactly(**values)
    gates = [[one, other] for one, other in zip(_gates_of(at, "gh"), _gates_of(at, "pq"), strict=True)]
    net = weighted([[at["x1"], at["x2"]], [at["y1"], at["y2"]]], gates, _ALL_OPEN)
    return float(kernel(net)[0][1])


_PRODUCT = (g1 * p1 + g2 * p2) * (h1 * q1 + h2 * q2)
_SUM = sum(one * other for one in (g1 * p1, g2 * p2) for other in (h1 * q1, h2 * q2))


def _derive_product() -> Derivation:
    result = Eq(_LAMBDA, _PRODUCT, evaluate=False)
    steps = (
        Step(
            Eq(_LAMBDA, _SUM, evaluate=False),
            "the paths from one input node: a node of each hidden level, and the gates of both inputs at it",
            "definition",
        ),
        Step(result, "the sum over nodes of one level does not depend on the other level", "identity"),
    )
    return Derivation("path.overlap.product", result, steps)


PRODUCT = Claim(
    id="path.overlap.product",
    title="The overlap is a product over the hidden levels of the inner products of the gates",
    kind=Kind.EQUATION,
    statement=Eq(_LAMBDA, _PRODUCT, evaluate=False),
    params=(*GATES, *_OTHER_GATES),
    assumptions=(NETWORK, _BOTH),
    sources=(
        Source(
            NEURAL_PATH_KERNEL,
            "section 2.2",
            note="the paper has the number of paths divided by $d_{in}$ and not the product",
            says=Says.UNSTATED,
        ),
        Source(
            NEURAL_PATH_KERNEL,
            "Definition 2.2",
            says=Says.READ_AS,
            words="Owing to the symmetry of a DNN, the same number of active paths start from any fixed input node.",
            note="the remark on the definition: the product does not depend on the input node",
            condition="every input node is connected to every node of the first hidden level",
        ),
    ),
    **rational_by_name(lambda at: _over_paths(at, with_inputs=False)),
    derive=_derive_product,
    numeric=lambda **values: _library(overlap, **values),
)

_HADAMARD = (X[0] * y1 + X[1] * y2) * _PRODUCT


def _derive_hadamard() -> Derivation:
    result = Eq(_H, _HADAMARD, evaluate=False)
    inputs = {0: X[0] * y1, 1: X[1] * y2}
    by_paths = sum(
        inputs[i] * one * other for i in range(2) for one in (g1 * p1, g2 * p2) for other in (h1 * q1, h2 * q2)
    )
    steps = (
        Step(Eq(_H, by_paths, evaluate=False), "the products of both features of each path", "definition"),
        Step(
            Eq(_H, (X[0] * y1 + X[1] * y2) * _SUM, evaluate=False),
            "every input node has the same hidden paths",
            "identity",
        ),
        Step(result, "the overlap as a product", "identity"),
    )
    return Derivation("path.overlap.hadamard", result, steps)


HADAMARD = Claim(
    id="path.overlap.hadamard",
    title="The neural path kernel as an entrywise product",
    protocol=r"The neural path kernel is input Gram matrix times overlap, entry by entry: $H = \Sigma \odot \Lambda$",
    kind=Kind.EQUATION,
    statement=Eq(_H, _HADAMARD, evaluate=False),
    params=(*INPUTS, *_OTHER_INPUT, *GATES, *_OTHER_GATES),
    assumptions=(NETWORK, _BOTH),
    sources=(
        Source(NEURAL_PATH_KERNEL, "Lemma 2.1", printed=_HADAMARD, note="with the overlap as a product over levels"),
        Source(
            DEEP_GATED_NETWORKS,
            "section 1",
            printed=_HADAMARD,
            note=r"Conceptual Gain II, $M_t = \Phi_t^\top \Phi_t = (x^\top x) \odot \lambda_t$",
        ),
    ),
    **rational_by_name(lambda at: _over_paths(at, with_inputs=True)),
    derive=_derive_hadamard,
    numeric=lambda **values: _library(path_kernel, **values),
    cites=("path.overlap.product",),
)

# ReLU gates: the paper's experts open at a pre-activation of 0, and its product of hidden values does not.


def _pre_activations(x: tuple) -> tuple[list[sympy.Expr], list[sympy.Expr]]:
    first = [row[0] * x[0] + row[1] * x[1] for row in _networks.U]
    second = [sum(row[a] * Max(first[a], 0) for a in range(2)) for row in _networks.W]
    return first, second


def _relu_product(indicator, x: tuple, other: tuple) -> sympy.Expr:
    total = Integer(1)
    for one, two in zip(_pre_activations(x), _pre_activations(other), strict=True):
        total *= sum(indicator(a) * indicator(b) for a, b in zip(one, two, strict=True))
    return total


def _strictly_open(value: sympy.Expr) -> sympy.Expr:
    return Piecewise((1, value > 0), (0, True))


def _relu_paths(at: dict[str, Fraction]) -> int:
    """Hidden paths whose pre-activations are all at least 0, for both inputs."""
    active = []
    for x in ([at["x1"], at["x2"]], [at["y1"], at["y2"]]):
        layers = _networks.three_layers(at)
        z = _networks.relu_levels(layers, x)
        drives = [_networks.drives(layer, own) for layer, own in zip(layers[:2], z, strict=False)]
        active.append({(a, b) for a, b in product(range(2), repeat=2) if drives[0][a] >= 0 and drives[1][b] >= 0})
    return len(active[0] & active[1])


def _relu_in_float64(**values: float) -> float:
    at = exactly(**values)
    inputs = [[at["x1"], at["x2"]], [at["y1"], at["y2"]]]
    return float(overlap(relu_network(inputs, _networks.three_layers(at), at_zero=1))[0][1])


_X, _Y = (X[0], X[1]), (y1, y2)
_NO_ZERO = sympy.And(
    *(Ne(drive, 0) for x in (_X, _Y) for level in _pre_activations(x) for drive in level), evaluate=False
)
RELU = Claim(
    id="path.overlap.relu",
    title="The overlap of a ReLU network as a product over levels",
    protocol="The overlap of a ReLU network is a product over its levels of the numbers of gates open on both inputs",
    kind=Kind.EQUATION,
    statement=Eq(_LAMBDA, _relu_product(is_open, _X, _Y), evaluate=False),
    params=tuple(
        Param(param.symbol, param.domain, param.doc, (), FiniteSet(*map(Integer, range(-2, 3))))
        for param in (*INPUTS, *_OTHER_INPUT, *FIRST, *SECOND)
    ),
    assumptions=(NETWORK, r"ReLU units, with the gates $1[q \geq 0]$ of (2)"),
    sources=(
        Source(
            HALF_SPACES,
            "section 3.2",
            printed=_relu_product(_strictly_open, _X, _Y),
            readings=(Reading("no pre-activation is exactly 0", where=_NO_ZERO),),
            note="(2) opens a gate at a pre-activation of 0, the printed product closes it",
        ),
    ),
    **rational_by_name(lambda at: _relu_paths({"r1": Fraction(0), "r2": Fraction(0), **at})),
    numeric=lambda **values: _relu_in_float64(r1=0.0, r2=0.0, **values),
    drawn=60,
    unchecked={Level.SYMBOLIC: "the sign of each pre-activation decides; all are tried at drawn points"},
)

TOY = Claim(
    id="path.overlap.toy",
    title="Active paths of two input nodes in pairs",
    protocol="With two input nodes, paths that are active on both inputs come in pairs that share their hidden nodes",
    kind=Kind.EQUATION,
    statement=Eq(Symbol(r"\Lambda(1, 2)", real=True), Integer(1), evaluate=False),
    assumptions=(
        "two input nodes, two hidden levels of three nodes: 18 paths, numbered from the first input node on",
        "all gatings of two inputs under which $p_3$ and one other path at most are active on both inputs: the other "
        "is $p_{12}$, and the overlap is 1",
    ),
    sources=(
        Source(
            NEURAL_PATH_KERNEL,
            "section 2.1",
            printed=Integer(1),
            note="the caption of Figure 1, whose gates the text does not state",
        ),
    ),
    **rational_by_name(lambda _at: _toy()),
    unchecked={
        Level.SYMBOLIC: "all gatings of the toy are enumerated; there is nothing to derive",
        Level.FLOATING: "one number, the same for all gatings, which are enumerated",
    },
)


def _toy() -> Fraction:
    """The overlap of each gating under which p_3 and at most one other of 18 paths is shared."""
    numbered = list(product(range(2), range(3), range(3)))
    found = set()
    for bits in product((0, 1), repeat=12):
        gates = [bits[:3], bits[3:6]], [bits[6:9], bits[9:]]
        shared = [k + 1 for k, (_, a, b) in enumerate(numbered) if all(own[0][a] and own[1][b] for own in gates)]
        if 3 in shared and len(shared) <= 2:
            found.add((tuple(shared), Fraction(len(shared), 2)))
    ((numbers, value),) = found
    if numbers != (3, 12):
        raise ArithmeticError(f"the shared paths are {numbers}")
    return value


k, r, d = sympy.symbols("k r d", integer=True, positive=True)


def _ratio(at: dict[str, Fraction]) -> Fraction:
    """Paths open on both inputs over those open on one, where k of r open gates of each hidden level are shared."""
    shared, open_, depth = int(at["k"]), int(at["r"]), int(at["d"])
    both = sum(all(node < shared for node in path) for path in product(range(open_), repeat=depth - 1))
    return Fraction(both, len(list(product(range(open_), repeat=depth - 1))))


def _ratio_of_the_library(k: int, r: int, d: int) -> float:
    gates = [[[1] * r + [0] * (r - k), [1] * k + [0] * (r - k) + [1] * (r - k)]] * (d - 1)
    sizes = [1, *[2 * r - k] * (d - 1), 1]
    ones = [[[1] * a for _ in range(b)] for a, b in pairwise(sizes)]
    kernel = overlap(weighted([[1], [1]], gates, ones))
    return float(kernel[0][1] / kernel[0][0])


_DECAY = (k / r) ** (d - 1)
DECAY = Claim(
    id="path.overlap.decay",
    title="The overlap relative to the number of active paths falls by a factor for each hidden level",
    kind=Kind.EQUATION,
    statement=Eq(Symbol(r"\frac{\Lambda(x, x')}{\Lambda(x, x)}", real=True), _DECAY, evaluate=False),
    params=(
        Param(k, sympy.S.Naturals, "open gates of a level that both inputs share", (Integer(1),), sympy.Range(1, 4)),
        Param(r, sympy.S.Naturals, "open gates of a level on each input", (Integer(3),), sympy.Range(1, 4)),
        Param(
            d,
            sympy.S.Naturals,
            "layers of weights, one more than hidden levels",
            (Integer(2),),
            sympy.Range(2, 6),
        ),
    ),
    conditions=(k <= r,),
    sources=(
        Source(
            DEEP_GATED_NETWORKS,
            "section 1",
            printed=(k / r) ** (d - 1),
            says=Says.READ_AS,
            words=r"at each layer the overlap of active gates is $\mu \in (0, 1)$, then for a depth $d$, the "
            r"fractional overlap decays at exponential rate, i.e., $\lambda_0(s, s') / \lambda_0(s, s) \leq \mu^d$",
            note=r"with the share $\mu = k/r$ at each of the $d - 1$ hidden levels the ratio is $\mu^{d-1}$",
            misprint=GATED_LEVELS,
        ),
    ),
    **rational_by_name(_ratio),
    numeric=_ratio_of_the_library,
    drawn=16,
    unchecked={Level.SYMBOLIC: "paths are counted one by one; the product over levels is `path.overlap.product`"},
)

CLAIMS = (PRODUCT, HADAMARD, RELU, TOY, DECAY)
