"""Numbers that no precision separates from 0 are refused."""

import pytest

from theory.expressions.balls.closed_form import NotCertified
from theory.moments.arithmetic import settled
from theory.problem import OutOfReachError


def test_integrals_that_take_too_long_are_refused_in_words():
    def compute():
        raise NotCertified("too much work")

    with pytest.raises(OutOfReachError, match="look at the same direction of the data, up to a factor"):
        settled(compute, 53)
