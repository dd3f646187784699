"""Every step of real derivations with a fault planted in what it claims: none passes its rule, none crashes it."""

import random
from itertools import chain, pairwise

import pytest
import sympy
from sympy import DiracDelta, Heaviside, Rational, erf, exp, sign

from theory.expressions.functions import Phi, Relu
from theory.expressions.symbols import z
from theory.gaussian.expectation import Expectation
from theory.gaussian.moment import expect
from theory.proof.derivation import RULES, Step, StepError
from theory.proof.rules.shared import replaced

g, rho = sympy.Symbol("g", positive=True), sympy.Symbol("rho", real=True)
a, b, c = sympy.symbols("a b c", real=True)
z1, z2, z3 = (z(k) for k in (1, 2, 3))
PAIR = sympy.Matrix([[1, rho], [rho, 1]])
THREE = sympy.Matrix([[1, a, b], [a, 1, c], [b, c, 1]])
OFF = Rational(1, 7)
MOST = 5  # mutants of each claim

DERIVED = [
    (Heaviside(z1 - OFF) * Heaviside(z2 + 1), PAIR),
    (exp(z1 + z2) * Relu(z1), PAIR),
    (Heaviside(z1) * Heaviside(z2) * erf(z3), THREE),
    (abs(z1 - z2) * z1, [[1, Rational(1, 3)], [Rational(1, 3), 2]]),
    (Phi(z1) * Phi(g * z2), PAIR),
    (z1**4 * z2**3 * Heaviside(z2 - OFF), PAIR),
]


def other_factors(factor):
    """The factors that a factor is mistaken for."""
    if factor.is_Symbol:
        return [sign(factor), factor**2, factor + 1, sympy.Integer(1)]
    if isinstance(factor, sign):
        return [factor.args[0], sign(factor.args[0] + OFF), sympy.Integer(1), erf(factor.args[0])]
    return [DiracDelta(factor.args[0] + OFF), sympy.Integer(1)] if isinstance(factor, DiracDelta) else []


def mutants(claimed, rng):
    altered = [-claimed, 2 * claimed, claimed + 1]
    for e in claimed.atoms(Expectation):
        i, j = rng.randrange(e.cov.rows), rng.randrange(e.cov.rows)
        moved = e.cov.as_mutable()
        moved[i, j] = moved[j, i] = moved[i, j] + OFF
        altered.append(claimed.xreplace({e: Expectation(e.integrand, moved)}))
        for factor in sympy.Mul.make_args(e.integrand):
            for other in other_factors(factor):
                altered.append(claimed.xreplace({e: Expectation(e.integrand / factor * other, e.cov)}))
    changed = [mutant for mutant in altered if mutant != claimed]
    return rng.sample(changed, min(MOST, len(changed)))


def test_no_planted_fault_passes():
    rng = random.Random(5)
    for before, step in chain.from_iterable(pairwise(expect(*case).derivation.steps) for case in DERIVED):
        claims = [pair for pair in step.using if isinstance(pair.args[0], Expectation)]
        for old, claimed in (pair.args for pair in claims):
            for mutant in mutants(claimed, rng):
                claim = {pair.args[0]: pair.args[1] for pair in claims} | {old: mutant}
                using = tuple(sympy.Tuple(*pair) for pair in claim.items())
                after = replaced(before.expr, claim)
                with pytest.raises(StepError):
                    RULES[step.rule](before.expr, Step(after, step.why, step.rule, using))
