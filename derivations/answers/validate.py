"""The answer of `gdln validate`: derive, certify, train, compare, and write the report."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from derivations import atomic
from derivations.experiments.model import Settings
from derivations.validate import evidence, report_files, validation
from derivations.validate.report import same_form
from derivations.validate.validation import Report, Validation, result_at
from sim.training.schedule import device_named
from theory.claims.levels import describe
from theory.claims.model import Level, Outcome
from theory.claims.registry import select
from theory.problem.numbers import one_of

PROFILES = ("quick", "full")


@dataclass(frozen=True)
class ValidateAnswer:
    """A finished validation and the folder of its report."""

    validation: Validation
    folder: Path

    @property
    def outcome(self) -> Outcome:
        """FAIL where any level fails, INCONCLUSIVE where something stays undecided, else PASS."""
        return validation.exit_outcome(self.validation)

    def json(self) -> dict[str, Any]:
        """The object that `gdln validate --json` prints."""
        return {**report_files.summary(self.validation), "report": str(self.folder)}

    def text(self) -> str:
        """One line a claim, with what its sources print wrong, for a reader."""
        width = max(len(item.claim.id) for item in self.validation.judged)
        lines = []
        for item in self.validation.judged:
            results = {level.value: result_at(item, level) for level in Level}
            worst = [level for level, found in results.items() if found and found.outcome is Outcome.FAIL]
            failed = f"  FAILED: {', '.join(worst)}" if worst else ""
            lines.append(f"{item.claim.id:<{width}}  {item.verdict.value:<10} {item.claim.title}{failed}")
            for findings in same_form(item.printed):
                first = findings[0]
                if not first.agrees:
                    labels = ", ".join(finding.source.label for finding in findings)
                    found = f"by definition {first.oracle}" if item.rows else f"measured {first.oracle}"
                    found += f", at {describe(first.point)}" if first.point else ""
                    lines.append(f"{'':<{width}}  {first.source.document} {labels}: printed {first.printed}, {found}")
        ran = f"{self.validation.seconds:.0f} s. Report: {self.folder / 'report.md'}"
        lines += ["", *self.validation.finding.remarks, "", ran]
        return "\n".join(lines)


def answer(
    claims: Sequence[str] = (),
    profile: str = "quick",
    folder: Path = Path("gdln-report"),
    device: str = "auto",
    write_evidence: bool = False,
    report: Report = lambda _task, _what, _share: None,
) -> ValidateAnswer:
    """Judge the claims whose ids begin so (all by default) and those they cite; write the report into `folder`.

    `report` is told what runs and what share is done. Raises InputError for an unknown claim or profile and for a
    folder that holds other files, OutOfReachError for a device that is not there.

    >>> answer(["gaussian.nothing"])
    Traceback (most recent call last):
    ...
    theory.problem.errors.InputError: ...
    """
    settings = Settings(one_of(profile, "--profile", PROFILES), device)
    chosen = select(list(claims))
    device_named(device)
    atomic.check_replaceable(folder)
    result = validation.run(validation.with_cited(chosen), settings, report)
    with atomic.replacing(folder) as inside:
        report_files.write(result, inside)
    if write_evidence:
        evidence.write(result)
    return ValidateAnswer(result, folder)
