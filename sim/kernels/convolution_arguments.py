"""Checks of the arguments of convolutional kernels: shapes, windows, types, with the number that does not fit."""

from collections.abc import Sequence

import torch

from sim.kernels.arguments import check_like, check_real
from theory.problem import InputError


def check_images(inputs: torch.Tensor, name: str) -> None:
    """Raise InputError unless `inputs` are (N, channels, n) of float32 or float64, none of these numbers 0.

    >>> check_images(torch.ones(2, 3), "inputs")
    Traceback (most recent call last):
    ...
    theory.problem.errors.InputError: inputs has shape (2, 3); it must be (N, channels, n). For one channel write ...
    """
    check_real(inputs, name)
    if inputs.dim() != 3 or 0 in inputs.shape:
        raise InputError(
            f"{name} has shape {tuple(inputs.shape)}; it must be (N, channels, n).",
            "For one channel write x[:, None].",
        )


def check_convolution(kernels: Sequence[torch.Tensor], inputs: torch.Tensor) -> None:
    """Raise InputError unless `kernels` are (*networks, channels, channels before, window), each fed by the one before.

    >>> check_convolution([torch.ones(2, 1, 4)], torch.ones(5, 1, 3))
    Traceback (most recent call last):
    ...
    theory.problem.errors.InputError: weights[0] has a window of 4, and x has 3 positions. A window is 1 to 3.
    """
    before, n = inputs.shape[1:]
    for number, kernel in enumerate(kernels):
        here = f"weights[{number}]"
        check_real(kernel, here)
        check_like(kernel, inputs, here)
        if kernel.dim() < 3:
            raise InputError(
                f"{here} has shape {tuple(kernel.shape)}.", "A convolution is (channels, channels before, window)."
            )
        if kernel.shape[-2] != before:
            raise InputError(
                f"{here} takes {kernel.shape[-2]} channels, but {before} feed it.",
                "A convolution is (channels, channels before, window).",
            )
        if not 1 <= kernel.shape[-1] <= n:
            raise InputError(
                f"{here} has a window of {kernel.shape[-1]}, and x has {n} positions.", f"A window is 1 to {n}."
            )
        if kernel.shape[:-3] != kernels[0].shape[:-3]:
            raise InputError(
                f"{here} has the networks {tuple(kernel.shape[:-3])}, weights[0] has {tuple(kernels[0].shape[:-3])}.",
                "All layers of a batch of networks have the same leading sizes.",
            )
        before = kernel.shape[-3]


def image_gates(
    gates: Sequence[torch.Tensor], channels: Sequence[int] | None, inputs: torch.Tensor, name: str
) -> list[torch.Tensor]:
    """Return the gates in the type of `inputs`, one (*networks, N, channels, n) for each convolution.

    `channels` None takes any number of them. Raises InputError for another number of convolutions or another shape.

    >>> image_gates([torch.ones(2, 4, 3, dtype=torch.bool)], None, torch.ones(2, 1, 3), "gates")[0].dtype
    torch.float32
    """
    if len(gates) == 0 or (channels is not None and len(gates) != len(channels)):
        needed = "at least one" if channels is None else len(channels)
        raise InputError(f"{name} has {len(gates)} entries; it needs {needed}.", "Give the gates of each convolution.")
    rows, n, found = len(inputs), inputs.shape[-1], []
    for number, gate in enumerate(gates):
        here = f"{name}[{number}]"
        hard = isinstance(gate, torch.Tensor) and gate.dtype == torch.bool
        values = gate.to(inputs.dtype) if hard else gate
        check_real(values, here)
        check_like(values, inputs, here)
        width = "channels" if channels is None else channels[number]
        fits = values.dim() >= 3 and (values.shape[-3], values.shape[-1]) == (rows, n)
        if not fits or (channels is not None and values.shape[-2] != width):
            raise InputError(
                f"{here} has shape {tuple(values.shape)}; it must be ({rows}, {width}, {n}).",
                "A gate stands for an input, a channel and a position.",
            )
        found.append(values)
    return found


def windows_of(windows: Sequence[int], layers: int, n: int) -> tuple[int, ...]:
    """Return the windows of the convolutions. Raises InputError for another number of them, or a window not in 1 to n.

    >>> windows_of([2, 3], 2, 5)
    (2, 3)
    """
    if len(windows) != layers:
        raise InputError(f"windows has {len(windows)} entries for {layers} convolutions.", "Give one for each.")
    for number, window in enumerate(windows):
        if isinstance(window, bool) or not isinstance(window, int) or not 1 <= window <= n:
            raise InputError(f"windows[{number}] = {window!r}; a window is a whole number, 1 to {n}.", "Give its size.")
    return tuple(windows)
