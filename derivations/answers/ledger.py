"""The answer of `gdln ledger`: every statement of the sources with its verdict, from claims and stored evidence."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import wrap
from typing import Any

from derivations.evidence.entries import STALE, Entry, as_data, entries
from derivations.markdown import plain
from derivations.output import columns, counted
from derivations.publish.places import places
from theory.claims import catalog
from theory.claims.recorded import Recorded, recorded_in
from theory.claims.rows import Verdict
from theory.claims.sources import Slip
from theory.problem.numbers import one_of

_SHORT = 100  # a longer formula is shown only on the page that derives it


@dataclass(frozen=True)
class LedgerAnswer:
    """The entries asked for, the page that derives each claim, and the ids of all claims without current evidence.

    `recorded` holds the blanks and questions of the documents; it is empty where one verdict is selected.
    """

    entries: tuple[Entry, ...]
    places: Mapping[str, str]
    stale: tuple[str, ...]
    recorded: tuple[Recorded, ...] = ()

    @property
    def counts(self) -> dict[str, int]:
        """The number of entries of each verdict, by its name."""
        return dict(sorted(Counter(entry.verdict for entry in self.entries).items()))

    @property
    def slips(self) -> tuple[Slip, ...]:
        """The slips that the entries are charged with, each once."""
        return tuple(dict.fromkeys(entry.slip for entry in self.entries if entry.slip))

    def json(self) -> dict[str, Any]:
        """The object that `gdln ledger --json` prints; its texts are Markdown with mathematics as `$...$`.

        `statement` and `correction` are plain text: SymPy's, with names that are TeX in Unicode.
        """
        return {
            "entries": [as_data(entry, self.places.get(entry.claim.id)) for entry in self.entries],
            "counts": self.counts,
            "slips": len(self.slips),
            "recorded": [_record(record) for record in self.recorded],
            "stale": list(self.stale),
        }

    def text(self) -> str:
        """The entries for a reader, by document."""
        content = self.json()
        lines: list[str] = []
        group: object = object()
        entries = content["entries"]
        label_width = max((len(entry["label"] or "") for entry in entries), default=0)
        for entry in entries:
            if entry["document"] != group:
                group = entry["document"]
                lines += ["", group or "Not in a source", ""]
            lines.append(f"  {entry['label'] or '':<{label_width}}  {entry['verdict']:<10}  {plain(entry['title'])}")
            indent = " " * (label_width + 16)
            lines += [indent + line for text in _remarks(entry) for line in wrap(plain(text), _SHORT)]
            if entry["settled_by"]:
                lines += [indent + line for line in wrap(f"would be settled by: {plain(entry['settled_by'])}", _SHORT)]
            lines.append(f"{indent}{entry['id']}, {entry['page']}" if entry["page"] else f"{indent}{entry['id']}")
        lines += _recorded(self.recorded)
        counts = ", ".join(f"{count} {name}" for name, count in content["counts"].items()) or "none"
        lines += ["", f"{len(entries)} entries: {counts}. Slips: {content['slips']}."]
        if content["stale"]:
            lines.append(f"STALE, run gdln validate --write-evidence: {', '.join(content['stale'])}.")
        return "\n".join(lines).lstrip("\n")


def answer(document: str | None = None, verdict: str | None = None) -> LedgerAnswer:
    """The entries of one document (its file stem) or of one verdict, or all; nothing is run.

    Raises InputError for a document without claims or a verdict that does not exist.

    >>> answer("small-bump-gate", "OPEN").entries
    ()
    """
    everything = entries(catalog().values())
    stale = sorted({entry.claim.id for entry in everything if entry.verdict == STALE})
    if document is not None:
        one_of(document, "--document", tuple(sorted({entry.document for entry in everything if entry.document})))
    if verdict is not None:
        one_of(verdict, "--verdict", (*(item.value for item in Verdict), STALE))
    chosen = [entry for entry in everything if document in (None, entry.document) and verdict in (None, entry.verdict)]
    documents = {entry.document for entry in chosen if entry.document} if verdict is None else ()
    return LedgerAnswer(tuple(chosen), places(catalog()), tuple(stale), recorded_in(documents))


@dataclass(frozen=True)
class NotesAnswer:
    """The claims of a folder of notes with the verdicts that were stored beside them."""

    entries: tuple[Mapping[str, Any], ...]

    @property
    def stale(self) -> tuple[str, ...]:
        """The ids of claims without current evidence."""
        return tuple(entry["id"] for entry in self.entries if entry["verdict"] == STALE)

    def json(self) -> dict[str, Any]:
        """The object that `gdln ledger FOLDER --json` prints."""
        counts = Counter(entry["verdict"] for entry in self.entries)
        return {"entries": list(self.entries), "counts": dict(sorted(counts.items())), "stale": list(self.stale)}

    def text(self) -> str:
        """The claims for a reader, by note."""
        rows = [(entry["document"], entry["label"], entry["verdict"], entry["statement"]) for entry in self.entries]
        counts = ", ".join(f"{count} {name}" for name, count in self.json()["counts"].items()) or "none"
        lines = [*columns(rows, str.ljust), "", f"{counted(len(rows), 'claim')}: {counts}."] if rows else ["No claims."]
        if old := [name for name in self.json()["counts"] if name not in (*Verdict,)]:
            lines.append(f"{' and '.join(old)}: run gdln validate NOTE.toml --write-evidence.")
        return "\n".join(lines)


def of_notes(folder: Path, document: str | None = None, verdict: str | None = None) -> NotesAnswer:
    """Return the claims of the notes in a folder, of one note or one verdict, or all; nothing is run.

    Raises InputError for a folder without notes, a note that is none, and a word that is no note or verdict.
    """
    from derivations.notes.judged import NOT_JUDGED, notes_in, recorded

    notes = notes_in(folder)
    if document is not None:
        one_of(document, "--document", tuple(note.path.stem for note in notes))
    if verdict is not None:
        one_of(verdict, "--verdict", (Verdict.CONFIRMED, Verdict.REFUTED, Verdict.OPEN, STALE, NOT_JUDGED))
    entries = [entry for note in notes for entry in recorded(note, STALE)]
    return NotesAnswer(
        tuple(one for one in entries if document in (None, one["document"]) and verdict in (None, one["verdict"]))
    )


def _record(record: Recorded) -> dict[str, Any]:
    return {
        "document": record.document,
        "label": record.label,
        "left": record.left.value,
        "words": record.words,
        "answer": record.answer,
        "claims": list(record.claims),
    }


def _recorded(records: Sequence[Recorded]) -> list[str]:
    """The lines on blanks, questions, guesses and remarks of the documents; none where nothing is recorded."""
    lines = ["", "Recorded and not judged: blanks, questions, guesses, observations", ""] if records else []
    for record in records:
        lines.append(f"  {record.document}, {record.label}, {record.left.value}: '{plain(record.words)}'")
        lines += ["      " + line for line in wrap(plain(record.answer), _SHORT)]
        lines += [f"      {', '.join(record.claims)}"] if record.claims else []
    return lines


def _remarks(entry: dict) -> list[str]:
    """The words that a row judges, its condition, the slip behind it, and a point that shows the slip."""
    lines = [f"'{entry['words']}'"] if entry["words"] else []
    if entry["condition"]:
        lines.append(f"holds where {entry['condition']}")
    if entry["slip"]:
        lines.append(f"slip: {entry['slip']}")
    counterexample = entry["counterexample"]
    if counterexample:
        lines += [entry["note"]] if entry["note"] else []
        if len(entry["correction"]) <= _SHORT:
            lines.append(f"holds: {entry['correction']}")
        lines.append(f"printed gives {counterexample['printed']}, the definition {counterexample['definition']}")
    return lines
