"""The fused kernels for tests: on a GPU where there is one, else in Triton's interpreter, on CPU tensors.

Triton decides by an environment variable, when it is imported and when a kernel is declared. Both happen here; the
variable is set for that time and while a test trains, so that the fused back end refuses a CPU at all other times.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import torch

from sim.train import train as train_by

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@contextmanager
def interpreting() -> Iterator[None]:
    """Set the variable during the block, where there is no GPU."""
    with pytest.MonkeyPatch.context() as patch:
        if DEVICE == "cpu":
            patch.setenv("TRITON_INTERPRET", "1")
        yield


with interpreting():
    triton = pytest.importorskip("triton", reason="Triton is not installed (extra `gpu`)")
    from sim.training.backends.fused import examples, narrow, numbers, train, units, wide  # noqa: F401 - declared here


def trained(question, **settings):
    """Return the run of the problem by the fused kernels, with as many networks of small batches a program as fit."""
    with interpreting(), pytest.MonkeyPatch.context() as patch:
        patch.setattr("sim.training.backends.fused.sizes.PROGRAMS", 1)
        return train_by(question, DEVICE, backend="fused", **settings)
