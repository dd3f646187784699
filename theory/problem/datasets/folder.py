"""The folder of the data sets on this machine, and the reading of their files: each is checked before it is used."""

import hashlib
import os
from functools import lru_cache
from pathlib import Path

import numpy as np
from jaxtyping import UInt8

from theory.problem.datasets.cifar import read_records
from theory.problem.datasets.idx import read_idx
from theory.problem.datasets.known import DATASETS, DataFile, Dataset
from theory.problem.errors import InputError, OutOfReachError
from theory.problem.user_files import read_bytes

VARIABLE = "GDLN_DATA"


def data_folder() -> Path:
    """Return the folder of the data sets: $GDLN_DATA, or gdln in the user's data folder (XDG_DATA_HOME).

    Raises InputError for a relative path: a set would be elsewhere in each working directory. So for a ~name of nobody.

    >>> data_folder().is_absolute()
    True
    """
    given = os.environ.get(VARIABLE)
    try:
        folder = Path(given).expanduser() if given else _of_user() / "gdln"
    except RuntimeError:  # ~name of nobody
        raise InputError(
            f"{VARIABLE} = {given}: there is no such user.", "Write the whole path of the folder."
        ) from None
    if not folder.is_absolute():
        raise InputError(f"{VARIABLE} = {given} is not an absolute path.", "Write the whole path of the folder.")
    return folder


def _of_user() -> Path:
    """The user's data folder by the convention of XDG, which asks to ignore a relative path."""
    given = Path(os.environ.get("XDG_DATA_HOME", ""))
    return given if given.is_absolute() else Path.home() / ".local" / "share"


def place_of(dataset: Dataset, file: DataFile) -> Path:
    """Return the path of a file of a data set.

    >>> place_of(DATASETS["photographs"], DATASETS["photographs"].file("camera")).parts[-2:]
    ('photographs', 'camera')
    """
    return data_folder() / dataset.name / file.name


def checked_content(dataset: Dataset, file: DataFile) -> bytes:
    """Return the bytes of a file whose size and SHA-256 are those of the table.

    Raises OutOfReachError, with the command that gets the set, for a file that is missing, cannot be read or has
    another content.
    """
    path = place_of(dataset, file)
    remedy = f"Run `{dataset.command}`"
    try:
        content = read_bytes(path, file.size, f"{remedy}.")
    except (FileNotFoundError, NotADirectoryError):
        raise OutOfReachError(
            f"The data set {dataset.name} is not on this machine: there is no {path}.",
            f"{remedy}, or set {VARIABLE} to the folder that has it.",
            "data",
        ) from None
    except OSError as error:
        raise OutOfReachError(f"{path} cannot be read: {error.strerror}.", f"{remedy}.", "data") from None
    except InputError as error:
        raise OutOfReachError(error.message, f"{remedy}.", "data") from None
    if (digest := hashlib.sha256(content).hexdigest()) != file.sha256:
        raise OutOfReachError(
            f"{path} is damaged or another file: its SHA-256 is {digest}, not {file.sha256}.",
            f"{remedy}, which replaces it.",
            "data",
        )
    return content


def read_file(name: str, file: str) -> UInt8[np.ndarray, "*shape"]:
    """Return the array in a file of the data set `name`, read-only; successive calls share it while it is unchanged.

    Raises OutOfReachError as `checked_content` does, KeyError for a name that is not in the table.

    >>> read_file("photographs", "moon")
    Traceback (most recent call last):
    ...
    KeyError: 'moon'
    """
    dataset = DATASETS[name]
    entry = dataset.file(file)
    try:
        status = place_of(dataset, entry).stat()
    except OSError:
        checked_content(dataset, entry)  # raises with the reason
        raise
    return _read(dataset, entry, (status.st_ino, status.st_size, status.st_mtime_ns))


@lru_cache(maxsize=16)
def _read(dataset: Dataset, file: DataFile, state: tuple[int, int, int]) -> UInt8[np.ndarray, "*shape"]:
    """Return the array in a file; `state` identifies its content, so that a changed file is read again."""
    del state
    content, where = checked_content(dataset, file), str(place_of(dataset, file))
    return read_records(content, where, file.label_bytes) if file.label_bytes else read_idx(content, where)
