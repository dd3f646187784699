"""nu = y^T K^-1 y against exact rational elimination, its invariances, and kernels that are singular."""

from fractions import Fraction

import numpy as np
import pytest
import torch

from sim.kernels import nu
from tests.tolerances_of_empirical_kernels import NU_ROUNDINGS
from theory.problem import InputError, OutOfReachError


def hilbert(n):
    """1/(i + j + 1), as fractions: the condition number grows like 33^n."""
    return [[Fraction(1, i + j + 1) for j in range(n)] for i in range(n)]


def whole(n):
    """A positive definite matrix of whole numbers, A A^T + n."""
    a = np.random.default_rng(3).integers(-3, 4, (n, n))
    return [[Fraction(int(value)) for value in row] for row in a @ a.T + n * np.eye(n, dtype=int)]


def by_elimination(rows, y):
    """y^T K^-1 y in fractions, by Gaussian elimination."""
    n = len(rows)
    table = [[*row, value] for row, value in zip(rows, y, strict=True)]
    for i in range(n):
        for j in range(n):
            if j != i:
                factor = table[j][i] / table[i][i]
                table[j] = [a - factor * b for a, b in zip(table[j], table[i], strict=True)]
    return sum(value * table[i][n] / table[i][i] for i, value in enumerate(y))


def tensor(rows):
    return torch.tensor([[float(value) for value in row] for row in rows], dtype=torch.float64)


CASES = {"whole numbers": whole(7), "hilbert 5": hilbert(5)}


@pytest.mark.parametrize("rows", CASES.values(), ids=CASES)
def test_nu_is_that_of_exact_elimination_within_its_condition(rows):
    labels = [Fraction((-1) ** i) for i in range(len(rows))]
    exact, trace = by_elimination(rows, labels), sum(rows[i][i] for i in range(len(rows)))
    kernel, y = tensor(rows), tensor([labels])[0]
    for by_trace in (False, True):
        found = nu(kernel, y, by_trace=by_trace)
        expected = float(exact * (trace if by_trace else 1))
        assert abs(found.value - expected) <= NU_ROUNDINGS * found.condition * expected
        # Both variants differ by more than this, so that neither passes for the other.
        assert abs(found.value - 1.01 * expected) > NU_ROUNDINGS * found.condition * expected
    assert found.condition >= float(np.linalg.cond(kernel.numpy())) * (1 - NU_ROUNDINGS * found.condition)


def test_a_kernel_with_a_negative_eigenvalue_and_an_ill_conditioned_one_are_refused():
    with pytest.raises(OutOfReachError, match="singular to rounding"):
        nu(tensor(hilbert(13)), torch.ones(13, dtype=torch.float64), by_trace=False)
    for kernel in (torch.tensor([[1.0, 2.0], [2.0, 1.0]]), -torch.eye(2)):
        with pytest.raises(InputError, match="not positive semidefinite: its smallest eigenvalue is -1"):
            nu(kernel.double(), torch.ones(2, dtype=torch.float64), by_trace=False)


def test_what_is_no_kernel_is_named():
    kernel = torch.eye(3, dtype=torch.float64)
    for wrong, message in [
        (kernel[:2], r"kernel has shape \(2, 3\)"),
        (kernel + torch.arange(3.0), "kernel is not symmetric: two mirrored entries differ by 2"),
        (kernel * float("nan"), "not finite"),
    ]:
        with pytest.raises(InputError, match=message):
            nu(wrong, torch.ones(3, dtype=torch.float64), by_trace=True)
