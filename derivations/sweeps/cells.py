"""One cell of a store: a folder with data.npz and meta.json that is complete or absent, and whose checksums verify it.

It is written under the name of an attempt, synced and renamed (`leases`). Its name is the hash of the problem, the
observables, the seed and the code that answered, which names the back end and its versions too. Its meta.json seals
itself and holds the checksum of data.npz.
"""

import hashlib
import json
import os
import re
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any

import numpy as np

import sim
from derivations.output import DISTRIBUTION
from derivations.seals import SEAL, canonical, digest, is_whole, sealed
from derivations.sweeps import shapes
from derivations.sweeps.installed import versions_of
from derivations.unreadable import is_of_the_disk, why
from sim.training.backends.names import preferred
from theory import problem as problem_room
from theory.problem import Problem, WorkbenchError, dumps
from theory.problem.shared import Shared
from theory.problem.user_files import LARGEST_TEXT, open_regular, read_json

SCHEMA = "gdln.cell/1"
DATA, META = "data.npz", "meta.json"
COMPLETE, DIVERGED = "complete", "diverged"
# In the TOML of a problem: the place of a file or of a folder, and that of code up to the colon before its function.
_SHA256 = r'sha256 = "[0-9a-f]{64}"$'
_PLACE = re.compile(rf'^(?:file|folder) = ".*"\n(?={_SHA256})|^path = ".*(?=:\w+"\n{_SHA256})', re.MULTILINE)
_LARGEST_META = 2 * LARGEST_TEXT  # it holds a problem, whose line ends JSON writes as two characters
_FACTS = {
    "cell": str,
    "code": str,
    "problem": str,
    "observables": list,
    "seed": int,
    "data": dict,
    "state": str,
    "replicates": int,
    "diverged": int,
    "undefined": dict,
    "versions": dict,
    "device": str,
    "steps": int,
    "wall_seconds": float,
    "started": str,
    "finished": str,
}


class DamagedError(WorkbenchError):
    """A folder in the place of a cell is not the cell that its name promises."""

    exit_code = 1
    default_kind = "damaged"


class UnreadableError(WorkbenchError):
    """A cell cannot be read now, which says nothing of its content: the disk or the network failed, or permission."""

    exit_code = 1
    default_kind = "file"


@dataclass(frozen=True)
class Question:
    """The question that a cell answers: the problem as canonical TOML, the observables that are kept, and the seed."""

    problem: str
    observables: tuple[str, ...]
    seed: int

    def cell(self, code: str) -> str:
        """The id of the cell that `code` makes of this question: 64 hexadecimal digits."""
        return digest(canonical({"schema": SCHEMA, "code": code, **self._asked()}))

    @property
    def key(self) -> str:
        """The hash of the question alone, the same for every version of the code."""
        return digest(canonical(self._asked()))

    def _asked(self) -> dict[str, Any]:
        """The fields, without the place of a file of data: its sha256, which follows, says what is in it."""
        return vars(self) | {"problem": _PLACE.sub("", self.problem)}


def question(problem: Problem, observables: tuple[str, ...], shared: Shared | None = None) -> Question:
    """The question that a problem and the observables (in any order) ask; `shared` is that of `dumps`."""
    return Question(dumps(problem, shared), tuple(sorted(observables)), problem.simulated().seed)


def code_version(device: str = "cpu") -> str:
    """Return what a cell's numbers depend on: package version, hash of its sources, back end and the versions of that.

    The back end is the one that `sim.train.train` prefers on the device, "cpu" or "cuda"; where it cannot train a
    problem, the problem alone decides which one does. So equal codes and equal questions have equal numbers.
    """
    name = preferred(device)
    return "+".join([_sources(), name, *(f"{package}-{number}" for package, number in versions_of(name).items())])


@cache
def _sources() -> str:
    """The version of the package and a hash of the sources."""
    found = hashlib.sha256()
    roots = [Path(package.__path__[0]) for package in (sim, problem_room)]
    files = [(file.relative_to(root.parent), file) for root in roots for file in sorted(root.rglob("*.py"))]
    making = Path(__file__).with_name("making.py")
    for name, file in [*files, (making.name, making)]:
        found.update(f"{name}\0".encode() + file.read_bytes() + b"\0")
    return f"{version(DISTRIBUTION)}+{found.hexdigest()[:16]}"


def write(
    folder: Path, cell: str, asked: Question, code: str, arrays: Mapping[str, np.ndarray], facts: Mapping[str, Any]
) -> None:
    """Write the files of a cell into the empty `folder`, bring them to the disk and read them again.

    The caller renames the folder to the cell's place. Raises OSError where the disk is full or the folder is lost,
    DamagedError where the disk gives back other bytes, and UnreadableError where it gives none.
    """
    with open(folder / DATA, "xb") as file:
        _write_arrays(file, arrays)
        _sync(file)
    with open(folder / DATA, "rb") as file:
        checksum = hashlib.file_digest(file, "sha256").hexdigest()
    meta = {
        "schema": SCHEMA,
        "cell": cell,
        "question": asked.key,
        "code": code,
        **vars(asked),
        **facts,
        "data": {"sha256": checksum, "bytes": (folder / DATA).stat().st_size},
    }
    with open(folder / META, "x", encoding="utf-8") as file:
        json.dump(sealed(meta), file, indent=1, allow_nan=False)
        _sync(file)
    with _opened(folder, None, cell):
        pass


def read_meta(folder: Path, problem: Problem | None = None) -> dict[str, Any]:
    """Return the meta.json of a cell, verified with the checksum and the shapes of its data.

    `problem` is what the cell answers; where it is given, the numbers of times, units and sites are verified too.
    Raises DamagedError with what is wrong, and UnreadableError where the disk fails.
    """
    with _opened(folder, problem) as (meta, _):
        return meta


def read(folder: Path, problem: Problem | None = None) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return the cell's verified meta.json and its arrays. Raises what `read_meta` raises."""
    with _opened(folder, problem) as (meta, file):
        try:
            with np.load(file, allow_pickle=False) as archive:
                return meta, {name: archive[name] for name in archive.files}
        except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
            raise _unread(folder, DATA, error, "its arrays") from None


@contextmanager
def _opened(
    folder: Path, problem: Problem | None, cell: str | None = None
) -> Iterator[tuple[dict[str, Any], IO[bytes]]]:
    """The verified meta.json and the open data of a cell: the bytes that were verified are those that are read.

    The cell's id is `cell`, by default the folder's name.
    """
    meta = _verified(folder, folder.name if cell is None else cell)
    try:
        file = open_regular(folder / DATA)
    except (OSError, ValueError) as error:
        raise _unread(folder, DATA, error) from None
    with file:
        try:
            wrong = _fault_of(file, meta, problem)
        except OSError as error:
            raise _unread(folder, DATA, error) from None
        if wrong is not None:
            raise damaged(folder, wrong)
        file.seek(0)
        yield meta, file


def _fault_of(file: IO[bytes], meta: Mapping[str, Any], problem: Problem | None) -> str | None:
    """Return the fault of a cell's data, by their checksum and the shapes of the arrays; None where they have none."""
    size = os.fstat(file.fileno()).st_size
    if size != meta["data"]["bytes"] or hashlib.file_digest(file, "sha256").hexdigest() != meta["data"]["sha256"]:
        return f"the checksum of {DATA} is another"
    file.seek(0)
    return shapes.fault(file, meta, problem)


def facts(folder: Path) -> dict[str, Any]:
    """Return the meta.json of a cell, verified by its seal; of the data only the size is. Raises as `read_meta` "
    "does."""
    meta = _verified(folder, folder.name)
    try:
        size = (folder / DATA).stat().st_size
    except OSError as error:
        raise _unread(folder, DATA, error) from None
    if size != meta["data"]["bytes"]:
        raise damaged(folder, f"the size of {DATA} is another")
    return meta


def claimed(folder: Path) -> tuple[str, str] | None:
    """Return the question and the code that the cell's meta.json names, unverified; None where it names none."""
    try:
        meta = read_json(folder / META, _LARGEST_META)
        question, code = meta["question"], meta["code"]
    except (OSError, ValueError, TypeError, KeyError):
        return None
    return (question, code) if isinstance(question, str) and isinstance(code, str) else None


def _verified(folder: Path, cell: str) -> dict[str, Any]:
    """The meta.json of a cell with its seal, its facts and its name verified."""
    try:
        meta = read_json(folder / META, _LARGEST_META)
    except (OSError, ValueError) as error:
        raise _unread(folder, META, error) from None
    if not isinstance(meta, dict) or meta.get("schema") != SCHEMA:
        raise damaged(folder, f"{META} is not of the form {SCHEMA}")
    if not is_whole(meta):
        raise damaged(folder, f"{META} was changed after it was written")
    del meta[SEAL]
    if wrong := _wrong_facts(meta):
        raise damaged(folder, f"{META} lacks {', '.join(wrong)}")
    asked = Question(meta["problem"], tuple(meta["observables"]), meta["seed"])
    if not meta["cell"] == cell == asked.cell(meta["code"]) or meta.get("question") != asked.key:
        raise damaged(folder, "it answers another question than that of its name")
    return meta


def _wrong_facts(meta: Mapping[str, Any]) -> list[str]:
    """The names of the facts that are missing or of another type, so that whoever reads a cell may trust them."""
    wrong = [name for name, kind in _FACTS.items() if not isinstance(meta.get(name), kind)]
    if wrong:
        return wrong
    texts = {
        "observables": meta["observables"],
        "undefined": meta["undefined"].values(),
        "versions": (*meta["versions"].values(), meta["versions"].get("torch")),
    }
    sound = {name: all(isinstance(text, str) for text in found) for name, found in texts.items()} | {
        "state": meta["state"] in (COMPLETE, DIVERGED),
        "data": isinstance(meta["data"].get("bytes"), int) and isinstance(meta["data"].get("sha256"), str),
        "replicates": 0 <= meta["diverged"] <= meta["replicates"],
    }
    return [name for name, is_sound in sound.items() if not is_sound]


def damaged(folder: Path, fault: str) -> DamagedError:
    """Return the error for a folder that is not a valid cell, with the reason and the remedy."""
    return DamagedError(
        f"The cell {folder.name[:12]} is damaged: {fault}.",
        "Run the sweep with --verify: it sets it aside and makes it anew.",
    )


def _unread(folder: Path, name: str, error: Exception, what: str | None = None) -> DamagedError | UnreadableError:
    """Return the error for a file of a cell that cannot be read: only what is wrong with the file itself is damage."""
    if not is_of_the_disk(error):
        return damaged(folder, f"{name if what is None else what} cannot be read: {why(error)}")
    return UnreadableError(
        f"The cell {folder.name[:12]} cannot be read now: {why(error)} ({folder / name}).",
        "Run the command again. If the error stays, check the disk; once its folder is removed, a sweep makes it anew.",
    )


def _write_arrays(file: Any, arrays: Mapping[str, np.ndarray]) -> None:
    """Write an archive like np.savez, with every byte a function of the arrays: equal results have equal files."""
    with zipfile.ZipFile(file, "w") as archive:
        for name in sorted(arrays):
            entry = zipfile.ZipInfo(f"{name}.npy", date_time=(1980, 1, 1, 0, 0, 0))
            with archive.open(entry, "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.ascontiguousarray(arrays[name]), allow_pickle=False)


def _sync(file: Any) -> None:
    file.flush()
    os.fsync(file.fileno())
