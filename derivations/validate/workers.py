"""Processes that do the tasks of a validation, one task at a time each; on one core this process does them itself.

A process that is killed costs the task that it was doing, which is tried once more; the others go on.
"""

import multiprocessing as mp
import os
import signal
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from pathlib import Path

from derivations.threads import limit
from derivations.validate.tasks import Done, Task, perform

Progress = Callable[[Task, str, float], None]
Work = Callable[[Task, Callable[[str, float], None]], Done]
_TRIES = 2
_GRACE, _PAUSE = 2.0, 0.2  # seconds: for a process to end, between two reports of progress


@dataclass(frozen=True)
class Lost:
    """The end of a task whose process died each time: why, for the report."""

    reason: str


class _Worker:
    """A process and this end of its pipe; `task` is what it is doing, None while it waits."""

    def __init__(self, work: Work) -> None:
        context = mp.get_context(_start_method())
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_work, args=(theirs, work), daemon=True)
        with _interrupts_blocked(), _same_path():
            self.process.start()
        theirs.close()
        self.task: Task | None = None


def do_all(
    tasks: Sequence[Task], processes: int, progress: Progress, work: Work = perform
) -> Iterator[tuple[Task, Done | Lost]]:
    """Do the tasks in their order by so many processes; yield each with its outcome, as it comes.

    `work` is a function of a module: it is imported by each process. However the iteration ends, no process is left.
    An error that a task raises is raised here.
    """
    if processes == 1:
        for task in tasks:
            yield task, work(task, lambda what, share, task=task: progress(task, what, share))
        return
    waiting = deque(tasks)
    tries = dict.fromkeys((task.name for task in tasks), 0)
    crew: list[_Worker] = []
    try:
        while waiting or any(worker.task for worker in crew):
            _hand_out(waiting, crew, processes, work)
            for worker in _speaking(crew):
                task = worker.task
                try:
                    kind, content = worker.pipe.recv()
                except (EOFError, OSError):
                    crew.remove(worker)
                    tries[task.name] += 1
                    if tries[task.name] < _TRIES:
                        waiting.appendleft(task)
                    else:
                        yield task, Lost(_death(worker))
                    continue
                if kind == "progress":
                    progress(task, *content)
                    continue
                if kind == "error":
                    raise content
                worker.task = None
                yield task, content
    finally:
        _dismiss(crew)


def _speaking(crew: Sequence[_Worker]) -> list[_Worker]:
    """The workers with a task that have something to say, or have died, once there are any."""
    busy = {worker.pipe: worker for worker in crew if worker.task}
    return [busy[pipe] for pipe in wait(list(busy))]


def _hand_out(waiting: deque[Task], crew: list[_Worker], processes: int, work: Work) -> None:
    while waiting:
        idle = next((worker for worker in crew if worker.task is None), None)
        if idle is None:
            if len(crew) >= processes:
                return
            idle = _Worker(work)
            crew.append(idle)
        idle.task = waiting.popleft()
        with suppress(OSError):  # it has died; reading from its pipe says so
            idle.pipe.send(idle.task)


def _death(worker: _Worker) -> str:
    worker.process.join()
    code = worker.process.exitcode
    if code is not None and code < 0:
        name = signal.Signals(-code).name if -code in set(signal.Signals) else str(-code)
        hint = "; SIGKILL often means too little memory" if name == "SIGKILL" else ""
        return f"its process was killed by {name} twice{hint}"
    return f"its process ended with the exit code {code} twice"


def _start_method() -> str:
    """One process loads the libraries, and workers are forked from it: each would take seconds to load them itself."""
    if "forkserver" not in mp.get_all_start_methods():
        return "spawn"
    mp.set_forkserver_preload([name for name in sys.modules if name.split(".")[0] in ("theory", "sim", "derivations")])
    return "forkserver"


@contextmanager
def _same_path() -> Iterator[None]:
    """The server imports from where this process does, and not first from the current folder, whatever lies there."""
    path = os.pathsep.join(str(Path(entry).absolute()) for entry in sys.path)
    before = {name: os.environ.get(name) for name in ("PYTHONPATH", "PYTHONSAFEPATH")}
    os.environ.update({"PYTHONPATH": path, "PYTHONSAFEPATH": "1"})
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """An interrupt of the process group is for this process alone: a new one is born with interrupts blocked."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    resource_tracker.ensure_running()  # starting it would unblock them
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _dismiss(crew: Sequence[_Worker]) -> None:
    for worker in crew:
        worker.pipe.close()
        worker.process.terminate()
    deadline = time.monotonic() + _GRACE
    for worker in crew:
        worker.process.join(max(0.0, deadline - time.monotonic()))
        if worker.process.is_alive():
            worker.process.kill()
            worker.process.join()


def _work(pipe: Connection, work: Work) -> None:
    """A worker's life: one task after the other until the pipe closes; it leaves with its parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # where they could not be blocked
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    limit(["validate"])
    while True:
        try:
            task = pipe.recv()
        except EOFError:
            return
        try:
            answer = "done", work(task, _throttled(pipe))
        except Exception as error:  # noqa: BLE001 - whatever it is, the parent raises it
            error.add_note(traceback.format_exc())
            answer = "error", error
        try:
            pipe.send(answer)
        except OSError:  # nobody is listening any more
            return


def _leave_with_parent() -> None:
    wait([mp.parent_process().sentinel])
    os._exit(1)


def _throttled(pipe: Connection) -> Callable[[str, float], None]:
    last = 0.0

    def progress(what: str, share: float) -> None:
        nonlocal last
        if (now := time.monotonic()) - last >= _PAUSE:
            last = now
            with suppress(OSError):
                pipe.send(("progress", (what, share)))

    return progress
