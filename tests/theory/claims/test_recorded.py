"""Blanks and questions of the notes: each record names claims of the catalog and says something where it names any."""

import pytest

from theory.claims import catalog
from theory.claims.documents import BUMP_NOTE, DOCUMENTS, NOTES
from theory.claims.recorded import RECORDED, Left, Recorded, recorded_in
from theory.claims.sources import Says
from theory.problem import InputError


@pytest.mark.parametrize("record", RECORDED, ids=lambda record: f"{record.label} {record.words[:20]}")
def test_a_record_names_claims_and_says_what_they_say(record):
    assert set(record.claims) <= set(catalog())
    assert bool(record.claims) == bool(record.answer)
    assert record.words


def test_every_blank_of_the_notes_is_recorded():
    blanks = [record.label for record in RECORDED if record.left is Left.BLANK]
    assert blanks == [f"section {number}" for number in ("2.2", "2.3", "4.1", "4.2", "4.3", "5", "5")]


@pytest.mark.parametrize(("says", "left"), [(Says.ASKS, Left.QUESTION), (Says.CONJECTURES, Left.CONJECTURE)])
def test_what_is_judged_is_no_record(says, left):
    judged = {source.words for claim in catalog().values() for source in claim.sources if source.says is says}
    recorded = {record.words for record in RECORDED if record.left is left}
    assert judged
    assert recorded
    assert judged.isdisjoint(recorded)


def test_records_are_those_of_the_documents_asked_for():
    assert recorded_in([]) == ()
    assert recorded_in(DOCUMENTS) == RECORDED
    assert {record.document for record in recorded_in([BUMP_NOTE])} == {BUMP_NOTE}


def test_an_unknown_label_is_refused():
    with pytest.raises(InputError, match="has no 'section 6'"):
        Recorded(NOTES, "section 6", Left.BLANK, "Next")
