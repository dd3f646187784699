"""No page states a number that is in none of the lists: recomputed, given, or counted."""

from tests.pages import reading, test_averages, test_claims, test_counts, test_dialects, test_runs, test_sentences
from tests.pages.inputs import INPUTS

LISTS = (test_claims, test_averages, test_counts, test_dialects, test_runs, test_sentences)


def mark() -> None:
    """Mark what any list accounts for."""
    for one in LISTS:
        one.mark()
    for pattern in INPUTS:
        reading.given(pattern)


def unaccounted() -> list[str]:
    """The numbers in none of the lists, each with its page and sentence."""
    return [f"{unit.page}: {number} in {unit.text[:200]!r}" for unit in reading.units() for number in unit.unseen()]


def test_every_number_is_accounted_for():
    mark()
    assert unaccounted() == []


def test_the_pages_have_numbers():
    pages = {unit.page for unit in reading.units() if reading.NUMBER.search(unit.text)}
    assert pages == {path.stem for path in reading.BOOK.glob("*.md")}


def test_a_new_number_is_named(monkeypatch):
    mark()
    added = reading.Unit(
        "errata", "", "", reading.plain("The share is $\\frac{3}{7}$, about 0.4286 or 4e-3 of 12 sites.")
    )
    kept = reading.units()
    monkeypatch.setattr(reading, "units", lambda: (*kept, added))
    assert [line.split()[1] for line in unaccounted()] == ["3/7", "0.4286", "4e-3"]
