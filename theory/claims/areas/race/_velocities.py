"""The reduction of the routing network: the velocities of both strengths of a mode, and the persistence of alignment.

The claims belong to `race.routing`.
"""

from collections.abc import Callable
from fractions import Fraction

import sympy
from sympy import Derivative, Eq, IndexedBase, Sum, Tuple

from theory.claims.areas.race._matrices import aligned_velocities
from theory.claims.areas.race._symbols import (
    ALIGNED,
    DOMAINS,
    DRAWN,
    ENDS,
    NO_MORE_PARTNERS,
    PARTNERS,
    PROBABILITY,
    ROUTING,
    SHARED,
    STRENGTH,
    WHITE,
    M,
    P,
    b1,
    b2,
    s,
)
from theory.claims.literature import NEURAL_RACE
from theory.claims.model import Claim, Kind, Level, Point
from theory.claims.parameters import TIME_CONSTANT
from theory.claims.points import exact_values
from theory.claims.rational import rational
from theory.expressions.symbols import K, tau
from theory.flow.graph.solutions.routing import RoutingMode
from theory.proof.derivation import Derivation, Step

ends_dot, shared_dot = sympy.symbols(r"\dot{b}_1 \dot{b}_2", real=True)
ENDS_FLOW = Eq(ends_dot, K * P * b1 * b2 * (s - b1**2 * b2) / tau, evaluate=False)
SHARED_FLOW = Eq(shared_dot, K * M * P * b1**2 * (s - b1**2 * b2) / tau, evaluate=False)

# One mode of the unreduced network: encoders a_i, shared b_2, decoders c_o, and the table T_io of trained pairs.
i, o = sympy.symbols("i o", integer=True, positive=True)
a, table = IndexedBase("a"), IndexedBase("T")
a_dot = sympy.Symbol(r"\dot{a}_i", real=True)
pairs = sympy.Symbol("N", positive=True)


def _from_the_loss(
    name: str, moving: sympy.Expr, loss: sympy.Expr, rate: sympy.Expr, steps: Callable[[sympy.Eq], tuple[Step, ...]]
) -> Derivation:
    """Descend the loss by one weight, then take `steps` from the velocity to the statement."""
    dot = a_dot if moving == a[i] else shared_dot
    start = Eq(tau * dot, -Derivative(loss, moving, evaluate=False), evaluate=False)
    velocity = Eq(tau * dot, rate, evaluate=False)
    first = Step(start, r"gradient flow with time constant $\tau$, all decoders at $b_1$", "definition")
    chain = (first, Step(velocity, "the chain rule", "gradient", (moving,)), *steps(velocity))
    return Derivation(name, chain[-1].expr, chain)


def ends_velocity() -> Derivation:
    """Derive the velocity of an encoder; a decoder has the same, as the loss is the same under their exchange."""
    loss = P / 2 * Sum(table[i, o] * (s - b1 * b2 * a[i]) ** 2, (o, 1, M), (i, 1, M))
    rate = P * Sum(table[i, o] * b1 * b2 * (s - b1 * b2 * a[i]), (o, 1, M))

    def steps(velocity: sympy.Eq) -> tuple[Step, ...]:
        aligned = velocity.subs({a_dot: ends_dot, a[i]: b1})
        counted = Eq(tau * ends_dot, K * P * b1 * b2 * (s - b1**2 * b2), evaluate=False)
        return (
            Step(aligned, "at the aligned weights", "stack", (Tuple(Tuple(a_dot, ends_dot), Tuple(a[i], b1)),)),
            Step(
                counted,
                "input $i$ is trained with $K$ outputs",
                "average",
                (Tuple(K, Sum(table[i, o], (o, 1, M))),),
            ),
            Step(ENDS_FLOW, r"divide by $\tau > 0$", "rescale", (1 / tau,)),
        )

    return _from_the_loss("race.routing.ends", a[i], loss, rate, steps)


def shared_velocity() -> Derivation:
    """Derive the velocity of the shared weight: it is in the output of every trained pair."""
    loss = P / 2 * Sum(table[i, o] * (s - b1**2 * b2) ** 2, (o, 1, M), (i, 1, M))
    rate = P * Sum(table[i, o] * b1**2 * (s - b1**2 * b2), (o, 1, M), (i, 1, M))

    def steps(_velocity: sympy.Eq) -> tuple[Step, ...]:
        counted = Eq(tau * shared_dot, pairs * P * b1**2 * (s - b1**2 * b2), evaluate=False)
        each = Eq(tau * shared_dot, K * M * P * b1**2 * (s - b1**2 * b2), evaluate=False)
        total = Tuple(pairs, Sum(table[i, o], (o, 1, M), (i, 1, M)))
        return (
            Step(counted, "$N$ pairs are trained", "average", (total,)),
            Step(each, "$M$ inputs with $K$ outputs each: $N = M K$", "substitute", (Tuple(pairs, K * M),)),
            Step(SHARED_FLOW, r"divide by $\tau > 0$", "rescale", (1 / tau,)),
        )

    return _from_the_loss("race.routing.shared", b2, loss, rate, steps)


def _velocity(name: str) -> Callable[[Point], Fraction]:
    """The first entry of the turned velocity of a weight, over tau."""

    def definition(point: Point) -> Fraction:
        at = exact_values(point)
        return aligned_velocities(at)[name][0][0] / at["tau"]

    return definition


def mode_of(at: dict[str, float], strength: float) -> RoutingMode:
    """Return the library's mode with the numbers of a point."""
    return RoutingMode(int(at["M"]), int(at["K"]), strength, at["P"], at.get("tau", 1.0))


NETWORK = (DOMAINS, PARTNERS, PROBABILITY)
_AT = (*NETWORK, TIME_CONSTANT, STRENGTH, ENDS, SHARED)
ASSUMED = (ROUTING, WHITE)

ENDS_VELOCITY = Claim(
    id="race.routing.ends",
    known=NEURAL_RACE,
    title="The velocity of the encoders and decoders of a routing network, in one mode",
    kind=Kind.EQUATION,
    statement=ENDS_FLOW,
    params=_AT,
    conditions=(NO_MORE_PARTNERS, DRAWN),
    assumptions=(*ASSUMED, ALIGNED),
    **rational(_velocity("E0")),
    derive=ends_velocity,
    numeric=lambda **at: mode_of(at, at["s"]).velocities(at["b1"], at["b2"])[0],
)
SHARED_VELOCITY = Claim(
    id="race.routing.shared",
    known=NEURAL_RACE,
    title="The velocity of the shared weights of a routing network, in one mode: $M$ times the gradient",
    kind=Kind.EQUATION,
    statement=SHARED_FLOW,
    params=_AT,
    conditions=(NO_MORE_PARTNERS, DRAWN),
    assumptions=(*ASSUMED, ALIGNED),
    **rational(_velocity("W")),
    derive=shared_velocity,
    numeric=lambda **at: mode_of(at, at["s"]).velocities(at["b1"], at["b2"])[1],
)


def _largest_departure(point: Point) -> Fraction:
    """The largest deviation of the velocities of the aligned network from the aligned form.

    The turned velocities must be diagonal, and the same for all encoders and decoders.
    """
    found = aligned_velocities(exact_values(point))
    beside = [abs(matrix[row][1 - row]) for matrix in found.values() for row in (0, 1)]
    alike = [
        abs(matrix[row][row] - found["E0"][row][row]) for name, matrix in found.items() if name != "W" for row in (0, 1)
    ]
    return max(*beside, *alike)


# With diagonal velocities of B_1 and B_2, which are those of one encoder and of W.
_departure = sympy.Symbol(
    r"\max_{i, o} \left(\lvert \dot{E}_i - R \dot{B}_1 V_i^{\top} \rvert, "
    r"\lvert \dot{W} - Q \dot{B}_2 R^{\top} \rvert, "
    r"\lvert \dot{D}_o - U_o \dot{B}_1 Q^{\top} \rvert\right)",
    nonnegative=True,
)

INVARIANT = Claim(
    id="race.routing.aligned",
    title="Aligned weights of a routing network stay aligned: the largest departure of their velocities is 0",
    kind=Kind.EQUATION,
    statement=Eq(_departure, 0, evaluate=False),
    params=(*NETWORK, STRENGTH, ENDS, SHARED),
    conditions=(NO_MORE_PARTNERS, DRAWN),
    assumptions=(
        *ASSUMED,
        r"the weights are $E_i = R B_1 V_i^\top$, $W = Q B_2 R^\top$, $D_o = U_o B_1 Q^\top$ with diagonal $B_1$, "
        r"$B_2$, whose velocities are diagonal too, and the pair $(i, o)$ has "
        r"$\langle y x^\top \rangle = U_o S V_i^\top$",
    ),
    **rational(_largest_departure),
    drawn=4,
    unchecked={
        Level.SYMBOLIC: "the derivations of `race.routing.ends` and `race.routing.shared` are of one mode; here two "
        "modes with rational rotations are enumerated",
        Level.FLOATING: "the library takes the reduced equations, whose condition this is",
    },
)
