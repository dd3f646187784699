"""Gradient flow of gated networks, row by row: neural path kernel, Propositions 3.2 and 4.1."""

from collections.abc import Callable
from fractions import Fraction

import sympy
from sympy import Eq, Symbol

from theory.claims.areas.path._networks import SMALL, SOFT, Dual, derivative
from theory.claims.documents import NEURAL_PATH_KERNEL
from theory.claims.model import Claim, Kind, Level, Param
from theory.claims.rational import rational_by_name
from theory.claims.sources import Says, Source

x, y, u, r, a, b, g, h, s, t = sympy.symbols("x y u r a b g h s t", real=True)

_ERRORS = (r * g * u * x - a, r * h * u * y - b)
_WEIGHT = -(r * g * x * _ERRORS[0] + r * h * y * _ERRORS[1])
_OWN = x**2 * (g**2 * (u**2 + r**2) + (u * r * s * x) ** 2)
_BETWEEN = x * y * (g * h * (u**2 + r**2) + u**2 * r**2 * s * t * x * y)
_RATE = -_OWN * _ERRORS[0] - _BETWEEN * _ERRORS[1]

_PARAMS = tuple(
    Param(own, sympy.S.Reals, doc, likely=likely)
    for own, doc, likely in (
        (x, "input 1", SMALL),
        (y, "input 2", SMALL),
        (a, "label of input 1", SMALL),
        (b, "label of input 2", SMALL),
        (u, "weight of layer 1", SMALL),
        (r, "weight of the last layer", SMALL),
        (g, "gate on input 1", SOFT),
        (h, "gate on input 2", SOFT),
    )
)
_SLOPES = tuple(
    Param(own, sympy.S.Reals, f"slope of the gate on input {of} by its pre-activation", likely=SMALL)
    for own, of in ((s, 1), (t, 2))
)
_NETWORK = r"two inputs, one input node, one hidden node, one output; the loss is half the sum of the squared errors"
_UNCHECKED = {
    Level.SYMBOLIC: "differences of polynomials of the second degree in a weight are exact",
    Level.FLOATING: "the library has the kernels of this network, and evaluates no velocity",
}


def _errors(at: dict[str, Fraction], first: Fraction, last: Fraction, gating: Fraction) -> list[Fraction]:
    """The errors, where the weight of the gate is `gating` away from the one at which gates and slopes are given."""
    found = []
    for given, gate, slope, label in (("x", "g", "s", "a"), ("y", "h", "t", "b")):
        opened = at[gate] + at.get(slope, Fraction(0)) * at[given] * gating
        found.append(last * opened * first * at[given] - at[label])
    return found


def _moved(at: dict[str, Fraction]) -> Callable[[int, int], list[Fraction]]:
    """The errors with the weight of this number, of (u, r, f), moved by one step."""

    def errors(which: int, by: int) -> list[Fraction]:
        steps = [by * (which == number) for number in range(3)]
        return _errors(at, at["u"] + steps[0], at["r"] + steps[1], Fraction(steps[2]))

    return errors


def _downhill(at: dict[str, Fraction], which: int) -> Fraction:
    """Minus the slope of the loss, which has the second degree in each weight."""
    errors = _moved(at)
    losses = (sum(error**2 for error in errors(which, by)) / 2 for by in (-1, 1))
    before, after = losses
    return (before - after) / 2


def _by_descent(at: dict[str, Fraction]) -> Fraction:
    errors = _moved(at)
    return sum(
        ((errors(which, 1)[0] - errors(which, 0)[0]) * _downhill(at, which) for which in range(3)), start=Fraction(0)
    )


WEIGHTS = Claim(
    id="path.learned.weights",
    title="A weight moves against the sum of its slopes times the errors",
    kind=Kind.EQUATION,
    statement=Eq(Symbol(r"\dot{u}", real=True), _WEIGHT, evaluate=False),
    params=_PARAMS,
    assumptions=(f"{_NETWORK}; $u$ is the weight of the first layer, and gates do not depend on it",),
    sources=(
        Source(NEURAL_PATH_KERNEL, "Proposition 3.2", printed=_WEIGHT, note="the first row"),
        Source(
            NEURAL_PATH_KERNEL,
            "Proposition 4.1",
            printed=_WEIGHT,
            says=Says.READ_AS,
            words=r"$\dot{\Theta}_t^V$ same as (DNFPL)",
            note=r"the copy leaves the cell for learned gates empty; read as $\dot\Theta^V = -\sum_s \psi^V_{x_s} "
            r"e(s)$, as in Proposition 3.2",
        ),
    ),
    **rational_by_name(lambda at: _downhill(at, 0)),
    drawn=10,
    unchecked=_UNCHECKED,
)

ERRORS = Claim(
    id="path.learned.errors",
    title=r"With learned gates the errors obey $\dot e = -(K^V + K^F) e$",
    kind=Kind.EQUATION,
    statement=Eq(Symbol(r"\dot{e}_1", real=True), _RATE, evaluate=False),
    params=(*_PARAMS, *_SLOPES),
    assumptions=(
        _NETWORK,
        "the gate has a weight of its own, by which its pre-activation has the slope of the input",
        r"of the factors of the errors, the terms with slopes of gates are the entries of $K^F$, the others those of "
        "$K^V$",
    ),
    sources=(
        Source(
            NEURAL_PATH_KERNEL,
            "Proposition 4.1",
            printed=_RATE,
            note=r"the last row for learned gates; with $s = t = 0$ that for fixed ones",
        ),
    ),
    **rational_by_name(_by_descent),
    drawn=10,
    unchecked=_UNCHECKED,
)

g1, g2, a1, a2, b1, b2, v1, v2 = sympy.symbols("g1 g2 a1 a2 b1 b2 v1 v2", real=True)
_CHANGE = x * ((a1 * g2 + g1 * a2) * v1 + (b1 * g2 + g1 * b2) * v2)


def _feature(at: dict[str, Fraction]) -> Fraction:
    def value(time: list[Dual]) -> Dual:
        first, second = (
            Dual(at[f"g{k}"]) + Dual(at[f"a{k}"] * at["v1"] + at[f"b{k}"] * at["v2"]) * time[0] for k in (1, 2)
        )
        return Dual(at["x"]) * first * second

    return derivative(value, [Fraction(0)], 0)


FEATURE = Claim(
    id="path.learned.feature",
    title="The velocity of a path feature with learned gates",
    protocol="With learned gates a path feature moves by the slopes of its activity times the velocities of the "
    "weights",
    kind=Kind.EQUATION,
    statement=Eq(Symbol(r"\dot{\phi}(p)", real=True), _CHANGE, evaluate=False),
    params=(
        Param(x, sympy.S.Reals, "input", likely=SMALL),
        *(Param(own, sympy.S.Reals, "gate of the path", likely=SOFT) for own in (g1, g2)),
        *(Param(own, sympy.S.Reals, "slope of a gate by the first weight", likely=SMALL) for own in (a1, a2)),
        *(Param(own, sympy.S.Reals, "slope of a gate by the second weight", likely=SMALL) for own in (b1, b2)),
        *(Param(own, sympy.S.Reals, "velocity of a weight of the gating network", likely=SMALL) for own in (v1, v2)),
    ),
    assumptions=("a path through two hidden levels; its gates depend on two weights of the gating network",),
    sources=(
        Source(
            NEURAL_PATH_KERNEL,
            "Proposition 4.1",
            printed=_CHANGE,
            note="the second row for learned gates; with fixed ones the velocities are 0",
        ),
    ),
    **rational_by_name(_feature),
    drawn=10,
    unchecked={
        Level.SYMBOLIC: "the product rule for one monomial; dual numbers give it exactly",
        Level.FLOATING: "the library has features at given times, and evaluates no velocity",
    },
)

CLAIMS = (WEIGHTS, ERRORS, FEATURE)
