"""Small random networks, and the loop over their paths."""

from collections.abc import Iterator, Sequence
from itertools import pairwise, product

import torch


def drawn(
    widths: Sequence[int], seed: int = 0, networks: tuple[int, ...] = (), dtype: torch.dtype = torch.float64
) -> list[torch.Tensor]:
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


def all_paths(sources: int, gates: Sequence[torch.Tensor]) -> Iterator[tuple[int, ...]]:
    """The paths from the inputs through one unit of each hidden layer."""
    return product(range(sources), *(range(gate.shape[1]) for gate in gates))
