"""Checkpoints of cells in work: the part of a training from which another attempt continues bit for bit.

A checkpoint is the file checkpoints/<cell> of a store. The id stands for the question and the code, so that whoever
writes one, it is a part of the same run. It saves work and guards nothing: where it cannot be written the training goes
on, and where it cannot be read it begins anew, with a remark in both cases.
"""

import time
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import torch

from derivations.atomic import new_file
from derivations.sweeps.orders import LeftError, Orders
from derivations.unreadable import why
from sim.training.pieces import Part, Pauses, part_of
from sim.training.state import State
from sim.training.times import steps_at_times
from theory.problem import Problem

EVERY = 300.0  # seconds of training that are lost at most where a worker dies without notice
Remark = Callable[[str], None]


def pauses(place: Path, begun: Part | None, orders: Orders, remark: Remark) -> Pauses:
    """Return the pauses of a training that continues with `begun`, in which its checkpoint `place` is written.

    It is written every EVERY seconds, and where the `orders` of its worker are to save, or to leave: then LeftError is
    raised.
    """
    written = time.monotonic()

    def keep(part: Part) -> None:
        nonlocal written
        if orders.save or orders.leave or time.monotonic() - written >= EVERY:
            orders.save, written = False, time.monotonic()
            try:
                write(place, part)
            except OSError as error:
                remark(f"A checkpoint of the cell {place.name[:12]} could not be written: {why(error)}.")
        if orders.leave:
            raise LeftError(f"The cell {place.name[:12]} was left after step {part.state.step}.")

    return Pauses(keep, begun)


def write(place: Path, part: Part) -> None:
    """Write a checkpoint; an interruption leaves the earlier one. Raises OSError."""
    state = part.state
    arrays = {"step": state.step, "seconds": part.seconds, "frozen": state.frozen}
    tensors = {
        "parameters": state.parameters,
        "first": state.first,
        "second": state.second,
        "snapshots": part.snapshots,
    }
    for group, members in tensors.items():
        arrays |= {f"{group}.{name}": tensor.numpy() for name, tensor in (members or {}).items()}
    place.parent.mkdir(exist_ok=True)
    with new_file(place) as file:
        np.savez(file, **arrays)


def read(place: Path, problem: Problem, remark: Remark) -> Part | None:
    """Return the part of a training of the problem that was kept.

    None where there is none, or, with a remark, where the file is no checkpoint of this problem.
    """
    try:
        with place.open("rb") as opened, np.load(opened) as file:
            arrays = dict(file)
        memory = (_group(arrays, name) or None for name in ("first", "second"))
        state = State(int(arrays["step"]), _group(arrays, "parameters"), arrays["frozen"], *memory)
        part = Part(state, _group(arrays, "snapshots"), float(arrays["seconds"]))
        shapes = {one.name: (problem.simulated().replicates, *one.shape) for one in problem.parameters}
        return part_of(part, shapes, steps_at_times(problem))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, EOFError, RuntimeError, zipfile.BadZipFile) as error:
        remark(f"The checkpoint of the cell {place.name[:12]} was ignored, and the cell begun anew: {error}")
        return None


def _group(arrays: Mapping[str, np.ndarray], group: str) -> dict[str, torch.Tensor]:
    """Return the tensors of one group, by the names of the parameters."""
    start = f"{group}."
    return {
        name.removeprefix(start): torch.from_numpy(array) for name, array in arrays.items() if name.startswith(start)
    }
