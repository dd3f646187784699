"""The answer of `gdln derive`: the book, made from claims, evidence and prose, or compared with the stored one."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from derivations.atomic import write_text
from derivations.publish import book_figures, compose, html, pdf
from derivations.publish.compose import Difference
from theory.claims import catalog
from theory.problem import InputError
from theory.problem.numbers import one_of

FORMATS = ("md", "html", "pdf")


@dataclass(frozen=True)
class DeriveAnswer:
    """The pages that were written into `folder`, or compared with it; the claims without current evidence."""

    pages: tuple[str, ...]
    folder: Path
    format: str
    checked: bool
    differences: tuple[Difference, ...]
    stale: tuple[str, ...]

    def json(self) -> dict[str, Any]:
        """The object that `gdln derive --json` prints."""
        return {
            "pages": list(self.pages),
            "folder": str(self.folder),
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
            lines += [f"{content['folder']}/{name}.{self.format}" for name in content["pages"]]
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
    sources = compose.sources()
    chosen = compose.select(list(pages), sources)
    book = compose.Book(catalog(), sources)
    rendered = {name: book.render(name) for name in chosen}
    figures = {name: data for page in chosen for name, data in book.figures(page).items()}
    drawings = {name: text for page in chosen for name, text in book.drawings(page).items()}
    differences: list[Difference] = []
    if check:
        differences += compose.compare(rendered, folder, whole=not pages)
        differences += compose.compare_figures(figures, folder, whole=not pages)
        differences += compose.compare_drawings(drawings, folder, whole=not pages)
    else:
        _write(rendered, figures, drawings, format, folder, leftovers=write and not pages)
    return DeriveAnswer(tuple(chosen), folder, format, check, tuple(differences), tuple(book.stale))


def _write(
    rendered: dict[str, str], figures: dict, drawings: dict[str, str], kind: str, folder: Path, leftovers: bool
) -> None:
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file, not a folder.", "Name another folder with --out.")
    if not folder.parent.is_dir():
        raise InputError(f"The folder {folder.parent} does not exist.", "Create it, or name another with --out.")
    folder.mkdir(exist_ok=True)
    with TemporaryDirectory() as inside:
        images = folder if kind == "md" else Path(inside)
        for name, data in figures.items():
            book_figures.write(name, data, images)
        for name, drawn in drawings.items():
            (images / book_figures.FOLDER).mkdir(exist_ok=True)
            write_text(images / book_figures.FOLDER / f"{name}.svg", drawn)
        for name, text in rendered.items():
            if kind == "md":
                write_text(folder / f"{name}.md", text)
            else:
                _write_page(text, kind, folder / f"{name}.{kind}", images)
    if leftovers:
        old = [path for path in folder.glob("*.md") if path.stem not in rendered]
        old += [path for path in (folder / book_figures.FOLDER).glob("*") if path.stem not in {*figures, *drawings}]
        for path in old:
            path.unlink()


def _write_page(text: str, kind: str, path: Path, images: Path) -> None:
    if kind == "html":
        write_text(path, html.page(text, html.title_of(text), images))
    else:
        pdf.write(text, html.title_of(text), path, images)
