"""The engine of Dask: a local cluster, or the scheduler at an address, and by it Kubernetes, clouds, PBS and LSF.

A worker writes the checkpoints of its cells at SIGUSR2; at SIGTERM it also ends, and the cells continue elsewhere.
"""

import asyncio
import signal
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from derivations.output import counted
from derivations.sweeps.computing import FAILED, LEFT, Answer, Engine, Progress, Task, compute, lost, reason_of
from derivations.sweeps.orders import Orders, heeding
from derivations.sweeps.store import Store
from theory.problem import OutOfReachError

_AT_ONCE = 1000  # tasks that the scheduler knows of
_POLL = 0.2  # seconds between two looks at answers and orders
_WORKING: set[Orders] = set()  # on a worker: the orders of the cells in work


@dataclass
class Dask(Engine):
    """Computes on the scheduler at an address, whose workers see the store, or on `workers` processes here."""

    workers: int
    scheduler: str | None = None
    needs = ("distributed", "dask")

    def plan(self, cells: int) -> str:
        """Say where the cells would be computed; the scheduler is not asked."""
        if self.scheduler is not None:
            return f"the Dask scheduler at {self.scheduler}"
        return f"{counted(min(cells, self.workers), 'worker')} of a Dask cluster on this machine"

    def run(self, tasks: Iterable[Task], store: Store, _progress: Progress) -> Iterator[Answer]:
        """See `computing.Engine`. Raises OutOfReachError where no scheduler answers, and where it has gone."""
        from distributed import KilledWorker

        source, running, again = iter(tasks), dict[Any, Task](), []
        with self._client() as client, heeding() as orders:
            try:
                while not orders.leave:
                    for task in [*again, *islice(source, _AT_ONCE - len(running) - len(again))]:
                        running[client.submit(_compute, task, store.folder.absolute(), pure=False)] = task
                    if not running:
                        return
                    time.sleep(_POLL)
                    again = []
                    for future in [one for one in running if one.done()]:
                        if future.cancelled():
                            raise OutOfReachError("The Dask scheduler has gone.", "Start it again.", "engine")
                        task, error = running.pop(future), future.exception()
                        if error is not None:
                            yield Answer(task, FAILED, lost() if isinstance(error, KilledWorker) else reason_of(error))
                        elif (answer := future.result()).what == LEFT:
                            again.append(task)
                        else:
                            yield answer
            finally:
                if running and client.status == "running":
                    client.cancel([*running])
                    client.run(_leave, on_error="ignore")

    def _client(self) -> Any:
        from distributed import Client, WorkerPlugin

        quiet = {"dashboard_address": None, "silence_logs": "CRITICAL"}
        here = {"n_workers": self.workers, "threads_per_worker": 1, **quiet}
        try:
            client = Client(self.scheduler) if self.scheduler else Client(**here)
        except (OSError, ValueError) as error:
            message = f"No Dask scheduler answers at {self.scheduler}: {str(error)[:200]}"
            raise OutOfReachError(message, "Start one: dask scheduler, and dask worker ADDRESS.", "engine") from None
        # Functions of the module find _WORKING where they run; those of a class in a function would get a copy of it.
        methods = {"name": "gdln-sweep", "setup": _listen, "teardown": lambda *_plugin, **_worker: _leave()}
        client.register_plugin(type("Listening", (WorkerPlugin,), methods)())
        return client


async def _listen(_plugin: Any, worker: Any) -> None:
    listen = asyncio.get_running_loop().add_signal_handler
    listen(signal.SIGUSR2, _tell, False)
    listen(signal.SIGTERM, lambda: worker.loop.add_callback(worker.close, nanny=False))


async def _leave() -> None:
    """Let the cells in work on this worker be left, and return when they are."""
    leaving = _tell(leave=True)
    while _WORKING.intersection(leaving):
        await asyncio.sleep(_POLL)


def _tell(leave: bool) -> list[Orders]:
    for orders in (working := [*_WORKING]):
        orders.save, orders.leave = True, orders.leave or leave
    return working


def _compute(task: Task, folder: Path) -> Answer:
    import torch

    torch.set_num_threads(1)  # and so it stays: threads of this worker compute other cells
    orders = Orders()
    _WORKING.add(orders)
    try:
        return compute(task, Store(folder), orders)
    finally:
        _WORKING.discard(orders)


ENGINE = Dask
