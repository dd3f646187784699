"""Files from which a run continues bit for bit: the state between two steps, and the recorded stages.

They are arrays in an .npz without pickled objects, beside a digest of the members, sizes, initial weights, settings,
examples and validation, so that a file is not taken for one of another run.
"""

import hashlib
import os
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

from sim.deep.batches import ExampleSet
from sim.deep.family import Family
from sim.deep.settings import Settings
from sim.deep.stopping import Best, Validation
from sim.deep.train import FamilyRun, FamilyState
from theory.problem import InputError
from theory.problem.table_files import stored_arrays

_PARTS = ("parameters", "first", "second")
_STAGE = "stage"
_FORM = 2  # of the names of the parameters
_HINT = "Give a file written by save_checkpoint."


def save_checkpoint(run: FamilyRun, path: Path) -> None:
    """Write the state of a run and its recorded stages. An interruption leaves the older file."""
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
    for step, parameters in run.stages.items():
        for name, tensor in parameters.items():
            arrays[f"{_STAGE} {step}.{name}"] = tensor.numpy()
    digest = _digest_of(run.family, run.settings, run.data, run.validation)
    handle, aside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:  # a name would get an ending
            np.savez(file, digest=np.array(digest), **arrays)
        Path(aside).replace(path)
    except BaseException:
        Path(aside).unlink(missing_ok=True)
        raise


def load_run(
    path: Path, family: Family, data: ExampleSet, settings: Settings, validation: Validation | None = None
) -> FamilyRun:
    """Return the run whose state, and stages, `save_checkpoint` wrote.

    Raises InputError for a file that holds no state, or that of another run.
    """
    data = data.to(settings.dtype)
    if validation is not None:
        validation = validation.checked(family, settings.loss, settings.dtype)
    try:
        arrays = stored_arrays(path)
        own = str(arrays.pop("digest"))
    except (OSError, ValueError, KeyError) as error:
        raise InputError(f"{path} holds no state of a run: {error}.", _HINT) from error
    if own != _digest_of(family, settings, data, validation):
        raise InputError(
            f"{path} is the state of another run: its members, sizes, initial weights, settings or examples differ.",
            "Continue it with those of the run that wrote it, or choose another place.",
        )
    stopped, values, steps = (torch.from_numpy(arrays.pop(name)) for name in ("stopped", "best", "best_steps"))
    step, parts = int(arrays.pop("step")), {part: _part(arrays, part) for part in _PARTS}
    recorded = {name.partition(".")[0] for name in arrays if name.startswith(f"{_STAGE} ")}
    stages = {int(stage.removeprefix(f"{_STAGE} ")): _part(arrays, stage) or {} for stage in recorded}
    first, second = parts["first"], parts["second"]
    state = FamilyState(step, parts["parameters"] or {}, first, second, stopped, Best(values, steps))
    return FamilyRun(family, settings, data, state, dict(sorted(stages.items())), validation)


def _digest_of(family: Family, settings: Settings, data: ExampleSet, validation: Validation | None) -> str:
    """Return the SHA-256 of what determines the run; `data` and `validation` are in the type of training.

    The device is not part of it: a run goes on from its files on any device, bit for bit on the one that wrote them.
    """
    settings = replace(settings, device="cpu")
    members = [(each.name, repr(each.network), each.values_learn) for each in family.members]
    said = (_FORM, members, family.replicates, family.layers, family.outputs, repr(family.start), repr(settings))
    digest = hashlib.sha256(repr(said).encode())
    stored = [theta for each in family.members for theta in each.features or ()]
    if validation is not None:
        digest.update(repr((validation.measure, validation.every, validation.patience)).encode())
        stored += [validation.data.x, validation.data.y]
    for tensor in (data.x, data.y, *stored):
        digest.update(repr((str(tensor.dtype), tuple(tensor.shape))).encode())
        digest.update(tensor.cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()


def _part(arrays: Mapping[str, np.ndarray], part: str) -> dict[str, torch.Tensor] | None:
    found = {
        name.removeprefix(f"{part}."): torch.from_numpy(array)
        for name, array in arrays.items()
        if name.startswith(f"{part}.")
    }
    return found or None
