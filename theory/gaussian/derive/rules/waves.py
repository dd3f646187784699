"""The rule that checks expectations of sines and cosines, by the exponentials exp(+-i u) of which they consist."""

import sympy

from theory.gaussian.derive.rules.replacements import equal, expectation_rule, terms
from theory.gaussian.expectation import Expectation
from theory.proof.derivation import StepError


@expectation_rule("characteristic-function")
def characteristic_function(old: Expectation, new: sympy.Expr) -> None:
    """Completing the square for exp(i u) and exp(-i u): the Gaussian's mean becomes i C a and -i C a for u = a.z + h.

    E cos(z1) = exp(-1/2):

    >>> from theory.expressions.symbols import z
    >>> characteristic_function(Expectation(sympy.cos(z(1)), sympy.eye(1)), sympy.exp(-sympy.S.Half))
    """
    factors = sympy.Mul.make_args(old.integrand)
    waves = [factor for factor in factors if isinstance(factor, sympy.sin | sympy.cos)]
    if len(waves) != 1:
        raise StepError("one sine or cosine is expected")
    argument, names = waves[0].args[0], old.bound_symbols
    offset = argument.xreplace(dict.fromkeys(names, sympy.Integer(0)))
    a = sympy.Matrix([argument.diff(symbol) for symbol in names])
    if sympy.expand(argument - offset - sum(c * s for c, s in zip(a, names, strict=True))) != 0:
        raise StepError(f"{argument} is not affine")
    mean = old.cov * a
    # Factors that are no powers must not change under the shift: each becomes a symbol.
    fixed = {factor: sympy.Dummy(real=True) for factor in factors if factor.has(sympy.sign, sympy.erf)}
    for factor in fixed:
        change = sum(m * factor.args[0].diff(s) for m, s in zip(mean, names, strict=True))
        equal(sympy.expand(change), sympy.Integer(0), f"the covariance of {factor} with {waves[0]}")
    rest = sympy.Mul(*(factor for factor in factors if factor is not waves[0])).xreplace(fixed)
    if not rest.is_polynomial(*names, *fixed.values()):
        raise StepError(f"{rest} is not a polynomial")
    up, down = (
        rest.subs({s: s + side * sympy.I * m for s, m in zip(names, mean, strict=True)}, simultaneous=True)
        for side in (1, -1)
    )
    real, imaginary = sympy.expand((up + down) / 2), sympy.expand((up - down) / (2 * sympy.I))
    cosine, sine = sympy.cos(offset), sympy.sin(offset)
    wanted = cosine * real - sine * imaginary if isinstance(waves[0], sympy.cos) else sine * real + cosine * imaginary
    total = sympy.Integer(0)
    for coefficient, part in terms(new):
        if part is not None and part.cov != old.cov:
            raise StepError("a shift does not change the covariance")
        total += coefficient * (part.integrand.xreplace(fixed) if part is not None else 1)
    equal(total, sympy.exp(-(a.T * mean)[0, 0] / 2) * wanted, "the shifted integrand")
