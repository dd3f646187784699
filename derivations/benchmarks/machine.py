"""The machine of a measurement (processor, threads, versions; no names of hosts or users), and one thread for it."""

import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from theory.problem import InputError

PACKAGES = ("numpy", "scipy", "sympy", "mpmath", "python-flint", "torch", "numba", "jax", "jaxlib", "neural-tangents")


def machine() -> dict[str, str | int | float]:
    """Processor, number of cores, load, OMP threads, Python and the packages that are installed.

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
    """One thread of torch and BLAS, and where the system allows it one processor for everything.

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
