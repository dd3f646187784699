"""Training inside a cell: where its process was ended, the next one goes on from a checkpoint, with the same bits.

    checkpoints/<cell>.<number>     the state and the stages of training number <number> of the cell

A checkpoint is written every few minutes and when the process is interrupted. It guards time alone: where it cannot be
written or read, the training begins anew or goes on without it.
"""

import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from pathlib import Path

from derivations.sweeps.orders import LeftError, Orders
from sim import deep
from sim.deep import ExampleSet, Family, FamilyRun, Settings, Validation
from theory.problem import InputError

EVERY = 300.0  # seconds between checkpoints
_PIECE = 10.0  # seconds of training after which it is looked whether a checkpoint is due
_FIRST = 10  # steps of the first piece

Clock = Callable[[], float]


@dataclass
class _Kept:
    """The checkpoints of the cell that is being made, and the number of the next training in it."""

    folder: Path
    cell: str
    every: float
    clock: Clock
    orders: Orders = field(default_factory=Orders)
    number: int = 0


_KEPT: ContextVar[_Kept | None] = ContextVar("kept", default=None)


@contextmanager
def resumable(
    folder: Path, cell: str, every: float = EVERY, clock: Clock = time.monotonic, orders: Orders | None = None
) -> Iterator[None]:
    """Let each `train_family` in the block write checkpoints of this cell into a folder, and begin from those there.

    By its `orders` it also writes one, or writes one and raises LeftError.
    """
    token = _KEPT.set(_Kept(folder, cell, every, clock, orders or Orders()))
    try:
        yield
    finally:
        _KEPT.reset(token)


def train_family(
    family: Family,
    data: ExampleSet,
    settings: Settings,
    steps: int,
    *,
    stages: Collection[int] = (),
    validation: Validation | None = None,
) -> FamilyRun:
    """Train a family from its start, as `sim.deep.train_family` does, in a `resumable` block with checkpoints.

    Trainings are told apart by their order in the block, so a cell has to train in the same order each time.
    """
    kept = _KEPT.get()
    if kept is None:
        return deep.train_family(family, data, settings, steps, stages=stages, validation=validation)
    path = kept.folder / f"{kept.cell}.{kept.number}"
    kept.number += 1
    run = _read(path, family, data, settings, validation)
    saved, piece, last = run, _FIRST, kept.clock()
    try:
        while run is None or run.state.step < steps:
            begun, before = kept.clock(), run
            step = -1 if run is None else run.state.step
            goal = min(steps, max(step, 0) + piece)
            run = deep.train_family(
                family,
                data,
                settings,
                goal,
                state=None if run is None else run.state,
                validation=validation,
                stages=[stage for stage in stages if step < stage <= goal],
            )
            run = replace(run, stages={**({} if before is None else before.stages), **run.stages})
            now = kept.clock()
            piece = max(1, round(piece * min(10.0, _PIECE / max(now - begun, 1e-9))))
            if now - last >= kept.every or kept.orders.save:
                saved, last, kept.orders.save = _saved(run, path), now, False
            if kept.orders.leave:
                raise LeftError(f"The cell {kept.cell[:12]} was left after step {run.state.step}, with a checkpoint.")
    except BaseException:
        if run is not saved:
            _saved(run, path)
        raise
    if kept.clock() - last >= _PIECE:  # the next training of the cell may be interrupted too
        _saved(run, path)
    return run


def _read(
    path: Path, family: Family, data: ExampleSet, settings: Settings, validation: Validation | None
) -> FamilyRun | None:
    """Return the run that was kept, None where there is none or its file cannot be read or is of another run."""
    if not path.exists():
        return None
    try:
        return deep.load_run(path, family, data, settings, validation)
    except InputError:
        with suppress(OSError):
            path.unlink()
        return None


def _saved(run: FamilyRun | None, path: Path) -> FamilyRun | None:
    """Write the checkpoint of a run, where the disk allows it; return the run."""
    if run is not None:
        with suppress(OSError):
            deep.save_checkpoint(run, path)
            path.chmod(0o644)  # another user of the store may go on from it
    return run
