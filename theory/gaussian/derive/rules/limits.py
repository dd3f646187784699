"""The rule that checks limits in a gain: the limit of an expectation is the expectation of the limit."""

import sympy

from theory.gaussian.derive.rules.moves import linearity
from theory.gaussian.expectation import Expectation
from theory.proof.derivation import Step, StepError, rule
from theory.proof.rules.shared import pairs


@rule("dominated-convergence")
def dominated_convergence(before: sympy.Basic, step: Step) -> None:
    """Every erf of a g + b is replaced by its limit as a function of z; the new integrand must agree with that.

    E sign(z1) erf(g z2) tends to E sign(z1) sign(z2) as g -> oo:

    >>> from theory.expressions.symbols import z
    >>> g = sympy.Symbol("g", positive=True)
    >>> old, new = (Expectation(sympy.sign(z(1)) * f, sympy.ones(2)) for f in (sympy.erf(g * z(2)), sympy.sign(z(2))))
    >>> using = (sympy.Tuple(old, new), g, sympy.oo)
    >>> dominated_convergence(sympy.Limit(old, g, sympy.oo), Step(new, "|erf| <= 1", "dominated-convergence", using))
    """
    *_, symbol, to = step.using
    ((old, new),) = pairs(Step(step.expr, step.why, step.rule, step.using[:1]))
    if before != sympy.Limit(old, symbol, to) or step.expr != new or new.cov != old.cov or not symbol.is_positive:
        raise StepError("the limit of one expectation is the expectation of the limit")
    table = {}
    for function in old.integrand.atoms(sympy.Function):
        if not function.has(symbol):
            continue
        slope = function.args[0].diff(symbol)
        if not isinstance(function, sympy.erf) or slope.has(symbol):
            raise StepError(f"{function} is not an erf of a form linear in {symbol}")
        start = sympy.expand(function.args[0] - symbol * slope)
        tangent = 2 * slope * symbol / sympy.sqrt(sympy.pi)
        table[function] = sympy.sign(slope) if to is sympy.oo else tangent if start == 0 else sympy.erf(start)
    limit = sympy.Integer(0)
    for term in sympy.Add.make_args(sympy.expand(old.integrand.xreplace(table))):
        rest, power = term.as_independent(symbol)
        limit += rest * sympy.limit(power, symbol, to)
    if not table or limit.has(sympy.oo, -sympy.oo, sympy.zoo, sympy.nan):
        raise StepError("the integrand has no finite limit")
    linearity(Expectation(limit, old.cov), new)
