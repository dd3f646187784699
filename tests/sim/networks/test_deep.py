"""Deep networks in torch against plain loops in fractions."""

from fractions import Fraction

import pytest
import torch

from sim.networks.deep import at_start
from tests.deep_cases import cases, is_soft, loops, sum_over_paths_of_sizes
from tests.tolerances_of_paths import DEEP_PASS, DEEP_PASS_SINGLE
from theory.problem import OutOfReachError, loads

CASES = dict(cases())


@pytest.mark.parametrize(("dtype", "allowed"), [(torch.float64, DEEP_PASS), (torch.float32, DEEP_PASS_SINGLE)])
def test_the_pass_is_that_of_plain_loops(dtype, allowed):
    for problem in CASES.values():
        assert_the_pass_is_that_of_loops(problem, dtype, allowed)


def assert_the_pass_is_that_of_loops(problem, dtype, allowed):
    found = at_start(problem, dtype)
    assert found.output.dtype == dtype
    assert found.output.shape == (1, 4, 1)
    for s in range(4):
        gates, drives, y = loops(problem, s)
        size = max(1, sum_over_paths_of_sizes(problem, s, gates))
        assert abs(Fraction(found.output[0, s, 0].item()) - y) <= allowed * size
        for level, (own, q) in enumerate(zip(gates, drives, strict=True)):
            seen = [Fraction(value) for value in found.gates[level][0, s].flatten().tolist()]
            if is_soft(problem):
                assert all(abs(a / b - 1) <= allowed for a, b in zip(seen, own, strict=True))
            else:
                assert seen == own
            seen = found.products[f"Theta_{level + 1}"].preactivation[0, s].flatten().tolist()
            assert all(abs(Fraction(a) - b) <= allowed * size for a, b in zip(seen, q, strict=True))


def test_a_law_without_a_list_of_examples_is_refused():
    problem = loads(
        '[data]\nlaw = "ising"\nn = 3\nbeta = [1.0]\nboundary = "ring"\nlabels = [1.0]\n'
        '[network]\nmodel = "deep"\nwidths = [2]\ngating = "open"\n'
        '[training]\nloss = "mse"\ntau = 1\ntimes = [1]\nw0 = { law = "normal", scale = 1, seed = 0 }\n'
    )
    with pytest.raises(OutOfReachError, match='"ising" has no list of examples'):
        at_start(problem)
