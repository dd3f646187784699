"""`gdln validate`: the main job. Derive, certify, train, compare, write the report."""

from pathlib import Path
from typing import Annotated

import typer

from derivations import output
from derivations.commands import Timeout

MAY_BEGIN_WITH_MINUS = False


def command(
    claims: Annotated[list[str] | None, typer.Argument(help="Claim ids, or their beginnings; all by default.")] = None,
    profile: Annotated[str, typer.Option(help="quick (minutes) or full (four times the replicates).")] = "quick",
    out: Annotated[Path, typer.Option(help="Folder of the report.")] = Path("gdln-report"),
    device: Annotated[str, typer.Option(help="auto, cpu or cuda.")] = "auto",
    write_evidence: Annotated[bool, typer.Option("--write-evidence", help="Store the evidence of each claim.")] = False,
    timeout: Timeout = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> int:
    """Derive every claim, certify its numbers, train the networks it speaks of, and give the verdicts."""
    return output.run(lambda: _validate(claims or [], profile, out, device, write_evidence, as_json), as_json, timeout)


def _validate(names: list[str], profile: str, out: Path, device: str, write_evidence: bool, as_json: bool) -> int:
    from derivations.answers import validate
    from derivations.progress import bars

    with bars() as report:
        answer = validate.answer(names, profile, out, device, write_evidence, report)
    output.show("validate", answer, as_json)
    return {"PASS": output.PASS, "FAIL": output.CHECK_FAILED, "INCONCLUSIVE": output.UNDECIDED}[answer.outcome.value]
