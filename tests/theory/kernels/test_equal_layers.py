"""Closed forms for equal levels beside the transfer matrix, which the enumeration of weights has judged."""

from fractions import Fraction
from itertools import pairwise, product

import pytest
import sympy

from theory.kernels import (
    GAUSSIAN,
    SIGNS,
    GatedNetwork,
    GivenValues,
    alike,
    generating_function,
    mean,
    moment,
    relative_variance_bound,
    variance,
)
from theory.kernels.levels import node_sum
from theory.kernels.partitions import even_partitions, layer
from theory.problem import InputError

z = sympy.Symbol("z")


def coefficients(function: sympy.Expr, most: int) -> list[Fraction]:
    """The Taylor coefficients of a rational function with rational coefficients, by long division."""
    top, bottom = (sympy.Poly(part, z).all_coeffs()[::-1] for part in sympy.fraction(sympy.cancel(function)))
    found: list[sympy.Rational] = []
    for n in range(most + 1):
        rest = (top[n] if n < len(top) else 0) - sum(
            bottom[k] * found[n - k] for k in range(1, min(n, len(bottom) - 1) + 1)
        )
        found.append(rest / bottom[0])
    return [Fraction(int(value.p), int(value.q)) for value in found]


@pytest.mark.parametrize("law", [SIGNS, GAUSSIAN])
@pytest.mark.parametrize(("width", "mu"), [(1, 1), (2, 1), (7, 1), (50, 1), (3, Fraction(1, 2)), (10, Fraction(2, 7))])
def test_generating_function(law, width, mu):
    e, q = 1 / sympy.Rational(str(mu * width)), 1 - sympy.Rational(1, width)
    series = coefficients(generating_function(e, q, law.even_moments[2], z), 9)
    assert series[0] == 0
    for depth in range(1, 10):
        scale = Fraction(mu * width) ** (2 * (depth - 1))
        assert series[depth] == moment(alike(width, depth, mu, law), [(0, 0)] * 2) / scale


def test_given_open_gates_are_a_narrower_network():
    open_ = GivenValues([[1, 1, 0, 1, 0]])
    for depth in (2, 3, 5):
        assert variance(GatedNetwork([[1]], [open_] * (depth - 1))) == variance(alike(3, depth))


def test_four_states_of_two_kernels():
    """12|34, 13|24, 14|23 and 1234, with their sums over nodes c^2 - e, a b - e, c^2 - e and e."""
    states = {state: number for number, state in enumerate(even_partitions(2))}
    a, b, c, e = (states[own] for own in ((0b0011, 0b1100), (0b0101, 0b1010), (0b1001, 0b0110), (0b1111,)))
    every, marked = ({entry[:2] for entry in layer(2, mask, SIGNS.even_moments)} for mask in (0, 1))
    assert every == {(own, own) for own in (a, b, c)} | {(own, e) for own in (a, b, c, e)} | {
        (e, own) for own in (a, b, c)
    }
    assert marked == set(product((a, e), repeat=2))
    assert dict(((i, j), value) for i, j, value in layer(2, 0, GAUSSIAN.even_moments))[e, e] == 3
    one, other = [3, -1, 2], [1, 4, -2]
    level = GivenValues([one, other])
    sums = [node_sum(level, state, (0, 1, 0, 1)) for state in states]
    dot, four = (
        sum(x * y for x, y in zip(one, other, strict=True)),
        sum((x * y) ** 2 for x, y in zip(one, other, strict=True)),
    )
    assert (sums[a], sums[c], sums[e]) == (dot**2 - four, dot**2 - four, four)
    assert sums[b] == sum(x * x for x in one) * sum(y * y for y in other) - four


@pytest.mark.parametrize("law", [SIGNS, GAUSSIAN])
@pytest.mark.parametrize("inputs", [[1], [1, 2], [1, 1, 1, 1, 1]])
def test_bound(law, inputs):
    """No network exceeds the bound; at the depth 2 Gaussian weights, many equal inputs, come near it."""
    shares = []
    for width, depth in product((1, 2, 3, 10, 100), (1, 2, 3, 5, 20)):
        equal = alike(width, depth, weights=law)
        network = GatedNetwork([inputs], equal.levels, law)
        ratio = variance(network) / mean(network) ** 2
        assert ratio <= relative_variance_bound(width, depth)
        shares.append(ratio / relative_variance_bound(width, depth) if depth > 1 else 0)
    assert max(shares) < 1
    assert max(shares) > (Fraction(1, 2) if law is GAUSSIAN else Fraction(1, 5))


def test_no_constant_bounds_the_printed_order():
    """Along d = w the variance for s^2 = 1/w outgrows max(d^2/w, d^3/w^2) = d, though 4d/w^2 < 1."""
    ratios = []
    for width in (8, 32, 128):
        assert Fraction(4 * width, width**2) < 1
        ratios.append(variance(alike(width, width)) / Fraction(width) ** (2 * (width - 1)) / width)
    assert ratios[1] > 3 * ratios[0]
    assert ratios[2] > 3 * ratios[1]


@pytest.mark.parametrize(("width", "mu"), [(2, 1), (500, 1), (2, Fraction(1, 2)), (500, Fraction(1, 2))])
def test_the_variance_of_a_diagonal_entry_rises_with_each_layer(width, mu):
    values = [in_units_of_the_weights(width, depth, mu, (0, 0)) for depth in range(2, 25)]
    assert all(before < after for before, after in pairwise(values))


def test_the_variance_of_an_entry_of_two_inputs_falls_from_4_layers_to_10():
    values = [in_units_of_the_weights(500, depth, Fraction(1, 2), (0, 1)) for depth in range(2, 11)]
    assert [before < after for before, after in pairwise(values)] == [True] * 2 + [False] * 6


def in_units_of_the_weights(width: int, depth: int, mu: Fraction | int, pair: tuple[int, int]) -> Fraction:
    """Var K0 for weights of variance 1/(mu w)."""
    return variance(alike(width, depth, mu), pair) / Fraction(mu * width) ** (2 * (depth - 1))


def test_refusals():
    with pytest.raises(InputError, match="width = 0 must be at least 1"):
        relative_variance_bound(0, 3)
    with pytest.raises(InputError, match="depth = 0 must be at least 1"):
        relative_variance_bound(3, 0)
