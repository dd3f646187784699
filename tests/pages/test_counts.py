"""Counts of the workbench on the pages: points, steps, altered forms, deviations, from the stored evidence."""

import re
from typing import Any

import pytest

from tests.pages.decisions import triples
from tests.pages.evidence import evidence
from tests.pages.reading import Unit, see, units

COUNT = re.compile(r"(?<![\w./])\d+(?:\.\d+)?(?:e-?\d+)?(?![\w/]|\.\d)")
ALTERED = re.compile(r"(?:All \d+|The one) altered [^.]*\.|\d+ more (?:is|are) the same [^.]*\.")
LABEL = re.compile(r"\(\d+\)")  # of an equation
LEVEL = "99"  # per cent, of every interval
# What the page shows of a level to one digit: the largest deviation, and what is allowed in many digits alone.
ROUNDED = {"precise": ("worst", "tolerance"), "floating": ("worst",)}


def paragraphs() -> dict[str, list[Unit]]:
    """The paragraphs that say what was checked, by claim."""
    found: dict[str, list[Unit]] = {}
    for unit in units():
        if unit.claim and unit.text.startswith("Numbers."):
            found.setdefault(unit.claim, []).append(unit)
    return found


def counted(stored: dict[str, Any]) -> set[str]:
    """All that evidence counts or measures, in the forms in which it may stand on a page."""
    found = {LEVEL}
    for level in stored["levels"]:
        found |= set(COUNT.findall(level["where"]))
        for key in ROUNDED.get(level["level"], ()):
            if isinstance(level[key], float):
                found.add(f"{level[key]:.0e}".replace("e-0", "e-") if level[key] else "0")
        for key in ("statistic", "critical"):
            if key in level:
                found.add(f"{level[key]:.2f}")
        for key in ("points", "killed", "equal", "replicates"):
            if key in level:
                found.add(str(level[key]))
    return found


def test_every_claim_with_evidence_says_what_was_checked():
    checked = {
        claim for claim, stored in evidence().items() if any(one["outcome"] != "SKIPPED" for one in stored["levels"])
    }
    assert checked == set(paragraphs())


@pytest.mark.parametrize("claim", sorted(paragraphs()))
def test_counts_of_a_claim(claim):
    allowed = counted(evidence()[claim])
    for unit in paragraphs()[claim]:
        stated = COUNT.findall(LABEL.sub("", unit.text))
        assert stated, unit.text
        assert set(stated) <= allowed, f"{claim}: {sorted(set(stated) - allowed)} in {unit.text}"


def test_intervals_stand_together():
    for claim, written in paragraphs().items():
        stored = {one for level in evidence()[claim]["levels"] for one in triples(level["where"])}
        assert {one for unit in written for one in triples(unit.text)} == stored, claim


def altered(level: dict[str, Any]) -> list[str]:
    """The sentences on the altered forms of a level."""
    killed, equal = level.get("killed"), level.get("equal")
    failing = f"All {killed} altered formulas (a sign, a factor, a term) fail at these points."
    told = [failing if killed != 1 else "The one altered formula (a sign, a factor, a term) fails at these points."]
    same = f"{equal} more {'is' if equal == 1 else 'are'} the same function in another form."
    return (told if killed else []) + ([same] if equal else [])


def test_altered_forms_are_counted():
    counted = False
    for claim, written in paragraphs().items():
        text = " ".join(unit.text for unit in written)
        told = [one for level in evidence()[claim]["levels"] for one in altered(level)]
        assert ALTERED.findall(text) == told, claim
        counted = counted or bool(told)
    assert counted


def mark() -> None:
    """Mark the paragraphs."""
    for written in paragraphs().values():
        for unit in written:
            see(unit)
