"""Processes that make cells, one thread each. If one is killed, its cell continues from the last checkpoint."""

import errno
import os
import re
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import islice
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from derivations.output import CHECK_FAILED, OUT_OF_REACH
from derivations.processes import Worker, dismiss, environment, leave_with_parent, throttled
from derivations.sweeps.cells import Question, code_version
from derivations.sweeps.failures import failure
from derivations.sweeps.gpus import ALONE, Gpu, Room, visible
from derivations.sweeps.leases import BUSY
from derivations.sweeps.leaving import LEAVE, Notice, Orders
from derivations.sweeps.owners import new_token
from theory.problem import OutOfReachError, WorkbenchError

FAILED, KEPT = "failed", "kept"
_POLL, _PAUSE = 0.2, 0.5  # seconds: to look up, before a busy cell is asked for again
# numba may be absent: the worker reports modules that cannot be imported.
_MODULES = ("derivations.sweeps.making", "derivations.sweeps.store", "sim.training.backends.compiled.train")
_ONE_THREAD = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")


@dataclass(frozen=True)
class Job:
    """A cell to make: its id, the question that it answers, and the code that answers it.

    `failed` is the token of the last failure at the cell when the job was given. The cell is not tried where another
    process has failed at it since then. `needs` are the bytes that it takes of a GPU, by an estimate.
    """

    cell: str
    asked: Question
    code: str
    failed: str | None = None
    needs: float = 0


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
    jobs: Iterable[Job],
    folder: Path,
    device: str,
    workers: int,
    progress: Callable[[Job, float], None],
    notice: Notice | None = None,
    gpus: tuple[Gpu, ...] = (),
) -> Iterator[Answer]:
    """Make the jobs' cells in the store `folder` in `workers` processes; yield each answer as soon as it is there.

    On `gpus` a process makes one cell, and those are in work at once that fit into the memory (see `Room`). A cell for
    which there was not enough beside others is made again alone.

    A cell that another sweep is making is asked for again until it is there or that sweep has died. After a `notice`
    no cell is begun, and those in work are kept as checkpoints. However the iteration ends, no process is left. Jobs
    are taken as they are needed, so that there may be a million of them.
    """
    notice = notice or Notice()
    source, waiting, not_before = iter(jobs), deque[Job](), dict[str, float]()
    crew: list[Worker] = []
    room = Room(gpus) if gpus else None
    begin = partial(_begun, room, folder, device, notice)
    try:
        while (not notice.caught and _taken(source, waiting, not_before, workers)) or any(
            worker.task for worker in crew
        ):
            if not notice.caught:
                _hand_out(waiting, not_before, crew, workers, begin)
            else:
                _tell(crew)
            ready = wait([*(worker.pipe for worker in crew)], timeout=_POLL)
            for worker in [worker for worker in crew if worker.pipe in ready]:
                for answer in _heard(worker, progress):
                    crowded = False
                    if room is not None:
                        dismiss([worker])
                        crowded = room.leave(answer.job.cell)
                    if answer.error == _OUT_OF_MEMORY and crowded:
                        waiting.append(_alone(answer.job, folder))
                    elif answer.what == BUSY:
                        not_before[answer.job.cell] = time.monotonic() + _PAUSE
                        waiting.append(answer.job)
                    else:
                        yield answer
                if worker.pipe.closed:
                    crew.remove(worker)
    finally:
        dismiss(crew)


def _taken(source: Iterator[Job], waiting: deque[Job], not_before: dict[str, float], most: int) -> bool:
    """Take further jobs until `most` may be handed out; return whether any job is waiting."""
    now = time.monotonic()
    ready = sum(not_before.get(job.cell, 0.0) <= now for job in waiting)
    waiting.extend(islice(source, max(most - ready, 0)))
    return bool(waiting)


def _hand_out(
    waiting: deque[Job],
    not_before: dict[str, float],
    crew: list[Worker],
    workers: int,
    begin: Callable[[Job], Worker | None],
) -> None:
    """Give waiting jobs to idle workers, or to a new one; `begin` returns None for a job that has to wait for room."""
    for _ in range(len(waiting)):
        if not_before.get(waiting[0].cell, 0.0) > time.monotonic():
            waiting.rotate(-1)
            continue
        idle = next((worker for worker in crew if worker.task is None), None)
        if idle is None:
            if len(crew) == workers:
                return
            idle = begin(waiting[0])
            if idle is None:
                return
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


def _alone(job: Job, folder: Path) -> Job:
    """Return the job once more, for a GPU on which nothing else is in work; its failure is known."""
    failed = _opened(str(folder)).failure(job.cell)
    return replace(job, needs=ALONE, failed=failed.token if failed else None)


def visible_gpus(kind: str) -> tuple[Gpu, ...]:
    """Return the GPUs of this machine where `kind` is "cuda", as another process sees them: this gets no context.

    Raises OutOfReachError where there are some and none can be used.
    """
    if kind != "cuda":
        return ()
    asked = _started(_tell_gpus)
    try:
        found = asked.pipe.recv()
    except (EOFError, OSError):
        found = "the process that asked has died"
    finally:
        dismiss([asked])
    if isinstance(found, str):
        raise OutOfReachError(
            f"No GPU says how much of its memory is free: {found}.",
            "nvidia-smi shows who uses them. Wait, or use --device cpu.",
            "device",
        )
    return found


def _tell_gpus(pipe: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    leave_with_parent()
    try:
        pipe.send(visible())
    except RuntimeError as error:
        pipe.send(str(error).partition("\n")[0].rstrip("."))


def _started(target: Callable[..., None], *given: Any) -> Worker:
    """A new process, which computes with one thread: bits must not depend on the machine's cores."""
    with environment(dict.fromkeys(_ONE_THREAD, "1")):
        return Worker(_MODULES, target, *given)


def _begun(room: Room | None, folder: Path, device: str, notice: Notice, job: Job) -> Worker | None:
    """A new process for a job; None where no GPU has room for it."""
    gpu = None if room is None else room.take(job.cell, job.needs)
    return None if room and gpu is None else _started(_work, str(folder), device, notice.saves, gpu)


def _work(pipe: Connection, folder: str, device: str, saves: bool, gpu: str | None) -> None:
    """A worker's life: one job after the other until the pipe closes; it leaves with its parent, however that ends.

    It sees no GPU but the one that it is given, if any.
    """
    if gpu is not None:
        os.environ["CUDA_VISIBLE_DEVICES"] = gpu
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is the parent's to handle
    orders = Orders()
    orders.obey(saves)
    leave_with_parent()
    import torch

    torch.set_num_threads(1)

    def say(done: int, total: int) -> None:
        try:
            pipe.send(done / max(total, 1))
        except OSError:
            sys.exit(1)  # the parent has left, which is no failure of the cell

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

    if code_version(device_named(device).type) != job.code:
        return FAILED, _error("version", "The code was changed while the sweep ran.", "Run the sweep again."), None

    done: list[float] = []  # the share, for the heartbeat
    remarks: list[str] = []

    def remark(said: str) -> None:
        if said not in remarks:
            remarks.append(said)

    def tell(steps: int, total: int) -> None:
        done[:] = [steps / max(total, 1)]
        progress(steps, total)

    def compute() -> tuple[dict[str, Any], dict[str, Any]]:
        allow(tables_of(job.asked.problem, "the cell")["data"])  # from the user's sweep file
        problem, room = loads(job.asked.problem), store.checkpoints
        try:
            begun = checkpoints.read(room, job.cell, problem)
        except checkpoints.BadCheckpointError as bad:
            begun = None
            remark(bad.message)
        pauses = checkpoints.pauses(room, job.cell, begun, orders, time.monotonic, remark)
        return make(problem, job.asked.observables, device, tell, pauses)

    store = _opened(folder)
    since = store.failure(job.cell)
    if since is not None and since.token != job.failed and not store.is_there(job.cell):
        return FAILED, _error(since.kind, since.message, since.hint, since.exit_code), None
    try:
        made = store.make(job.cell, job.asked, job.code, compute, lambda: done[0] if done else None)
        return made, None, " ".join(remarks) or None
    except checkpoints.LeftError as left:
        return KEPT, None, left.message
    except Exception as error:
        why = _reason(error)
        store.note_failure(job.cell, failure(new_token(), job.code, why or _fault(error)))
        if why is None:
            raise
        return FAILED, why, " ".join(remarks) or None


def _reason(error: Exception) -> dict[str, Any] | None:
    """Return the error as an answer, where a user can cause it; None for a fault of the workbench."""
    if isinstance(error, WorkbenchError):
        return _error(error.kind, error.message, error.hint, error.exit_code)
    if isinstance(error, OSError):
        cure = "Free the disk" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "Check the disk and its permissions"
        return _error("file", f"{error.strerror or error}.", f"{cure}; then run the sweep again.")
    words = "out of memory|allocate memory|STATUS_ALLOC_FAILED"
    out_of_memory = isinstance(error, RuntimeError) and re.search(words, str(error))
    return _OUT_OF_MEMORY if out_of_memory or isinstance(error, MemoryError) else None


def _fault(error: Exception) -> dict[str, Any]:
    """Return the failure of a process that ends with an error that no user can cause."""
    message = f"The process that made this cell ended with {type(error).__name__}: {str(error)[:200]}"
    return _error("fault", message, "Run the sweep again; if it stays, it is a fault of the workbench to report.")


@cache
def _opened(folder: str) -> Any:
    """Return the store, opened once by each worker: it remembers since when it has seen the leases of others."""
    from derivations.sweeps.store import Store

    return Store.open(folder)


def _error(kind: str, message: str, hint: str, code: int = CHECK_FAILED) -> dict[str, Any]:
    return {"kind": kind, "message": message, "hint": hint, "exit_code": code}


_OUT_OF_MEMORY = _error(
    "memory",
    "The cell does not fit into memory.",
    "Use fewer workers, sites, units, samples or replicates.",
    OUT_OF_REACH,
)
