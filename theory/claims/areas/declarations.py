"""Sentences of the localization notes that state mathematics in words: sections 1, 2.1, 3.3, 3.4 and 3.5.

Each is made a formula that can be wrong; `printed` is what the sentence says of the same quantity. Where the
definition is rational the oracles evaluate it on explicit data in fractions.
"""

import math
from fractions import Fraction
from itertools import product

import mpmath
import sympy
from flint import fmpq, fmpq_mat
from sympy import Abs, Eq, FiniteSet, Integer, Interval, Range, Rational, exp, oo, sqrt

from theory.claims import finite_data, oracles, reasons
from theory.claims.areas.flow import NOTES, UNITS, exact_values
from theory.claims.areas.flow_gates import REDUNDANT_FIRST, REDUNDANT_SECOND
from theory.claims.areas.gaussian import GAIN, variance_in_float64
from theory.claims.areas.small_bump import SECOND, Z_SQUARED
from theory.claims.finite_data import Sample
from theory.claims.float_flow import Number, float64_flow
from theory.claims.model import Claim, Kind, Level, Param, Point, Source
from theory.expressions.symbols import K, g, n, t
from theory.flow.derive import gates
from theory.proof.derivation import Derivation, Step


def _as_mpf(exact, point: Point, digits: int) -> mpmath.mpf:
    """A rational definition at the precision of the other levels."""
    found = exact(point)
    with mpmath.workdps(digits + 10):
        return mpmath.mpf(found.numerator) / found.denominator


# Section 2.1: g is invariant to the scale of w_1

sign_c, sign_h = sympy.symbols("s_c s_h", integer=True)
_SIGNS = FiniteSet(-1, 0, 1)
_EVERY_SIGN = (Integer(-1), Integer(0), Integer(1))


def _gate_of_scaled_weights(point: Point) -> Fraction:
    """1[c w.x >= 0] for explicit c, w, x of the two signs; raises where it depends on anything but the signs."""
    scale, field = int(point[sign_c]), int(point[sign_h])
    w = (Fraction(1), Fraction(-2))
    inputs = [(Fraction(3 * field), Fraction(field)), (Fraction(0), Fraction(-field))]
    inputs += [(Fraction(2), Fraction(1))] if field == 0 else []
    values = {
        sum(size * scale * weight * entry for weight, entry in zip(w, x, strict=True)) >= 0
        for size in (Fraction(1, 2), Fraction(1), Fraction(7, 3))
        for x in inputs
    }
    if len(values) != 1:
        raise ArithmeticError(f"the gate is not a function of the signs at {dict(point)}")
    return Fraction(int(values.pop()))


GATE_SCALE = Claim(
    id="gate.relu.scale",
    title="The gate of scaled weights c w: that of w for c > 0, its complement for c < 0 (w.x not 0), 1 for c = 0",
    kind=Kind.EQUIVALENCE,
    statement=Eq(
        sympy.Function("gate")(sign_c * sign_h), 1 + (sign_c * sign_h - Abs(sign_c * sign_h)) / 2, evaluate=False
    ),
    params=(
        Param(sign_c, _SIGNS, "sign of the scale c", _EVERY_SIGN),
        Param(sign_h, _SIGNS, "sign of w.x", _EVERY_SIGN),
    ),
    assumptions=("gate = 1[c w.x >= 0]; both sides depend on the signs alone, and all nine pairs of them are tried",),
    sources=(
        Source(
            NOTES,
            "section 2.1",
            printed=1 + (sign_h - Abs(sign_h)) / 2,
            note="'g is invariant to the scale of w_1': for positive scales only",
        ),
    ),
    oracle=lambda point, digits: _as_mpf(_gate_of_scaled_weights, point, digits),
    exact=_gate_of_scaled_weights,
    drawn=80,  # draws enough that all nine pairs are among them
    unchecked={
        Level.SYMBOLIC: "nine cases of signs, all of them enumerated",
        Level.FLOATING: "a gate is 0 or 1: nothing is rounded",
    },
)

# Section 1: the support of the nonlinear Gaussian process, and of the single pulse

_SUPPORT = Eq(1 / sqrt(SECOND), 1 / sqrt(Z_SQUARED), evaluate=False)


def _derive_support() -> Derivation:
    cited = Eq(SECOND, Z_SQUARED, evaluate=False)
    steps = (
        Step(_SUPPORT.lhs, "erf maps the line onto (-1, 1), and x = erf(g z)/Z with Z^2 = E erf(g z)^2", "definition"),
        Step(_SUPPORT.rhs, "the second moment of an erf", "cite", (cited,), ("gaussian.erf.second_moment",)),
    )
    return Derivation("localization.nlgp.support", _SUPPORT, steps)


def _largest_input(point: Point, digits: int) -> mpmath.mpf:
    """erf(g z)/Z where erf(g z) is 1 to all digits, Z by quadrature."""
    square = oracles.erf_erf(Integer(1), point[g], digits + 5)
    with mpmath.workdps(digits + 10):
        return mpmath.erf(mpmath.mpf(digits + 10)) / mpmath.sqrt(square)


NLGP_SUPPORT = Claim(
    id="localization.nlgp.support",
    title="The support of the nonlinear Gaussian process is the cube (-1/Z, 1/Z)^n: the least upper bound of |x_i|",
    kind=Kind.EQUATION,
    statement=_SUPPORT,
    params=(GAIN,),
    assumptions=("x = erf(g z)/Z has unit variance; the latent covariance is nonsingular, so that z fills R^n",),
    sources=(
        Source(NOTES, "section 1", printed=oo, note="'continuous support on R^n': continuous, but bounded by 1/Z"),
    ),
    oracle=_largest_input,
    derive=_derive_support,
    numeric=lambda g: 1 / math.sqrt(variance_in_float64(g)),
    unchecked={Level.EXACT: reasons.ARCSINES},
)

narrowest, widths = sympy.symbols("a m", integer=True, positive=True)


def _pulses(point: Point) -> Fraction:
    """The number of different vectors of n entries with one run of ones of a width among a, ..., a + m - 1, cyclic."""
    sites, low, count = int(point[n]), int(point[narrowest]), int(point[widths])
    patterns = {
        tuple(int((site - start) % sites < width) for site in range(sites))
        for start, width in product(range(sites), range(low, low + count))
    }
    if not patterns <= set(product((0, 1), repeat=sites)):
        raise ArithmeticError("a pulse is not a vector of zeros and ones")
    return Fraction(len(patterns))


PULSE_SUPPORT = Claim(
    id="localization.single_pulse.support",
    title="The single pulse on a ring has n m support points in {0, 1}^n, m the number of widths",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Function("points")(n, narrowest, widths), n * widths, evaluate=False),
    params=(
        Param(n, Range(3, 10), "number of sites"),
        Param(narrowest, Range(1, 4), "smallest width"),
        Param(widths, Range(1, 4), "number of widths, which follow each other"),
    ),
    conditions=(narrowest + widths <= n,),  # the widest pulse leaves a site dark
    assumptions=("every start and every width has positive probability; for a support of {-1, 1} map u to 2 u - 1",),
    sources=(Source(NOTES, "section 1", note="'discrete support on a subset of {0, 1}^n': right for the values 0, 1"),),
    oracle=lambda point, digits: _as_mpf(_pulses, point, digits),
    exact=_pulses,
    unchecked={
        Level.SYMBOLIC: "support points are counted by enumerating them",
        Level.FLOATING: "a count is not rounded",
    },
)

# Section 1: biases cannot be removed for sigmoid

h1, h2 = sympy.symbols("h1 h2", real=True)
share = sympy.Symbol("p", positive=True)


def _sigmoid_output(sign: int) -> sympy.Expr:
    return (1 / (1 + exp(-sign * h1)) + 1 / (1 + exp(-sign * h2))) / 2


_PAIR_ERROR = sum(
    (share * (1 - _sigmoid_output(sign)) ** 2 + (1 - share) * _sigmoid_output(sign) ** 2) / 2 for sign in (1, -1)
)
_SIGMOID = Eq(_PAIR_ERROR, Rational(1, 4) + (_sigmoid_output(1) - Rational(1, 2)) ** 2, evaluate=False)


def _derive_sigmoid() -> Derivation:
    steps = (
        Step(_PAIR_ERROR, "x and -x are equally likely given y; without biases the fields at -x are -h", "definition"),
        Step(_SIGMOID.rhs, "sigmoid(-h) = 1 - sigmoid(h)", "identity"),
    )
    return Derivation("localization.sigmoid.no_biases", _SIGMOID, steps)


def _sigmoid_by_cases(point: Point, digits: int) -> mpmath.mpf:
    """The mean of (y - yhat)^2 over the four cases y = 1, 0 at x and -x, from exponentials."""
    with mpmath.workdps(digits + 20):
        at = {symbol: mpmath.mpf(value.p) / value.q for symbol, value in point.items()}
        total = mpmath.mpf(0)
        for sign, (label, weight) in product((1, -1), ((1, at[share]), (0, 1 - at[share]))):
            output = sum(mpmath.exp(sign * at[h]) / (1 + mpmath.exp(sign * at[h])) for h in (h1, h2)) / 2
            total += weight * (label - output) ** 2 / 2
        return total


SIGMOID_NO_BIASES = Claim(
    id="localization.sigmoid.no_biases",
    title="Two sigmoid units without biases: the squared error at x and -x is 1/4 and their squared deviation from 1/2",
    kind=Kind.EQUATION,
    statement=_SIGMOID,
    params=(
        Param(h1, Interval(-8, 8), "w_1.x", (Integer(0),)),
        Param(h2, Interval(-8, 8), "w_2.x", (Integer(0),)),
        Param(share, Interval.open(0, 1), "probability of y = 1 given |x|", (Rational(1, 2),)),
    ),
    assumptions=(
        "each class has the same density at x and -x, as the nonlinear Gaussian process; labels 1 and 0; mean readout",
        "averaged over x the error is 1/4 at least, and 1/4 only if the output is 1/2 everywhere: nothing is learned",
    ),
    sources=(
        Source(
            NOTES,
            "section 1",
            note="'one can further remove the bias terms (though not for sigmoid)': the sigmoid half; the ReLU half is "
            "localization.relu.biases_removed",
        ),
    ),
    oracle=_sigmoid_by_cases,
    derive=_derive_sigmoid,
    unchecked={Level.EXACT: "exponentials of rational numbers are not rational", Level.FLOATING: reasons.NO_NETWORK},
)

# Section 3.3: the blocks of A are symmetric

x11, x12, x21, x22 = sympy.symbols("x11 x12 x21 x22", real=True)


def _asymmetry(point: Point) -> Fraction:
    """The largest |A_ij[k, l] - A_ij[l, k]| and |A_ij[k, l] - A_ji[k, l]| over two samples and three gates."""
    at = exact_values(point)
    opened = (((1, 1, 0), (at["x11"], at["x12"])), ((1, 0, 1), (at["x21"], at["x22"])))

    def block(i: int, j: int) -> list[list[Fraction]]:
        return [[sum(o[i] * o[j] * x[k] * x[l] for o, x in opened) / 2 for l in (0, 1)] for k in (0, 1)]

    pairs = product(range(3), range(3), (0, 1), (0, 1))
    return max(
        max(abs(block(i, j)[k][l] - block(i, j)[l][k]), abs(block(i, j)[k][l] - block(j, i)[k][l]))
        for i, j, k, l in pairs
    )


BLOCKS_SYMMETRIC = Claim(
    id="flow.second_moment.symmetric",
    title="Every block A_ij = <g_i g_j x x^T> is symmetric and equals A_ji: the largest difference is 0",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Function("asymmetry")(x11, x12, x21, x22), 0, evaluate=False),
    params=tuple(Param(entry, Interval(-3, 3), "entry of an input") for entry in (x11, x12, x21, x22)),
    assumptions=("gates are numbers, so g_i g_j commutes and multiplies the symmetric x x^T",),
    sources=(Source(NOTES, "section 3.3", printed=Integer(0), note="'A_ij is symmetric and A_ij = A_ji'"),),
    oracle=lambda point, digits: _as_mpf(_asymmetry, point, digits),
    exact=_asymmetry,
    unchecked={
        Level.SYMBOLIC: "the difference is 0 entry by entry of every sample, as the assumption says; no step is left",
        Level.FLOATING: "the library keeps one matrix for A_ij and A_ji, so that there is nothing to compare",
    },
)

# Section 3.4: each unit converges to the least-squares solution on its subset

s11, s22 = sympy.symbols("s11 s22", positive=True)
s12, r1, r2 = sympy.symbols("s12 r1 r2", real=True)
opened = sympy.Symbol("P_open", positive=True)
_SUBSET = (s22 * r1 - s12 * r2) / (s11 * s22 - s12**2)


def _rest_of_one_unit(point: Point) -> Fraction:
    """Where the gradient of the whole loss in w_1 vanishes, K exclusive units, in fractions; its first entry.

    Given that gate 1 is open, <x x^T> = S by two samples 5 v_i of probabilities d_i/25 with S = sum_i d_i v_i v_i^T,
    and <x y> = r by their labels; with the remaining probability x = 0. Another sample opens the other units.
    """
    at = exact_values(point)
    lower, rest = at["s12"] / at["s11"], at["s22"] - at["s12"] ** 2 / at["s11"]
    second_label = 5 * (at["r2"] - lower * at["r1"]) / rest
    first_label = 5 * at["r1"] / at["s11"]
    units = int(at["K"])
    own, others = (1,) + (0,) * (units - 1), (0,) + (1,) * (units - 1)
    samples = [
        Sample(at["P_open"] * at["s11"] / 25, own, (Fraction(5), 5 * lower), first_label),
        Sample(at["P_open"] * rest / 25, own, (Fraction(0), Fraction(5)), second_label),
        Sample(1 - at["P_open"], others, (Fraction(2), Fraction(-1)), Fraction(1)),
    ]
    loss = finite_data.half_mse(samples, Fraction(1, units))

    def pull(first: int, second: int) -> list[Fraction]:
        weights = [Fraction(first), Fraction(second)] + [Fraction(1)] * (2 * units - 2)
        return finite_data.gradient(loss, weights)[:2]

    origin = pull(0, 0)
    columns = [[a - b for a, b in zip(pull(*unit), origin, strict=True)] for unit in ((1, 0), (0, 1))]
    matrix = fmpq_mat(2, 2, [_exact(columns[j][i]) for i in (0, 1) for j in (0, 1)])
    solution = matrix.solve(fmpq_mat(2, 1, [_exact(-entry) for entry in origin]))
    return Fraction(int(solution[0, 0].p), int(solution[0, 0].q))


def _in_float64(K: int, P_open: Number, r1: Number, r2: Number, **S: Number) -> float:
    """The library's rest point with A_11 = P S and b_1 = P r."""
    second = [[P_open * S["s11"], P_open * S["s12"]], [P_open * S["s12"], P_open * S["s22"]]]
    return float64_flow(second, [P_open * r1, P_open * r2], [[0, 0]], K).fixed_point[0, 0]


def _exact(value: Fraction) -> fmpq:
    return fmpq(value.numerator, value.denominator)


ON_ITS_SUBSET = Claim(
    id="flow.exclusive.own_subset",
    title="Under exclusive gates a unit comes to rest at K times the least-squares solution on its gate's subset",
    kind=Kind.EQUATION,
    statement=Eq(gates.w_first(oo), K * _SUBSET, evaluate=False),
    params=(
        UNITS,
        Param(s11, Interval(1, 6), "entry of <x x^T | g_1 = 1>"),
        Param(s12, Interval(-3, 3), "entry of <x x^T | g_1 = 1>", (Integer(0),)),
        Param(s22, Interval(1, 6), "entry of <x x^T | g_1 = 1>"),
        Param(r1, Interval(-3, 3), "first entry of <x y | g_1 = 1>"),
        Param(r2, Interval(-3, 3), "second entry of <x y | g_1 = 1>"),
        Param(opened, Interval.open(0, 1), "probability that gate 1 is open, which drops out"),
    ),
    conditions=(s11 * s22 - s12**2 > Rational(1, 100),),
    assumptions=("g_1 g_l = 0 almost surely for every other unit l; two inputs; yhat = (1/K) sum_k g_k w_k.x",),
    sources=(
        Source(NOTES, "section 3.4", printed=_SUBSET, note="'converges to the OLS solution on the subset': up to K"),
    ),
    oracle=lambda point, digits: _as_mpf(_rest_of_one_unit, point, digits),
    exact=_rest_of_one_unit,
    numeric=_in_float64,
    unchecked={
        Level.SYMBOLIC: "it is derived as flow.exclusive.fixed_point, with A_11 = P S and b_1 = P r, where P cancels"
    },
)

# Section 3.5: w_1 - w_2 is a constant vector

_APART = Eq(gates.u1(t) - gates.u2(t), gates.u10 - gates.u20, evaluate=False)


def _derive_apart() -> Derivation:
    used = (REDUNDANT_FIRST.statement, REDUNDANT_SECOND.statement)
    difference = used[0].rhs - used[1].rhs
    steps = [
        Step(_APART.lhs, "along an eigenvector of A_11", "definition"),
        Step(difference, "the two units of a shared gate", "cite", used, (REDUNDANT_FIRST.id, REDUNDANT_SECOND.id)),
    ]
    if difference != _APART.rhs:
        steps.append(Step(_APART.rhs, "the half sum cancels", "identity"))
    return Derivation("flow.redundant.difference", _APART, tuple(steps))


def _apart_by_series(point: Point, digits: int) -> mpmath.mpf:
    with mpmath.workdps(digits + 10):
        return REDUNDANT_FIRST.oracle(point, digits) - REDUNDANT_SECOND.oracle(point, digits)


DIFFERENCE = Claim(
    id="flow.redundant.difference",
    title="Two units that share a gate keep the difference of their weights",
    kind=Kind.EQUATION,
    statement=_APART,
    params=REDUNDANT_FIRST.params,
    assumptions=REDUNDANT_FIRST.assumptions,
    sources=(
        Source(NOTES, "section 3.5", printed=gates.u10 - gates.u20, note="'Clearly, then, w_1 - w_2 is a constant'"),
    ),
    oracle=_apart_by_series,
    derive=_derive_apart,
    unchecked={
        Level.EXACT: reasons.EXPONENTIALS,
        Level.FLOATING: "the library has the two weights, which are compared in flow.redundant.first and second",
    },
)

CLAIMS = (
    GATE_SCALE,
    NLGP_SUPPORT,
    PULSE_SUPPORT,
    SIGMOID_NO_BIASES,
    BLOCKS_SYMMETRIC,
    ON_ITS_SUBSET,
    DIFFERENCE,
)
