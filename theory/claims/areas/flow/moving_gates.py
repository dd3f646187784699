"""Gates that depend on time but not on the weights. Localization notes, section 5.

The example is a half space 1[v(t).x >= 0] whose direction v turns at a constant rate: its input-output moment turns
with it, and its own block of A stays the same (basis.half_space.own_block), so that one basis serves all times.
"""

import mpmath
import sympy
from mpmath import mpf
from sympy import Eq, Heaviside, Integer, Interval, Rational, Tuple, cos, exp, oo, pi, sin, sqrt

from theory.claims import reasons
from theory.claims.areas.flow._modes import MODE_ODE, c, lam, positive_lam, projected_flow, u, u0
from theory.claims.documents import NOTES
from theory.claims.expectations import expectation_claim, pair
from theory.claims.model import Claim, Kind, Level, Param, Point
from theory.claims.parameters import CORRELATION, TIME, TIME_CONSTANT, UNITS
from theory.claims.points import values
from theory.claims.sources import Says, Source
from theory.expressions.symbols import K, rho, t, tau, z
from theory.proof.derivation import Derivation, Step

c0 = sympy.Symbol("c_0", real=True)  # component of b along the eigenvector while v points along it
omega = sympy.Symbol("omega", real=True)  # rate of turning
_TURNING = MODE_ODE.xreplace({c: c0 * cos(omega * t), lam: positive_lam})
_RATE = positive_lam / (K**2 * tau)
_FORCED = _RATE * cos(omega * t) + omega * sin(omega * t) - _RATE * exp(-_RATE * t)
SOLUTION = Eq(u(t), exp(-_RATE * t) * u0 + c0 / (K * tau) * _FORCED / (_RATE**2 + omega**2), evaluate=False)


def turning_mode() -> Derivation:
    """Derive the mode of a flow whose force turns, c(t) = c_0 cos(omega t), with lam > 0 constant."""
    steps = (
        *projected_flow(),
        Step(
            _TURNING,
            r"the gate turns: $\lambda > 0$ stays as it is, and the force oscillates",
            "substitute",
            (Tuple(c, c0 * cos(omega * t)), Tuple(lam, positive_lam)),
        ),
        Step(SOLUTION, "variation of constants", "solve-ode", (t, Tuple(u(t), u0))),
    )
    return Derivation("flow.moving_gates.mode", SOLUTION, steps)


def _turning_by_series(point: Point, digits: int) -> mpf:
    """The flow of (u, p, q) with dp/dt = -omega q and dq/dt = omega p from (u0, 1, 0), so that p = cos(omega t)."""
    with mpmath.workdps(digits + 40):
        at = values(point)
        K, tau = at["K"], at["tau"]
        generator = mpmath.matrix(
            [
                [-at["lambda"] / (K * K * tau), at["c_0"] / (K * tau), 0],
                [0, 0, -at["omega"]],
                [0, at["omega"], 0],
            ]
        )
        return (mpmath.expm(generator * at["t"], method="taylor") * mpmath.matrix([at["u0"], 1, 0]))[0]


MODE = Claim(
    id="flow.moving_gates.mode",
    title="The flow with moving gates, mode by mode",
    protocol="Where one basis diagonalizes $A(t)$ at all times, the flow with moving gates is solved mode by mode",
    kind=Kind.EQUATION,
    statement=SOLUTION,
    params=(
        UNITS,
        TIME_CONSTANT,
        TIME,
        Param(positive_lam, Interval.open(0, oo), "eigenvalue of $A$", (Rational(1, 1024), Integer(1000))),
        Param(c0, Interval(-3, 3), "component of $b$ along the eigenvector at $t = 0$"),
        Param(omega, Interval(-3, 3), "rate of turning", (Integer(0),)),
        Param(u0, Interval(-3, 3), "component of $w(0)$ along the eigenvector"),
    ),
    assumptions=(
        "the gates are functions of $x$ and $t$, and not of the weights; one basis diagonalizes $A$ at all times",
        r"any $\lambda(t)$ and $c(t)$ leave one integral over time for each mode",
    ),
    sources=(
        Source(
            NOTES,
            "section 5",
            note="by one integral a mode where one basis diagonalizes $A(t)$ at all times, as here for a half space "
            "that turns; else by a time-ordered exponential; gates that follow the weights, as those of a ReLU "
            "do, make the flow nonlinear",
            says=Says.READ_AS,
            words="We can still solve the differential equation",
        ),
    ),
    oracle=_turning_by_series,
    derive=turning_mode,
    unchecked={
        Level.EXACT: reasons.EXPONENTIALS,
        Level.FLOATING: "the library moves weights with gates that are fixed or replayed, not turned",
    },
)

_STEP_TIMES_SITE = Heaviside(z(1)) * z(2)


def _through_a_step(point: Point, digits: int) -> mpf:
    """E[1(z_1 >= 0) z_2] with z_2 = rho z_1 + a residual independent of the gate."""
    with mpmath.workdps(digits + 10):
        return values(point)["rho"] * mpmath.quad(lambda x: x * mpmath.npdf(x), [0, 1, 2, 4, 8, 16])


MOMENT = expectation_claim(
    "flow.moving_gates.moment",
    "The gated mean of a site while a half-space turns",
    _STEP_TIMES_SITE,
    pair(rho),
    rho / sqrt(2 * pi),
    protocol=r"While a half space turns $\Sigma^{yx}$ depends on $t$: the gated mean of a site of correlation "
    r"$\rho$ with "
    r"$v(t) \cdot x$",
    params=(CORRELATION,),
    assumptions=(
        r"$x$ Gaussian of unit variance; $z_1 = v(t) \cdot x$ over its standard deviation; $\rho$ depends on $t$ "
        "through $v$",
    ),
    sources=(
        Source(
            NOTES,
            "section 5",
            note=r"judged for $\Sigma^{yx}$ alone; $\Sigma^{xx}$ need not depend on $t$: the block "
            r"$\Sigma^{xx}(p, p)$ of a half space through the origin does not (`basis.half_space.own_block`), "
            "its blocks with other gates do",
            says=Says.READ_AS,
            words=r"So, $\Sigma^{yx}$ and $\Sigma^{xx}$ will depend on $t$ as well.",
        ),
    ),
    oracle=_through_a_step,
    unchecked={
        Level.EXACT: r"the root of $2 \pi$ is not rational",
        Level.FLOATING: "the library has it for the laws of problem files, not for one correlation",
    },
)

CLAIMS = (MODE, MOMENT)
