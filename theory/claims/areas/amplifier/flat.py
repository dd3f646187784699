"""The growth of a mode around the flat fixed point of one ReLU neuron under the closure."""

from fractions import Fraction

import sympy
from sympy import Eq, Interval, Rational, oo

from theory.claims.model import Claim, Kind, Level, Param, Point
from theory.claims.points import exact_values
from theory.claims.rational import rational

_SITES = 4
a, E, l0, m0, m1 = (sympy.Symbol(name, positive=True) for name in ("a", "E", "l0", "m0", "m1"))
_FLAT = _SITES * a**2  # lambda_1(0) = n a_0^2


def _by_dual_numbers(point: Point) -> Fraction:
    """Return the rate of the alternating mode on a ring of four sites: w = h (1, 1, 1, 1) + d v, to first order in d.

    phi has the value 1 and the slope E/a_0 at a_0, and the flat weight h is the fixed point. A pair holds the value at
    d = 0 and the derivative by d.
    """
    at = exact_values(point)
    mode = [(-1) ** i for i in range(_SITES)]
    flat = _SITES * at["a"] ** 2
    height = 1 / (at["l0"] + flat)
    w = [(height, Fraction(v)) for v in mode]

    def times(lam: Fraction, other: Fraction) -> list[tuple[Fraction, ...]]:
        """S w, for S = lam 1 1'/n + other v v'/n."""
        even = [sum(entry[part] for entry in w) / _SITES for part in (0, 1)]
        odd = [sum(v * entry[part] for v, entry in zip(mode, w, strict=True)) / _SITES for part in (0, 1)]
        return [tuple(lam * even[part] + other * odd[part] * v for part in (0, 1)) for v in mode]

    own, rest = times(flat, at["m1"]), times(at["l0"], at["m0"])
    square = [
        sum(x[0] * y[0] for x, y in zip(w, own, strict=True)),
        sum(x[0] * y[1] + x[1] * y[0] for x, y in zip(w, own, strict=True)),
    ]
    norm = _SITES * at["a"] * height
    if norm * norm != square[0]:
        raise ArithmeticError("the norm of the flat state is not its square root")
    total = Fraction(0)
    for v, x, y in zip(mode, own, rest, strict=True):
        if x[0] / norm != at["a"]:
            raise ArithmeticError("the flat state does not have a = a_0")
        moved = x[1] / norm - x[0] * square[1] / (2 * norm**3)
        total += v * (at["E"] / at["a"] * moved - x[1] - y[1]) / 4
    return total / _SITES


def _positive(symbol: sympy.Symbol, doc: str, *interesting: Rational) -> Param:
    return Param(symbol, Interval.open(0, oo), doc, interesting)


GROWTH = Claim(
    id="amplifier.flat.growth",
    title=r"The growth rate of a mode around the flat state of one ReLU neuron, under the closure",
    kind=Kind.EQUATION,
    statement=Eq(
        sympy.Function("rate")(a, E, l0, m0, m1), ((l0 + _FLAT) * E * m1 / _FLAT - (m0 + m1)) / 4, evaluate=False
    ),
    params=(
        Param(a, Interval.open(0, 1), r"$a_0 = \sqrt{\lambda_1(0)/n}$", (Rational(1, 2), Rational(9, 10))),
        _positive(E, r"elasticity $d \log f/d \log a$ of the amplifier $f$ at $a_0$", Rational(1), Rational(3, 2)),
        _positive(l0, r"$\lambda_0(0)$", Rational(1)),
        _positive(m0, r"$\lambda_0(q)$", Rational(2)),
        _positive(m1, r"$\lambda_1(q)$", Rational(1, 2)),
    ),
    assumptions=(
        r"the closure $\tau\, dw/dt = [f(a) - (S_0 + S_1) w]/4$ with $a = S_1 w/\sqrt{w^T S_1 w}$, "
        "which takes the preactivation given a pixel as Gaussian: an approximation of the network",
        r"$w$ flat at its fixed point; $\lambda_1(0) = n a_0^2$; the rate is in units of $1/\tau$",
        "compared for the alternating mode of a ring of $n = 4$ sites; other modes enter by their eigenvalues alone",
    ),
    **rational(_by_dual_numbers),
    unchecked={
        Level.SYMBOLIC: "the velocity is differentiated in fractions, by dual numbers",
        Level.FLOATING: "the library has the elasticity of a marginal to 1e-10 only",
    },
)

CLAIMS = (GROWTH,)
