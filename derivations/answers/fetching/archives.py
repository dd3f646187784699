"""Reading of named files in a folder, a tar archive or a Debian package; a file may be compressed with gzip.

Nothing is extracted to the disk. Bytes are counted as they are unpacked, and a header is refused before its content is
read, so that a small archive costs no more than a large honest one.
"""

import bz2
import gzip
import io
import lzma
import tarfile
import zlib
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import IO, Self

from theory.problem import InputError
from theory.problem.user_files import MEBIBYTE, open_regular, read_bytes

LARGEST_ARCHIVE = 256 * MEBIBYTE  # also unpacked: CIFAR-100 has 176
LARGEST_MEMBER = 160 * MEBIBYTE  # train.bin of CIFAR-100 has 147
LARGEST_HEADER = MEBIBYTE  # names and times of one member
MOST_MEMBERS = 10_000
_DEBIAN, _HEADER, _NAME, _SIZE = b"!<arch>\n", 60, slice(0, 16), slice(48, 58)
_COMPRESSED = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\x00": lzma.open}
_FAULTS = (tarfile.TarError, EOFError, zlib.error, lzma.LZMAError, RecursionError)


def members(place: Path, names: Collection[str]) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the content of each of the files `names`, unpacked where it is there as NAME.gz.

    `place` is a folder that holds the files themselves, or a tar archive or Debian package that has them at any depth.
    Raises InputError for anything else; files that are not there are left out.
    """
    try:
        for name, stream in _of_folder(place, names) if place.is_dir() else _of_archive(place, names):
            yield name, _unpacked(stream.read(LARGEST_MEMBER + 1), name).read()
    except InputError:
        raise
    except (*_FAULTS, OSError, ValueError, OverflowError) as error:  # tarfile has more faults than TarError
        if isinstance(error, OSError) and error.errno is not None:
            raise  # of the file itself, not of what bz2 found in it
        why = str(error).partition("\n")[0].rstrip(":.") or type(error).__name__
        raise InputError(
            f"{place} cannot be unpacked: {why}.",
            "Name a folder with the files, a tar archive or a Debian package.",
            "file",
        ) from None


class _Counted:
    """A stream of which at most `most` bytes can be read; `name` stands for it in errors."""

    def __init__(self, stream: IO[bytes], name: str, most: int) -> None:
        self._stream, self._name, self._most, self._left = stream, name, most, most

    def read(self, size: int | None = None) -> bytes:
        """Return the next bytes. Raises InputError beyond the limit."""
        content = self._stream.read(self._left + 1 if size is None else min(size, self._left + 1))
        self._left -= len(content)
        if self._left < 0:
            raise _too_large(f"{self._name} has more than {self._most / MEBIBYTE:g} MiB")
        return content


def _unpacked(content: bytes, name: str, most: int | None = None) -> _Counted:
    """The stream of the content, decompressed where it is compressed."""
    stream = io.BytesIO(content)
    opened = next((kind(stream) for magic, kind in _COMPRESSED.items() if content.startswith(magic)), stream)
    return _Counted(opened, name, LARGEST_MEMBER if most is None else most)


class _Header(tarfile.TarInfo):
    """The header of a member, refused before tarfile reads what follows it: a PAX header announces its size itself."""

    @classmethod
    def frombuf(cls, buf: bytes, encoding: str, errors: str) -> Self:
        """Return the header in a block. Raises InputError where it announces too much."""
        header = super().frombuf(buf, encoding, errors)
        kind, most = ("file", LARGEST_MEMBER) if header.isreg() else ("header", LARGEST_HEADER)
        if header.size > most:
            said = f"The archive announces a {kind} of {header.size / MEBIBYTE:.0f} MiB, more than {most // MEBIBYTE}"
            raise _too_large(said)
        return header


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
    stream = _unpacked(content, str(path), LARGEST_ARCHIVE)
    with tarfile.open(fileobj=stream, mode="r|", tarinfo=_Header) as archive:
        for count, member in enumerate(archive):
            if count == MOST_MEMBERS:
                raise _too_large(f"{path} has more than {MOST_MEMBERS} members")
            name = Path(member.name).name.removesuffix(".gz")
            if member.isreg() and not member.issparse() and name in names:
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


def _too_large(what: str) -> InputError:
    return InputError(f"{what}; no data set of gdln has so much.", "Name the archive of the data set.", "file")
