"""The namespace of arguments: NumPy where no argument is a tensor, also while another thread imports torch."""

import sys
from types import ModuleType

import numpy as np

from theory.expressions.arrays import namespace


def test_a_torch_that_is_being_imported_has_no_tensors_yet(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", ModuleType("torch"))
    assert namespace(1.0, np.zeros(2)) is np


def test_a_tensor_among_the_arguments_gives_torch():
    import torch

    assert namespace(1.0, torch.zeros(2)) is torch
    assert namespace(1.0, np.zeros(2)) is np
