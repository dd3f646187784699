"""The number of threads of a command: processes times threads stay within the cores, and waiting threads sleep.

Libraries read these settings when they are loaded, so that this module loads none of them; `one_each` sets them later.
A small network gains nothing from a second thread: its matrices fit one core's cache, and threads that wait for each
other cost more. Several networks gain from threads of their own.
"""

import os
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager
from pathlib import Path

COUNTS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMBA_NUM_THREADS",
)
# The number of networks that `simulate` trains and measures at once, each with one thread of the libraries.
SIDE_BY_SIDE = "GDLN_THREADS"
# A thread that has nothing to do leaves its core to others instead of spinning on it.
SLEEPING = {"OMP_WAIT_POLICY": "PASSIVE", "KMP_BLOCKTIME": "0", "GOMP_SPINCOUNT": "0"}
_QUOTA = Path("/sys/fs/cgroup/cpu.max")  # "200000 100000" is two cores, "max 100000" all of them


def cores() -> int:
    """The cores that this process may use: its affinity, and the quota of its container."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        quota, period = _QUOTA.read_text(encoding="ascii").split()
        return max(1, min(allowed, int(quota) // int(period)))
    except (OSError, ValueError):  # no such file, or "max": no quota
        return allowed


# One large factorisation at a time gains from all cores; the explorer leaves cores to the browser, which draws.
OF_VERB: dict[str, Callable[[int], int]] = {"solve": lambda count: count, "explore": lambda count: max(1, count // 2)}


def threads_of(arguments: Sequence[str], count: int) -> int:
    """Return the number of threads for the command that the arguments name on `count` cores.

    >>> threads_of(["simulate", "problem.toml"], 8), threads_of(["--json", "solve", "problem.toml"], 8)
    (1, 8)
    """
    verb = next((word for word in arguments if not word.startswith("-")), "")
    return OF_VERB.get(verb, lambda _: 1)(count)


def limit(arguments: Sequence[str], environment: MutableMapping[str, str] = os.environ) -> None:
    """Set the threads of the libraries that the command will load; settings that exist stay.

    A number that the user gives in OMP_NUM_THREADS is taken for all libraries, and for `side_by_side`.
    """
    given = environment.get("OMP_NUM_THREADS")
    # OpenMP also takes a list, of a number for each level of nesting: whoever writes one gets one thread here.
    environment[SIDE_BY_SIDE] = str(cores()) if given is None else given if given.isdecimal() else "1"
    wanted = environment.get("OMP_NUM_THREADS", str(threads_of(arguments, cores())))
    for name, value in {**dict.fromkeys(COUNTS, wanted), **SLEEPING}.items():
        environment.setdefault(name, value)


def side_by_side(environment: Mapping[str, str] = os.environ) -> int:
    """The number of threads that may train networks side by side: 1 where `limit` has not decided.

    >>> side_by_side({}), side_by_side({"GDLN_THREADS": "2"})
    (1, 2)
    """
    return max(1, int(environment.get(SIDE_BY_SIDE, "1")))


@contextmanager
def one_each() -> Iterator[int]:
    """Give the loaded libraries one thread each within the block, and yield the number for `side_by_side`.

    It is for programs that have loaded libraries before `limit`: two threads of BLAS that wait for each other on a busy
    machine take ten times the processor time. A number that the user gives in OMP_NUM_THREADS stays.
    """
    import scipy.linalg  # noqa: F401 - it has a BLAS of its own, which has to be loaded for its limit
    import torch
    from threadpoolctl import threadpool_limits

    environment = dict(os.environ)
    limit(["simulate"], environment)
    if "OMP_NUM_THREADS" in os.environ:
        yield side_by_side(environment)
        return
    before = torch.get_num_threads()
    torch.set_num_threads(1)  # also of threads that begin in the block, which `threadpool_limits` does not reach
    try:
        with threadpool_limits(1):
            yield side_by_side(environment)
    finally:
        torch.set_num_threads(before)
