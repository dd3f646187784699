"""Reading of files that users name: regular, of bounded size, UTF-8. Devices and pipes are an error at once."""

import errno
import json
import os
import stat
from math import isinf
from pathlib import Path
from typing import IO, Any

from theory.problem.errors import InputError

MEBIBYTE = 2**20
LARGEST_TEXT = 16 * MEBIBYTE
_COPY = "Name a regular file; what a pipe or a device gives can be written to one first."


def open_regular(path: str | Path) -> IO[bytes]:
    """Open a regular file for reading in binary; links to one are followed.

    Raises InputError for a device, a pipe or a name that no file can have; OSError for a folder or where it cannot be
    read.

    >>> open_regular("/dev/zero")
    Traceback (most recent call last):
    ...
    theory.problem.errors.InputError: /dev/zero is no regular file but a device. ...
    """
    try:
        # Without O_NONBLOCK, opening a pipe without a writer would block forever.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except ValueError:  # a NUL inside, or half of a surrogate pair
        raise InputError(f"{str(path)!r} cannot be read: no file has such a name.", "Check the path.", "file") from None
    mode = os.fstat(handle).st_mode
    if not stat.S_ISREG(mode):
        os.close(handle)
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        raise InputError(f"{path} is no regular file but {_kind(mode)}.", _COPY, "file")
    return os.fdopen(handle, "rb")


def read_bytes(path: str | Path, most: int = LARGEST_TEXT, remedy: str = "Name a smaller file.") -> bytes:
    """Read a regular file of at most `most` bytes. Raises InputError for another, OSError where it cannot be read."""
    with open_regular(path) as file:
        # A file of /proc or /sys reports the size 0, so the reported size is not a bound on its content.
        content = file.read(most + 1) if os.fstat(file.fileno()).st_size <= most else None
    if content is None or len(content) > most:
        raise InputError(f"{path}: larger than {_size(most)}.", remedy, "file")
    return content


def read_text(path: str | Path, most: int = LARGEST_TEXT, remedy: str = "Name a smaller file.") -> str:
    """Read a UTF-8 text of at most `most` bytes, without a byte order mark. Raises InputError or OSError."""
    try:
        return read_bytes(path, most, remedy).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 text ({error.reason}).", "Save it as UTF-8.", "file") from None


def read_json(path: str | Path, most: int = LARGEST_TEXT) -> Any:
    """Read the value in a JSON file. Raises InputError for invalid JSON, NaN and Infinity included, or OSError."""
    try:
        return parse_json(read_text(path, most))
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path}: not valid JSON ({error}).", "It may be damaged; make it anew.", "file") from None


def parse_json(text: str) -> Any:
    """Parse JSON strictly. Raises ValueError also for NaN, Infinity and values nested too deeply to be read.

    >>> parse_json('{"a": [1, 2.5]}')
    {'a': [1, 2.5]}
    >>> parse_json("[NaN]")
    Traceback (most recent call last):
    ...
    ValueError: NaN is no number of JSON
    """
    try:
        return json.loads(text, parse_constant=_no_number, parse_float=_finite)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON")


def _finite(text: str) -> float:
    if isinf(value := float(text)):
        raise ValueError(f"{text} is too large")
    return value


def _kind(mode: int) -> str:
    if stat.S_ISFIFO(mode):
        return "a pipe"
    return "a socket" if stat.S_ISSOCK(mode) else "a device"


def _size(count: int) -> str:
    return f"{count // MEBIBYTE} MiB" if count >= MEBIBYTE else f"{count} bytes"
