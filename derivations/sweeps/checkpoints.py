"""Checkpoints of cells in work: the part of a training from which another attempt continues bit for bit.

A checkpoint is the file checkpoints/<cell> of a store, with the cell's id inside, written aside and renamed. The id
stands for the question and the code, so that whoever writes one, it is a part of the same run. It saves work and guards
nothing: where it cannot be written the training goes on, and where it cannot be read it begins anew.
"""

import io
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import torch

from derivations.sweeps.orders import LeftError, Orders
from derivations.sweeps.store import replace
from derivations.unreadable import why
from sim.networks.parameters import Parameters
from sim.training.pieces import Part, Pauses, part_of
from sim.training.state import State
from sim.training.times import steps_at_times
from theory.problem import InputError, Problem, WorkbenchError

EVERY = 300.0  # seconds of training that are lost at most where a worker dies without notice
_MEMORY = ("first", "second")


class BadCheckpointError(WorkbenchError):
    """A file in the place of a checkpoint is not one of its cell."""

    default_kind = "checkpoint"


def pauses(
    folder: Path,
    cell: str,
    begun: Part | None,
    orders: Orders,
    clock: Callable[[], float],
    remark: Callable[[str], None] = lambda _sentence: None,
) -> Pauses:
    """Return the pauses of a training that continues with `begun` and writes a checkpoint every EVERY seconds.

    It also writes one where the `orders` of its worker are to save, or to leave: then it raises LeftError. A checkpoint
    guards nothing, so that the training goes on where none can be written, with a `remark`.
    """
    written = clock()

    def keep(part: Part) -> None:
        nonlocal written
        leaves = orders.leave
        if leaves or orders.save or clock() - written >= EVERY:
            orders.save = False
            fault, written = None, clock()
            try:
                write(folder, cell, part)
            except OSError as error:
                fault = why(error)
            if fault is not None and not leaves:
                remark(f"A checkpoint of the cell {cell[:12]} could not be written: {fault}. Its training went on.")
        if leaves:
            where = "from there" if fault is None else f"from an earlier step: {fault}"
            raise LeftError(f"The cell {cell[:12]} was left after step {part.state.step}, and continues {where}.")

    return Pauses(keep, begun)


def write(folder: Path, cell: str, part: Part) -> None:
    """Write the checkpoint of a cell into `folder`; an interruption leaves the earlier one. Raises OSError."""
    state = part.state
    arrays = {"cell": np.array(cell), "step": np.array(state.step), "seconds": np.array(part.seconds)}
    arrays["frozen"] = state.frozen
    for name, tensors in _tensors(part).items():
        arrays |= {f"{name}.{parameter}": tensor.numpy() for parameter, tensor in tensors.items()}
    content = io.BytesIO()
    np.savez(content, **arrays)
    folder.mkdir(exist_ok=True)
    replace(folder / cell, content.getvalue())


def read(folder: Path, cell: str, problem: Problem) -> Part | None:
    """Return the part of the cell's training that was kept; None where none was.

    Raises BadCheckpointError for a file that is no checkpoint, or that of another cell or problem.
    """
    try:
        with np.load(folder / cell, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        own, step, seconds = str(arrays["cell"]), int(arrays["step"]), float(arrays["seconds"])
        frozen = arrays["frozen"]
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
        raise _bad(cell, f"it cannot be read: {why(error)}.") from None
    if own != cell:
        raise _bad(cell, f"it belongs to the cell {own[:12]}.")
    parameters, first, second, snapshots = (_named(arrays, name) for name in ("parameters", *_MEMORY, "snapshots"))
    part = Part(State(step, parameters, frozen, first or None, second or None), snapshots, seconds)
    shapes = {one.name: (problem.simulated().replicates, *one.shape) for one in problem.parameters}
    try:
        return part_of(part, shapes, steps_at_times(problem))
    except InputError as error:
        raise _bad(cell, error.message) from None


def _tensors(part: Part) -> dict[str, Parameters]:
    state = part.state
    return {
        "parameters": state.parameters,
        **{name: getattr(state, name) or {} for name in _MEMORY},
        "snapshots": part.snapshots,
    }


def _named(arrays: Mapping[str, np.ndarray], name: str) -> dict[str, torch.Tensor]:
    """Return the tensors of one group, by the names of the parameters."""
    beginning = f"{name}."
    return {
        full.removeprefix(beginning): torch.from_numpy(array)
        for full, array in arrays.items()
        if full.startswith(beginning)
    }


def _bad(cell: str, fault: str) -> BadCheckpointError:
    return BadCheckpointError(f"The checkpoint of the cell {cell[:12]} was ignored, and the cell made anew: {fault}")
