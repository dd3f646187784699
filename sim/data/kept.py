"""A cache of samplers, so that a run factors its covariances once for training and all measurements."""

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, TypeVar

import torch

Made = TypeVar("Made")
MOST_SITES = 1024  # two factors of so many sites take 16 MiB
_MOST = 4  # samplers: two laws, each in the type of training and in that of measuring


def kept(make: Callable[[Any, torch.device, torch.dtype], Made]) -> Callable[[Any, torch.device, torch.dtype], Made]:
    """Return `make`, a function that makes samplers, with a cache of the last four of at most 1024 sites."""
    remembered = lru_cache(maxsize=_MOST)(make)

    @wraps(make)
    def prepared(law: Any, device: torch.device, dtype: torch.dtype) -> Made:
        return remembered(law, device, dtype) if law.n <= MOST_SITES else make(law, device, dtype)

    return prepared
