r"""The variance of the tangent kernel with Bernoulli(mu) gates, over weights and gates: one input, and two inputs.

The mean over the gates of a level multiplies a term by mu for each different pair of a node and an input. With one
input the closed form is that of open gates with two numbers in the place of one: mu w, the mean number of open nodes,
and v = mu (w - 1), the mean number among the other nodes.
"""

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

import sympy
from sympy import Eq, Integer, Interval, Rational, sqrt

from theory.claims.areas.kernel import _layers
from theory.claims.areas.kernel._symbols import BOTH_OPEN, OPEN, SOMETIMES_CLOSED, d, layers, mu, nodes, r, w
from theory.claims.documents import DEEP_GATED_NETWORKS
from theory.claims.model import Claim, Kind, Level, Param
from theory.claims.rational import rational_by_name
from theory.claims.sources import Says, Source
from theory.kernels import alike
from theory.kernels import moment as library_moment

_OPEN = mu * w
_V = mu * (w - 1)
# Even powers are multiplied out: a sign inside of them would be no other formula.
_V2 = mu**2 * (w**2 - 2 * w + 1)
_V4 = mu**4 * (w**4 - 4 * w**3 + 6 * w**2 - 4 * w + 1)
_SQUARE = _V2 + 10 * _V + 1
_FOURTH = _V4 + 20 * _V**3 + 102 * _V2 + 20 * _V + 1  # the square of _SQUARE
_ROOT = sqrt(_SQUARE)
_LARGE, _SMALL = (1 + _V + _ROOT) / (2 * _OPEN), (1 + _V - _ROOT) / (2 * _OPEN)
_WITH_SUM = (
    d**2 * (_V + 3) / (6 * _SQUARE)
    + d * _V * (2 * _V**3 + 33 * _V2 + 150 * _V + 103) / (9 * _FOURTH)
    - Rational(2, 27) * _V
)
_WITH_DIFFERENCE = (
    d**2 * (_V2 + 8 * _V + 3) / (6 * _SQUARE)
    + d * _V * (2 * _V2 + 23 * _V + 41) / (9 * _SQUARE)
    - 2 * _V * (_V**5 + 25 * _V4 + 190 * _V**3 + 404 * _V2 - 79 * _V + 107) / (27 * _FOURTH)
)
_SECOND_MOMENT = _OPEN * (
    _WITH_SUM * (_LARGE**d + _SMALL**d)
    + _WITH_DIFFERENCE * (_LARGE**d - _SMALL**d) / _ROOT
    + Rational(4, 27) * _V * (1 - 1 / w) ** d
)

_WEIGHTS = r"weights are independent, $\pm 1/\sqrt{\mu w}$ with probability 1/2 each"
_GATES = (
    r"gates are independent, for each node and each input, and open with probability $\mu$; mean and variance are over "
    "weights and gates"
)
_ONE = (_WEIGHTS, _GATES, r"$x = 1$, one input node, one output, so that $\mathbb{E} K_0(x, x) = d$")
_TWO = (
    _WEIGHTS,
    _GATES,
    r"two inputs $x = x' = 1$ with gates of their own, one input node, one output, so that "
    r"$\mathbb{E} K_0(x, x') = d \mu^{d-1}$",
)
_BEYOND = (
    Source(
        DEEP_GATED_NETWORKS,
        "Theorem 2.3",
        note="the exact value for the random gates of section 2, where the theorem bounds the variance",
        says=Says.UNSTATED,
    ),
)
_UNCHECKED = {
    Level.SYMBOLIC: "expectations layer by layer, in fractions; no chain of steps sums over the marked layers"
}
_LIMIT = _UNCHECKED | {Level.FLOATING: "the library evaluates the variance at a finite width, not the limit"}


def _second(at: dict[str, Fraction]) -> Fraction:
    width, depth = int(at["w"]), int(at["d"])
    value = _layers.second_moment(width, depth, _layers.SIGNS, at["mu"])
    return value / (at["mu"] * width) ** (2 * (depth - 1))


def _in_float64(other: int, depth: int | None = None) -> Callable[..., float]:
    """Return the second moment of the entry of the inputs 0 and `other`, less the square of the mean at a `depth`."""

    def value(w: int, mu: float, d: int = 0) -> float:
        layers_ = depth or d
        net, unit = alike(w, layers_, Fraction(mu)), (Fraction(mu) * w) ** (2 * (layers_ - 1))
        found = library_moment(net, [(0, other)] * 2)
        return float((found - (library_moment(net, [(0, other)]) ** 2 if depth else 0)) / unit)

    return value


OWN = Claim(
    id="kernel.random_gates.own",
    title="Second moment of a diagonal entry of the tangent kernel, Bernoulli gates",
    protocol="The second moment of a diagonal entry of the tangent kernel with Bernoulli gates, at any width and depth",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Symbol(r"\mathbb{E} K_0(x, x)^2", real=True), _SECOND_MOMENT, evaluate=False),
    params=(nodes(2, 5), layers(1, 6), OPEN),
    assumptions=_ONE,
    sources=_BEYOND,
    **rational_by_name(_second),
    numeric=_in_float64(0),
    drawn=12,
    unchecked=_UNCHECKED,
)

LEADING = Claim(
    id="kernel.random_gates.own_leading",
    title="The variance of a diagonal entry of the tangent kernel of wide networks with Bernoulli gates",
    kind=Kind.ASYMPTOTIC,
    statement=Eq(
        sympy.Symbol(r"\lim_{w \to \infty} w \operatorname{Var} K_0(x, x)", real=True),
        (1 / mu - 1) * d**2 * (d - 1) + Rational(2, 3) * (d - 2) * (d - 1) * (2 * d - 3) / mu,
        evaluate=False,
    ),
    params=(layers(1, 5), OPEN),
    assumptions=_ONE,
    sources=_BEYOND,
    **rational_by_name(lambda at: _layers.leading(int(at["d"]), at["mu"])),
    drawn=8,
    unchecked=_LIMIT,
)

CROSS = Claim(
    id="kernel.random_gates.cross",
    title="The variance of an entry of two inputs with Bernoulli gates, for three layers",
    kind=Kind.EQUATION,
    statement=Eq(
        sympy.Symbol(r"\operatorname{Var} K_0(x, x')", real=True),
        (2 * w * (1 + 10 * mu**2 - 9 * mu**4) + 7 - 20 * mu**2 + 9 * mu**4) / w**2,
        evaluate=False,
    ),
    params=(nodes(1, 6), OPEN),
    assumptions=(*_TWO, "$d = 3$"),
    sources=_BEYOND,
    **rational_by_name(
        lambda at: _layers.variance(int(at["w"]), 3, _layers.SIGNS, at["mu"] ** 2, True) / (at["mu"] * at["w"]) ** 4
    ),
    numeric=_in_float64(1, 3),
    drawn=8,
    unchecked=_UNCHECKED,
)

# sum_(j = 1)^(d-2) j^2 r^(j-1), with its squares multiplied out.
_SQUARES = (
    1 + r - (d**2 - 2 * d + 1) * r ** (d - 2) + (2 * d**2 - 6 * d + 3) * r ** (d - 1) - (d**2 - 4 * d + 4) * r**d
) / (1 - r) ** 3
CROSS_LEADING = Claim(
    id="kernel.random_gates.cross_leading",
    title="The variance of an entry of two inputs in wide networks with Bernoulli gates",
    kind=Kind.ASYMPTOTIC,
    statement=Eq(
        sympy.Symbol(r"\lim_{w \to \infty} w \operatorname{Var} K_0(x, x')", real=True),
        r ** (d - 2) * (d - 1) * ((1 - r) * d**2 + (d - 2) * (2 * d - 3) / 3) + 2 * _SQUARES,
        evaluate=False,
    ),
    params=(layers(2, 5), BOTH_OPEN),
    conditions=(d >= 2,),
    assumptions=_TWO,
    sources=_BEYOND,
    **rational_by_name(lambda at: _layers.leading(int(at["d"]), at["r"], True)),
    drawn=8,
    unchecked=_LIMIT,
)

FLOOR = Claim(
    id="kernel.random_gates.floor",
    title="The noise of an entry of two inputs with Bernoulli gates does not fall with the depth",
    kind=Kind.ASYMPTOTIC,
    statement=Eq(
        sympy.Symbol(r"\lim_{d \to \infty} \lim_{w \to \infty} w \operatorname{Var} K_0(x, x')", real=True),
        2 * (1 + mu**2) / (1 - mu**2) ** 3,
        evaluate=False,
    ),
    params=(SOMETIMES_CLOSED,),
    assumptions=_TWO,
    sources=(
        Source(
            DEEP_GATED_NETWORKS,
            "section 2",
            says=Says.UNSTATED,
            note=r"the section's whitening is that of the mean, which decays as $\mu^{d-1}$; the entry itself does not",
        ),
    ),
    **rational_by_name(lambda at: _layers.floor(at["mu"] ** 2)),
    cites=("kernel.random_gates.cross_leading",),
    drawn=4,
    unchecked=_LIMIT,
)


_COMPARED = {
    Level.SYMBOLIC: "variances are compared at given sizes; `theory.kernels.equal_layers` has the reason for all",
    Level.FLOATING: "a number of exceptions, which the library does not count",
}


def _without_growth(at: dict[str, Fraction], cross: bool) -> int:
    """The number of depths from 2 to d at which one more layer does not raise the variance of an entry."""
    width, share = int(at["w"]), at["mu"] ** (2 if cross else 1)
    values = [
        _layers.variance(width, depth, _layers.SIGNS, share, cross) / (at["mu"] * width) ** (2 * (depth - 1))
        for depth in range(2, int(at["d"]) + 2)
    ]
    return sum(after <= before for before, after in pairwise(values))


GROWTH = Claim(
    id="kernel.random_gates.growth",
    title="The variance of a diagonal entry of the tangent kernel rises with each layer, from two layers on",
    kind=Kind.INEQUALITY,
    statement=Eq(sympy.Symbol(r"\#\{n : v_n \geq v_{n + 1}\}", integer=True), Integer(0), evaluate=False),
    params=(nodes(2, 5), layers(2, 6), OPEN),
    conditions=(w >= 2, d >= 2),
    assumptions=(
        *_ONE,
        r"$v_n$ is $\operatorname{Var} K_0(x, x)$ of a network of $n$ layers; counted are the exceptions for "
        r"$n = 2, \ldots, d$",
    ),
    sources=(
        Source(
            DEEP_GATED_NETWORKS,
            "section 2",
            printed=Integer(0),
            says=Says.READ_AS,
            words="for a fixed width $w$, as the depth increases, the variance of $K_0(s, s')$ increases",
            note="$s \\neq s'$ is `kernel.random_gates.cross_growth`",
            condition="$s = s'$",
        ),
    ),
    **rational_by_name(lambda at: _without_growth(at, cross=False)),
    drawn=8,
    unchecked=_COMPARED,
)

CROSS_GROWTH = Claim(
    id="kernel.random_gates.cross_growth",
    title="The variance of an entry of two inputs rises with each layer in narrow networks",
    kind=Kind.INEQUALITY,
    statement=Eq(sympy.Symbol(r"\#\{n : v_n \geq v_{n + 1}\}", integer=True), Integer(0), evaluate=False),
    params=(
        nodes(2, 5),
        layers(2, 6),
        Param(mu, Interval(Rational(1, 2), 1), "probability of an open gate", (Rational(1, 2), Integer(1))),
    ),
    conditions=(w >= 2, d >= 2, w <= 5),
    assumptions=(
        *_TWO,
        r"$v_n$ is $\operatorname{Var} K_0(x, x')$ of a network of $n$ layers; counted are the exceptions for "
        r"$n = 2, \ldots, d$",
    ),
    sources=(
        Source(
            DEEP_GATED_NETWORKS,
            "section 2",
            printed=Integer(0),
            says=Says.READ_AS,
            words="for a fixed width $w$, as the depth increases, the variance of $K_0(s, s')$ increases",
            note=r"at $\mu = 1/2$ it rises with each of 30 layers for $w = 10$, falls by 0.3 % between 5 and 7 layers "
            "for $w = 25$ and by 13 % between 4 and 11 layers for $w = 500$, and rises from there on",
            condition=r"$s \neq s'$, $\mu \geq 1/2$ and $w \leq 5$; in wide networks only from some depth on",
        ),
    ),
    **rational_by_name(lambda at: _without_growth(at, cross=True)),
    cites=("kernel.random_gates.cross_leading",),
    drawn=8,
    unchecked=_COMPARED,
)

CLAIMS = (OWN, LEADING, CROSS, CROSS_LEADING, FLOOR, GROWTH, CROSS_GROWTH)
