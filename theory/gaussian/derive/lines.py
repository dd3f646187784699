"""Averages beyond the engine: sums of products of functions, each of one linear form, as one-dimensional integrals.

The terms of a sum are averaged one by one and independent factors separately. A function of a linear form a.z alone is
averaged over one variable of variance a.C a. If f(z) + f(-z) is constant, its average is f(0).
"""

import sympy

from theory.expressions.algebra import is_zero
from theory.expressions.functions import Phi, Relu
from theory.expressions.symbols import z
from theory.gaussian.derive import moves
from theory.gaussian.derive.integrand import Form
from theory.gaussian.expectation import Expectation, Quadrature, marginal, variables
from theory.problem.errors import OutOfReachError

# Places at which functions are compared.
POINTS = (0.3, 1, 3, 10, 100)
# Functions without poles that grow no faster than their arguments.
TAME = (
    *(sympy.tanh, sympy.erf, sympy.erfc, sympy.sin, sympy.cos, sympy.atan, sympy.sign, sympy.Heaviside),
    *(sympy.Abs, sympy.Max, sympy.Min, Phi, Relu),
)


def terms(e: Expectation) -> sympy.Expr | None:
    """E of a sum is the sum of E of its terms; a function of one linear form without parameters stays whole.

    >>> terms(Expectation((1 + z(2)) * sympy.tanh(z(1)), sympy.eye(2)))
    E[z2*tanh(z1); cov=[[1, 0], [0, 1]]] + E[tanh(z1); cov=[[1, 0], [0, 1]]]
    """
    if not e.free_symbols and form_of(e.integrand) is not None:
        return None
    parts = sympy.Add.make_args(sympy.expand(e.integrand, deep=False))
    if len(parts) == 1:
        return None
    return sympy.Add(*(_scaled(part, e.cov) for part in parts))


def _scaled(part: sympy.Expr, cov: sympy.MatrixBase) -> sympy.Expr:
    number, rest = part.as_independent(*(z(index) for index in variables(part)), as_Add=False)
    return number * Expectation(rest, cov) if variables(rest) else part


def form_of(expr: sympy.Expr) -> Form | None:
    """Return the linear form on which alone an expression depends, up to a factor; None where there is no such form.

    >>> form_of(sympy.tanh(2 * z(1) - 2 * z(2)) * (z(2) - z(1) + 3)), form_of(z(1) * sympy.tanh(z(2)))
    ({1: -1, 2: 1}, None)
    """
    forms = list(_forms(expr))
    if not forms:
        return None
    first = forms[0]
    return first if all(_ratio(form, first) is not None for form in forms) else None


def _forms(expr: sympy.Expr) -> list[Form]:
    """Return the linear parts of the largest parts of an expression that are affine in z1, z2, ...."""
    used = variables(expr)
    if not used:
        return []
    if _is_affine(expr):
        return [{index: expr.diff(z(index)) for index in used}]
    if not expr.is_Add:
        return [form for part in expr.args for form in _forms(part)]
    affine = sympy.Add(*(part for part in expr.args if _is_affine(part)))
    return [*_forms(affine), *(form for part in expr.args if not _is_affine(part) for form in _forms(part))]


def _is_affine(expr: sympy.Expr) -> bool:
    symbols = [z(index) for index in variables(expr)]
    return not symbols or (expr.is_polynomial(*symbols) and sympy.Poly(expr, *symbols).total_degree() == 1)


def _ratio(form: Form, other: Form) -> sympy.Expr | None:
    """Return the factor by which one form is a multiple of another, else None."""
    if form.keys() != other.keys():
        return None
    ratios = {sympy.cancel(form[index] / other[index]) for index in form}
    return ratios.pop() if len(ratios) == 1 else None


def independence(e: Expectation) -> sympy.Expr | None:
    """E[f g] = E f E g for two uncorrelated groups of variables; a factor keeps its variables in one group.

    >>> independence(Expectation(z(3) * sympy.tanh(z(1) - z(2)), sympy.eye(3)))
    E[z1; cov=[[1]]]*E[tanh(z1 - z2); cov=[[1, 0], [0, 1]]]
    """
    factors = sympy.Mul.make_args(e.integrand)
    groups = moves.components(e.cov, variables(e.integrand))
    for used in map(variables, factors):
        joined = [group for group in groups if set(group) & set(used)]
        groups = [group for group in groups if group not in joined]
        groups += [sorted(index for group in joined for index in group)] if joined else []
    first = set(min(groups))
    parts = [sympy.Mul(*(f for f in factors if (set(variables(f)) <= first) is inside)) for inside in (True, False)]
    return None if len(groups) == 1 else sympy.Mul(*(marginal(part, e.cov) for part in parts))


def one_form(e: Expectation) -> sympy.Expr | None:
    """E f(a.z) over several variables is E f(u) over one variable u of variance a.C a.

    >>> one_form(Expectation(sympy.tanh(z(1) - z(2)) ** 2, sympy.eye(2)))
    E[tanh(z1)**2; cov=[[2]]]
    """
    form = form_of(e.integrand)
    if form is None or len(form) == 1:
        return None
    variance = sympy.cancel(moves.covariance_of(form, form, e.cov))
    return marginal(_along(e.integrand, form), sympy.Matrix([[variance]]))


def _along(expr: sympy.Expr, form: Form) -> sympy.Expr:
    """Return an expression with z1 in place of the linear form on which it depends."""
    used = variables(expr)
    if not used:
        return expr
    if _is_affine(expr):
        offset = expr.xreplace({z(index): sympy.Integer(0) for index in used})
        return sympy.cancel(expr.diff(z(used[0])) / form[used[0]]) * z(1) + offset
    if expr.is_Add:
        affine = sympy.Add(*(part for part in expr.args if _is_affine(part)))
        return _along(affine, form) + sympy.Add(*(_along(part, form) for part in expr.args if not _is_affine(part)))
    return expr.func(*(_along(part, form) for part in expr.args))


def require_integrable(e: Expectation, refusal: OutOfReachError) -> None:
    """Raise `refusal` unless e is over one variable or of two functions; OutOfReachError if perhaps not integrable."""
    from theory.expressions.balls.growth import Growth

    factors = sympy.Mul.make_args(e.integrand)
    if e.cov.rows > 2 or any(len(variables(factor)) > 1 for factor in factors):
        raise refusal
    if not e.free_symbols:
        for function in Quadrature(e.integrand, e.cov).standard:
            Growth(z(1)).integrable(function, power=e.cov.rows)
    elif e.cov.rows == 2 or not _tame(e.integrand):
        raise refusal


def _tame(expr: sympy.Expr) -> bool:
    """Whether an expression with parameters has no poles and grows no faster than a polynomial."""
    powers = expr.atoms(sympy.Pow)
    tame = all(power.exp.is_Integer and power.exp.is_nonnegative for power in powers if variables(power))
    return tame and expr.atoms(sympy.Function) <= expr.atoms(*TAME)


def symmetry(e: Expectation) -> sympy.Expr | None:
    """E f(z) = f(0) where f(z) + f(-z) = 2 f(0) for every z, for an integrable f.

    >>> symmetry(Expectation(1 / (1 + sympy.exp(-z(1))), sympy.eye(1)))
    1/2
    """
    back = e.integrand.xreplace({symbol: -symbol for symbol in e.bound_symbols})
    both = e.integrand + back.replace(sympy.atan2, _turned)
    if both == 0:
        return sympy.Integer(0)
    try:
        middle = e.integrand.xreplace(dict.fromkeys(e.bound_symbols, sympy.Integer(0)))
        known = middle.is_finite and not _differs(both - 2 * middle) and is_zero(both - 2 * middle) is True
    except (OutOfReachError, ValueError):  # SymPy does not order infinities
        return None
    return middle if known else None


def _turned(y: sympy.Expr, x: sympy.Expr) -> sympy.Expr:
    """atan2(-y, x) = -atan2(y, x), except where y = 0 and x < 0."""
    return -sympy.atan2(-y, x) if y.could_extract_minus_sign() else sympy.atan2(y, x)


def _differs(expr: sympy.Expr) -> bool:
    """Whether a ball at one of some points excludes zero; Z3 takes long to find that."""
    from flint import acb

    from theory.expressions.balls.closed_form import NotCertified, ball

    for point in POINTS:
        try:
            if not ball(expr, {symbol: acb(point) for symbol in expr.free_symbols}).contains(0):
                return True
        except NotCertified:
            continue
    return False


def quadrature(e: Expectation, refusal: OutOfReachError) -> sympy.Expr:
    """Return the average of an integrable function as an integral; `refusal` for a function with parameters."""
    if e.free_symbols:
        raise refusal
    number, rest = e.integrand.as_independent(*e.bound_symbols, as_Add=False)
    return number * Quadrature(rest, e.cov)


WHY = {
    "one-form": "a function of one linear form is averaged over this form, a Gaussian variable",
    "symmetry": r"$f(z) + f(-z)$ is constant, and the Gaussian is symmetric under $z \to -z$",
    "quadrature": "the integral over the density is the result; Arb evaluates it",
}
MOVES = {
    "linearity": terms,
    "marginal": moves.marginalise,
    "independence": independence,
    "one-form": one_form,
}
