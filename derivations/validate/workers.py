"""Processes that do the tasks of a validation, one task at a time each; on one core this process does them itself.

A process that is killed costs the task that it was doing, which is tried once more; the others go on.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing.sharedctypes import RawValue
from queue import SimpleQueue
from threading import Event
from typing import Any

from derivations.processes import Process
from derivations.threads import limit
from derivations.validate.tasks import Done, Task, perform

Progress = Callable[[Task, str, float], None]
Work = Callable[[Task, Callable[[str, float], None]], Done]
_TRIES = 2
_PAUSE = 0.2  # seconds between two reports of progress
_SHARE: list[Any] = []  # of a process: where it writes the share done of its task


@dataclass(frozen=True)
class Lost:
    """The end of a task whose process died each time: why, for the report."""

    reason: str = "its process was killed twice; often there is too little memory"


def do_all(
    tasks: Sequence[Task], processes: int, progress: Progress, work: Work = perform
) -> Iterator[tuple[Task, Done | Lost]]:
    """Do the tasks in their order in `processes` processes; yield each with its outcome as soon as it is done.

    `work` is a module's function, which each process imports. However the iteration ends, no process is left.
    An error that a task raises is raised here.
    """
    if processes == 1:
        for task in tasks:
            yield task, work(task, lambda what, share, task=task: progress(task, what, share))
        return
    crew = [_Worker() for _ in range(processes)]
    idle, over = SimpleQueue[_Worker](), Event()
    for worker in crew:
        idle.put(worker)

    def one(task: Task) -> Done | Lost:
        worker = idle.get()
        try:
            return worker.done(task, work, over)
        finally:
            idle.put(worker)

    with ThreadPoolExecutor(processes) as threads:
        try:
            waiting = {threads.submit(one, task): task for task in tasks}
            while waiting:
                for future in wait(waiting, _PAUSE, FIRST_COMPLETED).done:
                    yield waiting.pop(future), future.result()
                for worker in crew:
                    if (task := worker.task) is not None:
                        progress(task, f"checking {task.name}", worker.share.value)
        finally:
            over.set()
            threads.shutdown(wait=False, cancel_futures=True)
            for worker in crew:
                worker.process.kill()


class _Worker:
    """A process, which is replaced where it dies; `task` is None while it waits, `share` that of the task's work."""

    def __init__(self) -> None:
        self.task: Task | None = None
        self.share = RawValue("d", 0.0)
        self.process = self._begun()

    def _begun(self) -> Process:
        loaded = [name for name in sys.modules if name.split(".")[0] in ("theory", "sim", "derivations")]
        return Process(loaded, _begin, self.share)

    def done(self, task: Task, work: Work, over: Event) -> Done | Lost:
        """Return the outcome of a task; nothing is tried again once all is `over`."""
        self.task, self.share.value = task, 0.0
        try:
            for _ in range(_TRIES):
                try:
                    return self.process.submit(_do, task, work).result()
                except BrokenProcessPool:
                    if over.is_set():
                        break
                    self.process = self._begun()
            return Lost()
        finally:
            self.task = None


def _begin(share: Any) -> None:
    _SHARE[:] = [share]
    limit(["validate"])


def _do(task: Task, work: Work) -> Done:
    def tell(_what: str, share: float) -> None:
        _SHARE[0].value = share

    return work(task, tell)
