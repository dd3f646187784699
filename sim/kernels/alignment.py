"""The alignment of a kernel with labels, nu = y^T K^-1 y, with its condition number.

    nu = |L^-1 y|^2 with K = L L^T            (Cholesky)

Kernel regression on the labels has the squared norm nu in the space of the kernel, so that a small nu means labels
that the kernel represents easily. Nothing is added to the diagonal and no eigenvalue is dropped.
"""

from dataclasses import dataclass

import torch

from theory.problem import InputError, OutOfReachError


@dataclass(frozen=True)
class Alignment:
    """nu = y^T K^-1 y of a kernel, with the condition number on which its rounding error depends.

    `value` has a relative error of about `condition` rounding errors of its type. `condition` is |K|_1 |K^-1|_1, an
    upper bound on the ratio of the extreme eigenvalues.
    """

    value: float
    condition: float


def nu(kernel: torch.Tensor, y: torch.Tensor, *, by_trace: bool) -> Alignment:
    """Return nu = y^T K^-1 y for a symmetric positive definite kernel (N, N) and labels y (N).

    `by_trace` takes K/tr K in the place of K, as the DGN paper (Figure 6) and the NPK paper (Figure 3) do for the path
    kernel, which multiplies nu by tr K; Figure 8 of the DGN paper shows K^a with and without it.

    Raises InputError for a kernel that is not square, not symmetric, not finite or has a clearly negative eigenvalue.
    Raises OutOfReachError, with the smallest eigenvalue, for a kernel that is singular to rounding: whose condition
    number times the rounding error of its type is above 1/N, so that no digit of nu would be certain.

    >>> nu(torch.tensor([[4.0, 0.0], [0.0, 0.25]]), torch.tensor([1.0, -1.0]), by_trace=False).value
    4.25
    """
    check_kernel(kernel, symmetric=True)
    factor, failed = torch.linalg.cholesky_ex(kernel)
    if failed:
        _refuse_singular(kernel)
    inverse = torch.cholesky_inverse(factor)
    condition = float(torch.linalg.matrix_norm(kernel, 1) * torch.linalg.matrix_norm(inverse, 1))
    if not condition <= _largest_condition(kernel):
        _refuse_singular(kernel)
    solved = torch.linalg.solve_triangular(factor, y[:, None], upper=False)
    value = float(solved.square().sum()) * (float(kernel.trace()) if by_trace else 1.0)
    return Alignment(value, condition)


def check_kernel(kernel: torch.Tensor, symmetric: bool) -> None:
    """Raise InputError unless `kernel` is a square finite matrix, and symmetric to rounding where this is asked for.

    >>> check_kernel(torch.ones(2, 3), symmetric=False)
    Traceback (most recent call last):
    ...
    theory.problem.errors.InputError: kernel has shape (2, 3); it must be (N, N). Give one kernel of one set of inputs.
    """
    if kernel.dim() != 2 or kernel.shape[0] != kernel.shape[1] or len(kernel) == 0:
        raise InputError(
            f"kernel has shape {tuple(kernel.shape)}; it must be (N, N).", "Give one kernel of one set of inputs."
        )
    if not bool(kernel.isfinite().all()):
        raise InputError("kernel has entries that are not finite.", "Check the weights and inputs for nan and inf.")
    if symmetric:
        apart, size = float((kernel - kernel.T).abs().max()), float(kernel.abs().max())
        # Each entry of a Gram matrix is a sum whose rounding error is relative to the diagonal, which no entry exceeds.
        if apart > len(kernel) * torch.finfo(kernel.dtype).eps * size:
            raise InputError(
                f"kernel is not symmetric: two mirrored entries differ by {apart:.3g}, and the largest is {size:.3g}.",
                "Take the kernel of one set of inputs.",
            )


def _largest_condition(kernel: torch.Tensor) -> float:
    return 1 / (len(kernel) * torch.finfo(kernel.dtype).eps)


def _refuse_singular(kernel: torch.Tensor) -> None:
    values = torch.linalg.eigvalsh(kernel)
    rounding = float(values.abs().max()) / _largest_condition(kernel)
    # The entries have rounding errors of their own, which may exceed that of the eigenvalues many times.
    if values[0] < -float(values.abs().max()) * torch.finfo(kernel.dtype).eps ** 0.5:
        raise InputError(
            f"The kernel of {len(kernel)} inputs is not positive semidefinite: its smallest eigenvalue is "
            f"{values[0]:.3g}, and rounding errors are about {rounding:.2g}.",
            "Check how it was made: a Gram matrix has no negative eigenvalue.",
        )
    certain = int((values > rounding).sum())
    remedy = "" if kernel.dtype == torch.float64 else "Compute the kernel in float64. "
    raise OutOfReachError(
        f"The kernel of {len(kernel)} inputs is singular to rounding. Its smallest eigenvalue is {values[0]:.3g}, "
        f"its largest {values[-1]:.3g}; the rounding error is {rounding:.2g}, and eigenvalues above it: {certain}. "
        "y^T K^-1 y has no certain digit.",
        f"{remedy}Remove repeated inputs, or add a ridge, kernel + c torch.eye(N), and report c with the result.",
        "singular",
    )
