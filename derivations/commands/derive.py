"""`gdln derive [PAGE...]`: make the book from claims, evidence and prose; `--check` compares it with the stored one."""

from pathlib import Path
from typing import Annotated

import typer

from derivations import output
from derivations.commands import Timeout

MAY_BEGIN_WITH_MINUS = False


def command(
    pages: Annotated[list[str] | None, typer.Argument(metavar="PAGE", help="Names of pages; all by default.")] = None,
    format: Annotated[str, typer.Option(help="md, html (a site) or pdf (one book); both need the extra docs.")] = "md",
    out: Annotated[
        Path | None, typer.Option(help="Folder; by default gdln-book, with --check the stored book.")
    ] = None,
    write: Annotated[
        bool, typer.Option("--write", help="Generate the stored book of the source tree again, for contributors.")
    ] = False,
    check: Annotated[bool, typer.Option("--check", help="Write nothing; compare with the stored pages.")] = False,
    timeout: Timeout = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> int:
    """Make the pages of the book from the claims, their evidence and the prose around them."""
    return output.run(lambda: _derive(pages or [], format, out, check, write, as_json), as_json, timeout)


def _derive(names: list[str], kind: str, out: Path | None, check: bool, write: bool, as_json: bool) -> int:
    from derivations.answers import derive

    answer = derive.answer(names, kind, out, check, write)
    output.show("derive", answer, as_json)
    return output.CHECK_FAILED if answer.differences or answer.stale or answer.warnings else output.PASS
