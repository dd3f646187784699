"""Reading of named files in a folder, a tar archive or a Debian package; a file may be compressed with gzip."""

import gzip
import io
import lzma
import tarfile
import zlib
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import IO

from theory.problem import InputError
from theory.problem.user_files import MEBIBYTE, open_regular, read_bytes

LARGEST_ARCHIVE = 256 * MEBIBYTE
LARGEST_MEMBER = 160 * MEBIBYTE  # train.bin of CIFAR-100 has 147
_DEBIAN, _HEADER, _NAME, _SIZE = b"!<arch>\n", 60, slice(0, 16), slice(48, 58)
_FAULTS = (tarfile.TarError, EOFError, zlib.error, lzma.LZMAError)


def members(place: Path, names: Collection[str]) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the content of each of the files `names`, unpacked where it is there as NAME.gz.

    `place` is a folder that holds the files themselves, or a tar archive or Debian package that has them at any depth.
    Raises InputError for anything else; files that are not there are left out.
    """
    try:
        found = _of_folder(place, names) if place.is_dir() else _of_archive(place, names)
        for name, stream in found:
            content = _bounded(stream, name)
            if content.startswith(b"\x1f\x8b"):
                content = _bounded(gzip.GzipFile(fileobj=io.BytesIO(content)), name)
            yield name, content
    except InputError:
        raise
    except (*_FAULTS, OSError, ValueError, OverflowError) as error:  # tarfile has more faults than TarError
        if isinstance(error, OSError) and error.errno is not None:
            raise  # of the file itself, not of what bz2 found in it
        # Further lines of a message name every format that was tried.
        why = str(error).partition("\n")[0].rstrip(":.") or type(error).__name__
        raise InputError(
            f"{place} cannot be unpacked: {why}.",
            "Name a folder with the files, a tar archive or a Debian package.",
            "file",
        ) from None


def _of_folder(folder: Path, names: Collection[str]) -> Iterator[tuple[str, IO[bytes]]]:
    for name in names:
        for path in (folder / name, folder / f"{name}.gz"):
            if path.exists():
                with open_regular(path) as stream:
                    yield name, stream
                break


def _of_archive(path: Path, names: Collection[str]) -> Iterator[tuple[str, IO[bytes]]]:
    content = read_bytes(path, LARGEST_ARCHIVE, "Name the archive of the data set.")
    if content.startswith(_DEBIAN):
        content = _data_of_debian(content, path)
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        for member in archive:
            name = Path(member.name).name.removesuffix(".gz")
            if member.isreg() and name in names:
                yield name, archive.extractfile(member)


def _data_of_debian(content: bytes, path: Path) -> bytes:
    """Return the part data.tar.* of a Debian package, which is an archive of the format ar."""
    at = len(_DEBIAN)
    while at + _HEADER <= len(content):
        header = content[at : at + _HEADER]
        size = header[_SIZE].strip()
        if not size.isdigit():
            break
        first = at + _HEADER
        if header[_NAME].startswith(b"data.tar"):
            return content[first : first + int(size)]
        at = first + int(size) + int(size) % 2  # parts begin at even places
    raise InputError(f"{path} is no whole Debian package: it has no part data.tar.", "Download it again.", "file")


def _bounded(stream: IO[bytes], name: str) -> bytes:
    content = stream.read(LARGEST_MEMBER + 1)
    if len(content) > LARGEST_MEMBER:
        raise InputError(f"{name} has more than {LARGEST_MEMBER // MEBIBYTE} MiB.", "Name the right file.", "file")
    return content
