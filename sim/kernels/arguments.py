"""Checks of the arguments of kernels: shapes, types and devices, with the number that does not fit."""

from collections.abc import Sequence

import torch

from theory.problem import InputError


def check_inputs(inputs: torch.Tensor, name: str = "inputs") -> None:
    """Raise InputError unless `inputs` is a matrix (N, d) of float32 or float64 with a row."""
    check_real(inputs, name)
    if inputs.dim() != 2 or inputs.shape[0] == 0:
        raise InputError(
            f"{name} has shape {tuple(inputs.shape)}; it must be (N, d), an input in each of N >= 1 rows.",
            "For one input x write x[None].",
        )


def check_weights(weights: Sequence[torch.Tensor], inputs: torch.Tensor, name: str = "weights") -> None:
    """Raise InputError unless `weights` are matrices (*networks, target, source), each fed by the one before.

    >>> check_weights([torch.ones(3, 2), torch.ones(1, 4)], torch.ones(5, 2))
    Traceback (most recent call last):
    ...
    theory.problem.errors.InputError: weights[1] has 4 columns, but 3 units feed it. A matrix is (target, source).
    """
    if len(weights) == 0:
        raise InputError(f"{name} is empty, but a network has at least one layer.", "Give a matrix for each layer.")
    source = inputs.shape[-1]
    for number, matrix in enumerate(weights):
        here = f"{name}[{number}]"
        check_real(matrix, here)
        check_like(matrix, inputs, here)
        if matrix.dim() < 2:
            raise InputError(f"{here} has shape {tuple(matrix.shape)}.", "It must be (target, source).")
        if matrix.shape[-1] != source:
            feeds = f"{source} {'inputs feed' if number == 0 else 'units feed'}"
            raise InputError(f"{here} has {matrix.shape[-1]} columns, but {feeds} it.", "A matrix is (target, source).")
        if matrix.shape[:-2] != weights[0].shape[:-2]:
            raise InputError(
                f"{here} has the networks {tuple(matrix.shape[:-2])}, {name}[0] has {tuple(weights[0].shape[:-2])}.",
                "All layers of a batch of networks have the same leading sizes.",
            )
        source = matrix.shape[-2]


def gate_values(
    gates: Sequence[torch.Tensor],
    rows: int,
    widths: Sequence[int] | None,
    like: torch.Tensor | None,
    name: str = "gates",
) -> list[torch.Tensor]:
    """Return the gates as numbers of the type of `like`, one (*networks, N, width) for each hidden layer.

    Hard gates may be of type bool. Raises InputError for another number of layers, rows or units. `widths` None takes
    any width, `like` None takes the type of the first gates that are no bool, or else float64.

    >>> [gate.dtype for gate in gate_values([torch.ones(2, 3, dtype=torch.bool)], 2, None, None)]
    [torch.float64]
    """
    if widths is not None and len(gates) != len(widths):
        raise InputError(
            f"{name} has {len(gates)} entries, but the network has {len(widths)} hidden layers.",
            "Give a matrix for each hidden layer; the output has no gate.",
        )
    if like is None:
        real = [gate for gate in gates if isinstance(gate, torch.Tensor) and gate.dtype != torch.bool]
        like = real[0] if real else torch.empty(0, dtype=torch.float64, device=gates[0].device)
    found = []
    for number, gate in enumerate(gates):
        here = f"{name}[{number}]"
        values = gate.to(like.dtype) if isinstance(gate, torch.Tensor) and gate.dtype == torch.bool else gate
        check_real(values, here)
        check_like(values, like, here)
        width = values.shape[-1] if widths is None and values.dim() > 1 else widths[number] if widths else "width"
        if values.dim() < 2 or values.shape[-2:] != (rows, width):
            raise InputError(
                f"{here} has shape {tuple(gate.shape)}; {rows} inputs and the units of hidden layer {number + 1} need "
                f"({rows}, {width}).",
                "Rows are inputs, columns are units.",
            )
        found.append(values)
    return found


def check_layer_scale(layer_scale: float) -> None:
    """Raise InputError unless the factor of each layer is positive and finite."""
    if not 0 < layer_scale < float("inf"):
        raise InputError(
            f"layer_scale = {layer_scale} must be positive and finite.", "Leave it out, or give 2 / width."
        )


def check_kernel(kernel: torch.Tensor, symmetric: bool) -> None:
    """Raise InputError unless `kernel` is a square finite matrix, and symmetric to rounding where this is asked for.

    >>> check_kernel(torch.ones(2, 3), symmetric=False)
    Traceback (most recent call last):
    ...
    theory.problem.errors.InputError: kernel has shape (2, 3); it must be (N, N). Give one kernel of one set of inputs.
    """
    check_real(kernel, "kernel")
    if kernel.dim() != 2 or kernel.shape[0] != kernel.shape[1] or len(kernel) == 0:
        raise InputError(
            f"kernel has shape {tuple(kernel.shape)}; it must be (N, N).", "Give one kernel of one set of inputs."
        )
    if not bool(kernel.isfinite().all()):
        raise InputError("kernel has entries that are not finite.", "Check the weights and inputs for nan and inf.")
    if symmetric:
        apart, size = float((kernel - kernel.T).abs().max()), float(kernel.abs().max())
        # Each entry of a Gram matrix is a sum whose rounding error is relative to the diagonal, which no entry exceeds.
        if apart > len(kernel) * torch.finfo(kernel.dtype).eps * size:
            raise InputError(
                f"kernel is not symmetric: two mirrored entries differ by {apart:.3g}, and the largest is {size:.3g}.",
                "Take the kernel of one set of inputs.",
            )


def check_real(values: torch.Tensor, name: str) -> None:
    """Raise InputError unless `values` is a tensor of float32 or float64."""
    if not isinstance(values, torch.Tensor) or values.dtype not in (torch.float32, torch.float64):
        kind = values.dtype if isinstance(values, torch.Tensor) else type(values).__name__
        raise InputError(
            f"{name} is of type {kind}; kernels take tensors of float32 or float64.", "Convert it by .double()."
        )


def check_like(values: torch.Tensor, like: torch.Tensor, name: str) -> None:
    """Raise InputError unless `values` has the type and the device of `like`."""
    if values.dtype != like.dtype or values.device != like.device:
        raise InputError(
            f"{name} is {values.dtype} on {values.device}, the others are {like.dtype} on {like.device}.",
            "Convert them by .to(...): nothing is rounded or moved for you.",
        )
