"""What follows from the definitions of the notes: gated forms of one network, gates of a half-space, the rest point.

Localization notes, eq. (2), (3), (12), (17); small-bump note, eq. (1)-(3).
"""

from collections.abc import Callable, Sequence
from fractions import Fraction

import mpmath
import sympy
from mpmath import mpf
from sympy import Eq, FiniteSet, Integer, Interval, Max, Piecewise, Range, Rational, Sum, Tuple, oo

import theory.proof.rules.cases  # noqa: F401 - it registers the rules named below
from theory.claims import finite_data, reasons
from theory.claims.areas.flow import BUMP_NOTE, NOTES, UNITS, exact_values, values
from theory.claims.areas.least_squares import LOSS_VALUE
from theory.claims.float_flow import float64_flow
from theory.claims.model import Claim, Kind, Level, Param, Point, Source
from theory.expressions.symbols import K, n, t, tau
from theory.flow.derive import gates
from theory.flow.derive.gradient import entry, reading
from theory.proof.derivation import Derivation, Step
from theory.proof.rules import quadratic as rules_quadratic  # noqa: F401 - the rules named below

Number = mpf | Fraction

h = sympy.Symbol("h", real=True)
w11, w12, w21, w22, x1, x2 = sympy.symbols("w11 w12 w21 w22 x1 x2", real=True)
g1, g2 = sympy.symbols("g1 g2", real=True)
output = sympy.Symbol(r"\hat{y}", real=True)
at_site = sympy.Symbol("x_i", real=True)
TINY = Rational(1, 2**40)
_HALF = Rational(1, 2)


def is_open(value: sympy.Expr) -> sympy.Expr:
    """The indicator 1[value >= 0]."""
    return Piecewise((1, value >= 0), (0, True))


def _both(definition: Callable[[dict[str, Number]], Number]) -> dict[str, Callable]:
    """The oracle and the exact level of a definition that needs only arithmetic."""

    def precise(point: Point, digits: int) -> mpf:
        with mpmath.workdps(digits + 10):
            return mpf(1) * definition(values(point))

    return {"oracle": precise, "exact": lambda point: Fraction(definition(exact_values(point)))}


def _relu(value: Number) -> Number:
    """max(value, 0), by comparison."""
    return value if value > 0 else value * 0


# (2): ReLU(h) = 1(h >= 0) h


def _derive_relu() -> Derivation:
    result = Eq(Max(h, 0), is_open(h) * h, evaluate=False)
    steps = (
        Step(result.lhs, "ReLU(h) = max(h, 0)", "definition"),
        Step(result.rhs, "h > 0, h = 0 (both sides vanish) and h < 0", "cases", (h,)),
    )
    return Derivation("model.relu.gating", result, steps)


RELU = Claim(
    id="model.relu.gating",
    title="A ReLU is a gate times its argument, at 0 as well",
    kind=Kind.EQUATION,
    statement=Eq(Max(h, 0), is_open(h) * h, evaluate=False),
    params=(Param(h, Interval(-oo, oo), "pre-activation <w_1, x>", (Integer(0), TINY, -TINY)),),
    sources=(Source(NOTES, "(2)", printed=is_open(h) * h, note="at h = 0 the gate's value does not matter"),),
    **_both(lambda at: _relu(at["h"])),
    derive=_derive_relu,
    unchecked={Level.FLOATING: reasons.NO_NETWORK},
)

# (3) from (1) and (2): the mean of ReLUs is a gated linear network


def _mean_of_relus(at: dict[str, Number]) -> Number:
    rows = ((at["w11"], at["w12"]), (at["w21"], at["w22"]))
    return sum(_relu(row[0] * at["x1"] + row[1] * at["x2"]) for row in rows) / 2


_DRIVES = (w11 * x1 + w12 * x2, w21 * x1 + w22 * x2)
_GATED_SUM = (
    (is_open(_DRIVES[0]) * w11 + is_open(_DRIVES[1]) * w21) * x1
    + (is_open(_DRIVES[0]) * w12 + is_open(_DRIVES[1]) * w22) * x2
) / 2


def _derive_as_gated() -> Derivation:
    first, second = sympy.symbols("h_1 h_2", real=True)
    result = Eq(output, _GATED_SUM, evaluate=False)
    gated = Eq(output, (is_open(first) * first + is_open(second) * second) / 2, evaluate=False)
    by_units = sum(is_open(drive) * drive for drive in _DRIVES) / 2
    steps = (
        Step(
            Eq(output, (Max(first, 0) + Max(second, 0)) / 2, evaluate=False),
            "(1) with W_2 = (1/2, 1/2) and no biases, for two units",
            "definition",
        ),
        Step(gated, "each ReLU is a gate times its argument", "cases", (first, second)),
        Step(
            Eq(output, by_units, evaluate=False),
            "h_k = w_k.x for two inputs",
            "substitute",
            (Tuple(first, _DRIVES[0]), Tuple(second, _DRIVES[1])),
        ),
        Step(result, "collect by inputs", "identity"),
    )
    return Derivation("model.relu.as_gated", result, steps)


_WEIGHTS = tuple(Param(symbol, Interval(-3, 3), "weight") for symbol in (w11, w12, w21, w22))
_INPUTS = tuple(Param(symbol, Interval(-3, 3), "input", (Integer(0),)) for symbol in (x1, x2))

RELU_AS_GATED = Claim(
    id="model.relu.as_gated",
    title="The mean of ReLU units is the gated linear network of (3), with gates that depend on the weights",
    kind=Kind.EQUATION,
    statement=Eq(output, _GATED_SUM, evaluate=False),
    params=(*_WEIGHTS, *_INPUTS),
    assumptions=("two units, two inputs, no biases; (3) then holds the gates fixed, which a ReLU does not",),
    sources=(Source(NOTES, "(3)", printed=_GATED_SUM, note="with g_k(x) = 1[w_k.x >= 0] of (2)"),),
    **_both(_mean_of_relus),
    derive=_derive_as_gated,
    cites=("model.relu.gating",),
    unchecked={Level.FLOATING: reasons.NO_NETWORK},
)

# (3), (12), (17): one network in three forms


def _gated_output(at: dict[str, Number]) -> Number:
    """Unit by unit: an open gate adds w_k.x, a closed one nothing; half the sum."""
    total = at["x1"] * 0
    for gate, row in ((at["g1"], ("w11", "w12")), (at["g2"], ("w21", "w22"))):
        if gate:
            total += at[row[0]] * at["x1"] + at[row[1]] * at["x2"]
    return total / 2


_BY_ROWS = ((g1 * w11 + g2 * w21) * x1 + (g1 * w12 + g2 * w22) * x2) / 2
_BY_GATED_INPUT = (w11 * (g1 * x1) + w12 * (g1 * x2) + w21 * (g2 * x1) + w22 * (g2 * x2)) / 2
_BY_BILINEAR_FORM = (g1 * (w11 * x1 + w12 * x2) + g2 * (w21 * x1 + w22 * x2)) / 2


def _derive_forms() -> Derivation:
    result = Eq(output, _BY_GATED_INPUT, evaluate=False)
    steps = (
        Step(Eq(output, _BY_ROWS, evaluate=False), "(3) for two units and two inputs", "definition"),
        Step(Eq(output, _BY_BILINEAR_FORM, evaluate=False), "unit by unit: g~^T W_1 x/K", "identity"),
        Step(result, "w.x~/K with x~ = g~ (x) x, the Kronecker product", "identity"),
    )
    return Derivation("model.gated.forms", result, steps)


_GATE = FiniteSet(Integer(0), Integer(1))

FORMS = Claim(
    id="model.gated.forms",
    title="The gated network is linear in the gated input: yhat = w.x~/K = g~^T W_1 x/K with x~ = g~ (x) x",
    kind=Kind.EQUIVALENCE,
    statement=Eq(output, _BY_GATED_INPUT, evaluate=False),
    params=(
        Param(g1, _GATE, "gate of unit 1", (Integer(1),)),
        Param(g2, _GATE, "gate of unit 2", (Integer(1),)),
        *_WEIGHTS,
        *_INPUTS,
    ),
    assumptions=("two units, two inputs",),
    sources=(
        Source(NOTES, "(3)", printed=_BY_ROWS),
        Source(NOTES, "(4)", printed=_BY_BILINEAR_FORM, note="g~^T W_1 x/K"),
        Source(NOTES, "(12)", printed=_BY_GATED_INPUT, note="w.x~/K"),
        Source(NOTES, "(17)", printed=_BY_GATED_INPUT, note="x~ = g~ (x) x"),
        Source(BUMP_NOTE, "(1)", printed=_BY_ROWS),
    ),
    **_both(_gated_output),
    derive=_derive_forms,
    unchecked={Level.FLOATING: reasons.NO_NETWORK},
)

# small-bump (2), (3): the gates of a half-space and of its mirror image

_OPEN_GATES = sympy.Symbol("g_1 + g_2", real=True)
_COUNT = Piecewise((2, Eq(at_site, 0)), (1, True))


def _count_open(at: dict[str, Number]) -> Number:
    return sum(Fraction(1) for value in (at["x_i"], -at["x_i"]) if value >= 0)


def _derive_count() -> Derivation:
    result = Eq(_OPEN_GATES, _COUNT, evaluate=False)
    steps = (
        Step(Eq(_OPEN_GATES, is_open(at_site) + is_open(-at_site), evaluate=False), "(2) and (3)", "definition"),
        Step(result, "x_i > 0, x_i = 0 and x_i < 0", "cases", (at_site,)),
    )
    return Derivation("gate.small_bump.complement", result, steps)


COMPLEMENT = Claim(
    id="gate.small_bump.complement",
    title="The small-bump gates are complements except where x_i = 0: there both are open",
    kind=Kind.EQUATION,
    statement=Eq(_OPEN_GATES, _COUNT, evaluate=False),
    params=(Param(at_site, Interval(-oo, oo), "input at the gates' site", (Integer(0), TINY, -TINY)),),
    sources=(
        Source(
            BUMP_NOTE,
            "after (3)",
            printed=Integer(1),
            note="'So, g_1(x) = 1 - g_2(x)': not on {x_i = 0}, which has probability 0 for the nonlinear Gaussian "
            "process and is most of a single pulse of support {0, 1} (gate.small_bump.both_open)",
        ),
        Source(BUMP_NOTE, "(2)"),
        Source(BUMP_NOTE, "(3)"),
    ),
    **_both(_count_open),
    derive=_derive_count,
    unchecked={Level.FLOATING: "gates are counted, and a count is not rounded"},
)

# what that costs for a single pulse

shortest, longest, width = sympy.symbols("a b W", integer=True, positive=True)
_P_BOTH = sympy.Symbol("P(g_1 g_2 = 1)", real=True)
_OFF = 1 - (shortest + longest) / (2 * n)


def _share_of_zeros(at: dict[str, Number]) -> Number:
    """Every pulse of the ring: its start and its width are uniform; count those that leave site 0 at 0."""
    sites, widths = int(at["n"]), range(int(at["a"]), int(at["b"]) + 1)
    off = sum(
        0 not in {(start + step) % sites for step in range(length)} for length in widths for start in range(sites)
    )
    return Fraction(off, sites * len(widths))


def _derive_both_open() -> Derivation:
    total = Sum((1 - width / n) / (longest - shortest + 1), (width, shortest, longest))
    antidifference = (width - width * (width - 1) / (2 * n)) / (longest - shortest + 1)
    summed = antidifference.subs(width, longest + 1) - antidifference.subs(width, shortest)
    result = Eq(_P_BOTH, _OFF, evaluate=False)
    steps = (
        Step(
            Eq(_P_BOTH, total, evaluate=False),
            "a pulse of width W covers a site with probability W/n; where it does not, x_i = 0 and both gates are 1",
            "definition",
        ),
        Step(Eq(_P_BOTH, summed, evaluate=False), "an arithmetic series", "telescope", (Tuple(total, antidifference),)),
        Step(result, "algebra", "identity"),
    )
    return Derivation("gate.small_bump.both_open", result, steps)


BOTH_OPEN = Claim(
    id="gate.small_bump.both_open",
    title="For single pulses of support {0, 1} both small-bump gates are open with probability 1 - (a + b)/(2 n)",
    kind=Kind.EQUATION,
    statement=Eq(_P_BOTH, _OFF, evaluate=False),
    params=(
        Param(n, Range(8, 65), "sites of the ring", (Integer(40), Integer(64))),
        Param(shortest, Range(1, 5), "least width of the pulse", (Integer(3),)),
        Param(longest, Range(4, 9), "largest width", (Integer(4), Integer(8))),
    ),
    assumptions=("the width is uniform on a..b and the start uniform on the ring; there is no random flip",),
    sources=(
        Source(
            BUMP_NOTE,
            "after (6)",
            printed=Integer(0),
            note="'never both nonzero': true for continuous inputs; for these pulses <g_1 g_2 x x^T> = <x x^T> on "
            "{x_i = 0}. One closed and one open half-space, or support {-1, 1}, mends it",
        ),
    ),
    **_both(_share_of_zeros),
    derive=_derive_both_open,
    unchecked={Level.FLOATING: "gates are counted, and a count is not rounded"},
)

# (12): the flow comes to rest at K times the regression of y on the gated input

_a11, _a12, _a22, _b1, _b2 = (param.symbol for param in LOSS_VALUE.params)
_coefficient = sympy.Symbol("beta_1", real=True)
_first, _second = gates.w_first(oo), gates.w_second(oo)
_CRAMER = (_a22 * _b1 - _a12 * _b2) / (_a11 * _a22 - _a12**2)


def _four_samples(at: dict[str, Number]) -> Sequence[tuple[mpf, mpf, mpf]]:
    """Equally likely (x~_1, x~_2, y) with <x~ x~^T> = A and <x~ y> = b: rows of a root of A, with signs."""
    first, second = finite_data.square_root(at["a11"], at["a12"], at["a22"])
    scale = mpmath.sqrt(2)
    along = at["b1"] / first[0]
    across = (at["b2"] - first[1] * along) / second[1]
    return [
        (sign * scale * row[0], sign * scale * row[1], sign * scale * label)
        for row, label in ((first, along), (second, across))
        for sign in (1, -1)
    ]


def _regress(point: Point, digits: int) -> mpf:
    """The first coefficient of the regression of y on x~ by minimising the squared error of four samples."""
    with mpmath.workdps(digits + 30):
        samples = _four_samples(values(point))

        def loss(beta: finite_data.Vector) -> mpf:
            return sum((y - beta[0] * first - beta[1] * second) ** 2 for first, second, y in samples) / 4

        return finite_data.minimiser(loss, 2, digits)[0]


def _in_float64(K: int, a11: float, a12: float, a22: float, b1: float, b2: float) -> float:
    """The library's rest point over K."""
    return float64_flow([[a11, a12], [a12, a22]], [b1, b2], [[0, 0]], K).fixed_point[0, 0] / K


def _derive_regression() -> Derivation:
    result = Eq(_coefficient, _CRAMER, evaluate=False)
    moving, other = gates.w_first(t), gates.w_second(t)
    drives = (_a11 * moving + _a12 * other, _a12 * moving + _a22 * other)
    flow = Tuple(
        Eq(K * tau * moving.diff(t), _b1 - drives[0] / K, evaluate=False),
        Eq(K * tau * other.diff(t), _b2 - drives[1] / K, evaluate=False),
    )
    at_rest = Tuple(
        Eq(0, _b1 - (_a11 * _first + _a12 * _second) / K, evaluate=False),
        Eq(0, _b2 - (_a12 * _first + _a22 * _second) / K, evaluate=False),
    )
    solved = Eq(_first, K * _CRAMER, evaluate=False)
    second = K * (_a11 * _b2 - _a12 * _b1) / (_a11 * _a22 - _a12**2)
    steps = (
        *entry(K, "flow.gradient.entry"),
        Step(
            flow,
            "two components of x~ = g~ (x) x, of one unit or of two: A = <x~ x~^T> and b = <x~ y>",
            "stack",
            (reading(moving.diff(t), _b1, drives[0]), reading(other.diff(t), _b2, drives[1])),
        ),
        Step(
            at_rest,
            "A is regular and positive, so every mode decays to its limit",
            "rest",
            (Tuple(moving, _first), Tuple(other, _second), _a11 > 0, _a11 * _a22 - _a12**2 > 0),
        ),
        Step(solved, "Cramer's rule", "solve-linear", (Tuple(_first, solved.rhs), Tuple(_second, second))),
        Step(result, "beta = w(oo)/K, for yhat = w.x~/K", "linear-change", (Tuple(_coefficient, _first / K),)),
    )
    return Derivation("ols.gated_input.regression", result, steps)


REGRESSION = Claim(
    id="ols.gated_input.regression",
    title="w(oo)/K is the least-squares regression of y on the gated input",
    kind=Kind.EQUIVALENCE,
    statement=Eq(_coefficient, _CRAMER, evaluate=False),
    params=(UNITS, *LOSS_VALUE.params),
    assumptions=(
        "two components of x~; A regular (where it is singular the part of w(0) that the data do not see is added)",
        "beta = w(oo)/K, the rest point of the flow over K",
    ),
    sources=(
        Source(
            NOTES,
            "(12)",
            printed=_CRAMER,
            note="A^-1 b is the regression of y on x~, as the notes say; the flow comes to rest at K times it",
        ),
    ),
    oracle=_regress,
    derive=_derive_regression,
    numeric=_in_float64,
    unchecked={Level.EXACT: reasons.SAMPLES_BY_ROOTS},
)

CLAIMS = (RELU, RELU_AS_GATED, FORMS, COMPLEMENT, BOTH_OPEN, REGRESSION)
