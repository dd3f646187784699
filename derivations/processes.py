"""Processes that do one task after another, each connected by a pipe to its parent, which starts and ends them."""

import multiprocessing as mp
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, contextmanager, suppress
from multiprocessing import resource_tracker
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

_GRACE = 2.0  # seconds that a process has to end before it is killed


class Process:
    """A process that does one task after another: a pool of one, so that its death costs no task of another.

    It is forked from a server that has loaded `modules`, is deaf to interrupts, which its parent handles, and ends with
    its parent, however that ends. `begin(*given)` runs in it first.
    """

    def __init__(self, modules: Sequence[str], begin: Callable[..., None] | None = None, *given: Any) -> None:
        context = mp.get_context(_start_method(modules))
        self._pool = ProcessPoolExecutor(1, context, initializer=_begin, initargs=(begin, given))
        with _interrupts_blocked(), _same_path():
            self._number = self._pool.submit(os.getpid)

    def submit(self, function: Callable[..., Any], *given: Any) -> Future[Any]:
        """Call a module's function in the process. The future raises BrokenProcessPool where the process dies."""
        return self._pool.submit(function, *given)

    def kill(self) -> None:
        """End the process, also in the middle of a task, and return when it has gone."""
        with suppress(BrokenProcessPool, ProcessLookupError):
            os.kill(self._number.result(), signal.SIGKILL)
        self._pool.shutdown(cancel_futures=True)


def _begin(begin: Callable[..., None] | None, given: tuple[Any, ...]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # where it could not be blocked
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    leave_with_parent()
    if begin is not None:
        begin(*given)


class Worker:
    """A process that runs `target(pipe, *given)`, and this end of its pipe; `task` is None while it waits.

    `modules` are what the target imports. The first worker starts a server that loads them once, and every worker is
    forked from that server.
    """

    def __init__(self, modules: Sequence[str], target: Callable[..., None], *given: Any) -> None:
        context = mp.get_context(_start_method(modules))
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=target, args=(theirs, *given), daemon=True)
        with _interrupts_blocked(), _same_path():
            self.process.start()
        theirs.close()
        self.task: Any = None

    def give(self, task: Any) -> None:
        """Send a task to the process."""
        self.task = task
        with suppress(OSError):  # it has died; reading from its pipe says so
            self.pipe.send(task)

    def death(self) -> tuple[int | None, str | None]:
        """Wait for the process to end; return its exit code and, where a signal killed it, the signal's name."""
        self.process.join()
        code = self.process.exitcode
        if code is None or code >= 0:
            return code, None
        return code, signal.Signals(-code).name if -code in set(signal.Signals) else str(-code)


def _start_method(modules: Sequence[str]) -> str:
    """Return the method that forks workers from a server with loaded libraries, if possible: it saves seconds."""
    if "forkserver" not in mp.get_all_start_methods():
        return "spawn"
    mp.set_forkserver_preload(list(modules))
    return "forkserver"


def _same_path() -> AbstractContextManager[None]:
    """Let the server import from the same folders as this process, and not first from the current folder."""
    path = os.pathsep.join(str(Path(entry).absolute()) for entry in sys.path)
    return environment({"PYTHONPATH": path, "PYTHONSAFEPATH": "1"})


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Block interrupts in the processes that start in the block, so that only this process handles them.

    So is SIGUSR2, which schedulers send to every process of a job and which ends those that do not handle it, and what
    this process blocks already.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR2})
    resource_tracker.ensure_running()  # starting it would unblock interrupts
    signal.pthread_sigmask(signal.SIG_BLOCK, before | {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def dismiss(crew: Sequence[Worker]) -> None:
    """Stop all processes, and kill those that take too long."""
    for worker in crew:
        worker.pipe.close()
        worker.process.terminate()
    deadline = time.monotonic() + _GRACE
    for worker in crew:
        worker.process.join(max(0.0, deadline - time.monotonic()))
        if worker.process.is_alive():
            worker.process.kill()
            worker.process.join()


@contextmanager
def environment(changes: Mapping[str, str]) -> Iterator[None]:
    """Set these environment variables for processes that start in the block."""
    before = {name: os.environ.get(name) for name in changes}
    os.environ.update(changes)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def leave_with_parent() -> None:
    """End this process when its parent ends, however that happens."""
    threading.Thread(target=_leave_with_parent, daemon=True).start()


def _leave_with_parent() -> None:
    wait([mp.parent_process().sentinel])
    os._exit(1)


def throttled(report: Callable[..., None], pause: float) -> Callable[..., None]:
    """Return `report` without the calls that follow the last one within `pause` seconds."""
    last = 0.0

    def told(*what: Any) -> None:
        nonlocal last
        if (now := time.monotonic()) - last >= pause:
            last = now
            report(*what)

    return told
