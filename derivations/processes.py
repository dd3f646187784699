"""Processes that do one task after another, each in a pool of its own, which their parent starts and ends."""

import multiprocessing as mp
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, contextmanager, suppress
from multiprocessing import resource_tracker
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any


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

    def tell(self, number: signal.Signals) -> None:
        """Send a signal to the process, once it has begun."""
        if self._number.done() and not self._number.exception():
            with suppress(ProcessLookupError):
                os.kill(self._number.result(), number)

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
