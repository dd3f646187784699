"""Trace-normalised kernels and class averages, against their definitions."""

import pytest
import torch

from sim.kernels import class_averages, overlap, trace_normalised
from tests.sim.kernels.networks import hard_gates
from theory.problem import InputError, OutOfReachError


def test_class_averages_are_means_over_all_pairs():
    kernel, labels = overlap(hard_gates(9, (5, 4))), torch.tensor([2, 0, 1, 1, 0, 2, 2, 2, 0])
    found = class_averages(kernel, labels, 3)
    for a in range(3):
        for b in range(3):
            pairs = [float(kernel[s, t]) for s in range(9) for t in range(9) if (labels[s], labels[t]) == (a, b)]
            # Sums of whole numbers are exact, and a quotient is rounded correctly.
            assert float(found[a, b]) == sum(pairs) / len(pairs)


def test_a_kernel_without_a_positive_trace_and_a_class_without_an_input_are_named():
    with pytest.raises(OutOfReachError, match="The trace of the kernel is 0"):
        trace_normalised(overlap([torch.zeros(3, 4)]))
    with pytest.raises(InputError, match="The class 1 has no input"):
        class_averages(torch.eye(3), torch.tensor([0, 0, 2]), 3)
