"""The difference of a report from the one before it: verdicts, statements, outcomes and printed forms, not numbers."""

from collections.abc import Iterator, Mapping
from typing import Any


def changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """Return what has changed by the id of the claim, between two summaries of `report_files.summary`.

    Deviations and seconds differ in every run, which draws new points; only outcomes are compared. Claims that only
    the earlier report has are left out: the later run was not asked for them.

    >>> old = {"claims": [{"id": "a.b.c", "verdict": "OPEN", "statement": "x", "levels": [], "printed": []}]}
    >>> new = {"claims": [{**old["claims"][0], "verdict": "RESULT"}, {**old["claims"][0], "id": "a.b.d"}]}
    >>> changes(old, new)
    {'a.b.c': ('verdict: OPEN, now RESULT',), 'a.b.d': ('new',)}
    """
    known = {claim["id"]: claim for claim in before["claims"]}
    by_claim = {claim["id"]: tuple(_differences(known.get(claim["id"]), claim)) for claim in now["claims"]}
    return {name: differences for name, differences in by_claim.items() if differences}


def _differences(before: Mapping[str, Any] | None, now: Mapping[str, Any]) -> Iterator[str]:
    if before is None:
        yield "new"
        return
    if before["verdict"] != now["verdict"]:
        yield f"verdict: {before['verdict']}, now {now['verdict']}"
    if before["statement"] != now["statement"]:
        yield "the statement"
    old, new = _outcomes(before), _outcomes(now)
    for level in dict.fromkeys((*old, *new)):
        if old.get(level) != new.get(level):
            yield f"{level}: {old.get(level, 'not there')}, now {new.get(level, 'not there')}"


def _outcomes(claim: Mapping[str, Any]) -> dict[str, str]:
    """The outcomes of every level and experiment, which may have several results, and of every printed form."""
    by_name: dict[str, list[str]] = {}
    for result in claim["levels"]:
        name = " of ".join(filter(None, (result["level"], result.get("experiment"))))
        by_name.setdefault(name, []).append(result["outcome"])
    for form in claim["printed"]:
        by_name.setdefault(f"{form['document']} {form['label']}", []).append(_agreement(form))
    return {name: ", ".join(outcomes) for name, outcomes in by_name.items()}


def _agreement(form: Mapping[str, Any]) -> str:
    return "agrees" if form["agrees"] else "right under a reading" if form["reading"] else "differs"
