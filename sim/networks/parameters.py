"""The parameters of S networks side by side, by name: "w" (S, K, n), and "b", "b_out", "a" where a network has them."""

from collections.abc import Callable, Mapping, Sequence

import torch

Parameters = Mapping[str, torch.Tensor]


def mapped(function: Callable[..., torch.Tensor], first: Parameters, *others: Parameters) -> dict[str, torch.Tensor]:
    """Apply `function` to each tensor of `first` together with the tensors of the same name in the others.

    >>> mapped(torch.add, {"w": torch.ones(2)}, {"w": torch.ones(2)})["w"].tolist()
    [2.0, 2.0]
    """
    return {name: function(tensor, *(other[name] for other in others)) for name, tensor in first.items()}


def placed(parameters: Parameters, device: str, copy: bool = False) -> dict[str, torch.Tensor]:
    """Return the parameters on a device; with `copy` they share no memory with the given ones.

    >>> placed({"w": torch.ones(2)}, "cpu")["w"].tolist()
    [1.0, 1.0]
    """
    return mapped(lambda tensor: tensor.to(device, copy=copy), parameters)


def joined(parts: Sequence[Parameters]) -> dict[str, torch.Tensor]:
    """Concatenate the parameters of several groups of networks."""
    return mapped(lambda *tensors: torch.cat(tensors), *parts)


def along(values: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    """Reshape one value for each network so that it broadcasts with `like`, a parameter."""
    return values.view(-1, *[1] * (like.ndim - 1))
