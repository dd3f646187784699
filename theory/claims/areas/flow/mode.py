"""One eigenmode of the gradient flow at time t, and the constant of its solution. Localization notes, eq. (9)-(11)."""

from fractions import Fraction

import mpmath
import sympy
from mpmath import mpf
from sympy import Eq, Integer, Interval, Ne, Piecewise, Rational, Tuple, nan, oo

from theory.claims import finite_data, reasons
from theory.claims.areas.flow._modes import FORCE, MODE_ODE, c, lam, positive_lam, projected_flow, relax, u, u0
from theory.claims.documents import NOTES
from theory.claims.float_flow import float64_flow
from theory.claims.model import Claim, Kind, Level, Param, Point
from theory.claims.parameters import TIME, TIME_CONSTANT, UNITS
from theory.claims.points import exact_values, values
from theory.claims.rational import rational
from theory.claims.slips import READOUT, under_sum_readout
from theory.claims.sources import Reading, Says, Source
from theory.expressions.relaxation import phi1
from theory.expressions.symbols import K, t, tau
from theory.proof.derivation import Derivation, Step


def mode_solution() -> Derivation:
    """Derive u(t) = exp(-lam t/(K^2 tau)) u0 + (t/(K tau)) phi(lam t/(K^2 tau)) c, zero eigenvalues included.

    Notes, eq. (9)-(11): once (3) is a sum, the printed form is this one for lam > 0.
    """
    solution = Eq(u(t), relax(MODE_ODE, u(t), u0), evaluate=False)
    return Derivation("flow.mode.solution", solution, (*projected_flow(), _solved(solution)))


def _solved(solution: sympy.Eq) -> Step:
    return Step(
        solution,
        r"variation of constants; $(1 - \exp(-z))/z$ is entire, so $\lambda = 0$ is included",
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


EIGENVALUE = Param(
    lam, Interval(0, oo), "eigenvalue of $A$", (Integer(0), Rational(1, 2**40), Integer(1), Integer(1000))
)
START = Param(u0, Interval(-3, 3), "component of $w(0)$ along the eigenvector")
_PRINTED = (u0 - c / lam) * sympy.exp(-lam * t / (K * tau)) + c / lam

MODE_SOLUTION = Claim(
    id="flow.mode.solution",
    title="A mode of the gradient flow at time $t$ in the mean readout, zero eigenvalues included",
    kind=Kind.EQUATION,
    statement=Eq(
        u(t), sympy.exp(-lam * t / (K**2 * tau)) * u0 + t / (K * tau) * phi1(lam * t / (K**2 * tau)) * c, evaluate=False
    ),
    params=(UNITS, TIME_CONSTANT, TIME, EIGENVALUE, FORCE, START),
    assumptions=(r"$u = v \cdot w$ and $c = v \cdot b$ for a unit eigenvector $v$ of $A$",),
    sources=tuple(
        Source(
            NOTES,
            label,
            printed=_PRINTED,
            note=r"no eigenvalue is zero, for $\Lambda^{-1}$ to exist; $C$ is set by $u(0)$; the mean readout of "
            "(3) gives the rate a factor $1/K$ and the limit a factor $K$",
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

# The constant e^C of (9), determined by the initial condition
away = sympy.Symbol("d", real=True)  # u(0) - c/lam, the distance of the start from the fixed point
_REAL = Piecewise((positive_lam * away, away > 0), (nan, True))  # e^C exists for d > 0 only, as C is real


def _constant_by_velocity(point: Point) -> Fraction:
    """-du/dt at t = 0, time in units of K tau, from u(0) = c/lam + d: the printed solution has e^C there."""
    at = exact_values(point)

    def loss(weights: finite_data.Vector) -> Fraction:
        return -at["c"] * weights[0] + at["lambda"] * weights[0] ** 2 / 2

    return finite_data.gradient(loss, [at["c"] / at["lambda"] + at["d"]])[0]


CONSTANT_OF_MODE = Claim(
    id="flow.mode.constant",
    title=r"The constant of (9): $e^C = \lambda u(0) - c$ along each eigenvector",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Function("D")(positive_lam, away), positive_lam * away, evaluate=False),
    params=(
        Param(positive_lam, Interval.open(0, oo), "eigenvalue of $A$"),
        Param(
            away, Interval(-3, 3), r"$u(0) - c/\lambda$, how far the mode starts from its fixed point", (Integer(0),)
        ),
        Param(c, Interval(-3, 3), "component of $b$ along the eigenvector, which drops out"),
    ),
    assumptions=(
        r"$K \tau\, du/dt = c - \lambda u$, the flow under the sum readout; $\lambda > 0$",
        r"its solution is $u(t) = (D E(t) + c)/\lambda$ with $E(t) = \exp(-\lambda t/(K \tau))$ and $D$ in the "
        "place of $e^C$",
    ),
    sources=tuple(
        Source(
            NOTES,
            label,
            printed=_REAL,
            note=r"in the sum readout; a real $C$ needs $\lambda u(0) > c$, which the other sign of the eigenvector "
            r"gives where $\lambda u(0) < c$; a mode that starts at its fixed point $c/\lambda$ has no $C$",
            says=Says.READ_AS,
            words="$C$ is a constant diagonal matrix that defines the initial condition",
            readings=(
                Reading(
                    "no mode starts at its fixed point, and the sign of each eigenvector suits the initial "
                    "condition or $C$ is complex",
                    positive_lam * away,
                    Ne(away, 0),
                ),
            ),
        )
        for label in ("(9)", "(21)")
    ),
    **rational(_constant_by_velocity),
    unchecked={
        Level.SYMBOLIC: "the printed solution at $t = 0$ gives it in one line",
        Level.FLOATING: "the library writes the solution with $u(0)$ itself and has no such constant",
    },
)

CLAIMS = (MODE_SOLUTION, CONSTANT_OF_MODE)
