"""Rules on Gaussian integrals over the line: the density, derivatives by a parameter, odd and Gaussian integrands."""

import sympy

from theory.gaussian.expectation import Expectation
from theory.proof.derivation import Step, StepError, rule
from theory.proof.rules.shared import pairs, require_equal, require_rewritten


@rule("as-integral")
def as_integral(before: sympy.Basic, step: Step) -> None:
    """E[f(z1)], z1 ~ N(0, v), is the integral over the line of f(u) exp(-u^2/(2 v))/sqrt(2 pi v).

    >>> from theory.expressions.symbols import z
    >>> u, v = sympy.Symbol("u", real=True), sympy.Symbol("v", positive=True)
    >>> mean = Expectation(sympy.erf(z(1)), sympy.Matrix([[v]]))
    >>> weight = sympy.exp(-(u**2) / (2 * v)) / sympy.sqrt(2 * sympy.pi * v)
    >>> integral = sympy.Integral(sympy.erf(u) * weight, (u, -sympy.oo, sympy.oo))
    >>> as_integral(mean, Step(integral, "the density of z1", "as-integral", (sympy.Tuple(mean, integral),)))
    """
    replacements = dict(pairs(step))
    for old, new in replacements.items():
        if not isinstance(old, Expectation) or old.cov.rows != 1:
            raise StepError(f"{old} is not an expectation over one Gaussian variable")
        u = _over_the_line(new)
        variance = old.cov[0, 0]
        weight = sympy.exp(-(u**2) / (2 * variance)) / sympy.sqrt(2 * sympy.pi * variance)
        if new.function != old.integrand.xreplace({old.bound_symbols[0]: u}) * weight:
            raise StepError(f"the integrand is not {old.integrand} times the density")
    require_rewritten(before, step, replacements)


@rule("under-the-integral")
def under_the_integral(before: sympy.Basic, step: Step) -> None:
    """F(m) = F(0) + int_0^m F'(s) ds with the derivative taken inside F(m) = int erf(l(u, m)) C exp(-a u^2 + ...) du.

    `using` holds pairs (F(m), the sum) and then m. The exchange is valid because erf has a bounded derivative, l is
    affine in m, and the weight decays and is free of m: d/dm of the integrand is at most a constant times the weight.

    >>> u, m, s = sympy.symbols("u m s", real=True)
    >>> line = (u, -sympy.oo, sympy.oo)
    >>> whole = sympy.Integral(sympy.erf(u + m) * sympy.exp(-(u**2)), line)
    >>> rate = sympy.Integral(2 * sympy.exp(-(u**2)) * sympy.exp(-((s + u) ** 2)) / sympy.sqrt(sympy.pi), line)
    >>> total = whole.xreplace({m: sympy.S.Zero}) + sympy.Integral(rate, (s, 0, m))
    >>> under_the_integral(whole, Step(total, "d/dm inside", "under-the-integral", (sympy.Tuple(whole, total), m)))
    """
    *rewritten, parameter = step.using
    replacements = {}
    for old, new in (tuple(item) for item in rewritten):
        u = _over_the_line(old)
        smooth, weight = _erf_and_weight(old.function, u)
        if weight.has(parameter):
            raise StepError(f"the weight {weight} depends on {parameter}")
        slope = smooth.args[0].diff(parameter)
        if slope.has(parameter, u):
            raise StepError(f"{smooth.args[0]} is not affine in {parameter} with a constant slope")
        running = [
            limit[0] for part in new.atoms(sympy.Integral) for limit in part.limits if limit[1:] == (0, parameter)
        ]
        if len(running) != 1:
            raise StepError(f"one integral from 0 to {parameter} is expected")
        rate = old.function.diff(parameter).xreplace({parameter: running[0]})
        start = sympy.Integral(old.function.xreplace({parameter: sympy.S.Zero}), *old.limits)
        expected = start + sympy.Integral(sympy.Integral(rate, *old.limits), (running[0], 0, parameter))
        if new != expected:
            raise StepError(f"the value at 0 and the integral of the derivative are {expected}")
        replacements[old] = new
    require_rewritten(before, step, replacements)


@rule("odd-integrand")
def odd_integrand(before: sympy.Basic, step: Step) -> None:
    """An absolutely integrable odd function has integral zero over the line; `using` holds pairs (integral, 0).

    >>> u = sympy.Symbol("u", real=True)
    >>> integral = sympy.Integral(sympy.erf(u) * sympy.exp(-(u**2)), (u, -sympy.oo, sympy.oo))
    >>> odd_integrand(integral, Step(sympy.S.Zero, "erf is odd", "odd-integrand", (sympy.Tuple(integral, 0),)))
    """
    replacements = dict(pairs(step))
    for old, new in replacements.items():
        u = _over_the_line(old)
        _erf_and_weight(old.function, u)
        if new != 0:
            raise StepError(f"an odd function integrates to zero, not to {new}")
        require_equal(old.function.subs(u, -u) + old.function, sympy.S.Zero, "the integrand is not odd")
    require_rewritten(before, step, replacements)


@rule("gaussian-integral")
def gaussian_integral(before: sympy.Basic, step: Step) -> None:
    """int C exp(-a u^2 + b u + c) du = C sqrt(pi/a) exp(c + b^2/(4 a)) over the line, a > 0.

    `using` holds pairs (integral, value); prefactors are compared by their squares and signs, exponents as fractions.

    >>> u, a = sympy.Symbol("u", real=True), sympy.Symbol("a", positive=True)
    >>> integral = sympy.Integral(sympy.exp(-a * u**2), (u, -sympy.oo, sympy.oo))
    >>> root = sympy.sqrt(sympy.pi / a)
    >>> gaussian_integral(integral, Step(root, "Gauss", "gaussian-integral", (sympy.Tuple(integral, root),)))
    """
    replacements = dict(pairs(step))
    for old, new in replacements.items():
        u = _over_the_line(old)
        front, exponent = _front_and_exponent(old.function)
        a, b, c = _quadratic(exponent, u)
        if front.has(u):
            raise StepError(f"the factor {front} of the exponential depends on {u}")
        claimed_front, claimed_exponent = _front_and_exponent(new)
        if sympy.cancel(sympy.together(claimed_exponent - (c + b**2 / (4 * a)))) != 0:
            raise StepError(f"the exponent is {sympy.factor(c + b**2 / (4 * a))}, not {claimed_exponent}")
        ratio = claimed_front / front
        if not ratio.is_positive or sympy.cancel(ratio**2 * a / sympy.pi) != 1:
            raise StepError(f"the factor is sqrt(pi/({a})) times that of the integrand, not {ratio} times it")
    nested = _nested(before, replacements)
    whole = {old: new for old, new in replacements.items() if before.has(old) or not nested}
    require_rewritten(before, step, {**whole, **nested})


def _nested(before: sympy.Basic, inner: dict[sympy.Basic, sympy.Basic]) -> dict[sympy.Basic, sympy.Basic]:
    """Return the same replacements inside outer integrals: SymPy writes a nested integral as one with two limits."""
    nested = {}
    for outer in before.atoms(sympy.Integral):
        innermost = sympy.Integral(outer.function, outer.limits[0])
        if len(outer.limits) > 1 and innermost in inner:
            nested[outer] = sympy.Integral(inner[innermost], *outer.limits[1:])
    return nested


def _over_the_line(integral: sympy.Basic) -> sympy.Symbol:
    """Return the variable of an integral from -oo to oo; StepError for any other integral."""
    single = isinstance(integral, sympy.Integral) and len(integral.limits) == 1
    if not single or integral.limits[0][1:] != (-sympy.oo, sympy.oo):
        raise StepError(f"{integral} is not an integral over the whole line")
    return integral.limits[0][0]


def _front_and_exponent(expr: sympy.Expr) -> tuple[sympy.Expr, sympy.Expr]:
    """Return C and P with expr = C exp(P)."""
    factors = sympy.Mul.make_args(expr)
    exponents = [factor.args[0] for factor in factors if isinstance(factor, sympy.exp)]
    front = sympy.Mul(*(factor for factor in factors if not isinstance(factor, sympy.exp)))
    return front, sympy.Add(*exponents)


def _quadratic(exponent: sympy.Expr, u: sympy.Symbol) -> tuple[sympy.Expr, sympy.Expr, sympy.Expr]:
    """Return a, b, c of the exponent -a u^2 + b u + c with a > 0."""
    if not exponent.is_polynomial(u) or sympy.Poly(exponent, u).degree() != 2:
        raise StepError(f"{exponent} is not quadratic in {u}")
    leading, linear, constant = sympy.Poly(exponent, u).all_coeffs()
    if not (-leading).is_positive:
        raise StepError(f"exp({exponent}) need not decay: the sign of {leading} is open")
    return -leading, linear, constant


def _erf_and_weight(integrand: sympy.Expr, u: sympy.Symbol) -> tuple[sympy.Expr, sympy.Expr]:
    """Return erf(l) and the Gaussian weight of an integrand erf(l) C exp(-a u^2 + b u + c)."""
    smooth = [factor for factor in sympy.Mul.make_args(integrand) if isinstance(factor, sympy.erf)]
    if len(smooth) != 1:
        raise StepError(f"{integrand} is not one erf times a Gaussian weight")
    weight = integrand / smooth[0]
    front, exponent = _front_and_exponent(weight)
    if front.has(u):
        raise StepError(f"the factor {front} depends on {u}")
    _quadratic(exponent, u)
    return smooth[0], weight
