"""The objective of three exclusive gates on one input, for which the matrix of (18) has no inverse.

Localization notes, eq. (18). Its matrix m_1 m_1^T + m_0 m_0^T has rank at most 2 for any gates, so that it has an
inverse only for at most two gated inputs, K n <= 2.
"""

from collections.abc import Mapping
from fractions import Fraction

import sympy
from flint import fmpq, fmpq_mat
from sympy import Eq, Integer, Interval

from theory.claims import reasons
from theory.claims.documents import NOTES
from theory.claims.finite_data import Sample, gradient, half_mse
from theory.claims.model import Claim, Kind, Level, Param, Point
from theory.claims.points import exact_values
from theory.claims.rational import rational
from theory.claims.slips import SECOND_MOMENTS
from theory.claims.sources import Reading, Source

_GATES = (1, 2, 3)
_ONE = sympy.symbols("a1:4", positive=True)  # where gate k is open: the input of class y = 1, and that of y = 0
_ZERO = sympy.symbols("b1:4", positive=True)
_SHOWN = (
    r"\mathcal{L}^* = \langle \tilde g \otimes x \rangle_1^{\top} \left( \langle \tilde g \otimes x \rangle_1 "
    r"\langle \tilde g \otimes x \rangle_1^{\top} + \langle \tilde g \otimes x \rangle_0 "
    r"\langle \tilde g \otimes x \rangle_0^{\top} \right)^{-1} \langle \tilde g \otimes x \rangle_1"
)


def _printed() -> sympy.Expr:
    """m_1^T (m_1 m_1^T + m_0 m_0^T)^-1 m_1 by cofactors, with m_1 = a/3 and m_0 = b/3: nothing is cancelled."""
    outer = sympy.Matrix(3, 3, lambda i, j: (_ONE[i] * _ONE[j] + _ZERO[i] * _ZERO[j]) / 9)
    first = sympy.Matrix(_ONE) / 3
    cofactors = outer.adjugate()
    return sympy.Mul(
        sum(first[i] * cofactors[i, j] * first[j] for i in range(3) for j in range(3)),
        sympy.Pow(outer.det(), -1, evaluate=False),
        evaluate=False,
    )


def _objective(point: Point) -> Fraction:
    """1 - 2 min <(y - beta.x~)^2> for six equally likely samples: the gradient vanishes at the best beta."""
    at = exact_values(point)
    data = half_mse(list(_samples(at)), Fraction(1))
    origin = gradient(data, [Fraction(0)] * 3)
    columns = []
    for k in range(3):
        moved = gradient(data, [Fraction(int(index == k)) for index in range(3)])
        columns.append([_exact(a - b) for a, b in zip(moved, origin, strict=True)])
    solved = fmpq_mat(3, 3, [columns[j][i] for i in range(3) for j in range(3)]).solve(
        fmpq_mat(3, 1, [_exact(-entry) for entry in origin])
    )
    best = [Fraction(int(solved[i, 0].p), int(solved[i, 0].q)) for i in range(3)]
    return 1 - 4 * data(best)


def _samples(at: Mapping[str, Fraction]):
    """Each gate is open at one input of either class."""
    for index, k in enumerate(_GATES):
        gates = tuple(int(other == index) for other in range(3))
        for name, label in (("a", 1), ("b", 0)):
            yield Sample(Fraction(1, 6), gates, (at[f"{name}{k}"],), Fraction(label))


def _exact(value: Fraction) -> fmpq:
    return fmpq(value.numerator, value.denominator)


THREE_GATES = Claim(
    id="ols.gates.three_gates",
    title="(18) has no inverse for $K n > 2$: the objective of three exclusive gates on one input",
    kind=Kind.EQUATION,
    statement=Eq(
        sympy.Symbol(r"\mathcal{L}^*", real=True),
        sum(a**2 / (a**2 + b**2) for a, b in zip(_ONE, _ZERO, strict=True)) / 3,
        evaluate=False,
    ),
    params=tuple(
        Param(entry, Interval.open(0, 3), f"the input of class $y = {label}$ at which gate {k} is open")
        for entries, label in ((_ONE, 1), (_ZERO, 0))
        for entry, k in zip(entries, _GATES, strict=True)
    ),
    assumptions=(
        "three exclusive gates on one input, $K n = 3$, each open at one input of either class, all equally likely; "
        "labels 1 and 0",
        r"so $\langle \tilde x \rangle_1 = a/3$, and $\langle \tilde x \tilde x^\top \rangle_1 + \langle \tilde x "
        r"\tilde x^\top \rangle_0$ has the diagonal $(a_k^2 + b_k^2)/3$",
    ),
    sources=(
        Source(
            NOTES,
            "(18)",
            printed=_printed(),
            note=r"$m_1 m_1^\top + m_0 m_0^\top$ has rank 2 at most, so that it is singular for $K n > 2$; "
            r"$m_1 = \langle \tilde g \otimes x \rangle$ in class 1; in the example gate $k$ is open at one "
            "input of each class, $a_k$ of class 1 and $b_k$ of class 0, and all six are equally likely",
            readings=(Reading("the pseudo-inverse in the place of the inverse, which gives 1", Integer(1)),),
            slip=SECOND_MOMENTS,
            shown=_SHOWN,
        ),
    ),
    **rational(_objective),
    unchecked={
        Level.SYMBOLIC: "a least-squares problem of six samples, solved in fractions",
        Level.FLOATING: reasons.FINITE_DATA,
    },
)
