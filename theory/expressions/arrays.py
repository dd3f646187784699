"""The array namespace of some arguments: NumPy, or torch when one of them is a tensor (torch is never imported)."""

import sys
from types import ModuleType
from typing import Any

import numpy as np


def namespace(*arguments: Any) -> ModuleType:
    """Return torch if an argument is a torch tensor, else NumPy.

    >>> namespace(1.0, [2.0]).__name__
    'numpy'
    """
    torch = sys.modules.get("torch")
    tensor = getattr(torch, "Tensor", None)  # none either while another thread imports torch: no argument is one yet
    return torch if tensor is not None and any(isinstance(argument, tensor) for argument in arguments) else np
