"""`gdln validate`: the main job. Derive, certify, train, compare, write the report."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from derivations import output
from derivations.commands import Timeout

MAY_BEGIN_WITH_MINUS = False


def command(
    claims: Annotated[list[str] | None, typer.Argument(help="Claim ids, or their beginnings; all by default.")] = None,
    profile: Annotated[
        str,
        typer.Option(help="quick (changed claims, and others within a budget) or full (all, 4x replicates)."),
    ] = "quick",
    out: Annotated[Path, typer.Option(help="Folder of the report.")] = Path("gdln-report"),
    device: Annotated[str, typer.Option(help="auto, cpu or cuda.")] = "auto",
    seed: Annotated[int | None, typer.Option(help="Repeat the quick run that printed this seed.")] = None,
    write_evidence: Annotated[
        bool, typer.Option("--write-evidence", help="Run every check in full and store the evidence of each claim.")
    ] = False,
    changed: Annotated[
        bool, typer.Option("--changed", help="Show only claims whose outcome differs from the last report.")
    ] = False,
    timeout: Timeout = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> int:
    """Derive every claim, certify its numbers, train the networks that it is about, and give the verdicts."""

    def body() -> int:
        return _validate(claims or [], profile, out, device, seed, write_evidence, changed, as_json)

    return output.run(body, as_json, timeout)


def _validate(
    names: list[str],
    profile: str,
    out: Path,
    device: str,
    seed: int | None,
    write_evidence: bool,
    changed: bool,
    as_json: bool,
) -> int:
    from derivations.answers import validate
    from derivations.progress import bars

    def announce(text: str) -> None:
        print(f"gdln: {text}", file=sys.stderr, flush=True)

    with bars() as report:
        answer = validate.answer(names, profile, out, device, write_evidence, seed, changed, report, announce)
    output.show("validate", answer, as_json)
    return {"PASS": output.PASS, "FAIL": output.CHECK_FAILED, "INCONCLUSIVE": output.UNDECIDED}[answer.outcome.value]
