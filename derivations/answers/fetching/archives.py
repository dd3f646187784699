"""Reading of named files in a folder, a tar archive or a Debian package; a file may be compressed with gzip.

Nothing is extracted to the disk. A header is refused before its content is read, and no more is unpacked than a file of
a data set has, so that a small archive costs no more than a large honest one.
"""

import gzip
import io
import lzma
import tarfile
import zlib
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import IO, Self

from theory.problem import InputError
from theory.problem.user_files import MEBIBYTE, read_bytes

LARGEST = 256 * MEBIBYTE  # of an archive or a file: CIFAR-100 has 169
LARGEST_IN_ALL = 4 * LARGEST  # of what is unpacked to reach the last member
LARGEST_HEADER = MEBIBYTE  # names and times of one member
MOST_MEMBERS = 10_000
_DEBIAN, _HEADER, _NAME, _SIZE = b"!<arch>\n", 60, slice(0, 16), slice(48, 58)


def members(place: Path, names: Collection[str]) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the content of each of the files `names`, unpacked where it is there as NAME.gz.

    `place` is a folder that holds the files themselves, or a tar archive or Debian package that has them at any depth.
    Raises InputError for anything else; files that are not there are left out.
    """
    try:
        for name, content in _of_folder(place, names) if place.is_dir() else _of_archive(place, names):
            packed = content.startswith(b"\x1f\x8b")
            yield name, _bounded(gzip.GzipFile(fileobj=io.BytesIO(content)), name) if packed else content
    except InputError:
        raise
    except (tarfile.TarError, EOFError, zlib.error, lzma.LZMAError, RecursionError, OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # of the file itself, not of what gzip or bz2 found in it
        why = str(error).partition("\n")[0].rstrip(":.") or type(error).__name__
        raise InputError(
            f"{place} cannot be unpacked: {why}.",
            "Name a folder with the files, a tar archive or a Debian package.",
            "file",
        ) from None


class _Header(tarfile.TarInfo):
    """The header of a member, refused before tarfile reads what follows it: a PAX header announces its size itself."""

    @classmethod
    def frombuf(cls, buf: bytes, encoding: str, errors: str) -> Self:
        """Return the header in a block. Raises InputError where it announces too much."""
        header = super().frombuf(buf, encoding, errors)
        if header.size > (LARGEST if header.isreg() else LARGEST_HEADER):
            raise _too_large(f"The archive announces {header.size / MEBIBYTE:.0f} MiB in one part")
        return header


def _bounded(stream: IO[bytes], name: str) -> bytes:
    """Return what is in the stream of this name. Raises InputError beyond the limit."""
    content = stream.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise _too_large(f"{name} has more than {LARGEST / MEBIBYTE:g} MiB")
    return content


def _too_large(what: str) -> InputError:
    return InputError(f"{what}; no data set of gdln has so much.", "Name the archive of the data set.", "file")


def _of_folder(folder: Path, names: Collection[str]) -> Iterator[tuple[str, bytes]]:
    for name in names:
        path = next((path for path in (folder / name, folder / f"{name}.gz") if path.exists()), None)
        if path is not None:
            yield name, read_bytes(path, LARGEST, "Name the folder of the data set.")


def _of_archive(path: Path, names: Collection[str]) -> Iterator[tuple[str, bytes]]:
    content = read_bytes(path, LARGEST, "Name the archive of the data set.")
    if content.startswith(_DEBIAN):
        content = _data_of_debian(content, path)
    with tarfile.open(fileobj=io.BytesIO(content), tarinfo=_Header) as archive:
        announced = 0
        for count, member in enumerate(archive):
            announced += member.size
            if count == MOST_MEMBERS:
                raise _too_large(f"{path} has more than {MOST_MEMBERS} members")
            if announced > LARGEST_IN_ALL:
                raise _too_large(f"The members of {path} have more than {LARGEST_IN_ALL / MEBIBYTE:g} MiB together")
            name = Path(member.name).name.removesuffix(".gz")
            if member.isreg() and name in names:
                yield name, _bounded(archive.extractfile(member), name)


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
