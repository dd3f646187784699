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


@contextmanager
def quickly() -> Iterator[None]:
    """Let the interpreter replace Triton's language once for each function, not at each call: a third faster."""
    with pytest.MonkeyPatch.context() as patch:
        if DEVICE == "cpu":
            from triton.runtime import interpreter

            replaced = interpreter._patch_lang

            def once(function):
                if function in seen:
                    return None
                scope = replaced(function)
                if not seen:  # that of the kernel, which the interpreter restores at the end of a launch
                    restore = scope.restore
                    scope.restore = lambda: (restore(), seen.clear())
                seen.add(function)
                return scope

            seen = set()
            patch.setattr(interpreter, "_patch_lang", once)
        yield


@contextmanager
def in_order() -> Iterator[None]:
    """Let the interpreter sum each entry of a product in the same order, as matrix units do; BLAS has edges."""
    with pytest.MonkeyPatch.context() as patch:
        if DEVICE == "cpu":
            from triton.runtime import interpreter

            def product(_builder, a, b, total, *_settings):
                found = sum((a.data[:, [k]] * b.data[[k]] for k in range(a.data.shape[1])), total.data)
                return interpreter.TensorHandle(found, total.dtype.scalar)

            patch.setattr(interpreter.InterpreterBuilder, "create_dot", product)
        yield


with interpreting():
    triton = pytest.importorskip("triton", reason="Triton is not installed (extra `gpu`)")
    from sim.training.backends.fused import examples, narrow, numbers, train, units, wide  # noqa: F401 - declared here


def trained(question, programs=1, **settings):
    """Return the run of the problem by the fused kernels, in as many programs as a GPU is said to hold, or more.

    With one, small batches have as many networks in a program as fit.
    """
    with interpreting(), quickly(), pytest.MonkeyPatch.context() as patch:
        patch.setattr("sim.training.backends.fused.sizes.PROGRAMS", programs)
        return train_by(question, DEVICE, backend="fused", **settings)
