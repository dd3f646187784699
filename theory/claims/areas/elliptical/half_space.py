"""First moments of elliptical inputs through a half-space, and where a ReLU neuron on such data can rest."""

from dataclasses import replace
from fractions import Fraction

import mpmath
import numpy as np
import sympy
from mpmath import mpf
from sympy import Eq, Heaviside, Integer, Interval, Matrix, Rational, S, Tuple, pi, sqrt

from theory.claims import reasons
from theory.claims.areas.elliptical._two_scales import (
    SCALES,
    SHARE,
    WEIGHTS,
    Factor,
    through_half_space,
    w1,
    w2,
    with_scale,
)
from theory.claims.expectations import expectation_claim, pair
from theory.claims.literature import LOCALIZATION
from theory.claims.model import Alternative, Claim, Kind, Level, Param, Point, Registration
from theory.claims.parameters import CORRELATION
from theory.claims.points import values
from theory.expressions.symbols import rho, z
from theory.gaussian.expectation import Expectation
from theory.moments import gated_moments
from theory.moments.relu_gates import exact_moment
from theory.problem import InputOutputMoment, Problem
from theory.problem.distributions.elliptical import Elliptical
from theory.proof.derivation import Derivation, Step

_GATED = Heaviside(w1 * z(1) + w2 * z(2)) * z(1)
_ALONG = (w1 + rho * w2) / sqrt(2 * pi) / sqrt(w1**2 + 2 * rho * w1 * w2 + w2**2)
_CONDITIONS = (sympy.Ne(w1**2 + w2**2, 0),)
_ROOTS = "the square root of the variance along the gate is not rational"


def _correlated(at: dict[str, mpf]) -> Factor:
    """F with F F^T = [[1, rho], [rho, 1]]."""
    r = at["rho"]
    return [[mpf(1), mpf(0)], [r, mpmath.sqrt((1 - r) * (1 + r))]]


def _gaussian(point: Point, digits: int) -> mpf:
    with mpmath.workdps(digits + 10):
        at = values(point)
        return through_half_space((at["w_1"], at["w_2"]), _correlated(at))


GAUSSIAN = expectation_claim(
    "elliptical.half_space.gaussian",
    r"A Gaussian input through a half-space: the $i$-th entry of $S w/\sqrt{2 \pi\, w^\top S w}$",
    _GATED,
    pair(rho),
    _ALONG,
    params=(*WEIGHTS, CORRELATION),
    conditions=_CONDITIONS,
    oracle=_gaussian,
    unchecked={Level.EXACT: _ROOTS, Level.FLOATING: "compared with the scale in `elliptical.half_space.first`"},
)

# A positive correlation exp(-1/xi^2) of neighbours, as the library's laws have.
_NEIGHBOURS = Param(rho, Interval.open(0, 1), "correlation of the two sites", (Rational(1, 64),))
_MOMENT = sympy.Symbol(r"\mathbb{E}[\mathbf{1}[w \cdot x \geq 0]\, x_1]", real=True)


def _first(point: Point, digits: int) -> mpf:
    with mpmath.workdps(digits + 10):
        at = values(point)
        return with_scale(at, _correlated(at))


def _derive_first() -> Derivation:
    inner = Expectation(_GATED, pair(rho))
    result = Eq(_MOMENT, SHARE * _ALONG, evaluate=False)
    steps = (
        Step(
            Eq(_MOMENT, SHARE * inner, evaluate=False),
            r"$x = r z/\sqrt{\mathbb{E} r^2}$ with $r > 0$ independent of $z$: the gate is that of $z$, and means of "
            "independent factors multiply",
            "definition",
        ),
        Step(
            result,
            "the Gaussian moment",
            "cite",
            (Eq(inner, _ALONG, evaluate=False),),
            ("elliptical.half_space.gaussian",),
        ),
    )
    return Derivation("elliptical.half_space.first", result, steps)


def _in_float64(varepsilon: float, eta: float, w_1: float, w_2: float, rho: float) -> float:
    """Return the moment by the library, for neighbours of a line whose correlation is rho."""
    xi = Fraction(1 / float(mpmath.sqrt(-mpmath.log(rho))))
    scale = {"kind": "contaminated", "share": Fraction(varepsilon), "ratio": Fraction(eta)}
    law = Elliptical(2, (xi,), scale, "open", "unit-variance", (Fraction(1),))
    return float(exact_moment(law, 0, {0: Fraction(w_1), 1: Fraction(w_2)}).value[0])


def _of_the_gaussian(problem: Problem) -> np.ndarray:
    """Return the moments of the Gaussian with the same covariance."""
    law = replace(problem.data, scale="gaussian")
    return gated_moments(replace(problem, data=law)).sigma_yx


FIRST = Claim(
    id="elliptical.half_space.first",
    title="An elliptical input through a half-space",
    protocol=r"An elliptical input through a half-space: $(\mathbb{E} r/\sqrt{\mathbb{E} r^2})$ times the Gaussian "
    r"value",
    kind=Kind.EQUATION,
    statement=Eq(_MOMENT, SHARE * _ALONG, evaluate=False),
    params=(*SCALES, *WEIGHTS, _NEIGHBOURS),
    conditions=_CONDITIONS,
    assumptions=(
        r"$x = r z/\sqrt{\mathbb{E} r^2}$ on two sites, $z$ Gaussian of unit variance and $r > 0$ independent of it: "
        r"$r = \eta$ with probability $\varepsilon$ and 1 otherwise; the threshold is 0",
        r"any other $r > 0$ of finite variance enters through $\mathbb{E} r/\sqrt{\mathbb{E} r^2}$ alone",
    ),
    oracle=_first,
    derive=_derive_first,
    numeric=_in_float64,
    registration=Registration(
        problems=("elliptical",),
        observable=InputOutputMoment(),
        predict=lambda problem: gated_moments(problem).sigma_yx,
        alternatives=(Alternative("Gaussian inputs of this covariance", _of_the_gaussian),),
    ),
    cites=("elliptical.half_space.gaussian",),
    unchecked={Level.EXACT: _ROOTS},
)

# A neuron at rest, in two modes of uncorrelated coordinates
a, b = sympy.symbols("lambda_q lambda_p", positive=True)
of_zero = sympy.Symbol(r"\lambda_{0}(q)", real=True)
_MODES = Matrix([[a, 0], [0, b]])
_MODE = a * w1 / sqrt(2 * pi) / sqrt(a * w1**2 + b * w2**2)
_RATIO = sqrt(2) * SHARE / (sqrt(pi) * sqrt(a * w1**2 + b * w2**2)) - 1
_SPECTRUM = (
    Param(a, Interval.open(0, S.Infinity), r"eigenvalue $\lambda_1(q)$ of class 1 in the mode $q$"),
    Param(b, Interval.open(0, S.Infinity), r"eigenvalue $\lambda_1(p)$ of class 1 in another mode $p$"),
)
_IN_MODE = (sympy.Ne(w1, 0),)
_BOTH = (
    Param(w1, Interval(-3, 3), "the weight's component in the mode $q$", (Rational(1, 16),)),
    Param(w2, Interval(-3, 3), "its component in the mode $p$", (Integer(0),)),
)


def _uncorrelated(at: dict[str, mpf]) -> Factor:
    """F with F F^T = diag(lambda_q, lambda_p)."""
    return [[mpmath.sqrt(at["lambda_q"]), mpf(0)], [mpf(0), mpmath.sqrt(at["lambda_p"])]]


def _mode(point: Point, digits: int) -> mpf:
    with mpmath.workdps(digits + 10):
        at = values(point)
        return through_half_space((at["w_1"], at["w_2"]), _uncorrelated(at))


MODE = expectation_claim(
    "elliptical.half_space.mode",
    "A mode of Gaussian inputs through a half-space: the mode's share of the variance along the gate",
    _GATED,
    _MODES,
    _MODE,
    params=(*_SPECTRUM, *_BOTH),
    conditions=_IN_MODE,
    oracle=_mode,
    unchecked={Level.EXACT: _ROOTS, Level.FLOATING: reasons.IN_A_DERIVATION},
)


def _at_rest(point: Point, digits: int) -> mpf:
    """The lambda_0 for which the velocity f_q/2 - (lambda_0 + lambda_q) w_q/4 is 0."""
    with mpmath.workdps(digits + 10):
        at = values(point)
        return 2 * with_scale(at, _uncorrelated(at)) / at["w_1"] - at["lambda_q"]


def _derive_rest() -> Derivation:
    inner = Expectation(_GATED, _MODES)
    result = Eq(of_zero, a * _RATIO, evaluate=False)
    right = (of_zero + a) * w1 / 4
    steps = (
        Step(
            Eq(SHARE * inner / 2, right, evaluate=False),
            r"in the modes of $S_0$ and $S_1$ the velocity $f_q/2 - (\lambda_0(q) + \lambda_1(q))\, w_q/4$ "
            r"vanishes, with $f_q = \mathbb{E}[\mathbf{1}[w \cdot x \geq 0]\, x_q \mid y = 1]$",
            "definition",
        ),
        Step(
            Eq(SHARE * _MODE / 2, right, evaluate=False),
            "the Gaussian moment of a mode",
            "cite",
            (Eq(inner, _MODE, evaluate=False),),
            ("elliptical.half_space.mode",),
        ),
        Step(result, "solved for the eigenvalue of class 0", "solve-linear", (Tuple(of_zero, a * _RATIO),)),
    )
    return Derivation("elliptical.half_space.rest", result, steps)


REST = Claim(
    id="elliptical.half_space.rest",
    known=LOCALIZATION,
    title="Where a ReLU neuron rests on elliptical inputs",
    protocol=r"A ReLU neuron rests on elliptical inputs only where $\lambda_0(q)/\lambda_1(q)$ is one number for "
    r"all its "
    "modes $q$: no localization unless many modes share their ratio",
    kind=Kind.EQUATION,
    statement=Eq(of_zero, a * _RATIO, evaluate=False),
    params=(*SCALES, *_SPECTRUM, *_BOTH),
    conditions=_IN_MODE,
    assumptions=(
        r"one ReLU neuron, labels 1 and 0 with equal priors, $\tau\, dw/dt = f/2 - (S_0 + S_1) w/4$ with "
        r"$f = \mathbb{E}[\mathbf{1}[w \cdot x \geq 0]\, x \mid y = 1]$, on inputs with $x \sim -x$",
        r"class 1 is elliptical with $\mathbb{E} r^2 = Z^2$; $S_0$ and $S_1$ share their modes, as on a ring",
        r"with more modes $\sum_{p \neq q} \lambda_1(p) w_p^2$ takes the place of $\lambda_p w_2^2$: the bracket is "
        r"the same for all modes $q$, so that those with $w_q \neq 0$ have equal ratios $\lambda_0(q)/\lambda_1(q)$",
        r"any scale $r > 0$ of finite variance has $\mathbb{E} r/\sqrt{\mathbb{E} r^2}$ in place of the two values' "
        r"$(1 - \varepsilon + \varepsilon \eta)/\sqrt{1 - \varepsilon + \varepsilon \eta^2}$",
    ),
    oracle=_at_rest,
    derive=_derive_rest,
    cites=("elliptical.half_space.mode",),
    unchecked={Level.EXACT: _ROOTS, Level.FLOATING: reasons.IN_A_DERIVATION},
)

CLAIMS = (GAUSSIAN, FIRST, MODE, REST)
