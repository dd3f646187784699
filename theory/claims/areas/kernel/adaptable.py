"""Kernels of gates that are learned: deep gated networks, Lemma 3.1, for gates with a weight of their own each."""

from fractions import Fraction

import sympy
from sympy import Eq, Integer, Interval, Rational, S

from theory.claims.areas.kernel import _networks
from theory.claims.areas.kernel._symbols import BY_COUNTING, VARIANCE, V, d, layers, nodes, w
from theory.claims.documents import DEEP_GATED_NETWORKS
from theory.claims.model import Claim, Kind, Level, Param
from theory.claims.rational import rational_by_name
from theory.claims.slips import DEPTH_FACTOR, charged
from theory.claims.sources import Source
from theory.kernels import GatedNetwork, GivenValues, adaptable_mean

g, h, alpha, beta, r = sympy.symbols("g h alpha beta r", real=True)

_LEMMA = ("Lemma 3.1", "Lemma 7.5")
_STRENGTHS = d * V ** (d - 1) * r * (w * g * h) ** (d - 1)
_ACTIVATIONS = V**d * r * (d - 1) * w * alpha * beta * (w * g * h) ** (d - 2)
_BETWEEN = Interval(Rational(1, 4), 2)
_PARAMS = (
    nodes(1, 2),
    layers(2, 3),
    VARIANCE,
    Param(r, S.Reals, r"$\langle x, x' \rangle$", (Integer(1),), Interval(-3, 3)),
    Param(g, S.Reals, "value of each gate at $x$", (), _BETWEEN),
    Param(h, S.Reals, "value of each gate at $x'$", (), _BETWEEN),
    Param(alpha, S.Reals, "slope of each gate at $x$ by its weight", (), _BETWEEN),
    Param(beta, S.Reals, "slope of each gate at $x'$ by its weight", (), _BETWEEN),
)
_SETTING = (
    r"weights of paths are independent, $\sigma$ or $-\sigma$ with probability 1/2 each, and independent of the gates",
    r"$x = 1$, $x' = r$, one input node, one output; each gate has a weight $\theta^g(m)$ of its own, the value $g$ "
    r"and the slope $\alpha$ at $x$, $h$ and $\beta$ at $x'$",
)
_COUNTED = {Level.SYMBOLIC: BY_COUNTING}


def _means(at: dict[str, Fraction]) -> tuple[Fraction, Fraction]:
    """E K0^w and E K0^a over all signs, from the slopes of both outputs."""
    width, depth = int(at["w"]), int(at["d"])
    one, other = ([[at[name]] * width for _ in range(depth - 1)] for name in ("g", "h"))
    strengths = activations = Fraction(0)
    choices = 0
    for weights in _networks.signs((1, *[width] * (depth - 1), 1)):
        left, right = _networks.by_weights(1, weights, one), _networks.by_weights(at["r"], weights, other)
        strengths += sum(a * b for a, b in zip(left, right, strict=True))
        left = _networks.by_gates(1, weights, one, at["alpha"])
        right = _networks.by_gates(at["r"], weights, other, at["beta"])
        activations += sum(a * b for a, b in zip(left, right, strict=True))
        choices += 1
    return strengths * at["V"] ** (depth - 1) / choices, activations * at["V"] ** depth / choices


def _library(at: dict[str, float]) -> tuple[float, float]:
    own = {name: value if name in "wd" else Fraction(value) for name, value in at.items()}
    width, levels, variance = own["w"], own["d"] - 1, own["V"]
    net = GatedNetwork([[1], [own["r"]]], [GivenValues([[own["g"]] * width, [own["h"]] * width])] * levels)
    numbers = range(width * levels)
    slopes = [
        [[[own[name] if m == level * width + node else 0 for m in numbers] for node in range(width)] for name in pair]
        for level in range(levels)
        for pair in [("alpha", "beta")]
    ]
    strengths, activations = adaptable_mean(net, slopes, (0, 1))
    return float(strengths * variance**levels), float(activations * variance ** (levels + 1))


STRENGTHS = Claim(
    id="kernel.adaptable.strengths",
    title="The mean kernel of the strengths of the paths, with learned gates",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Symbol(r"\mathbb{E}[K_0^w(x, x')]", real=True), _STRENGTHS, evaluate=False),
    params=_PARAMS,
    conditions=(d >= 2,),
    assumptions=_SETTING,
    sources=tuple(
        Source(
            DEEP_GATED_NETWORKS,
            label,
            printed=_STRENGTHS / d,
            note=r"part (ii), where $\lambda = (w g h)^{d-1}$ counts the paths by their activities",
            **charged(DEPTH_FACTOR, label, _STRENGTHS),
        )
        for label in _LEMMA
    ),
    **rational_by_name(lambda at: _means(at)[0]),
    numeric=lambda **at: _library(at)[0],
    drawn=3,
    unchecked=_COUNTED,
)

ACTIVATIONS = Claim(
    id="kernel.adaptable.activations",
    title="The mean kernel of the activities of the paths, with learned gates",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Symbol(r"\mathbb{E}[K_0^a(x, x')]", real=True), _ACTIVATIONS, evaluate=False),
    params=_PARAMS,
    conditions=(d >= 2,),
    assumptions=_SETTING,
    sources=tuple(
        Source(
            DEEP_GATED_NETWORKS,
            label,
            printed=_ACTIVATIONS,
            note=r"part (iii), where $\delta = (d - 1) w \alpha \beta (w g h)^{d-2}$: one gate of a path has a slope",
        )
        for label in _LEMMA
    ),
    **rational_by_name(lambda at: _means(at)[1]),
    numeric=lambda **at: _library(at)[1],
    drawn=3,
    unchecked=_COUNTED,
)

SUM = Claim(
    id="kernel.adaptable.sum",
    title="The mean kernel with learned gates is that of the strengths plus that of the activities",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Symbol(r"\mathbb{E}[K_0(x, x')]", real=True), _STRENGTHS + _ACTIVATIONS, evaluate=False),
    params=_PARAMS,
    conditions=(d >= 2,),
    assumptions=_SETTING,
    sources=tuple(
        Source(
            DEEP_GATED_NETWORKS,
            label,
            printed=_STRENGTHS + _ACTIVATIONS,
            note="part (i), with the two means as they are here",
        )
        for label in _LEMMA
    ),
    **rational_by_name(lambda at: sum(_means(at))),
    numeric=lambda **at: sum(_library(at)),
    drawn=3,
    unchecked=_COUNTED,
)

CLAIMS = (STRENGTHS, ACTIVATIONS, SUM)
