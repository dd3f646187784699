"""The folder of data sets: where it is, and files that are missing, damaged or unreadable."""

import os
from pathlib import Path

import numpy as np
import pytest

from tests import miniatures
from theory.problem import InputError, OutOfReachError
from theory.problem.datasets.folder import VARIABLE, checked_content, data_folder, place_of, read_file
from theory.problem.datasets.known import DATASETS

PHOTOGRAPHS = DATASETS["photographs"]


@pytest.fixture
def sets(tmp_path, monkeypatch):
    """A folder with the small data sets, of this test alone."""
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    miniatures.write(tmp_path, miniatures.contents())
    return tmp_path


def camera():
    return DATASETS["photographs"], DATASETS["photographs"].file("camera")


def test_the_folder_by_its_variable_or_the_user_s(monkeypatch):
    monkeypatch.setenv(VARIABLE, "/somewhere/else")
    assert data_folder() == Path("/somewhere/else")
    monkeypatch.setenv(VARIABLE, "")
    monkeypatch.setenv("XDG_DATA_HOME", "/of/the/user")
    assert data_folder() == Path("/of/the/user/gdln")
    for relative in ("", "relative"):
        monkeypatch.setenv("XDG_DATA_HOME", relative)
        assert data_folder() == Path.home() / ".local/share/gdln"
    monkeypatch.setenv(VARIABLE, "~nobody-of-this-name/x")
    with pytest.raises(InputError, match="no such user"):
        data_folder()
    monkeypatch.setenv(VARIABLE, "relative")
    with pytest.raises(InputError, match="not an absolute path"):
        data_folder()


def test_a_file_is_read_once_while_it_is_unchanged(sets):
    first = read_file("photographs", "camera")
    assert read_file("photographs", "camera") is first
    assert np.array_equal(first, miniatures.photograph([file.name for file in PHOTOGRAPHS.files].index("camera")))
    path = place_of(*camera())
    path.write_bytes(path.read_bytes()[:-1] + b"\0")
    os.utime(path, ns=(0, 0))
    with pytest.raises(OutOfReachError, match="damaged or another file"):
        read_file("photographs", "camera")


def test_a_missing_set_names_the_command_that_gets_it(sets):
    place_of(*camera()).unlink()
    for ask in (lambda: read_file("photographs", "camera"), lambda: checked_content(*camera())):
        with pytest.raises(OutOfReachError, match="photographs is not on this machine") as caught:
            ask()
        assert "gdln data get photographs" in caught.value.hint
        assert caught.value.exit_code == 4
