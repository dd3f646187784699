"""nu = y^T K^-1 y against exact rational elimination, its invariances, and kernels that are singular."""

from fractions import Fraction

import numpy as np
import pytest
import torch

from sim.kernels import nu
from sim.kernels.alignment import METHODS
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


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("rows", CASES.values(), ids=CASES)
def test_nu_is_that_of_exact_elimination_within_its_condition(rows, method):
    labels = [Fraction((-1) ** i) for i in range(len(rows))]
    exact, trace = by_elimination(rows, labels), sum(rows[i][i] for i in range(len(rows)))
    kernel, y = tensor(rows), tensor([labels])[0]
    for by_trace in (False, True):
        for by_norm in (False, True):
            found = nu(kernel, y, by_trace=by_trace, by_norm=by_norm, method=method)
            expected = float(exact * (trace if by_trace else 1) / (len(rows) if by_norm else 1))
            assert abs(found.value - expected) <= NU_ROUNDINGS * found.condition * expected
            # The four variants differ by more than this, so that none passes for another.
            assert abs(found.value - 1.01 * expected) > NU_ROUNDINGS * found.condition * expected
    assert found.condition >= float(np.linalg.cond(kernel.numpy())) * (1 - NU_ROUNDINGS * found.condition)
    assert found.method == method


@pytest.mark.parametrize("method", METHODS)
def test_a_kernel_with_a_negative_eigenvalue_and_an_ill_conditioned_one_are_refused(method):
    with pytest.raises(OutOfReachError, match="singular to rounding"):
        nu(tensor(hilbert(13)), torch.ones(13, dtype=torch.float64), by_trace=False, method=method)
    for kernel in (torch.tensor([[1.0, 2.0], [2.0, 1.0]]), -torch.eye(2)):
        with pytest.raises(InputError, match="not positive semidefinite: its smallest eigenvalue is -1"):
            nu(kernel.double(), torch.ones(2, dtype=torch.float64), by_trace=False, method=method)


def test_bad_arguments_are_named():
    for call, message in [
        (lambda k, y: nu(k[:2], y, by_trace=True), r"kernel has shape \(2, 3\)"),
        (lambda k, y: nu(k, y[:2], by_trace=True), r"y is \(2,\) of torch.float64; a kernel of 3 inputs needs \(3,\)"),
        (lambda k, y: nu(k, y.float(), by_trace=True), r"y is \(3,\) of torch.float32"),
        (lambda k, y: nu(k, 0 * y, by_trace=True), r"\|y\|\^2 = 0.0"),
        (
            lambda k, y: nu(k + torch.arange(3.0), y, by_trace=True),
            "kernel is not symmetric: two mirrored entries differ by 2",
        ),
        (lambda k, y: nu(k * float("nan"), y, by_trace=True), "not finite"),
        (lambda k, y: nu(k, y, by_trace=True, method="lu"), "method"),
    ]:
        with pytest.raises(InputError, match=message):
            call(torch.eye(3, dtype=torch.float64), torch.ones(3, dtype=torch.float64))
