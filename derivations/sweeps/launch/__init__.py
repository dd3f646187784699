"""Where the workers of a sweep run: one file for each engine.

The store is the queue: any scheduler can run `gdln sweep --worker STORE`, and an engine only starts such workers.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from derivations.sweeps.launch.resources import Resources
from derivations.sweeps.looking import Look
from derivations.sweeps.plans import Report
from derivations.sweeps.running import Swept
from theory.problem import InputError, Sweep

ENGINES = ("local", "slurm")


@dataclass(frozen=True)
class Request:
    """A sweep to run in the store `folder`, on `device`, by `workers` processes, of each job where there are jobs.

    With `waits` the engine returns when the work is over; the local one always does. `verify` is that of `sizes`.
    """

    sweep: Sweep
    folder: Path
    device: str
    workers: int
    report: Report
    resources: Resources
    waits: bool = False
    verify: bool = False


# Starts the workers of a request; returns the state of the sweep, with what it started in the remarks.
Engine = Callable[[Request], Swept | Look]


def engine_named(name: str) -> Engine:
    """Return the function that starts the workers of a sweep. Raises InputError for another engine.

    >>> engine_named("pbs")
    Traceback (most recent call last):
        ...
    theory.problem.errors.InputError: --engine pbs is not known. Choose one of: local, slurm. Under another scheduler \
record the sweep by gdln sweep SWEEP.toml --record, and let its jobs run gdln sweep --worker STORE.
    """
    if name not in ENGINES:
        raise InputError(
            f"--engine {name[:40]} is not known.",
            f"Choose one of: {', '.join(ENGINES)}. Under another scheduler record the sweep by gdln sweep SWEEP.toml "
            "--record, and let its jobs run gdln sweep --worker STORE.",
            "usage",
        )
    return import_module(f"{__name__}.{name}").start
