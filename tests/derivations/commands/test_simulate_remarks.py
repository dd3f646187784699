"""Remarks of `gdln simulate` on units that training left as they were."""

import pytest

from derivations.answers import simulate
from tests.derivations.commands.test_simulate import PROBLEM
from theory.problem import loads


@pytest.mark.parametrize("start", ["shared", "per-replicate"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_gate_that_no_example_opened_is_remarked(dtype, start):
    """Beyond nine standard deviations of the latent are 1e-19 of all examples: a law's gate opens, a run's does not."""
    text = f'{PROBLEM}initialisation = "{start}"\n'
    (remark,) = simulate.answer(loads(text.replace("lo = 0.0", "lo = 9.0")), "cpu", dtype=dtype).remarks
    assert remark.startswith("the weights of unit 0 ended as they began in every network")
    assert simulate.answer(loads(text.replace("lo = 0.0", "lo = 0.5")), "cpu", dtype=dtype).remarks == ()


def test_networks_that_take_no_step_have_no_remark():
    assert simulate.answer(loads(PROBLEM.replace("[0.5, 2.0]", "[0.0]")), "cpu").remarks == ()


def test_a_gate_that_the_law_keeps_shut_is_remarked_once():
    (remark,) = simulate.answer(loads(PROBLEM.replace("lo = 0.0", 'lo = 9.0\non = "input"')), "cpu").remarks
    assert "closed for every input of this law" in remark
