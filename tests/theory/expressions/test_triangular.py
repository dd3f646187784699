"""Triangular numbers against the sums that define them."""

import sympy

from theory.expressions.triangular import triangle

m = sympy.Symbol("m", integer=True)


def test_value_is_the_sum_of_the_numbers_up_to_it():
    for number in range(-3, 5):
        assert triangle(sympy.Integer(number)) == sum(range(1, number + 1)), number


def test_a_symbol_is_kept_and_a_number_put_in_for_it_is_counted():
    assert triangle(m).args == (m,)
    assert triangle(m + 1).xreplace({m: sympy.Integer(3)}) == 10
    assert triangle(m).is_integer
    assert triangle(m).is_nonnegative
    assert triangle(sympy.Symbol("r", real=True)).is_integer is None
