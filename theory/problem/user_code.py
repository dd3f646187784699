"""Functions that users write: in a Python file, or in an installed package that offers them as entry points.

Such code runs only in a process in which `allow` was called for it: by the reading of a problem file that a user named
(`theory.problem.load`, a command, a sweep, a store of one). A text without a file, as in `loads` or the explorer,
starts no other code.
"""

import hashlib
import inspect
import os
import re
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from theory.problem.errors import InputError, WorkbenchError
from theory.problem.numbers import nearest, shown
from theory.problem.user_files import read_bytes

GROUP = "gdln.laws"
CODE = ("path", "sampler")  # keys of [data] that name code
_PLACE = re.compile(r"(.+):([A-Za-z_]\w*)")
_allowed: set[str] = set()  # sha256 of files, and names of entry points


@dataclass(frozen=True, eq=False)
class Code:
    """A function of a user, the file and the line that define it, and the sha256 of this file."""

    function: Callable[..., Any]
    name: str
    file: str
    line: int
    sha256: str

    @property
    def place(self) -> str:
        """File, line and name, for errors."""
        return f"{self.file}, line {self.line}: {self.name}"

    def call(self, *given: Any, **parameters: Any) -> Any:
        """Return what the function returns. Raises InputError, with file and line, where it raises an error."""
        try:
            return self.function(*given, **parameters)
        except (WorkbenchError, MemoryError):
            raise
        except (Exception, SystemExit) as error:
            raise _fault(self.file, error, self.line) from error


def allow(table: Any) -> None:
    """Let the code run that the [data] table of a file names, as long as its content is as now.

    >>> allow({"law": "own", "sampler": "rings"})
    >>> allow("no table")
    """
    if not isinstance(table, Mapping):
        return
    if isinstance(table.get("sampler"), str):
        _allowed.add(_entry(table["sampler"]))
    matched = _PLACE.fullmatch(table["path"]) if isinstance(table.get("path"), str) else None
    if matched and os.path.isfile(matched[1]):
        _allowed.add(hashlib.sha256(read_bytes(matched[1])).hexdigest())


def function_at(path: str) -> Code:
    """Return the function that "file.py:function" names. Raises InputError, with file and line, where there is none.

    Modules beside the file are not found: all of the user's own code is in the file, whose sha256 identifies it.
    """
    matched = _PLACE.fullmatch(path)
    if not matched:
        raise InputError(f"data.path = {shown(path)} names no function in a file.", 'Write path = "mylaw.py:draw".')
    file, name = matched.groups()
    try:
        content = read_bytes(file)
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror or error}.", "Check data.path.", "file") from None
    digest = hashlib.sha256(content).hexdigest()
    _require_allowed(digest, f"the code in {file}")
    return _callable(getattr(_module(file, content), name, None), name, file, digest)


def function_named(sampler: str) -> Code:
    """Return the function that an installed package offers as the entry point `sampler`. Raises InputError for none."""
    _require_allowed(_entry(sampler), f"the sampler {shown(sampler)}")
    offered = {entry.name: entry for entry in entry_points(group=GROUP)}
    if sampler not in offered:
        listed = f"Installed are: {', '.join(sorted(offered))}." if offered else "No installed package offers any."
        raise InputError(
            f'data.sampler = {shown(sampler)} is no entry point of the group "{GROUP}".',
            f"{nearest(sampler, offered)}{listed}",
        )
    try:
        function = offered[sampler].load()
        file = inspect.getsourcefile(function)
        digest = hashlib.sha256(Path(file).read_bytes()).hexdigest()
    except (Exception, SystemExit) as error:
        raise InputError(
            f"data.sampler = {shown(sampler)}: {offered[sampler].value} is no function that can be imported "
            f"({type(error).__name__}: {error}).",
            "Correct the package that offers it.",
        ) from error
    return _callable(function, function.__name__, file, digest)


def _entry(sampler: str) -> str:
    return f"{GROUP} {sampler}"


def _require_allowed(key: str, what: str) -> None:
    if key not in _allowed:
        raise InputError(
            f"A law of your own: {what} runs only if a problem file names it, not from a text.",
            "Save the problem as a file; then give it to a command, or read it with theory.problem.load.",
        )


@lru_cache(maxsize=32)
def _module(file: str, content: bytes) -> ModuleType:
    """Return the module that the content defines: each content runs once."""
    module = ModuleType(Path(file).stem)
    module.__file__ = file
    try:
        exec(compile(content, file, "exec"), vars(module))  # noqa: S102 - code of the user, allowed above
    except (Exception, SystemExit) as error:
        raise _fault(file, error) from error
    return module


def _callable(function: Any, name: str, file: str, digest: str) -> Code:
    if not inspect.isfunction(function):
        said = "has no function" if function is None else f"has {type(function).__name__}, which is no function,"
        raise InputError(f"{file} {said} {shown(name)}.", f"Write def {name}(generator, rows): ... there.", "file")
    return Code(function, name, file, function.__code__.co_firstlineno, digest)


def _fault(file: str, error: BaseException, line: int | None = None) -> InputError:
    """Return the error with the line of the file at which it arose, or `line` where it arose elsewhere."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    if isinstance(error, SyntaxError) and error.filename == file:
        lines.append(error.lineno)
    place = lines[-1] if lines else line
    said = error.msg if isinstance(error, SyntaxError) else error
    hint = "Correct the file."
    if isinstance(error, ModuleNotFoundError):
        hint = "Write all of your code into this file, or install what it imports."
    return InputError(f"{file}, line {place}: {type(error).__name__}: {said}.", hint, "file")
