"""Every example of the README, run as it stands there: a command or an expression gives what the README shows."""

import doctest
import re
import shlex
from functools import cache

import pytest

from derivations import cli
from derivations.answers import simulate
from tests.paths import ROOT
from tests.readme import commands, sections, shows, statements

pytestmark = pytest.mark.xdist_group("readme")  # verbs that train the same networks share them

README = (ROOT / "README.md").read_text(encoding="utf-8")
SECTIONS = sections(README)
RUN = [title for title, blocks in SECTIONS.items() if any(b.language in ("console", "python") for b in blocks)]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder in which the packages lie as they do in a clone."""
    for package in ("theory", "sim", "derivations"):
        (tmp_path / package).symlink_to(ROOT / package)
    monkeypatch.chdir(tmp_path)
    return tmp_path


ANSWER = cache(simulate.answer)


@pytest.fixture
def trained_once(monkeypatch):
    """Verbs that ask for the same networks, trained and measured alike, get one answer."""

    def answer(problem, device, backend, memory, _progress, _measuring, dtype=None, threads=1, alignment=False):
        return ANSWER(problem, device, backend, memory, dtype=dtype, threads=threads, alignment=alignment)

    monkeypatch.setattr(simulate, "answer", answer)


@pytest.mark.parametrize("title", RUN)
def test_examples_give_what_is_shown(title, folder, trained_once, capsys):
    names: dict[str, object] = {}
    for block in SECTIONS[title]:
        if block.file is not None:
            (folder / block.file).write_text(block.text, encoding="utf-8")
        if block.left_out:
            continue
        if block.language == "console":
            for command, shown in commands(block.text):
                program, *words = shlex.split(command)
                assert program == "gdln"
                cli.main(words)
                printed = capsys.readouterr().out
                assert shows(shown, printed), f"$ {command}\nprints\n{printed}and the README shows\n{shown}"
        elif block.language == "python":
            names = run(block.text, names)


def run(text: str, names: dict[str, object]) -> dict[str, object]:
    """Run a block of Python in the names of those before it; a value that is not the one shown fails."""
    examples = [doctest.Example(source, f"{value}\n" if value else "") for source, value in statements(text)]
    test = doctest.DocTest(examples, names, "README.md", "README.md", 0, text)
    said: list[str] = []
    failed, _ = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=said.append, clear_globs=False)
    assert failed == 0, "".join(said)
    return test.globs


def test_nothing_is_left_out_without_a_reason():
    left_out = [block.mark for blocks in SECTIONS.values() for block in blocks if block.mark.startswith("not run")]
    assert all(re.fullmatch(r"not run: \w.{10,}", mark) for mark in left_out), left_out
    assert len(left_out) <= 1


def test_every_verb_is_shown():
    verbs = {command.split()[1] for blocks in SECTIONS.values() for b in blocks for command, _ in commands(b.text)}
    for file in (ROOT / "derivations/commands").glob("[a-z]*.py"):
        assert file.stem in verbs or f"`gdln {file.stem}" in README, file.stem


PLANTED = [
    ("0.5692 (0.0006)", "0.5696 (0.0006)\n"),
    ("a\n...\nb", "a\nc\n"),
    ("a\nb", "a\nx\nb\n"),
    ("", "something\n"),
    ("a", ""),
    ("at ... sites", "at 3\nsites\n"),
]


@pytest.mark.parametrize(("shown", "printed"), PLANTED)
def test_a_difference_is_seen(shown, printed):
    assert not shows(shown, printed)


@pytest.mark.parametrize("shown", ["a\nb\nc", "...\nc", "a\n...", "a\n...\nc", "...", "a\n...\nb\nc", "a\n...\n...c"])
def test_dots_stand_for_lines(shown):
    assert shows(shown, "a\nb\nc\n")


def test_a_wrong_value_of_python_is_seen():
    assert run("x = 2\nx + 1  # 3", {})["x"] == 2
    with pytest.raises(AssertionError, match="Expected"):
        run("x = 2\nx + 1  # 4", {})
    with pytest.raises(AssertionError, match="ZeroDivisionError"):
        run("1 / 0", {})


def test_blocks_are_read():
    text = "## A\n<!-- file a.toml -->\n```toml\nx = 1\n```\n### B\n```console\n$ gdln x \\\n    y\nz\n$ gdln w\n```\n"
    (a,), (b,) = sections(text).values()
    assert (a.file, a.text, b.mark) == ("a.toml", "x = 1\n", "")
    assert list(commands(b.text)) == [("gdln x y", "z"), ("gdln w", "")]
