"""Files from which a run continues bit for bit: the state between two steps, and the recorded stages where asked."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import torch

from sim.deep.batches import ExampleSet
from sim.deep.family import Family
from sim.deep.files import digest_of, read_arrays, write_arrays
from sim.deep.settings import Settings
from sim.deep.stopping import Best, Validation
from sim.deep.train import FamilyRun, FamilyState
from theory.problem import InputError

_KEYS = {"step", "stopped", "best", "best_steps"}
_PARTS = ("parameters", "first", "second")
_STAGE = "stage"
_HINT = "Give a file written by save_checkpoint."


def save_checkpoint(run: FamilyRun, path: Path, with_stages: bool = False) -> None:
    """Write the state of a run, and its recorded stages if asked. An interruption leaves the older file."""
    state = run.state
    arrays = {
        "step": np.array(state.step),
        "stopped": state.stopped.numpy(),
        "best": state.best.values.numpy(),
        "best_steps": state.best.steps.numpy(),
    }
    for part in _PARTS:
        for name, tensor in (getattr(state, part) or {}).items():
            arrays[f"{part}.{name}"] = tensor.numpy()
    for step, parameters in run.stages.items() if with_stages else ():
        for name, tensor in parameters.items():
            arrays[f"{_STAGE} {step}.{name}"] = tensor.numpy()
    write_arrays(Path(path), digest_of(run.family, run.settings, run.data, run.validation), arrays)


def load_checkpoint(
    path: Path, family: Family, data: ExampleSet, settings: Settings, validation: Validation | None = None
) -> FamilyState:
    """Return the state that `save_checkpoint` wrote for a run of this family, data, settings and validation.

    Raises InputError for a file that holds no state, or that of another run.
    """
    return load_run(path, family, data, settings, validation).state


def load_run(
    path: Path, family: Family, data: ExampleSet, settings: Settings, validation: Validation | None = None
) -> FamilyRun:
    """Return the run whose state, and stages, `save_checkpoint` wrote. Raises InputError as `load_checkpoint` does."""
    data = data.to(settings.dtype)
    if validation is not None:
        validation = validation.checked(family, settings.loss, settings.dtype)
    digest = digest_of(family, settings, data, validation)
    arrays = read_arrays(Path(path), digest, "state", _HINT)
    if not arrays.keys() >= _KEYS:
        raise InputError(f"{path} holds no state of a run: it has the arrays {sorted(arrays)}.", _HINT)
    stopped, values, steps = (torch.from_numpy(arrays.pop(name)) for name in ("stopped", "best", "best_steps"))
    step, parts = int(arrays.pop("step")), {part: _part(arrays, part) for part in _PARTS}
    recorded = {name.partition(".")[0] for name in arrays if name.startswith(f"{_STAGE} ")}
    stages = {int(stage.removeprefix(f"{_STAGE} ")): _part(arrays, stage) or {} for stage in recorded}
    first, second = parts["first"], parts["second"]
    state = FamilyState(step, parts["parameters"] or {}, first, second, stopped, Best(values, steps))
    return FamilyRun(family, settings, data, state, dict(sorted(stages.items())), validation)


def _part(arrays: Mapping[str, np.ndarray], part: str) -> dict[str, torch.Tensor] | None:
    found = {
        name.removeprefix(f"{part}."): torch.from_numpy(array)
        for name, array in arrays.items()
        if name.startswith(f"{part}.")
    }
    return found or None
