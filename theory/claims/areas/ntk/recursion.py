"""The recursion of the tangent kernel at infinite width: neural path kernel, (2)."""

from fractions import Fraction

import mpmath
import numpy as np
import sympy
from sympy import Eq, Integer, Interval, Range, Rational, S, oo

from theory.claims import reasons
from theory.claims.areas.ntk import _layers
from theory.claims.areas.ntk.dual import CORRELATION
from theory.claims.documents import NEURAL_PATH_KERNEL
from theory.claims.model import Claim, Kind, Level, Param, Point
from theory.claims.rational import rational_by_name
from theory.claims.sources import Reading, Source
from theory.expressions.symbols import rho
from theory.kernels.infinite import WideNetwork, gram_kernels

d = sympy.Symbol("d", integer=True, positive=True)
v = sympy.Symbol("v", positive=True)  # width times the variance of the weights of the last layer

_LAST = Param(
    v, Interval.open(0, oo), "width times the variance of a weight of the last layer", (Integer(1), Integer(2))
)
_NETWORK = (
    r"ReLU; unit inputs; weights of variance 1 in the first layer and $2/w$ between it and the last; one output; the "
    r"kernel sums over all weights, in units of $\sqrt{2/w}$ after the first layer"
)
_HALF = r"the last layer has weights of variance $1/w$, the others of variance $2/w$ (Cao and Gu)"
_NOTE = (
    r"with the weights of the paper, all of one variance, the limit is $\tilde K^{(d)}$ itself, whose diagonal is $d$; "
    r"$(\tilde K^{(d)} + \Sigma^{(d)})/2$ is the limit where the last layer has half that variance"
)


def _by_quadrature(point: Point, digits: int) -> mpmath.mpf:
    """Follow the layers; each average is an integral over the two preactivations."""
    r, last = (_layers.number(point[symbol], digits) for symbol in (rho, v))
    second = _layers.both_relus(r, digits)
    with mpmath.workdps(digits + 10):
        tangent = _layers.both_steps(r, digits) * r + second
        return last / 2 * _layers.both_steps(second, digits) * tangent + _layers.both_relus(second, digits)


def _in_float64(gram: np.ndarray, depth: int, v: float) -> np.ndarray:
    """Return the kernel for weights of variance v/w in the last layer: all other layers' part is linear in v."""
    found = gram_kernels(gram, WideNetwork("relu", depth))
    return v / 2 * (found.ntk - found.nngp) + found.nngp


_SECOND = _layers.k1(rho)
_TANGENT = rho * _layers.k0(rho) + _SECOND
_EARLIER, _LATER = _layers.k0(_SECOND) * _TANGENT, _layers.k1(_SECOND)

_MEETING = _layers.relus(rho)
_STATEMENT = Eq(
    v * _layers.steps(_MEETING) * (2 * rho * _layers.steps(rho) + _MEETING) + _layers.relus(_MEETING),
    v / 2 * _EARLIER + _LATER,
    evaluate=False,
)

VALUE = Claim(
    id="ntk.recursion.value",
    title="The tangent kernel of ReLU networks of infinite width and three layers of weights",
    kind=Kind.EQUATION,
    statement=_STATEMENT,
    params=(CORRELATION, _LAST),
    assumptions=(_NETWORK, r"the left side is the limit of $K_0(x, x')$ for $w \to \infty$, level by level"),
    sources=(
        Source(
            NEURAL_PATH_KERNEL,
            "(2)",
            printed=(_EARLIER + _LATER + _LATER) / 2,
            note=_NOTE,
            readings=(Reading(_HALF, where=Eq(v, 1)),),
            shown=r"(\tilde K^{(3)} + \Sigma^{(3)})/2",
        ),
    ),
    oracle=_by_quadrature,
    numeric=lambda rho, v: float(_in_float64(np.array([[1.0, rho], [rho, 1.0]]), 3, v)[0, 1]),
    derive=lambda: _layers.two_levels("ntk.recursion.value", _STATEMENT),
    unchecked={Level.EXACT: reasons.ARCSINES},
)


def _diagonal(at: dict[str, Fraction]) -> Fraction:
    """Follow the layers for x' = x: E relu(z)^2 and P(z > 0) are halves, because z and -z have one law."""
    half, variance, tangent = Fraction(1, 2), Fraction(1), Fraction(1)
    for layer in range(2, int(at["d"]) + 1):
        variance, slope = 2 * half * variance, 2 * half
        share = at["v"] / 2 if layer == at["d"] else 1
        tangent = share * slope * tangent + variance
    return tangent


DIAGONAL = Claim(
    id="ntk.recursion.diagonal",
    title="The diagonal of the tangent kernel of ReLU networks of infinite width",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Symbol(r"\lim_{w \to \infty} K_0(x, x)", real=True), v * (d - 1) / 2 + 1, evaluate=False),
    params=(Param(d, S.Naturals, "layers of weights", (Integer(2), Integer(9)), Range(2, 9)), _LAST),
    conditions=(d >= 2,),
    assumptions=(_NETWORK,),
    sources=(
        Source(
            NEURAL_PATH_KERNEL,
            "(2)",
            printed=(d + 1) * Rational(1, 2),
            note=_NOTE,
            readings=(Reading(_HALF, where=Eq(v, 1)),),
            shown=r"(\tilde K^{(d)}(x, x) + \Sigma^{(d)}(x, x))/2",
        ),
    ),
    **rational_by_name(_diagonal),
    numeric=lambda d, v: float(_in_float64(np.ones((1, 1)), int(d), v)[0, 0]),
    unchecked={Level.SYMBOLIC: "fractions layer by layer; no chain of steps sums over the layers"},
)

CLAIMS = (VALUE, DIAGONAL)
