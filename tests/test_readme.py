"""Every example of the README and the manual, run as it stands there: a command or an expression gives what they show.

A mark is an HTML comment on the line before a block. `<!-- file NAME -->` writes the block to a file of that name,
`<!-- not run: REASON -->` leaves it out. A line `...` stands for any lines, `...` inside a line for any characters.
"""

import ast
import doctest
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import pytest

from derivations import cli
from derivations.answers import simulate
from tests.paths import ROOT

pytestmark = pytest.mark.slow
_BLOCK = re.compile(
    r"(?:^<!-- (?P<mark>.*?) -->\n)?^```(?P<language>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)
_HEADING = re.compile(r"^#{2,} ", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, and the mark before it (empty without one)."""

    language: str
    text: str
    mark: str

    @property
    def file(self) -> str | None:
        """The name under which the block is written, or None."""
        return self.mark.removeprefix("file ") if self.mark.startswith("file ") else None

    @property
    def left_out(self) -> bool:
        """Whether the block says that it is not run, and why."""
        return self.mark.startswith(("not run: ", "command "))


def sections(text: str) -> dict[str, list[Block]]:
    """The blocks below each heading of the second or a deeper level, by the heading's words."""
    found = {}
    for part in _HEADING.split(text)[1:]:
        title, _, body = part.partition("\n")
        found[title] = [Block(m["language"], m["text"], m["mark"] or "") for m in _BLOCK.finditer(body)]
    return found


def commands(text: str) -> Iterator[tuple[str, str]]:
    """The commands of a console block, each with the lines shown below it; a line that ends in a backslash goes on."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        lines = part.splitlines()
        count = next(index for index, line in enumerate(lines, 1) if not line.endswith("\\"))
        yield " ".join(line.removesuffix("\\").strip() for line in lines[:count]), "\n".join(lines[count:])


def shows(shown: str, printed: str) -> bool:
    """Whether `printed` is `shown`, where `...` stands for any lines or for any characters of one line."""
    lines = (re.escape(line).replace(r"\.\.\.", "[^\n]*") for line in shown.splitlines())
    pattern = "".join("(?:[^\n]*\n)*" if line == "[^\n]*" else f"{line}[ ]*\n" for line in lines)
    ended = printed if printed.endswith("\n") or not printed else f"{printed}\n"
    return re.fullmatch(pattern, ended) is not None


def statements(text: str) -> Iterator[tuple[str, str]]:
    """The statements of a Python block; behind an expression a comment is the value that it has, else empty."""
    lines = text.splitlines()
    for node in ast.parse(text).body:
        source = "\n".join(lines[node.lineno - 1 : node.end_lineno])
        _, _, value = lines[node.end_lineno - 1][node.end_col_offset :].partition("# ")
        yield source, value if isinstance(node, ast.Expr) else ""


FILES = (ROOT / "README.md", *sorted((ROOT / "derivations" / "manual").glob("*.md")))
SECTIONS = {
    f"{file.stem}: {title}": blocks
    for file in FILES
    for title, blocks in sections(file.read_text(encoding="utf-8")).items()
}
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
                assert shows(shown, printed), f"$ {command}\nprints\n{printed}and the page shows\n{shown}"
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
