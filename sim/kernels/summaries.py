"""Summaries of kernels that the papers plot: cumulative eigenvalues, trace-normalised heat maps, class averages."""

import torch
from jaxtyping import Float

from sim.kernels.arguments import check_kernel
from theory.problem import InputError, OutOfReachError
from theory.problem.numbers import one_of

NORMALISERS = ("none", "trace", "largest")


def cumulative_eigenvalues(kernel: torch.Tensor, *, normaliser: str) -> Float[torch.Tensor, " N"]:
    """Return c_k = sum_(i <= k) rho_i over the eigenvalues rho_1 <= rho_2 <= ... of a symmetric kernel (N, N).

    The DGN paper calls this the e.c.d.f. of the eigenvalues. `normaliser` divides them by "none"; by the "largest", as
    in its Figure 3; or by the "trace", so that the last entry is 1. Raises InputError for a kernel that is not square,
    symmetric and finite and for another normaliser, OutOfReachError where the normaliser is not positive.

    >>> cumulative_eigenvalues(torch.tensor([[2.0, 0.0], [0.0, 1.0]]), normaliser="largest").tolist()
    [0.5, 1.5]
    """
    check_kernel(kernel, symmetric=True)
    one_of(normaliser, "normaliser", NORMALISERS)
    eigenvalues = torch.linalg.eigvalsh(kernel)
    if normaliser == "trace":
        return (eigenvalues / _positive(kernel.trace(), "trace")).cumsum(0)
    if normaliser == "largest":
        return (eigenvalues / _positive(eigenvalues[-1], "largest eigenvalue")).cumsum(0)
    return eigenvalues.cumsum(0)


def trace_normalised(kernel: torch.Tensor) -> Float[torch.Tensor, "N N"]:
    """Return K / tr K, whose eigenvalues sum to 1, for a kernel (N, N).

    Raises InputError for a kernel that is not square and finite, OutOfReachError for a trace that is not positive, as
    where no path is active for any input. Source: NPK paper, Section 6; DLGN paper, Figures 3, 4 and 13 to 16.

    >>> trace_normalised(torch.tensor([[3.0, 1.0], [1.0, 1.0]])).tolist()
    [[0.75, 0.25], [0.25, 0.25]]
    """
    check_kernel(kernel, symmetric=False)
    return kernel / _positive(kernel.trace(), "trace")


def class_averages(kernel: torch.Tensor, labels: torch.Tensor, classes: int) -> Float[torch.Tensor, "C C"]:
    """Return the mean of K(s, s') over the inputs s of class a and s' of class b, (classes, classes).

    `labels` (N) are whole numbers from 0 to classes - 1. The means within a class include the diagonal s = s', as those
    of the DLGN paper do (Figures 13 to 16: ten classes, 50 inputs each). Raises InputError for a kernel that is not
    square and finite, for labels that do not fit and for a class without an input.

    >>> kernel = torch.tensor([[1.0, 3.0, 0.0], [3.0, 1.0, 2.0], [0.0, 2.0, 5.0]])
    >>> class_averages(kernel, torch.tensor([0, 0, 1]), 2).tolist()
    [[2.0, 1.0], [1.0, 5.0]]
    """
    check_kernel(kernel, symmetric=False)
    whole = isinstance(labels, torch.Tensor) and not labels.is_floating_point() and labels.dtype != torch.bool
    if not whole or labels.shape != kernel.shape[:1]:
        given = (
            f"{tuple(labels.shape)} of {labels.dtype}" if isinstance(labels, torch.Tensor) else type(labels).__name__
        )
        raise InputError(
            f"labels is {given}; a kernel of {len(kernel)} inputs needs ({len(kernel)},) of whole numbers.",
            "Give the class of each input, counted from 0.",
        )
    smallest, largest = int(labels.min()), int(labels.max())
    if smallest < 0 or largest >= classes:
        wrong = smallest if smallest < 0 else largest
        raise InputError(f"The class {wrong} is not one of 0 to {classes - 1}.", f"There are {classes} classes.")
    members = torch.nn.functional.one_hot(labels.long(), classes).to(kernel.dtype)
    counts = members.sum(0)
    if not bool(counts.all()):
        empty = int((counts == 0).nonzero()[0])
        raise InputError(f"The class {empty} has no input, so it has no average.", "Number the classes that occur.")
    return (members.T @ kernel @ members) / torch.outer(counts, counts)


def _positive(value: torch.Tensor, name: str) -> torch.Tensor:
    if not bool(value > 0):
        raise OutOfReachError(
            f"The {name} of the kernel is {float(value):.3g}; only a positive number normalises it.",
            'Take the kernel as it is (normaliser="none"), or check that a gate is open for some input.',
        )
    return value
