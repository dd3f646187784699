"""The judgement of notes: a validation like that of the built-in claims, and the evidence beside a note for its ledger.

CONFIRMED: every check that applies passes. REFUTED: one fails. OPEN: the checks do not decide it.
"""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import sympy

from derivations.atomic import write_text
from derivations.experiments.model import Finding
from derivations.notes import formulas
from derivations.notes.reading import Note, read
from derivations.validate.judged import Judged, Validation, versions
from theory.claims.model import CheckResult, Claim, Kind, Level, Outcome, Standing
from theory.claims.rows import Verdict
from theory.problem import InputError, WorkbenchError
from theory.problem.toml import tables_of, text_of
from theory.problem.user_files import read_json

EVIDENCE = ".evidence.json"  # behind the stem of the note
SCHEMA = 1
NOT_JUDGED = "NOT JUDGED"
_VERDICTS = {Standing.HOLDS: Verdict.CONFIRMED, Standing.FAILS: Verdict.REFUTED, Standing.OPEN: Verdict.OPEN}


@dataclass(frozen=True)
class NoteJudged(Judged):
    """A judged claim of a note."""

    @property
    def verdict(self) -> Verdict:
        """CONFIRMED, REFUTED or OPEN."""
        return _VERDICTS[self.standing]


def standing_of(results: Sequence[CheckResult]) -> Standing:
    """Return FAILS where a check fails, OPEN where one is undecided or none passes, else HOLDS."""
    outcomes = {result.outcome for result in results}
    if Outcome.FAIL in outcomes:
        return Standing.FAILS
    return Standing.OPEN if Outcome.INCONCLUSIVE in outcomes or Outcome.PASS not in outcomes else Standing.HOLDS


def validate(notes: Sequence[Note], report: Callable[[str, str, float], None]) -> Validation:
    """Judge every claim of the notes; `report` receives the task, the claim in work, and the share done."""
    started, spent, judged, checks = time.monotonic(), time.process_time(), [], 0
    claims = [one for note in notes for one in note.claims]
    for one in claims:  # before hours of work on another
        (_measured().check if one.varied else formulas.check)(one)
    for index, one in enumerate(claims):
        before = time.process_time()

        def share(done: float, index: int = index, label: str = one.label) -> None:
            report("validate", f"judging {label}", (index + done) / len(claims))

        share(0.0)
        rows: tuple = ()
        try:
            if one.varied:
                claim, results = _measured().judge(one, share)
            else:
                claim, results, rows = formulas.judge(one)
        except WorkbenchError as error:  # the other claims keep their verdicts
            claim = Claim(one.id, one.title, Kind.EMPIRICAL, sympy.Symbol(rf"\mathtt{{{one.label}}}"))
            results = (CheckResult(one.id, Level.PRECISE, Outcome.INCONCLUSIVE, where=f"not judged: {error.message}"),)
        seconds = {"claim": time.process_time() - before}
        judged.append(NoteJudged(claim, results, rows, (), standing_of(results), seconds))
        checks += sum(result.outcome is not Outcome.SKIPPED for result in results)
    seconds, cpu = time.monotonic() - started, time.process_time() - spent
    title = ", ".join(note.title for note in notes)
    return Validation("quick", tuple(judged), Finding(), seconds, versions(), checks, cpu, title, True)


def _measured() -> ModuleType:
    """Return the module that trains networks; it loads torch."""
    from derivations.notes import measured

    return measured


def write_evidence(notes: Sequence[Note], validation: Validation) -> None:
    """Write the verdicts beside each note, as STEM.evidence.json."""
    verdicts = {item.claim.id: item for item in validation.judged}
    for note in notes:
        claims = {
            one.label: {
                "digest": one.digest,
                "verdict": verdicts[one.id].verdict.value,
                "levels": {result.level.value: result.outcome.value for result in verdicts[one.id].results},
            }
            for one in note.claims
        }
        content = {"schema": SCHEMA, "versions": dict(validation.versions), "claims": claims}
        write_text(note.path.with_name(note.path.stem + EVIDENCE), json.dumps(content, indent=1) + "\n")


def notes_in(folder: Path) -> list[Note]:
    """Return the notes of a folder, by name: its TOML files with claims; or a note alone.

    Raises InputError where there is none, for a file that is no TOML, and as `read` does.
    """
    if not folder.exists():
        raise InputError(f"{folder} does not exist.", "Name a folder with notes.")
    files = sorted(folder.glob("*.toml")) if folder.is_dir() else [folder]
    notes = [read(path) for path in files if "claim" in tables_of(text_of(path), str(path))]
    if not notes:
        raise InputError(f"{folder} holds no note.", "gdln new note writes one, a TOML file with [[claim]] tables.")
    return notes


def recorded(note: Note, stale: str) -> Iterator[Mapping[str, Any]]:
    """Yield each claim with its verdict by the evidence beside the note.

    It is NOT_JUDGED where that has none, and `stale` where that is of another text, or of other problems.
    """
    path = note.path.with_name(note.path.stem + EVIDENCE)
    stored = read_json(path) if path.exists() else {}
    claims = stored.get("claims", {}) if isinstance(stored, Mapping) else {}
    for one in note.claims:
        known = claims.get(one.label, {}) if isinstance(claims, Mapping) else {}
        current = isinstance(known, Mapping) and known.get("digest") == one.digest
        yield {
            "id": one.id,
            "document": note.path.stem,
            "label": one.label,
            "verdict": str(known.get("verdict", stale)) if current else stale if known else NOT_JUDGED,
            "statement": str(one.sentence),
            "levels": known.get("levels", {}) if current else {},
        }
