"""Compile the fused kernels for a GPU of compute capability 9.0, as a launch would, on a machine without one.

Each kernel is compiled up to Triton's intermediate language, which checks names, shapes and types, in a process of its
own (`python -m tests.sim.training.for_cuda`): the interpreter of other tests replaces what a compiler needs.
"""

from typing import Any

import torch
from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource, make_backend

from sim.data.sample import prepare
from sim.training.backends.fused import train
from sim.training.state import Replicate, beginning
from tests.sim.cases import EVERY_GATE, LEAK, SOFT, gated, line, problem
from theory.problem import GaussianClone, Network

TARGET = GPUTarget("cuda", 90, 32)
_POINTERS = {torch.float32: "*fp32", torch.float64: "*fp64", torch.int64: "*i64", torch.int8: "*i8"}
FORMS = {
    "every gate": gated(EVERY_GATE, "trained-sum", "trained"),
    "soft gates": gated(SOFT, "sum", "fixed"),
    "leaky ReLU": Network("leaky-relu", "trained-mean", 3, slope=LEAK),
    "erf": Network("erf", "sum", 2, biases="trained"),
    "sigmoid": Network("sigmoid", "mean", 3),
}


class _Launched(Exception):
    """Raised instead of a launch, with the kernel, its arguments and its options."""


class _Recorder:
    def __init__(self, kernel: Any) -> None:
        self._kernel = kernel

    def __getitem__(self, _grid: tuple[int, ...]) -> Any:
        def launch(*arguments: Any, **options: Any) -> None:
            raise _Launched(self._kernel, arguments, options)

        return launch


def _type_of(argument: Any) -> Any:
    if isinstance(argument, tuple):
        return type(argument)(*map(_type_of, argument))
    return _POINTERS[argument.dtype] if isinstance(argument, torch.Tensor) else "i32"


def source_of(question: Any, dtype: torch.dtype) -> tuple[ASTSource, dict[str, int]]:
    """Return the source and the options of the kernel that trains a problem."""
    kept = train.wide_steps, train.narrow_steps
    train.wide_steps, train.narrow_steps = map(_Recorder, kept)
    try:
        replicates = [Replicate(question, 0)]
        state = beginning(replicates).to(torch.device("cpu"), dtype)
        train.train_fused(
            replicates, prepare(question.data, torch.device("cpu"), dtype), None, state, lambda _step: None
        )
    except _Launched as launched:
        kernel, arguments, options = launched.args
    finally:
        train.wide_steps, train.narrow_steps = kept
    compiling = {name: options.pop(name) for name in ("num_warps",)}
    signature = dict(zip(kernel.arg_names, map(_type_of, arguments), strict=False))
    signature |= dict.fromkeys(options, "constexpr")
    return ASTSource(kernel, signature=signature, constexprs=options), compiling


def checked(question: Any, dtype: torch.dtype) -> None:
    """Compile a kernel up to Triton's intermediate language, which checks names, shapes and types."""
    source, options = source_of(question, dtype)
    backend, context = make_backend(TARGET), ir.context()
    chosen = backend.parse_options(options)
    ir.load_dialects(context)
    backend.load_dialects(context)
    codegen, modules = backend.get_codegen_implementation(chosen), backend.get_module_map()
    module = source.make_ir(TARGET, chosen, codegen, modules, context)
    backend.make_ttir(module, {}, chosen, 90)


if __name__ == "__main__":
    for name, network in FORMS.items():
        loss = "cross-entropy" if name == "erf" else "half-mse"
        for batch, dtype in ((8, torch.float32), (40, torch.float64)):
            checked(problem(network=network, batch=batch, loss=loss), dtype)
    checked(problem(line(GaussianClone), Network("relu", "mean", 3)), torch.float32)
