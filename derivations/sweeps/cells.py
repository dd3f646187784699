"""One cell of a store: one file with its arrays and its facts, every byte of which follows from declaration and code.

Its name is the hash of the problem, the observables, the seed and the code, which names the back end and its versions
too. When, where and how long it was computed stands elsewhere (`store`), so that two computations of a cell give
identical bytes, and whoever puts his file in place last changes nothing.
"""

import hashlib
import io
import json
import re
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
from derivations.seals import canonical, digest
from derivations.unreadable import is_of_the_disk
from sim.training.backends.names import preferred, versions
from theory import problem as problem_room
from theory.problem import Problem, WorkbenchError, dumps
from theory.problem.shared import Shared
from theory.problem.user_files import open_regular, parse_json

SCHEMA = "gdln.cell/2"
META = "meta.json"  # the entry of the facts; each array is an entry NAME.npy
COMPLETE, DIVERGED = "complete", "diverged"
# In the TOML of a problem: the place of a file or of a folder, and that of code up to the colon before its function.
_SHA256 = r'sha256 = "[0-9a-f]{64}"$'
_PLACE = re.compile(rf'^(?:file|folder) = ".*"\n(?={_SHA256})|^path = ".*(?=:\w+"\n{_SHA256})', re.MULTILINE)


class DamagedError(WorkbenchError):
    """A file in the place of a cell fails verification."""

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
        """The id of the cell by which `code` answers this question: 64 hexadecimal digits."""
        return digest(canonical({"schema": SCHEMA, "code": code, **self.placeless()}))

    def placeless(self) -> dict[str, Any]:
        """Return the fields, without the place of a file of data: its sha256, which follows, identifies its content."""
        return vars(self) | {"problem": _PLACE.sub("", self.problem)}


def question(problem: Problem, observables: tuple[str, ...], shared: Shared | None = None) -> Question:
    """The question that a problem and the observables (in any order) ask; `shared` is that of `dumps`."""
    return Question(dumps(problem, shared), tuple(sorted(observables)), problem.simulated().seed)


@cache
def code_version(device: str = "cpu") -> str:
    """Return what a cell's numbers depend on: package version, hash of its sources, back end and the versions of that.

    The back end is the one that `sim.train.train` prefers on the device, "cpu" or "cuda"; where it cannot train a
    problem, the problem alone decides which one does. So equal codes and equal questions have equal numbers.
    """
    name = preferred(device)
    return "+".join([_sources(), name, *(f"{package}-{number}" for package, number in versions(name).items())])


@cache
def _sources() -> str:
    """The version of the package and a hash of the sources."""
    total = hashlib.sha256()
    roots = [Path(package.__path__[0]) for package in (sim, problem_room)]
    files = [(file.relative_to(root.parent), file) for root in roots for file in sorted(root.rglob("*.py"))]
    training = Path(__file__).with_name("making.py")
    for name, file in [*files, (training.name, training)]:
        total.update(f"{name}\0".encode() + file.read_bytes() + b"\0")
    return f"{version(DISTRIBUTION)}+{total.hexdigest()[:16]}"


def encoded(request: Question, code: str, arrays: Mapping[str, np.ndarray], facts: Mapping[str, Any]) -> bytes:
    """Return the bytes of a cell's file: the archive of np.savez, which has no times in it, with the facts."""
    arrays = {name: np.ascontiguousarray(arrays[name]) for name in sorted(arrays)}
    meta = {"schema": SCHEMA, "cell": request.cell(code), "code": code, **request.placeless(), **facts}
    meta = parse_json(canonical(meta))  # as it will be read
    content, file = json.dumps({**meta, "sha256": _checksum(meta, arrays)}, indent=1, sort_keys=True), io.BytesIO()
    np.savez(file, **arrays)
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr(zipfile.ZipInfo(META), content)
    return file.getvalue()


def read(path: Path, with_arrays: bool = True) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return the facts and the arrays of a cell, verified by its name and, `with_arrays`, by their checksum.

    Raises DamagedError with what is wrong, FileNotFoundError where there is no file, and UnreadableError where the disk
    fails.
    """
    try:
        with open_regular(path) as file, np.load(file) as archive:
            meta = parse_json(archive[META].decode())
            arrays = {name: archive[name] for name in archive.files if name != META and with_arrays}
        checksum = meta.pop("sha256")
        request = Question(meta["problem"], tuple(meta["observables"]), meta["seed"])
        if not meta["cell"] == path.stem == request.cell(meta["code"]):
            raise ValueError("it answers another question than that of its name")
        if with_arrays and checksum != _checksum(meta, arrays):
            raise ValueError("the checksum of its content is another")
    except FileNotFoundError:
        raise
    except Exception as error:  # whatever a reader raises over bytes that are no cell
        if is_of_the_disk(error):
            message = f"The cell {path.stem[:12]} cannot be read now: {error.strerror} ({path})."
            raise UnreadableError(message, "Run the command again. If the error stays, check the disk.") from error
        hint = "Run the sweep: it computes the cell again and keeps the damaged file beside it."
        raise DamagedError(f"The cell {path.stem[:12]} is damaged: {error}.", hint) from error
    return meta, arrays


def facts(path: Path) -> dict[str, Any]:
    """Return the facts of a cell, verified by its name; the arrays are not read. Raises as `read` does."""
    return read(path, with_arrays=False)[0]


def _checksum(meta: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> str:
    total = hashlib.sha256(canonical(meta).encode())
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        total.update(canonical([name, array.dtype.str, array.shape]).encode() + array.tobytes())
    return total.hexdigest()
