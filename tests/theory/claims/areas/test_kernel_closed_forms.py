"""Closed forms of the tangent kernel's moments, proved for every width and depth: their sums over depths are compared.

The sum over d of z^d E K0^2 is a resolvent of the matrices of four states, so a rational function of z. That of a
closed form, a sum of powers of d times powers of constants, is one too. Both are equal as functions of all symbols, and
so are their coefficients. The roots become rational by t = v + root with root^2 = v^2 - 24.
"""

from fractions import Fraction

import pytest
import sympy
from sympy import QQ
from sympy.polys.matrices import DomainMatrix

from theory.claims.areas.kernel import _given, _networks, random_gates, variance
from theory.claims.areas.kernel.overlap import largest_ratio
from theory.kernels import generating_function

e, q, kappa, z, t, x, r = sympy.symbols("e q kappa z t x r")
d, w, mu = variance.d, variance.w, random_gates.mu
SINGLE = 3  # of the states 12|34, 13|24, 14|23 and all four paths at one node
RADICAL, MIDDLE = (t - 24 / t) / 2, (t + 24 / t) / 2


def resolvent(sums: list[sympy.Expr], kurtosis: sympy.Expr, symbols: list[sympy.Symbol]) -> sympy.Expr:
    """The sum of z^d E K0^2 over d >= 1, for node sums of the states that are the same at each level.

    A layer passes from a state to itself, or to or from the single node. One that a kernel marks has the states 12|34
    and the single node alone. The output is a single node, of weight 1.
    """
    field = QQ.frac_field(*symbols)
    nodes = sympy.diag(*sums)
    free = sympy.Matrix(4, 4, lambda i, j: int(i == j or SINGLE in (i, j)))
    free[SINGLE, SINGLE] = kurtosis
    marks = sympy.Matrix(4, 4, lambda i, j: int({i, j} <= {0, SINGLE}))
    plain, marked = (DomainMatrix.from_Matrix(z * layer * nodes).convert_to(field) for layer in (free, marks))
    walk = (DomainMatrix.eye(4, field) - plain).inv()
    once = walk * marked * walk
    both = (once + once * marked * walk * 2).to_Matrix()
    return both[SINGLE, SINGLE] / sums[SINGLE]


def summed(form: sympy.Expr, *symbols: sympy.Symbol, first: int = 1) -> sympy.Expr:
    """The sum of z^d form(d) over d >= first, for powers of d times powers base^d; `symbols` are those of the bases."""
    powers = sorted((part for part in form.atoms(sympy.Pow) if part.exp == d), key=str)
    names = [sympy.Dummy() for _ in powers]
    named = form.xreplace(dict(zip(powers, names, strict=True)))
    total = sympy.Integer(0)
    for (degree, *used), factor in sympy.Poly(named, d, *names, domain=QQ.frac_field(*symbols)).terms():
        assert sum(used) <= 1
        base = z * sympy.prod(power.base**k for power, k in zip(powers, used, strict=True))
        y = sympy.Dummy()
        series = 1 / (1 - y)
        for _ in range(degree):
            series = y * series.diff(y)
        total += factor * (series.subs(y, base) - sum(base**k * sympy.Integer(k) ** degree for k in range(first)))
    return total


def vanishes(difference: sympy.Expr, *symbols: sympy.Symbol) -> bool:
    return QQ.frac_field(*symbols).from_sympy(difference) == 0


def test_the_generating_function_is_the_resolvent_of_the_four_states():
    symbols = [e, q, kappa, z]
    whole = resolvent([q, q, q, e], kappa, symbols)
    assert vanishes(whole - generating_function(e, q, kappa, z), *symbols)
    assert not vanishes(whole - generating_function(e, q, kappa + e, z), *symbols)


@pytest.mark.parametrize("more", [0, sympy.Rational(1, 10**6)])
def test_the_second_moment_of_signs_at_every_width_and_depth(more):
    """The root squared is (w + 4)^2 - 24."""
    width = MIDDLE - 4
    form = (variance.VALUE.statement.rhs + more).subs(sympy.sqrt(variance._SQUARE), RADICAL).subs(w, width)
    whole = generating_function(1 / width, 1 - 1 / width, sympy.Integer(1), z)
    assert vanishes(summed(form, t) - whole, t, z) is (more == 0)


@pytest.mark.slow
@pytest.mark.parametrize("more", [0, sympy.Rational(1, 10**6)])
def test_the_second_moment_of_bernoulli_gates_at_every_width_and_depth(more):
    """With v = mu (w - 1) the root squared is (v + 5)^2 - 24."""
    width = (MIDDLE - 5) / mu + 1
    form = (random_gates.OWN.statement.rhs + more).subs(sympy.sqrt(random_gates._SQUARE), RADICAL).subs(w, width)
    whole = generating_function(1 / (mu * width), 1 - 1 / width, sympy.Integer(1), z)
    assert vanishes(summed(form, t, mu) - whole, t, mu, z) is (more == 0)


def test_the_second_moment_of_gaussian_weights_at_every_width_and_depth():
    form = expanded(variance.GAUSSIAN_WEIGHTS.statement.rhs)
    whole = generating_function(1 / w, 1 - 1 / w, sympy.Integer(3), z)
    assert vanishes(summed(form, w) - whole, w, z)


def expanded(form: sympy.Expr) -> sympy.Expr:
    """The same with base^(d + k) as base^k base^d."""
    return form.replace(
        lambda part: part.is_Pow and part.exp.has(d),
        lambda part: part.base ** (part.exp - d) * sympy.Pow(part.base, d, evaluate=False),
    )


def in_wide_networks(sums: list[sympy.Expr], *symbols: sympy.Symbol) -> tuple[sympy.Expr, sympy.Expr]:
    """The sums over d of z^d E K0^2 in the limit of wide networks, and of its coefficient of x = 1/w."""
    field = QQ.frac_field(x, *symbols, z)
    whole = field.to_sympy(field.from_sympy(resolvent(sums, sympy.Integer(1), [x, *symbols, z])))
    at_zero = QQ.frac_field(*symbols, z)
    return tuple(at_zero.from_sympy(part.subs(x, 0)) for part in (whole, whole.diff(x)))


def test_the_leading_variance_of_open_gates_at_every_depth():
    limit, leading = in_wide_networks([1 - x, 1 - x, 1 - x, x])
    assert limit == QQ.frac_field(z).from_sympy(summed(d**2))
    assert leading == QQ.frac_field(z).from_sympy(summed(variance.LEADING.statement.rhs))


def test_the_leading_variance_of_bernoulli_gates_at_every_depth():
    limit, leading = in_wide_networks([1 - x, 1 - x, 1 - x, x / mu], mu)
    assert limit == QQ.frac_field(mu, z).from_sympy(summed(d**2))
    assert leading == QQ.frac_field(mu, z).from_sympy(summed(random_gates.LEADING.statement.rhs, mu))


@pytest.mark.slow
def test_the_leading_variance_of_two_inputs_at_every_depth():
    """12|34 and 14|23 need nodes that are open for both inputs; the units are (mu w)^2(d-1), and r = mu^2."""
    limit, leading = in_wide_networks([r * (1 - x), 1 - x, r * (1 - x), x], r)
    field = QQ.frac_field(r, z)
    assert limit == field.from_sympy(summed(expanded(d**2 * r ** (d - 1)), r))
    form = expanded(random_gates.CROSS_LEADING.statement.rhs.subs(random_gates.r, r))
    assert leading == field.from_sympy(summed(form, r, first=2))


@pytest.mark.parametrize(("width", "depth"), [(1, 4), (2, 3), (5, 5)])
def test_a_smaller_bound_of_the_variance_has_exceptions(width, depth):
    assert variance.above(width, depth, 2) == 0
    assert variance.above(width, depth, 1) > 0


def test_the_second_moment_with_given_gates_is_that_of_all_signs():
    one, other = (1, 1), (0, 1)
    total, choices = 0, 0
    for weights in _networks.signs((1, 2, 2, 1)):
        slopes = [_networks.by_weights(1, weights, [gates] * 2) for gates in (one, other)]
        total += sum(a * b for a, b in zip(*slopes, strict=True)) ** 2
        choices += 1
    assert Fraction(total, choices) == _given.second_moment(3, one, other)


def test_a_higher_power_of_the_overlap_is_no_bound():
    assert largest_ratio(3, 2, power=2) == 1
    assert largest_ratio(3, 2, power=3) == 2  # two of three nodes each, of which they share one
