"""The engine of Dask: a local cluster, or the scheduler at an address, and by it Kubernetes, clouds, PBS and LSF.

Dask retries the cells of workers that are lost and balances the others. A worker that receives SIGUSR2 writes the
checkpoint of its cell and goes on; one that receives SIGTERM writes it and ends, and the cell continues elsewhere.
"""

import asyncio
import logging
import os
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any
from uuid import uuid4

from derivations.output import counted
from derivations.sweeps.computing import FAILED, LEFT, Answer, Task, compute, lost
from derivations.sweeps.orders import SIGNALS, Orders, heeding
from derivations.sweeps.store import Store
from theory.problem import OutOfReachError

_AT_ONCE = 1000  # tasks that the scheduler knows of
_POLL, _PATIENCE = 0.2, 30.0  # seconds: between two looks at orders; to reach a scheduler, and to leave a cell
_WORKING: dict[str, Orders] = {}  # on a worker: the orders of the cells in work
_LEFT: set[str] = set()  # on a worker: the runs that are told to leave


@dataclass
class Dask:
    """Computes on the scheduler at an address, or without one on a cluster of `workers` processes of this machine."""

    workers: int
    scheduler: str | None = None
    job: None = None

    def plan(self, cells: int) -> str:
        """Say where the cells would be computed; the scheduler is not asked."""
        local = f"{counted(min(cells, self.workers), 'worker')} of a Dask cluster on this machine"
        return local if self.scheduler is None else f"the Dask scheduler at {self.scheduler}"

    def check(self, _folder: Path) -> None:
        """Raise OutOfReachError where Dask is not installed."""
        if find_spec("distributed") is None:
            raise OutOfReachError(
                "The engine dask needs Dask, which is not installed.",
                "Install the extra: pip install 'gdln-workbench[dask]', or use --engine local.",
                "engine",
            )

    def run(self, tasks: Iterable[Task], store: Store, _progress: Callable[[Task, float], None]) -> Iterator[Answer]:
        """See `computing.Engine`; the folder of the store must be one that every worker sees.

        Raises OutOfReachError where no scheduler answers at the address, and where it has gone.
        """
        source, run, folder, told = iter(tasks), uuid4().hex, store.folder.absolute(), False
        waiting = [*islice(source, _AT_ONCE)]
        if not waiting:
            return
        client, futures = self._client(), dict[Any, Task]()
        from distributed import wait

        with client, heeding() as orders:
            try:
                while True:
                    if orders.leave:
                        waiting = []
                    waiting += islice(source, 0 if orders.leave else max(_AT_ONCE - len(futures) - len(waiting), 0))
                    futures |= {client.submit(_compute, task, folder, run, key=_key(task)): task for task in waiting}
                    waiting = []
                    if not futures:
                        return
                    if client.status != "running":
                        raise OutOfReachError("The Dask scheduler has gone.", "Start it; then run it again.", "engine")
                    if orders.leave and not told:
                        told = True
                        client.run(_leave, run)
                    with suppress(TimeoutError):
                        wait([*futures], timeout=_POLL, return_when="FIRST_COMPLETED")
                    for future in [one for one in futures if one.status != "pending"]:
                        task = futures.pop(future)
                        answer = _answer(future, task)
                        if answer.what == LEFT and not orders.leave:
                            waiting.append(task)
                            continue
                        if answer.error == lost():
                            store.note(task.cell, 0.0, answer.error)
                        yield answer
            finally:
                if futures and client.status == "running":
                    client.cancel([*futures])
                    client.run(_leave, run)

    def _client(self) -> Any:
        from distributed import Client

        here = {
            "n_workers": self.workers,
            "threads_per_worker": 1,
            "dashboard_address": None,
            "silence_logs": logging.CRITICAL,
        }
        try:
            client = Client(**here) if self.scheduler is None else Client(self.scheduler, timeout=_PATIENCE)
        except (OSError, ValueError) as error:
            raise OutOfReachError(
                f"No Dask scheduler answers at {self.scheduler}: {str(error)[:200]}",
                "Start one: dask scheduler; then dask worker ADDRESS on every machine that is to help.",
                "engine",
            ) from None
        client.register_plugin(_listening())
        return client


def _key(task: Task) -> str:
    return f"cell-{task.cell[:16]}-{uuid4().hex[:8]}"  # each try is a task of its own


def _answer(future: Any, task: Task) -> Answer:
    """Return the answer of a task that has ended; LEFT where its cell is to be computed elsewhere."""
    from distributed import KilledWorker

    if future.status == "finished":
        return future.result()
    if future.status != "error":  # cancelled, or lost with a worker
        return Answer(task, LEFT)
    error = future.exception()
    return Answer(task, FAILED, lost() if isinstance(error, KilledWorker) else lost(error))


def _listening() -> Any:
    """Return what lets every worker, also one that comes later, listen to SIGNALS."""
    from distributed import WorkerPlugin

    class Listening(WorkerPlugin):
        name = "gdln-sweep"

        def setup(self, **_worker: Any) -> None:
            if threading.current_thread() is threading.main_thread():
                for number in SIGNALS:
                    signal.signal(number, _receive)

        async def teardown(self, **_worker: Any) -> None:
            _tell(leave=True)
            for _ in range(round(_PATIENCE / _POLL)):
                if _WORKING:
                    await asyncio.sleep(_POLL)

    return Listening()


def _receive(number: int, _frame: object) -> None:
    _tell(leave=number == signal.SIGTERM)
    if number == signal.SIGTERM:
        threading.Thread(target=_end, daemon=True).start()


def _tell(leave: bool) -> None:
    for orders in [*_WORKING.values()]:
        orders.save, orders.leave = True, orders.leave or leave


def _end() -> None:
    """End this worker once its cells are left."""
    end = time.monotonic() + _PATIENCE
    while _WORKING and time.monotonic() < end:
        time.sleep(_POLL)
    os._exit(128 + signal.SIGTERM)


def _leave(run: str) -> None:
    """Let the cells of a run be left, those in work and those that wait, on this worker."""
    _LEFT.add(run)
    for name, orders in [*_WORKING.items()]:
        orders.leave = orders.leave or name.startswith(run)


def _compute(task: Task, folder: Path, run: str) -> Answer:
    import torch

    torch.set_num_threads(1)  # and so it stays: threads of this worker compute other cells
    if run in _LEFT:
        return Answer(task, LEFT)
    name = f"{run} {task.cell}"
    orders = _WORKING[name] = Orders()
    try:
        return compute(task, Store(folder), orders)
    finally:
        del _WORKING[name]


ENGINE = Dask
