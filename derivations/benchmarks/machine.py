"""The machine of a measurement: processor, threads and versions; no names of hosts or users."""

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = ("numpy", "scipy", "sympy", "mpmath", "python-flint", "torch", "numba", "jax")


def machine() -> dict[str, str | int]:
    """Processor, number of cores, OMP threads, Python and the packages that are installed."""
    found: dict[str, str | int] = {
        "processor": _processor(),
        "cores": os.cpu_count() or 1,
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
