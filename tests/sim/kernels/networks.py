"""Small random networks, and their kernels by definition: Jacobians of autograd, loops over paths."""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, product

import torch

Weights = list[torch.Tensor]


def drawn(
    widths: Sequence[int], seed: int = 0, networks: tuple[int, ...] = (), dtype: torch.dtype = torch.float64
) -> Weights:
    """Normal weights of variance 1/source of layers widths[0] -> widths[1] -> ..., (*networks, target, source)."""
    generator = torch.Generator().manual_seed(seed)
    return [
        torch.randn(*networks, target, source, generator=generator, dtype=torch.float64).to(dtype) / source**0.5
        for source, target in pairwise(widths)
    ]


def points(rows: int, columns: int, seed: int = 1) -> torch.Tensor:
    """Normal inputs (rows, columns)."""
    return torch.randn(rows, columns, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def hard_gates(rows: int, widths: Sequence[int], seed: int = 2) -> list[torch.Tensor]:
    """Independent gates, open with probability 2/3, for the hidden layers."""
    generator = torch.Generator().manual_seed(seed)
    return [torch.rand(rows, width, generator=generator, dtype=torch.float64) < 2 / 3 for width in widths]


def jacobian(
    outputs: Callable[[torch.Tensor, int], torch.Tensor], parameters: Weights, inputs: torch.Tensor
) -> torch.Tensor:
    """The Jacobian (N, outputs, parameters) by one backward pass of autograd for each input and output.

    `outputs(x, s)` is yhat of the input x in row s; it reads `parameters`, which require gradients.
    """
    rows = []
    for s, x in enumerate(inputs):
        values = outputs(x, s)
        gradients = [torch.autograd.grad(value, parameters, retain_graph=True, allow_unused=True) for value in values]
        rows.append(torch.stack([_flat(gradient, parameters) for gradient in gradients]))
    return torch.stack(rows)


def _flat(gradient: Sequence[torch.Tensor | None], parameters: Weights) -> torch.Tensor:
    filled = [torch.zeros_like(p) if g is None else g for g, p in zip(gradient, parameters, strict=True)]
    return torch.cat([g.flatten() for g in filled])


def kernel(jacobian: torch.Tensor) -> torch.Tensor:
    """Sum over outputs and parameters of the products of a Jacobian with itself."""
    return torch.einsum("ncp,mcp->nm", jacobian, jacobian)


def learnable(weights: Weights) -> Weights:
    """Copies whose gradients autograd records."""
    return [matrix.clone().requires_grad_() for matrix in weights]


def all_paths(sources: int, gates: Sequence[torch.Tensor]) -> Iterator[tuple[int, ...]]:
    """The paths from the inputs through one unit of each hidden layer."""
    return product(range(sources), *(range(gate.shape[1]) for gate in gates))
