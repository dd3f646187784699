"""The answer of `gdln validate`: derive, certify, train, compare, and write the report."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from derivations import atomic
from derivations.experiments.model import Settings
from derivations.markdown import plain
from derivations.notes.judged import validate as judge_notes
from derivations.notes.judged import write_evidence as write_beside
from derivations.notes.reading import Note, read
from derivations.output import counted
from derivations.validate import evidence, report_files, validation
from derivations.validate.changes import changes
from derivations.validate.judged import Judged, Validation, exit_outcome, undecided
from derivations.validate.report import causes, same_form, wrong_forms
from derivations.validate.validation import TASK, Report
from sim.training.schedule import device_named
from theory.claims.levels import describe
from theory.claims.model import Outcome, Standing
from theory.claims.registry import select
from theory.claims.rows import Verdict
from theory.problem import InputError
from theory.problem.numbers import one_of

PROFILES = ("quick", "full")
_MOST_FAILURES = 20  # lines at either end; the report has all


@dataclass(frozen=True)
class ValidateAnswer:
    """A finished validation and the folder of its report.

    `changed` has the changes since the last report by the id of the claim; None where they were not asked for.
    `verbose` lists every claim.
    """

    validation: Validation
    folder: Path
    changed: Mapping[str, Sequence[str]] | None = None
    verbose: bool = False

    @property
    def outcome(self) -> Outcome:
        """FAIL where any level fails, INCONCLUSIVE where some claim stays undecided, else PASS."""
        return exit_outcome(self.validation)

    def json(self) -> dict[str, Any]:
        """The object that `gdln validate --json` prints."""
        changed = (
            None if self.changed is None else {name: list(differences) for name, differences in self.changed.items()}
        )
        return {**report_files.summary(self.validation), "changed": changed, "report": str(self.folder)}

    def text(self) -> str:
        """About ten lines: failures, what was checked and holds, what the sources print wrong.

        The failures stand once more behind a list of claims, which may have carried the first ones off the screen.
        """
        failures = list(_failures(self.validation))
        listed = [line for item in self._listed() for line in _claim(item, self.changed)]
        again = failures if listed else []
        parts = [failures, listed, list(_summary(self.validation)), again, [f"Report: {self.folder}/report.html"]]
        return "\n\n".join("\n".join(part) for part in parts if part)

    def _listed(self) -> Sequence[Judged]:
        """Return the claims that are listed: all if verbose, and of them those that changed where that was asked."""
        if self.changed is None:
            return self.validation.judged if self.verbose else ()
        return [item for item in self.validation.judged if item.claim.id in self.changed]


def _failures(run: Validation) -> Iterator[str]:
    """Yield a line for each claim with a level that fails or stays undecided: its verdict, and what the level says."""
    lines = [line for item in run.judged for line in _failure(item)]
    yield from lines[:_MOST_FAILURES]
    if len(lines) > _MOST_FAILURES:
        yield f"and {len(lines) - _MOST_FAILURES} more"


def _failure(item: Judged) -> Iterator[str]:
    if item.standing is Standing.FAILS or undecided(item):
        yield f"{item.verdict.value}  {item.claim.id}: {causes(item)}"


def _summary(run: Validation) -> Iterator[str]:
    """Yield what was checked, how many claims hold, and by document the places where a source prints a wrong form."""
    outcomes = Counter(run.outcomes())
    yield (
        f"{counted(len(run.judged), 'claim')}, {counted(run.checks, 'check')} in {run.seconds:.0f} s "
        f"({run.spent:.0f} s of processor time): {outcomes[Outcome.FAIL]} fail, "
        f"{outcomes[Outcome.INCONCLUSIVE]} undecided."
    )
    verdicts = Counter(item.verdict for item in run.judged)
    yield ", ".join(f"{verdicts[verdict]} {verdict.value}" for verdict in Verdict if verdicts[verdict])
    places: dict[str, list[str]] = {}
    for finding in wrong_forms(run.judged):
        places.setdefault(finding.source.document, []).append(finding.source.label)
    if places:
        yield "Wrong in print:"
    for document, labels in sorted(places.items()):
        yield f"  {document} {', '.join(dict.fromkeys(labels))}"


def _claim(item: Judged, changed: Mapping[str, Sequence[str]] | None) -> Iterator[str]:
    """Yield a line for the claim, and one for what changed and for each form that a source prints wrong."""
    yield f"{item.claim.id}  {item.verdict.value}  {plain(item.claim.title)}"
    if changed is not None:
        yield f"  changed: {'; '.join(changed[item.claim.id])}"
    for findings in same_form(item.printed):
        first = findings[0]
        if not first.right:
            labels = ", ".join(finding.source.label for finding in findings)
            value = f"{'by definition' if item.rows else 'measured'} {first.oracle}"
            at = f", at {describe(first.point)}" if first.point else ""
            yield f"  {first.source.document} {labels}: printed {first.printed}, {value}{at}"


def _notes(claims: Sequence[str]) -> list[Note]:
    """Return the notes that the words name; none where they are claims. Raises InputError for a mixture."""
    files = [name for name in claims if name.endswith(".toml")]
    for name in claims:
        if not name.endswith(".toml") and Path(name).exists():
            what = "a folder" if Path(name).is_dir() else "no note: its name does not end with .toml"
            raise InputError(f"{name} is {what}.", "Name the notes in it, or gdln ledger FOLDER for their verdicts.")
    if files and len(files) < len(claims):
        raise InputError("Notes and claims of the workbench are judged apart.", "Name notes, or claims.")
    return [read(path) for path in files]


@dataclass(frozen=True)
class NamesAnswer:
    """What a claim on a problem may name: numbers with their axes, fields with their values."""

    names: Mapping[str, Any]

    def json(self) -> dict[str, Any]:
        """The object that `gdln validate --names --json` prints."""
        return dict(self.names)

    def text(self) -> str:
        """Numbers and fields for a reader."""
        numbers, fields = self.names["numbers"], self.names["fields"]
        lines = []
        for name, number in numbers.items():
            entry = ", ".join(axis for axis in number["axes"] if axis != "time")
            lines.append(f"  {name}" + f"[{entry}]" * bool(entry) + " at TIME" * ("time" in number["axes"]))
        wide = max(map(len, lines))
        listed = [f"{line:{wide}}  {one['definition']}" for line, one in zip(lines, numbers.values(), strict=True)]
        values = [f"  {name} = {value}" for name, value in fields.items()]
        timed_too = ["  t, the time"] if any("time" in one["axes"] for one in numbers.values()) else []
        random = (
            ["  random, beside participation-ratio: that of random weights"] if "participation-ratio" in numbers else []
        )
        right = ["right sides, beside numbers and functions", *values, *timed_too, *random]
        return "\n".join(["left sides", *listed, *right])


def names(path: Path) -> NamesAnswer:
    """Return what a claim on the problem in a file, or of the workbench, may name. Raises as reading a problem does."""
    from derivations.notes.measured import names as names_of
    from derivations.notes.reading import named_problem
    from theory.problem import load

    return NamesAnswer(names_of(load(path if path.suffix == ".toml" else named_problem(str(path)))))


def answer(
    claims: Sequence[str] = (),
    profile: str = "quick",
    folder: Path = Path("gdln-report"),
    device: str = "auto",
    write_evidence: bool = False,
    changed: bool = False,
    verbose: bool = False,
    report: Report = lambda _task, _what, _share: None,
) -> ValidateAnswer:
    """Judge the claims whose ids begin with `claims` (all by default) and those they cite, or those of notes.

    The report goes into `folder`. A word that ends with .toml names a note, and its evidence goes beside it.

    Every claim is checked at every level; the full profile draws four times the points and trains four times the
    networks. `report` receives the running step and the share done. With `changed` the report shows the claims alone
    whose outcome differs from that in the report in `folder`. Raises InputError for an unknown claim or profile, for a
    folder that holds other files or cannot be written, and for `changed` without an earlier report; OutOfReachError
    for a device that is not there.

    >>> answer(["gaussian.nothing"])
    Traceback (most recent call last):
    ...
    theory.problem.errors.InputError: ...
    """
    settings = Settings(one_of(profile, "--profile", PROFILES), device)
    notes = _notes(claims)
    chosen = [] if notes else select(list(claims))
    device_named(device)
    atomic.check_replaceable(folder)
    before = report_files.last_summary(folder)
    if changed and before is None:
        raise InputError(
            f"{folder} holds no report of an earlier run, so that nothing can have changed since.",
            "Run once without --changed, or name the folder of a report with --out.",
        )
    result = judge_notes(notes, report) if notes else validation.run(validation.with_cited(chosen), settings, report)
    differences = changes(before, report_files.summary(result)) if changed else None
    with atomic.replacing(folder) as inside:
        report_files.write(result, inside, differences)
    if write_evidence and notes:
        write_beside(notes, result)
    elif write_evidence:
        evidence.write(result)
    report(TASK, "done", 1.0)
    return ValidateAnswer(result, folder, differences, verbose)
