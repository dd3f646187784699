"""One cell of a store: a folder with data.npz and meta.json that is whole or absent, and that can prove what it is.

It is written aside, synced and renamed. Its name is the hash of what was asked: the problem, the observables, the seed
and the code that answered, which names the back end and its versions too. Its meta.json seals itself and holds the
checksum of data.npz.
"""

import hashlib
import json
import os
import shutil
import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

import sim
from derivations.output import DISTRIBUTION
from sim.training.backends.names import preferred, versions
from theory import problem as problem_room
from theory.problem import Problem, WorkbenchError, dumps

SCHEMA = "gdln.cell/1"
DATA, META = "data.npz", "meta.json"
COMPLETE, DIVERGED = "complete", "diverged"
_FACTS = {
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


@dataclass(frozen=True)
class Question:
    """The question that a cell answers: the problem as canonical TOML, the observables that are kept, and the seed."""

    problem: str
    observables: tuple[str, ...]
    seed: int

    def cell(self, code: str) -> str:
        """The id of the cell that `code` makes of this question: 64 hexadecimal digits."""
        return _hash(_canonical({"schema": SCHEMA, "code": code, **vars(self)}))

    @property
    def key(self) -> str:
        """The hash of the question alone, the same for every version of the code."""
        return _hash(_canonical(vars(self)))


def question(problem: Problem, observables: tuple[str, ...]) -> Question:
    """The question that a problem and the observables (in any order) ask."""
    return Question(dumps(problem), tuple(sorted(observables)), problem.simulated().seed)


def code_version(device: str = "cpu") -> str:
    """Return what a cell's numbers come from: package version, hash of its sources, back end and the versions of that.

    The back end is the one that `sim.train.train` prefers on the device, "cpu" or "cuda"; where it cannot train a
    problem, the problem alone decides which one does. So equal codes and equal questions have equal numbers.
    """
    name = preferred(device)
    return "+".join([_sources(), name, *(f"{package}-{number}" for package, number in versions(name).items())])


@cache
def _sources() -> str:
    """The version of the package and a hash of the sources."""
    digest = hashlib.sha256()
    roots = [Path(package.__path__[0]) for package in (sim, problem_room)]
    files = [(file.relative_to(root.parent), file) for root in roots for file in sorted(root.rglob("*.py"))]
    making = Path(__file__).with_name("making.py")
    for name, file in [*files, (making.name, making)]:
        digest.update(f"{name}\0".encode() + file.read_bytes() + b"\0")
    return f"{version(DISTRIBUTION)}+{digest.hexdigest()[:16]}"


def write(folder: Path, asked: Question, code: str, arrays: Mapping[str, np.ndarray], facts: Mapping[str, Any]) -> None:
    """Write the cell `folder`, so that it is there whole or not at all, also after a power failure.

    The caller holds the cell's lock. OSError where the disk is full or the folder cannot be written; then nothing is
    left behind.
    """
    aside = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}."))
    try:
        with open(aside / DATA, "wb") as file:
            _write_arrays(file, arrays)
            _sync(file)
        with open(aside / DATA, "rb") as file:
            checksum = hashlib.file_digest(file, "sha256").hexdigest()
        meta = {
            "schema": SCHEMA,
            "cell": folder.name,
            "question": asked.key,
            "code": code,
            **vars(asked),
            **facts,
            "data": {"sha256": checksum, "bytes": (aside / DATA).stat().st_size},
        }
        with open(aside / META, "w", encoding="utf-8") as file:
            json.dump({**meta, "seal": _hash(_canonical(meta))}, file, indent=1, allow_nan=False)
            _sync(file)
        aside.chmod(0o755)
        sync_folder(aside)
        aside.rename(folder)
        sync_folder(folder.parent)
    except BaseException:
        shutil.rmtree(aside, ignore_errors=True)
        raise


def read_meta(folder: Path) -> dict[str, Any]:
    """Return what the cell says of itself, verified with the checksum of its data. DamagedError says what is wrong."""
    try:
        meta = json.loads((folder / META).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise _damaged(folder, f"{META} cannot be read ({type(error).__name__})") from None
    if not isinstance(meta, dict) or meta.get("schema") != SCHEMA:
        raise _damaged(folder, f"{META} is not of the form {SCHEMA}")
    seal = meta.pop("seal", None)
    if seal != _hash(_canonical(meta)):
        raise _damaged(folder, f"{META} was changed after it was written")
    wrong = [name for name, kind in _FACTS.items() if not isinstance(meta.get(name), kind)]
    if wrong:
        raise _damaged(folder, f"{META} lacks {', '.join(wrong)}")
    asked = Question(meta["problem"], tuple(meta["observables"]), meta["seed"])
    if not meta["cell"] == folder.name == asked.cell(meta["code"]):
        raise _damaged(folder, "it answers another question than its name says")
    try:
        with open(folder / DATA, "rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise _damaged(folder, f"{DATA} cannot be read ({type(error).__name__})") from None
    if found != meta["data"]["sha256"]:
        raise _damaged(folder, f"the checksum of {DATA} is another")
    return meta


def read(folder: Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The cell's verified meta.json and its arrays. Raises DamagedError."""
    meta = read_meta(folder)
    with np.load(folder / DATA, allow_pickle=False) as archive:
        return meta, {name: archive[name] for name in archive.files}


def sync_folder(folder: Path) -> None:
    """Bring the names in `folder` to the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _damaged(folder: Path, why: str) -> DamagedError:
    return DamagedError(
        f"The cell {folder.name[:12]} is damaged: {why}.", "Run the sweep: it sets it aside and makes it anew."
    )


def _write_arrays(file: Any, arrays: Mapping[str, np.ndarray]) -> None:
    """As np.savez, with every byte a function of the arrays: equal results have equal files."""
    with zipfile.ZipFile(file, "w") as archive:
        for name in sorted(arrays):
            entry = zipfile.ZipInfo(f"{name}.npy", date_time=(1980, 1, 1, 0, 0, 0))
            with archive.open(entry, "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.ascontiguousarray(arrays[name]), allow_pickle=False)


def _sync(file: Any) -> None:
    file.flush()
    os.fsync(file.fileno())


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
