"""Processes that do the tasks of a validation, one task at a time each; on one core this process does them itself.

A process that is killed costs the task that it was doing, which is tried once more; the others go on.
"""

import signal
import sys
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait

from derivations.processes import Worker, dismiss, leave_with_parent, throttled
from derivations.threads import limit
from derivations.validate.tasks import Done, Task, perform

Progress = Callable[[Task, str, float], None]
Work = Callable[[Task, Callable[[str, float], None]], Done]
_TRIES = 2
_PAUSE = 0.2  # seconds between two reports of progress


@dataclass(frozen=True)
class Lost:
    """The end of a task whose process died each time: why, for the report."""

    reason: str


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
    waiting = deque(tasks)
    tries = dict.fromkeys((task.name for task in tasks), 0)
    crew: list[Worker] = []
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
        dismiss(crew)


def _speaking(crew: Sequence[Worker]) -> list[Worker]:
    """The workers with a task that have sent a message or died; waits until there is one."""
    busy = {worker.pipe: worker for worker in crew if worker.task}
    return [busy[pipe] for pipe in wait(list(busy))]


def _hand_out(waiting: deque[Task], crew: list[Worker], processes: int, work: Work) -> None:
    while waiting:
        idle = next((worker for worker in crew if worker.task is None), None)
        if idle is None:
            if len(crew) >= processes:
                return
            loaded = [name for name in sys.modules if name.split(".")[0] in ("theory", "sim", "derivations")]
            idle = Worker(loaded, _work, work)
            crew.append(idle)
        idle.give(waiting.popleft())


def _death(worker: Worker) -> str:
    code, name = worker.death()
    if name is None:
        return f"its process ended with the exit code {code} twice"
    hint = "; SIGKILL often means too little memory" if name == "SIGKILL" else ""
    return f"its process was killed by {name} twice{hint}"


def _work(pipe: Connection, work: Work) -> None:
    """A worker's life: one task after the other until the pipe closes; it leaves with its parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # where they could not be blocked
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    leave_with_parent()
    limit(["validate"])

    def say(what: str, share: float) -> None:
        with suppress(OSError):
            pipe.send(("progress", (what, share)))

    while True:
        try:
            task = pipe.recv()
        except EOFError:
            return
        try:
            answer = "done", work(task, throttled(say, _PAUSE))
        except Exception as error:  # noqa: BLE001 - whatever it is, the parent raises it
            error.add_note(traceback.format_exc())
            answer = "error", error
        try:
            pipe.send(answer)
        except OSError:  # the parent has closed the pipe
            return
