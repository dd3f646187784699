"""The rules that check the engine's moves on products: linearity, parity, independence, collinear signs and others."""

from collections.abc import Callable, Iterator
from itertools import permutations, product

import sympy

from theory.expressions.balls.known_sign import known_sign
from theory.expressions.functions import Phi, Relu
from theory.expressions.symbols import z
from theory.gaussian.derive.rules.replacements import equal, expectation_rule, offset_of, one_term, terms
from theory.gaussian.expectation import Expectation, derivative, marginal, variables
from theory.proof.derivation import StepError

# Up to this many signs are replaced by all choices of values; beyond, their powers are reduced instead.
MOST_SIDES = 4
# Functions whose arguments may have signs.
_INSIDE = (sympy.sign, sympy.exp, sympy.erf, sympy.sin, sympy.cos)


@expectation_rule("linearity")
def linearity(old: Expectation, new: sympy.Expr) -> None:
    """Both integrands agree for every choice of their signs, every other factor being a free symbol.

    >>> step = Expectation(sympy.Heaviside(z(1)), sympy.eye(1))
    >>> linearity(step, (1 + Expectation(sympy.sign(z(1)), sympy.eye(1))) / 2)
    """
    total = sympy.Integer(0)
    for coefficient, part in terms(new):
        if part is not None and part.cov != old.cov:
            raise StepError("linearity does not change the covariance")
        total += coefficient * (part.integrand if part is not None else 1)
    difference = _by_definition(old.integrand - total)
    names: dict[sympy.Expr, sympy.Symbol] = {}
    table = {}
    for function in sorted(difference.atoms(sympy.sign, sympy.Heaviside), key=sympy.default_sort_key):
        argument = function.args[0]
        same = next((other for other in names if _positive_ratio(argument, other)), argument)
        name = names.setdefault(same, sympy.Dummy(f"s{len(names)}"))
        signed = (_positive_ratio(argument, same) or 1) * name
        table[function] = signed if isinstance(function, sympy.sign) else (1 + signed) / 2
    for rest in _by_sides(difference, table, list(names.values())):
        if rest != 0:
            equal(rest, sympy.Integer(0), "the integrands")


def _by_sides(difference: sympy.Expr, table: dict, names: list[sympy.Symbol]) -> Iterator[sympy.Expr]:
    """Yield expressions that all vanish only if `difference` vanishes for all values +-1 of the signs.

    For few signs these are the values at all choices, because a power of a sum with a free sign would multiply out to
    thousands of products.
    """
    if len(names) <= MOST_SIDES:
        for sides in product((1, -1), repeat=len(names)):
            chosen = dict(zip(names, map(sympy.Integer, sides), strict=True))
            yield sympy.expand(difference.xreplace({f: signed.xreplace(chosen) for f, signed in table.items()}))
        return
    rest = sympy.expand(difference.xreplace(table))
    for name in names:
        rest = sympy.expand(rest.replace(lambda x, s=name: x.is_Pow and x.base == s, lambda x: x.base ** (x.exp % 2)))
    yield rest


def _by_definition(expr: sympy.Expr) -> sympy.Expr:
    """Replace relu, |.|, Phi, erfc, max and min by their definitions in steps, signs and erf, and signs of products."""

    def larger(side: int, *arguments: sympy.Expr) -> sympy.Expr:
        # max(m, v) = m + (v - m) H(v - m) with m = max(u, ...), and v > m where v > u for each u.
        constant = [a for a in arguments if not variables(a)]
        first, *others = [
            *([(sympy.Max if side > 0 else sympy.Min)(*constant)] if constant else []),
            *(a for a in arguments if variables(a)),
        ]
        largest, smaller = first, [first]
        for other in others:
            steps = ((1 + sympy.sign(side * (other - one))) / 2 for one in smaller)
            largest += (other - largest) * sympy.Mul(*steps)
            smaller.append(other)
        return largest

    def moving(function: type) -> Callable[[sympy.Expr], bool]:
        return lambda x: isinstance(x, function) and bool(variables(x))

    definitions = (
        (Relu, lambda x: x.args[0] * sympy.Heaviside(x.args[0])),
        (sympy.Abs, lambda x: x.args[0] * sympy.sign(x.args[0])),
        (Phi, lambda x: (1 + sympy.erf(x.args[0] / sympy.sqrt(2))) / 2),
        (sympy.erfc, lambda x: 1 - sympy.erf(x.args[0])),
        (sympy.Max, lambda x: larger(1, *x.args)),
        (sympy.Min, lambda x: larger(-1, *x.args)),
        (sympy.Heaviside, lambda x: (1 + sympy.sign(x.args[0])) / 2),
        (sympy.sign, lambda x: _sign_of_product(x.args[0])),
    )
    for function, definition in definitions:
        expr = expr.replace(moving(function), definition)
    return expr.replace(lambda x: bool(x.args) and x.args[0].has(sympy.sign) and x.func in _INSIDE, _by_values)


def _by_values(function: sympy.Expr) -> sympy.Expr:
    """Return f(u) as the sum over the values of the signs in u."""
    signs = sorted(function.args[0].atoms(sympy.sign), key=sympy.default_sort_key)
    total = sympy.Integer(0)
    for sides in product((1, -1), repeat=len(signs)):
        chosen = dict(zip(signs, map(sympy.Integer, sides), strict=True))
        steps = sympy.Mul(*((1 + side * sign) / 2 for sign, side in zip(signs, sides, strict=True)))
        total += steps * function.func(sympy.expand(function.args[0].xreplace(chosen)))
    return total


def _sign_of_product(argument: sympy.Expr) -> sympy.Expr:
    """Return the product of the signs of the factors of an argument, whose product it is."""
    symbols = [z(index) for index in variables(argument)]
    if not symbols or not argument.is_polynomial(*symbols) or sympy.Poly(argument, *symbols).total_degree() < 2:
        return sympy.sign(argument)
    number, powers = sympy.factor_list(argument, *symbols)
    equal(argument, number * sympy.Mul(*(base**power for base, power in powers)), "the factors of an argument")
    return sympy.sign(number) * sympy.Mul(*(sympy.sign(base) ** power for base, power in powers))


def _positive_ratio(a: sympy.Expr, b: sympy.Expr) -> int:
    """The sign of a/b if that is a constant of known sign, else 0."""
    ratio = sympy.cancel(a / b)
    return 0 if variables(ratio) else known_sign(ratio) or 0


@expectation_rule("marginal")
def marginalise(old: Expectation, new: sympy.Expr) -> None:
    """The variables of `old` that occur, in their order, with their covariances.

    >>> marginalise(Expectation(z(2) ** 2, sympy.diag(1, 3)), Expectation(z(1) ** 2, sympy.Matrix([[3]])))
    """
    used = [symbol for symbol in old.bound_symbols if old.integrand.has(symbol)]
    names = {symbol: z(k + 1) for k, symbol in enumerate(used)}
    rows = [old.bound_symbols.index(symbol) for symbol in used]
    number, integrand = old.integrand.xreplace(names).as_coeff_Mul()
    if new != number * Expectation(integrand, old.cov.extract(rows, rows)):
        raise StepError(f"{new} is not the expectation over {used}")


@expectation_rule("exponential-tilt")
def exponential_tilt(old: Expectation, new: sympy.Expr) -> None:
    """Completing the square: exp(a.z) times the density is exp(a.C a/2) times the density with mean C a.

    E[z1 exp(a z1)] = exp(a^2/2) E[z1 + a]:

    >>> a = sympy.Symbol("a", real=True)
    >>> shifted = sympy.exp(a**2 / 2) * Expectation(z(1) + a, sympy.eye(1))
    >>> exponential_tilt(Expectation(z(1) * sympy.exp(a * z(1)), sympy.eye(1)), shifted)
    """
    factors = sympy.Mul.make_args(old.integrand)
    exponents = [factor.args[0] for factor in factors if isinstance(factor, sympy.exp)]
    if len(exponents) != 1:
        raise StepError("one exponential is expected")
    a = sympy.Matrix([exponents[0].diff(symbol) for symbol in old.bound_symbols])
    if sympy.expand(exponents[0] - sum(c * s for c, s in zip(a, old.bound_symbols, strict=True))) != 0:
        raise StepError(f"{exponents[0]} is not linear")
    mean = old.cov * a
    rest = sympy.Mul(*(factor for factor in factors if not isinstance(factor, sympy.exp)))
    shifted = rest.subs({s: s + m for s, m in zip(old.bound_symbols, mean, strict=True)}, simultaneous=True)
    coefficient, inner = one_term(new)
    equal(sympy.log(coefficient), (a.T * mean)[0, 0] / 2, "the exponent in front")
    new_integrand = inner.integrand if inner is not None else sympy.Integer(1)
    if inner is not None and inner.cov != old.cov:
        raise StepError("a tilt does not change the covariance")
    if new_integrand != shifted:
        equal(new_integrand, shifted, "the shifted integrand")


@expectation_rule("parity")
def parity(old: Expectation, new: sympy.Expr) -> None:
    """f(-z) + f(z) = 0 and the expectation is replaced by zero.

    >>> parity(Expectation(sympy.erf(z(1)), sympy.eye(1)), sympy.Integer(0))
    >>> parity(Expectation(z(1) ** 2, sympy.eye(1)), sympy.Integer(0))
    Traceback (most recent call last):
    theory.proof.derivation.StepError: z1**2 is not odd
    """
    if new != 0:
        raise StepError(f"parity makes an expectation zero, not {new}")
    flipped = old.integrand.subs({symbol: -symbol for symbol in old.bound_symbols}, simultaneous=True)
    if sympy.expand(flipped + old.integrand) != 0:
        raise StepError(f"{old.integrand} is not odd")


@expectation_rule("collinear-signs")
def collinear_signs(old: Expectation, new: sympy.Expr) -> None:
    """Two signs of one variable u: sign(u + c) sign(u + d) = 1 + sign(u + lower) - sign(u + upper) in every region.

    Where the order is not known, lower and upper are written with sign(c - d), which is zero for c = d.

    >>> opposite = Expectation(sympy.sign(z(1)) * sympy.sign(z(2)), sympy.Matrix([[1, -2], [-2, 4]]))
    >>> collinear_signs(opposite, sympy.Integer(-1))
    """
    for below, above in ((1, 1), (-1, 1), (-1, -1)):  # sign(u + lower) <= sign(u + upper)
        if below * above != 1 + below - above:
            raise StepError("the identity for two signs on a line is wrong")
    signs = [f for f in sympy.Mul.make_args(old.integrand) if isinstance(f, sympy.sign)]
    for second, first in permutations(signs, 2):
        (a, c), (b, d) = (offset_of(f) for f in (first, second))
        slope = sympy.cancel(old.cov[a, b] / old.cov[a, a])
        rest = old.integrand / (first * second)
        for side in (1, -1):
            other = side * d * sympy.sqrt(sympy.cancel(old.cov[a, a] / old.cov[b, b]))
            expected = [side * marginal(rest, old.cov)]
            if c != 0 or d != 0:
                pieces = [marginal(rest * sympy.sign(z(a + 1) + sympy.expand(x)), old.cov) for x in (c, other)]
                orders = ((known_sign(other - c), pieces), (known_sign(c - other), pieces[::-1]))
                expected += [side * (marginal(rest, old.cov) + lo - hi) for gap, (lo, hi) in orders if gap == 1]
                gap = sympy.expand(c - other)
                expected = expected if gap == 0 else expected[1:]
                expected.append(side * (marginal(rest, old.cov) - sympy.sign(gap) * (pieces[0] - pieces[1])))
            if any(new == form or sympy.expand(new - form) == 0 for form in expected):
                if known_sign(side * slope) == 1:  # a variance is positive
                    equal(old.cov[a, b] ** 2, old.cov[a, a] * old.cov[b, b], "the squared covariance")
                    return
                correlation = old.cov[a, b] / sympy.sqrt(old.cov[a, a] * old.cov[b, b])
                equal(correlation, sympy.Integer(side), "the correlation")
                return
    raise StepError(f"{new} is not the expectation without two signs on one line")


@expectation_rule("independence")
def independence(old: Expectation, new: sympy.Expr) -> None:
    """Some split of the variables into two groups without covariance gives the product (all splits are tried).

    >>> one = Expectation(z(1) ** 2, sympy.eye(1))
    >>> independence(Expectation(z(1) ** 2 * z(2) ** 2, sympy.eye(2)), one**2)
    >>> independence(Expectation(z(1) ** 2 * z(2) ** 2, sympy.ones(2)), one**2)
    Traceback (most recent call last):
    theory.proof.derivation.StepError: the covariance of z1 and z2: ...
    """
    factors = [(f, set(variables(f))) for f in sympy.Mul.make_args(old.integrand)]

    def covariances(groups: tuple[list[int], list[int]]) -> int:
        return sum(old.cov[i - 1, j - 1] != 0 for i, j in product(*groups))

    # Splits without covariances come first: there are many others, and none of them is valid.
    for groups in sorted(_splits(variables(old.integrand)), key=covariances):
        parts = [sympy.Mul(*(f for f, inside in factors if inside <= set(group))) for group in groups]
        if sympy.Mul(*parts) != old.integrand:
            continue
        if new == sympy.Mul(*(marginal(part, old.cov) for part in parts)):
            for i, j in product(*groups):
                equal(old.cov[i - 1, j - 1], sympy.Integer(0), f"the covariance of z{i} and z{j}")
            return
    raise StepError(f"{new} is not a product over two groups of variables")


def _splits(used: list[int]) -> Iterator[tuple[list[int], list[int]]]:
    """Yield every way to divide the variables into two groups, the first of them in the first group."""
    for chosen in product((0, 1), repeat=len(used) - 1):
        groups: tuple[list[int], list[int]] = ([used[0]], [])
        for index, side in zip(used[1:], chosen, strict=True):
            groups[side].append(index)
        if groups[1]:
            yield groups


@expectation_rule("stein")
def stein(old: Expectation, new: sympy.Expr) -> None:
    """E[z_b f] = sum_a Cov(z_b, z_a) E[df/dz_a] for one of the linear factors z_b.

    E[z1 f(z1)] = E[f'(z1)], here for f = z1^3:

    >>> stein(Expectation(z(1) ** 4, sympy.eye(1)), 3 * Expectation(z(1) ** 2, sympy.eye(1)))
    """
    wrong = f"{old.integrand} has no factor z"
    for power in sympy.Mul.make_args(old.integrand):
        factor = power.base if power.is_Pow else power
        if not factor.is_Symbol:
            continue
        rest = old.integrand / factor
        column = old.cov.col(variables(factor)[0] - 1)
        parts = (column[i] * marginal(derivative(rest, s), old.cov) for i, s in enumerate(old.bound_symbols))
        try:
            equal(sum(parts, sympy.Integer(0)), new, "integration by parts")
            return
        except StepError as error:
            wrong = str(error)
    raise StepError(wrong)
