"""Samplers kept by law: a run factors its covariances once, not once to train and once for each measurement."""

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, TypeVar

import torch

Made = TypeVar("Made")
MOST_SITES = 1024  # two factors of so many sites take 16 MiB
_MOST = 4  # samplers: two laws, each in the type of training and in that of measuring


def kept(make: Callable[[Any, torch.device, torch.dtype], Made]) -> Callable[[Any, torch.device, torch.dtype], Made]:
    """Return `make`, which makes a sampler, with the last four of at most 1024 sites kept; an error is not kept."""
    remembered = lru_cache(maxsize=_MOST)(make)

    @wraps(make)
    def prepared(law: Any, device: torch.device, dtype: torch.dtype) -> Made:
        return remembered(law, device, dtype) if law.n <= MOST_SITES else make(law, device, dtype)

    return prepared
