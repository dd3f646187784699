"""The array namespace of some arguments: NumPy, or torch when one of them is a tensor (torch is never imported)."""

import sys
from types import ModuleType
from typing import Any

import numpy as np


def namespace(*arguments: Any) -> ModuleType:
    """NumPy, unless an argument is a torch tensor; then the torch that made it.

    >>> namespace(1.0, [2.0]).__name__
    'numpy'
    """
    torch = sys.modules.get("torch")
    if torch is not None and any(isinstance(argument, torch.Tensor) for argument in arguments):
        return torch
    return np
