"""Integrands of the engine: sums of products of sign(u), erf(u), exp(u), sin(u), cos(u) and powers of z_i, u affine.

`expand` writes an integrand as {product of atoms: coefficient}, for almost every z, by Heaviside(u) = (1 + sign u)/2,
relu(u) = u Heaviside(u), |u| = u sign(u), Phi(u) = (1 + erf(u/sqrt 2))/2, sign(u)^2 = 1, sign(u v) = sign(u) sign(v),
erf(-u) = -erf(u), exp(u) exp(v) = exp(u + v), and products of sines and cosines as sums, so that at most one of them
remains: 2 cos(u) cos(v) = cos(u - v) + cos(u + v). A function of signs is a sum over their values: exp(|u|) =
Heaviside(u) exp(u) + Heaviside(-u) exp(-u). Any other function raises an error that names it.
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import product as choices
from math import comb, prod

import sympy

from theory.expressions.balls.known_sign import known_sign
from theory.expressions.functions import Phi, Relu
from theory.expressions.symbols import z
from theory.gaussian.expectation import variables
from theory.problem.errors import OutOfReachError

# Most steps, signs and erfs in one product. Independence may split so many into groups of at most four.
MAX_SIGNS = 12
MAX_SIGNS_INSIDE = 6
PIECEWISE = (sympy.sign, sympy.Heaviside, sympy.Abs, sympy.Max, sympy.Min, Relu)
MAX_DEGREE = 128
# (H1 + ... )^k expands to many products; two Hermite polynomials of order 64 make 33^2 of them.
MAX_PRODUCTS = 1200
HALF = sympy.Rational(1, 2)

# A product is a sorted tuple of atoms sign(u), erf(u), exp(u), sin(u), cos(u), z_i (with repetition).
Product = tuple[sympy.Expr, ...]
Expansion = dict[Product, sympy.Expr]
Form = dict[int, sympy.Expr]


def affine(argument: sympy.Expr) -> tuple[Form, sympy.Expr]:
    """Return the coefficients of z1, z2, ... and the offset of an affine form; OutOfReachError for anything else.

    >>> affine(2 * z(1) - z(3) + 5)
    ({1: 2, 3: -1}, 5)
    """
    argument = sympy.expand(argument)
    form = {index: argument.coeff(z(index)) for index in variables(argument)}
    offset = sympy.expand(argument - sum(c * z(index) for index, c in form.items()))
    if variables(offset) or any(variables(c) for c in form.values()):
        raise OutOfReachError(
            f"The argument {argument} is not linear in the Gaussian variables.",
            "Steps, signs, erfs, exponentials, sines and cosines of forms such as z1 - 2*z2 + 1 can be integrated.",
        )
    return form, offset


def linear(form: Form) -> sympy.Expr:
    """sum_i c_i z_i.

    >>> linear({1: 2, 3: -1})
    2*z1 - z3
    """
    return sum((c * z(index) for index, c in form.items()), sympy.Integer(0))


def expand(expr: sympy.Expr) -> Expansion:
    """Write `expr` as a sum of products of atoms, for almost every z.

    >>> expand(sympy.Heaviside(z(1)) * sympy.Heaviside(-z(1)))
    {}
    """
    if not variables(expr):
        return _clean({(): expr})
    if expr.is_Symbol:
        return {(expr,): sympy.Integer(1)}
    if expr.is_Add:
        return _sum(expand(term) for term in expr.args)
    if expr.is_Mul:
        return _product([expand(factor) for factor in expr.args])
    if expr.is_Pow and expr.exp.is_Integer and 0 < expr.exp <= MAX_DEGREE:
        return _power(expand(expr.base), int(expr.exp))
    if expr.is_Pow and not variables(expr.base) and expr.base.is_positive:
        return _exponential(expr.exp * sympy.log(expr.base))
    rule = FUNCTIONS.get(expr.func)
    if rule is None:
        raise OutOfReachError(
            f"No rule derives the expectation of {expr}.",
            f"Use powers of z1, z2, ... and {', '.join(f.__name__.lower() for f in FUNCTIONS)} of affine forms; "
            "without parameters also products of one function of z1 and one of z2, or any function of one linear form.",
        )
    if not isinstance(expr, sympy.Max | sympy.Min) and expr.args[0].has(*PIECEWISE):
        return _by_signs(rule, expr.args[0])
    return rule(*expr.args)


def _exponential(argument: sympy.Expr) -> Expansion:
    symbols = [z(index) for index in variables(argument)]
    argument = sympy.expand(argument)
    if not symbols:  # a step inside has taken one of its values
        return {(): sympy.exp(argument)}
    if not argument.is_polynomial(*symbols) or sympy.Poly(argument, *symbols).total_degree() != 2:
        form, offset = affine(argument)
        return {(sympy.exp(linear(form)),): sympy.exp(offset)}
    offset = argument.xreplace(dict.fromkeys(symbols, sympy.Integer(0)))
    return {(sympy.exp(sympy.expand(argument - offset)),): sympy.exp(offset)}


def _by_signs(rule: Callable[[sympy.Expr], Expansion], argument: sympy.Expr) -> Expansion:
    """Return f(u) for an argument with signs, steps or maxima: the sum over the values of the signs."""
    inside = expand(argument)
    signs = sorted({a for key in inside for a in key if isinstance(a, sympy.sign)}, key=sympy.default_sort_key)
    if len(signs) > MAX_SIGNS_INSIDE:
        raise OutOfReachError(
            f"{len(signs)} signs remain in the argument {argument}; the limit is {MAX_SIGNS_INSIDE}.",
            "Ask for fewer steps, absolute values and maxima inside of another function.",
        )
    whole = sum((c * prod(key, start=sympy.Integer(1)) for key, c in inside.items()), sympy.Integer(0))
    parts = []
    for sides in choices((1, -1), repeat=len(signs)):
        chosen = whole.xreplace(dict(zip(signs, map(sympy.Integer, sides), strict=True)))
        steps = [{(): HALF, (sign,): side * HALF} for sign, side in zip(signs, sides, strict=True)]
        parts.append(_product([rule(sympy.expand(chosen)), *steps]))
    return _sum(parts)


def _step(argument: sympy.Expr) -> Expansion:
    return _sum([{(): HALF}, _scaled(HALF, _sign(argument))])


def _relu(argument: sympy.Expr) -> Expansion:
    return _product([expand(argument), _step(argument)])


def _extreme(side: int) -> Callable[..., Expansion]:
    """max(m, v) = m + (v - m) H(v - m) for m = max(u, ...), where H(v - m) is the product of all H(v - u)."""

    def rule(*arguments: sympy.Expr) -> Expansion:
        # All constants form one argument, because SymPy leaves the maximum of parameters unevaluated.
        constants = [argument for argument in arguments if not variables(argument)]
        moving = [argument for argument in arguments if variables(argument)]
        first, *others = [(sympy.Max if side > 0 else sympy.Min)(*constants), *moving] if constants else moving
        largest, smaller = expand(first), [first]
        for other in others:
            gap = _sum([expand(other), _scaled(sympy.Integer(-1), largest)])
            steps = [expand(sympy.Heaviside(side * (other - one))) for one in smaller]
            largest = _sum([largest, _product([gap, *steps])])
            smaller.append(other)
        return largest

    return rule


def _erfc(argument: sympy.Expr) -> Expansion:
    return _sum([{(): sympy.Integer(1)}, _scaled(sympy.Integer(-1), _erf(argument))])


def _phi(argument: sympy.Expr) -> Expansion:
    return _sum([{(): HALF}, _scaled(HALF, _erf(argument / sympy.sqrt(2)))])


def _odd_or_even(function: type) -> Callable[[sympy.Expr], Expansion]:
    """Expand erf, sin or cos of an affine form: one atom and its sign."""

    def rule(argument: sympy.Expr) -> Expansion:
        form, offset = affine(argument)
        # SymPy writes erf(-u) as -erf(u) for one of u and -u; the sign in front becomes the coefficient.
        outer, atom = function(linear(form) + offset).as_coeff_Mul()
        return {(atom,): outer}

    return rule


_erf = _odd_or_even(sympy.erf)


def _wave(function: type, argument: sympy.Expr) -> Expansion:
    """Return sin(u) or cos(u) with a multiplier, which is a number where the variables of u cancel."""
    value = function(sympy.expand(argument))
    return _odd_or_even(function)(argument) if variables(value) else _clean({(): value})


def _two_waves(a: sympy.Expr, b: sympy.Expr) -> Expansion:
    """Return the product of two sines or cosines as a sum of two."""
    u, v = a.args[0], b.args[0]
    if isinstance(a, sympy.sin) and isinstance(b, sympy.cos):
        return _two_waves(b, a)
    function = sympy.sin if isinstance(b, sympy.sin) and isinstance(a, sympy.cos) else sympy.cos
    if isinstance(a, sympy.sin):
        signs = (1, -1)  # sin u sin v = (cos(u - v) - cos(u + v))/2
    elif function is sympy.sin:
        signs = (-1, 1)  # cos u sin v = (sin(u + v) - sin(u - v))/2
    else:
        signs = (1, 1)
    return _sum(_scaled(side * HALF, _wave(function, w)) for side, w in zip(signs, (u - v, u + v), strict=True))


def _factors(argument: sympy.Expr) -> list[sympy.Expr]:
    """Return factors whose product has the sign of a polynomial, almost everywhere: those of odd multiplicity."""
    symbols = [z(index) for index in variables(argument)]
    if not symbols or not argument.is_polynomial(*symbols) or sympy.Poly(argument, *symbols).total_degree() < 2:
        return [argument]
    number, powers = sympy.factor_list(argument, *symbols)
    odd = [base for base, power in powers if power % 2]
    return [number, *odd] if len(powers) > 1 or powers[0][1] > 1 else [argument]


def _sign(argument: sympy.Expr) -> Expansion:
    """Expand sign(u) with u divided by its leading coefficient, so that equal signs are equal expressions."""
    factors = _factors(argument)
    if len(factors) > 1:
        return _product([_sign(factor) for factor in factors])
    form, offset = affine(argument)
    if not form:
        return _clean({(): sympy.sign(offset)})
    lead, side = form[min(form)], 1
    known = known_sign(lead)
    if known == -1 or (not known and lead.could_extract_minus_sign()):
        side, lead, offset = -1, -lead, -offset
        form = {index: -c for index, c in form.items()}
    if known:
        form = {index: sympy.cancel(c / lead) for index, c in form.items()}
        offset = sympy.cancel(offset / lead)
    elif len(form) == 1:
        raise OutOfReachError(
            f"The sign of the coefficient {side * lead} in {argument} is not known.",
            "Give its symbols a domain, such as g>0 (--where on the command line).",
        )
    return {(sympy.sign(linear(form) + offset),): sympy.Integer(side)}


FUNCTIONS: Mapping[type, Callable[..., Expansion]] = {
    sympy.sign: _sign,
    sympy.Heaviside: lambda argument, *_: _step(argument),
    sympy.erf: _erf,
    sympy.erfc: _erfc,
    Phi: _phi,
    Relu: _relu,
    sympy.Abs: lambda argument: _product([expand(argument), _sign(argument)]),
    sympy.exp: _exponential,
    sympy.sin: _odd_or_even(sympy.sin),
    sympy.cos: _odd_or_even(sympy.cos),
    sympy.Max: _extreme(1),
    sympy.Min: _extreme(-1),
}


def _scaled(factor: sympy.Expr, expansion: Expansion) -> Expansion:
    return {key: factor * c for key, c in expansion.items()}


def _sum(expansions: Iterable[Expansion]) -> Expansion:
    total: Expansion = {}
    for expansion in expansions:
        for key, coefficient in expansion.items():
            total[key] = total.get(key, sympy.Integer(0)) + coefficient
    return _clean(total)


def _product(factors: list[Expansion]) -> Expansion:
    result: Expansion = {(): sympy.Integer(1)}
    for factor in factors:
        if len(result) * len(factor) > MAX_PRODUCTS:
            raise OutOfReachError(
                f"The integrand expands into more than {MAX_PRODUCTS} products.",
                "Ask for its parts one by one.",
            )
        result = _sum(_scaled(ca * cb, _merge(a, b)) for a, ca in result.items() for b, cb in factor.items())
    return result


def _power(base: Expansion, exponent: int) -> Expansion:
    """Return the power of an expansion, by the binomial theorem for a z_k + b."""
    moving = [key for key in base if key]
    if len(moving) != 1 or len(moving[0]) != 1 or not moving[0][0].is_Symbol:
        return _product([base] * exponent)
    slope, offset = base[moving[0]], base.get((), sympy.Integer(0))
    powers = range(exponent + 1) if offset != 0 else [exponent]
    return _clean({moving[0] * k: comb(exponent, k) * slope**k * offset ** (exponent - k) for k in powers})


def _merge(a: Product, b: Product) -> Expansion:
    """Multiply two products, with sign(u)^2 = 1, exp(u) exp(v) = exp(u + v), and two sines or cosines as a sum."""
    atoms = list(a)
    waves: Expansion = {(): sympy.Integer(1)}
    for atom in b:
        other = _partner(atoms, atom)
        if isinstance(atom, sympy.sign) and atom in atoms:
            atoms.remove(atom)
        elif other is None:
            atoms.append(atom)
        elif isinstance(atom, sympy.exp):
            atoms.remove(other)
            both = sympy.exp(sympy.expand(atom.args[0] + other.args[0]))
            atoms += [both] if both != 1 else []
        else:
            atoms.remove(other)
            waves = _two_waves(other, atom)
    return {tuple(sorted((*atoms, *wave), key=sympy.default_sort_key)): c for wave, c in waves.items()}


def _partner(atoms: list[sympy.Expr], atom: sympy.Expr) -> sympy.Expr | None:
    """Return the exponential among the atoms for an exponential, the sine or cosine for one of these, else None."""
    for kind in (sympy.exp, sympy.sin | sympy.cos):
        if isinstance(atom, kind):
            return next((x for x in atoms if isinstance(x, kind)), None)
    return None


def _clean(expansion: Expansion) -> Expansion:
    return {key: c for key, c in expansion.items() if c != 0 and sympy.expand(c) != 0}


def check_reach(expansion: Expansion) -> None:
    """Raise OutOfReachError for products that are too long.

    >>> check_reach(expand(sympy.erf(z(1)) ** 13))
    Traceback (most recent call last):
    ...
    theory.problem.errors.OutOfReachError: A product has 13 steps, signs and erfs; the limit is 12. ...
    """
    for product in expansion:
        signs = sum(isinstance(atom, sympy.sign | sympy.erf) for atom in product)
        degree = sum(atom.is_Symbol for atom in product)
        if signs > MAX_SIGNS or degree > MAX_DEGREE:
            what, most = ("steps, signs and erfs", MAX_SIGNS) if signs > MAX_SIGNS else ("powers", MAX_DEGREE)
            raise OutOfReachError(
                f"A product has {signs if signs > MAX_SIGNS else degree} {what}; the limit is {most}.",
                "Ask for a function of one linear form without parameters, or for lower powers.",
            )
