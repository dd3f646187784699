"""The rule that checks conditioning: a Dirac factor is a density times a conditional expectation."""

import sympy

from theory.expressions.symbols import z
from theory.gaussian.derive.rules.replacements import equal, expectation_rule, offset_of, one_term
from theory.gaussian.expectation import Expectation, variables
from theory.proof.derivation import StepError


@expectation_rule("density")
def density(old: Expectation, new: sympy.Expr) -> None:
    """Compare with the density of the fixed variables at -c and the conditional law; arguments of signs may be scaled.

    E delta(z) = 1/sqrt(2 pi), and not 1/sqrt(pi):

    >>> point = Expectation(sympy.DiracDelta(z(1)), sympy.eye(1))
    >>> density(point, 1 / sympy.sqrt(2 * sympy.pi))
    >>> density(point, 1 / sympy.sqrt(sympy.pi))
    Traceback (most recent call last):
    theory.proof.derivation.StepError: the density's factor: ...
    """
    factors = sympy.Mul.make_args(old.integrand)
    at = [offset_of(f) for f in factors if isinstance(f, sympy.DiracDelta)]
    if not at:
        raise StepError("there is no Dirac factor")
    fixed, values = [row for row, _ in at], -sympy.Matrix([c for _, c in at])
    rest = [f for f in factors if not isinstance(f, sympy.DiracDelta)]
    block = old.cov.extract(fixed, fixed)
    determinant = block.det()
    weights = block.adjugate() / determinant
    coefficient, inner = one_term(new)
    exponent = sympy.Add(*(f.args[0] for f in sympy.Mul.make_args(coefficient) if isinstance(f, sympy.exp)))
    front = sympy.Mul(*(f for f in sympy.Mul.make_args(coefficient) if not isinstance(f, sympy.exp)))
    equal(front, 1 / sympy.sqrt((2 * sympy.pi) ** len(fixed) * determinant), "the density's factor")
    equal(exponent, -(values.T * weights * values)[0, 0] / 2, "the density's exponent")
    free = sorted({index - 1 for f in rest for index in variables(f)})
    if not free or inner is None:
        if free or inner is not None:
            raise StepError("the remaining factors and the conditional expectation do not match")
        return
    cross = old.cov.extract(free, fixed)
    mean = cross * weights * values
    schur = old.cov.extract(free, free) - cross * weights * cross.T
    only_signs = all(isinstance(f, sympy.sign) for f in rest)
    units = (sympy.sqrt(determinant), determinant, sympy.Integer(1)) if only_signs else (sympy.Integer(1),)
    wrong = ""
    for unit in units:
        try:
            _conditional(rest, free, mean, schur, unit, inner)
            return
        except StepError as error:
            wrong = str(error)
    raise StepError(wrong)


def _conditional(
    rest: list, free: list[int], mean: sympy.MatrixBase, schur: sympy.MatrixBase, unit: sympy.Expr, inner: Expectation
) -> None:
    """Raise StepError unless `inner` is the conditional expectation of `rest`, arguments of signs times `unit`."""
    if inner.cov.rows != len(free):
        raise StepError(f"{len(free)} variables are left, not {inner.cov.rows}")
    for i in range(len(free)):
        for j in range(i + 1):
            equal(schur[i, j] * unit**2, inner.cov[i, j], f"the conditional covariance {i + 1}, {j + 1}")
    for i, row in enumerate(free):
        before = [f for f in rest if variables(f) == [row + 1]]
        after = [f for f in sympy.Mul.make_args(inner.integrand) if variables(f) == [i + 1]]
        if len(before) == len(after) == 1 and isinstance(before[0], sympy.sign) and isinstance(after[0], sympy.sign):
            equal((offset_of(before[0])[1] + mean[i]) * unit, offset_of(after[0])[1], f"the offset of z{i + 1}")
        elif any(f.has(sympy.sign) for f in (*before, *after)):
            raise StepError(f"{after} does not come from {before}")
        else:
            shifted = sympy.Mul(*before).xreplace({z(row + 1): z(i + 1) + mean[i]})
            equal(shifted, sympy.Mul(*after), f"the factor in z{i + 1}")
    if any(len(variables(f)) != 1 for f in sympy.Mul.make_args(inner.integrand)):
        raise StepError("each factor must be a function of one variable")
