r"""Two pathways through one shared weight: the race in its smallest form, for any data and any gates.

The output is b (a_1 g_1 + a_2 g_2) x with gates g_j(x), so that with S_j = <g_j x y> and D_jl = <g_j g_l x x>

    tau db/dt = sum_j a_j (S_j - b sum_l a_l D_jl),   tau da_j/dt = b (S_j - b sum_l a_l D_jl):

each weight adds up what remains to be learned over the paths that pass it, times the other weights of the path. The
flow of any graph is derived in this form by `theory.flow.graph`.
"""

from fractions import Fraction

import sympy
from sympy import Derivative, Eq, IndexedBase, Integer, Interval, Rational, Sum, Tuple

from theory.claims import finite_data, reasons
from theory.claims.literature import NEURAL_RACE
from theory.claims.model import Claim, Kind, Level, Param, Point
from theory.claims.parameters import TIME_CONSTANT
from theory.claims.points import exact_values
from theory.claims.rational import rational
from theory.expressions.symbols import tau
from theory.proof.derivation import Derivation, Step

a1, a2, b = sympy.symbols("a1 a2 b", real=True)
S1, S2 = sympy.symbols("S1 S2", real=True)
D11, D12, D22 = sympy.symbols("D11 D12 D22", nonnegative=True)
shared_dot, own_dot = sympy.symbols(r"\dot{b} \dot{a}_1", real=True)

_REST_1, _REST_2 = S1 - b * (a1 * D11 + a2 * D12), S2 - b * (a1 * D12 + a2 * D22)
_SHARED = Eq(shared_dot, (a1 * _REST_1 + a2 * _REST_2) / tau, evaluate=False)
_OWN = Eq(own_dot, b * _REST_1 / tau, evaluate=False)

mu, samples = sympy.symbols("mu N", integer=True, positive=True)
p, x, y, g, h = (IndexedBase(name) for name in ("p", "x", "y", "g", "h"))


def _mean(of_a_sample: sympy.Expr) -> Sum:
    return Sum(p[mu] * of_a_sample, (mu, 1, samples))


_LOSS = _mean((y[mu] - b * (a1 * g[mu] + a2 * h[mu]) * x[mu]) ** 2) / 2
_AVERAGES = (
    Tuple(S1, _mean(g[mu] * x[mu] * y[mu])),
    Tuple(S2, _mean(h[mu] * x[mu] * y[mu])),
    Tuple(D11, _mean(g[mu] * g[mu] * x[mu] * x[mu])),
    Tuple(D12, _mean(g[mu] * h[mu] * x[mu] * x[mu])),
    Tuple(D22, _mean(h[mu] * h[mu] * x[mu] * x[mu])),
)


def _velocity(name: str, weight: sympy.Symbol, statement: Eq) -> Derivation:
    velocity = tau * statement.lhs
    steps = (
        Step(
            Eq(velocity, -Derivative(_LOSS, weight, evaluate=False), evaluate=False),
            r"gradient flow of $L = \langle (y - \hat y)^2 \rangle/2$",
            "definition",
        ),
        Step(Eq(velocity, -_LOSS.diff(weight), evaluate=False), "the chain rule", "gradient", (weight,)),
        Step(
            Eq(velocity, tau * statement.rhs, evaluate=False),
            r"the averages are $S_j = \langle g_j x y \rangle$ and $D_{jl} = \langle g_j g_l x^2 \rangle$",
            "average",
            _AVERAGES,
        ),
        Step(statement, r"divide by $\tau > 0$", "rescale", (1 / tau,)),
    )
    return Derivation(name, statement, steps)


def shared_weight() -> Derivation:
    """Derive the velocity of the weight that both paths pass."""
    return _velocity("race.path.shared", b, _SHARED)


def own_weight() -> Derivation:
    """Derive the velocity of the weight that the first path alone passes."""
    return _velocity("race.path.own", a1, _OWN)


def _velocities(point: Point) -> list[Fraction]:
    """-dL/d(b, a_1, a_2)/tau on inputs x = 1 that open one gate or both, with the moments of the point."""
    at = exact_values(point)
    only_first, only_second = at["D11"] - at["D12"], at["D22"] - at["D12"]
    data = (
        (only_first, 1, 0, at["S1"] / only_first),
        (only_second, 0, 1, at["S2"] / only_second),
        (at["D12"], 1, 1, Fraction(0)),
    )

    def loss(weights: finite_data.Vector) -> Fraction:
        shared, first, second = weights
        return sum(share * (label - shared * (first * one + second * two)) ** 2 for share, one, two, label in data) / 2

    downhill = finite_data.gradient(loss, [at["b"], at["a1"], at["a2"]])
    return [-entry / at["tau"] for entry in downhill]


_PARAMS = (
    *(Param(weight, Interval(-3, 3), "weight of the path alone") for weight in (a1, a2)),
    Param(b, Interval(-3, 3), "weight that both paths pass"),
    *(Param(S, Interval(-2, 2), rf"$\langle g_{j} x y \rangle$", (Integer(0),)) for j, S in ((1, S1), (2, S2))),
    *(Param(D, Interval.open(0, Rational(1, 2)), rf"$\langle g_{j}^2 x^2 \rangle$") for j, D in ((1, D11), (2, D22))),
    Param(D12, Interval(0, Rational(1, 4)), r"$\langle g_1 g_2 x^2 \rangle$", (Integer(0),)),
    TIME_CONSTANT,
)
_DATA_EXIST = (D12 + Rational(1, 64) < D11, D12 + Rational(1, 64) < D22)
_ASSUMED = (
    r"$\hat y = b (a_1 g_1 + a_2 g_2) x$ with one input, gates $g_j$ of values 0 and 1 that do not depend on the "
    r"weights, and $L = \langle (y - \hat y)^2 \rangle/2$",
)
_NOT_RUN = {Level.FLOATING: reasons.FINITE_DATA}

SHARED = Claim(
    id="race.path.shared",
    known=NEURAL_RACE,
    title="The velocity of a weight that two pathways share: the sum of both pathways' gradients",
    kind=Kind.EQUATION,
    statement=_SHARED,
    params=_PARAMS,
    conditions=_DATA_EXIST,
    assumptions=_ASSUMED,
    **rational(lambda point: _velocities(point)[0]),
    derive=shared_weight,
    unchecked=_NOT_RUN,
)
OWN = Claim(
    id="race.path.own",
    known=NEURAL_RACE,
    title="The velocity of a weight that one of two pathways passes",
    kind=Kind.EQUATION,
    statement=_OWN,
    params=_PARAMS,
    conditions=_DATA_EXIST,
    assumptions=_ASSUMED,
    **rational(lambda point: _velocities(point)[1]),
    derive=own_weight,
    unchecked=_NOT_RUN,
)

CLAIMS = (SHARED, OWN)
