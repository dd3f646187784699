"""`gdln ledger`: every statement of the sources with its verdict, from claims and stored evidence; nothing is run."""

from typing import Annotated

import typer

from derivations import output

MAY_BEGIN_WITH_MINUS = False
_SHORT = 100  # a formula longer than this is left to the page that derives it


def command(
    document: Annotated[str | None, typer.Option(help="Only this document (its file stem).")] = None,
    verdict: Annotated[
        str | None, typer.Option(help="Only this verdict: CONFIRMED, CORRECTED, REFUTED, OPEN, DEFINITION or STALE.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> int:
    """List every statement of the sources with its verdict and, where it is printed wrong, what holds instead."""
    return output.run(lambda: _ledger(document, verdict, as_json), as_json)


def _ledger(document: str | None, verdict: str | None, as_json: bool) -> int:
    from collections import Counter

    from derivations.evidence import entries as ledger
    from derivations.publish import compose
    from theory.claims import catalog
    from theory.claims.model import Verdict
    from theory.problem.numbers import one_of

    everything = ledger.entries(catalog().values())
    stale = sorted({entry.claim.id for entry in everything if entry.verdict == ledger.STALE})
    if document is not None:
        one_of(document, "--document", tuple(sorted({entry.document for entry in everything if entry.document})))
    if verdict is not None:
        one_of(verdict, "--verdict", (*(item.value for item in Verdict), ledger.STALE))
    chosen = [entry for entry in everything if document in (None, entry.document) and verdict in (None, entry.verdict)]
    places = compose.places(catalog())
    counts = Counter(entry.verdict for entry in chosen)
    payload = {
        "entries": [ledger.as_data(entry, places.get(entry.claim.id)) for entry in chosen],
        "counts": dict(sorted(counts.items())),
        "stale": stale,
    }
    output.emit("ledger", payload, "" if as_json else _text(payload), as_json)
    return output.CHECK_FAILED if stale else output.PASS


def _text(payload: dict) -> str:
    from textwrap import wrap

    lines: list[str] = []
    group: object = object()
    entries = payload["entries"]
    label_width = max((len(entry["label"] or "") for entry in entries), default=0)
    for entry in entries:
        if entry["document"] != group:
            group = entry["document"]
            lines += ["", group or "Not in a source", ""]
        lines.append(f"  {entry['label'] or '':<{label_width}}  {entry['verdict']:<10}  {entry['title']}")
        indent = " " * (label_width + 16)
        if entry["counterexample"]:
            lines += [indent + line for text in _difference(entry) for line in wrap(text, _SHORT)]
        if entry["settled_by"]:
            lines += [indent + line for line in wrap(f"would be settled by: {entry['settled_by']}", _SHORT)]
        lines.append(f"{indent}{entry['id']}, {entry['page']}" if entry["page"] else f"{indent}{entry['id']}")
    counts = ", ".join(f"{count} {name}" for name, count in payload["counts"].items()) or "none"
    lines += ["", f"{len(entries)} entries: {counts}."]
    if payload["stale"]:
        lines.append(f"STALE, run gdln validate --write-evidence: {', '.join(payload['stale'])}.")
    return "\n".join(lines).lstrip("\n")


def _difference(entry: dict) -> list[str]:
    found = entry["counterexample"]
    lines = [entry["note"]] if entry["note"] else []
    if len(entry["correction"]) <= _SHORT:
        lines.append(f"holds: {entry['correction']}")
    return [*lines, f"printed gives {found['printed']}, the definition {found['definition']}"]
