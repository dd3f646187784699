"""The regression of y on the gated input is A^-1 b, the rest point of the flow over K. Localization notes, (12), (26).

Then the moments of the gated input by the blocks of (8), and the same regression from the rows of a sample.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import mpmath
import sympy
from mpmath import mpf
from sympy import Eq, Integer, Interval, Rational, Tuple, oo

from theory.claims import finite_data, reasons
from theory.claims.areas.ols.loss import LOSS_VALUE
from theory.claims.documents import NOTES
from theory.claims.finite_data import Number
from theory.claims.float_flow import float64_flow
from theory.claims.gradient_flow import entry, reading, w_first, w_second
from theory.claims.model import Claim, Kind, Level, Param, Point
from theory.claims.parameters import UNITS
from theory.claims.points import exact_values, values
from theory.claims.rational import rational
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
            r"two components of $\tilde x = \tilde g \otimes x$, of one unit or of two: "
            r"$A = \langle \tilde x \tilde x^\top \rangle$ and $b = \langle \tilde x y \rangle$",
            "stack",
            (reading(weight.diff(t), _b1, drives[0]), reading(other.diff(t), _b2, drives[1])),
        ),
        Step(
            at_rest,
            "$A$ is regular and positive, so every mode decays to its limit",
            "rest",
            (Tuple(weight, _first), Tuple(other, _second), _a11 > 0, _a11 * _a22 - _a12**2 > 0),
        ),
        Step(solved, "Cramer's rule", "solve-linear", (Tuple(_first, solved.rhs), Tuple(_second, second))),
        Step(
            result,
            r"$\beta = w(\infty)/K$, for $\hat y = w \cdot \tilde x/K$",
            "change-of-unknowns",
            (Tuple(_coefficient, _first / K),),
        ),
    )
    return Derivation("ols.gated_input.regression", result, steps)


REGRESSION = Claim(
    id="ols.gated_input.regression",
    title=r"The least-squares regression of $y$ on the gated input is $A^{-1} b$, which is $w(\infty)/K$",
    kind=Kind.EQUIVALENCE,
    statement=Eq(_coefficient, _CRAMER, evaluate=False),
    params=(UNITS, *LOSS_VALUE.params),
    assumptions=(
        r"two components of $\tilde x$; $A$ regular (where it is singular the part of $w(0)$ that the data do not "
        "see is added)",
        r"$\beta = w(\infty)/K$, the rest point of the flow over $K$",
    ),
    sources=(
        Source(
            NOTES,
            "(12)",
            printed=_CRAMER,
            note=r"so $A^{-1} b$ is; that the flow ends there is the row of $w(\infty)$, after (11)",
            says=Says.READ_AS,
            words="Then, it is clear that this is the population solution to the OLS problem of regressing $y$ on "
            r"$\tilde x$.",
        ),
    ),
    oracle=_regress,
    derive=_derive_regression,
    numeric=_in_float64,
    unchecked={Level.EXACT: reasons.SAMPLES_BY_ROOTS},
)

# A and b are the moments of the gated input
x11, x12, x21, x22 = sympy.symbols("x11 x12 x21 x22", real=True)
y1, y2, y3 = sympy.symbols("y1:4", real=True)
_ENTRIES = tuple(Param(entry, Interval(-3, 3), "entry of an input") for entry in (x11, x12, x21, x22))


def _largest_difference(point: Point) -> Fraction:
    """The largest difference of <x~ x~^T>, <x~ y> from <g_k g_l x x^T>, <g_k y x>: two units and samples."""
    at = exact_values(point)
    samples = (((1, 1), (at["x11"], at["x12"]), at["y1"]), ((0, 1), (at["x21"], at["x22"]), at["y2"]))
    gated = [([x if g else Fraction(0) for g in gates for x in inputs], y) for gates, inputs, y in samples]
    places = list(product((0, 1), (0, 1)))
    forces = (
        sum(row[2 * k + i] * y for row, y in gated) / 2 - sum(gates[k] * y * x[i] for gates, x, y in samples) / 2
        for k, i in places
    )
    blocks = (
        sum(row[2 * k + i] * row[2 * l + j] for row, _ in gated) / 2
        - sum(gates[k] * gates[l] * x[i] * x[j] for gates, x, _ in samples) / 2
        for (k, i), (l, j) in product(places, places)
    )
    return max(abs(value) for value in (*forces, *blocks))


MOMENTS = Claim(
    id="ols.gated_input.moments",
    title="The moments $A$ and $b$ as those of the gated input",
    protocol=r"$A = \langle \tilde x \tilde x^\top \rangle$ and $b = \langle \tilde x y \rangle$ are the matrix and "
    r"the "
    "vector of (8): the largest difference is 0",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Function("difference")(x11, x12, x21, x22, y1, y2), 0, evaluate=False),
    params=(*_ENTRIES, *(Param(label, Interval(-3, 3), "label of a sample") for label in (y1, y2))),
    assumptions=("two units and two equally likely samples, the first opens both gates and the second one of them",),
    sources=(
        Source(
            NOTES,
            "after (12)",
            printed=Integer(0),
            says=Says.READ_AS,
            words=r"then $A = \langle \tilde x \tilde x^\top \rangle_{x,y}$ and $b = \langle \tilde x y "
            r"\rangle_{x,y}$.",
        ),
    ),
    **rational(_largest_difference),
    unchecked={
        Level.SYMBOLIC: r"each entry of both sides is $\langle g_k x_i g_l x_j \rangle$; no step is left",
        Level.FLOATING: "the library keeps the moments of the gated input alone",
    },
)

# The regression from the rows of a sample
_SAMPLES = ((x11, x12, y1), (x21, x22, y2), (x12, x21, y3))
_MEANS = {(i, j): sum(row[i] * row[j] for row in _SAMPLES) / 3 for i, j in ((0, 0), (0, 1), (1, 1), (0, 2), (1, 2))}
_DETERMINANT = _MEANS[0, 0] * _MEANS[1, 1] - _MEANS[0, 1] ** 2
_BY_MEANS = (_MEANS[1, 1] * _MEANS[0, 2] - _MEANS[0, 1] * _MEANS[1, 2]) / _DETERMINANT


def _by_projection(point: Point) -> Fraction:
    """The first coefficient of the regression: y on the component of the first column orthogonal to the second."""
    at = exact_values(point)
    first, second = (at["x11"], at["x21"], at["x12"]), (at["x12"], at["x22"], at["x21"])
    label = (at["y1"], at["y2"], at["y3"])

    def inner(left: Sequence[Fraction], right: Sequence[Fraction]) -> Fraction:
        return sum((a * b for a, b in zip(left, right, strict=True)), Fraction(0))

    square = inner(second, second)
    share = inner(first, second) / square if square else Fraction(0)
    rest = [a - share * b for a, b in zip(first, second, strict=True)]
    return inner(rest, label) / inner(rest, rest)


SAMPLES = Claim(
    id="ols.gated_input.samples",
    title="The OLS solution of a sample",
    protocol=r"The OLS solution $(X^\top X)^{-1} X^\top y$ of a sample is "
    r"$\langle x x^\top \rangle^{-1} \langle x y \rangle$ with its averages: its size cancels",
    kind=Kind.EQUATION,
    statement=Eq(_coefficient, _BY_MEANS, evaluate=False),
    params=(*_ENTRIES, *(Param(label, Interval(-3, 3), "label of a sample") for label in (y1, y2, y3))),
    conditions=(sympy.Gt(_DETERMINANT, Rational(1, 100)), sympy.Ne(x12**2 + x21**2 + x22**2, 0)),
    assumptions=(
        "two inputs, three samples, the rows of $X$: $(x_{11}, x_{12})$, $(x_{21}, x_{22})$ and $(x_{12}, x_{21})$; "
        "first coefficient",
    ),
    sources=(
        Source(
            NOTES,
            "after (26)",
            printed=_BY_MEANS,
            note="of the population where the averages are those of the law; on the inputs that open the gate",
            says=Says.READ_AS,
            words=r"As with above, this is the population solution to OLS, $(X^\top X)^{-1} X^\top y = (\langle x "
            r"x^\top \rangle)^{-1} (\langle x y \rangle)$.",
        ),
    ),
    **rational(_by_projection),
    unchecked={
        Level.SYMBOLIC: "the factors $1/N$ of both averages cancel; no step is left",
        Level.FLOATING: "the library has the moments of a law, and no rows of samples",
    },
)

CLAIMS = (REGRESSION, MOMENTS, SAMPLES)
