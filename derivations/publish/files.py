"""The files of the book (pages, drawings, figures with their data), written into a folder or compared with one."""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from derivations.atomic import write_text
from derivations.publish import book_figures
from derivations.publish.compose import BOOK, Book

FIGURES = book_figures.FOLDER


@dataclass(frozen=True)
class Difference:
    """A page or figure of the book that differs from what claims and prose give; `where` is a line or a number."""

    page: str
    status: str  # stale, missing, left over
    where: str = ""
    stored: str = ""
    rendered: str = ""


@dataclass(frozen=True)
class Files:
    """The texts by their paths, and the data of the figures by their names."""

    texts: Mapping[str, str]
    figures: Mapping[str, book_figures.Data]

    @property
    def paths(self) -> set[str]:
        """The paths of all files."""
        return {*self.texts, *(f"{FIGURES}/{name}{kind}" for name in self.figures for kind in (".json", ".svg"))}


def files_of(book: Book, chosen: Sequence[str]) -> Files:
    """Return the files of these pages."""
    drawings = {f"{FIGURES}/{name}.svg": text for page in chosen for name, text in book.drawings(page).items()}
    figures = {name: data for page in chosen for name, data in book.figures(page).items()}
    return Files({**{f"{name}.md": book.render(name) for name in chosen}, **drawings}, figures)


def write(files: Files, folder: Path) -> None:
    """Write the files; of the stored figures only those whose data have changed are drawn anew."""
    if FIGURES in {path.partition("/")[0] for path in files.paths}:
        (folder / FIGURES).mkdir(exist_ok=True)
    for path, text in files.texts.items():
        write_text(folder / path, text)
    for name, data in files.figures.items():
        for file in (BOOK / FIGURES).glob(f"{name}.*") if folder.resolve() != BOOK.resolve() else ():
            shutil.copyfile(file, folder / FIGURES / file.name)
        book_figures.write(name, data, folder)


def compare(files: Files, folder: Path, whole: bool) -> list[Difference]:
    """Return the differences of the files in `folder` from these; with `whole`, also files that are not among them."""
    different = [_text_difference(folder / path, path, text) for path, text in files.texts.items()]
    for name, numbers in files.figures.items():
        different += [Difference(f"{FIGURES}/{name}", *one) for one in book_figures.differences(name, numbers, folder)]
    obsolete = left_over(files, folder) if whole else []
    return [
        *(one for one in different if one),
        *(Difference(_name(str(path.relative_to(folder))), "left over") for path in obsolete),
    ]


def left_over(files: Files, folder: Path) -> list[Path]:
    """Return the pages and figures in `folder` that are not among the files."""
    inside = (*folder.glob("*.md"), *(folder / FIGURES).glob("*"))
    return sorted(path for path in inside if str(path.relative_to(folder)) not in files.paths)


def _text_difference(file: Path, path: str, text: str) -> Difference | None:
    if not file.is_file():
        return Difference(_name(path), "missing")
    stored = file.read_text(encoding="utf-8")
    if stored == text:
        return None
    both = list(zip_longest(stored.splitlines(), text.splitlines(), fillvalue=""))
    line = next((number for number, (old, new) in enumerate(both, start=1) if old != new), len(both))
    return Difference(_name(path), "stale", f"line {line}", *both[line - 1])


def _name(path: str) -> str:
    return path.removesuffix(".md")
