"""The alignment of a kernel with labels, nu = y^T K^-1 y, by two stable ways, with its condition number.

    nu = |L^-1 y|^2 with K = L L^T            (Cholesky)
    nu = sum_i (u_i . y)^2 / rho_i            (eigenvectors u_i and eigenvalues rho_i of K)

Kernel regression on the labels has the squared norm nu in the space of the kernel, so that a small nu means labels
that the kernel represents easily. Nothing is added to the diagonal and no eigenvalue is dropped.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float

from sim.kernels.arguments import check_kernel
from theory.problem import InputError, OutOfReachError
from theory.problem.numbers import one_of

METHODS = ("cholesky", "eigen")


@dataclass(frozen=True)
class Alignment:
    """nu = y^T K^-1 y of a kernel, with the condition number on which its rounding error depends.

    `value` has a relative error of about `condition` rounding errors of its type. `condition` is |K|_1 |K^-1|_1 for
    the method cholesky, an upper bound on the ratio of the extreme eigenvalues, and this ratio for the method eigen.
    """

    value: float
    condition: float
    method: str


def nu(
    kernel: torch.Tensor,
    y: torch.Tensor,
    *,
    by_trace: bool,
    by_norm: bool = False,
    method: str = "cholesky",
) -> Alignment:
    """Return nu = y^T K^-1 y for a symmetric positive definite kernel (N, N) and labels y (N).

    `by_trace` takes K/tr K in the place of K, as the DGN paper (Figure 6) and the NPK paper (Figure 3) do for the path
    kernel, which multiplies nu by tr K; Figure 8 of the DGN paper shows K^a with and without it. `by_norm` divides nu
    by |y|^2, so that it does not depend on the size of the labels. With both, nu >= 1, since no eigenvalue of K/tr K is
    larger than 1. The method "cholesky" takes about N^3 operations, "eigen" about ten times as many.

    Raises InputError for a kernel that is not square, not symmetric, not finite or has a clearly negative eigenvalue,
    and for labels that do not fit or vanish. Raises OutOfReachError, with the smallest eigenvalue, for a kernel that is
    singular to rounding: whose condition number times the rounding error of its type is above 1/N, so that no digit of
    nu would be certain.

    >>> kernel = torch.tensor([[4.0, 0.0], [0.0, 0.25]])
    >>> nu(kernel, torch.tensor([1.0, -1.0]), by_trace=False).value
    4.25
    >>> nu(kernel, torch.tensor([1.0, -1.0]), by_trace=True, by_norm=True).value
    9.03125
    """
    check_kernel(kernel, symmetric=True)
    one_of(method, "method", METHODS)
    if not isinstance(y, torch.Tensor) or y.shape != kernel.shape[:1] or y.dtype != kernel.dtype:
        given = f"{tuple(y.shape)} of {y.dtype}" if isinstance(y, torch.Tensor) else type(y).__name__
        raise InputError(
            f"y is {given}; a kernel of {len(kernel)} inputs needs ({len(kernel)},) of {kernel.dtype}.",
            "Give a label for each input, converted by .to(kernel.dtype).",
        )
    norm = float(y.square().sum())
    if not 0 < norm < float("inf"):
        raise InputError(f"|y|^2 = {norm}: the labels must be finite and not all 0.", "Check the labels.")
    value, condition = (_by_cholesky if method == "cholesky" else _by_eigenvectors)(kernel, y)
    value *= float(kernel.trace()) if by_trace else 1.0
    return Alignment(value / norm if by_norm else value, condition, method)


def _by_cholesky(kernel: torch.Tensor, y: torch.Tensor) -> tuple[float, float]:
    factor, failed = torch.linalg.cholesky_ex(kernel)
    if failed:
        _refuse_singular(kernel)
    inverse = torch.cholesky_inverse(factor)
    condition = float(torch.linalg.matrix_norm(kernel, 1) * torch.linalg.matrix_norm(inverse, 1))
    if not condition <= _largest_condition(kernel):
        _refuse_singular(kernel)
    solved = torch.linalg.solve_triangular(factor, y[:, None], upper=False)
    return float(solved.square().sum()), condition


def _by_eigenvectors(kernel: torch.Tensor, y: torch.Tensor) -> tuple[float, float]:
    eigenvalues, vectors = torch.linalg.eigh(kernel)
    smallest, largest = float(eigenvalues[0]), float(eigenvalues[-1])
    if not smallest * _largest_condition(kernel) >= largest > 0:
        _refuse_singular(kernel, eigenvalues)
    return float(((y @ vectors).square() / eigenvalues).sum()), largest / smallest


def _largest_condition(kernel: torch.Tensor) -> float:
    return 1 / (len(kernel) * torch.finfo(kernel.dtype).eps)


def _refuse_singular(kernel: torch.Tensor, eigenvalues: Float[torch.Tensor, " N"] | None = None) -> None:
    values = torch.linalg.eigvalsh(kernel) if eigenvalues is None else eigenvalues
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
