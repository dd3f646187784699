"""Files of a run: arrays in an .npz without pickled objects, and a digest of what was trained.

The digest covers the members, sizes, initial weights, the settings, the examples and those of the validation, so that a
file is not taken for one of another run.
"""

import hashlib
import os
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

from sim.deep.batches import ExampleSet
from sim.deep.family import Family, Parameters
from sim.deep.settings import Settings
from sim.deep.stopping import Validation
from theory.problem import InputError
from theory.problem.table_files import stored_arrays

Arrays = dict[str, np.ndarray]


def digest_of(family: Family, settings: Settings, data: ExampleSet, validation: Validation | None) -> str:
    """Return the SHA-256 of what determines the run; `data` and `validation` are in the type of training.

    The device is not part of it: a run goes on from its files on any device, bit for bit on the one that wrote them.
    """
    settings = replace(settings, device="cpu")
    members = [(each.name, repr(each.network), each.values_learn) for each in family.members]
    said = (members, family.replicates, family.layers, family.outputs, repr(family.start), repr(settings))
    digest = hashlib.sha256(repr(said).encode())
    stored = [theta for each in family.members for theta in each.features or ()]
    if validation is not None:
        digest.update(repr((validation.measure, validation.every, validation.patience)).encode())
        stored += [validation.data.x, validation.data.y]
    for tensor in (data.x, data.y, *stored):
        digest.update(repr((str(tensor.dtype), tuple(tensor.shape))).encode())
        digest.update(tensor.cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()


def write_arrays(path: Path, digest: str, arrays: Mapping[str, np.ndarray]) -> None:
    """Write arrays beside the digest of their run. An interruption leaves the older file.

    Raises InputError where the place is a folder, or its folder is missing or cannot be written.
    """
    if path.is_dir():
        raise InputError(f"{path} is a folder.", "Name a file in it.", "file")
    try:
        handle, aside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}.", "Name a file in a folder of yours.") from error
    try:
        with os.fdopen(handle, "wb") as file:  # a name would get an ending
            np.savez(file, digest=np.array(digest), **arrays)
        Path(aside).replace(path)
    except BaseException:
        Path(aside).unlink(missing_ok=True)
        raise


def read_arrays(path: Path, digest: str, what: str, hint: str, every: bool = True) -> Arrays:
    """Return the arrays of a file, none where not `every` one is wanted and only its run is checked.

    Raises InputError for a file without arrays, or one of another run.
    """
    try:
        arrays = stored_arrays(path, () if every else ("digest",))
        own = str(arrays.pop("digest"))
    except (OSError, ValueError, KeyError) as error:
        raise InputError(f"{path} holds no {what} of a run: {error}.", hint) from error
    if own != digest:
        raise InputError(
            f"{path} is the {what} of another run: its members, sizes, initial weights, settings or examples differ.",
            "Continue it with those of the run that wrote it, or choose another place.",
        )
    return arrays


class StageFiles(Mapping[int, Parameters]):
    """The parameters at the recorded steps of a run, one file each in a folder, read when they are asked for.

    The folder is made where it is missing. Stages that are already there are part of the mapping, so that a resumed run
    has those of its first part. Raises InputError where the folder has stages of another run; nothing is changed then.
    """

    def __init__(self, folder: Path, digest: str) -> None:
        self.folder, self.digest = Path(folder), digest
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{folder} cannot be a folder of stages: {error.strerror}.", "Name another.") from error
        for path in self._paths():
            read_arrays(path, digest, _STAGE, _HINT, every=False)

    def write(self, step: int, parameters: Parameters) -> None:
        """Record the parameters at a step, which lie in the memory of the processor."""
        write_arrays(self._path(step), self.digest, {name: tensor.numpy() for name, tensor in parameters.items()})

    def __getitem__(self, step: int) -> Parameters:
        """Return the parameters of a recorded step. Raises KeyError for another step."""
        if not self._path(step).exists():
            raise KeyError(step)
        arrays = read_arrays(self._path(step), self.digest, _STAGE, _HINT)
        return {name: torch.from_numpy(array) for name, array in arrays.items()}

    def __iter__(self) -> Iterator[int]:
        """Iterate over the recorded steps in their order."""
        return iter(sorted(int(path.stem.removeprefix(_PREFIX)) for path in self._paths()))

    def __len__(self) -> int:
        """Return the number of recorded steps."""
        return len(self._paths())

    def _paths(self) -> list[Path]:
        return [path for path in self.folder.glob(f"{_PREFIX}*.npz") if path.stem.removeprefix(_PREFIX).isdecimal()]

    def _path(self, step: int) -> Path:
        return self.folder / f"{_PREFIX}{step}.npz"


_PREFIX = "stage-"
_STAGE, _HINT = "stage", "Give a folder whose stages train_family wrote, or an empty one."
