"""`gdln` in this process, and problem files with replaced words."""

import json

import pytest

from derivations.cli import main
from tests.derivations.answers.problems import changed


@pytest.fixture
def typed(capsys):
    """A function that runs `gdln` and returns the exit code, stdout and stderr."""

    def run(*words):
        code = main([*map(str, words)])
        shown = capsys.readouterr()
        assert "Traceback" not in shown.err
        return code, shown.out, shown.err

    return run


@pytest.fixture
def gdln(typed):
    """A function that runs `gdln` with --json and returns the exit code and the JSON object."""

    def run(*words):
        code, out, _ = typed(*words, "--json")
        return code, json.loads(out)

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
