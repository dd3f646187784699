"""The growth of a mode around the flat fixed point of one ReLU neuron under the closure."""

from collections.abc import Mapping
from fractions import Fraction

import sympy
from sympy import Eq, FiniteSet, Integer, Interval, Rational, oo

from theory.claims.model import Claim, Kind, Level, Param, Point
from theory.claims.points import exact_values
from theory.claims.rational import rational

# One period of each wave with rational entries, by its wavelength in sites.
_WAVES = {
    2: (Fraction(1), Fraction(-1)),
    3: (Fraction(1), Fraction(-1, 2), Fraction(-1, 2)),
    4: (Fraction(1), Fraction(0), Fraction(-1), Fraction(0)),
    6: (Fraction(1), Fraction(1, 2), Fraction(-1, 2), Fraction(-1), Fraction(-1, 2), Fraction(1, 2)),
}
_RINGS = (3, 4, 6, 8, 12)
a, E, l0, m0, m1 = (sympy.Symbol(name, positive=True) for name in ("a", "E", "l0", "m0", "m1"))
n = sympy.Symbol("n", integer=True, positive=True)
_FLAT = n * a**2  # lambda_1(0)


def _by_dual_numbers(point: Point) -> Fraction:
    """Return the rate of the modes with rational entries on a ring of n sites, which is one and the same."""
    at = exact_values(point)
    sites = int(at["n"])
    rates = {_rate(at, period * (sites // wave)) for wave, period in _WAVES.items() if sites % wave == 0}
    if len(rates) != 1:
        raise ArithmeticError(f"modes with the same eigenvalues grow at different rates: {sorted(rates)}")
    return rates.pop()


def _rate(at: Mapping[str, Fraction], mode: tuple[Fraction, ...]) -> Fraction:
    """Return the rate of a mode v: that of d in w = h (1, ..., 1) + d v, to first order in d.

    phi has the value 1 and the slope E/a_0 at a_0, and the flat weight h is the fixed point. A pair holds the value at
    d = 0 and the derivative by d.
    """
    sites, length = len(mode), sum(v * v for v in mode)
    flat = sites * at["a"] ** 2
    height = 1 / (at["l0"] + flat)
    w = [(height, v) for v in mode]

    def times(lam: Fraction, other: Fraction) -> list[tuple[Fraction, ...]]:
        """S w, for S = lam 1 1'/n + other v v'/|v|^2."""
        even = [sum(entry[part] for entry in w) / sites for part in (0, 1)]
        wave = [sum(v * entry[part] for v, entry in zip(mode, w, strict=True)) / length for part in (0, 1)]
        return [tuple(lam * even[part] + other * wave[part] * v for part in (0, 1)) for v in mode]

    own, rest = times(flat, at["m1"]), times(at["l0"], at["m0"])
    square = [
        sum(x[0] * y[0] for x, y in zip(w, own, strict=True)),
        sum(x[0] * y[1] + x[1] * y[0] for x, y in zip(w, own, strict=True)),
    ]
    norm = sites * at["a"] * height
    if norm * norm != square[0]:
        raise ArithmeticError("the norm of the flat state is not its square root")
    total = Fraction(0)
    for v, x, y in zip(mode, own, rest, strict=True):
        if x[0] / norm != at["a"]:
            raise ArithmeticError("the flat state does not have a = a_0")
        moved = x[1] / norm - x[0] * square[1] / (2 * norm**3)
        total += v * (at["E"] / at["a"] * moved - x[1] - y[1]) / 4
    return total / length


def _positive(symbol: sympy.Symbol, doc: str, *interesting: Rational) -> Param:
    return Param(symbol, Interval.open(0, oo), doc, interesting)


GROWTH = Claim(
    id="amplifier.flat.growth",
    title=r"The growth rate of a mode around the flat state of one ReLU neuron, under the closure",
    kind=Kind.EQUATION,
    statement=Eq(
        sympy.Function("rate")(a, E, l0, m0, m1, n), ((l0 + _FLAT) * E * m1 / _FLAT - (m0 + m1)) / 4, evaluate=False
    ),
    params=(
        Param(a, Interval.open(0, 1), r"$a_0 = \sqrt{\lambda_1(0)/n}$", (Rational(1, 2), Rational(9, 10))),
        _positive(E, r"elasticity $d \log f/d \log a$ of the amplifier $f$ at $a_0$", Rational(1), Rational(3, 2)),
        _positive(l0, r"$\lambda_0(0)$", Rational(1)),
        _positive(m0, r"$\lambda_0(q)$", Rational(2)),
        _positive(m1, r"$\lambda_1(q)$", Rational(1, 2)),
        Param(n, FiniteSet(*_RINGS), "number of sites of the ring", (Integer(3), Integer(4), Integer(12))),
    ),
    assumptions=(
        r"the closure $\tau\, dw/dt = [f(a) - (S_0 + S_1) w]/4$ with $a = S_1 w/\sqrt{w^T S_1 w}$, "
        "which takes the preactivation given a pixel as Gaussian: an approximation of the network",
        r"$w$ flat at its fixed point; $\lambda_1(0) = n a_0^2$; the rate is in units of $1/\tau$",
        "compared on these rings for the modes with rational entries, of wavelengths 2, 3, 4 and 6 sites; other modes "
        "and rings enter by $n$ and their eigenvalues alone",
    ),
    **rational(_by_dual_numbers),
    unchecked={
        Level.SYMBOLIC: "the velocity is differentiated in fractions, by dual numbers",
        Level.FLOATING: "the library has the elasticity of a marginal to 1e-10 only",
    },
)

CLAIMS = (GROWTH,)
