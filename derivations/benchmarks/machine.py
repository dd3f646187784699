"""The machine of a measurement, one thread for it, and contenders timed in turn.

The contenders of a row run in interleaved rounds in one process, so that other work on the machine slows all alike, and
each is called once before, which loads and compiles. Only ratios within one row compare.
"""

import os
import platform
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from theory.problem import InputError

PACKAGES = ("numpy", "scipy", "sympy", "mpmath", "python-flint", "torch", "numba", "jax", "jaxlib", "neural-tangents")
ROUNDS = 5
UNIT = "seconds of processor time, one thread, medians of interleaved rounds"


def row(
    name: str, contenders: Mapping[str, Callable[[], Any]], rounds: int = ROUNDS, *, per: float = 1, same: bool = True
) -> dict[str, Any]:
    """Return the seconds of each contender divided by `per`, and their ratios to those of the first.

    With `same` the results are arrays, and `apart` has the largest distance of each from the first, relative to its
    largest entry.

    >>> found = row("sums", {"sum": lambda: np.ones(9).sum(), "loop": lambda: sum([1.0] * 9)}, rounds=1)
    >>> found["name"], found["apart"]
    ('sums', {'loop': 0.0})
    """
    results = {key: run() for key, run in contenders.items()}
    times: dict[str, list[float]] = {key: [] for key in contenders}
    for _ in range(rounds):
        for key, run in contenders.items():
            begin = time.process_time()
            run()
            times[key].append((time.process_time() - begin) / per)
    first, *others = contenders
    ratio = {key: median(b / a for a, b in zip(times[first], times[key], strict=True)) for key in others}
    found = {"name": name, "seconds": {key: median(values) for key, values in times.items()}, "ratio": ratio}
    if same:
        expected = np.asarray(results[first], dtype=float)
        size = np.abs(expected).max()
        distance = {key: np.abs(np.asarray(results[key], dtype=float) - expected).max() / size for key in others}
        found["apart"] = {key: float(value) for key, value in distance.items()}
    return found


def text(measured: Mapping[str, Any]) -> str:
    """Return a table of the rows for a reader."""
    lines = [measured["what"], measured["unit"]]
    for found in measured["rows"]:
        lines.append(found["name"])
        for key, seconds in found["seconds"].items():
            beside = f"   {found['ratio'][key]:.1f} x" if key in found["ratio"] else ""
            apart = f", apart {found['apart'][key]:.0e}" if key in found.get("apart", {}) else ""
            lines.append(f"  {key:<44} {seconds:>9.3g} s{beside}{apart}")
    return "\n".join(lines)


def machine() -> dict[str, str | int | float]:
    """Return processor, number of cores, load, OMP threads, Python and the packages that are installed.

    The load is the mean number of processes that ran or waited for a core in the last minute, this one included.
    """
    found: dict[str, str | int | float] = {
        "processor": _processor(),
        "cores": os.cpu_count() or 1,
        "load": round(os.getloadavg()[0], 1),
        "omp_threads": os.environ.get("OMP_NUM_THREADS", "not set"),
        "python": platform.python_version(),
    }
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


@contextmanager
def one_thread(command: str) -> Iterator[None]:
    """Use one thread of torch and BLAS, and where the system allows it one processor for everything.

    Raises InputError where BLAS was loaded with several threads: their waiting would be counted as work.
    """
    import torch

    if os.environ.get("OMP_NUM_THREADS") != "1":
        raise InputError(
            "OMP_NUM_THREADS is not 1: BLAS has several threads, and CPU time would count their waiting.",
            f"Run OMP_NUM_THREADS=1 {command}.",
        )
    threads = torch.get_num_threads()
    allowed = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else None
    torch.set_num_threads(1)
    if allowed:
        os.sched_setaffinity(0, {max(allowed)})
    try:
        yield
    finally:
        torch.set_num_threads(threads)
        if allowed:
            os.sched_setaffinity(0, allowed)


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
