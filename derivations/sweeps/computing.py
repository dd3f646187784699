"""Computing cells: one of them in this process, and any number of them by an engine."""

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from derivations.output import CHECK_FAILED, OUT_OF_REACH
from derivations.sweeps import cells
from derivations.sweeps.cells import DamagedError, Question
from derivations.sweeps.orders import LeftError, Orders, heeding
from derivations.sweeps.store import Store
from theory.problem import WorkbenchError

THERE, DONE, LEFT, FAILED = "there", "done", "left", "failed"
_MEMORY = re.compile("out of memory|allocate memory|STATUS_ALLOC_FAILED")

Numbers = tuple[Mapping[str, np.ndarray], Mapping[str, Any]]  # the arrays and the facts of a cell


@dataclass(frozen=True)
class Task:
    """A cell to compute: its id, its question, the version of the code and the device that answer it.

    `compute` is a function of a module, or a partial of one, because it is sent to other processes; by default it is
    that of sweeps. With `code_allowed` the Python that the problem names may run.
    """

    cell: str
    question: Question
    code: str
    device: str
    compute: "Callable[[Work], Numbers] | None" = None
    code_allowed: bool = False


@dataclass(frozen=True)
class Work:
    """A task in work: its store, its orders, and where it reports the share done and sentences for a reader.

    `earlier` has the seconds of earlier attempts, from whose checkpoint it continues.
    """

    task: Task
    store: Store
    orders: Orders
    progress: Callable[[float], None]
    remark: Callable[[str], None]
    earlier: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class Answer:
    """The outcome of a task: DONE, THERE (it was there already), LEFT as a checkpoint, or FAILED, and why."""

    task: Task
    what: str
    error: dict[str, Any] | None = None
    remarks: tuple[str, ...] = field(default=())


class Engine(Protocol):
    """Where cells are computed. `job` names what was submitted, if anything was."""

    job: str | None

    def run(self, tasks: Iterable[Task], store: Store, progress: Callable[[Task, float], None]) -> Iterator[Answer]:
        """Compute the tasks, and yield the answer of each as soon as it is known; tasks are taken as they are needed.

        Told to leave by a signal, it begins none, and leaves those in work as checkpoints.
        """

    def plan(self, cells: int) -> str:
        """Say what `run` would do with so many cells; start nothing."""

    def check(self, folder: Path) -> None:
        """Raise an error, before anything is written, where the engine cannot run here for this store."""


@dataclass
class Here:
    """The engine without processes: one cell after the other in this one."""

    job: None = None

    def plan(self, cells: int) -> str:
        """Say where the cells would be computed."""
        return f"this process, {cells} after one another"

    def check(self, folder: Path) -> None:
        """Nothing hinders it."""

    def run(self, tasks: Iterable[Task], store: Store, progress: Callable[[Task, float], None]) -> Iterator[Answer]:
        """See `Engine`."""
        with heeding() as orders:
            for task in tasks:
                yield compute(task, store, orders, partial(progress, task))
                if orders.leave:
                    return


def map_cells(
    tasks: Iterable[Task],
    store: Store,
    engine: Engine,
    progress: Callable[[Task, float], None] = lambda _task, _share: None,
) -> Iterator[Answer]:
    """Compute the tasks' cells in the store by an engine, and yield the answers.

    A file in the place of a cell that fails verification is kept beside it, and named in the remarks of the answer. A
    cell that others finish meanwhile is taken from them.
    """
    yield from engine.run(tasks, store, progress)
    store.drop_checkpoints()


def compute(
    task: Task, store: Store, orders: Orders, progress: Callable[[float], None] = lambda _share: None
) -> Answer:
    """Compute the cell of a task in this process, by one thread, unless it is there; return the outcome.

    An error that a user can cause is an answer and is noted in the store; any other is noted and raised.
    """
    remarks: dict[str, None] = {}
    begin = time.monotonic()
    try:
        if _is_there(task, store, remarks):
            return Answer(task, THERE)
        store.note(task.cell)
        work = Work(task, store, orders, progress, remarks.setdefault)
        with _one_thread():
            arrays, facts = (task.compute or trained)(work)
        store.put(task.cell, cells.encoded(task.question, task.code, arrays, facts))
    except LeftError as left:
        return Answer(task, LEFT, None, (*remarks, left.message))
    except Exception as error:
        reason = reason_of(error)
        store.note(task.cell, time.monotonic() - begin, reason or _fault(error))
        if reason is None:
            raise
        return Answer(task, FAILED, reason, tuple(remarks))
    store.note(task.cell, time.monotonic() - begin + sum(work.earlier))
    for part in store.checkpoints.glob(f"{task.cell}*"):
        with suppress(OSError):
            part.unlink()
    return Answer(task, DONE, None, tuple(remarks))


def _is_there(task: Task, store: Store, remarks: dict[str, None]) -> bool:
    """Whether the store has the cell; a file in its place that fails verification is renamed."""
    try:
        store.read(task.cell)
    except FileNotFoundError:
        return False
    except DamagedError as error:
        with suppress(FileNotFoundError):  # another process was quicker
            aside = store.set_aside(task.cell)
            remarks.setdefault(f"{error.message} It was computed again; the file is kept as cells/{aside}.")
        return False
    return True


def trained(work: Work) -> Numbers:
    """Train and measure the networks of a sweep's cell, from its checkpoint where there is one."""
    from derivations.sweeps import checkpoints
    from derivations.sweeps.making import make
    from theory.problem import loads
    from theory.problem.toml import tables_of
    from theory.problem.user_code import allow

    task = work.task
    if cells.code_version(task.device) != task.code:
        raise WorkbenchError("The code was changed while the sweep ran.", "Run the sweep again.", "version")
    if task.code_allowed:
        allow(tables_of(task.question.problem, "the cell")["data"])
    problem, room, begun = loads(task.question.problem), work.store.checkpoints, None
    try:
        begun = checkpoints.read(room, task.cell, problem)
    except checkpoints.BadCheckpointError as bad:
        work.remark(bad.message)
    work.earlier.extend([] if begun is None else [begun.seconds])
    pauses = checkpoints.pauses(room, task.cell, begun, work.orders, time.monotonic, work.remark)

    def tell(done: int, total: int) -> None:
        work.progress(done / max(total, 1))

    return make(problem, task.question.observables, task.device, tell, pauses)


@contextmanager
def _one_thread() -> Iterator[None]:
    """Compute with one thread: bits must not depend on the cores of a machine."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def reason_of(error: BaseException) -> dict[str, Any] | None:
    """Return the error as an answer, where a user can cause it; None for a fault of the workbench."""
    if isinstance(error, WorkbenchError):
        return _error(error.kind, error.message, error.hint, error.exit_code)
    if isinstance(error, OSError):
        return _error("file", f"{error.strerror or error}.", "Check the disk and its permissions; then run it again.")
    if isinstance(error, MemoryError) or (isinstance(error, RuntimeError) and _MEMORY.search(str(error))):
        hint = "Use fewer workers, sites, units, samples or replicates."
        return _error("memory", "The cell does not fit into memory.", hint, OUT_OF_REACH)
    return None


def lost(error: BaseException | None = None) -> dict[str, Any]:
    """Return the answer for a task whose process has ended without one, again and again, or has failed by a fault."""
    if error is not None:
        return reason_of(error) or _fault(error)
    hint = "Too little memory is a frequent reason: use fewer workers. Run the sweep again to compute the cell."
    return _error("killed", "The process that computed this cell was killed, twice.", hint)


def _fault(error: BaseException) -> dict[str, Any]:
    message = f"The process that computed this cell ended with {type(error).__name__}: {str(error)[:200]}"
    return _error("fault", message, "Run the sweep again; if it stays, it is a fault of the workbench to report.")


def _error(kind: str, message: str, hint: str, code: int = CHECK_FAILED) -> dict[str, Any]:
    return {"kind": kind, "message": message, "hint": hint, "exit_code": code}
