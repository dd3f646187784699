"""Files from which a run continues bit for bit: the state between two steps, and a digest of what was trained.

Such a file is an .npz of arrays, without pickled objects. The digest covers the members, sizes, initial weights, the
settings, the examples and those of the validation, so that a file is not continued as another run.
"""

import hashlib
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
import torch

from sim.deep.batches import ExampleSet
from sim.deep.family import Family
from sim.deep.stopping import Best, Validation
from sim.deep.train import FamilyRun, FamilyState, Settings
from theory.problem import InputError

_PARTS = ("parameters", "first", "second")
_HINT = "Give a file written by save_checkpoint."


def save_checkpoint(run: FamilyRun, path: Path) -> None:
    """Write the state of a run; its recorded stages are not part of it. An interruption leaves the older file."""
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
    digest = np.array(_digest(run.family, run.settings, run.data, run.validation))
    handle, aside = tempfile.mkstemp(dir=Path(path).parent, prefix=f".{Path(path).name}.")
    try:
        with os.fdopen(handle, "wb") as file:  # a name would get an ending
            np.savez(file, digest=digest, **arrays)
        Path(aside).replace(path)
    except BaseException:
        Path(aside).unlink(missing_ok=True)
        raise


def load_checkpoint(
    path: Path, family: Family, data: ExampleSet, settings: Settings, validation: Validation | None = None
) -> FamilyState:
    """Return the state that `save_checkpoint` wrote for a run of this family, data, settings and validation.

    Raises InputError for a file that holds no state, or that of another run.
    """
    try:
        with Path(path).open("rb") as opened, np.load(opened, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        digest, step = str(arrays.pop("digest")), int(arrays.pop("step"))
        stopped, values, steps = (torch.from_numpy(arrays.pop(name)) for name in ("stopped", "best", "best_steps"))
        parts = {part: _part(arrays, part) for part in _PARTS}
    except (OSError, ValueError, KeyError, TypeError, EOFError, BadZipFile) as error:
        raise InputError(f"{path} holds no state of a run: {error}", _HINT) from error
    if validation is not None:
        validation = validation.checked(family, settings.loss, settings.dtype)
    if digest != _digest(family, settings, data.to(settings.dtype), validation):
        raise InputError(
            f"{path} is the state of another run: its members, sizes, initial weights, settings or examples differ.",
            "Continue it with those of the run that wrote it.",
        )
    return FamilyState(step, parts["parameters"] or {}, parts["first"], parts["second"], stopped, Best(values, steps))


def _part(arrays: Mapping[str, np.ndarray], part: str) -> dict[str, torch.Tensor] | None:
    found = {
        name.removeprefix(f"{part}."): torch.from_numpy(array)
        for name, array in arrays.items()
        if name.startswith(f"{part}.")
    }
    return found or None


def _digest(family: Family, settings: Settings, data: ExampleSet, validation: Validation | None) -> str:
    """Return the SHA-256 of what determines the run."""
    members = [(each.name, repr(each.network), each.values_learn) for each in family.members]
    said = (members, family.replicates, family.layers, family.outputs, repr(family.start), repr(settings))
    digest = hashlib.sha256(repr(said).encode())
    stored = [theta for each in family.members for theta in each.features or ()]
    if validation is not None:
        digest.update(repr((validation.measure, validation.every, validation.patience)).encode())
        stored += [validation.data.x, validation.data.y]
    for tensor in (data.x, data.y, *stored):
        digest.update(repr((str(tensor.dtype), tuple(tensor.shape))).encode())
        digest.update(tensor.contiguous().numpy().tobytes())
    return digest.hexdigest()
