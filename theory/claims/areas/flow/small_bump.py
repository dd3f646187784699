"""The small-bump network solved: a site gate and its complement decouple for all times (small-bump note).

The note computes the moments and leaves the ODEs coupled: "no idea how to decouple". The map x -> -x exchanges the two
gates, so A = diag(S, S)/2 with S = <x x^T> and b_2 = -b_1: one basis, that of S, decouples both units at every time.
With a = asin(kappa R_1 e_i) and D = asin(kappa^2 R_1) + asin(kappa^2 R_0), entry by entry, S = D/(pi Z^2) and
b_1 = a/(2 pi Z). On a ring D is circulant, and its modes are those of the discrete Fourier transform. The oracles
follow the gradient flow of explicit samples, and that of the loss by quadrature; they use neither arcsines nor modes.
"""

from collections.abc import Callable

import mpmath
import sympy
from mpmath import mpf
from sympy import Eq, Integer, Interval, Rational, Tuple, asin, exp, oo, pi, sqrt

from theory.claims import finite_data, reasons
from theory.claims.areas.flow._modes import relax
from theory.claims.documents import BUMP_NOTE
from theory.claims.expectations import KAPPA
from theory.claims.float_flow import float64_flow
from theory.claims.gradient_flow import entry, reading
from theory.claims.model import Claim, Kind, Level, Param, Point
from theory.claims.parameters import TIME, TIME_CONSTANT
from theory.claims.points import values
from theory.claims.small_bump import (
    ASSUMPTIONS,
    EXPLICIT_MODES,
    LAWS,
    MODES,
    MOMENTS,
    PARAMS,
    Z,
    float64_solution,
    quadratic_loss,
)
from theory.claims.sources import Says, Source
from theory.expressions.relaxation import phi1
from theory.expressions.symbols import t, tau
from theory.proof.derivation import Derivation, Step

_DECOUPLED = Source(
    BUMP_NOTE,
    "after (13)",
    note=r"the note has 'no idea how to decouple the ODEs': the basis of $\langle x x^\top \rangle$ does it",
    says=Says.UNSTATED,
)

# The two rows of weights as non-commuting vectors, the blocks of A, and an eigenvector of S (as a row).
W1, W2, W1_dot, W2_dot = sympy.symbols(r"W_1 W_2 \dot{W}_1 \dot{W}_2", commutative=False)
b1, b2, A11, A12, A21, A22, S, v = sympy.symbols("b_1 b_2 A_11 A_12 A_21 A_22 S v", commutative=False)

first, second = sympy.Function("u_1"), sympy.Function("u_2")  # v.W_1(t), v.W_2(t)
u10, u20 = sympy.symbols("u10 u20", real=True)
pull = sympy.Symbol("c1", real=True)  # v.b_1
eigenvalue = sympy.Symbol("s", positive=True)  # S v = s v; S is regular for a regular correlation matrix
a_mode = sympy.Symbol("a", real=True)  # v.asin(kappa R_1 e_i)
d_mode = sympy.Symbol("d", positive=True)  # eigenvalue of asin(kappa^2 R_1) + asin(kappa^2 R_0)

weight = sympy.Function("W_11")  # two sites, the gate at the first: the weight at its site


def _relaxed(unknown: sympy.Expr, start: sympy.Symbol, force: sympy.Expr) -> Eq:
    """The solution of 2 tau du/dt = force - s u/4 from `start`."""
    exponent = eigenvalue * t / (8 * tau)
    return Eq(unknown, exp(-exponent) * start + t / (2 * tau) * phi1(exponent) * force, evaluate=False)


FIRST_SOLVED, SECOND_SOLVED = _relaxed(first(t), u10, pull), _relaxed(second(t), u20, -pull)


def first_mode() -> Derivation:
    """Derive u_1(t) = exp(-s t/(8 tau)) u_1(0) + (t/(2 tau)) phi(s t/(8 tau)) c_1, S v = s v."""
    return _mode("flow.small_bump.first_mode", 0)


def second_mode() -> Derivation:
    """Derive u_2(t), which has -c_1 in place of c_1."""
    return _mode("flow.small_bump.second_mode", 1)


def two_sites_fixed_point() -> Derivation:
    """Derive W_11(oo) = Z [(a0 + a1)/(D0 + D1) + (a0 - a1)/(D0 - D1)]: two sites, the weight at the gate's site.

    The limit of a mode is u_1(oo) = 2 Z a/d, a and d its components of a and D, so that W_1(oo) = 2 Z D^-1 a. The modes
    of a ring of two sites are the sum and the difference: (a0 +- a1)/sqrt(2), D0 +- D1.
    """
    settled = Eq(first(oo), sympy.limit(FIRST_SOLVED.rhs.rewrite(exp), t, oo), evaluate=False)
    by_arcsines = Eq(first(oo), 2 * Z * a_mode / d_mode, evaluate=False)
    ends = [sympy.Function(name)(oo) for name in ("u_plus", "u_minus")]
    in_modes = Tuple(
        *(Eq(end, 2 * Z * a / sqrt(2) / d, evaluate=False) for end, (a, d) in zip(ends, MODES, strict=True))
    )
    site = weight(oo)
    at_site = Eq(site, Z * sum(a / d for a, d in MODES), evaluate=False)
    explicit = Eq(site, at_site.rhs.subs(MOMENTS), evaluate=False)
    steps = (
        Step(
            FIRST_SOLVED, "the mode of unit 1 at time $t$", "premise", (FIRST_SOLVED,), ("flow.small_bump.first_mode",)
        ),
        Step(settled, r"the transient decays at the rate $s/(8 \tau)$", "limit", (t,)),
        Step(
            by_arcsines,
            r"arcsine laws: $S = D/(\pi Z^2)$, and $b_1 = \arcsin(\kappa R_1 e_i)/(2 \pi Z)$ with the class prior 1/2",
            "substitute",
            (Tuple(pull, a_mode / (2 * pi * Z)), Tuple(eigenvalue, d_mode / (pi * Z**2))),
        ),
        Step(
            in_modes,
            r"two sites: $(1, 1)/\sqrt{2}$ and $(1, -1)/\sqrt{2}$ are the eigenvectors of "
            "$D = [[D_0, D_1], [D_1, D_0]]$",
            "stack",
            tuple(
                Tuple(Tuple(first(oo), end), Tuple(a_mode, a / sqrt(2)), Tuple(d_mode, d))
                for end, (a, d) in zip(ends, MODES, strict=True)
            ),
        ),
        Step(at_site, "back to the first site", "change-of-unknowns", (Tuple(site, (ends[0] + ends[1]) / sqrt(2)),)),
        Step(explicit, "the arcsine laws at distance 0 and 1", "substitute", MOMENTS),
    )
    return Derivation("flow.small_bump.two_sites", explicit, steps)


def _mode(name: str, which: int) -> Derivation:
    modes = _decoupled()
    solved = modes[-1].expr[which]
    return Derivation(name, solved, (*modes, Step(solved, "one of the two units", "select")))


def _decoupled() -> tuple[Step, ...]:
    coupled = Tuple(
        Eq(2 * tau * W1_dot, b1 - (A11 * W1 + A12 * W2) / 2, evaluate=False),
        Eq(2 * tau * W2_dot, b2 - (A21 * W1 + A22 * W2) / 2, evaluate=False),
    )
    separate = Tuple(
        Eq(2 * tau * W1_dot, b1 - A11 * W1 / 2, evaluate=False),
        Eq(2 * tau * W2_dot, b2 - A22 * W2 / 2, evaluate=False),
    )
    one_basis = Tuple(
        Eq(2 * tau * W1_dot, b1 - S * W1 / 4, evaluate=False),
        Eq(2 * tau * W2_dot, -b1 - S * W2 / 4, evaluate=False),
    )
    modes = Tuple(
        Eq(2 * tau * first(t).diff(t), pull - eigenvalue * first(t) / 4, evaluate=False),
        Eq(2 * tau * second(t).diff(t), -pull - eigenvalue * second(t) / 4, evaluate=False),
    )
    solved = Tuple(
        Eq(first(t), relax(modes[0], first(t), u10), evaluate=False),
        Eq(second(t), relax(modes[1], second(t), u20), evaluate=False),
    )
    return (
        *entry(sympy.Integer(2), "flow.gradient.small_bump"),
        Step(
            coupled,
            "the rows $W_1$ and $W_2$; $h = A W$",
            "stack",
            (reading(W1_dot, b1, A11 * W1 + A12 * W2), reading(W2_dot, b2, A21 * W1 + A22 * W2)),
        ),
        Step(separate, "$g_1 g_2 = 0$ almost surely: the gates exclude each other", "block", (A12, A21)),
        Step(
            one_basis, r"$x \to -x$ exchanges the gates and leaves the data alone", "half-spaces", (A11, A22, S, b1, b2)
        ),
        Step(
            modes,
            "project on an eigenvector of $S$",
            "project",
            (v, Tuple(S, eigenvalue), Tuple(W1, W1_dot, first(t)), Tuple(W2, W2_dot, second(t)), Tuple(b1, pull)),
        ),
        Step(
            solved,
            r"both units relax at the rate $s/(8 \tau)$",
            "solve-ode",
            (t, Tuple(first(t), u10), Tuple(second(t), u20)),
        ),
    )


def _mode_by_series(start: str, which: int) -> Callable[[Point, int], mpf]:
    """The flow on one site x = +-sqrt(s), both with the label 2 c1/sqrt(s); unit 1 is open at +, unit 2 at -."""

    def weight_at(point: Point, digits: int) -> mpf:
        with mpmath.workdps(digits + 30):
            at = values(point)
            x, half = mpmath.sqrt(at["s"]), mpf(1) / 2
            samples = [
                finite_data.Sample(half, gates, (side * x,), 2 * at["c1"] / x)
                for side, gates in ((1, (1, 0)), (-1, (0, 1)))
            ]
            other = mpf(1)
            weights = [at[start], other] if which == 0 else [other, at[start]]
            return finite_data.flow(finite_data.half_mse(samples, half), weights, at["tau"], at["t"], digits)[which]

    return weight_at


def _mode_claim(name: str, which: int, solved: Eq, start: sympy.Symbol, derive: Callable[[], Derivation]) -> Claim:
    sign = (1, -1)[which]
    return Claim(
        id=f"flow.small_bump.{name}_mode",
        title=f"A mode of the {name} unit of the small-bump network",
        protocol=rf"The {name} unit of the small-bump network at time $t$, along an eigenvector of "
        r"$S = \langle x x^\top \rangle$",
        kind=Kind.EQUATION,
        statement=solved,
        params=(
            TIME_CONSTANT,
            TIME,
            Param(
                eigenvalue, Interval.open(0, oo), "eigenvalue of $S$", (Rational(1, 2**40), Integer(1), Integer(1000))
            ),
            Param(pull, Interval(-3, 3), "component of $b_1$ along the eigenvector"),
            Param(start, Interval(-3, 3), f"component of $W_{which + 1}(0)$ along the eigenvector"),
        ),
        assumptions=(
            r"gates $\mathbf{1}[x_i \geq 0]$ and its complement, and $x$ and $-x$ equally likely with the same "
            "label, so that $b_2 = -b_1$",
            r"$\hat y = (g_1 W_1 + g_2 W_2) x/2$ and $L = \langle (y - \hat y)^2 \rangle/2$",
        ),
        sources=(_DECOUPLED,),
        oracle=_mode_by_series(start.name, which),
        derive=derive,
        numeric=lambda **at: float64_flow(
            [[at["s"] / 2]], [sign * at["c1"]], [[at[start.name]]], 2, at["t"] / at["tau"]
        ).weights[0, 0, 0],
        unchecked={Level.EXACT: reasons.EXPONENTIALS},
    )


FIRST_MODE = _mode_claim("first", 0, FIRST_SOLVED, u10, first_mode)
SECOND_MODE = _mode_claim("second", 1, SECOND_SOLVED, u20, second_mode)


def _at_rest(point: Point, digits: int) -> mpf:
    """The limit of the gradient flow of the quadratic loss: the weight of unit 1 at the gate's site."""
    with mpmath.workdps(digits + 30):
        return finite_data.flow_limit(quadratic_loss(point, digits + 20), [mpf(0)] * 4, digits)[0]


WEIGHT = Claim(
    id="flow.small_bump.two_sites",
    title="Where the weight at the gate's site comes to rest in the small-bump network with two inputs",
    kind=Kind.EQUATION,
    statement=Eq(
        weight(oo),
        sqrt(2 * asin(KAPPA**2) / pi) * sum(a / d for a, d in EXPLICIT_MODES),
        evaluate=False,
    ),
    params=PARAMS,
    assumptions=ASSUMPTIONS,
    sources=(_DECOUPLED,),
    oracle=_at_rest,
    derive=two_sites_fixed_point,
    numeric=lambda g, rho1, rho0: float64_solution(g, rho1, rho0).fixed_point[0, 0],
    cites=LAWS,
    unchecked={Level.EXACT: reasons.ARCSINES},
)

CLAIMS = (FIRST_MODE, SECOND_MODE, WEIGHT)
