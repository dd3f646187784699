"""The store of sweeps: what it costs a cell, how long a large one takes to see, and what a second worker gains.

Cells are as small as they can be, so that nearly all of the time is the store's: leases, files, checksums and the
synchronisation with the disk. Beside it the same two files are written and synchronised without any store; and cells
are made as a run of `gdln sweep` makes them, from declaration to verified files, but not trained or measured.
"""

import multiprocessing
import tempfile
import time
from collections import deque
from collections.abc import Callable
from functools import partial
from multiprocessing.synchronize import Barrier
from pathlib import Path
from statistics import median
from threading import BrokenBarrierError
from typing import Any

import numpy as np

from derivations.answers import sweep as answers
from derivations.answers.sweep_looks import LookAnswer
from derivations.sweeps import cells, plans
from derivations.sweeps.leases import BUSY, MADE
from derivations.sweeps.looking import Watcher
from derivations.sweeps.store import Store
from theory.problem import OBSERVABLES, loads_sweep
from theory.problem.shared import Shared

WORKERS, CELLS, LISTED, OTHERS, ROUNDS = 8, 400, 100_000, 50_000, 5
SHARED, WORK = 24, 0.1  # cells of two workers, and the seconds of processor time that each takes
_PAUSE = 0.01
_Way = Callable[[Path, int, int], Callable[[], None]]  # prepares a worker's share of the cells in a store
_BOTH, _ONE = "both there", "one missing"
_CODE = "benchmark"
_ARRAYS = {
    "times": np.zeros(1),
    "replicates": np.arange(2),
    "diverged": np.zeros(2, dtype=bool),
    "loss": np.ones((2, 1)),
}
_FACTS = {
    "state": cells.COMPLETE,
    "replicates": 2,
    "diverged": 0,
    "undefined": {},
    "versions": {"torch": "none"},
    "device": "cpu",
    "steps": 1,
    "wall_seconds": 0.0,
    "started": "",
    "finished": "",
}

_SWEEP = """
observables = ["loss"]
store = "store"
axes = {{ "simulation.seed" = {seeds} }}
[base]
data = {{ law = "finite", x = [[1, 0], [0, 1]], y = [1, -1] }}
network = {{ model = "relu", readout = "mean", units = 1 }}
training = {{ loss = "half-mse", tau = 1, w0 = [[1, 0]], times = [1] }}
simulation = {{ mode = "full-batch", samples = 2, learning_rate = 1, replicates = 2, seed = 0 }}
"""


def measure(
    count: int = CELLS, listed: int = LISTED, shared: int = SHARED, rounds: int = ROUNDS, others: int = OTHERS
) -> dict[str, Any]:
    """Seconds of wall and processor time of each part; `count` cells by eight workers, `listed` names."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        spent = {way: [] for way, _ in _WAYS}
        for index in range(rounds):  # in turn, because the machine may have other work
            for way, fill in _WAYS:
                spent[way].append(_spent(fill, folder / f"{way}{index}", WORKERS, count))
        alone, both = [], []
        for index in range(rounds):
            alone.append(_spent(_at_once(_busy), folder / f"one{index}", 1, shared)[0])
            both.append(_spent(_at_once(_busy), folder / f"two{index}", 2, shared)[0])
        seconds = _listing(folder / "listed", listed)
        large = _large(folder / "large", listed)
        small = _small(folder / "small", others)
    return {
        "unit": "seconds",
        "workers": WORKERS,
        "cells": count,
        "a cell": {
            way: {
                "wall": median(wall for wall, _ in found) / count,
                "fastest": min(wall for wall, _ in found) / count,
                "processor": median(processor for _, processor in found) / count,
            }
            for way, found in spent.items()
        },
        "listed": {"cells": listed, "seconds": seconds},
        "large": large,
        "small": small,
        "two workers": {
            "cells": shared,
            "processor seconds of a cell": WORK,
            "one": alone,
            "two": both,
            "ratio": median(one / two for one, two in zip(alone, both, strict=True)),
        },
    }


def text(found: dict[str, Any]) -> str:
    """A table for a reader."""
    lines = [f"{found['workers']} workers, milliseconds a cell: wall, of the fastest round, processor"]
    for way, seconds in found["a cell"].items():
        numbers = (1000 * seconds[name] for name in ("wall", "fastest", "processor"))
        lines.append(f"  {way:<16} " + " ".join(f"{number:7.2f}" for number in numbers))
    both, listed = found["two workers"], found["listed"]
    lines.append(f"{listed['cells']} cells listed in {listed['seconds']:.2f} s")
    large = found["large"]
    lines.append(
        f"a sweep of {large['cells']} cells, half of them there: planned in {large['planned']:.1f} s, looked at in "
        f"{large['first look']:.2f} s, again in {large['next look']:.2f} s of processor time"
    )
    small = found["small"]
    lines += [
        f"the status of a sweep of 2 cells, {words}, in a store with {small['others']} others: "
        f"{small[words]['wall']:.2f} s, {small[words]['processor']:.2f} s of processor time"
        for words in (_BOTH, _ONE)
    ]
    lines.append(f"two workers reach {both['ratio']:.2f} times the speed of one")
    return "\n".join(lines)


def _question(index: int) -> cells.Question:
    return cells.Question("# none", ("loss",), index)


def _made() -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    return _ARRAYS, _FACTS


def _store(folder: Path, count: int, who: int) -> None:
    """Make a share of the cells, as the workers of one command do."""
    store = Store.open(folder)
    for index in range(who, count, WORKERS):
        asked = _question(index)
        store.make(asked.cell(_CODE), asked, _CODE, _made)


def _files(folder: Path, count: int, who: int) -> None:
    """Write the files of the same share, and nothing else."""
    for index in range(who, count, WORKERS):
        asked = _question(index)
        place = folder / "cells" / asked.cell(_CODE)
        place.mkdir()
        cells.write(place, place.name, asked, _CODE, _ARRAYS, _FACTS)


def _command(folder: Path, count: int, who: int) -> Callable[[], None]:
    """Return the making of the share as a run makes it; what is trained and measured is that of one cell."""
    import torch

    from derivations.sweeps import making, workers
    from derivations.sweeps.leaving import Orders
    from sim.train import train

    torch.set_num_threads(1)
    sweep, code = loads_sweep(_SWEEP.format(seeds=list(range(count)))), cells.code_version()
    trained = train(sweep.cell((0,)).problem, "cpu")
    measured = making.measure(OBSERVABLES["loss"](), trained, "cpu")
    making.train = lambda *_, **__: trained
    making.measure = lambda *_: measured
    orders, shared = Orders(), Shared()

    def fill() -> None:
        for index in range(who, count, WORKERS):
            asked = cells.question(sweep.cell((index,), shared).problem, sweep.observables, shared)
            job = workers.Job(asked.cell(code), asked, code)
            what = workers._make(job, str(folder), "cpu", lambda *_: None, orders)
            if what[0] != MADE:
                raise RuntimeError(f"a cell was not made: {what}")

    return fill


def _busy(folder: Path, count: int, who: int) -> None:
    """Make all cells that are missing, each after some work."""

    def compute() -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        end = time.process_time() + WORK
        while time.process_time() < end:
            pass
        return _made()

    store = Store.open(folder)
    half = who * count // 2
    waiting = deque([*range(half, count), *range(half)])  # two commands that share a store begin at different cells
    while waiting:
        asked = _question(waiting[0])
        if store.make(asked.cell(_CODE), asked, _CODE, compute) == BUSY:
            waiting.rotate(-1)
            time.sleep(_PAUSE)
        else:
            waiting.popleft()


def _at_once(fill: Callable[[Path, int, int], None]) -> _Way:
    """Return a way that has nothing to prepare."""
    return lambda folder, count, who: partial(fill, folder, count, who)


_WAYS = (("command", _command), ("store", _at_once(_store)), ("files alone", _at_once(_files)))


def _spent(way: _Way, folder: Path, workers: int, count: int) -> tuple[float, float]:
    """Wall and processor time of workers that fill a new store together, from the moment that all are ready."""
    Store.create(folder)
    context = multiprocessing.get_context("fork")
    together, seconds = context.Barrier(workers + 1), context.Array("d", workers)
    crew = [context.Process(target=_work, args=(together, seconds, way, folder, count, who)) for who in range(workers)]
    for process in crew:
        process.start()
    try:
        together.wait()
        clock = time.perf_counter()
        together.wait()
        wall = time.perf_counter() - clock
    except BrokenBarrierError:
        raise RuntimeError("a worker failed; its last words are on stderr") from None
    finally:
        for process in crew:
            process.join()
    return wall, sum(seconds)


def _work(
    together: Barrier,
    seconds: Any,
    way: _Way,
    folder: Path,
    count: int,
    who: int,
) -> None:
    try:
        fill = way(folder, count, who)
        together.wait()
        clock = time.process_time()
        fill()
        seconds[who] = time.process_time() - clock
        together.wait()
    except Exception:
        together.abort()
        raise


def _listing(folder: Path, count: int) -> float:
    """Seconds to list the names of the cells of a large store; median of some looks."""
    store = Store.create(folder)
    for index in range(count):
        store.place(f"{index:064x}").mkdir()
    seconds = []
    for _ in range(ROUNDS):
        clock = time.perf_counter()
        if len(store.names()) != count:
            raise RuntimeError("the list of the cells is not whole")
        seconds.append(time.perf_counter() - clock)
    return median(seconds)


def _large(folder: Path, count: int) -> dict[str, Any]:
    """Processor time to plan a sweep and to look at it when every other cell is there; those that are read are real."""
    sweep = loads_sweep(_SWEEP.format(seeds=list(range(count))))
    store, code = Store.create(folder), cells.code_version()
    clock = time.process_time()
    plan = plans.planned(sweep, code)
    plans.keep(store, sweep, plan)
    planned = time.process_time() - clock
    there = sorted(plan.ids[::2])
    for name in there[plans.LARGE :]:
        store.place(name).mkdir()
    for name in there[: plans.LARGE]:
        cell = sweep.cell(sweep.index(plan.position[name]))
        asked = cells.question(cell.problem, sweep.observables)
        store.make(name, asked, code, _made)
    watcher, seconds = Watcher(sweep, folder, code), []
    for _ in range(2):
        clock = time.process_time()
        answer = LookAnswer(watcher.look(), folder, "status")
        answer.text()
        seconds.append(time.process_time() - clock)
    return {
        "cells": count,
        "read": answer.found.read,
        "planned": planned,
        "first look": seconds[0],
        "next look": seconds[1],
    }


def _small(folder: Path, others: int) -> dict[str, Any]:
    """Seconds of a status of two cells in a store with many cells of others, which all have a meta.json of full length.

    "one missing" is the first look of a process, which asks some of the other cells for their version.
    """
    store, sweep = Store.create(folder), loads_sweep(_SWEEP.format(seeds=[1, 2]))
    other = _question(0)
    store.make(other.cell(_CODE), other, _CODE, _made)
    content = (store.place(other.cell(_CODE)) / cells.META).read_bytes()
    for index in range(1, others):
        place = store.place(_question(index).cell(_CODE))
        place.mkdir()
        (place / cells.META).write_bytes(content)
    found = {}
    for words, cell in ((_ONE, sweep.cells[0]), (_BOTH, sweep.cells[1])):
        asked, code = cells.question(cell.problem, sweep.observables), cells.code_version()
        store.make(asked.cell(code), asked, code, _made)
        clocks = time.perf_counter(), time.process_time()
        answers.answer(sweep, folder, "status", "cpu").text()
        found[words] = {"wall": time.perf_counter() - clocks[0], "processor": time.process_time() - clocks[1]}
    return {"others": others, **found}
