"""`gdln validate`: the main job. Derive, certify, train, compare, write the report."""

from pathlib import Path
from typing import Annotated

import typer

from derivations import output
from derivations.commands import Timeout

MAY_BEGIN_WITH_MINUS = False


def command(
    claims: Annotated[
        list[str] | None, typer.Argument(help="Claim ids, or their beginnings; all by default. Or notes, NOTE.toml.")
    ] = None,
    profile: Annotated[
        str, typer.Option(help="quick, or full: four times the points and four times the networks.")
    ] = "quick",
    out: Annotated[Path, typer.Option(help="Folder of the report.")] = Path("gdln-report"),
    device: Annotated[str, typer.Option(help="auto, cpu or cuda.")] = "auto",
    write_evidence: Annotated[
        bool, typer.Option("--write-evidence", help="Store the evidence of each claim for the ledger and the book.")
    ] = False,
    changed: Annotated[
        bool, typer.Option("--changed", help="Show only claims whose outcome differs from the last report.")
    ] = False,
    verbose: Annotated[bool, typer.Option("--verbose", help="List every claim.")] = False,
    names: Annotated[
        Path | None, typer.Option(metavar="PROBLEM.toml", help="List what a claim on this problem may name.")
    ] = None,
    timeout: Timeout = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> int:
    """Derive every claim, certify its numbers, train the networks that it is about, and give the verdicts.

    Of the workbench's claims, or of notes of your own: gdln new note writes one.
    """

    def body() -> int:
        from derivations.answers import validate
        from derivations.progress import bars
        from theory.problem import InputError

        if names is not None and claims:
            raise InputError(f"--names lists the names of one problem; {claims[0]} would be ignored.", "Leave it out.")
        if names is not None:
            output.show("validate", validate.names(names), as_json)
            return output.PASS
        with bars(lines=True) as report:
            answer = validate.answer(claims or [], profile, out, device, write_evidence, changed, verbose, report)
        output.show("validate", answer, as_json)
        return {"PASS": output.PASS, "FAIL": output.CHECK_FAILED, "INCONCLUSIVE": output.UNDECIDED}[answer.outcome]

    return output.run(body, as_json, timeout)
