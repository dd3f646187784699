"""The rule that checks powers times signs: polynomials reduced face by face, from the highest degree down.

On the face where z_k = -c_k for the k in T, let z have the means m and the covariances c, and F be the product of the
signs that remain. The derivative along c_i of q F times the density integrates to zero:

    E[z_i q F] = m_i E[q F] + sum_j c_ij E[dq/dz_j F] + sum_(k not in T) c_ik E[q 2 delta(z_k + c_k) F/sign(z_k + c_k)],

whose last terms belong to the faces of T and one k more.
"""

from functools import lru_cache
from math import prod

import sympy
from sympy.polys.rings import PolyElement

from theory.expressions.algebra import is_zero
from theory.gaussian.derive.polynomial_ring import Entries, Rows
from theory.gaussian.derive.rules.replacements import equal, expectation_rule, offset_of, terms
from theory.gaussian.expectation import Expectation, marginal, variables
from theory.proof.derivation import StepError

Polynomial = dict[tuple[int, ...], PolyElement]


@expectation_rule("sign-powers")
def sign_powers(old: Expectation, new: sympy.Expr) -> None:
    """Compare the coefficient of each product of signs and Dirac factors with that of the reduced polynomial.

    E |z|^3 = 4 E delta(z) = 2 sqrt(2/pi):

    >>> from theory.expressions.symbols import z
    >>> point = Expectation(sympy.DiracDelta(z(1)), sympy.eye(1))
    >>> sign_powers(Expectation(z(1) ** 3 * sympy.sign(z(1)), sympy.eye(1)), 4 * point)
    """
    factors = sympy.Mul.make_args(old.integrand)
    signs = [f for f in factors if isinstance(f, sympy.sign)]
    powers = [f.as_base_exp() for f in factors if not isinstance(f, sympy.sign)]
    offsets = dict(map(offset_of, signs))
    if len(offsets) < len(signs) or not all(base.is_Symbol and n.is_Integer and n > 0 for base, n in powers):
        raise StepError(f"{old.integrand} is not a product of powers and signs of different variables")
    exponents = {variables(base)[0] - 1: int(n) for base, n in powers}
    entries = _entries(sympy.ImmutableDenseMatrix(old.cov), tuple(sorted(offsets.items())))
    expected: dict[Expectation, sympy.Expr] = {}
    for T, constant in _reduced(entries, tuple(exponents.get(i, 0) for i in range(old.cov.rows))).items():
        parts = (sympy.DiracDelta(f.args[0]) if offset_of(f)[0] in T else f for f in signs)
        front = sympy.Mul(*(2 / entries.scale[k] for k in T))
        expected[marginal(sympy.Mul(*parts), old.cov)] = front * entries.expr(constant)
    for coefficient, basis in terms(new):
        if basis not in expected:
            raise StepError(f"{basis} is not an expectation of these signs")
        expected[basis] -= coefficient
    for left in expected.values():
        if left != 0:
            equal(left, sympy.Integer(0), "the coefficient of an expectation of signs")


@lru_cache(maxsize=8)  # of all monomials of one integrand
def _entries(cov: sympy.ImmutableDenseMatrix, offsets: tuple[tuple[int, sympy.Expr], ...]) -> Entries:
    return Entries(cov, dict(offsets))


def _reduced(entries: Entries, powers: tuple[int, ...]) -> dict[Rows, PolyElement]:
    """Return the constants that remain on each face of the monomial with these powers."""
    faces: dict[Rows, Polynomial] = {T: {} for T in ((), *sorted(entries.inverses, key=len))}
    faces[()][powers] = entries.ring.one
    for T, polynomial in faces.items():
        if not polynomial:
            continue
        mean, cov = _law(entries, T)
        next_faces = {k: _next(entries, T, k, mean[k], cov) for k in entries.offsets if k not in T}
        for degree in range(max(map(sum, polynomial)), 0, -1):
            for monomial in [m for m in polynomial if sum(m) == degree]:
                front = polynomial.pop(monomial)
                i = max(i for i, power in enumerate(monomial) if power)
                rest = _less(monomial, i)
                _add(polynomial, rest, front * mean[i])
                for j, power in enumerate(rest):
                    if power:
                        _add(polynomial, _less(rest, j), power * front * cov[i][j])
                for k, face in next_faces.items():
                    if face is not None:
                        _add(faces[face], rest, front * cov[i][k])
    return {T: constant for T, polynomial in faces.items() for constant in polynomial.values()}


def _next(entries: Entries, T: Rows, k: int, mean: PolyElement, cov: list[list[PolyElement]]) -> Rows | None:
    """Return the face of T and k; None where z_k is constant on that of T, and then not -c_k."""
    face = tuple(sorted((*T, k)))
    if face in entries.inverses:
        return face
    for row in cov:
        equal(entries.expr(row[k]), sympy.Integer(0), f"the conditional covariances of z{k + 1}")
    if is_zero(entries.expr(mean + entries.offsets[k])) is not False:
        raise StepError(f"the sign of z{k + 1} may vanish where other signs do")
    return None


@lru_cache(maxsize=64)
def _law(entries: Entries, T: Rows) -> tuple[list[PolyElement], list[list[PolyElement]]]:
    """Return the means and covariances given z_k = -c_k for k in T, by the inverse of Cov(z_T)."""
    block = [[entries.cov[a][b] for b in T] for a in T]
    inverse = prod((entries.inverses[T[: size + 1]] for size in range(len(T))), start=entries.ring.one)
    weights = [[inverse * (-1) ** (a + b) * _minor(block, a, b) for b in range(len(T))] for a in range(len(T))]
    slopes = [
        [sum((row[a] * w for a, w in zip(T, column, strict=True)), entries.ring.zero) for column in weights]
        for row in entries.cov
    ]
    rows = range(len(entries.cov))
    zero = entries.ring.zero
    mean = [-sum((s * entries.offsets[k] for s, k in zip(slopes[i], T, strict=True)), zero) for i in rows]
    cov = [
        [
            entries.cov[i][j] - sum((s * entries.cov[k][j] for s, k in zip(slopes[i], T, strict=True)), zero)
            for j in rows
        ]
        for i in rows
    ]
    return mean, cov


def _minor(block: list[list[PolyElement]], row: int, column: int) -> PolyElement | int:
    """The determinant without a row and a column."""
    rest = [[x for b, x in enumerate(line) if b != column] for a, line in enumerate(block) if a != row]
    if not rest:
        return 1
    return sum((-1) ** b * x * _minor(rest, 0, b) for b, x in enumerate(rest[0]))


def _less(monomial: tuple[int, ...], index: int) -> tuple[int, ...]:
    return tuple(power - (k == index) for k, power in enumerate(monomial))


def _add(polynomial: Polynomial, monomial: tuple[int, ...], front: PolyElement) -> None:
    if front:
        polynomial[monomial] = polynomial[monomial] + front if monomial in polynomial else front
