"""The pages as a reader sees them: plain sentences and table rows, and the numbers in them.

A text is compared after the marks of Markdown and TeX are taken out of it, so that it is found however its mathematics
is written. A number is a decimal, a fraction or a power of ten: 0.411, 3/42, 4e-35, 4 cdot 10^-35.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise

from tests.paths import ROOT

BOOK = ROOT / "derivations" / "book"
_POWER = r"10\^-?\d+"
_DECIMAL = rf"\d+(?:,\d{{3}})*(?:(?:\.\d+)? cdot {_POWER}|\.\d+(?:e-?\d+)?|e-\d+|/\d+)"
NUMBER = re.compile(rf"(?<![\w./])(?:{_DECIMAL}|{_POWER})(?![\w/]|\.\d)")
_WORDS = {"≥": " geq ", "\\geq": " geq ", "≤": " leq ", "\\leq": " leq ", "⟨": " langle ", "⟩": " rangle "}
_WORDS |= {"±": "+-", "\\pm": "+-", "−": "-", "ξ": "xi", "τ": "tau", "\\cdot": " cdot ", "·": " cdot "}


@dataclass
class Unit:
    """A sentence, list entry or table row of a page, without marks; `seen` are the spans that a list accounts for."""

    page: str
    claim: str
    raw: str
    text: str
    seen: list[tuple[int, int]] = field(default_factory=list)

    def unseen(self) -> Iterator[str]:
        """The numbers that no list accounts for."""
        for match in NUMBER.finditer(self.text):
            if not any(start <= match.start() and match.end() <= end for start, end in self.seen):
                yield match.group()


def plain(text: str) -> str:
    """Return the text without the marks of Markdown and TeX; code, such as an id, is left out."""
    text = re.sub(r"\]\([^)]*\)", "]", text)
    text = re.sub(r"`[^`]*`", "`", text)
    text = re.sub(r"\\[td]?frac\s*\{(\d+)\}\s*\{(\d+)\}", r" \1/\2 ", text)
    text = re.sub(r"\\[td]?frac\s*(\d)(\d)", r" \1/\2 ", text)
    for mark, word in _WORDS.items():
        text = text.replace(mark, word)
    text = re.sub(r"\\[,;!> ]", lambda mark: ">" if mark.group() == "\\>" else " ", text)
    text = unicodedata.normalize("NFKD", text)
    text = re.sub(r"(?<=\d)\^\{?(?=-?\d)", "POWER", text)  # 0.1^2 is no 0.12
    text = re.sub(r"[$\\{}_*^]", "", text).replace("POWER", "^")
    return spaced(text)


def spaced(text: str) -> str:
    """Return the text with its spaces as they stand in a sentence, however its mathematics is set."""
    text = re.sub(r"\s*([=<>])\s*", r" \1 ", text)
    text = re.sub(r"\s+(?=[),.;:\]])|(?<=[(\[])\s+", "", text)
    return re.sub(r"\s+", " ", text).strip()


@cache
def units() -> tuple[Unit, ...]:
    """All units of all pages, in order."""
    return tuple(unit for page in sorted(BOOK.glob("*.md")) for unit in _units(page.stem, page.read_text("utf-8")))


def _units(page: str, text: str) -> Iterator[Unit]:
    text = re.sub(r"^<!--.*?-->", "", text)
    text = re.sub(r"^ *\$\$\n.*?^ *\$\$$", "", text, flags=re.M | re.S)
    claim, open_lines = "", []
    for line in [*text.split("\n"), ""]:
        anchor = re.fullmatch(r'<a id="([\w.]+)"></a>', line)
        starts = re.match(r"[|#<-]|\d+\. |!", line)
        if open_lines and (not line.strip() or starts):
            yield Unit(page, claim, "\n".join(open_lines), plain(" ".join(open_lines)))
            open_lines = []
        if anchor:
            claim = anchor.group(1)
        elif line.startswith("## "):
            claim = ""
        if line.startswith("|"):
            yield Unit(page, claim, line, plain(line))
        elif line.strip() and not anchor and not line.startswith("!"):
            open_lines.append(line)


def claimed(text: str) -> list[tuple[Unit, list[str]]]:
    """Return the units that have the text, in which each number that is stated stands in braces, with these numbers.

    Their spans are marked as seen.
    """
    text = spaced(text)
    plain_text = text.replace("{", "").replace("}", "")
    numbers = re.findall(r"\{([^}]*)\}", text)
    found = []
    for unit in units():
        at = unit.text.find(plain_text)
        while at >= 0:
            _mark(unit, at, text)
            found.append((unit, numbers))
            at = unit.text.find(plain_text, at + 1)
    return found


def _mark(unit: Unit, at: int, text: str) -> None:
    for piece in re.split(r"(\{[^}]*\})", text):
        size = len(piece) - 2 if piece.startswith("{") else len(piece)
        if piece.startswith("{"):
            unit.seen.append((at, at + size))
        at += size


def given(pattern: str) -> None:
    """Mark the numbers within what the pattern matches as seen."""
    for unit in units():
        unit.seen.extend(match.span() for match in re.finditer(pattern, unit.text))


def tables(page: str) -> list[list[Unit]]:
    """Return the tables of a page, each a list of its rows: the heads, the line below them, and the others."""
    lines = [unit for unit in units() if unit.page == page and unit.raw.startswith("|")]
    heads = [i - 1 for i, unit in enumerate(lines) if re.fullmatch(r"[|\s:-]+", unit.raw)]
    return [lines[start:end] for start, end in pairwise([*heads, len(lines)])]


def cells(row: str) -> list[str]:
    """Return the cells of a row of a table."""
    return [cell.strip() for cell in row.strip().strip("|").split("|")]


def see(unit: Unit) -> None:
    """Mark a whole unit as seen."""
    unit.seen.append((0, len(unit.text)))
