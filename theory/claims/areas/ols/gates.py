"""The best gates: the objective (18), and "maximally diagonal precision", tiling without overlap.

Localization notes, section 3.3. Exclusive gates make the precision block diagonal, and adding a gate never hurts; but
neither decides the loss. Finite counter-examples are settled in fractions. The loss is
min <(y - yhat)^2>, without the factor 1/2. The objective of three gates is in `_three_gates`.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import mpmath
import sympy
from mpmath import mpf
from sympy import Eq, Integer, Interval, Rational

from theory.claims import reasons
from theory.claims.areas.ols._least_squares import form, loss, loss_class_means, m0, m1, s11, s12, s22
from theory.claims.areas.ols._samples import (
    BALANCED,
    MEAN_0,
    MEAN_1,
    SECOND_MOMENTS,
    float64_loss,
    least_loss,
    samples_of,
)
from theory.claims.areas.ols._three_gates import THREE_GATES
from theory.claims.documents import NOTES
from theory.claims.float_flow import Number
from theory.claims.model import Claim, Kind, Level, Param, Point
from theory.claims.points import exact_values, values
from theory.claims.rational import rational
from theory.claims.sources import Reading, Says, Source
from theory.proof.derivation import Derivation, Step

# (18): what the best gates maximise
objective = sympy.Symbol(r"\mathcal{L}^*", real=True)


def gate_objective() -> Derivation:
    """Derive L* = 1 - 2 min <(y - beta.x~)^2> = m_1^T S^-1 m_1, which the best gates maximise.

    Notes, eq. (18), with the second moments S of (16) in place of outer products of class means.
    """
    least = loss_class_means()
    definition = Eq(objective, 1 - 2 * loss, evaluate=False)
    result = Eq(objective, form((s11, s12, s22), m1), evaluate=False)
    steps = (
        Step(definition, r"$L^\ast$ is to be large where the loss is small", "definition"),
        Step(
            Eq(objective, 1 - 2 * least.proves.rhs, evaluate=False),
            "the loss by class means",
            "cite",
            (least.proves,),
            cites=("ols.loss.class_means",),
        ),
        Step(result, "the constant 1 cancels, and the factor 2 cancels the 1/2 of the loss", "identity"),
    )
    return Derivation("ols.gates.objective", result, steps)


def printed_objective_is_constant() -> Derivation:
    """Derive m_1^T (m_1 m_1^T + m_0 m_0^T)^-1 m_1 = 1 for independent class means: notes, eq. (18) as printed.

    So with two components the printed objective does not depend on the gates. Beyond two components its matrix has rank
    2 at most and no inverse; its pseudo-inverse gives 1 again.
    """
    printed = printed_objective()
    result = Eq(printed, 1, evaluate=False)
    steps = (
        Step(printed, "the printed form with two components", "definition"),
        Step(sympy.S.One, "numerator and determinant are both $(m_{11} m_{02} - m_{12} m_{01})^2$", "identity"),
    )
    return Derivation("ols.gates.printed_objective", result, steps)


def printed_objective() -> sympy.Expr:
    """Return m_1^T (m_1 m_1^T + m_0 m_0^T)^-1 m_1, two components."""
    outer = tuple(m1[i] * m1[j] + m0[i] * m0[j] for i, j in ((0, 0), (0, 1), (1, 1)))
    return form(outer, m1)


def _objective_by_minimisation(point: Point, digits: int) -> mpf:
    """Return L* = 1 - 2 min <(y - beta.x~)^2>, the definition that makes (16) least where L* is largest."""
    with mpmath.workdps(digits + 30):
        return 1 - 2 * least_loss(samples_of(values(point)), digits)


def _objective_in_float64(**at: Number) -> float:
    """m_1.beta for the library's beta = S^-1 m_1: 1 - 2 loss would lose digits where L* is small."""
    beta = float64_loss(at, (at["m11"], at["m12"])).fixed_point[0]
    return at["m11"] * beta[0] + at["m12"] * beta[1]


GATE_OBJECTIVE = Claim(
    id="ols.gates.objective",
    title="The objective that the best gates maximise",
    protocol=r"What the best gates maximise: $L^\ast = m_1^\top S^{-1} m_1$ of (16), so that the loss is $(1 - "
    r"L^\ast)/2$",
    kind=Kind.EQUATION,
    statement=Eq(objective, form((s11, s12, s22), m1), evaluate=False),
    params=(*SECOND_MOMENTS, *MEAN_1, *MEAN_0),
    assumptions=("labels 1 and 0", BALANCED),
    sources=(
        Source(
            NOTES,
            "(18)",
            note="(18) with second moments in the place of outer products, two components written out",
            says=Says.UNSTATED,
        ),
    ),
    oracle=_objective_by_minimisation,
    derive=gate_objective,
    numeric=_objective_in_float64,
    unchecked={Level.EXACT: reasons.SAMPLES_BY_ROOTS},
)


def _printed_objective(point: Point) -> Fraction:
    """m_1.beta for the beta that solves (m_1 m_1^T + m_0 m_0^T) beta = m_1, by elimination in fractions."""
    at = exact_values(point)
    one, zero = (at["m11"], at["m12"]), (at["m01"], at["m02"])
    p, q, r = (one[i] * one[j] + zero[i] * zero[j] for i, j in ((0, 0), (0, 1), (1, 1)))
    second = (one[1] - q / p * one[0]) / (r - q / p * q)
    return one[0] * (one[0] - q * second) / p + one[1] * second


PRINTED_OBJECTIVE = Claim(
    id="ols.gates.printed_objective",
    title="The objective (18) as printed, with $K n = 2$",
    protocol="With $K n = 2$ the objective (18) as printed is 1 for any independent class means: it prefers no gates",
    kind=Kind.EQUATION,
    statement=Eq(printed_objective(), 1, evaluate=False),
    params=(*MEAN_1, *MEAN_0),
    conditions=(sympy.Ne(m1[0] * m0[1] - m1[1] * m0[0], 0),),
    assumptions=(
        "$K n = 2$; beyond two the matrix has rank 2 at most and no inverse; its pseudo-inverse gives 1 as well",
    ),
    sources=(
        Source(
            NOTES,
            "(18)",
            note="the case $K n = 2$, in which the printed matrix has an inverse",
            says=Says.UNSTATED,
        ),
    ),
    **rational(_printed_objective),
    derive=printed_objective_is_constant,
    unchecked={Level.FLOATING: "a constant: the library has the objective of `ols.gates.objective`"},
)

# Exclusive gates make the precision block diagonal; of two gates, only exclusive ones do
only_1, only_2 = sympy.symbols("P_1 P_2", positive=True)
both = sympy.Symbol("P_12", nonnegative=True)
_OVERLAP = -both / (only_1 * only_2 + both * (only_1 + only_2))


def _off_diagonal(point: Point) -> Fraction:
    """Entry (1, 2) of A^-1 for three samples of x = 1 with the gates open at one, the other, and both; by cofactors."""
    at = exact_values(point)
    samples = ((at["P_1"], (1, 0)), (at["P_2"], (0, 1)), (at["P_12"], (1, 1)))
    a11, a12, a22 = (sum(p * o[i] * o[j] for p, o in samples) for i, j in ((0, 0), (0, 1), (1, 1)))
    return -a12 / (a11 * a22 - a12 * a12)


PRECISION = Claim(
    id="ols.gates.precision",
    title="Exclusive gates make the precision $A^{-1}$ block diagonal; of two gates, only exclusive ones do",
    kind=Kind.EQUIVALENCE,
    statement=Eq(sympy.Function("precision_12")(only_1, only_2, both), _OVERLAP, evaluate=False),
    params=(
        Param(only_1, Interval.open(0, 3), r"$\langle g_1 (1 - g_2) x^2 \rangle$"),
        Param(only_2, Interval.open(0, 3), r"$\langle g_2 (1 - g_1) x^2 \rangle$"),
        Param(both, Interval(0, 3), r"$\langle g_1 g_2 x^2 \rangle$", (Integer(0), Rational(1, 64))),
    ),
    assumptions=(
        r"two gates and one input; for $n$ inputs the same: $A_{12} = \langle g_1 g_2 x x^\top \rangle$ is positive "
        r"semidefinite of trace $\langle g_1 g_2 \lvert x \rvert^2 \rangle$, and the off-diagonal block of $A^{-1}$ "
        "is $A_{12}$ between two regular matrices",
        "with more gates $A$ is block diagonal where they are exclusive, and so is its inverse",
    ),
    sources=(
        Source(
            NOTES,
            "section 3.3",
            printed=Integer(0),
            note="'this' is read as a block-diagonal precision; exclusive gates that leave a part of the space "
            "uncovered achieve it too; with three gates a block can vanish for gates that overlap: "
            "$A_{11} = A_{22} = A_{33} = 1$, $A_{12} = 1/4$ and $A_{13} = A_{23} = 1/2$ give $A^{-1}$ a zero "
            "at (1, 2)",
            says=Says.CONJECTURES,
            words="Gates that tile the space without overlap would achieve this (I think?).",
            readings=(Reading("no input opens both gates, as the sentence says", where=Eq(both, 0)),),
        ),
    ),
    **rational(_off_diagonal),
    unchecked={
        Level.SYMBOLIC: "the entry is one cofactor over the determinant: no step between",
        Level.FLOATING: "the library solves with $A$ and never forms its inverse",
    },
)

# Overlapping gates have a smaller loss than every exclusive pair: three inputs whose best weights are a, b and a + b
a, b = sympy.symbols("a b", positive=True)
_BEST_EXCLUSIVE = a**2 / (b**2 + (a + b) ** 2) / 6


def _least_losses(point: Point) -> tuple[Fraction, Fraction]:
    """The least loss of two exclusive gates, and of any two gates, over every way to open them.

    Class 1 has x = 1/a, 1/b, 1/(a + b), equally likely; class 0 has x = 1; labels 1 and 0, one input. The four inputs
    must differ, for a gate is a function of the input.
    """
    at = exact_values(point)
    sixth = Fraction(1, 6)
    samples = [(sixth, 1 / at["a"], 1), (sixth, 1 / at["b"], 1), (sixth, 1 / (at["a"] + at["b"]), 1)]
    samples.append((Fraction(1, 2), Fraction(1), 0))
    losses = {False: Fraction(1, 2), True: Fraction(1, 2)}
    for opened in product(((0, 0), (1, 0), (0, 1), (1, 1)), repeat=4):
        overlapping = (1, 1) in opened
        losses[overlapping] = min(losses[overlapping], _least_squares(samples, opened))
    return losses[False], min(losses.values())


def _least_squares(samples: Sequence[tuple[Fraction, Fraction, int]], opened: Sequence[tuple[int, int]]) -> Fraction:
    """min over w of <(y - (g_1 w_1 + g_2 w_2) x)^2>, the normal equations solved in fractions."""
    rows = [(p, o[0] * x, o[1] * x, y) for (p, x, y), o in zip(samples, opened, strict=True)]
    p11, p12, p22 = (sum(r[0] * r[i] * r[j] for r in rows) for i, j in ((1, 1), (1, 2), (2, 2)))
    f1, f2 = (sum(r[0] * r[i] * r[3] for r in rows) for i in (1, 2))
    determinant = p11 * p22 - p12 * p12
    if determinant:
        w1, w2 = (p22 * f1 - p12 * f2) / determinant, (p11 * f2 - p12 * f1) / determinant
    else:  # the two columns are parallel, or one is zero: one weight suffices
        w1, w2 = (f1 / p11, Fraction(0)) if p11 else (Fraction(0), f2 / p22 if p22 else Fraction(0))
    return sum(p * (y - w1 * u - w2 * v) ** 2 for p, u, v, y in rows)


def _gap(point: Point) -> Fraction:
    exclusive, any_pair = _least_losses(point)
    return exclusive - any_pair


OVERLAP_WINS = Claim(
    id="ols.gates.overlap_wins",
    title="A law on which two overlapping gates have a smaller loss than every exclusive pair",
    protocol="A law on four points of the line ($n = 1$, not even in $x$) for which two overlapping gates have a "
    "smaller loss than every exclusive pair",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Function("gain")(a, b), _BEST_EXCLUSIVE, evaluate=False),
    params=(
        Param(a, Interval(Rational(1, 2), 2), "the best weight at $x = 1/a$", (Rational(3, 2),)),
        Param(b, Interval(2, 9), "the best weight at $x = 1/b$", (Integer(4), Integer(9))),
    ),
    # At b >= 2 a the inputs 1/b and 1/(a + b) share a weight under the best exclusive pair; at a = 1 the
    # inputs 1/a and 1 of the two classes are one, and no gate tells them apart.
    conditions=(b >= 2 * a, sympy.Ne(a, 1)),
    assumptions=(
        "one input; class $y = 1$ has $x = 1/a$, $1/b$, $1/(a + b)$, equally likely, class $y = 0$ has $x = 1$; "
        "gates are any functions of $x$, and all of them are enumerated",
        "the gain is the least loss of exclusive gates minus the least loss of any two gates",
    ),
    sources=(
        Source(
            NOTES,
            "section 3.3",
            note="where both gates are open the network has a third weight, $w_1 + w_2$; so a maximally diagonal "
            "precision is not the best for every law; for the two laws of the notes, which they hold fixed, it "
            "is open",
            says=Says.UNSTATED,
        ),
    ),
    **rational(_gap),
    drawn=4,
    unchecked={
        Level.SYMBOLIC: "a minimum over finitely many gates, all of them enumerated",
        Level.FLOATING: reasons.FINITE_DATA,
    },
)

# The loss depends on the span of the gates only: {1, h} has the loss of {h, 1 - h}
x1, x2, x3, x4 = sympy.symbols("x1:5", positive=True)
_BY_HALVES = Rational(1, 2) - (x1**2 / (x1**2 + x2**2) + x3**2 / (x3**2 + x4**2)) / 4


def _with_always_on(point: Point) -> Fraction:
    """The least loss of the gates 1 and h on four equally likely inputs, h open at the first two."""
    at = exact_values(point)
    samples = [(Fraction(1, 4), at[f"x{index}"], index % 2) for index in (1, 2, 3, 4)]
    return _least_squares(samples, ((1, 1), (1, 1), (1, 0), (1, 0)))


SPAN = Claim(
    id="ols.gates.span",
    title="The loss of the gates $1$ and $h$ and of a tiling",
    protocol="The gates 1 and $h$, whose precision is not block diagonal, have the loss of the tiling $h$ and $1 - h$",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Function("loss")(x1, x2, x3, x4), _BY_HALVES, evaluate=False),
    params=tuple(Param(entry, Interval.open(0, 3), "input") for entry in (x1, x2, x3, x4)),
    assumptions=(
        "one input; four equally likely samples, $y = 1$ at $x_1$ and $x_3$, $y = 0$ at $x_2$ and $x_4$; $h$ is "
        "open at $x_1$ and $x_2$",
        "in general the loss depends on the linear span of the functions $g_k(x) x_i$ alone",
    ),
    sources=(
        Source(
            NOTES,
            "section 3.3",
            note="one loss with a precision that is block diagonal and with one that is not",
            says=Says.UNSTATED,
        ),
    ),
    **rational(_with_always_on),
    unchecked={
        Level.SYMBOLIC: "a least-squares problem of four samples, solved in fractions",
        Level.FLOATING: reasons.FINITE_DATA,
    },
)

# A block-diagonal precision makes Gaussian blocks conditionally independent
p11, p22, p33, p12, p13, p23 = sympy.symbols("p11 p22 p33 p12 p13 p23", real=True)
_PRECISION = sympy.Matrix([[p11, p12, p13], [p12, p22, p23], [p13, p23, p33]])


def _given_the_third(point: Point) -> Fraction:
    """c_12 - c_13 c_23/c_33 of the covariance c, the inverse of the precision by cofactors."""
    at = exact_values(point)
    rows = [[at[str(entry)] for entry in _PRECISION.row(i)] for i in range(3)]

    def cofactor(i: int, j: int) -> Fraction:
        (a, b), (c, d) = ([rows[r][s] for s in range(3) if s != j] for r in range(3) if r != i)
        return (-1) ** (i + j) * (a * d - b * c)

    determinant = sum(rows[0][j] * cofactor(0, j) for j in range(3))
    return (cofactor(0, 1) - cofactor(0, 2) * cofactor(1, 2) / cofactor(2, 2)) / determinant


CONDITIONAL = Claim(
    id="ols.gates.conditional_independence",
    title="The covariance of two Gaussian blocks given the others, by the precision",
    kind=Kind.EQUATION,
    statement=Eq(
        sympy.Symbol(r"\operatorname{Cov}(\tilde x_1, \tilde x_2 \mid \tilde x_3)", real=True),
        -p12 / (p11 * p22 - p12**2),
        evaluate=False,
    ),
    params=(
        *(Param(own, Interval(2, 5), "diagonal entry of the precision") for own in (p11, p22, p33)),
        Param(p12, Interval(-1, 1), "the entry of the precision between both blocks", (Integer(0),)),
        *(Param(own, Interval(-1, 1), "entry of the precision to the third block") for own in (p13, p23)),
    ),
    conditions=(_PRECISION.det() > 0, p11 * p22 - p12**2 > 0),
    assumptions=(r"$\tilde x$ Gaussian, three blocks of one entry; a covariance of 0 is then independence",),
    sources=(
        Source(
            NOTES,
            "section 3.3",
            printed=Integer(0),
            note=r"$g(x) x$ is not Gaussian, even where $x$ is, see `ols.gates.independence`",
            says=Says.CONJECTURES,
            words="For Gaussian data (at least), this mean that the blocks are independent conditioned on all the "
            "other blocks.",
            readings=(Reading(r"$\tilde x$ is Gaussian and its precision block diagonal", where=Eq(p12, 0)),),
        ),
    ),
    **rational(_given_the_third),
    unchecked={
        Level.SYMBOLIC: "a Schur complement of the inverse: one expansion",
        Level.FLOATING: "the library solves with $A$ and never forms its inverse",
    },
)

# Blocks through exclusive gates are not independent
share = sympy.Symbol("p", positive=True)


def _by_counting(point: Point) -> Fraction:
    """P(x~_1 = 0, x~_2 = 0) - P(x~_1 = 0) P(x~_2 = 0) over the two states of the gates, open with p and 1 - p."""
    p = exact_values(point)["p"]
    states = ((p, (1, 0)), (1 - p, (0, 1)))
    closed = [sum(weight for weight, gates in states if not gates[unit]) for unit in (0, 1)]
    return sum((weight for weight, gates in states if gates == (0, 0)), Fraction(0)) - closed[0] * closed[1]


INDEPENDENCE = Claim(
    id="ols.gates.independence",
    title=r"Dependence of the blocks of $\tilde x$ behind gates that tile the space",
    protocol=r"Of the two blocks of $\tilde x$ behind two gates that tile the space exactly one is zero: they are "
    "dependent",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Function("dependence")(share), -share * (1 - share), evaluate=False),
    params=(Param(share, Interval.open(0, 1), "probability that gate 1 is open", (Rational(1, 2),)),),
    assumptions=(
        r"$x$ Gaussian, so that $\tilde x_k = 0$ where gate $k$ is closed and else almost surely not; $p = P(g_1 = 1)$",
        r"$\operatorname{dependence}(p) = P(\tilde x_1 = 0, \tilde x_2 = 0) - P(\tilde x_1 = 0) P(\tilde x_2 = 0)$, "
        "which is 0 for independent blocks",
    ),
    sources=(
        Source(
            NOTES,
            "section 3.3",
            note=r"$\tilde x = g(x) x$ is 0 wherever the gate is closed, so that it is not Gaussian where $x$ is; with "
            "two blocks there are no others to condition on, so that the sentence on Gaussian blocks stands "
            "(`ols.gates.conditional_independence`)",
            says=Says.UNSTATED,
        ),
    ),
    **rational(_by_counting),
    unchecked={
        Level.SYMBOLIC: "two states are counted; no step is left",
        Level.FLOATING: "the library evaluates moments and no probabilities of blocks",
    },
)

CLAIMS = (
    GATE_OBJECTIVE,
    PRINTED_OBJECTIVE,
    THREE_GATES,
    PRECISION,
    OVERLAP_WINS,
    SPAN,
    CONDITIONAL,
    INDEPENDENCE,
)
