"""The regression of y on the gated input is A^-1 b, the rest point of the flow over K. Localization notes, (12)."""

from collections.abc import Sequence

import mpmath
import sympy
from mpmath import mpf
from sympy import Eq, Tuple, oo

from theory.claims import finite_data, reasons
from theory.claims.areas.ols.loss import LOSS_VALUE
from theory.claims.documents import NOTES
from theory.claims.finite_data import Number
from theory.claims.float_flow import float64_flow
from theory.claims.gradient_flow import entry, reading, w_first, w_second
from theory.claims.model import Claim, Kind, Level, Point
from theory.claims.parameters import UNITS
from theory.claims.points import values
from theory.claims.sources import Says, Source
from theory.expressions.symbols import K, t, tau
from theory.proof.derivation import Derivation, Step

_a11, _a12, _a22, _b1, _b2 = (param.symbol for param in LOSS_VALUE.params)
_coefficient = sympy.Symbol("beta_1", real=True)
_first, _second = w_first(oo), w_second(oo)
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
    weight, other = w_first(t), w_second(t)
    drives = (_a11 * weight + _a12 * other, _a12 * weight + _a22 * other)
    flow = Tuple(
        Eq(K * tau * weight.diff(t), _b1 - drives[0] / K, evaluate=False),
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
            (reading(weight.diff(t), _b1, drives[0]), reading(other.diff(t), _b2, drives[1])),
        ),
        Step(
            at_rest,
            "A is regular and positive, so every mode decays to its limit",
            "rest",
            (Tuple(weight, _first), Tuple(other, _second), _a11 > 0, _a11 * _a22 - _a12**2 > 0),
        ),
        Step(solved, "Cramer's rule", "solve-linear", (Tuple(_first, solved.rhs), Tuple(_second, second))),
        Step(result, "beta = w(oo)/K, for yhat = w.x~/K", "linear-change", (Tuple(_coefficient, _first / K),)),
    )
    return Derivation("ols.gated_input.regression", result, steps)


REGRESSION = Claim(
    id="ols.gated_input.regression",
    title="The least-squares regression of y on the gated input is A^-1 b, which is w(oo)/K",
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
            note="so A^-1 b is; that the flow ends there is the row of w(oo), after (11)",
            says=Says.READ_AS,
            words="Then, it is clear that this is the population solution to the OLS problem of regressing y on x~.",
        ),
    ),
    oracle=_regress,
    derive=_derive_regression,
    numeric=_in_float64,
    unchecked={Level.EXACT: reasons.SAMPLES_BY_ROOTS},
)

CLAIMS = (REGRESSION,)
