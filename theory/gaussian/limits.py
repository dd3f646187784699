"""Limits of expectations in a gain: g -> oo, where erfs become signs, and g -> 0, where they become linear.

Limit and expectation are exchanged by dominated convergence: |erf(u)| <= 1 and |erf(g u)/g| <= 2|u|/sqrt(pi), and the
powers and exponentials of linear forms that stay have Gaussian moments of every order.
"""

from dataclasses import replace

import sympy

from theory.expressions.balls.precision import decimals
from theory.gaussian.derive.engine import derive
from theory.gaussian.derive.integrand import affine, expand
from theory.gaussian.expectation import Expectation, GivenExpectation, variables
from theory.gaussian.moment import Moment
from theory.problem.errors import InputError, OutOfReachError
from theory.proof.derivation import Derivation, Step

WHY = {
    sympy.oo: r"dominated convergence: $\lvert \operatorname{erf} \rvert \leq 1$, and $\operatorname{erf}(g u)$ "
    r"tends to $\operatorname{sign}(u)$ for almost every $u$",
    sympy.S.Zero: r"dominated convergence: $\lvert \operatorname{erf}(g u)/g \rvert \leq 2 \lvert u "
    r"\rvert/\sqrt{\pi}$, and $\operatorname{erf}(g u)/g$ tends to $2 u/\sqrt{\pi}$",
}


@decimals()
def limit(moment: Moment, name: str, to: sympy.Expr) -> Moment:
    """Return the limit of E[f] as the positive parameter `name` tends to oo or to 0, derived from the limit of f.

    f may have powers of the parameter as factors, as in erf(g*z1)/g. Raises InputError for another parameter or
    limit, and OutOfReachError where f has no limit, or depends on the parameter other than through such factors and
    erfs of forms linear in it.

    >>> from theory.gaussian.moment import expect
    >>> from theory.expressions.symbols import z
    >>> g, rho = sympy.Symbol("g", positive=True), sympy.Symbol("rho", real=True)
    >>> steps = expect(sympy.Heaviside(z(1)) * sympy.erf(g * z(2)), [[1, rho], [rho, 1]])
    >>> limit(steps, "g", sympy.oo).closed_form
    asin(rho)/pi
    """
    before = Expectation(moment.expr, moment.cov)
    symbol = next((s for s in before.free_symbols if s.name == name), None)
    conditional = moment.given
    elsewhere = moment.cov if conditional is None else sympy.Tuple(*conditional.args[1:])
    if symbol is None or not symbol.is_positive or symbol in elsewhere.free_symbols:
        raise InputError(f"{name} is not a positive parameter of the integrand.", "Limits are taken in gains.")
    if to not in WHY:
        raise InputError(f"No limit {name} -> {to}.", f"Write {name}->oo or {name}->0.")
    integrand = _integrand(moment.expr, symbol, to)
    after = Expectation(integrand, moment.cov)
    start = sympy.Limit(moment.expectation, symbol, to)
    rest = derive(integrand, moment.cov)
    condition = ()
    if conditional is not None:
        condition = (replace(moment.derivation.steps[1], expr=sympy.Limit(before, symbol, to)),)
        conditional = GivenExpectation(_integrand(conditional.integrand, symbol, to), *conditional.args[1:])
    first = (
        Step(start, "the limit asked for", "definition"),
        *condition,
        Step(after, WHY[to], "dominated-convergence", (sympy.Tuple(before, after), symbol, to)),
    )
    proves = sympy.Eq(start, rest.proves.rhs, evaluate=False)
    return Moment(integrand, moment.cov, Derivation("gaussian.limit", proves, (*first, *rest.steps[1:])), conditional)


def _integrand(integrand: sympy.Expr, symbol: sympy.Symbol, to: sympy.Expr) -> sympy.Expr:
    """The limit of an integrand, product by product."""
    return sympy.Add(*(_term(product, c, symbol, to) for product, c in expand(integrand).items()))


def _term(product: tuple[sympy.Expr, ...], c: sympy.Expr, g: sympy.Symbol, to: sympy.Expr) -> sympy.Expr:
    """The limit of one product and its coefficient."""
    factors = []
    for atom in product:
        if not atom.has(g):
            factors.append(atom)
        elif not isinstance(atom, sympy.erf):
            raise OutOfReachError(f"{atom} depends on {g} and is no erf.", "Take limits in gains of erfs only.")
        else:
            slope, rest = _linear_in(atom.args[0], g)
            if to is sympy.oo:
                factors.append(sympy.sign(slope))
            elif rest == 0:
                factors.append(2 * slope / sympy.sqrt(sympy.pi))
                c *= g
            else:
                factors.append(sympy.erf(rest))
    front = sympy.limit(c, g, to, "+" if to == 0 else "-")
    if not front.is_finite:
        raise OutOfReachError(
            f"The coefficient {c} of a term has no finite limit as {g} -> {to}.", f"Change the power of {g} in front."
        )
    return front * sympy.Mul(*factors)


def _linear_in(argument: sympy.Expr, g: sympy.Symbol) -> tuple[sympy.Expr, sympy.Expr]:
    """Return a and b of a g + b, where a contains a Gaussian variable; else OutOfReachError."""
    argument = sympy.expand(argument)
    slope = argument.coeff(g)
    rest = sympy.expand(argument - g * slope)
    if rest.has(g) or not variables(slope):
        raise OutOfReachError(
            f"{argument} is not {g} times a Gaussian variable plus terms without {g}.", "Take limits in gains only."
        )
    affine(slope)
    return slope, rest
