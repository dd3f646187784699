"""The numbers of one cell of a sweep: train its networks and measure the observables."""

from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import numpy as np

from derivations.output import DISTRIBUTION
from sim.measure import measure
from sim.train import train
from sim.training.backends.names import versions
from sim.training.pieces import Pauses
from sim.training.run import DivergedError
from theory.problem import OBSERVABLES, InputError, Problem
from theory.problem.maps import names_along


def make(
    problem: Problem,
    observables: tuple[str, ...],
    device: str,
    progress: Callable[[int, int], None] | None = None,
    pauses: Pauses | None = None,
) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Return the arrays and the facts of a cell.

    Arrays: "times" (T), "replicates" (S), "diverged" (S), and each observable (S, ...) in float64, NaN for the
    replicates that diverged. Facts: "state" is "diverged" where fewer than two replicates are left, which then have
    no observables; "undefined" says which observables the networks do not have, and why; "names" has the places of
    weights, paths and modes by name. None of them depends on when, where or how often the training was interrupted.
    Raises what sim.train.train and sim.measure.measure raise.
    """
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
    axes = {axis for name in observables for axis in OBSERVABLES[name].axes}
    facts = {
        "state": state,
        "replicates": len(trained.replicates),
        "diverged": int(trained.diverged.sum()),
        "undefined": undefined,
        "names": {axis: names for axis in axes if (names := names_along(axis, problem)) is not None},
        "versions": {DISTRIBUTION: version(DISTRIBUTION), **versions(trained.backend)},
        "device": trained.device.partition(":")[0],
        "backend": trained.backend,
        "dtype": trained.dtype,
        "fallback": trained.fallback,
        "steps": int(trained.steps),
    }
    return arrays, facts
