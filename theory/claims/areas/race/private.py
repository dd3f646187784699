r"""The race of a pathway that m contexts share against a private pathway of each of them.

The output in context j is a_j b + c_j d_j and its target s; every context has the probability P. So L = (P/2) sum_j (s
- a_j b - c_j d_j)^2: both pathways have the same error, and the shared pathway learns faster from it.
"""

import mpmath
import sympy
from mpmath import mpf
from sympy import Eq, Integer, Interval, Range, Rational, Tuple, log, sqrt

from theory.claims import reasons
from theory.claims.areas.race._symbols import PROBABILITY, STRENGTH, P
from theory.claims.model import Claim, Kind, Level, Param, Point
from theory.claims.parameters import TIME
from theory.claims.points import values
from theory.claims.unreduced import at_time, ball, race
from theory.expressions.symbols import t, tau
from theory.proof.derivation import Derivation, Step

m = sympy.Symbol("m", integer=True, positive=True)
w0 = sympy.Symbol("w0", positive=True)
a, c, v, w = (sympy.Function(name, positive=True) for name in "acvw")
error = sympy.Function("e", real=True)
q = sympy.Function("q")
_KEPT = Eq(q(t), (1 - 1 / sqrt(m)) * log(w0), evaluate=False)


def private_strength() -> Derivation:
    """Derive that log v - log(w)/sqrt(m) is conserved for any time course of the error."""
    weights = Tuple(
        Eq(tau * a(t).diff(t), P * sqrt(m) * a(t) * error(t), evaluate=False),
        Eq(tau * c(t).diff(t), P * c(t) * error(t), evaluate=False),
    )
    strengths = Tuple(
        Eq(tau * w(t).diff(t), 2 * P * sqrt(m) * w(t) * error(t), evaluate=False),
        Eq(tau * v(t).diff(t), 2 * P * v(t) * error(t), evaluate=False),
    )
    steps = (
        Step(
            weights,
            r"$\tau\, da/dt = P b e$ with $b = \sqrt{m} a$ and $\tau\, dc/dt = P d e$ with $d = c$, which the flow "
            r"keeps; $e = s - a b - c d$ is the error of every context",
            "definition",
        ),
        Step(
            strengths,
            r"the strengths $w = a b$ and $v = c d$",
            "change-of-unknowns",
            (Tuple(w(t), sqrt(m) * a(t) ** 2), Tuple(v(t), c(t) ** 2)),
        ),
        Step(
            Eq(q(t).diff(t), 0, evaluate=False),
            r"the error cancels in $q = \log v - (\log w)/\sqrt{m}$",
            "change-of-unknowns",
            (Tuple(q(t), log(v(t)) - log(w(t)) / sqrt(m)),),
        ),
        Step(_KEPT, r"what does not change keeps its start, $v = w = w_0$", "solve-ode", (t, Tuple(q(t), _KEPT.rhs))),
    )
    return Derivation("race.private.strength", _KEPT, steps)


def _kept_by_the_flow(point: Point, digits: int) -> mpf:
    """log v - log(w)/sqrt(m) of the unreduced flow at the point's time."""
    contexts = int(point[m])
    with mpmath.workdps(digits + 30):
        at = values(point)
        readout, half = mpmath.sqrt(at["w0"] / mpmath.sqrt(contexts)), ball(mpmath.sqrt(at["w0"]))
        start = [*[ball(readout)] * contexts, ball(at["w0"] / readout), *[half] * (2 * contexts)]
        given = ball(at["s"]), ball(at["P"])
        end = at_time(race(contexts), given, start, ball(at["t"] / at["tau"]), digits + 10)
        shared, private = end[0] * end[contexts], end[contexts + 1] * end[2 * contexts + 1]
        return mpmath.log(private) - mpmath.log(shared) / mpmath.sqrt(contexts)


STRENGTH_OF_PRIVATE = Claim(
    id="race.private.strength",
    title="The strength of a private pathway beside a shared one",
    protocol=r"Beside a pathway of strength $w$ that $m$ contexts share, a private one has $v = w_0 "
    r"(w/w_0)^{1/\sqrt{m}}$",
    kind=Kind.EQUATION,
    statement=_KEPT,
    params=(
        Param(m, Range(2, 6), "number of contexts that share the weight", (Integer(5),)),
        Param(P, PROBABILITY.domain, "probability of each context", likely=PROBABILITY.likely),
        STRENGTH,
        Param(tau, Interval.open(0, sympy.oo), "time constant", (Integer(50),), likely=Interval(Rational(1, 2), 4)),
        Param(t, TIME.domain, TIME.doc, (Integer(0),), likely=Interval(0, 20)),
        Param(w0, Interval.open(0, Rational(1, 2)), "strength of both pathways at $t = 0$", (Rational(1, 100),)),
    ),
    conditions=(m * P <= 1,),
    assumptions=(
        r"$m$ contexts of probability $P$ each; context $j$ has the output $(a_j b + c_j d_j) x$, the target $s x$, "
        r"and $\langle x^2 \rangle = 1$; $L = \langle (y - \hat y)^2 \rangle/2$",
        r"both pathways start balanced, with $b = \sqrt{m} a_j$ and $c_j = d_j$, from the same strength $w_0$",
        r"$q = \log v - (\log w)/\sqrt{m}$ with the strengths $w = a_j b$ and $v = c_j d_j$",
    ),
    oracle=_kept_by_the_flow,
    derive=private_strength,
    drawn=3,
    unchecked={
        Level.EXACT: reasons.EXPONENTIALS,
        Level.FLOATING: "the library integrates the flow; the formula is one line, for the page",
    },
)

CLAIMS = (STRENGTH_OF_PRIVATE,)
