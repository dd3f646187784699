"""`gdln ledger`: every statement of the sources with its verdict, from claims and stored evidence; nothing is run."""

from pathlib import Path
from typing import Annotated

import typer

from derivations import output
from derivations.commands import Timeout

MAY_BEGIN_WITH_MINUS = False


def command(
    folder: Annotated[Path | None, typer.Argument(help="A folder of notes, in place of the sources.")] = None,
    document: Annotated[str | None, typer.Option(help="Only this document (its file stem).")] = None,
    verdict: Annotated[
        str | None,
        typer.Option(help="Only this verdict: CONFIRMED, CORRECTED, REFUTED, BROKEN, OPEN, DEFINITION or STALE."),
    ] = None,
    timeout: Timeout = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> int:
    """List every statement of the sources with its verdict and, where it is printed wrong, the statement that holds."""
    return output.run(lambda: _ledger(document, verdict, folder, as_json), as_json, timeout)


def _ledger(document: str | None, verdict: str | None, folder: Path | None, as_json: bool) -> int:
    from derivations.answers import ledger

    answer = ledger.answer(document, verdict) if folder is None else ledger.of_notes(folder, document, verdict)
    output.show("ledger", answer, as_json)
    return output.CHECK_FAILED if answer.stale else output.PASS
