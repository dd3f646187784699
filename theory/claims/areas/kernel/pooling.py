"""Circular convolutions and global average pooling: deep gated networks, Lemma 4.1 and equation (7)."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import sympy
from sympy import Eq, Integer, Interval, Range, S

from theory.claims.areas.kernel._symbols import BY_COUNTING, VARIANCE, V
from theory.claims.documents import DEEP_GATED_NETWORKS
from theory.claims.model import Claim, Kind, Level, Param
from theory.claims.rational import rational_by_name
from theory.claims.slips import BEFORE_POOLING
from theory.claims.sources import Reading, Says, Source
from theory.kernels import circular_means

n = sympy.Symbol("n", integer=True, positive=True)
u, v, g, h = sympy.symbols("u v g h", real=True)

_SIZE, _KERNEL = 3, 2
_SOME = Interval(-3, 3)
_COUNTED = {Level.SYMBOLIC: BY_COUNTING}
_LEMMA = ("Lemma 4.1", "Lemma 8.2")
_NETWORK = (
    "circular convolutions with kernels of 2 weights on 3 positions; weights are independent, "
    r"$\sigma$ or $-\sigma$ with probability 1/2 each"
)
_ENTRIES = (Param(u, S.Reals, "second entry of $x$", (), _SOME), Param(v, S.Reals, "first entry of $x'$", (), _SOME))
_LAYERS = Param(n, S.Naturals, "convolutional layers", (Integer(1), Integer(3)), Range(1, 4))

_CONVOLUTIONAL = "all $d - 1$ hidden layers are convolutional"

Row = Sequence[Fraction | int]


def _forward(x: Row, gates: Sequence[Row], weights: Sequence[Row]) -> list[Fraction]:
    z = [Fraction(value) for value in x]
    for open_, kernel in zip(gates, weights, strict=True):
        sums = [sum(a * z[(i + j) % _SIZE] for j, a in enumerate(kernel)) for i in range(_SIZE)]
        z = [gate * value for gate, value in zip(open_, sums, strict=True)]
    return z


def _means(x: Row, other: Row, gates: Sequence[Row], others: Sequence[Row]) -> tuple[Fraction, Fraction]:
    """E<z, z'> before pooling and E y y' after it, over all signs of the kernels."""
    before = after = Fraction(0)
    choices = 0
    for signs in product((1, -1), repeat=_KERNEL * len(gates)):
        weights = [signs[_KERNEL * layer : _KERNEL * (layer + 1)] for layer in range(len(gates))]
        one, two = _forward(x, gates, weights), _forward(other, others, weights)
        before += sum(a * b for a, b in zip(one, two, strict=True))
        after += sum(one) * sum(two) / _SIZE**2
        choices += 1
    return before / choices, after / choices


def _open(at: dict[str, Fraction]) -> tuple[Fraction, Fraction]:
    gates = [[1] * _SIZE] * int(at["n"])
    found = _means([1, at["u"], 0], [at["v"], 0, 1], gates, gates)
    return tuple(value * at["V"] ** int(at["n"]) for value in found)


def _open_in_float64(n: int, u: float, v: float, V: float) -> tuple[float, float]:
    gates = [[1] * _SIZE] * n
    found = circular_means([1, Fraction(u), 0], [Fraction(v), 0, 1], gates, gates, _KERNEL)
    return float(found.before * Fraction(V) ** n), float(found.pooled * Fraction(V) ** n)


_ALL_OPEN = (2 * V) ** n * (1 + u) * (1 + v) / 9
AFTER = Claim(
    id="kernel.pooling.after",
    title="Mean product of two pooled outputs, all gates open",
    protocol="The mean product of two pooled outputs depends on the sums of the inputs alone, with all gates open",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Symbol(r"\mathbb{E}[y(x)\, y(x')]", real=True), _ALL_OPEN, evaluate=False),
    params=(_LAYERS, *_ENTRIES, VARIANCE),
    assumptions=(_NETWORK, "$x = (1, u, 0)$, $x' = (v, 0, 1)$, all gates open; $y$ is the mean over the 3 positions"),
    sources=tuple(
        Source(
            DEEP_GATED_NETWORKS,
            label,
            printed=_ALL_OPEN,
            note=r"with $\hat B = 2^n$ bundles and $\sigma^{2(d-1)} = V^n$, as in Figure 9; section 4 has $L < d$ "
            "convolutional layers",
            condition=_CONVOLUTIONAL,
        )
        for label in _LEMMA
    ),
    **rational_by_name(lambda at: _open(at)[1]),
    numeric=lambda **at: _open_in_float64(**at)[1],
    unchecked=_COUNTED,
)

BEFORE = Claim(
    id="kernel.pooling.before",
    title="The mean product of two outputs before pooling depends on the positions of the inputs",
    kind=Kind.EQUATION,
    statement=Eq(
        sympy.Symbol(r"\mathbb{E}[\langle x_s(L), x_{s'}(L) \rangle]", real=True), (2 * V) ** n * v, evaluate=False
    ),
    params=(_LAYERS, *_ENTRIES, VARIANCE),
    assumptions=(
        _NETWORK,
        r"$x_s = (1, u, 0)$, $x_{s'} = (v, 0, 1)$, all gates open; $\langle x_s, x_{s'} \rangle = v$",
    ),
    sources=(
        Source(
            DEEP_GATED_NETWORKS,
            "(7)",
            note="(7) writes this mean as a sum over the positions, which it is",
        ),
        Source(
            DEEP_GATED_NETWORKS,
            "after (7)",
            printed=3 * _ALL_OPEN,
            says=Says.READ_AS,
            words="without loss of generality, it is sufficient to study $E[x_s(L, 1) x_{s'}(L, 1)]$, i.e., it is "
            r"enough to consider the case of $L$ convolutions with kernel of size $\hat w$ followed by a global "
            "average pooling",
            note="the sum over the three positions is taken as three times the mean product of the pooled outputs; the "
            "sum itself contains no product of two different paths of a bundle",
            readings=(
                Reading("$x_s(L, 1)$ is the first position before pooling", printed=3 * V * v, where=Eq(n, 1)),
                Reading(
                    "the same up to a factor, here the one for which both agree at $u = 0$ and $v = 1$",
                    printed=(2 * V) ** n * (1 + u) * (1 + v) / 2,
                ),
            ),
            slip=BEFORE_POOLING,
        ),
    ),
    **rational_by_name(lambda at: _open(at)[0]),
    numeric=lambda **at: _open_in_float64(**at)[0],
    unchecked=_COUNTED,
)


def _gated_rows(at: dict[str, Fraction]) -> tuple:
    return [1, at["u"], 0], [at["v"], 0, 1], [[at["g"], 1, 1]], [[1, 1, at["h"]]]


_GATED = V * ((g + u) * (v + h) + (g * u + 1) * (1 + v * h)) / 9
_GATE_VALUES = (
    Param(g, S.Reals, "first gate of $x$", (Integer(1), Integer(0)), Interval(-2, 2)),
    Param(h, S.Reals, "third gate of $x'$", (Integer(1), Integer(0)), Interval(-2, 2)),
)
GATED = Claim(
    id="kernel.pooling.gated",
    title="The mean product of two pooled outputs is a sum over pairs of paths with the same weights",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Symbol(r"\mathbb{E}[y(x)\, y(x')]", real=True), _GATED, evaluate=False),
    params=(*_ENTRIES, *_GATE_VALUES, VARIANCE),
    assumptions=(
        _NETWORK,
        "one layer; $x = (1, u, 0)$ with the gates $(g, 1, 1)$ and $x' = (v, 0, 1)$ with the gates $(1, 1, h)$; $y$ is "
        "the mean over the 3 positions",
    ),
    sources=tuple(
        Source(
            DEEP_GATED_NETWORKS,
            label,
            printed=_GATED,
            note="one bundle for each of the two weights: the product of the sums of its three paths for both inputs",
            condition=_CONVOLUTIONAL,
        )
        for label in _LEMMA
    ),
    **rational_by_name(lambda at: at["V"] * _means(*_gated_rows(at))[1]),
    numeric=lambda V, **at: float(
        Fraction(V)
        * circular_means(*_gated_rows({name: Fraction(value) for name, value in at.items()}), _KERNEL).pooled
    ),
    unchecked=_COUNTED,
)

_ONE_HOT = ([1, 0, 0], [0, 1, 0])


def _rotation(at: dict[str, Fraction]) -> Fraction:
    gates = [[at["g"], 1, 1]]
    still, turned = (_means(_ONE_HOT[0], other, gates, gates)[1] for other in _ONE_HOT)
    return at["V"] * (still - turned)


def _rotation_in_float64(g: float, V: float) -> float:
    gates = [[Fraction(g), 1, 1]]
    still, turned = (circular_means(_ONE_HOT[0], other, gates, gates, _KERNEL).pooled for other in _ONE_HOT)
    return float(Fraction(V) * (still - turned))


FIXED = Claim(
    id="kernel.pooling.fixed_gates",
    title="With gates that stay at their positions the pooled outputs are not invariant under translations",
    kind=Kind.EQUATION,
    statement=Eq(
        sympy.Symbol(r"\mathbb{E}[y(x)^2] - \mathbb{E}[y(x)\, y(x^{(1)})]", real=True),
        V * (g**2 - 2 * g + 1) / 9,
        evaluate=False,
    ),
    params=(
        Param(g, S.Reals, "the first gate", (Integer(0), Integer(2)), Interval(-2, 2)),
        VARIANCE,
    ),
    assumptions=(
        _NETWORK,
        "one layer; $x = (1, 0, 0)$ and its rotation $x^{(1)} = (0, 1, 0)$, both with the gates $(g, 1, 1)$",
    ),
    sources=tuple(
        Source(
            DEEP_GATED_NETWORKS,
            label,
            says=Says.UNSTATED,
            note="the invariance needs gates that rotate with the input. Gates from a circular convolution of the "
            "input, as the section has them, do; gates that are drawn or frozen by position do not",
        )
        for label in _LEMMA
    ),
    **rational_by_name(_rotation),
    numeric=_rotation_in_float64,
    unchecked=_COUNTED,
)

q = sympy.Symbol("q", integer=True, positive=True)


def _bundle(at: dict[str, Fraction]) -> tuple[int, int]:
    """The paths of q-wide circular convolutions on N positions, and their different products of weights.

    Raises ArithmeticError unless every product belongs to N paths.
    """
    width, positions, depth = (int(at[name]) for name in ("q", "N", "n"))
    strengths = Counter(
        tuple(enumerate(steps)) for _start in range(positions) for steps in product(range(width), repeat=depth)
    )
    if set(strengths.values()) != {positions}:
        raise ArithmeticError(f"a strength belongs to {sorted(set(strengths.values()))} paths")
    return strengths.total(), len(strengths)


N = sympy.Symbol("N", integer=True, positive=True)
_SIZES = (
    Param(q, S.Naturals, "weights of a kernel", (Integer(2),), Range(1, 4)),
    Param(N, S.Naturals, "positions", (Integer(3),), Range(3, 6)),
    Param(n, S.Naturals, "convolutional layers", (Integer(3),), Range(1, 5)),
)
_AS_IN_FIGURE = (
    r"$d_{in} = N$, $\hat w = q$ and $d - 1 = n$ convolutional layers, as in Figure 9; section 4 has $L < d$ of them"
)
_BY_LIST = {
    Level.SYMBOLIC: "all paths are listed; no chain of steps counts them",
    Level.FLOATING: "a number of paths, which the library does not list",
}
PATHS = Claim(
    id="kernel.pooling.paths",
    title="The number of paths of circular convolutions with global average pooling",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Symbol(r"\hat P", real=True), N * q**n, evaluate=False),
    params=_SIZES,
    assumptions=("one kernel for all positions of a layer; a path takes one weight of each kernel",),
    sources=(Source(DEEP_GATED_NETWORKS, "section 4", printed=N * q**n, note=_AS_IN_FIGURE, condition=_CONVOLUTIONAL),),
    **rational_by_name(lambda at: _bundle(at)[0]),
    unchecked=_BY_LIST,
)
BUNDLES = Claim(
    id="kernel.pooling.bundles",
    title="The number of different strengths of paths with pooling",
    protocol="The number of different strengths of paths, each of which belongs to as many paths as there are "
    "positions",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Symbol(r"\hat B", real=True), q**n, evaluate=False),
    params=_SIZES,
    assumptions=("one kernel for all positions of a layer; a path takes one weight of each kernel",),
    sources=(
        Source(
            DEEP_GATED_NETWORKS,
            "section 4",
            printed=q**n,
            note=_AS_IN_FIGURE + "; for two weights and three layers there are the 8 strengths of its caption",
            condition=_CONVOLUTIONAL,
        ),
    ),
    **rational_by_name(lambda at: _bundle(at)[1]),
    unchecked=_BY_LIST,
)


def _turned(at: dict[str, Fraction]) -> Fraction:
    """E y(x) y(x') after a rotation of x' by k positions together with its gates."""
    k = int(at["k"])
    x, other, gates, others = _gated_rows(at)
    turn = [[row[(place - k) % _SIZE] for place in range(_SIZE)] for row in (other, others[0])]
    return at["V"] * _means(x, turn[0], gates, [turn[1]])[1]


k = sympy.Symbol("k", integer=True, nonnegative=True)
ROTATED = Claim(
    id="kernel.pooling.rotated",
    title="A rotation of one input with its gates does not change the mean product of the pooled outputs",
    kind=Kind.EQUATION,
    statement=Eq(
        sympy.Symbol(r"\mathbb{E}[y(x)\, y(x'^{(k)})]", real=True),
        _GATED,
        evaluate=False,
    ),
    params=(
        Param(k, S.Naturals0, "positions of the rotation", (Integer(0), Integer(1), Integer(2)), Range(0, 3)),
        *_ENTRIES,
        *_GATE_VALUES,
        VARIANCE,
    ),
    assumptions=(
        _NETWORK,
        "one layer; $x = (1, u, 0)$ with the gates $(g, 1, 1)$; $x' = (v, 0, 1)$ with the gates $(1, 1, h)$, both "
        "rotated by $k$ positions; $y$ is the mean over the 3 positions",
    ),
    sources=(
        Source(
            DEEP_GATED_NETWORKS,
            "section 4",
            says=Says.READ_AS,
            words=r"The term $\sum_{p \in b_k} x(p(0), s) A(x, p) x^{(i)}(p(0), s') A(x_{s'}^{(i)}, p)$ is translation "
            "invariant.",
            note="each term is invariant under rotating both inputs; under rotating one of them only the sum over all "
            "rotations is",
        ),
    ),
    **rational_by_name(_turned),
    unchecked=_COUNTED | {Level.FLOATING: "the library's value is compared in `kernel.pooling.gated`"},
)

CLAIMS = (AFTER, BEFORE, GATED, FIXED, PATHS, BUNDLES, ROTATED)
