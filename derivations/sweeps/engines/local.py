"""The engine of this machine: processes that this command starts and waits for, each in a pool of its own.

A process that dies breaks only its own pool: its cell is computed once more, from its checkpoint, in a new one.
"""

import signal
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import islice
from multiprocessing.sharedctypes import RawValue
from pathlib import Path
from typing import Any

from derivations.processes import Process, environment
from derivations.sweeps.computing import FAILED, LEFT, Answer, Task, compute, lost
from derivations.sweeps.orders import SIGNALS, Orders, heeding, receiver
from derivations.sweeps.store import Store

_POLL = 0.2  # seconds between two looks at the share done and at orders
_DEATHS = 2  # of the process of a cell, by which it fails
# numba may be absent: the processes report modules that cannot be imported.
_MODULES = ["derivations.sweeps.making", "derivations.sweeps.checkpoints", "sim.training.backends.compiled.train"]
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")


@dataclass
class Local:
    """Computes with `workers` processes; where it `stays`, SIGTERM makes checkpoints and ends nothing."""

    workers: int
    stays: bool = False
    job: None = None
    left: bool = False  # whether the last run was told to leave

    def plan(self, cells: int) -> str:
        """Say how many processes there would be."""
        number = min(cells, self.workers)
        return f"{number} process{'' if number == 1 else 'es'} on this machine"

    def check(self, folder: Path) -> None:
        """Nothing hinders it."""

    def run(self, tasks: Iterable[Task], store: Store, progress: Callable[[Task, float], None]) -> Iterator[Answer]:
        """See `computing.Engine`. However the iteration ends, no process is left."""
        source, waiting, deaths, crew = iter(tasks), deque[Task](), Counter[str](), list[_Process]()
        with heeding(self.stays) as orders:
            try:
                while True:
                    crew = [one for one in crew if not one.broken]
                    idle = [one for one in crew if one.task is None]
                    room = 0 if orders.leave else self.workers - len(crew) + len(idle)
                    waiting.extend(islice(source, max(room - len(waiting), 0)))
                    for _ in range(min(room, len(waiting))):
                        one = idle.pop() if idle else _Process(self.stays)
                        crew += [one] if one not in crew else []
                        one.give(waiting.popleft(), store.folder)
                    busy = {one.future: one for one in crew if one.task is not None}
                    if not busy:
                        return
                    for future in wait(busy, timeout=_POLL, return_when=FIRST_COMPLETED).done:
                        answer = busy[future].answer()
                        task, died = answer.task, answer.error == lost()
                        deaths[task.cell] += died
                        if deaths[task.cell] < _DEATHS if died else answer.what == LEFT and not orders.leave:
                            waiting.append(task)
                            continue
                        if died:
                            store.note(task.cell, 0.0, answer.error)
                        yield answer
                    for one in busy.values():
                        if one.task is not None:
                            progress(one.task, one.share.value)
                            if orders.save or orders.leave:
                                one.tell(signal.SIGUSR2 if orders.leave else signal.SIGTERM)
                    orders.save = False
            finally:
                self.left = orders.leave
                for one in crew:
                    one.kill()


class _Process(Process):
    """A process with one thread, in a pool of its own; `task` is None while it waits."""

    def __init__(self, stays: bool) -> None:
        self.share = RawValue("d", 0.0)
        with environment(_ONE_THREAD):
            super().__init__(_MODULES, _listen, self.share, stays)
        self.task: Task | None = None
        self.future: Future[Answer] | None = None
        self.broken = False

    def give(self, task: Task, folder: Path) -> None:
        self.task, self.share.value = task, 0.0
        try:
            self.future = self.submit(_compute, task, folder)
        except BrokenProcessPool as error:  # it has died while it waited
            self.future = Future()
            self.future.set_exception(error)

    def answer(self) -> Answer:
        """Return the answer of the task, whose future is done."""
        task, self.task, error = self.task, None, self.future.exception()
        if error is None:
            return self.future.result()
        self.broken = isinstance(error, BrokenProcessPool)
        if self.broken:
            self.kill()
        return Answer(task, FAILED, lost() if self.broken else lost(error))


# Of a process: its orders, and where it writes the share done of its cell.
_ORDERS = Orders()
_SHARE: list[Any] = []


def _listen(share: Any, stays: bool) -> None:
    """Listen to orders: the first that a process does."""
    _SHARE[:] = [share]
    for number in SIGNALS:
        signal.signal(number, receiver(_ORDERS, stays))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)


def _compute(task: Task, folder: Path) -> Answer:
    _ORDERS.save = _ORDERS.leave = False

    def tell(share: float) -> None:
        _SHARE[0].value = share

    return compute(task, Store(folder), _ORDERS, tell)


ENGINE = Local
