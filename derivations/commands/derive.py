"""`gdln derive [PAGE...]`: the book, made from claims, evidence and prose; `--check` only compares."""

from pathlib import Path
from typing import Annotated

import typer

from derivations import output

MAY_BEGIN_WITH_MINUS = False


def command(
    pages: Annotated[list[str] | None, typer.Argument(metavar="PAGE", help="Names of pages; all by default.")] = None,
    format: Annotated[str, typer.Option(help="md, html (one file a page) or pdf (needs the extra docs).")] = "md",
    out: Annotated[
        Path | None, typer.Option(help="Folder; by default the book itself for md, gdln-book for html and pdf.")
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Write nothing; compare with the stored pages.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> int:
    """Make the pages of the book from the claims, their evidence and the prose around them."""
    return output.run(lambda: _derive(pages or [], format, out, check, as_json), as_json)


def _derive(names: list[str], kind: str, out: Path | None, check: bool, as_json: bool) -> int:
    from derivations.publish import compose
    from theory.claims import catalog
    from theory.problem.errors import InputError
    from theory.problem.numbers import one_of

    one_of(kind, "--format", ("md", "html", "pdf"))
    if check and kind != "md":
        raise InputError(f"--check compares the Markdown pages, not {kind}.", "Leave --format out.")
    folder = out or (compose.BOOK if kind == "md" else Path("gdln-book"))
    pages = compose.sources()
    chosen = compose.select(names, pages)
    book = compose.Book(catalog(), pages)
    rendered = {name: book.render(name) for name in chosen}
    figures = {name: data for page in chosen for name, data in book.figures(page).items()}
    if check:
        differences = compose.compare(rendered, folder, whole=not names)
        differences += compose.compare_figures(figures, folder, whole=not names)
    else:
        differences = []
        _write(rendered, figures, kind, folder, leftovers=not names and folder == compose.BOOK)
    payload = {
        "pages": chosen,
        "folder": str(folder),
        "checked": check,
        "differences": [compose.as_data(item) for item in differences],
        "stale": book.stale,
    }
    output.emit("derive", payload, "" if as_json else _text(payload, kind), as_json)
    return output.CHECK_FAILED if differences or book.stale else output.PASS


def _write(rendered: dict[str, str], figures: dict, kind: str, folder: Path, leftovers: bool) -> None:
    from tempfile import TemporaryDirectory

    from derivations.atomic import write_text
    from derivations.publish import book_figures
    from theory.problem.errors import InputError

    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file, not a folder.", "Name another folder with --out.")
    if not folder.parent.is_dir():
        raise InputError(f"The folder {folder.parent} does not exist.", "Create it, or name another with --out.")
    folder.mkdir(exist_ok=True)
    with TemporaryDirectory() as inside:
        images = folder if kind == "md" else Path(inside)
        for name, data in figures.items():
            book_figures.write(name, data, images)
        for name, text in rendered.items():
            if kind == "md":
                write_text(folder / f"{name}.md", text)
            else:
                _write_page(text, kind, folder / f"{name}.{kind}", images)
    if leftovers:
        old = [path for path in folder.glob("*.md") if path.stem not in rendered]
        old += [path for path in (folder / book_figures.FOLDER).glob("*") if path.stem not in figures]
        for path in old:
            path.unlink()


def _write_page(text: str, kind: str, path: Path, images: Path) -> None:
    from derivations.atomic import write_text
    from derivations.publish import html, pdf

    if kind == "html":
        write_text(path, html.page(text, html.title_of(text), images))
    else:
        pdf.write(text, html.title_of(text), path, images)


def _text(payload: dict, kind: str) -> str:
    lines = []
    for item in payload["differences"]:
        name = item["page"] if "/" in item["page"] else f"{item['page']}.md"
        lines.append(f"{name} is {item['status']}" + (f", {item['where']}:" if item["where"] else ""))
        if item["where"]:
            lines += [f"  stored  {item['stored'][:110]}", f"  now     {item['rendered'][:110]}"]
    if payload["stale"]:
        names = ", ".join(payload["stale"])
        lines.append(f"Without current evidence (gdln validate --write-evidence): {names}.")
    if payload["differences"]:
        lines.append("Run gdln derive and look at what changed.")
    elif payload["checked"]:
        lines.append(f"{len(payload['pages'])} pages are what the claims and the prose give.")
    else:
        lines += [f"{payload['folder']}/{name}.{kind}" for name in payload["pages"]]
    return "\n".join(lines)
