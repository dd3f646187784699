"""The answer of `gdln derive`: the book, made from claims, evidence and prose, or compared with the stored one."""

import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from derivations.atomic import check_folder, write_text
from derivations.publish import book_figures, compose, pdf, places
from derivations.publish.compose import Book, Difference
from derivations.publish.site import Site
from derivations.publish.site_frame import CLAIMS, TITLE
from theory.claims import catalog
from theory.problem import InputError
from theory.problem.numbers import one_of

FORMATS = ("md", "html", "pdf")
PDF = "book.pdf"


@dataclass(frozen=True)
class DeriveAnswer:
    """The pages that were written into `folder`, or compared with it; the claims without current evidence.

    `files` are the files that a reader opens, of the pages written.
    """

    pages: tuple[str, ...]
    folder: Path
    files: tuple[str, ...]
    checked: bool
    differences: tuple[Difference, ...]
    stale: tuple[str, ...]

    def json(self) -> dict[str, Any]:
        """The object that `gdln derive --json` prints."""
        return {
            "pages": list(self.pages),
            "folder": str(self.folder),
            "files": list(self.files),
            "checked": self.checked,
            "differences": [compose.as_data(item) for item in self.differences],
            "stale": list(self.stale),
        }

    def text(self) -> str:
        """The files written, or the first difference of each page, for a reader."""
        content = self.json()
        lines = []
        for item in content["differences"]:
            name = item["page"] if "/" in item["page"] else f"{item['page']}.md"
            lines.append(f"{name} is {item['status']}" + (f", {item['where']}:" if item["where"] else ""))
            if item["where"]:
                lines += [f"  stored  {item['stored'][:110]}", f"  now     {item['rendered'][:110]}"]
        if content["stale"]:
            names = ", ".join(content["stale"])
            lines.append(f"Without current evidence (gdln validate --write-evidence): {names}.")
        if content["differences"]:
            lines.append("Run gdln derive --write and look at what changed.")
        elif content["checked"]:
            lines.append(f"{len(content['pages'])} pages are what the claims and the prose give.")
        else:
            lines += [f"{content['folder']}/{name}" for name in content["files"]]
        return "\n".join(lines)


def answer(
    pages: Sequence[str] = (),
    format: str = "md",
    folder: Path | None = None,
    check: bool = False,
    write: bool = False,
) -> DeriveAnswer:
    """Write the pages named (all by default) into `folder`, by default gdln-book.

    With `check` they are only compared with the stored book, or with `folder`; with `write` the stored book, which is
    part of the source, is made anew. Raises InputError for a page, directive or format that does not exist and for
    settings that exclude each other, OutOfReachError for PDF without its extra.

    >>> answer(["errata"], check=True).differences
    ()
    """
    one_of(format, "--format", FORMATS)
    if check and format != "md":
        raise InputError(f"--check compares the Markdown pages, not {format}.", "Leave --format out.")
    if write and (check or folder is not None or format != "md"):
        raise InputError(
            "--write makes the stored Markdown book anew; it excludes --check, --out and other formats.",
            "Leave one of them out.",
            "usage",
        )
    folder = folder or (compose.BOOK if check or write else Path("gdln-book"))
    sources = places.sources()
    chosen = compose.select(list(pages), sources)
    if not check:
        _prepare(folder)
    book = compose.Book(catalog(), sources, folds=format == "html")
    differences = _compared(book, chosen, folder, whole=not pages) if check else []
    files = () if check else _WRITERS[format](book, chosen, folder)
    if write and not pages:
        _remove_left_over(book, folder)
    return DeriveAnswer(tuple(chosen), folder, files, check, tuple(differences), tuple(book.stale))


def _compared(book: Book, chosen: Sequence[str], folder: Path, whole: bool) -> list[Difference]:
    rendered = {name: book.render(name) for name in chosen}
    figures, drawings = _drawn(book, chosen)
    return [
        *compose.compare(rendered, folder, whole),
        *compose.compare_figures(figures, folder, whole),
        *compose.compare_drawings(drawings, folder, whole),
    ]


def _drawn(book: Book, chosen: Sequence[str]) -> tuple[dict[str, book_figures.Data], dict[str, str]]:
    """The data of all figures on the pages, and the drawings."""
    figures = {name: data for page in chosen for name, data in book.figures(page).items()}
    return figures, {name: text for page in chosen for name, text in book.drawings(page).items()}


def _write_markdown(book: Book, chosen: Sequence[str], folder: Path) -> tuple[str, ...]:
    _write_figures(book, chosen, folder)
    for name in chosen:
        write_text(folder / f"{name}.md", book.render(name))
    return tuple(f"{name}.md" for name in chosen)


def _write_site(book: Book, chosen: Sequence[str], folder: Path) -> tuple[str, ...]:
    _write_figures(book, chosen, folder)
    Site(book, chosen).write(folder)
    return (*(f"{name}.html" for name in chosen), f"{CLAIMS}/index.html")


def _write_pdf(book: Book, chosen: Sequence[str], folder: Path) -> tuple[str, ...]:
    with TemporaryDirectory() as images:
        _write_figures(book, chosen, Path(images))
        chapters = {name: book.render(name) for name in chosen}
        numbers = {name: number for number, name in enumerate(book.pages)}
        pdf.write(chapters, numbers, TITLE, folder / PDF, Path(images))
    return (PDF,)


_WRITERS = {"md": _write_markdown, "html": _write_site, "pdf": _write_pdf}


def _prepare(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file, not a folder.", "Name another folder with --out.")
    check_folder(folder.parent, "--out")
    folder.mkdir(exist_ok=True)


def _write_figures(book: Book, chosen: Sequence[str], folder: Path) -> None:
    figures, drawings = _drawn(book, chosen)
    if folder.resolve() != compose.BOOK.resolve():
        _copy_stored(figures, folder)
    for name, data in figures.items():
        book_figures.write(name, data, folder)
    for name, drawn in drawings.items():
        (folder / book_figures.FOLDER).mkdir(exist_ok=True)
        write_text(folder / book_figures.FOLDER / f"{name}.svg", drawn)


def _copy_stored(names: Iterable[str], folder: Path) -> None:
    """Copy the stored figures; those whose data have changed are drawn anew afterwards."""
    for name in names:
        for file in (compose.BOOK / book_figures.FOLDER).glob(f"{name}.*"):
            (folder / book_figures.FOLDER).mkdir(exist_ok=True)
            shutil.copyfile(file, folder / book_figures.FOLDER / file.name)


def _remove_left_over(book: Book, folder: Path) -> None:
    """Remove pages and figures of the stored book that no page makes."""
    figures, drawings = _drawn(book, tuple(book.pages))
    old = [path for path in folder.glob("*.md") if path.stem not in book.pages]
    kept = {f"{name}{kind}" for name in figures for kind in (".json", ".svg")} | {f"{name}.svg" for name in drawings}
    old += [path for path in (folder / book_figures.FOLDER).glob("*") if path.name not in kept]
    for path in old:
        path.unlink()
