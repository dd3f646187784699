"""The answer of `gdln validate`: derive, certify, train, compare, and write the report."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from derivations import atomic
from derivations.experiments.model import Settings
from derivations.markdown import plain
from derivations.validate import evidence, report_files, validation
from derivations.validate.changes import changes
from derivations.validate.judged import Validation, exit_outcome, result_at
from derivations.validate.report import ran, same_form
from derivations.validate.validation import TASK, Announce, Choice, Report
from sim.training.schedule import device_named
from theory.claims.levels import describe
from theory.claims.model import Level, Outcome
from theory.claims.registry import select
from theory.problem import InputError
from theory.problem.numbers import one_of

PROFILES = ("quick", "full")


@dataclass(frozen=True)
class ValidateAnswer:
    """A finished validation and the folder of its report.

    `changed` has the changes since the last report by the id of the claim; None where they were not asked for.
    """

    validation: Validation
    folder: Path
    changed: Mapping[str, Sequence[str]] | None = None

    @property
    def outcome(self) -> Outcome:
        """FAIL where any level fails, INCONCLUSIVE where some claim stays undecided, else PASS."""
        return exit_outcome(self.validation)

    def json(self) -> dict[str, Any]:
        """The object that `gdln validate --json` prints."""
        changed = None if self.changed is None else {name: list(found) for name, found in self.changed.items()}
        return {**report_files.summary(self.validation), "changed": changed, "report": str(self.folder)}

    def text(self) -> str:
        """One line for each claim, or each that changed, with the wrong printed forms of its sources, for a reader."""
        shown = [item for item in self.validation.judged if self.changed is None or item.claim.id in self.changed]
        width = max((len(item.claim.id) for item in shown), default=0)
        lines = [] if shown else ["Nothing has changed since the last report."]
        for item in shown:
            results = {level.value: result_at(item, level) for level in Level}
            worst = [level for level, found in results.items() if found and found.outcome is Outcome.FAIL]
            failed = f"  FAILED: {', '.join(worst)}" if worst else ""
            lines.append(f"{item.claim.id:<{width}}  {item.verdict.value:<10} {plain(item.claim.title)}{failed}")
            if self.changed is not None:
                lines.append(f"{'':<{width}}  changed: {'; '.join(self.changed[item.claim.id])}")
            for findings in same_form(item.printed):
                first = findings[0]
                if not first.right:
                    labels = ", ".join(finding.source.label for finding in findings)
                    found = f"by definition {first.oracle}" if item.rows else f"measured {first.oracle}"
                    found += f", at {describe(first.point)}" if first.point else ""
                    lines.append(f"{'':<{width}}  {first.source.document} {labels}: printed {first.printed}, {found}")
        end = f"{self.validation.seconds:.0f} s. Report: {self.folder / 'report.md'}"
        lines += ["", *map(plain, self.validation.finding.remarks), "", f"{ran(self.validation)}.", end]
        return "\n".join(lines)


def answer(
    claims: Sequence[str] = (),
    profile: str = "quick",
    folder: Path = Path("gdln-report"),
    device: str = "auto",
    write_evidence: bool = False,
    seed: int | None = None,
    changed: bool = False,
    report: Report = lambda _task, _what, _share: None,
    announce: Announce = lambda _text: None,
) -> ValidateAnswer:
    """Judge the claims whose ids begin with `claims` (all by default) and those they cite; report into `folder`.

    The quick profile checks whole what its evidence does not cover, and of the rest, at points drawn from `seed`, the
    round after that of the report in `folder`; the full profile and `write_evidence` check everything whole. `report`
    receives the running step and the share done, `announce` a forecast of the steps and their time. With `changed` the
    report shows the claims alone whose outcome differs from that in the report in `folder`. Raises InputError for an
    unknown claim or profile, for a folder that holds other files or cannot be written, and for `changed` without an
    earlier report; OutOfReachError for a device that is not there.

    >>> answer(["gaussian.nothing"])
    Traceback (most recent call last):
    ...
    theory.problem.errors.InputError: ...
    """
    settings = Settings(one_of(profile, "--profile", PROFILES), device)
    if seed is not None and seed < 0:
        raise InputError(f"--seed = {seed} is negative.", "Give 0 or a larger number.")
    chosen = select(list(claims))
    device_named(device)
    atomic.check_replaceable(folder)
    before = report_files.last_summary(folder)
    if changed and before is None:
        raise InputError(
            f"{folder} holds no report of an earlier run, so that nothing can have changed since.",
            "Run once without --changed, or name the folder of a report with --out.",
        )
    choice = Choice(profile == "full" or write_evidence, seed, report_files.last_round(folder))
    result = validation.run(validation.with_cited(chosen, choice.everything), settings, choice, report, announce)
    found = changes(before, report_files.summary(result)) if changed else None
    with atomic.replacing(folder) as inside:
        report_files.write(result, inside, found)
    if write_evidence:
        evidence.write(result)
    report(TASK, "done", 1.0)
    return ValidateAnswer(result, folder, found)
