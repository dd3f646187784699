"""The rule that checks noisy signs: every factor becomes the sign, or a power, of one Gaussian variable of its own."""

import sympy

from theory.gaussian.derive.rules.replacements import equal, expectation_rule, offset_of
from theory.gaussian.expectation import Expectation, variables
from theory.proof.derivation import StepError


@expectation_rule("noisy-sign")
def noisy_sign(old: Expectation, new: sympy.Expr) -> None:
    """Covariances and offsets match in some order of the factors; an erf's argument times sqrt 2 gets unit noise.

    erf(z1) is the mean of sign(sqrt 2 z1 + noise), whose variance is 2 + 1:

    >>> from theory.expressions.symbols import z
    >>> noisy_sign(Expectation(sympy.erf(z(1)), sympy.eye(1)), Expectation(sympy.sign(z(1)), sympy.Matrix([[3]])))
    """
    if not isinstance(new, Expectation):
        raise StepError(f"{new} is not an expectation")
    factors = []
    for factor in sympy.Mul.make_args(old.integrand):
        base, exponent = factor.as_base_exp()
        factors += [factor] if base.is_Symbol else [base] * int(exponent)
    targets = sorted(sympy.Mul.make_args(new.integrand), key=variables)
    if len(targets) != len(factors) or [variables(f) for f in targets] != [[k + 1] for k in range(len(factors))]:
        raise StepError("each factor must become a function of a variable of its own")
    _match(_NoisySigns(old, factors), targets, new.cov, ())


class _NoisySigns:
    """Factors f(u), with kind and power of each target, and the law of root u + noise (root = sqrt 2 for erf)."""

    def __init__(self, old: Expectation, factors: list[sympy.Expr]) -> None:
        self.factors = factors
        bases, self.powers = zip(*((f, 1) if f.is_Function else f.as_base_exp() for f in factors), strict=True)
        self.kinds = [sympy.sign if isinstance(base, sympy.erf) else base.func for base in bases]
        arguments = [base if base.is_Symbol else base.args[0] for base in bases]
        roots = [sympy.sqrt(2) if isinstance(base, sympy.erf) else sympy.Integer(1) for base in bases]
        noise = sympy.diag(*(1 if isinstance(base, sympy.erf) else 0 for base in bases))
        at_zero = dict.fromkeys(old.bound_symbols, sympy.Integer(0))
        self.offsets = [root * argument.xreplace(at_zero) for root, argument in zip(roots, arguments, strict=True)]
        gradient = sympy.Matrix(
            [[r * a.diff(s) for s in old.bound_symbols] for r, a in zip(roots, arguments, strict=True)]
        )
        self.cov = (gradient * old.cov * gradient.T + noise).applyfunc(sympy.expand)

    def unit(self, k: int, variance: sympy.Expr) -> sympy.Expr:
        """Return the divisor that gives a sign's variable the target's variance; 1 for powers, which depend on it."""
        alike = self.kinds[k] is not sympy.sign or self.cov[k, k] == variance
        return sympy.Integer(1) if alike else sympy.sqrt(self.cov[k, k] / variance)

    def require(self, k: int, target: sympy.Expr, cov: sympy.MatrixBase, before: tuple[int, ...]) -> None:
        """Raise StepError unless factor k becomes `target`, in the row of `cov` after those `before` it."""
        row = len(before)
        base, power = (target, 1) if target.is_Function else target.as_base_exp()
        if power != self.powers[k] or base.func is not self.kinds[k]:
            raise StepError(f"{self.factors[k]} does not become {target}")
        unit = self.unit(k, cov[row, row])
        if target.is_Function:
            equal(self.offsets[k], offset_of(target)[1] * unit, f"the offset of factor {row + 1}")
        for column, other in enumerate((*before, k)):
            scaled = cov[row, column] * unit * self.unit(other, cov[column, column])
            equal(self.cov[k, other], scaled, f"the covariance of factors {row + 1} and {column + 1}")


def _match(noisy: _NoisySigns, targets: list[sympy.Expr], cov: sympy.MatrixBase, order: tuple[int, ...]) -> None:
    """Raise StepError unless `order` can be continued to one in which the factors become the targets."""
    if len(order) == len(targets):
        return
    wrong = None
    for k in range(len(targets)):
        try:
            if k not in order:
                noisy.require(k, targets[len(order)], cov, order)
                _match(noisy, targets, cov, (*order, k))
                return
        except StepError as error:
            wrong = wrong or error
    raise wrong
