"""Counts of the workbench on the pages: points, steps, altered forms, deviations, from the stored evidence."""

import re
from typing import Any

import pytest

from tests.pages.decisions import triples
from tests.pages.evidence import evidence
from tests.pages.reading import Unit, see, units

COUNT = re.compile(r"(?<![\w./])\d+(?:\.\d+)?(?:e-?\d+)?(?![\w/]|\.\d)")
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


def test_altered_forms_are_counted():
    for claim, written in paragraphs().items():
        killed = [one["killed"] for one in evidence()[claim]["levels"] if one.get("killed")]
        for number in killed:
            assert any(str(number) in COUNT.findall(unit.text) for unit in written), claim


def mark() -> None:
    """Mark the paragraphs."""
    for written in paragraphs().values():
        for unit in written:
            see(unit)
