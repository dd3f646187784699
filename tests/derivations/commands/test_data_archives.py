"""`gdln data get --from` with archives that are faulty, and with the files that a set lacks."""

import gzip
import lzma
import shutil
import tarfile

from derivations.answers.fetching import archives
from derivations.output import BAD_INPUT, PASS
from tests.derivations.commands import test_data
from tests.derivations.commands.test_data import MNIST, debian, gdln_data, stored, tarball, written

store = test_data.store  # the fixture


def replaced(files, **others):
    return {**files, **{name.replace("_", "-"): body for name, body in others.items()}}


def changed_inside(content):
    """Bytes in the middle of a compressed file are others, so that its checksums fail."""
    middle = len(content) // 2
    return content[:middle] + bytes(255 - byte for byte in content[middle : middle + 64]) + content[middle + 64 :]


OTHER = replaced(MNIST, t10k_labels_idx1_ubyte=b"other")


def announced(kind, size, content=b""):
    """A tar archive whose one header announces so many bytes, of which `content` alone follows."""
    member = tarfile.TarInfo("other")
    member.type, member.size = kind, size
    return member.tobuf(format=tarfile.GNU_FORMAT) + content


BOMB = {name: gzip.compress(b"\0" * 8192) for name in MNIST}
FAULTY = {
    "another content": (tarball(OTHER), "is not the file of mnist: its SHA-256 is"),
    "a file too few": (tarball({name: body for name, body in MNIST.items() if "t10k" not in name}), "has no t10k-"),
    "no archive": (b"no archive at all", "cannot be unpacked"),
    "half a tarball": (tarball(MNIST)[:-300], "cannot be unpacked"),
    "a tarball of bzip2 with other bytes inside": (changed_inside(tarball(MNIST, mode="w:bz2")), "cannot be unpacked"),
    "half a package": (debian(MNIST)[:-300], "cannot be unpacked"),
    "a package without data": (b"!<arch>\n" + b" " * 60, "no part data.tar"),
    "a header of names that is a bomb": (announced(tarfile.XHDTYPE, 2**32), "announces 4096 MiB"),
    "a member that is a bomb": (announced(tarfile.REGTYPE, 2**33), "announces 8192 MiB"),
    "a chain of headers": (announced(tarfile.XHDTYPE, 512, b"0".ljust(512, b"\0")) * 5000, "cannot be unpacked"),
    "links": (tarball({}, **{name: tarfile.SYMTYPE for name in MNIST}), "has no t10k-"),
}


def test_faulty_archives_are_refused(store, tmp_path, capsys):
    for fault, (content, says) in FAULTY.items():
        code, _, err = gdln_data(capsys, "get", "mnist", "--from", written(tmp_path, "archive", content))
        assert (code, says in err, "Traceback" in err) == (BAD_INPUT, True, False), fault
        assert all(MNIST[name] == content for name, content in stored(store, "mnist").items()), fault
        assert not list(store.glob(".get-*")), fault
        shutil.rmtree(store, ignore_errors=True)


def test_a_place_that_does_not_exist(store, tmp_path, capsys):
    code, _, err = gdln_data(capsys, "get", "mnist", "--from", tmp_path / "nowhere")
    assert (code, "There is no" in err) == (BAD_INPUT, True)


def test_the_files_that_a_set_lacks_complete_it(store, tmp_path, capsys):
    assert gdln_data(capsys, "get", "mnist", "--from", written(tmp_path, "all", tarball(MNIST)))[0] == PASS
    damaged = next(iter(MNIST))
    (store / "mnist" / damaged).write_bytes(b"other")
    folder = tmp_path / "one file"
    folder.mkdir()
    (folder / damaged).write_bytes(MNIST[damaged])
    code, out, _ = gdln_data(capsys, "get", "mnist", "--from", folder)
    assert (code, "intact" in out) == (PASS, True)


def test_bombs_are_refused(store, tmp_path, monkeypatch, capsys):
    many = lzma.compress(announced(tarfile.DIRTYPE, 0) * 10_001)
    for limits, content, says in (
        ({"LARGEST": 4096}, tarball(BOMB, mode="w:xz"), "idx3-ubyte has more than"),
        ({}, many, "has more than 10000 members"),
        ({"LARGEST_IN_ALL": 64}, tarball(OTHER), "MiB together"),
    ):
        with monkeypatch.context() as patch:
            for name, limit in limits.items():
                patch.setattr(archives, name, limit)
            code, _, err = gdln_data(capsys, "get", "mnist", "--from", written(tmp_path, "archive", content))
        assert (code, says in err) == (BAD_INPUT, True), err
        assert not stored(store, "mnist")
