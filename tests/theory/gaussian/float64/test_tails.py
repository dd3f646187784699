"""float64 where the terms of a closed form cancel: the tails of thresholds."""

from functools import cache

import numpy as np
import pytest
import sympy
import torch

from tests.tolerances import TAIL_ACCURACY
from theory.expressions.functions import Relu
from theory.expressions.symbols import z
from theory.gaussian import expect
from theory.gaussian.float64.closed_form import evaluate
from theory.gaussian.float64.tails import MOST_RECOMPUTED, sharpened
from theory.problem.errors import OutOfReachError

RHO, T = sympy.Symbol("rho", real=True), sympy.Symbol("t", positive=True)
THRESHOLDS = [0.5, 3.0, 6.0, 12.0]


@cache
def pair():
    return expect(Relu(z(1) - T) * Relu(z(2) - T), [[1, RHO], [RHO, 1]])


@pytest.mark.parametrize("rho", [-0.25, 0.25])
def test_tails_are_relatively_accurate(rho):
    exact = np.array([float(pair().evaluate(20, t=t, rho=rho).value) for t in THRESHOLDS])
    values = pair().numeric(t=np.array(THRESHOLDS), rho=rho)
    assert (np.abs(values / exact - 1) <= TAIL_ACCURACY).all()
    assert values.shape == (len(THRESHOLDS),)
    plain = evaluate(pair().closed_form, {"t": np.array(THRESHOLDS), "rho": rho})
    assert np.abs(plain / exact - 1).max() > TAIL_ACCURACY  # the form alone has no digits there


def test_tensors_keep_their_gradient():
    t = torch.tensor([1.0, 6.0], dtype=torch.float64, requires_grad=True)
    value = pair().numeric(t=t, rho=0.5)
    assert float(value[1].detach()) == float(pair().numeric(t=6.0, rho=0.5))
    value.sum().backward()
    assert (t.grad < 0).all()


def test_an_expectation_that_is_zero_costs_no_certificate():
    signs = expect(sympy.sign(z(1)) * sympy.sign(z(2)), [[1, RHO], [RHO, 1]])
    assert (signs.numeric(rho=np.zeros(10 * MOST_RECOMPUTED)) == 0).all()


def test_too_many_values_in_the_tail_are_refused():
    many = np.zeros(MOST_RECOMPUTED + 1)
    with pytest.raises(OutOfReachError, match=f"{len(many)} of {len(many)} values"):
        sharpened(lambda point: point["x"], many, np.ones_like(many), {"x": many})
