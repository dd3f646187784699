"""Where cells are computed: one file for each engine, with a class that `computing.Engine` describes."""

from importlib import import_module

from derivations.sweeps.computing import Engine
from derivations.sweeps.engines.resources import Resources
from theory.problem import InputError

MOST_WORKERS = 256  # each is a process of its own
ENGINES = ("local", "slurm", "dask")


def engine_named(name: str, workers: int, resources: Resources, scheduler: str | None = None) -> Engine:
    """Return an engine of `workers` processes, of each job where there are jobs.

    Raises InputError for another name, and for options that belong to another engine.

    >>> engine_named("pbs", 1, Resources())
    Traceback (most recent call last):
        ...
    theory.problem.errors.InputError: --engine pbs is not known. Choose one of: local, slurm, dask. ...
    """
    if name not in ENGINES:
        raise InputError(
            f"--engine {name[:40]} is not known.",
            f"Choose one of: {', '.join(ENGINES)}. Under another scheduler start Dask on it (dask-jobqueue knows PBS "
            "and LSF, dask-kubernetes Kubernetes), or let its jobs run gdln sweep --worker STORE.",
            "usage",
        )
    foreign = [] if name == "slurm" else resources.options
    foreign += [] if name == "dask" or scheduler is None else ["--scheduler"]
    if foreign:
        raise InputError(f"{', '.join(foreign)}: the engine {name} has no such option.", "Leave it out.", "usage")
    extra = {"slurm": {"resources": resources}, "dask": {"scheduler": scheduler}}.get(name, {})
    return import_module(f"{__name__}.{name}").ENGINE(workers, **extra)
