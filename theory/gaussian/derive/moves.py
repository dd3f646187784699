"""The moves of the engine: each takes one `Expectation` and returns an equal expression, or None if it does not apply.

The moves are tried in the order of `MOVES`. The rules in `theory.gaussian.derive.rules` check the result of each.
After `noisy_sign` every integrand is a product of sign(z_a + c), powers of z_b and DiracDelta(z_d + c), all different.
The laws that end a derivation (one sign, two signs, Price's theorem) are in `theory.gaussian.derive.laws`.
"""

from math import factorial, prod

import sympy

from theory.expressions.algebra import is_zero
from theory.expressions.symbols import z
from theory.gaussian.derive.conditioning import density
from theory.gaussian.derive.factors import atoms, threshold
from theory.gaussian.derive.integrand import Form, affine, expand
from theory.gaussian.derive.monomials import monomial_moment
from theory.gaussian.derive.path import is_positive, on_path
from theory.gaussian.expectation import Expectation, derivative, marginal, variables
from theory.problem.errors import OutOfReachError

ONE = sympy.Integer(1)
# Mehler's formula is applied to two polynomials in one variable each whose lower degree is at least this.
MEHLER_DEGREE = 3


def linearity(e: Expectation) -> sympy.Expr | None:
    """E of a sum of products is the sum of E of the products.

    >>> linearity(Expectation(sympy.Heaviside(z(1)), sympy.eye(1)))
    E[sign(z1); cov=[[1]]]/2 + 1/2
    """
    if e.integrand.has(sympy.DiracDelta):
        return None
    expansion = expand(e.integrand)
    products = {key: prod(key, start=ONE) for key in expansion}
    if () not in expansion and list(products.values()) == [e.integrand] and list(expansion.values()) == [1]:
        return None
    return sum((c * (Expectation(products[key], e.cov) if key else ONE) for key, c in expansion.items()), ONE * 0)


def linearity_of_sums(e: Expectation) -> sympy.Expr | None:
    """Apply linearity where a factor is a sum, as after a shift of polynomials.

    >>> linearity_of_sums(Expectation((z(1) + 1) ** 2, sympy.eye(1)))
    2*E[z1; cov=[[1]]] + E[z1**2; cov=[[1]]] + 1
    """
    plain = all(factor.is_Symbol or isinstance(factor, sympy.sign) for factor in atoms(e.integrand))
    return None if plain else linearity(e)


def marginalise(e: Expectation) -> sympy.Expr | None:
    """E[f] over only those variables that occur in f, renumbered in their order.

    >>> marginalise(Expectation(z(2) ** 2, sympy.eye(2)))
    E[z1**2; cov=[[1]]]
    """
    return marginal(e.integrand, e.cov) if len(variables(e.integrand)) < e.cov.rows else None


def mehler(e: Expectation) -> sympy.Expr | None:
    """E[P(z_a) Q(z_b)] = sum_k Cov(z_a, z_b)^k/k! E[P^(k)(z_a)] E[Q^(k)(z_b)] for two polynomials.

    Hermite polynomials are orthogonal, E He_3(z1) He_3(z2) = 3! r^3:

    >>> r = sympy.Symbol("r", real=True)
    >>> he = [z(k) ** 3 - 3 * z(k) for k in (1, 2)]
    >>> mehler(Expectation(he[0] * he[1], sympy.Matrix([[1, r], [r, 1]])))
    6*r**3
    """
    number, integrand = e.integrand.as_coeff_Mul()
    parts = sympy.Mul.make_args(integrand)
    used = variables(integrand)
    if len(used) != 2 or any(len(variables(part)) != 1 for part in parts):
        return None
    try:
        polynomials = [
            sympy.Poly(sympy.Mul(*(part for part in parts if variables(part) == [index])), z(index)) for index in used
        ]
    except sympy.PolynomialError:
        return None
    if min(polynomial.degree() for polynomial in polynomials) < MEHLER_DEGREE:
        return None
    cross = e.cov[used[0] - 1, used[1] - 1]
    means = [_derivative_means(p, e.cov[i - 1, i - 1]) for p, i in zip(polynomials, used, strict=True)]
    terms = (cross**k * a * b / factorial(k) for k, (a, b) in enumerate(zip(*means, strict=False)))
    return sympy.expand(number * sympy.Add(*terms))


def _derivative_means(polynomial: sympy.Poly, variance: sympy.Expr) -> list[sympy.Expr]:
    """E[P^(k)(z)] for k = 0, 1, ..., degree: E z^(2m) = (2m)!/(2^m m!) variance^m."""
    means = []
    for _ in range(polynomial.degree() + 1):
        even = ((power, c) for (power,), c in polynomial.terms() if power % 2 == 0)
        means.append(sum((c * _even_moment(power // 2) * variance ** (power // 2) for power, c in even), ONE * 0))
        polynomial = polynomial.diff()
    return means


def _even_moment(m: int) -> int:
    return factorial(2 * m) // (2**m * factorial(m))


def exponential_tilt(e: Expectation) -> sympy.Expr | None:
    """E[exp(l) f(z)] = exp(Var(l)/2) E[f(z + Cov(z, l))] for a linear form l (Cameron-Martin).

    >>> exponential_tilt(Expectation(sympy.exp(z(1)) * z(2), sympy.Matrix([[1, 0], [0, 1]])))
    exp(1/2)*E[z2; cov=[[1, 0], [0, 1]]]
    """
    factors = atoms(e.integrand)
    exponents = [factor for factor in factors if isinstance(factor, sympy.exp)]
    if len(exponents) != 1:
        return None
    form, _ = affine(exponents[0].args[0])
    rest = prod((factor for factor in factors if factor is not exponents[0]), start=ONE)
    shift = {z(k): z(k) + covariance_of({k: ONE}, form, e.cov) for k in variables(rest)}
    front = sympy.exp(sympy.expand(covariance_of(form, form, e.cov)) / 2)
    return front * (Expectation(rest.xreplace(shift), e.cov) if shift else rest)


def parity(e: Expectation) -> sympy.Expr | None:
    """E f = 0 when f(-z) = -f(z).

    >>> parity(Expectation(z(1) ** 2 * sympy.erf(z(2)), sympy.eye(2)))
    0
    """
    flipped = e.integrand.xreplace({symbol: -symbol for symbol in e.bound_symbols})
    return sympy.Integer(0) if flipped == -e.integrand else None


def covariance_of(form: Form, other: Form, cov: sympy.MatrixBase) -> sympy.Expr:
    """Cov(sum_i a_i z_i, sum_j b_j z_j).

    Var(z1 - z2) = 2 (1 - r):

    >>> r = sympy.Symbol("r", real=True)
    >>> covariance_of({1: 1, 2: -1}, {1: 1, 2: -1}, sympy.Matrix([[1, r], [r, 1]]))
    2 - 2*r
    """
    return sum(a * b * cov[i - 1, j - 1] for i, a in form.items() for j, b in other.items())


def noisy_sign(e: Expectation) -> sympy.Expr | None:
    """Make the argument of each factor one Gaussian: erf(u) = E sign(sqrt2 u + eps), eps ~ N(0, 1) independent.

    An erf thus multiplies correlations by kappa, kappa^2 = 2 var u / (1 + 2 var u). The new variables are not
    normalised: signs do not depend on their scale, and the covariances stay polynomial.

    >>> noisy_sign(Expectation(sympy.erf(z(1)) * sympy.sign(z(2)), sympy.eye(2))).cov
    Matrix([
    [3, 0],
    [0, 1]])
    """
    factors = atoms(e.integrand)
    powers = {factor: factors.count(factor) for factor in factors if factor.is_Symbol}
    separate = [factor for factor in factors if not factor.is_Symbol]
    forms: list[Form] = []
    noise, new_factors = [], []
    for factor in [*separate, *powers]:
        noisy = isinstance(factor, sympy.erf)
        form, offset = affine(factor if factor.is_Symbol else factor.args[0])
        root = sympy.sqrt(2) if noisy else ONE
        forms.append({i: root * c for i, c in form.items()})
        noise.append(1 if noisy else 0)
        name = z(len(forms))
        new_factors.append(name ** powers[factor] if factor.is_Symbol else sympy.sign(name + root * offset))
    size = len(forms)
    cov = sympy.zeros(size, size)
    for i in range(size):
        for j in range(i + 1):
            extra = noise[i] if i == j else 0
            cov[i, j] = cov[j, i] = sympy.expand(covariance_of(forms[i], forms[j], e.cov) + extra)
    new = Expectation(prod(new_factors, start=ONE), cov)
    return None if new == e else new


def isserlis(e: Expectation) -> sympy.Expr | None:
    """The moment of a monomial as a polynomial in the covariances (Isserlis, Wick).

    >>> c = sympy.Symbol("c", real=True)
    >>> isserlis(Expectation(z(1) ** 2 * z(2) ** 2, sympy.Matrix([[1, c], [c, 1]])))
    2*c**2 + 1
    """
    factors = atoms(e.integrand)
    if not all(factor.is_Symbol for factor in factors):
        return None
    used = variables(e.integrand)
    powers = tuple(factors.count(z(index)) for index in used)
    rows = [index - 1 for index in used]
    return monomial_moment(powers, e.cov.extract(rows, rows))


def collinear_signs(e: Expectation) -> sympy.Expr | None:
    """Combine two signs on one line: sign(z + c) sign(z + d) = 1 + sign(z + lower) - sign(z + upper); 1 where c = d.

    Where the order of c and d is not known, it is 1 - sign(c - d) (sign(z + c) - sign(z + d)).

    >>> collinear_signs(Expectation(sympy.sign(z(1)) * sympy.sign(z(2)), sympy.Matrix([[1, -1], [-1, 1]])))
    -1
    """
    signs = [f for f in atoms(e.integrand) if isinstance(f, sympy.sign)]
    for i, first in enumerate(signs):
        for second in signs[:i]:
            (a, c), (b, d) = threshold(first), threshold(second)
            if is_zero(e.cov[a, b] ** 2 - e.cov[a, a] * e.cov[b, b]) is not True:
                continue
            for side in (1, -1):
                # The variance of z_a is positive, also where its symbols do not show it.
                if is_positive(side * e.cov[a, b]) or is_positive(side * sympy.cancel(e.cov[a, b] / e.cov[a, a])):
                    # z_b = side (sd_b/sd_a) z_a, so that sign(z_b + d) = side sign(z_a + side d sd_a/sd_b).
                    other = sympy.expand(side * d * sympy.sqrt(sympy.cancel(e.cov[a, a] / e.cov[b, b])))
                    return _on_one_line(e, side, (first, second), (a, c, other))
    return None


def _on_one_line(e: Expectation, side: int, pair: tuple, line: tuple[int, sympy.Expr, sympy.Expr]) -> sympy.Expr:
    a, c, d = line
    rest = e.integrand / (pair[0] * pair[1])
    if is_zero(c - d) is True:
        return side * marginal(rest, e.cov)
    if not (is_positive(c - d) or is_positive(d - c)):
        if on_path(c - d):
            raise OutOfReachError(
                f"The order of two thresholds of one variable, {-c} and {-d}, is not known.",
                "Give their symbols domains, or write the larger as a sum such as t + d with the domain d>0 "
                "(--where on the command line).",
            )
        moved = (marginal(rest * sympy.sign(z(a + 1) + offset), e.cov) for offset in (c, d))
        return side * (marginal(rest, e.cov) - sympy.sign(sympy.expand(c - d)) * (next(moved) - next(moved)))
    lower, upper = (d, c) if is_positive(c - d) else (c, d)
    parts = (
        marginal(rest, e.cov),
        marginal(rest * sympy.sign(z(a + 1) + lower), e.cov),
        -marginal(rest * sympy.sign(z(a + 1) + upper), e.cov),
    )
    return side * sympy.Add(*parts)


def components(cov: sympy.MatrixBase, used: list[int]) -> list[list[int]]:
    """Return the finest groups of variables between which all covariances are zero.

    >>> components(sympy.Matrix([[1, 0, 1], [0, 1, 0], [1, 0, 2]]), [1, 2, 3])
    [[1, 3], [2]]
    """
    groups: list[list[int]] = []
    for index in used:
        linked = [g for g in groups if any(is_zero(cov[index - 1, other - 1]) is not True for other in g)]
        groups = [g for g in groups if g not in linked]
        groups.append(sorted([index, *(other for g in linked for other in g)]))
    return sorted(groups)


def independence(e: Expectation) -> sympy.Expr | None:
    """E[f g] = E f E g for two uncorrelated groups of variables.

    >>> independence(Expectation(z(1) ** 2 * sympy.sign(z(2) + 1), sympy.eye(2)))
    E[z1**2; cov=[[1]]]*E[sign(z1 + 1); cov=[[1]]]
    """
    groups = components(e.cov, variables(e.integrand))
    if len(groups) == 1:
        return None
    factors = atoms(e.integrand)
    first = [f for f in factors if set(variables(f)) <= set(groups[0])]
    rest = [f for f in factors if not set(variables(f)) <= set(groups[0])]
    return prod((marginal(prod(part, start=ONE), e.cov) for part in (first, rest)), start=ONE)


def stein(e: Expectation) -> sympy.Expr | None:
    """E[z_b f] = sum_a Cov(z_b, z_a) E[df/dz_a].

    >>> c = sympy.Symbol("c", real=True)
    >>> stein(Expectation(z(1) * sympy.sign(z(2)), sympy.Matrix([[1, c], [c, 1]])))
    2*c*E[DiracDelta(z1); cov=[[1]]]
    """
    powers = [f for f in atoms(e.integrand) if f.is_Symbol]
    if not powers:
        return None
    last = powers[-1]
    row = variables(last)[0] - 1
    rest = e.integrand / last
    return sum(
        (e.cov[row, index - 1] * marginal(derivative(rest, z(index)), e.cov) for index in variables(rest)), ONE * 0
    )


WHY = {
    "linearity": r"expectation is linear; a step is $(1 + \operatorname{sign})/2$, and "
    r"$\operatorname{sign}^2 = 1$, almost everywhere",
    "marginal": "variables that do not occur in the integrand are integrated out, and the others numbered anew",
    "mehler": "two polynomials in one variable each: derivatives of the same order pair up (Mehler's formula)",
    "exponential-tilt": "an exponential of a linear form shifts the Gaussian (Cameron-Martin)",
    "parity": r"the Gaussian is symmetric under $z \to -z$, so that odd integrands have mean zero",
    "noisy-sign": r"$\operatorname{erf}(u) = \mathbb{E} \operatorname{sign}(\sqrt{2} u + \varepsilon)$ with "
    r"$\varepsilon \sim N(0, 1)$ independent: each factor's argument becomes one Gaussian variable, "
    "numbered anew, and an erf attenuates its correlations",
    "collinear-signs": r"variables of correlation $\pm 1$ lie on one line, where two signs are combined into one",
    "independence": "uncorrelated groups of jointly Gaussian variables are independent",
    "isserlis": "the moment of a monomial is a sum over pairings (Isserlis)",
    "density": "the mean of a Dirac factor is the density at its zero times the conditional expectation of the rest",
    "stein": "Gaussian integration by parts (Stein)",
}
MOVES = {
    "linearity": linearity_of_sums,
    "parity": parity,
    "marginal": marginalise,
    "isserlis": isserlis,
    "collinear-signs": collinear_signs,
    "independence": independence,
    "density": density,
    "stein": stein,
}
