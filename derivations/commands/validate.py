"""`gdln validate`: the main job. Derive, certify, train, compare, write the report."""

from pathlib import Path
from typing import Annotated

import typer

from derivations import output

MAY_BEGIN_WITH_MINUS = False


def command(
    claims: Annotated[list[str] | None, typer.Argument(help="Claim ids, or their beginnings; all by default.")] = None,
    profile: Annotated[str, typer.Option(help="quick (minutes) or full (four times the replicates).")] = "quick",
    out: Annotated[Path, typer.Option(help="Folder of the report.")] = Path("gdln-report"),
    device: Annotated[str, typer.Option(help="auto, cpu or cuda.")] = "auto",
    write_evidence: Annotated[bool, typer.Option("--write-evidence", help="Store the evidence of each claim.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> int:
    """Derive every claim, certify its numbers, train the networks it speaks of, and give the verdicts."""
    return output.run(lambda: _validate(claims or [], profile, out, device, write_evidence, as_json), as_json)


def _validate(names: list[str], profile: str, out: Path, device: str, write_evidence: bool, as_json: bool) -> int:
    from derivations import atomic
    from derivations.experiments.model import Settings
    from derivations.progress import bars
    from derivations.validate import report_files, validation
    from derivations.validate.evidence import writing as evidence
    from sim.training.schedule import device_named
    from theory.claims.registry import select
    from theory.problem.numbers import one_of

    settings = Settings(one_of(profile, "--profile", ("quick", "full")), device)
    claims = select(names)
    device_named(device)
    atomic.check_replaceable(out)
    with bars() as report:
        result = validation.run(validation.with_cited(claims), settings, report)
    with atomic.replacing(out) as folder:
        report_files.write(result, folder)
    if write_evidence:
        evidence.write(result)
    outcome = validation.exit_outcome(result)
    code = {"PASS": output.PASS, "FAIL": output.CHECK_FAILED}.get(outcome.value, output.UNDECIDED)
    output.emit("validate", {**report_files.summary(result), "report": str(out)}, _text(result, out), as_json)
    return code


def _text(result, out: Path) -> str:
    from derivations.validate.report import same_form
    from derivations.validate.validation import result_at
    from theory.claims.levels import describe
    from theory.claims.model import Level

    width = max(len(item.claim.id) for item in result.judged)
    lines = []
    for item in result.judged:
        worst = [level.value for level in Level if (found := result_at(item, level)) and found.outcome.value == "FAIL"]
        failed = f"  FAILED: {', '.join(worst)}" if worst else ""
        lines.append(f"{item.claim.id:<{width}}  {item.verdict.value:<10} {item.claim.title}{failed}")
        for findings in same_form(item.printed):
            first = findings[0]
            if not first.agrees:
                labels = ", ".join(finding.source.label for finding in findings)
                found = f"by definition {first.oracle}" if item.rows else f"measured {first.oracle}"
                found += f", at {describe(first.point)}" if first.point else ""
                lines.append(f"{'':<{width}}  {first.source.document} {labels}: printed {first.printed}, {found}")
    lines += ["", *result.finding.remarks, "", f"{result.seconds:.0f} s. Report: {out / 'report.md'}"]
    return "\n".join(lines)
