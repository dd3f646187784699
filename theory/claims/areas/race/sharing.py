r"""Pathways that share weights win the race: how the speed of learning grows with the number of contexts that share.

m contexts share the weight b and have a readout a_j each. The output in context j is a_j b and its target s; every
context has the probability P. So L = (P/2) sum_j (s - a_j b)^2.
"""

import mpmath
import sympy
from mpmath import mpf
from sympy import Eq, Integer, Integral, Interval, Range, Rational, Tuple, log, sqrt

from theory.claims import finite_data, reasons
from theory.claims.areas.race._symbols import PROBABILITY, STRENGTH, P, s
from theory.claims.model import Claim, Kind, Level, Param, Point
from theory.claims.parameters import TIME
from theory.claims.points import values
from theory.claims.unreduced import ball, sharing, time_until
from theory.expressions.symbols import t, tau
from theory.proof.derivation import Derivation, Step

m = sympy.Symbol("m", integer=True, positive=True)
u0 = sympy.Symbol("u0", positive=True)
a, b, u, A = (sympy.Function(name) for name in "abuA")
_GROWTH = Eq(u(t), u0 * sympy.exp(P * s * sqrt(m) * t / tau), evaluate=False)

_CONTEXTS = (
    r"$m$ contexts of probability $P$ each share the weight $b$; context $j$ has the output $a_j b x$, the target "
    r"$s x$, and $\langle x^2 \rangle = 1$; $L = \langle (y - \hat y)^2 \rangle/2$"
)
_PROBABILITY = Param(P, PROBABILITY.domain, "probability of each context", likely=PROBABILITY.likely)
_TIME_CONSTANT = Param(
    tau, Interval.open(0, sympy.oo), "time constant", (Integer(50),), likely=Interval(Rational(1, 2), 4)
)


def growth_from_zero() -> Derivation:
    """Derive u(t) = u(0) exp(P s sqrt(m) t/tau) for u = b + (sum_j a_j)/sqrt(m), to first order near zero."""
    linear = Tuple(
        Eq(tau * b(t).diff(t), P * s * A(t), evaluate=False),
        Eq(tau * A(t).diff(t), P * s * m * b(t), evaluate=False),
    )
    mode = Eq(tau * u(t).diff(t), P * s * sqrt(m) * u(t), evaluate=False)
    steps = (
        Step(
            linear,
            r"near zero $L = - P s\, b \sum_j a_j$ up to a constant and to products of four weights; $A = \sum_j a_j$",
            "definition",
        ),
        Step(
            mode,
            r"the growing mode $u = b + A/\sqrt{m}$",
            "change-of-unknowns",
            (Tuple(u(t), b(t) + A(t) / sqrt(m)),),
        ),
        Step(_GROWTH, "exponential growth", "solve-ode", (t, Tuple(u(t), u0))),
    )
    return Derivation("race.sharing.growth", _GROWTH, steps)


def _growth_by_series(point: Point, digits: int) -> mpf:
    """b + sum_j a_j/sqrt(m) under the flow of the loss - P s b sum_j a_j, from different a_j."""
    with mpmath.workdps(digits + 30):
        at, contexts = values(point), int(point[m])
        readouts = [mpf(j + 1) / 7 for j in range(contexts)]
        start = [at["u0"] - mpmath.fsum(readouts) / mpmath.sqrt(contexts), *readouts]

        def loss(weights: finite_data.Vector) -> mpf:
            return -at["P"] * at["s"] * weights[0] * sum(weights[1:])

        end = finite_data.flow(loss, start, at["tau"], at["t"], digits + 20)
        return end[0] + mpmath.fsum(end[1:]) / mpmath.sqrt(contexts)


GROWTH = Claim(
    id="race.sharing.growth",
    title=r"Near zero a pathway that $m$ contexts share grows at the rate $\sqrt{m} P s/\tau$",
    kind=Kind.EQUATION,
    statement=_GROWTH,
    params=(
        Param(m, Range(1, 8), "number of contexts that share the weight", (Integer(1), Integer(7))),
        _PROBABILITY,
        STRENGTH,
        _TIME_CONSTANT,
        Param(t, TIME.domain, TIME.doc, (Integer(0),), likely=Interval(0, 4)),
        Param(u0, Interval.open(0, 2), r"$b + \sum_j a_j/\sqrt{m}$ at $t = 0$"),
    ),
    conditions=(m * P <= 1,),
    assumptions=(_CONTEXTS, "first order in the weights: products of three of them are left out of the velocities"),
    oracle=_growth_by_series,
    derive=growth_from_zero,
    unchecked={
        Level.EXACT: reasons.EXPONENTIALS,
        Level.FLOATING: "the library integrates the whole flow and has no linear one near zero",
    },
)

# The time to learn from a balanced start
w, x = sympy.Function("w", positive=True), sympy.Symbol("x", positive=True)
w0, w1 = sympy.symbols("w0 w1", positive=True)
time_to_learn = sympy.Function("T", positive=True)
_TIME = Eq(time_to_learn(m), tau / (2 * P * s * sqrt(m)) * log(w1 * (s - w0) / (w0 * (s - w1))), evaluate=False)


def time_of_sharing() -> Derivation:
    """Derive the time from w_0 to w_1 for b = sqrt(m) a: the output w = a b obeys a logistic equation."""
    readout = Eq(tau * a(t).diff(t), P * sqrt(m) * a(t) * (s - sqrt(m) * a(t) ** 2), evaluate=False)
    logistic = Eq(tau * w(t).diff(t), 2 * P * sqrt(m) * w(t) * (s - w(t)), evaluate=False)
    integral = Integral(1 / (2 * P * sqrt(m) * x * (s - x)), (x, w0, w1))
    steps = (
        Step(
            readout,
            r"$\tau\, da/dt = P b (s - a b)$ with $b = \sqrt{m} a$, which the flow keeps: $b^2 - m a^2$ is conserved",
            "definition",
        ),
        Step(
            logistic, r"the output $w = a b = \sqrt{m} a^2$", "change-of-unknowns", (Tuple(w(t), sqrt(m) * a(t) ** 2),)
        ),
        Step(Eq(t, tau * integral, evaluate=False), "the variables separate", "separate", (t, Tuple(w(t), w0, w1, x))),
        Step(
            Eq(t, _TIME.rhs, evaluate=False),
            "partial fractions",
            "integrate",
            (Tuple(integral, (log(x) - log(s - x)) / (2 * P * s * sqrt(m))),),
        ),
        Step(_TIME, "the time that $m$ contexts take", "stack", (Tuple(Tuple(t, time_to_learn(m))),)),
    )
    return Derivation("race.sharing.time", _TIME, steps)


def _seconds(contexts: int, at: dict[str, mpf], digits: int) -> mpf:
    """The time of the unreduced flow of m contexts from the output w0 to w1, in units of tau."""
    first = mpmath.sqrt(at["w0"] / mpmath.sqrt(contexts))
    start = [*[ball(first)] * contexts, ball(at["w0"] / first)]
    given, goal = (ball(at["s"]), ball(at["P"])), ball(at["w1"])
    return time_until(sharing(contexts), given, start, lambda weights: weights[0] * weights[-1] - goal, digits + 10)


def _time_by_the_flow(point: Point, digits: int) -> mpf:
    with mpmath.workdps(digits + 30):
        at = values(point)
        return at["tau"] * _seconds(int(point[m]), at, digits)


_OUTPUTS = (
    Param(w0, Interval.open(0, 3), "output at the start", (Rational(1, 100),), likely=Interval(Rational(1, 64), 1)),
    Param(w1, Interval.open(0, 3), "output that is reached", likely=Interval(Rational(1, 4), 2)),
)
_IN_ORDER = (w1 > w0 + Rational(1, 64), s > w1 + Rational(1, 64))
_BALANCED = r"the start is balanced: all $a_j$ are equal, and $b = \sqrt{m} a_j$"

LEARNING_TIME = Claim(
    id="race.sharing.time",
    title=r"The time in which $m$ contexts that share a weight learn, from the output $w_0$ to $w_1$",
    kind=Kind.EQUATION,
    statement=_TIME,
    params=(
        Param(m, Range(1, 6), "number of contexts that share the weight", (Integer(1), Integer(5))),
        _PROBABILITY,
        STRENGTH,
        _TIME_CONSTANT,
        *_OUTPUTS,
    ),
    conditions=(*_IN_ORDER, m * P <= 1),
    assumptions=(_CONTEXTS, _BALANCED),
    oracle=_time_by_the_flow,
    derive=time_of_sharing,
    drawn=3,
    unchecked={
        Level.EXACT: "a time has no value in fractions",
        Level.FLOATING: "the library integrates the flow; the formula is one line, for the page",
    },
)

# Who wins
m1, m2 = sympy.symbols("m1 m2", integer=True, positive=True)
_WINS = Eq(time_to_learn(m2) / time_to_learn(m1), sqrt(m1) / sqrt(m2), evaluate=False)


def who_wins() -> Derivation:
    """Derive that the pathway shared by more contexts learns first, faster by the root of the ratio."""
    used = tuple(Eq(_TIME.lhs.subs(m, each), _TIME.rhs.subs(m, each), evaluate=False) for each in (m2, m1))
    replaced = used[0].rhs / used[1].rhs
    steps = [
        Step(_WINS.lhs, "the two times, from the same output to the same output", "definition"),
        Step(replaced, "the time to learn", "cite", used, (LEARNING_TIME.id, LEARNING_TIME.id)),
    ]
    if replaced != _WINS.rhs:
        steps.append(Step(_WINS.rhs, "all but the number of contexts cancels", "identity"))
    return Derivation("race.sharing.wins", _WINS, tuple(steps))


def _ratio_by_the_flow(point: Point, digits: int) -> mpf:
    with mpmath.workdps(digits + 30):
        at = values(point)
        return _seconds(int(point[m2]), at, digits) / _seconds(int(point[m1]), at, digits)


WINS = Claim(
    id="race.sharing.wins",
    title="How much sharing speeds up a pathway",
    protocol=r"A pathway that $m_1$ contexts share learns $\sqrt{m_1/m_2}$ times as fast as one that $m_2$ share",
    kind=Kind.EQUATION,
    statement=_WINS,
    params=(
        Param(m1, Range(1, 6), "contexts that share the first pathway", (Integer(1), Integer(4))),
        Param(m2, Range(1, 6), "contexts that share the second pathway", (Integer(1),)),
        _PROBABILITY,
        STRENGTH,
        *_OUTPUTS,
    ),
    conditions=(*_IN_ORDER, m1 * P <= 1, m2 * P <= 1),
    assumptions=(
        r"two pathways without a weight in common, shared by $m_1$ and by $m_2$ contexts; every context has the same "
        r"probability $P$ and the target $s$; each pathway learns alone",
        r"both start balanced from the same output $w_0$; the times are those to the same output $w_1$",
    ),
    oracle=_ratio_by_the_flow,
    derive=who_wins,
    drawn=3,
    unchecked={
        Level.EXACT: "a time has no value in fractions",
        Level.FLOATING: "the library integrates the flow; the formula is one line, for the page",
    },
)

CLAIMS = (GROWTH, LEARNING_TIME, WINS)
