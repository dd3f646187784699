"""The working precision of Arb, which is one number for all threads."""

import pytest
from flint import ctx

from theory.expressions.balls.precision import precision
from theory.problem.errors import InputError


def test_it_is_put_back_also_after_an_error():
    before = ctx.prec
    with pytest.raises(InputError), precision(300), precision(digits=50):
        raise InputError(f"an error in a block of {ctx.dps} digits.", "None.")
    assert ctx.prec == before
    with precision(300):
        with precision(digits=50):
            assert ctx.dps == 50
        assert ctx.prec == 300
    with precision():
        ctx.prec = 99
    assert ctx.prec == before
