"""The machine of a measurement: processor, threads and versions; no names of hosts or users."""

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = ("numpy", "scipy", "sympy", "mpmath", "python-flint", "torch", "numba", "jax", "jaxlib")


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


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
