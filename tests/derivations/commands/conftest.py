"""`gdln` in this process, and problem files with replaced words."""

import json

import pytest

from derivations.cli import main
from tests.derivations.answers.problems import changed


@pytest.fixture
def gdln(capsys):
    """A function that runs `gdln` with --json and returns the exit code and the JSON object."""

    def run(*words):
        code = main([*map(str, words), "--json"])
        shown = capsys.readouterr()
        assert "Traceback" not in shown.err
        return code, json.loads(shown.out)

    return run


@pytest.fixture
def refusal(gdln):
    """A function that runs `gdln` and returns the exit code and the words of the error."""

    def run(*words):
        code, shown = gdln(*words)
        return code, f"{shown['error']['message']} {shown['error']['hint']}"

    return run


@pytest.fixture
def written(tmp_path):
    """A function that writes a problem file with replaced words and returns its path."""

    def write(text, *changes):
        (file := tmp_path / "problem.toml").write_text(changed(text, *changes), encoding="utf-8")
        return file

    return write
