"""A folder with all problem files, and a function that compares answers with stored ones."""

import shlex

import pytest

from tests.derivations.answers import problems
from tests.derivations.answers.recording import CloseSnapshot, recorded


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with all problem files."""
    folder = tmp_path_factory.mktemp("problems")
    for name, content in problems.files():
        (folder / name).write_text(content, encoding="utf-8")
    return folder


@pytest.fixture
def changed(folder, snapshot, monkeypatch, capsys):
    """A function that runs commands in the folder, and returns those whose answers differ from the stored ones."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "100")

    def run(commands, change="", close=CloseSnapshot):
        stored = snapshot.use_extension(close)
        differences = []
        for place, words in enumerate(commands):
            with monkeypatch.context() as patch:
                answer = recorded(shlex.split(words), patch, capsys)
            name = f"{words}{' again' * commands[:place].count(words)}{change}"
            if answer != stored(name=name):
                differences.append("\n".join([f"gdln {name}", *stored.get_assert_diff()]))
        return differences

    return run
