"""Processes that make cells, one thread each. If one is killed, its cell continues from the last checkpoint."""

import os
import re
import signal
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from derivations.output import CHECK_FAILED, OUT_OF_REACH
from derivations.processes import Worker, dismiss, environment, leave_with_parent, throttled
from derivations.sweeps.cells import Question, code_version
from derivations.sweeps.leases import BUSY
from derivations.sweeps.leaving import LEAVE, Notice, Orders
from theory.problem import WorkbenchError

FAILED, KEPT = "failed", "kept"
_POLL, _PAUSE = 0.2, 0.5  # seconds: to look up, before a busy cell is asked for again
# numba may be absent: the worker reports modules that cannot be imported.
_MODULES = ("derivations.sweeps.making", "derivations.sweeps.store", "sim.training.backends.compiled.train")
_ONE_THREAD = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")


@dataclass(frozen=True)
class Job:
    """A cell to make: its id, the question that it answers, and the code that answers it."""

    cell: str
    asked: Question
    code: str


@dataclass(frozen=True)
class Answer:
    """The outcome of a job: made, there (another process had made the cell), kept as a checkpoint, or failed, and why.

    `remark` is a sentence on its checkpoint, or None.
    """

    job: Job
    what: str
    error: dict[str, Any] | None = None
    remark: str | None = None


def work(
    jobs: Sequence[Job],
    folder: Path,
    device: str,
    workers: int,
    progress: Callable[[Job, float], None],
    notice: Notice | None = None,
) -> Iterator[Answer]:
    """Make the jobs' cells in the store `folder` in `workers` processes; yield each answer as soon as it is there.

    A cell that another sweep is making is asked for again until it is there or that sweep has died. After a `notice`
    no cell is begun, and those in work are kept as checkpoints. However the iteration ends, no process is left.
    """
    notice = notice or Notice()
    waiting, not_before = deque(jobs), dict.fromkeys((job.cell for job in jobs), 0.0)
    crew: list[Worker] = []
    try:
        while (waiting and not notice.caught) or any(worker.task for worker in crew):
            if not notice.caught:
                _hand_out(waiting, not_before, crew, workers, lambda: _begun(folder, device, notice))
            else:
                _tell(crew)
            ready = wait([*(worker.pipe for worker in crew)], timeout=_POLL)
            for worker in [worker for worker in crew if worker.pipe in ready]:
                for answer in _heard(worker, progress):
                    if answer.what == BUSY:
                        not_before[answer.job.cell] = time.monotonic() + _PAUSE
                        waiting.append(answer.job)
                    else:
                        yield answer
                if worker.pipe.closed:
                    crew.remove(worker)
    finally:
        dismiss(crew)


def _hand_out(
    waiting: deque[Job],
    not_before: dict[str, float],
    crew: list[Worker],
    workers: int,
    begin: Callable[[], Worker],
) -> None:
    for _ in range(len(waiting)):
        if not_before[waiting[0].cell] > time.monotonic():
            waiting.rotate(-1)
            continue
        idle = next((worker for worker in crew if worker.task is None), None)
        if idle is None:
            if len(crew) == workers:
                return
            idle = begin()
            crew.append(idle)
        idle.give(waiting.popleft())
        # One new process at a time, so that the answers of the others are read meanwhile.
        if len(crew) < workers:
            return


def _tell(crew: list[Worker]) -> None:
    """Tell the workers that have a cell in work to leave it; a second signal changes nothing."""
    for worker in crew:
        if worker.task is not None:
            with suppress(ProcessLookupError):
                os.kill(worker.process.pid, LEAVE)


def _heard(worker: Worker, progress: Callable[[Job, float], None]) -> Iterator[Answer]:
    job = worker.task
    try:
        message = worker.pipe.recv()
    except (EOFError, OSError):
        worker.pipe.close()
        error = _death(worker)
        if job is not None:
            yield Answer(job, FAILED, error)
        return
    if isinstance(message, float):
        progress(job, message)
        return
    what, error, remark = message
    worker.task = None
    yield Answer(job, what, error, remark)


def _death(worker: Worker) -> dict[str, Any]:
    code, name = worker.death()
    if name is not None:
        why = f"The process that made this cell was killed by {name}"
        hint = "SIGKILL often means too little memory: use fewer workers. Run the sweep again to make the cell."
        return _error("killed", f"{why}.", hint)
    message = f"The process that made this cell ended with the exit code {code}; its last words are on stderr."
    return _error("fault", message, "Run the sweep again; if it stays, it is a fault of the workbench to report.")


def _begun(folder: Path, device: str, notice: Notice) -> Worker:
    """A new process, which computes with one thread: bits must not depend on the machine's cores."""
    with environment(dict.fromkeys(_ONE_THREAD, "1")):
        return Worker(_MODULES, _work, str(folder), device, notice.saves)


def _work(pipe: Connection, folder: str, device: str, saves: bool) -> None:
    """A worker's life: one job after the other until the pipe closes; it leaves with its parent, however that ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is the parent's to handle
    orders = Orders()
    orders.obey(saves)
    leave_with_parent()
    import torch

    torch.set_num_threads(1)

    def say(done: int, total: int) -> None:
        pipe.send(done / max(total, 1))

    while True:
        try:
            job = pipe.recv()
        except EOFError:
            return
        pipe.send(_make(job, folder, device, throttled(say, _POLL), orders))


def _make(
    job: Job, folder: str, device: str, progress: Callable[[int, int], None], orders: Orders
) -> tuple[str, dict[str, Any] | None, str | None]:
    """Make the job's cell. An error that a user can cause is an answer; another ends the process."""
    from derivations.sweeps import checkpoints
    from derivations.sweeps.making import make
    from sim.training.schedule import device_named
    from theory.problem import loads
    from theory.problem.toml import tables_of
    from theory.problem.user_code import allow

    remark = None

    def failed(*error: Any) -> tuple[str, dict[str, Any], str | None]:
        return FAILED, _error(*error), remark

    if code_version(device_named(device).type) != job.code:
        return failed("version", "The code was changed while the sweep ran.", "Run the sweep again.")

    def compute() -> tuple[dict[str, Any], dict[str, Any]]:
        nonlocal remark
        allow(tables_of(job.asked.problem, "the cell")["data"])  # from the user's sweep file
        problem, room = loads(job.asked.problem), _opened(folder).checkpoints
        try:
            begun = checkpoints.read(room, job.cell, problem)
        except checkpoints.BadCheckpointError as bad:
            begun, remark = None, bad.message
        pauses = checkpoints.pauses(room, job.cell, begun, orders, time.monotonic)
        return make(problem, job.asked.observables, device, progress, pauses)

    try:
        return _opened(folder).make(job.cell, job.asked, job.code, compute), None, remark
    except checkpoints.LeftError as left:
        return KEPT, None, left.message
    except WorkbenchError as error:
        return failed(error.kind, error.message, error.hint, error.exit_code)
    except OSError as error:
        return failed("file", f"{error.strerror or error}.", "Free the disk; then run the sweep again.")
    except (MemoryError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and not re.search("out of memory|allocate memory", str(error)):
            raise
        hint = "Use fewer workers, sites, units, samples or replicates."
        return failed("memory", "The cell does not fit into memory.", hint, OUT_OF_REACH)


@cache
def _opened(folder: str) -> Any:
    """Return the store, opened once by each worker: it remembers since when it has seen the leases of others."""
    from derivations.sweeps.store import Store

    return Store.open(folder)


def _error(kind: str, message: str, hint: str, code: int = CHECK_FAILED) -> dict[str, Any]:
    return {"kind": kind, "message": message, "hint": hint, "exit_code": code}
