"""The rule that checks conditioning on linear observations: the conditional law is recomputed from its equations."""

import sympy

from theory.expressions.functions import Phi, Relu
from theory.gaussian.derive.rules.replacements import equal
from theory.gaussian.expectation import Expectation, GivenExpectation, variables
from theory.proof.derivation import Step, StepError, rule
from theory.proof.rules.shared import require_same

FUNCTIONS = (sympy.Function, sympy.Max, sympy.Min, Phi, Relu)


@rule("observations")
def observations(before: sympy.Basic, step: Step) -> None:
    """E[f(z) | A z = b] = E[f(m + e)], e ~ N(0, C'), for m = K y and C' = C - K W K^T with K = C A^T.

    A m = b, A C' = 0 and W = W^T are enough: then e = z - K W A z is uncorrelated with A z, so that it is independent,
    and has the covariance C'; and K W b = K W A K y = K y. Variables that the observations express by others, the
    pairs in `using`, must differ from these forms by a variable without variance.

    The mean of z1 given z1 + z2 = 1 is 1/2 for independent variables of one variance:

    >>> from theory.expressions.symbols import z
    >>> asked = GivenExpectation(z(1), sympy.eye(2), sympy.Matrix([[1, 1]]), sympy.Matrix([1]))
    >>> half = sympy.Matrix([[sympy.S.Half]])
    >>> rest = sympy.Matrix([[1, -1], [-1, 1]]) / 2
    >>> new = Expectation(z(1) + sympy.S.Half, rest)
    >>> using = (sympy.Tuple(asked, new), half.as_immutable(), half.as_immutable(), sympy.Tuple())
    >>> observations(asked, Step(new, "regression", "observations", using))
    """
    if len(step.using) != 4 or len(step.using[0]) != 2:
        raise StepError("`using` holds the two expectations, y, W and the relations")
    (old, new), y, W, relations = step.using
    if not isinstance(old, GivenExpectation) or not isinstance(new, Expectation):
        raise StepError(f"{old} = {new} does not remove observations")
    gain = old.cov * old.A.T
    mean, cov = gain * y, old.cov - gain * W * gain.T
    for left, right, what in (
        (old.A * mean, old.values, "the observed mean"),
        (old.A * cov, sympy.zeros(*old.A.shape), "the covariance with an observation"),
        (W, W.T, "the symmetry of W"),
        (new.cov, cov, "the conditional covariance"),
    ):
        if left.shape != right.shape:
            raise StepError(f"{what} has the shape {left.shape}, not {right.shape}")
        for a, b in zip(left, right, strict=True):
            equal(a, b, what)
    names = sympy.Matrix(old.bound_symbols)
    table = dict(zip(names, mean, strict=True))
    for symbol in names:
        form = next((other for one, other in relations if one == symbol), symbol)
        slopes = sympy.Matrix([(symbol - form).diff(name) for name in names])
        if sympy.expand(symbol - form - (slopes.T * names)[0]) != 0 or variables(sympy.Add(*slopes)):
            raise StepError(f"{form} is not linear")
        equal((slopes.T * cov * slopes)[0], sympy.Integer(0), f"the variance of {symbol} - ({form})")
        table[symbol] += form
    for function in old.integrand.atoms(sympy.sign, sympy.Heaviside):
        if variables(function) and _lowest_terms(function.args[0].xreplace(table)) == 0:
            raise StepError(f"the argument of {function} is observed to be zero, where its value is a convention")
    _same_function(old.integrand.xreplace(table), new.integrand)
    require_same(before.xreplace({old: new}), step.expr, "after the replacement")
    if not before.has(old):
        raise StepError(f"{old} does not occur in the previous step")


def _same_function(left: sympy.Expr, right: sympy.Expr) -> None:
    """Raise StepError unless the two agree as functions of z, their functions of equal arguments being symbols."""
    names: dict[sympy.Expr, sympy.Symbol] = {}

    def named(expr: sympy.Expr) -> sympy.Expr:
        if not isinstance(expr, FUNCTIONS):
            return expr.func(*map(named, expr.args)) if expr.args else expr
        arguments = [_lowest_terms(argument) for argument in expr.args]
        # SymPy writes sin(-u) as -sin(u).
        number, written = expr.func(*arguments).as_coeff_Mul()
        if not isinstance(written, FUNCTIONS):
            return number * written
        same = next((other for other in names if _same_arguments(written, other)), written)
        return number * names.setdefault(same, sympy.Dummy(real=True))

    equal(named(left) - named(right), sympy.Integer(0), "the integrand")


def _same_arguments(one: sympy.Expr, other: sympy.Expr) -> bool:
    """Whether two functions are the same at arguments that are equal as fractions."""
    if one.func != other.func or len(one.args) != len(other.args):
        return False
    return all(a == b or sympy.cancel(a - b) == 0 for a, b in zip(one.args, other.args, strict=True))


def _lowest_terms(argument: sympy.Expr) -> sympy.Expr:
    """Return an argument as a sum over z1, z2, ... with coefficients in lowest terms."""
    used = sorted((s for s in argument.free_symbols if variables(s)), key=str)
    slopes = {s: sympy.cancel(argument.diff(s)) for s in used}
    if not used or any(variables(slope) for slope in slopes.values()):
        return sympy.cancel(argument)
    start = argument.xreplace(dict.fromkeys(used, sympy.Integer(0)))
    return sympy.Add(*(slope * s for s, slope in slopes.items())) + sympy.cancel(start)
