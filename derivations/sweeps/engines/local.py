"""The engine of this machine: processes that this command starts and waits for, each in a pool of its own.

A process that dies breaks only its own pool: its cell is computed once more, from its checkpoint, by another.
"""

import signal
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import islice
from multiprocessing.sharedctypes import RawValue
from pathlib import Path
from typing import Any

from derivations.processes import Process, environment
from derivations.sweeps.computing import FAILED, LEFT, Answer, Engine, Progress, Task, compute, lost, reason_of
from derivations.sweeps.orders import SIGNALS, Orders, heeding
from derivations.sweeps.store import Store, patiently

_POLL = 0.2  # seconds between two looks at the share done and at orders
_DEATHS = 2  # of the process of a cell, by which it fails
# numba may be absent: the processes report modules that cannot be imported.
MODULES = ["derivations.sweeps.making", "derivations.sweeps.checkpoints", "sim.training.backends.compiled.train"]
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")


@dataclass
class Local(Engine):
    """Computes with `workers` processes; where it `stays`, SIGTERM makes checkpoints and ends nothing."""

    workers: int
    stays: bool = False

    def plan(self, cells: int) -> str:
        """Say how many processes there would be."""
        number = min(cells, self.workers)
        return f"{number} process{'' if number == 1 else 'es'} on this machine"

    def run(self, tasks: Iterable[Task], store: Store, progress: Progress) -> Iterator[Answer]:
        """See `computing.Engine`. However the iteration ends, no process is left."""
        source, waiting, deaths = iter(tasks), deque[Task](), Counter[str]()
        idle, busy = list[_Process](), dict[Future[Answer], _Process]()
        with heeding(self.stays) as orders:
            try:
                while True:
                    room = 0 if orders.leave else self.workers - len(busy)
                    waiting.extend(islice(source, max(room - len(waiting), 0)))
                    for _ in range(min(room, len(waiting))):
                        process = idle.pop() if idle else patiently(lambda: _Process(self.stays))
                        busy[process.begin(waiting.popleft(), store.folder)] = process
                    if not busy:
                        return
                    for future in wait(busy, timeout=_POLL, return_when=FIRST_COMPLETED).done:
                        process = busy.pop(future)
                        answer = _answer(future, process.task, deaths)
                        if isinstance(future.exception(), BrokenProcessPool):
                            process.kill()
                        else:
                            idle.append(process)
                        if answer.what == LEFT and not orders.leave:
                            waiting.append(answer.task)
                        else:
                            yield answer
                    for process in busy.values():
                        progress(process.task, process.share.value)
                        if orders.save or orders.leave:
                            process.tell(signal.SIGUSR2 if orders.leave else signal.SIGTERM)
                    orders.save = False
            finally:
                for process in [*idle, *busy.values()]:
                    process.kill()


def _answer(future: Future[Answer], task: Task, deaths: Counter[str]) -> Answer:
    error = future.exception()
    if isinstance(error, BrokenProcessPool):
        deaths[task.cell] += 1
        return Answer(task, LEFT) if deaths[task.cell] < _DEATHS else Answer(task, FAILED, lost())
    return future.result() if error is None else Answer(task, FAILED, reason_of(error))


class _Process(Process):
    """A process with one thread, its last task, and the share done of that."""

    def __init__(self, stays: bool) -> None:
        self.share, self.task = RawValue("d", 0.0), None
        with environment(_ONE_THREAD):
            super().__init__(MODULES, _listen, self.share, stays)

    def begin(self, task: Task, folder: Path) -> Future[Answer]:
        self.task, self.share.value = task, 0.0
        try:
            return self.submit(_compute, task, folder)
        except BrokenProcessPool as error:  # it has died while it waited
            future = Future[Answer]()
            future.set_exception(error)
            return future


_HERE: dict[str, Any] = {}  # of a process: its orders, and where it writes the share done of its cell


def _listen(share: Any, stays: bool) -> None:
    """Listen to orders: the first that a process does."""
    _HERE.update(share=share, orders=Orders(stays=stays))
    for number in SIGNALS:
        signal.signal(number, _HERE["orders"].receive)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)


def _compute(task: Task, folder: Path) -> Answer:
    orders: Orders = _HERE["orders"]
    orders.save = orders.leave = False
    return compute(task, Store(folder), orders, lambda share: setattr(_HERE["share"], "value", share))


ENGINE = Local
