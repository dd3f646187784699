"""`gdln ledger`: every statement of the sources with its verdict, from claims and stored evidence; nothing is run."""

from typing import Annotated

import typer

from derivations import output
from derivations.commands import Timeout

MAY_BEGIN_WITH_MINUS = False


def command(
    document: Annotated[str | None, typer.Option(help="Only this document (its file stem).")] = None,
    verdict: Annotated[
        str | None,
        typer.Option(help="Only this verdict: CONFIRMED, CORRECTED, REFUTED, BROKEN, OPEN, DEFINITION or STALE."),
    ] = None,
    timeout: Timeout = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> int:
    """List every statement of the sources with its verdict and, where it is printed wrong, the statement that holds."""
    return output.run(lambda: _ledger(document, verdict, as_json), as_json, timeout)


def _ledger(document: str | None, verdict: str | None, as_json: bool) -> int:
    from derivations.answers import ledger

    answer = ledger.answer(document, verdict)
    output.show("ledger", answer, as_json)
    return output.CHECK_FAILED if answer.stale else output.PASS
