"""One eigenmode of the gradient flow at time t. Localization notes, eq. (9)-(11), corrected."""

import mpmath
import sympy
from mpmath import mpf
from sympy import Eq, Integer, Interval, Ne, Rational, Tuple, oo

from theory.claims import finite_data, reasons
from theory.claims.areas.flow._modes import FORCE, MODE_ODE, c, lam, projected_flow, relax, u, u0
from theory.claims.documents import NOTES
from theory.claims.float_flow import float64_flow
from theory.claims.model import Claim, Kind, Level, Param, Point
from theory.claims.parameters import TIME, TIME_CONSTANT, UNITS
from theory.claims.points import values
from theory.claims.slips import READOUT, under_sum_readout
from theory.claims.sources import Source
from theory.expressions.relaxation import phi1
from theory.expressions.symbols import K, t, tau
from theory.proof.derivation import Derivation, Step


def mode_solution() -> Derivation:
    """Derive u(t) = exp(-lam t/(K^2 tau)) u0 + (t/(K tau)) phi(lam t/(K^2 tau)) c, zero eigenvalues included.

    Notes, eq. (9)-(11), corrected: the printed exponent lacks a factor 1/K, and the printed form divides by lam.
    """
    solution = Eq(u(t), relax(MODE_ODE, u(t), u0), evaluate=False)
    return Derivation("flow.mode.solution", solution, (*projected_flow(), _solved(solution)))


def _solved(solution: sympy.Eq) -> Step:
    return Step(
        solution,
        "variation of constants; (1 - exp(-z))/z is entire, so lam = 0 is included",
        "solve-ode",
        (t, Tuple(u(t), u0)),
    )


def _mode_by_series(point: Point, digits: int) -> mpf:
    """Gradient flow of the loss restricted to w = u v: L(u) = <y^2>/2 - c u/K + lam (u/K)^2/2."""
    with mpmath.workdps(digits + 30):
        at = values(point)

        def loss(weights: finite_data.Vector) -> mpf:
            output = weights[0] / at["K"]
            return -at["c"] * output + at["lambda"] * output**2 / 2

        return finite_data.flow(loss, [at["u0"]], at["tau"], at["t"], digits)[0]


def _mode_in_float64(**at: int | float) -> float:
    time = at["t"] / at["tau"]
    return float64_flow([[at["lambda"]]], [at["c"]], [[at["u0"]]], at["K"], time).weights[0, 0, 0]


EIGENVALUE = Param(lam, Interval(0, oo), "eigenvalue of A", (Integer(0), Rational(1, 2**40), Integer(1), Integer(1000)))
START = Param(u0, Interval(-3, 3), "component of w(0) along the eigenvector")
_PRINTED = (u0 - c / lam) * sympy.exp(-lam * t / (K * tau)) + c / lam

MODE_SOLUTION = Claim(
    id="flow.mode.solution",
    title="A mode of the gradient flow at time t, zero eigenvalues included",
    kind=Kind.EQUATION,
    statement=Eq(
        u(t), sympy.exp(-lam * t / (K**2 * tau)) * u0 + t / (K * tau) * phi1(lam * t / (K**2 * tau)) * c, evaluate=False
    ),
    params=(UNITS, TIME_CONSTANT, TIME, EIGENVALUE, FORCE, START),
    assumptions=("u = v.w and c = v.b for a unit eigenvector v of A",),
    sources=tuple(
        Source(
            NOTES,
            label,
            printed=_PRINTED,
            note="C is set by u(0); with a zero eigenvalue Lambda^-1 does not exist, and the mode still moves",
            slip=READOUT,
            repaired=under_sum_readout(_PRINTED, (u0,), Ne(lam, 0), "no eigenvalue is zero"),
        )
        for label in ("(9)", "(10)", "(11)")
    ),
    oracle=_mode_by_series,
    derive=mode_solution,
    numeric=_mode_in_float64,
    unchecked={Level.EXACT: reasons.EXPONENTIALS},
)

CLAIMS = (MODE_SOLUTION,)
