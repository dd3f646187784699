"""The README taken at its word: its fenced blocks by heading, and a match of what is printed with what is shown.

A mark is an HTML comment on the line before a block. `<!-- file NAME -->` writes the block to a file of that name,
`<!-- not run: REASON -->` leaves it out. A line `...` stands for any lines, `...` inside a line for any characters.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

_BLOCK = re.compile(
    r"(?:^<!-- (?P<mark>.*?) -->\n)?^```(?P<language>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)
_HEADING = re.compile(r"^#{2,} ", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block of the README: its language, its text, and the mark before it (empty without one)."""

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
