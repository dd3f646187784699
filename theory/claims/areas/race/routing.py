r"""The routing network: its reduction to two strengths for each mode, what they conserve, their limit and their time.

M input domains, M output domains and one pathway that all pairs share. The pair of input i and output o has the output
D_o W E_i x. Facts recalled from "The Neural Race Reduction" (Saxe, Sodhani, Lewallen 2022) and derived here.
"""

import mpmath
import sympy
from mpmath import mpf
from sympy import Eq, Integer, Integral, Interval, Rational, Tuple, atan, log, sqrt

from theory.claims import reasons
from theory.claims.areas.race._symbols import (
    ALIGNED,
    DOMAINS,
    DRAWN,
    NO_MORE_PARTNERS,
    PARTNERS,
    PROBABILITY,
    SHARED,
    START_OF_ENDS,
    START_OF_SHARED,
    STRENGTH,
    M,
    P,
    b1,
    b2,
    b10,
    b20,
    lam,
    s,
)
from theory.claims.areas.race._velocities import (
    ASSUMED,
    ENDS_FLOW,
    ENDS_VELOCITY,
    INVARIANT,
    NETWORK,
    SHARED_FLOW,
    SHARED_VELOCITY,
    ends_dot,
    mode_of,
    shared_dot,
)
from theory.claims.model import Claim, Kind, Level, Param, Point
from theory.claims.unreduced import at_rest, at_time, ball, routing, time_until
from theory.expressions.symbols import K, t, tau
from theory.flow.graph.solutions.routing import RoutingMode
from theory.proof.derivation import Derivation, Step

# What is conserved
q, q_dot = sympy.Function("lambda"), sympy.Symbol(r"\dot{\lambda}", real=True)
_KEPT = Eq(q(t), b20**2 - M * b10**2, evaluate=False)


def conserved_strengths() -> Derivation:
    """Derive b_2^2 - M b_1^2 = constant from both velocities."""
    changing = Eq(q_dot, 2 * b2 * shared_dot - 2 * M * b1 * ends_dot, evaluate=False)
    used = (SHARED_FLOW, ENDS_FLOW)
    replaced = Eq(q_dot, changing.rhs.subs({one.lhs: one.rhs for one in used}), evaluate=False)
    still = Eq(q(t).diff(t), 0, evaluate=False)
    steps = (
        Step(changing, r"the product rule for $\lambda = b_2^2 - M b_1^2$", "definition"),
        Step(replaced, "both velocities", "cite", used, (SHARED_VELOCITY.id, ENDS_VELOCITY.id)),
        Step(Eq(q_dot, 0, evaluate=False), "the two terms cancel", "identity"),
        Step(still, "at every time", "stack", (Tuple(Tuple(q_dot, q(t).diff(t))),)),
        Step(_KEPT, "what does not change keeps its start", "solve-ode", (t, Tuple(q(t), _KEPT.rhs))),
    )
    return Derivation("race.routing.conserved", _KEPT, steps)


def _start(point: Point) -> list:
    domains, ends = int(point[M]), ball(point[b10])
    return [ends] * domains + [ball(point[b20])] + [ends] * domains


def _given(point: Point) -> tuple:
    return ball(point[s]), ball(point[P])


def _kept_by_the_flow(point: Point, digits: int) -> mpf:
    """b^2 - sum_i a_i^2 of the unreduced flow at the point's time."""
    domains = int(point[M])
    time = ball(point[t] / point[tau])
    weights = at_time(routing(domains, int(point[K])), _given(point), _start(point), time, digits + 10)
    with mpmath.workdps(digits + 10):
        return weights[domains] ** 2 - mpmath.fsum(weight**2 for weight in weights[:domains])


_LATER = Param(t, Interval(0, sympy.oo), "time", (Integer(0),), likely=Interval(0, 20))
_TIME_CONSTANT = Param(
    tau, Interval.open(0, sympy.oo), "time constant", (Integer(50),), likely=Interval(Rational(1, 2), 4)
)
_CROSSING = sympy.Abs(b20**2 - M * b10**2) > Rational(1, 1000)

CONSERVED = Claim(
    id="race.routing.conserved",
    title=r"A routing network conserves $\lambda = b_2^2 - M b_1^2$ in each mode",
    kind=Kind.EQUATION,
    statement=_KEPT,
    params=(*NETWORK, STRENGTH, _TIME_CONSTANT, _LATER, START_OF_ENDS, START_OF_SHARED),
    conditions=(NO_MORE_PARTNERS, DRAWN, _CROSSING),
    assumptions=(
        *ASSUMED,
        ALIGNED,
        r"points with $\lambda$ near 0 are left out of the check: relative digits say nothing there",
    ),
    oracle=_kept_by_the_flow,
    derive=conserved_strengths,
    numeric=lambda M, b10, b20, **_others: RoutingMode(int(M), 1, 1.0, 1.0).conserved(b10, b20),
    drawn=3,
    unchecked={Level.EXACT: "the flow has no value in fractions; its velocities have, in the claims that this cites"},
)

# The limit
_UP_TO_THREE = Param(M, DOMAINS.domain, DOMAINS.doc)
settled = sympy.Symbol(r"b_{\infty}", positive=True)  # the shared strength at rest
_COMES_TO = Eq(settled**3 - (b20**2 - M * b10**2) * settled, M * s, evaluate=False)


def limit_of_strengths() -> Derivation:
    """Derive the cubic of the limit: at rest s = b_1^2 b_2, and M b_1^2 = b_2^2 - lambda."""
    at_rest_of_both = Eq(0, M * s - settled * (settled**2 - (b20**2 - M * b10**2)), evaluate=False)
    resting = Eq(0, K * M * P * b1**2 * (s - b1**2 * settled) / tau, evaluate=False)
    steps = (
        Step(SHARED_FLOW, "the velocity of the shared strength", "premise", (SHARED_FLOW,), (SHARED_VELOCITY.id,)),
        Step(
            resting,
            "at rest it vanishes",
            "stack",
            (Tuple(Tuple(shared_dot, Integer(0)), Tuple(b2, settled)),),
        ),
        Step(
            Eq(0, M * (s - b1**2 * settled), evaluate=False),
            r"$b_1$ does not vanish: divide by $K P b_1^2/\tau$",
            "rescale",
            (tau / (K * P * b1**2),),
        ),
        Step(
            at_rest_of_both,
            r"$M b_1^2 = b_2^2 - \lambda$ with the $\lambda$ of the start",
            "stack",
            (Tuple(Tuple(b1, sqrt((settled**2 - (b20**2 - M * b10**2)) / M))),),
        ),
        Step(_COMES_TO, "rearranged", "identity"),
    )
    return Derivation("race.routing.limit", _COMES_TO, steps)


def _cubic_at_rest(point: Point, digits: int) -> mpf:
    """The left side of the cubic, for the shared weight of the unreduced flow at its end."""
    domains = int(point[M])
    given = ball(point[s]), ball(Rational(1, domains))
    end = at_rest(routing(domains, int(point[K])), given, _start(point), digits + 5)[domains]
    with mpmath.workdps(digits + 10):
        start, beside = (mpf(value.p) / value.q for value in (point[b20], point[b10]))
        return end**3 - (start**2 - domains * beside**2) * end


LIMIT = Claim(
    id="race.routing.limit",
    title=r"The shared strength of a routing network ends at the root of a cubic, $b^3 - \lambda b = M s$",
    kind=Kind.EQUATION,
    statement=_COMES_TO,
    params=(_UP_TO_THREE, PARTNERS, STRENGTH, START_OF_ENDS, START_OF_SHARED),
    conditions=(NO_MORE_PARTNERS,),
    assumptions=(
        *ASSUMED,
        ALIGNED,
        r"$\lambda = b_2(0)^2 - M b_1(0)^2$; $b$ is the positive root with $b^2 > \lambda$",
    ),
    oracle=_cubic_at_rest,
    derive=limit_of_strengths,
    cites=("race.routing.conserved",),
    numeric=lambda M, K, s, b10, b20: _cubic_of_the_library(M, K, s, b10, b20),
    drawn=3,
    unchecked={Level.EXACT: reasons.A_LIMIT},
)


def _cubic_of_the_library(domains: float, partners: float, strength: float, ends: float, shared: float) -> float:
    end = RoutingMode(int(domains), int(partners), strength, 1.0).limit(ends, shared)[1]
    return end**3 - (shared**2 - domains * ends**2) * end


def _balanced_end(point: Point, digits: int) -> mpf:
    """The shared weight of the unreduced flow at its end, from b^2 = sum_i a_i^2."""
    domains = int(point[M])
    with mpmath.workdps(digits + 30):
        shared = ball(mpmath.sqrt(domains) * mpf(point[b10].p) / point[b10].q)
    start = [ball(point[b10])] * domains
    given = ball(point[s]), ball(Rational(1, domains))
    return at_rest(routing(domains, int(point[K])), given, [*start, shared, *start], digits + 5)[domains]


end_of_shared = sympy.Function("b_2")
_BALANCED_END = Eq(end_of_shared(sympy.oo), (M * s) ** Rational(1, 3), evaluate=False)


def balanced_limit() -> Derivation:
    """Derive the limit (M s)^(1/3) of a balanced start, lambda = 0: (b - c)(b^2 + b c + c^2) = 0 with c^3 = M s."""
    c = (M * s) ** Rational(1, 3)
    cubic = Eq(settled**3, M * s, evaluate=False)
    factors = Eq((settled - c) * (settled**2 + settled * c + c**2), 0, evaluate=False)
    steps = (
        Step(_COMES_TO, "the cubic of the limit", "premise", (_COMES_TO,), (LIMIT.id,)),
        Step(cubic, "a balanced start has $b_2(0)^2 = M b_1(0)^2$", "substitute", (Tuple(b20, sqrt(M) * b10),)),
        Step(factors, "a difference of cubes", "identity"),
        Step(
            Eq(settled - c, 0, evaluate=False),
            "the second factor is positive",
            "rescale",
            (1 / (settled**2 + settled * c + c**2),),
        ),
        Step(
            _BALANCED_END,
            "the limit of $b_2$",
            "stack",
            (Tuple(Tuple(settled, end_of_shared(sympy.oo))),),
        ),
    )
    return Derivation("race.routing.balanced_limit", _BALANCED_END, steps)


BALANCED_LIMIT = Claim(
    id="race.routing.balanced_limit",
    title=r"The shared strength of a routing network ends at $(M s)^{1/3}$ from a balanced start",
    kind=Kind.EQUATION,
    statement=_BALANCED_END,
    params=(_UP_TO_THREE, PARTNERS, STRENGTH, START_OF_ENDS),
    conditions=(NO_MORE_PARTNERS,),
    assumptions=(*ASSUMED, ALIGNED, "$b_2(0)^2 = M b_1(0)^2$"),
    oracle=_balanced_end,
    derive=balanced_limit,
    numeric=lambda M, K, s, b10: RoutingMode(int(M), int(K), s, 1.0).limit(b10, M**0.5 * b10)[1],
    drawn=3,
    unchecked={Level.EXACT: reasons.A_LIMIT},
)

# The time
x = sympy.Symbol("x", positive=True)
_THROUGH = x**2 - lam  # M b_1^2 where b_2 = x
_TIME = Eq(t, M * tau / (K * P) * Integral(1 / (_THROUGH * (M * s - x * _THROUGH)), (x, b20, b2)), evaluate=False)


def time_by_quadrature() -> Derivation:
    """Derive t(b_2): lambda is conserved, which leaves one ODE, and its variables separate."""
    shared = sympy.Function("b_2", positive=True)(t)
    through = _THROUGH.subs(x, shared) / M
    alone = Eq(shared.diff(t), K * M * P * through * (s - through * shared) / tau, evaluate=False)
    scaled = Eq(M * tau / (K * P) * shared.diff(t), M * through * (M * s - M * through * shared), evaluate=False)
    steps = (
        Step(SHARED_FLOW, "the velocity of the shared strength", "premise", (SHARED_FLOW,), (SHARED_VELOCITY.id,)),
        Step(
            alone,
            r"$M b_1^2 = b_2^2 - \lambda$, as $\lambda$ is conserved (`race.routing.conserved`)",
            "stack",
            (Tuple(Tuple(shared_dot, shared.diff(t)), Tuple(b1, sqrt(through)), Tuple(b2, shared)),),
        ),
        Step(scaled, r"times $M \tau/(K P)$", "rescale", (M * tau / (K * P),)),
        Step(_TIME, "the variables separate", "separate", (t, Tuple(shared, b20, b2, x))),
    )
    return Derivation("race.routing.time", _TIME, steps)


def _time_by_the_flow(point: Point, digits: int) -> mpf:
    """The time at which the shared weight of the unreduced flow has the strength b2."""
    domains, goal = int(point[M]), ball(point[b2])
    with mpmath.workdps(digits + 30):
        beside = (point[b20] ** 2 - point[lam]) / domains
        ends = ball(mpmath.sqrt(mpf(beside.p) / beside.q))
        start = [*[ends] * domains, ball(point[b20]), *[ends] * domains]
        network = routing(domains, int(point[K]))
        found = time_until(network, _given(point), start, lambda weights: weights[domains] - goal, digits + 5)
        return found * point[tau].p / point[tau].q


_ON_THE_WAY = (
    lam < b20**2 - Rational(1, 16),
    b2 > b20 + Rational(1, 16),
    M * s > Rational(5, 4) * b2 * (b2**2 - lam),
)


def _time_of_the_library(b20: float, b2: float, **at: float) -> float:
    return mode_of(at, at["s"]).time(((b20**2 - at["lambda"]) / at["M"]) ** 0.5, b20, b2)


TIME_TO_LEARN = Claim(
    id="race.routing.time",
    title="The time in which the shared strength of a routing network grows",
    protocol="The time in which the shared strength of a routing network grows from $b_2(0)$ to $b_2$, as an integral",
    kind=Kind.EQUATION,
    statement=_TIME,
    params=(
        Param(M, DOMAINS.domain, DOMAINS.doc),
        Param(K, PARTNERS.domain, PARTNERS.doc, (Integer(2),)),
        PROBABILITY,
        STRENGTH,
        Param(tau, _TIME_CONSTANT.domain, _TIME_CONSTANT.doc, likely=_TIME_CONSTANT.likely),
        Param(lam, Interval(-2, 2), r"conserved $\lambda = b_2^2 - M b_1^2$", (Integer(0),)),
        START_OF_SHARED,
        SHARED,
    ),
    conditions=(NO_MORE_PARTNERS, DRAWN, *_ON_THE_WAY),
    assumptions=(*ASSUMED, ALIGNED, "$b_2$ lies between its start and its limit, so that the integrand is positive"),
    oracle=_time_by_the_flow,
    derive=time_by_quadrature,
    cites=("race.routing.conserved",),
    numeric=_time_of_the_library,
    drawn=4,
    unchecked={Level.EXACT: "a time has no value in fractions"},
)

# The time from a balanced start, in closed form
limit_strength = sympy.Symbol("c", positive=True)
y0, y1, y = sympy.symbols("y0 y1 y", positive=True)


def _antiderivative(at: sympy.Expr) -> sympy.Expr:
    """The antiderivative of 1/(y^2 (1 - y^3))."""
    return -1 / at - log(1 - at) / 3 + log(1 + at + at**2) / 6 - atan((2 * at + 1) / sqrt(3)) / sqrt(3)


_UNIT = M * tau / (K * P * limit_strength**4)
_BALANCED_TIME = Eq(t, _UNIT * (_antiderivative(y1) - _antiderivative(y0)), evaluate=False)


def balanced_time() -> Derivation:
    """Derive t in closed form for lambda = 0, in the share y = b_2/c of the limit c = (M s)^(1/3)."""
    share = sympy.Function("y", positive=True)(t)
    alone = Eq(share.diff(t), share**2 * (1 - share**3) / _UNIT, evaluate=False)
    separated = Eq(t, Integral(_UNIT / (y**2 * (1 - y) * (1 + y + y**2)), (y, y0, y1)), evaluate=False)
    steps = (
        Step(SHARED_FLOW, "the velocity of the shared strength", "premise", (SHARED_FLOW,), (SHARED_VELOCITY.id,)),
        Step(
            Eq(limit_strength * share.diff(t), limit_strength * alone.rhs, evaluate=False),
            "$b_2 = c y$, $b_1 = c y/\\sqrt{M}$ and $s = c^3/M$",
            "stack",
            (
                Tuple(
                    Tuple(shared_dot, limit_strength * share.diff(t)),
                    Tuple(b1, limit_strength * share / sqrt(M)),
                    Tuple(b2, limit_strength * share),
                    Tuple(s, limit_strength**3 / M),
                ),
            ),
        ),
        Step(alone, "divide by $c$", "rescale", (1 / limit_strength,)),
        Step(separated, "the variables separate", "separate", (t, Tuple(share, y0, y1, y))),
        Step(
            _BALANCED_TIME,
            "partial fractions",
            "integrate",
            (Tuple(separated.rhs, _UNIT * _antiderivative(y)),),
        ),
    )
    return Derivation("race.routing.balanced_time", _BALANCED_TIME, steps)


def _balanced_time_by_the_flow(point: Point, digits: int) -> mpf:
    """The time in which the shared weight of the unreduced flow, from a balanced start, gets from y0 c to y1 c."""
    domains = int(point[M])
    with mpmath.workdps(digits + 30):
        end, first, last = (mpf(point[name].p) / point[name].q for name in (limit_strength, y0, y1))
        ends = ball(end * first / mpmath.sqrt(domains))
        start = [*[ends] * domains, ball(end * first), *[ends] * domains]
        goal, given = ball(end * last), (ball(end**3 / domains), ball(point[P]))
        network = routing(domains, int(point[K]))
        found = time_until(network, given, start, lambda weights: weights[domains] - goal, digits + 10)
        return found * point[tau].p / point[tau].q


def _balanced_time_of_the_library(c: float, y0: float, y1: float, **at: float) -> float:
    return mode_of(at, c**3 / at["M"]).time(y0 * c / at["M"] ** 0.5, y0 * c, y1 * c)


BALANCED_TIME = Claim(
    id="race.routing.balanced_time",
    title="The time in which the shared strength of a routing network grows, balanced",
    protocol="The time in which the shared strength of a routing network grows from $y_0 c$ to $y_1 c$, in closed form",
    kind=Kind.EQUATION,
    statement=_BALANCED_TIME,
    params=(
        *NETWORK,
        _TIME_CONSTANT,
        Param(
            limit_strength,
            Interval.open(0, sympy.oo),
            "limit $(M s)^{1/3}$ of the shared strength",
            likely=Interval(Rational(1, 2), 2),
        ),
        Param(y0, Interval.open(0, 1), "share of the limit at $t = 0$", (Rational(1, 100),)),
        Param(y1, Interval.open(0, 1), "share of the limit at time $t$", (Rational(99, 100),)),
    ),
    conditions=(NO_MORE_PARTNERS, DRAWN, y1 > y0 + Rational(1, 16)),
    assumptions=(*ASSUMED, ALIGNED, "$b_2(0)^2 = M b_1(0)^2$"),
    oracle=_balanced_time_by_the_flow,
    derive=balanced_time,
    numeric=_balanced_time_of_the_library,
    drawn=3,
    unchecked={Level.EXACT: "a time has no value in fractions"},
)

CLAIMS = (
    ENDS_VELOCITY,
    SHARED_VELOCITY,
    INVARIANT,
    CONSERVED,
    LIMIT,
    BALANCED_LIMIT,
    TIME_TO_LEARN,
    BALANCED_TIME,
)
