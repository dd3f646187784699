"""The command as a user types it: words it cannot place, exit codes, JSON errors, a reader that leaves."""

import json
import pkgutil
import shlex
import subprocess
import sys
import types
from importlib import import_module
from importlib.metadata import version
from inspect import signature

import pytest

from derivations import cli, commands
from derivations.experiments.folders import problem_file
from derivations.output import (
    BAD_INPUT,
    BROKEN_PIPE,
    CHECK_FAILED,
    INTERRUPTED,
    OUT_OF_REACH,
    PASS,
    UNDECIDED,
    emit,
    run,
)
from derivations.timeout import TimedOutError
from theory.problem import InputError, OutOfReachError


def verb(body, as_json=False, **settings):
    """A verb module whose command runs `body`."""

    def command() -> int:
        return run(body, as_json)

    return types.SimpleNamespace(command=command, MAY_BEGIN_WITH_MINUS=False, **settings)


@pytest.fixture
def with_verb(monkeypatch):
    """Give `gdln` the single verb `probe`."""

    def install(module):
        monkeypatch.setattr(cli.pkgutil, "iter_modules", lambda path: [types.SimpleNamespace(name="probe")])
        monkeypatch.setattr(cli, "import_module", lambda name: module)

    return install


def fails_with(error):
    def body():
        raise error

    return body


def test_a_formula_that_begins_with_a_minus_and_an_h_is_no_help(capsys):
    assert cli.main(["moment", "-hermite(2, z1)", "--cov", "[[2]]"]) == PASS
    assert "E[-hermite(2, z1)] = -1" in capsys.readouterr().out


def test_without_words_the_uses_and_the_verbs_are_listed(capsys):
    assert cli.main([]) == PASS
    shown = capsys.readouterr().out
    examples = [line.split()[1] for line in shown.splitlines() if line.startswith("  gdln ")]
    assert examples == ["moment", "validate", "explore"]
    assert all(f"\n  {verb.name} " in shown for verb in pkgutil.iter_modules(commands.__path__))
    moment = shlex.split(next(line for line in shown.splitlines() if line.startswith("  gdln moment")))
    assert cli.main(moment[1:]) == PASS


@pytest.mark.parametrize("words", [["nosuchverb"], ["--nosuchoption"], ["--version=3"], ["", ""]])
def test_unknown_words(words, capsys):
    assert cli.main(words) == BAD_INPUT
    shown = capsys.readouterr()
    assert "Traceback" not in shown.err
    assert "gdln" in shown.out + shown.err


def test_unknown_verb_as_json(capsys):
    assert cli.main(["nosuchverb", "--json"]) == BAD_INPUT
    shown = capsys.readouterr()
    error = json.loads(shown.out)["error"]
    assert error["kind"] == "usage"
    assert "nosuchverb" in error["message"]
    assert "nosuchverb" in shown.err


@pytest.mark.parametrize("code", [PASS, CHECK_FAILED, BAD_INPUT, UNDECIDED, OUT_OF_REACH])
def test_the_code_a_verb_returns_is_the_exit_code(with_verb, code):
    with_verb(verb(lambda: code))
    assert cli.main(["probe"]) == code


def wrapped(error, times):
    """The SystemErrors that compiled code makes of an exception in a callback, one for each level of callbacks."""
    for _level in range(times):
        outer = SystemError("returned a result with an exception set")
        outer.__cause__ = error
        error = outer
    return error


@pytest.mark.parametrize(
    ("error", "code", "kind"),
    [
        (InputError("what and why.", "what to do"), BAD_INPUT, "input"),
        (OutOfReachError("what and why.", "what to do"), OUT_OF_REACH, "out-of-reach"),
        (FileNotFoundError(2, "No such file or directory", "x.toml"), BAD_INPUT, "file"),
        (MemoryError(), OUT_OF_REACH, "memory"),
        (KeyboardInterrupt(), INTERRUPTED, "interrupted"),
        (wrapped(KeyboardInterrupt(), 1), INTERRUPTED, "interrupted"),
    ],
)
def test_what_a_user_can_cause_becomes_a_message(with_verb, error, code, kind, capsys):
    with_verb(verb(fails_with(error), as_json=True))
    assert cli.main(["probe"]) == code
    shown = capsys.readouterr()
    answer = json.loads(shown.out)["error"]
    assert answer["kind"] == kind
    assert answer["message"]
    assert answer["message"] in shown.err


def test_the_end_of_the_time_passes_through_compiled_code(with_verb):
    with_verb(verb(fails_with(wrapped(TimedOutError(), 2))))
    with pytest.raises(TimedOutError):
        cli.main(["probe"])


def test_a_fault_of_the_workbench_is_not_hidden(with_verb):
    with_verb(verb(fails_with(ZeroDivisionError("a bug"))))
    with pytest.raises(ZeroDivisionError, match="a bug"):
        cli.main(["probe"])


def test_usage_error_of_a_verb_names_its_help(with_verb, capsys):
    with_verb(verb(lambda: PASS))
    assert cli.main(["probe", "--nope"]) == BAD_INPUT
    assert "gdln probe --help" in capsys.readouterr().err


def test_a_reader_that_leaves_is_no_error():
    script = (
        "import sys; from derivations import cli, output\n"
        "def flood():\n"
        "    print('line\\n' * 200_000)\n"
        "    return 0\n"
        "cli.build = lambda: lambda **words: output.run(flood, False)\n"
        "sys.exit(cli.main([]))\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.readline()
        process.stdout.close()
        errors = process.stderr.read()
    assert (process.returncode, errors) == (BROKEN_PIPE, b"")


def test_json_has_schema_and_version_and_no_infinite_numbers(capsys):
    import numpy as np

    emit("probe", {"table": np.array([[1.0, np.inf]]), "low": -np.inf, "name": "λ"}, "", as_json=True)
    line = capsys.readouterr().out
    assert line.isascii()
    assert json.loads(line) == {
        "schema": "gdln.probe/1",
        "version": version("gdln-workbench"),
        "table": [[1.0, "inf"]],
        "low": "-inf",
        "name": "λ",
    }


def test_json_refuses_nan():
    with pytest.raises(ValueError, match="JSON"):
        emit("probe", {"value": float("nan")}, "", as_json=True)


def test_every_verb_is_a_module_with_a_command():
    for module in pkgutil.iter_modules(commands.__path__):
        found = import_module(f"{commands.__name__}.{module.name}")
        assert callable(found.command), module.name
        assert isinstance(found.MAY_BEGIN_WITH_MINUS, bool), module.name


def test_every_verb_that_reads_a_problem_takes_other_values(capsys):
    names = [module.name for module in pkgutil.iter_modules(commands.__path__)]
    verbs = {name: import_module(f"{commands.__name__}.{name}") for name in names}
    words = {name: set(signature(verb.command).parameters) for name, verb in verbs.items()}
    assert [name for name, given in words.items() if "problem" in given and "settings" not in given] == []
    for name in [name for name, given in words.items() if "settings" in given]:
        file = ["show", str(problem_file("small-bump"))] if name == "data" else [str(problem_file("small-bump"))]
        assert cli.main([name, *file, "--set", "data.gain=3", "--set", "data.gain=-3"]) == BAD_INPUT
        assert "data.gain = -3 must be > 0" in capsys.readouterr().err, name


def not_problems(folder):
    """Paths that are no problem file."""
    contents = {
        "empty.toml": b"",
        "binary.toml": bytes(range(256)),
        "latin.toml": b"# \xe9",
        "code.toml": b"__import__('os').system('true')",
        "half.toml": b"[data]\nlaw = 'nlgp'\n",
    }
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    return [folder, folder / "missing.toml", *(folder / name for name in contents)]


@pytest.mark.parametrize("verb_name", ["solve", "simulate"])
def test_a_path_that_is_no_problem(verb_name, tmp_path, capsys):
    for path in not_problems(tmp_path):
        assert cli.main([verb_name, str(path), "--json"]) == BAD_INPUT, path
        shown = capsys.readouterr()
        error = json.loads(shown.out)["error"]
        assert path.name in error["message"], path
        assert error["hint"], path
        assert "Traceback" not in shown.err
