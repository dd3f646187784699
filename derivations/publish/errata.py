"""The errata of one document as Markdown: its slips, their repairs and the forms that these make right, then the rest.

One table lists all slips, another all printing slips. Then follow each slip with its numbers, the conjectures and
questions that have a counter-example, the statements that hold under a condition, remarks, and notes that are recorded
but not judged.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from derivations.evidence.entries import Entry
from derivations.markdown import table
from derivations.output import counted
from derivations.publish.blocks import Link, difference, formula, notation_of, same_form, sentence, where
from theory.claims.misprints import misprints_of
from theory.claims.recorded import Recorded, recorded_in
from theory.claims.rows import Verdict
from theory.claims.sources import Misprint, Slip
from theory.problem import InputError


def errata(entries: Sequence[Entry], link: Link, names: Mapping[str, str]) -> str:
    """The errata of the document whose ledger entries are given; `names` are the left sides of claims in TeX.

    Raises InputError for a wrong form that names no slip.
    """
    if nameless := next((e for e in entries if e.verdict == Verdict.CORRECTED and e.slip is None), None):
        raise InputError(
            f"{nameless.claim.id} at {nameless.source.label} is wrong and names no slip.",
            "theory/claims/slips.py takes the slip; the source names it.",
        )
    slips = tuple(dict.fromkeys(entry.slip for entry in entries if entry.slip))
    misprints = misprints_of(dict.fromkeys(entry.document for entry in entries))
    parts = [_at_a_glance(slips, entries)] if slips else [_no_slip(misprints)]
    parts += _misprints(misprints, entries, link)
    parts += [part for slip in slips for part in _slip(slip, entries, link, names)]
    refuted = [entry for entry in entries if entry.verdict == Verdict.REFUTED]
    conditional = [entry for entry in entries if entry.condition]
    remarks = [entry for entry in entries if entry.verdict == Verdict.REMARK]
    if refuted:
        parts.append("### Conjectures and questions with a counter-example\n")
        parts += [_against(entry, link, names) for entry in refuted]
    if conditional:
        parts.append("### Right under a condition\n")
        parts.append("".join(_under_a_condition(group, link) for group in same_form(conditional)))
    if remarks:
        parts.append("### Remarks\n")
        parts.append("".join(_remark(entry, link) for entry in remarks))
    if left := recorded_in(dict.fromkeys(entry.document for entry in entries)):
        parts.append("### Recorded and not judged: blanks, questions, guesses, observations\n")
        parts.append("".join(_left(record, link) for record in left))
    return "\n".join(parts)


def _left(record: Recorded, link: Link) -> str:
    said = f"- {_capital(record.label)}, {record.left.value}: “{record.words}”"
    claims = f" {record.answer} ({', '.join(link(claim) for claim in record.claims)})" if record.claims else ""
    return f"{said}{claims}\n"


def _no_slip(misprints: Sequence[Misprint]) -> str:
    listed = f"; {counted(len(misprints), 'printing slip')} are listed below" if misprints else ""
    return f"No formula is wrong{listed}.\n"


def _misprints(misprints: Sequence[Misprint], entries: Sequence[Entry], link: Link) -> Iterator[str]:
    """A table of the printing slips of a document, what is printed alike in one row, with the claims that name them."""
    rows = []
    for printed, read in dict.fromkeys((one.printed, one.read) for one in misprints):
        alike = [one for one in misprints if (one.printed, one.read) == (printed, read)]
        claims = dict.fromkeys(link(one.claim.id) for one in entries if one.source.misprint in alike)
        labels = ", ".join(one.label for one in alike)
        rows.append((labels, printed, read, ", ".join(claims) or "–"))
    if rows:
        yield "### Printing slips\n"
        yield "Each has one reading, which the document gives itself, and makes no statement false.\n"
        yield table(("where", "printed", "read as", "claim"), rows)


def _at_a_glance(slips: Sequence[Slip], entries: Sequence[Entry]) -> str:
    lines = ["| where | slip | restated, or wrong only through it |", "|---|---|---|"]
    for slip in slips:
        lines.append(f"| {slip.root} | {slip.title} | {_ranges(_inherited(slip, entries)) or '–'} |")
    return "\n".join(lines) + "\n"


def _slip(slip: Slip, entries: Sequence[Entry], link: Link, names: Mapping[str, str]) -> Iterator[str]:
    charged = [entry for entry in entries if entry.slip == slip and entry.verdict == Verdict.CORRECTED]
    inherited = _inherited(slip, entries)
    yield f"### {'' if slip.title.startswith(slip.root) else f'{slip.root}: '}{slip.title}\n"
    yield f"*Repair.* {sentence(slip.repair)}\n"
    for group in same_form(charged):
        entry = group[0]
        tex, legend = notation_of(entry.claim).display(entry.claim.statement, names.get(entry.claim.id, ""))
        places = ", ".join(one.source.label for one in group)
        yield f"{sentence(entry.claim.sentence)} {link(entry.claim.id)}, printed in {places}:\n"
        yield difference(entry, names.get(entry.claim.id, ""))
        yield f"What holds:\n\n{formula(tex)}"
        yield where(legend)
        yield " ".join(dict.fromkeys(sentence(one.source.note) for one in group)) + "\n"
        if entry.source.readings:
            tried = "; ".join(reading.convention for reading in entry.source.readings)
            yield f"*Readings tried; none makes it right.* {sentence(tried)}\n"
    if inherited:
        yield "*Restatements and consequences, right once it is repaired:*\n"
        yield "".join(_follows(group, link) for group in same_form(inherited))


def _inherited(slip: Slip, entries: Sequence[Entry]) -> list[Entry]:
    return [entry for entry in entries if entry.slip == slip and entry.verdict == Verdict.INHERITED]


def _follows(group: Sequence[Entry], link: Link) -> str:
    first = group[0]
    condition = first.source.repaired.condition if first.source.repaired else ""
    printed = f"{_labels(group)}, where {condition}" if condition else _labels(group)
    return f"- {printed}: {first.claim.sentence} ({link(first.claim.id)})\n"


def _against(entry: Entry, link: Link, names: Mapping[str, str]) -> str:
    said = f"{entry.source.label} {entry.source.says.value}: “{entry.source.words}”"
    lines = [f"{_capital(said)}\n", f"{sentence(entry.claim.sentence)} {link(entry.claim.id)}\n"]
    if entry.differs:
        lines.append(difference(entry, names.get(entry.claim.id, "")))
    return "\n".join(lines + ([f"{sentence(entry.source.note)}\n"] if entry.source.note else []))


def _under_a_condition(group: Sequence[Entry], link: Link) -> str:
    first = group[0]
    return f"- {_capital(_labels(group))}: right where {first.condition}. {_short(first, link)}\n"


def _remark(entry: Entry, link: Link) -> str:
    return f"- {_capital(_where(entry.source.label))}: {_short(entry, link)}\n"


def _short(entry: Entry, link: Link) -> str:
    note = f" {sentence(entry.source.note)}" if entry.source.note else ""
    return f"{sentence(entry.claim.sentence)}{note} ({link(entry.claim.id)})"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _where(label: str) -> str:
    """The place of a remark: "near" an equation, or the label itself where it is already a place."""
    return f"near {label}" if label.startswith("(") else label


def _labels(entries: Sequence[Entry]) -> str:
    return ", ".join(dict.fromkeys(entry.source.label for entry in entries))


def _ranges(entries: Sequence[Entry]) -> str:
    """The labels in their order, each once; three or more consecutive equations as a range, "(8)–(11)"."""
    shown: list[list[str]] = []
    for label in dict.fromkeys(entry.source.label for entry in entries):
        if shown and _number(label) is not None and _number(shown[-1][-1]) == _number(label) - 1:
            shown[-1].append(label)
        else:
            shown.append([label])
    return ", ".join(f"{run[0]}–{run[-1]}" if len(run) > 2 else ", ".join(run) for run in shown)


def _number(label: str) -> int | None:
    """The number of an equation; None for a section, and for text after an equation."""
    found = re.fullmatch(r"\((\d+)\)", label)
    return int(found[1]) if found else None
