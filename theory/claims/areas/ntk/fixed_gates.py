"""Tangent kernels with the gates of a random ReLU network: neural path kernel, section 5."""

from fractions import Fraction
from functools import lru_cache
from itertools import product

import mpmath
import sympy
from sympy import Eq, Integer, Interval, Range, Rational, S, oo

from theory.claims import reasons
from theory.claims.areas.ntk import _layers
from theory.claims.areas.ntk.dual import CORRELATION
from theory.claims.documents import NEURAL_PATH_KERNEL
from theory.claims.model import Claim, Kind, Level, Param, Point
from theory.claims.rational import rational_by_name
from theory.claims.sources import Reading, Says, Source
from theory.expressions.symbols import rho
from theory.kernels.infinite import WideNetwork, certified_kernel

d, w = sympy.symbols("d w", integer=True, positive=True)
V = sympy.Symbol("V", positive=True)  # sigma^2
_FLOAT64_DIGITS = 17


def _by_quadrature(point: Point, digits: int) -> mpmath.mpf:
    """Follow the correlation of the gating network; each level keeps the share of gates that both inputs open."""
    r = _layers.number(point[rho], digits)
    second = _layers.both_relus(r, digits)
    with mpmath.workdps(digits + 10):
        return 3 * r * _layers.both_steps(r, digits) * _layers.both_steps(second, digits)


def _in_float64(rho: float) -> float:
    network, exact = WideNetwork("relu", 3), Fraction(rho)
    correlation = sympy.Rational(exact.numerator, exact.denominator)
    return float(certified_kernel(network, correlation, digits=_FLOAT64_DIGITS, kernel="fixed-gates").value)


_STATEMENT = Eq(
    12 * rho * _layers.steps(rho) * _layers.steps(_layers.relus(rho)),
    3 * rho * _layers.k0(rho) * _layers.k0(_layers.k1(rho)),
    evaluate=False,
)

KERNEL = Claim(
    id="ntk.fixed_gates.kernel",
    title="Three-layer tangent kernel with the gates of a random network",
    protocol="The tangent kernel of three layers whose gates are those of a random ReLU network of infinite width",
    kind=Kind.EQUATION,
    statement=_STATEMENT,
    params=(CORRELATION,),
    assumptions=(
        r"the left side is the limit of $d \sigma^{2(d-1)} H(x, x')$ for $w \to \infty$, level by level",
        r"$d = 3$, unit inputs, $\sigma^2 = 2/w$; the gating network has weights of variance $2/w$ and is independent "
        r"of the weights that are trained",
    ),
    sources=(
        Source(
            NEURAL_PATH_KERNEL,
            "section 5",
            note=r'the section says that $K^{(d)}$ "essentially becomes" this kernel when the gates are fixed, and '
            "section 1.2 that it is another kernel: they agree at equal inputs and differ at all others, because "
            r"$K^{(d)}$ has a term for each layer, $d \sigma^{2(d-1)} H$ the same term $d$ times",
            says=Says.UNSTATED,
        ),
    ),
    oracle=_by_quadrature,
    numeric=_in_float64,
    derive=lambda: _layers.two_levels("ntk.fixed_gates.kernel", _STATEMENT),
    unchecked={Level.EXACT: reasons.ARCSINES},
)


@lru_cache(maxsize=32)
def _mean_of_paths(width: int, depth: int) -> Fraction:
    """Return the mean of Lambda(s, s), the number of open paths from an input, over all signs of the weights.

    The sizes of the weights grow so fast that no sum of them vanishes: gates close by their signs alone.
    """
    shapes = [(1, width), *[(width, width)] * (depth - 2)] if depth > 1 else []
    count = sum(a * b for a, b in shapes)
    total = 0
    for signs in product((1, -1), repeat=count):
        weights = iter(sign * 2 ** (4**place) for place, sign in enumerate(signs))
        values, paths = [1], 1
        for below, above in shapes:
            rows = [[next(weights) for _ in range(below)] for _ in range(above)]
            before = [sum(a * b for a, b in zip(row, values, strict=True)) for row in rows]
            values = [max(q, 0) for q in before]
            paths *= sum(q > 0 for q in before)
        total += paths
    return Fraction(total, 2**count)


SCALE = Claim(
    id="ntk.fixed_gates.scale",
    title="The mean number of open paths of a random ReLU network, and the scale that normalises it",
    kind=Kind.EQUATION,
    statement=Eq(
        sympy.Symbol(r"\sigma^{2(d-1)} \mathbb{E} \Lambda(s, s)", real=True), (V * w / 2) ** (d - 1), evaluate=False
    ),
    params=(
        Param(w, S.Naturals, "nodes of each hidden level", (Integer(1), Integer(3)), Range(1, 4)),
        Param(d, S.Naturals, "layers of weights", (Integer(1), Integer(2), Integer(3)), Range(1, 4)),
        Param(V, Interval.open(0, oo), r"$\sigma^2$, the variance of a weight", (Rational(2, 3), Integer(1))),
    ),
    assumptions=(
        "weights of the gating network are independent and symmetric, and no sum of them vanishes; its gate is 1 where "
        "its preactivation is positive",
    ),
    sources=(
        Source(
            NEURAL_PATH_KERNEL,
            "section 5",
            printed=Integer(1),
            says=Says.READ_AS,
            words=r"$\sigma = \sqrt{2/w}$ is a normalising choice, in that, the diagonal entries of "
            r"$\sigma^{2(d-1)} \Lambda_{FNPF}(s,s) \approx 1$ in this case.",
            note="read as a statement on the mean, which is then exact at every width",
            readings=(Reading(r"$\sigma^2 = 2/w$, as the sentence says", where=Eq(V * w, 2)),),
        ),
    ),
    **rational_by_name(lambda at: at["V"] ** (int(at["d"]) - 1) * _mean_of_paths(int(at["w"]), int(at["d"]))),
    drawn=10,
    unchecked={
        Level.SYMBOLIC: "all signs of the weights are enumerated; no chain of steps derives the mean",
        Level.FLOATING: "the library takes the limit of wide networks, and has no mean over gates of given width",
    },
)

CLAIMS = (KERNEL, SCALE)
