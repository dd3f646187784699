"""The variance of the neural tangent kernel at finite width, all gates open: deep gated networks, Theorem 2.3."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import sympy
from sympy import Eq, Integer, Interval, Range, Rational, S, sqrt

from theory.claims.areas.kernel import _layers
from theory.claims.documents import DEEP_GATED_NETWORKS
from theory.claims.literature import FINITE_WIDTH
from theory.claims.model import Claim, Kind, Level, Param, Point
from theory.claims.rational import rational, rational_by_name
from theory.claims.slips import SHARED_NODES, charged
from theory.claims.sources import Says, Source
from theory.kernels import GAUSSIAN, SIGNS, WeightLaw, alike
from theory.kernels import moment as library_moment
from theory.proof.derivation import Derivation, Step

d, w = sympy.symbols("d w", integer=True, positive=True)

_SQUARE = w**2 + 8 * w - 8
_ROOT = sqrt(_SQUARE)
_FOURTH = w**4 + 16 * w**3 + 48 * w**2 - 128 * w + 64  # of the root, multiplied out: the square of _SQUARE
_LARGE, _SMALL = (1 + _ROOT / w) / 2, (1 - _ROOT / w) / 2  # the roots of x^2 = x + 2 (w - 1)/w^2
# The sums over marked layers: polynomials in the depth times powers of the roots, and of the rate 1 - 1/w.
_WITH_SUM = (
    d**2 * (w + 2) / (6 * _SQUARE)
    + d * (w - 1) * (2 * w**3 + 27 * w**2 + 90 * w - 16) / (9 * _FOURTH)
    - Rational(2, 27) * (w - 1)
)
_WITH_DIFFERENCE = (
    d**2 * (w**2 + 6 * w - 4) / (6 * _SQUARE)
    + d * (w - 1) * (2 * w**2 + 19 * w + 20) / (9 * _SQUARE)
    - 2 * (w - 1) * (w**5 + 20 * w**4 + 100 * w**3 - 26 * w**2 - 412 * w + 424) / (27 * _FOURTH)
)
_SECOND_MOMENT = w * (
    _WITH_SUM * (_LARGE**d + _SMALL**d)
    + _WITH_DIFFERENCE * (_LARGE**d - _SMALL**d) / _ROOT
    + Rational(4, 27) * (w - 1) * (1 - 1 / w) ** d
)


def _by_layers(kurtosis: int) -> Callable[[dict[str, Fraction]], Fraction]:
    def value(at: dict[str, Fraction]) -> Fraction:
        width, depth = int(at["w"]), int(at["d"])
        return Fraction(_layers.second_moment(width, depth, kurtosis), width ** (2 * (depth - 1)))

    return value


def _in_float64(law: WeightLaw) -> Callable[..., float]:
    def value(w: int, d: int) -> float:
        return float(library_moment(alike(w, d, weights=law), [(0, 0)] * 2) / Fraction(w) ** (2 * (d - 1)))

    return value


_SIZES: dict[str, Any] = {
    "params": (
        Param(w, S.Naturals, "nodes of each hidden level", (Integer(1), Integer(7)), Range(1, 7)),
        Param(d, S.Naturals, "layers of weights", (Integer(1), Integer(9)), Range(1, 8)),
    ),
    "drawn": 16,
}
_NETWORK = (
    r"$x = 1$, one input node, one output, all gates open; for $r$ given open gates at each level $w$ is $r$; an "
    r"input $x$ of any size multiplies $K_0$ by $x^2$"
)
_BEYOND = (
    Source(
        DEEP_GATED_NETWORKS,
        "Theorem 2.3",
        note="the exact value, where the theorem bounds the variance",
        says=Says.UNSTATED,
    ),
)
_COUNTED = {Level.SYMBOLIC: "expectations layer by layer, in fractions; no chain of steps sums over the marked layers"}

VALUE = Claim(
    id="kernel.variance.value",
    title="The second moment of the tangent kernel at any width and depth, all gates open",
    kind=Kind.EQUATION,
    statement=Eq(
        sympy.Symbol(r"\mathbb{E} K_0^2", real=True),
        _SECOND_MOMENT,
        evaluate=False,
    ),
    **_SIZES,
    assumptions=(
        r"weights are independent, $\pm 1/\sqrt w$ with probability 1/2 each, so that $\mathbb{E} K_0 = d$; for "
        r"weights $\pm \sigma$ multiply by $(\sigma^2 w)^{2(d-1)}$",
        _NETWORK,
    ),
    sources=_BEYOND,
    **rational_by_name(_by_layers(_layers.SIGNS)),
    numeric=_in_float64(SIGNS),
    unchecked=_COUNTED,
)

_A = 1 + 2 / w
GAUSSIAN_WEIGHTS = Claim(
    id="kernel.variance.gaussian_weights",
    title="Second moment of the tangent kernel with Gaussian weights",
    protocol="The second moment of the tangent kernel at any width and depth with Gaussian weights, all gates open",
    kind=Kind.EQUATION,
    statement=Eq(
        sympy.Symbol(r"\mathbb{E} K_0^2", real=True),
        d * (d + 2) * _A ** (d - 1) / 3
        + Rational(4, 27) * w * (w - 1) * ((d - 1) * _A**d - d * _A ** (d - 1) * (1 - 1 / w) + (1 - 1 / w) ** d),
        evaluate=False,
    ),
    **_SIZES,
    assumptions=(
        r"weights are independent and Gaussian with the variance $1/w$, so that $\mathbb{E} K_0 = d$; for the variance "
        r"$\sigma^2$ multiply by $(\sigma^2 w)^{2(d-1)}$",
        _NETWORK,
    ),
    **rational_by_name(_by_layers(_layers.GAUSSIAN)),
    numeric=_in_float64(GAUSSIAN),
    unchecked=_COUNTED,
)

LEADING = Claim(
    id="kernel.variance.leading",
    title="Leading variance of the tangent kernel of wide networks",
    protocol="The variance of the tangent kernel of wide networks, all gates open, grows as the cube of the depth",
    kind=Kind.ASYMPTOTIC,
    statement=Eq(
        sympy.Symbol(r"\lim_{w \to \infty} w \operatorname{Var} K_0", real=True),
        (d - 2) * (d - 1) * (2 * d - 3) * Rational(2, 3),
        evaluate=False,
    ),
    params=(Param(d, S.Naturals, "layers of weights", (Integer(1), Integer(2)), Range(1, 7)),),
    assumptions=(
        r"weights are independent, $\pm 1/\sqrt w$ with probability 1/2 each, so that $\mathbb{E} K_0 = d$",
        _NETWORK,
    ),
    sources=_BEYOND,
    **rational_by_name(lambda at: _layers.leading(int(at["d"]))),
    unchecked={
        **_COUNTED,
        Level.FLOATING: "the library evaluates the variance at a finite width, not the limit",
    },
    drawn=10,
)

_ORDER = (
    r"$\operatorname{Var}[K_0] \leq O(d_{in}^2 \sigma^{4(d-1)} \operatorname{max}(d^2 w^{2(d-2)+1}, d^3 w^{2(d-2)}))$"
)
_SCALED = r"$\operatorname{Var}[K_0(x, x')] \leq O(\operatorname{max}(d^2/w, d^3/w^2))$ (for $\sigma^2 = O(1/w)$)"
ORDER = Claim(
    id="kernel.variance.order",
    known=FINITE_WIDTH,
    title="The order of the variance of the tangent kernel of wide networks",
    protocol="The variance of the tangent kernel of wide networks is of the order of the cube of the depth over the "
    "width",
    kind=Kind.ASYMPTOTIC,
    statement=Eq(
        sympy.Symbol(r"\lim_{d \to \infty} \lim_{w \to \infty} \frac{w}{d^3} \operatorname{Var} K_0", real=True),
        Rational(4, 3),
        evaluate=False,
    ),
    assumptions=(
        r"weights are independent, $\pm 1/\sqrt w$ with probability 1/2 each, so that $\mathbb{E} K_0 = d$",
        _NETWORK,
    ),
    sources=tuple(
        Source(
            DEEP_GATED_NETWORKS,
            label,
            printed=Integer(0),
            says=Says.READ_AS,
            words=words,
            note=r"with $\sigma^2 = 1/w$ the bound is $C$ times the larger of $d^2/w$ and $d^3/w^2$, so that the limit "
            r"over $w$ is at most $C d^2$ and the limit over $d$ is 0; the proof ends with one constant $C$. At a "
            r"bounded depth the variance is of the order $1/w$, as the bound says",
            **charged(SHARED_NODES, label, Rational(4, 3)),
        )
        for label, words in (("section 1", _SCALED), ("Theorem 2.3", _ORDER), ("Theorem 7.3", _ORDER))
    ),
    **rational(lambda _point: _layers.cubic_coefficient()),
    cites=("kernel.variance.leading",),
    unchecked={
        **_COUNTED,
        Level.FLOATING: "the library evaluates the variance at a finite width, not the limit",
    },
)

_WIDTH, _DEPTH = 50, 500


def _of_alike_nodes(width: int, depth: int) -> int:
    """E K0^2 for weights +-1: E hhhh, E Dhh and E DD of a level have one value for each way in which indices coincide.

    The values are those at (i, i, i, i), (i, i, k, k), (i, k, i, k) and (i, k, k, i); see `_layers` for the recursion.
    """
    h, dh, dd, nodes = [1, 0, 0, 0], [0] * 4, [0] * 4, 1

    def through(own: list[int]) -> list[int]:
        pairs = [nodes * own[0] + nodes * (nodes - 1) * value for value in own[1:]]
        return [sum(pairs) - 2 * nodes * own[0], *pairs]

    for following in (*[width] * (depth - 1), 1):
        norm, mixed = (nodes * own[0] + nodes * (nodes - 1) * own[1] for own in (h, dh))
        dd = [value + (norm + 2 * mixed) * (place < 2) for place, value in enumerate(through(dd))]
        dh = [value + norm * (place < 2) for place, value in enumerate(through(dh))]
        h, nodes = through(h), following
    return dd[0]


def _over_the_bound(_point: Point) -> Fraction:
    variance = Fraction(_of_alike_nodes(_WIDTH, _DEPTH), _WIDTH ** (2 * (_DEPTH - 1))) - _DEPTH**2
    return Fraction(variance * _WIDTH**2 // _DEPTH**3)


HYPOTHESIS = Claim(
    id="kernel.variance.hypothesis",
    title="The variance beside the order of the bound, where $4 d/w^2 < 1$",
    kind=Kind.EQUATION,
    statement=Eq(
        sympy.floor(sympy.Symbol(r"\frac{w^2}{d^3} \operatorname{Var} K_0", real=True)),
        Integer(191315715),
        evaluate=False,
    ),
    assumptions=(
        f"$w = {_WIDTH}$ and $d = {_DEPTH}$, so that $4 d/w^2 = 4/5$; the larger term of the bound is "
        r"$d^3/w^2 = 5 \cdot 10^4$, and the variance $9.57 \cdot 10^{12}$",
        r"weights are independent, $\pm 1/\sqrt w$ with probability 1/2 each; $x = 1$, one input node, all gates open",
    ),
    sources=(
        Source(
            DEEP_GATED_NETWORKS,
            "Theorem 2.3",
            says=Says.UNSTATED,
            words=r"$4 d/w^2 < 1$",
            note="the hypothesis lets the sums of cases converge; with nodes counted, $d$ has to be of the order of "
            "$w$",
        ),
    ),
    **rational(_over_the_bound),
    cites=("kernel.variance.order",),
    unchecked={
        **_COUNTED,
        Level.FLOATING: "an integer of nine digits; the library's closed form is compared in `kernel.variance.value`",
    },
)

kappa = sympy.Symbol("kappa", positive=True)
_INPUTS = ((1,), (1, 1), (1, 2))
_KURTOSES = (1, 2, 3)


def above(width: int, depth: int, growth: int) -> int:
    """Return the number of pairs of a kurtosis and an input with Var K0 > ((1 + growth/w)^(d-1) - 1) (E K0)^2.

    >>> above(3, 4, 2), above(3, 4, 1) > 0
    (0, True)
    """
    most = (1 + Fraction(growth, width)) ** (depth - 1)
    found = 0
    for kurtosis, x in product(_KURTOSES, _INPUTS):
        middle = depth * width ** (depth - 1) * sum(value**2 for value in x)
        found += _layers.second_moment(width, depth, kurtosis, x=x) > most * middle**2
    return found


BOUND = Claim(
    id="kernel.variance.bound",
    title=r"The relative variance of the tangent kernel, all gates open, is at most $(1 + 2/w)^{d-1} - 1$",
    kind=Kind.INEQUALITY,
    statement=Eq(
        sympy.Symbol(
            r"\#\{(\kappa, x) : \operatorname{Var} K_0 > ((1 + 2/w)^{d-1} - 1)\, (\mathbb{E} K_0)^2\}", real=True
        ),
        Integer(0),
        evaluate=False,
    ),
    params=(
        Param(w, S.Naturals, "nodes of each hidden level", (Integer(1), Integer(7)), Range(1, 6)),
        Param(d, S.Naturals, "layers of weights", (Integer(1), Integer(7)), Range(1, 6)),
    ),
    assumptions=(
        r"weights are independent and symmetric with the kurtosis $\kappa$; counted are the exceptions among "
        r"$\kappa = 1, 2, 3$ and $x = (1), (1, 1), (1, 2)$",
        "one output, all gates open; the induction on the depth is that of `kernel.variance.bound_step`, for every "
        "input",
    ),
    **rational_by_name(lambda at: above(int(at["w"]), int(at["d"]), 2)),
    drawn=8,
    cites=("kernel.variance.bound_step",),
    unchecked={
        Level.SYMBOLIC: "exceptions are counted at given sizes; the step of the induction is a claim of its own",
        Level.FLOATING: "a number of exceptions, which the library does not count",
    },
)

_LESS = (1 + (kappa - 1) / w) * _A + (3 - kappa) * (1 - 1 / w) / w
_STEP = Eq(
    sympy.Symbol(r"a^2 - (1 + (\kappa - 1)/w)\, a - (3 - \kappa)(1 - 1/w)/w", real=True),
    3 * (3 - kappa) / w**2,
    evaluate=False,
)


def _derive_step() -> Derivation:
    steps = (
        Step(Eq(_STEP.lhs, _A**2 - _LESS, evaluate=False), "with $a = 1 + 2/w$", "definition"),
        Step(_STEP, "multiplied out", "identity"),
    )
    return Derivation("kernel.variance.bound_step", _STEP, steps)


BOUND_STEP = Claim(
    id="kernel.variance.bound_step",
    title="The step of the induction for the bound of the variance has a nonnegative remainder",
    kind=Kind.EQUATION,
    statement=_STEP,
    params=(
        Param(w, S.Naturals, "nodes of each hidden level", (Integer(1), Integer(100)), Range(1, 9)),
        Param(kappa, Interval(1, 3), r"$\kappa$, the kurtosis of the weights", (Integer(1), Integer(3))),
    ),
    assumptions=(
        r"the sums $u_n$ over paths between two marks obey $u_{n+1} = (1 + (\kappa - 1)/w) u_n + (3 - \kappa)(1 - "
        r"1/w)/w u_{n-1}$; with $u_n \leq a^n$ and $u_{n-1} \leq a^{n-1}$ this gives $u_{n+1} \leq a^{n+1}$",
    ),
    **rational_by_name(
        lambda at: (
            (1 + 2 / at["w"]) ** 2
            - (1 + (at["kappa"] - 1) / at["w"]) * (1 + 2 / at["w"])
            - (3 - at["kappa"]) * (1 - 1 / at["w"]) / at["w"]
        )
    ),
    derive=_derive_step,
    unchecked={Level.FLOATING: "a step of a proof, which the library states in its documentation"},
)

CLAIMS = (VALUE, GAUSSIAN_WEIGHTS, LEADING, ORDER, HYPOTHESIS, BOUND, BOUND_STEP)
