"""Triangular numbers against the sums that define them."""

import pytest
import sympy

from theory.expressions.triangular import triangle

m = sympy.Symbol("m", integer=True)


@pytest.mark.parametrize("number", range(-3, 12))
def test_value_is_the_sum_of_the_numbers_up_to_it(number):
    assert triangle(sympy.Integer(number)) == sum(range(1, number + 1))


@pytest.mark.parametrize("least", range(1, 6))
@pytest.mark.parametrize("cut", range(-2, 9))
def test_a_difference_is_a_sum_of_positive_parts(least, cut):
    largest = 6
    summed = sum(max(width - cut, 0) for width in range(least, largest + 1))
    found = triangle(sympy.Integer(largest - cut)) - triangle(sympy.Integer(least - 1 - cut))
    assert found == summed


def test_a_symbol_is_kept_and_a_number_put_in_for_it_is_counted():
    assert triangle(m).args == (m,)
    assert triangle(m + 1).xreplace({m: sympy.Integer(3)}) == 10
    assert triangle(m).is_integer
    assert triangle(m).is_nonnegative
    assert triangle(sympy.Symbol("r", real=True)).is_integer is None


def test_latex():
    assert sympy.latex(triangle(m) ** 2) == r"T^{2}\left(m\right)"
