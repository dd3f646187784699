"""Cumulative eigenvalues, trace-normalised kernels and class averages, against their definitions."""

import numpy as np
import pytest
import torch

from sim.kernels import class_averages, cumulative_eigenvalues, overlap, trace_normalised
from tests.sim.kernels.networks import hard_gates
from tests.tolerances_of_empirical_kernels import EIGENVALUE_SUMS
from theory.problem import InputError, OutOfReachError


def equal_overlaps(n, rho):
    """The ideal kernel of equation (5) of the DGN paper: 1 on the diagonal, rho elsewhere."""
    return torch.full((n, n), rho, dtype=torch.float64).fill_diagonal_(1)


def test_the_ideal_kernel_has_the_steps_of_the_paper():
    """n - 1 eigenvalues 1 - rho and one 1 + (n - 1) rho, in ascending order."""
    n, rho = 20, 0.25
    found = cumulative_eigenvalues(equal_overlaps(n, rho), normaliser="none").numpy()
    expected = [*((1 - rho) * np.arange(1, n)), n]
    assert np.abs(found - expected).max() <= EIGENVALUE_SUMS * n
    by_largest = cumulative_eigenvalues(equal_overlaps(n, rho), normaliser="largest").numpy()
    assert np.abs(by_largest - np.array(expected) / (1 + (n - 1) * rho)).max() <= EIGENVALUE_SUMS * n
    by_trace = cumulative_eigenvalues(equal_overlaps(n, rho), normaliser="trace").numpy()
    assert np.abs(by_trace - np.array(expected) / n).max() <= EIGENVALUE_SUMS
    assert abs(by_trace[-1] - 1) <= EIGENVALUE_SUMS


def test_class_averages_are_means_over_all_pairs():
    kernel, labels = overlap(hard_gates(9, (5, 4))), torch.tensor([2, 0, 1, 1, 0, 2, 2, 2, 0])
    found = class_averages(kernel, labels, 3)
    for a in range(3):
        for b in range(3):
            pairs = [float(kernel[s, t]) for s in range(9) for t in range(9) if (labels[s], labels[t]) == (a, b)]
            # Sums of whole numbers are exact, and a quotient is rounded correctly.
            assert float(found[a, b]) == sum(pairs) / len(pairs)


def test_labels_that_do_not_fit_are_named():
    for labels, message in [
        (torch.tensor([0, 1]), r"labels is \(2,\) of torch.int64; a kernel of 3 inputs needs \(3,\)"),
        (torch.tensor([0.0, 1.0, 0.0]), "of torch.float32"),
        (torch.tensor([True, False, True]), "of torch.bool"),
        (torch.tensor([0, 2, 1]), "The class 2 is not one of 0 to 1"),
        (torch.tensor([0, -1, 1]), "The class -1 is not one of 0 to 1"),
        (torch.tensor([0, 0, 0]), "The class 1 has no input"),
    ]:
        with pytest.raises(InputError, match=message):
            class_averages(torch.eye(3), labels, 2)


def test_a_kernel_without_a_positive_normaliser_is_named():
    nothing = overlap([torch.zeros(3, 4)])
    with pytest.raises(OutOfReachError, match="The trace of the kernel is 0"):
        trace_normalised(nothing)
    with pytest.raises(OutOfReachError, match="The largest eigenvalue of the kernel is 0"):
        cumulative_eigenvalues(nothing, normaliser="largest")
    with pytest.raises(InputError, match="normaliser"):
        cumulative_eigenvalues(nothing, normaliser="size")
    with pytest.raises(InputError, match=r"kernel has shape \(3, 4\)"):
        trace_normalised(torch.ones(3, 4))
