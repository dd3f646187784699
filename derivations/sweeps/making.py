"""Making one cell: train its networks, measure the observables, and report the outcome."""

import platform
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import numpy as np

from derivations.output import DISTRIBUTION
from derivations.sweeps.installed import version_of, versions_of
from sim.measure import measure
from sim.train import train
from sim.training.pieces import Pauses
from sim.training.run import DivergedError
from theory.problem import OBSERVABLES, InputError, Problem


def make(
    problem: Problem,
    observables: tuple[str, ...],
    device: str,
    progress: Callable[[int, int], None] | None = None,
    pauses: Pauses | None = None,
) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """The arrays and the facts of a cell.

    Arrays: "times" (T), "replicates" (S), "diverged" (S), and each observable (S, ...) in float64, NaN for the
    replicates that diverged. Facts: "state" is "diverged" where fewer than two replicates are left, which then have
    no observables; "undefined" says which observables the networks do not have, and why; "resumed" is the step at which
    the training continued with `pauses.begun`, whose seconds count, or None.
    Raises what sim.train.train and sim.measure.measure raise.
    """
    started, begun = datetime.now(UTC), None if pauses is None else pauses.begun
    clock = time.perf_counter()  # the clock of the machine may be set meanwhile
    trained = train(problem, device, progress=progress, pauses=pauses)
    arrays = {
        "times": np.asarray(trained.times, dtype=float),
        "replicates": np.asarray(trained.replicates, dtype=np.int64),
        "diverged": np.asarray(trained.diverged, dtype=bool),
    }
    state, undefined = "complete", {}
    for name in observables:
        try:
            values = measure(OBSERVABLES[name](), trained, device).values
        except DivergedError:
            state = "diverged"
            break
        except InputError as error:
            if error.kind != "undefined":
                raise
            undefined[name] = error.message
            continue
        whole = np.full((len(trained.diverged), *values.shape[1:]), np.nan)
        whole[~trained.diverged] = values
        arrays[name] = whole
    finished, seconds = datetime.now(UTC), time.perf_counter() - clock
    facts = {
        "state": state,
        "replicates": len(trained.replicates),
        "diverged": int(trained.diverged.sum()),
        "undefined": undefined,
        "versions": _versions(trained.backend),
        "device": trained.device,
        "backend": trained.backend,
        "dtype": trained.dtype,
        "fallback": trained.fallback,
        "steps": int(trained.steps),
        "resumed": None if begun is None else begun.state.step,
        "wall_seconds": round(seconds + (0.0 if begun is None else begun.seconds), 3),
        "started": started.isoformat(timespec="seconds"),
        "finished": finished.isoformat(timespec="seconds"),
    }
    return arrays, facts


def _versions(backend: str) -> dict[str, str]:
    common = {name: version_of(name) for name in (DISTRIBUTION, "numpy")}
    return {"python": platform.python_version(), **common, **versions_of(backend)}
