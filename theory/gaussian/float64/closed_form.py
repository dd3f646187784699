"""Float64 values of closed forms over arrays of parameters, NumPy or torch (with gradients).

A form is a SymPy expression whose leaves may be expectations of products of signs, E[prod_k sign(z_k + c_k)], of up to
four variables. Near |r| = 1 an angle asin r depends on sqrt(1 - r^2), which a rounded r determines poorly. Therefore
1 - r^2 is formed as an expression, and expanded and factored before numbers are substituted.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache, reduce
from itertools import combinations
from math import comb, sqrt
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import sympy

from theory.expressions.arrays import namespace
from theory.expressions.functions import OwensT, Phi, with_tails
from theory.expressions.symbols import z
from theory.gaussian.expectation import Expectation
from theory.gaussian.float64.conditioned import MOST_ERROR, error_bound
from theory.gaussian.float64.differentiable import erf, erfc, host
from theory.gaussian.float64.owens_t import owens_t
from theory.gaussian.float64.signs import four_signs, three_signs
from theory.gaussian.float64.two_signs import two_signs
from theory.problem.errors import InputError, OutOfReachError, WorkbenchError

# An excess of |r| over 1, or of 0 over 1 - r^2, up to this size is rounding of some twenty operations.
ROUNDING = 20 * 2.0**-52
# Larger expressions are not factored, because that could take long.
MOST_OPERATIONS = 300
# The number of prepared forms that are cached.
PROGRAMS = 128

MOST_SIGNS = 4


class _Angle(sympy.Function):
    """asin x, as _Angle(x, 1 - x^2)."""

    nargs = 2


class _Signs(sympy.Function):
    """E[prod sign(z_k + c_k)] as a function of shifts c_k, variances, covariances and minors v_i v_j - c_ij^2."""


def evaluate(form: sympy.Expr, values: Mapping[str, Any], dropped: Mapping[str, sympy.Symbol] | None = None) -> Any:
    """Return the float64 value of `form`, given a number or an array for each parameter by name.

    Shapes broadcast, and the result has the common shape; torch tensors give a tensor with gradients. Leaves
    `Expectation(prod_k sign(z_k + c_k), cov)` of up to four variables have an absolute error of about 1e-14, or of
    1e-16/sqrt(1 - r^2) for correlations near +-1. Raises InputError for parameters that are missing, unknown, NaN or
    outside their assumptions, and where the form has no real value; OutOfReachError for a function without a rule.
    `dropped` are parameters that no longer occur in the form: their values are accepted, and only broadcast.

    A sum of large terms with a small value loses digits: `terms` shows where.

    >>> rho = sympy.Symbol("rho", real=True)
    >>> signs = Expectation(sympy.sign(z(1)) * sympy.sign(z(2)), sympy.Matrix([[1, rho], [rho, 1]]))
    >>> float(evaluate(3 * signs, {"rho": 0.5}))
    1.0
    """
    return _evaluated(form, values, dropped).value


class Terms(NamedTuple):
    """A value, the size of its terms, and where its three or four signs are ill-conditioned (both as NumPy arrays)."""

    value: Any
    size: Any
    ill: Any


def terms(form: sympy.Expr, values: Mapping[str, Any], dropped: Mapping[str, sympy.Symbol] | None = None) -> Terms:
    """Return the value, the size of its terms (the sum of their absolute values), and its ill-conditioned entries.

    The rounding error of the value is a few machine epsilons times that size. Ill-conditioned entries have an
    expectation of three or four signs whose error may exceed `conditioned.MOST_ERROR`. Arguments and errors are those
    of `evaluate`. Cancellation inside the arguments of functions is not covered.

    >>> x = sympy.Symbol("x", real=True)
    >>> value, size, ill = terms(1 - sympy.cos(x), {"x": 1e-9})
    >>> float(value), float(size), bool(ill)
    (0.0, 2.0, False)
    """
    return _evaluated(form, values, dropped)


class _Numbers(NamedTuple):
    """The array namespace, the conversion of numbers to it, and where the signs so far are ill-conditioned."""

    xp: ModuleType
    number: Callable[[Any], Any]
    ill: list[Any]


def _evaluated(form: sympy.Expr, values: Mapping[str, Any], dropped: Mapping[str, sympy.Symbol] | None) -> Terms:
    named = {symbol.name: symbol for symbol in form.free_symbols}
    named |= {name: symbol for name, symbol in (dropped or {}).items() if name in values}
    _check_names(named.keys(), values.keys())
    xp = namespace(*values.values())
    device = next((x.device for x in values.values() if xp is not np and isinstance(x, xp.Tensor)), None)

    def number(x: Any) -> Any:
        if xp is np:
            return np.asarray(x, dtype=float)
        return x.to(xp.float64) if isinstance(x, xp.Tensor) else xp.as_tensor(x, dtype=xp.float64, device=device)

    arguments = {named[name]: _checked(named[name], number(x)) for name, x in values.items()}
    shape = np.broadcast_shapes(*(tuple(x.shape) for x in arguments.values()))
    table = {symbol: (x, abs(host(x))) for symbol, x in arguments.items()}
    steps, result = _program(form)
    numbers = _Numbers(xp, number, [np.zeros(shape, dtype=bool)])
    with np.errstate(all="ignore"):
        for symbol, expr in steps:
            table[symbol] = _value(expr, table, numbers)
        value, size = _value(result, table, numbers)
    if not bool(xp.isfinite(value).all()):
        raise InputError(f"{form} has no finite value at the parameters given.", "Move them inside their domain.")
    value = value if tuple(value.shape) == shape else xp.broadcast_to(value, shape)
    return Terms(value, np.broadcast_to(size, shape), np.logical_or.reduce(np.broadcast_arrays(*numbers.ill)))


def _check_names(wanted: Any, names: Any) -> None:
    if missing := sorted(wanted - names):
        raise InputError(f"The form depends on {', '.join(missing)}, which has no value.", "Give one for each.")
    if unknown := sorted(names - wanted):
        known = ", ".join(sorted(wanted)) or "none"
        raise InputError(f"The form does not depend on {', '.join(unknown)}.", f"Its parameters: {known}.")


def _checked(symbol: sympy.Symbol, x: Any) -> Any:
    """Return the value; InputError unless it satisfies the symbol's assumptions, which may have simplified the form."""
    plain = host(x)
    if np.isnan(plain).any():
        raise InputError(f"{symbol} is NaN.", "Give a number.")
    for holds, assumed, word in (
        (plain > 0, symbol.is_positive, "positive"),
        (plain < 0, symbol.is_negative, "negative"),
        (plain >= 0, symbol.is_nonnegative, "nonnegative"),
        (plain <= 0, symbol.is_nonpositive, "nonpositive"),
    ):
        if assumed and not np.all(holds):
            wrong = float(np.broadcast_to(plain, np.shape(holds))[~holds].ravel()[0])
            raise InputError(f"{symbol} = {wrong:.6g}, but it is {word} in this form.", f"Give {word} values.")
    return x


# --- preparation of a form -------------------------------------------------------------------------------------------


@lru_cache(maxsize=PROGRAMS)
def _program(form: sympy.Expr) -> tuple[list[tuple[sympy.Symbol, sympy.Expr]], sympy.Expr]:
    """Return common subexpressions in the order of evaluation, and the result in terms of them."""
    prepared = form.xreplace({e: _leaf(e) for e in form.atoms(Expectation)})
    prepared = prepared.replace(lambda x: x.is_Add, lambda x: sympy.Add(*with_tails(x)))
    while angles := [a for a in prepared.atoms(sympy.asin, sympy.acos) if not a.args[0].has(sympy.asin, sympy.acos)]:
        prepared = prepared.xreplace({a: _angle(a) for a in angles})
    steps, (result,) = sympy.cse(distributed(prepared), symbols=(sympy.Dummy() for _ in iter(int, 1)))
    return steps, result


def distributed(form: sympy.Expr) -> sympy.Expr:
    """Return the form with numbers multiplied into sums; `sympy.cse` may take other sums for products.

    >>> x, y = sympy.symbols("x y")
    >>> distributed(sympy.factor_terms(-x / 2 - y / 2))
    -x/2 - y/2
    """
    return form.replace(
        lambda x: x.is_Mul and len(x.args) == 2 and x.args[0].is_Rational and x.args[1].is_Add,
        lambda x: sympy.Add(*(x.args[0] * term for term in x.args[1].args)),
    )


def _angle(inverse: sympy.Expr) -> sympy.Expr:
    x = inverse.args[0]
    angle = _Angle(x, _tidy(1 - x**2))
    return angle if isinstance(inverse, sympy.asin) else sympy.pi / 2 - angle


def _tidy(expr: sympy.Expr) -> sympy.Expr:
    """Factor the expression over a common denominator, so that less cancels when numbers are substituted."""
    if expr.count_ops() > MOST_OPERATIONS:
        return expr
    top, below = sympy.fraction(sympy.together(sympy.expand(expr)))
    return sympy.factor(sympy.expand(top)) / below


def _leaf(e: Expectation) -> sympy.Expr:
    """Write the expectation as a function of shifts, covariances and their two-by-two minors."""
    shifts: dict[int, sympy.Expr] = {}
    for factor in sympy.Mul.make_args(e.integrand):
        index = next((k for k in range(e.cov.rows) if isinstance(factor, sympy.sign) and factor.has(z(k + 1))), None)
        shift = None if index is None else factor.args[0] - z(index + 1)
        if shift is None or index in shifts or any(shift.has(variable) for variable in e.bound_symbols):
            raise OutOfReachError(f"{e} has no numerical rule. Use products of sign(z_k + c_k), each k at most once.")
        shifts[index] = shift
    m = e.cov.rows
    if len(shifts) != m or m > MOST_SIGNS:
        raise OutOfReachError(f"{e} has no numerical rule. Use one sign of each of at most four variables.")
    pairs = list(combinations(range(m), 2))
    if m % 2 and not any(shifts.values()):
        return sympy.Integer(0)
    minors = [_tidy(e.cov[i, i] * e.cov[j, j] - e.cov[i, j] ** 2) for i, j in pairs]
    rows = [*(shifts[k] for k in range(m)), *(e.cov[k, k] for k in range(m))]
    return _Signs(*rows, *(e.cov[i, j] for i, j in pairs), *minors)


# --- evaluation ------------------------------------------------------------------------------------------------------


def _value(expr: sympy.Expr, table: Mapping[sympy.Symbol, Any], numbers: _Numbers) -> tuple[Any, Any]:
    """Return the value of an expression and the size of its terms."""
    xp, number = numbers.xp, numbers.number
    if expr.is_Symbol:
        return table[expr]
    if expr.is_Number or expr.is_NumberSymbol:
        if not expr.is_finite:
            raise InputError(f"The form contains {expr}.", "Use a form of finite numbers.")
        return number(float(expr)), np.asarray(abs(float(expr)))
    pairs = [_value(argument, table, numbers) for argument in expr.args]
    arguments, sizes = [value for value, _ in pairs], [size for _, size in pairs]
    if expr.is_Add:
        return sum(arguments[1:], arguments[0]), sum(sizes[1:], sizes[0])
    if expr.is_Mul:
        return reduce(lambda a, b: a * b, arguments), reduce(lambda a, b: a * b, sizes)
    if expr.is_Pow:
        value = _power(expr, *arguments)
        whole = expr.exp.is_Integer and expr.exp > 0
        return value, sizes[0] ** int(expr.exp) if whole else abs(host(value))
    if isinstance(expr, _Signs):
        value = _signs(expr, arguments, numbers.ill)
        return value, np.ones_like(host(value))
    rule = RULES.get(expr.func)
    if rule is None:
        raise OutOfReachError(f"{expr.func.__name__} has no numerical rule here.")
    value = rule(xp, *arguments)
    return value, abs(host(value))


def _refuse(wrong: Any, x: Any, what: str, remedy: str) -> None:
    """Raise InputError with the first number of `x` for which `wrong` holds, if any."""
    if bool(wrong.any()):
        raise InputError(f"{what} {float(host(x)[host(wrong)].ravel()[0]):.6g}.", remedy)


def _power(expr: sympy.Expr, base: Any, exponent: Any) -> Any:
    inside = "Move the parameters inside the domain of the form."
    if expr.exp.is_Integer:
        if expr.exp < 0:
            _refuse(base == 0, base, "division by", inside)
        return base ** int(expr.exp)
    _refuse(base < 0, base, "a root of", inside)
    if expr.exp.is_Rational and expr.exp.q == 2:
        if expr.exp < 0:
            _refuse(base == 0, base, "division by the root of", inside)
        return namespace(base).sqrt(base) ** int(expr.exp.p)
    return base**exponent


def _sine_inverse(xp: ModuleType, x: Any, gap: Any) -> Any:
    _refuse((gap < -ROUNDING) & (abs(x) > 1), x, "an inverse sine of", "Move the parameters inside their domain.")
    return xp.arctan2(x, xp.sqrt(xp.clip(gap, 0, None)))


def _log(xp: ModuleType, x: Any) -> Any:
    _refuse(x <= 0, x, "the logarithm of", "Move the parameters inside the domain of the form.")
    return xp.log(x)


def _heaviside(xp: ModuleType, x: Any, at_zero: Any) -> Any:
    return xp.where(x > 0, 1.0, xp.where(x < 0, 0.0, at_zero))


RULES: Mapping[type, Callable[..., Any]] = {
    _Angle: _sine_inverse,
    sympy.exp: lambda xp, x: xp.exp(x),
    sympy.log: _log,
    sympy.sin: lambda xp, x: xp.sin(x),
    sympy.cos: lambda xp, x: xp.cos(x),
    sympy.tan: lambda xp, x: xp.tan(x),
    sympy.atan: lambda xp, x: xp.arctan(x),
    sympy.atan2: lambda xp, y, x: xp.arctan2(y, x),
    sympy.sinh: lambda xp, x: xp.sinh(x),
    sympy.cosh: lambda xp, x: xp.cosh(x),
    sympy.tanh: lambda xp, x: xp.tanh(x),
    sympy.erf: lambda _, x: erf(x),
    sympy.erfc: lambda _, x: erfc(x),
    Phi: lambda _, x: erfc(-x / sqrt(2)) / 2,
    OwensT: lambda _, h, a: owens_t(h, a),
    sympy.sign: lambda xp, x: xp.sign(x),
    sympy.Abs: lambda _, x: abs(x),
    sympy.Heaviside: _heaviside,
    sympy.Max: lambda xp, *x: reduce(xp.maximum, x),
    sympy.Min: lambda xp, *x: reduce(xp.minimum, x),
}


def _signs(expr: sympy.Expr, arguments: list[Any], ill: list[Any]) -> Any:
    """Return E[prod sign(z_k + c_k)] from shifts, variances, covariances and minors v_i v_j - c_ij^2.

    For three and four signs, a mask of the entries whose error may be too large is appended to `ill`.
    """
    m = next(m for m in range(1, MOST_SIGNS + 1) if len(arguments) == 2 * m + 2 * comb(m, 2))
    shifts, variances = arguments[:m], arguments[m : 2 * m]
    pairs = list(combinations(range(m), 2))
    covariances, minors = arguments[2 * m : 2 * m + len(pairs)], arguments[2 * m + len(pairs) :]
    for variance in variances:
        _refuse(variance <= 0, variance, "a variance must be positive; found", "Change the parameters.")
    r, gaps = [], []
    for (i, j), covariance, minor in zip(pairs, covariances, minors, strict=True):
        product = variances[i] * variances[j]
        correlation, gap = _correlation(covariance, product, minor)
        r.append(correlation)
        gaps.append(gap)
    roots = [namespace(*arguments).sqrt(variance) for variance in variances]
    h = tuple(shift / root for shift, root in zip(shifts, roots, strict=True)) if any(expr.args[:m]) else None
    try:
        if m == 1:
            return erf(h[0] / sqrt(2))
        if m == 2:
            return two_signs(r[0], gaps[0], thresholds=h)
        ill.append(error_bound([host(gap) for gap in gaps]) > MOST_ERROR)
        return (three_signs if m == 3 else four_signs)(*r, thresholds=h)
    except WorkbenchError:
        raise
    except ValueError as error:
        raise InputError(
            str(error), "Change the parameters so that the covariance is positive semidefinite."
        ) from error


def _correlation(covariance: Any, product: Any, minor: Any) -> tuple[Any, Any]:
    """Return r and 1 - r^2 from a covariance, the product of the variances and the minor; r = +-1 for a minor of 0."""
    xp = namespace(covariance, product, minor)
    gap = minor / product
    _refuse(
        gap < -ROUNDING,
        gap,
        "the covariance is not positive semidefinite: a correlation r has 1 - r^2 =",
        "Change the parameters. (Nothing is clipped for you.)",
    )
    r = covariance / xp.sqrt(product)
    r = xp.where((gap <= 0) | (abs(r) > 1), xp.sign(covariance), r)
    return r, xp.clip(gap, 0, None)
