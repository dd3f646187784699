"""Files and folders that are complete or absent: written under a temporary name, then renamed."""

import io
import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from theory.problem import InputError

_MARKER = "report.json"


def write_text(path: Path, text: str) -> None:
    """Write a file so that it is either the old one or the new one, never a part."""
    with new_text(path) as file:
        file.write(text)


@contextmanager
def new_text(path: Path) -> Iterator[IO[str]]:
    """Yield a text file that replaces `path` at the end; see `new_file`."""
    with new_file(path) as file, io.TextIOWrapper(file, encoding="utf-8") as text:
        yield text


@contextmanager
def new_file(path: Path) -> Iterator[IO[bytes]]:
    """Yield a file that replaces `path` when the block succeeds, and is removed when it fails.

    Raises OSError, which names `path`, before the block runs where the folder cannot be written.
    """
    with _named(path):
        handle, aside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        with _named(path):
            Path(aside).chmod(0o644)
            Path(aside).replace(path)
    except BaseException:
        Path(aside).unlink(missing_ok=True)
        raise


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Let an OSError name the user's file instead of the temporary one."""
    try:
        yield
    except OSError as error:
        error.filename = str(path)
        raise


def check_folder(folder: Path, option: str) -> None:
    """InputError unless `folder`, in which the file or folder of an option is to be written, is a folder."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file, not a folder.", f"Name another with {option}.", "file")
    if not folder.exists():
        raise InputError(f"The folder {folder} does not exist.", f"Create it, or name another with {option}.", "file")


def check_archive(path: Path, given: Path) -> None:
    """InputError where a result at `path` would replace `given`, or anything but an earlier result of its kind."""
    remedy = "Name another file with --out."
    if not path.name:
        raise InputError(f"{str(path)!r} names no file.", remedy, "file")
    check_folder(path.parent, "--out")
    if path.exists() and given.exists() and path.samefile(given):
        raise InputError(f"{path} is the problem file itself, which would be lost.", remedy, "file")
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise InputError(f"{path} exists and is not a regular file.", remedy, "file")
    if path.exists() and not _is_archive(path):
        raise InputError(f"{path} exists and is no earlier result; it would be lost.", remedy, "file")


def _is_archive(path: Path) -> bool:
    """Whether the file is a zip archive of arrays, one .npy each, with the problem that `gdln simulate` writes."""
    if not zipfile.is_zipfile(path):
        return False
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except zipfile.BadZipFile:
        return False
    return "problem.npy" in names and all(name.endswith(".npy") for name in names)


def check_replaceable(folder: Path) -> None:
    """InputError where `folder` has other files than an earlier report, which would be lost, or cannot be written."""
    if folder.is_dir():
        if any(folder.iterdir()) and not (folder / _MARKER).is_file():
            raise InputError(f"{folder} exists and holds other files.", "Name another folder with --out.")
    elif folder.exists():
        raise InputError(f"{folder} is a file, not a folder.", "Name another folder with --out.")
    check_folder(folder.parent, "--out")
    try:
        Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}.")).rmdir()
    except OSError as error:
        remedy = "Name another folder with --out, or free its disk and permissions."
        raise InputError(f"Nothing can be written into {folder.parent}: {error.strerror}.", remedy) from None
    if folder.is_dir() and not os.access(folder, os.W_OK | os.X_OK):
        raise InputError(f"{folder} cannot be replaced: it is not writable.", "Name another folder with --out.")


@contextmanager
def replacing(folder: Path) -> Iterator[Path]:
    """Yield a new folder that replaces `folder` when the block succeeds, and is removed when it fails."""
    check_replaceable(folder)
    aside = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}."))
    try:
        yield aside
        aside.chmod(0o755)
        if folder.exists():
            old = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}.old."))
            folder.replace(old / "report")
            aside.replace(folder)
            shutil.rmtree(old)
        else:
            aside.replace(folder)
    except BaseException:
        shutil.rmtree(aside, ignore_errors=True)
        raise
