"""The answer of `gdln derive`: the book, made from claims, evidence and prose, or compared with the stored one."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from derivations.atomic import check_folder
from derivations.publish import compose, files, pdf, places, site
from theory.claims import catalog
from theory.problem import InputError
from theory.problem.numbers import one_of

FORMATS = ("md", "html", "pdf")
PDF = "book.pdf"
Written = tuple[tuple[str, ...], list[str]]  # the files that a reader opens, and warnings


@dataclass(frozen=True)
class DeriveAnswer:
    """The pages that were written into `folder`, or compared with it; the claims without current evidence.

    `files` are the files that a reader opens, of the pages written; `warnings` are those of Sphinx.
    """

    pages: tuple[str, ...]
    folder: Path
    files: tuple[str, ...]
    checked: bool
    differences: tuple[files.Difference, ...]
    stale: tuple[str, ...]
    warnings: tuple[str, ...] = ()

    def json(self) -> dict[str, Any]:
        """The object that `gdln derive --json` prints."""
        return {
            "pages": list(self.pages),
            "folder": str(self.folder),
            "files": list(self.files),
            "checked": self.checked,
            "differences": [asdict(item) for item in self.differences],
            "stale": list(self.stale),
            "warnings": list(self.warnings),
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
        lines += content["warnings"]
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
    book = compose.Book(catalog(), sources)
    contents = files.files_of(book, chosen)
    differences = files.compare(contents, folder, whole=not pages) if check else []
    written, warnings = ((), []) if check else _WRITERS[format](book, chosen, contents, folder)
    if write and not pages:
        for path in files.left_over(contents, folder):
            path.unlink()
    return DeriveAnswer(tuple(chosen), folder, written, check, tuple(differences), tuple(book.stale), tuple(warnings))


def _write_markdown(_book: compose.Book, chosen: Sequence[str], contents: files.Files, folder: Path) -> Written:
    files.write(contents, folder)
    return tuple(f"{name}.md" for name in chosen), []


def _write_site(book: compose.Book, _chosen: Sequence[str], contents: files.Files, folder: Path) -> Written:
    return ("index.html",), site.write(book, contents, folder)


def _write_pdf(book: compose.Book, chosen: Sequence[str], contents: files.Files, folder: Path) -> Written:
    with TemporaryDirectory() as images:
        files.write(contents, Path(images))
        chapters = {name: contents.texts[f"{name}.md"] for name in chosen}
        pdf.write(chapters, {name: at for at, name in enumerate(book.pages)}, site.TITLE, folder / PDF, Path(images))
    return (PDF,), []


_WRITERS = {"md": _write_markdown, "html": _write_site, "pdf": _write_pdf}


def _prepare(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file, not a folder.", "Name another folder with --out.")
    check_folder(folder.parent, "--out")
    folder.mkdir(exist_ok=True)
