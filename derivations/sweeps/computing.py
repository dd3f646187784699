"""Computing cells: one of them in this process, and any number of them by an engine."""

import re
import time
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from derivations.output import CHECK_FAILED, OUT_OF_REACH
from derivations.sweeps import cells
from derivations.sweeps.cells import DamagedError, Question
from derivations.sweeps.orders import LeftError, Orders, heeding
from derivations.sweeps.store import Store
from theory.problem import OutOfReachError, WorkbenchError

PRESENT, DONE, LEFT, FAILED = "present", "done", "left", "failed"
_MEMORY = re.compile("out of memory|allocate memory|STATUS_ALLOC_FAILED")

Numbers = tuple[Mapping[str, np.ndarray], Mapping[str, Any]]  # the arrays and the facts of a cell


@dataclass(frozen=True)
class Task:
    """A cell to compute: its id, its question, the version of the code and the device that answer it.

    `compute` is a function of a module, or a partial of one, because it is sent to other processes.
    """

    cell: str
    question: Question
    code: str
    device: str
    compute: "Callable[[Work], Numbers]"


@dataclass
class Work:
    """A task in work: its store, its orders, and where it reports the share done and sentences for a reader.

    `seconds` are those of earlier attempts, from whose checkpoint it continues.
    """

    task: Task
    store: Store
    orders: Orders
    progress: Callable[[float], None]
    remark: Callable[[str], None]
    seconds: float = 0.0


@dataclass(frozen=True)
class Answer:
    """The outcome of a task: DONE, PRESENT (it was computed before), LEFT as a checkpoint, or FAILED, and why."""

    task: Task
    what: str
    error: dict[str, Any] | None = None
    remarks: tuple[str, ...] = ()


Progress = Callable[[Task, float], None]  # takes the share done of a task


class Engine(ABC):
    """Where cells are computed. `job` names what was submitted, if anything was.

    `needs` has a package without which it cannot run, and the extra that installs it.
    """

    job: str | None = None
    needs: tuple[str, str] | None = None

    @abstractmethod
    def run(self, tasks: Iterable[Task], store: Store, progress: Progress) -> Iterator[Answer]:
        """Compute the tasks, and yield the answer of each as soon as it is known; tasks are taken as they are needed.

        On a signal to leave it begins none, and leaves those in work as checkpoints.
        """

    def plan(self, cells: int) -> str:
        """Say what `run` would do with so many cells; start nothing."""
        return f"this process, which computes {cells}"

    def check(self, _folder: Path) -> None:
        """Raise OutOfReachError where the engine cannot run here for the store in this folder; write nothing."""
        if self.needs is not None and find_spec(self.needs[0]) is None:
            hint = f"Install it: pip install 'gdln-workbench[{self.needs[1]}]'; or use another engine."
            raise OutOfReachError(f"The package {self.needs[0]} is not installed.", hint, "engine")


class Here(Engine):
    """The engine without processes: one cell after the other in this one."""

    def run(self, tasks: Iterable[Task], store: Store, progress: Progress) -> Iterator[Answer]:
        """See `Engine`."""
        with heeding() as orders:
            for task in tasks:
                yield compute(task, store, orders, partial(progress, task))
                if orders.leave:
                    return


def map_cells(
    tasks: Iterable[Task], store: Store, engine: Engine, progress: Progress = lambda _task, _share: None
) -> Iterator[Answer]:
    """Compute the tasks' cells in the store by an engine, and yield the answers.

    A file in the place of a cell that fails verification is kept beside it, and named in the remarks of the answer. A
    cell that others finish meanwhile is taken from them. Raises OutOfReachError where the engine cannot run here.
    """
    engine.check(store.folder)
    for answer in engine.run(tasks, store, progress):
        if answer.error == lost():  # a process that was killed could not take note of it
            store.note(answer.task.cell, 0.0, answer.error)
        yield answer


def compute(
    task: Task, store: Store, orders: Orders, progress: Callable[[float], None] = lambda _share: None
) -> Answer:
    """Compute the cell of a task in this process, by one thread, unless it is there; return the outcome.

    An error that a user can cause is an answer and is noted in the store; any other is noted and raised.
    """
    remarks: dict[str, None] = {}
    begin, work = time.monotonic(), Work(task, store, orders, progress, remarks.setdefault)
    try:
        if _is_present(task, store, work.remark):
            return Answer(task, PRESENT)
        store.note(task.cell)
        with _one_thread():
            arrays, facts = task.compute(work)
        store.put(task.cell, cells.encoded(task.question, task.code, arrays, facts))
    except LeftError as left:
        return Answer(task, LEFT, None, (*remarks, left.message))
    except Exception as error:
        reason = reason_of(error)
        store.note(task.cell, time.monotonic() - begin, reason)
        if reason["kind"] == "fault":
            raise
        return Answer(task, FAILED, reason, tuple(remarks))
    store.note(task.cell, time.monotonic() - begin + work.seconds)
    return Answer(task, DONE, None, tuple(remarks))


def _is_present(task: Task, store: Store, remark: Callable[[str], None]) -> bool:
    """Whether the store has the cell; a file in its place that fails verification is renamed."""
    try:
        store.read(task.cell)
    except FileNotFoundError:
        return False
    except DamagedError as error:
        with suppress(FileNotFoundError):  # another process was quicker
            aside = store.set_aside(task.cell)
            remark(f"{error.message} It was computed again; the file is kept as cells/{aside}.")
        return False
    return True


def trained(work: Work, code_allowed: bool = False) -> Numbers:
    """Train and measure the networks of a sweep's cell, from its checkpoint where there is one.

    With `code_allowed` the Python that the problem names may run.
    """
    from derivations.sweeps import checkpoints
    from derivations.sweeps.making import make
    from theory.problem import loads
    from theory.problem.toml import tables_of
    from theory.problem.user_code import allow

    task = work.task
    if cells.code_version(task.device) != task.code:
        raise WorkbenchError("The code was changed while the sweep ran.", "Run the sweep again.", "version")
    if code_allowed:
        allow(tables_of(task.question.problem, "the cell")["data"])
    problem, place = loads(task.question.problem), work.store.checkpoints / task.cell
    begun = checkpoints.read(place, problem, work.remark)
    work.seconds = 0.0 if begun is None else begun.seconds
    pauses = checkpoints.pauses(place, begun, work.orders, work.remark)
    return make(problem, task.question.observables, task.device, lambda done, of: work.progress(done / of), pauses)


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


def reason_of(error: BaseException) -> dict[str, Any]:
    """Return an error as the store keeps it and a reader sees it; "fault" is the kind of those of the workbench."""
    if isinstance(error, WorkbenchError):
        return _reason(error.kind, error.message, error.hint, error.exit_code)
    if isinstance(error, OSError):
        return _reason("file", f"{error.strerror or error}.", "Check the disk and its permissions; then run it again.")
    if isinstance(error, MemoryError) or (isinstance(error, RuntimeError) and _MEMORY.search(str(error))):
        hint = "Use fewer workers, sites, units, samples or replicates."
        return _reason("memory", "The cell does not fit into memory.", hint, OUT_OF_REACH)
    where = [f"{Path(step.filename).name}, line {step.lineno}" for step in traceback.extract_tb(error.__traceback__)]
    message = f"This cell ended with {type(error).__name__}: {str(error)[:200]} ({(where or ['elsewhere'])[-1]})."
    return _reason("fault", message, "Run the sweep again; if it stays, it is a fault of the workbench to report.")


def lost() -> dict[str, Any]:
    """Return the reason of a cell whose process has ended again and again."""
    hint = "Too little memory is a frequent reason: use fewer workers. Run the sweep again to compute the cell."
    return _reason("killed", "The process that computed this cell was killed, twice.", hint)


def _reason(kind: str, message: str, hint: str, code: int = CHECK_FAILED) -> dict[str, Any]:
    return {"kind": kind, "message": message, "hint": hint, "exit_code": code}
