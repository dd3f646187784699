"""The inverse participation ratio at several gains: optimal weights under a site gate, and a trained neuron.

Localization notes, section 1.
"""

from fractions import Fraction

import mpmath
import sympy
from mpmath import mpf
from sympy import Eq, FiniteSet, Integer, Rational

from theory.claims import quadrature
from theory.claims.areas.localization._table import table
from theory.claims.documents import NOTES
from theory.claims.model import Claim, Kind, Level, Param, Point
from theory.claims.points import exact_values
from theory.claims.sources import Says, Source
from theory.expressions.symbols import g
from theory.flow import solve
from theory.problem import Network, NonlinearGP, Problem, SiteGate, Training

_GUARD = 10
_RING, _SITE = 40, 20
PARTICIPATION = {Rational(1, 20): 411, Integer(1): 587, Integer(3): 755, Integer(100): 822}  # thousandths, truncated
_UNIT = 1000


def _participation(weights: list) -> Fraction | mpf:
    squares = [weight * weight for weight in weights]
    return sum(square * square for square in squares) / sum(squares) ** 2


def _certified_participation(point: Point) -> Fraction:
    """1000 x the inverse participation ratio of w_1(infinity) from the certified solver, truncated."""
    zero, one = Fraction(0), Fraction(1)
    law = NonlinearGP(_RING, (Fraction(2), one), exact_values(point)["g"], "ring", "unit-variance", (one, zero))
    network = Network("gated-linear", "mean", 2, (SiteGate(_SITE, lo=zero), SiteGate(_SITE, hi=zero)))
    problem = Problem(law, network, Training("half-mse", one, ((zero,) * _RING,) * 2, (zero,)))
    found = _UNIT * _participation([Fraction(entry) for entry in solve(problem, digits=20).fixed_point[0]])
    if abs(found - round(found)) < Fraction(1, _UNIT):
        raise ArithmeticError(f"the thousandths are not decided at {dict(point)}: {float(found)}")
    return Fraction(int(found))


def _participation_by_quadrature(point: Point, digits: int) -> mpf:
    """The same from quadratures of <g_1 y x> and <x x^T> and a discrete Fourier transform in mpmath."""
    gain, half = point[g], _RING // 2
    with mpmath.workdps(digits + _GUARD):
        lags = [
            (
                quadrature.step_erf(_correlation(2, lag), gain, digits),
                sum(quadrature.erf_erf(_correlation(length, lag), gain, digits) for length in (1, 2)),
            )
            for lag in range(half + 1)
        ]
        force, second = ([lags[min(d, _RING - d)][part] for d in range(_RING)] for part in (0, 1))
        waves = [[mpmath.cospi(mpf(2 * q * d) / _RING) for d in range(_RING)] for q in range(_RING)]
        modes = [mpmath.fdot(wave, force) / mpmath.fdot(wave, second) for wave in waves]
        return mpmath.floor(_UNIT * _participation([mpmath.fdot(wave, modes) for wave in waves]))


def _correlation(length: int, lag: int) -> sympy.Expr:
    return sympy.exp(-Rational(lag**2, length**2)) if lag else Integer(1)


GAIN_LOCALIZES = Claim(
    id="localization.gain.participation",
    title="Participation ratio under a site gate, by the gain",
    protocol=r"Ring of 40, $\xi_1 = 2 > \xi_2 = 1$: under a fixed site gate the optimal weights have the inverse "
    "participation ratio 0.412, 0.588, 0.755, 0.822 at gain 1/20, 1, 3, 100",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Function("ipr")(g), table(g, PARTICIPATION), evaluate=False),
    params=(Param(g, FiniteSet(*PARTICIPATION), "gain", tuple(PARTICIPATION)),),
    assumptions=(
        r"ring of 40 sites, $\xi_1 = 2$, $\xi_2 = 1$, labels 1 and 0, a site gate and its complement; $w_1(\infty)$ "
        "from zero",
        r"the ratio $R$ is $\sum w^4/(\sum w^2)^2$, and the integers are $1000 R$, truncated: 1/40 for a flat "
        "field, 1 for one site; it grows with the gain",
        "the gate imposes the place of the field: a property of the optimum under that gate, not of trained networks",
    ),
    sources=(
        Source(
            NOTES,
            "section 1",
            note="the notes speak of trained networks where they say that the data have 'a gain parameter that "
            "controls the degree of localization', which is `localization.gain.neuron`",
            says=Says.UNSTATED,
        ),
    ),
    oracle=_participation_by_quadrature,
    exact=_certified_participation,
    drawn=1,
    unchecked={
        Level.SYMBOLIC: "integers of certified digits: there is no formula to derive",
        Level.FLOATING: "the table is of exact gains, and float64 does not hold 1/20",
    },
)

low_gain = sympy.Symbol("R(g=1/10)", real=True)
high_gain = sympy.Symbol("R(g=10)", real=True)

NEURON = Claim(
    id="localization.gain.neuron",
    title="Effective number of sites of one ReLU neuron at two gains",
    protocol=r"One ReLU neuron, nonlinear Gaussian process on a ring of 40, $\xi_1 = 0.7 > \xi_2 = 0.3$, $t = 100$: "
    "the effective number of sites $1/R$ is above 10 at gain 1/10 and below 2 at gain 10",
    kind=Kind.EMPIRICAL,
    statement=sympy.And(low_gain < Rational(1, 10), high_gain > Rational(1, 2)),
    assumptions=(
        r"$R$ is the inverse participation ratio $\sum w^4/(\sum w^2)^2$: $1/m$ for equal weights on $m$ sites; in "
        "the mean 1/14 for independent Gaussian weights",
        r"the public experiment: ring of 40 sites, lengths $\xi_1 = 0.7$ ($y = 1$) and $\xi_2 = 0.3$ ($y = 0$), one "
        "ReLU neuron without bias, squared error without 1/2, learning rate 0.1, $w(0)$ of standard deviation "
        "0.007; fresh batches of 1000",
        "judged by 99 % intervals for both gains together, one value a network",
    ),
    sources=(
        Source(
            NOTES,
            "section 1",
            note="in this configuration and at these two gains; the page on the sweep of the gain measures ten; the "
            "second half, of the single pulse, is not judged: the law has no gain",
            says=Says.READ_AS,
            words="The former also has a gain parameter that controls the degree of localization, while the latter "
            "does not",
        ),
    ),
)

CLAIMS = (GAIN_LOCALIZES, NEURON)
