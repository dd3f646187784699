"""Summaries of kernels that the papers plot: trace-normalised heat maps and class averages."""

import torch
from jaxtyping import Float

from sim.kernels.alignment import check_kernel
from theory.problem import InputError, OutOfReachError


def trace_normalised(kernel: torch.Tensor) -> Float[torch.Tensor, "N N"]:
    """Return K / tr K, whose eigenvalues sum to 1, for a kernel (N, N).

    Raises InputError for a kernel that is not square and finite, OutOfReachError for a trace that is not positive, as
    where no path is active for any input. Source: NPK paper, Section 6; DLGN paper, Figures 3, 4 and 13 to 16.

    >>> trace_normalised(torch.tensor([[3.0, 1.0], [1.0, 1.0]])).tolist()
    [[0.75, 0.25], [0.25, 0.25]]
    """
    check_kernel(kernel, symmetric=False)
    trace = kernel.trace()
    if not bool(trace > 0):
        raise OutOfReachError(
            f"The trace of the kernel is {float(trace):.3g}; only a positive number normalises it.",
            "Take the kernel as it is, or check that a gate is open for some input.",
        )
    return kernel / trace


def class_averages(kernel: torch.Tensor, labels: torch.Tensor, classes: int) -> Float[torch.Tensor, "C C"]:
    """Return the mean of K(s, s') over the inputs s of class a and s' of class b, (classes, classes).

    `labels` (N) are whole numbers from 0 to classes - 1. The means within a class include the diagonal s = s', as those
    of the DLGN paper do (Figures 13 to 16: ten classes, 50 inputs each). Raises InputError for a kernel that is not
    square and finite and for a class without an input.

    >>> kernel = torch.tensor([[1.0, 3.0, 0.0], [3.0, 1.0, 2.0], [0.0, 2.0, 5.0]])
    >>> class_averages(kernel, torch.tensor([0, 0, 1]), 2).tolist()
    [[2.0, 1.0], [1.0, 5.0]]
    """
    check_kernel(kernel, symmetric=False)
    members = torch.nn.functional.one_hot(labels, classes).to(kernel.dtype)
    counts = members.sum(0)
    if not bool(counts.all()):
        empty = int((counts == 0).nonzero()[0])
        raise InputError(f"The class {empty} has no input, so it has no average.", "Number the classes that occur.")
    return (members.T @ kernel @ members) / torch.outer(counts, counts)
