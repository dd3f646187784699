"""What the claims cite: documents and their labels, numbered equations that each have a claim, blanks and questions."""

from functools import cache
from itertools import chain

import pytest

from theory.claims import catalog
from theory.claims.documents import BUMP_NOTE, DOCUMENTS, NEURAL_PATH_KERNEL, NOTES
from theory.claims.model import Kind
from theory.claims.recorded import RECORDED, Left, Recorded, recorded_in
from theory.claims.sources import Says, Source
from theory.problem import InputError

# The notes, whose every numbered equation is compared with its definition.
JUDGED = (NOTES, BUMP_NOTE)
# Numbered equations that are definitions: a claim of that kind says what is defined.
DEFINED = {
    NOTES: ("(1)", "(3)", "(4)", "(6)", "(7)", "(12)", "(17)"),
    BUMP_NOTE: ("(1)", "(2)", "(3)", "(5)", "(6)"),
}


@cache
def sources():
    return [(claim, source) for claim in catalog().values() for source in claim.sources]


def test_every_numbered_equation_of_every_document_has_a_claim():
    cited = {(source.document, source.label) for _, source in sources()}
    wanted = [(document, label) for document in DOCUMENTS for label in DOCUMENTS[document].numbered]
    assert [place for place in wanted if place not in cited] == []


def test_definitions_are_stated_and_every_other_equation_shows_what_is_printed():
    stated = {(source.document, source.label) for claim, source in sources() if claim.kind is Kind.DEFINITION}
    printed = {(source.document, source.label) for _, source in sources() if source.printed is not None}
    for document in JUDGED:
        for label in DOCUMENTS[document].numbered:
            assert (document, label) in (stated if label in DEFINED[document] else printed)


def test_another_document_or_label_is_refused_and_the_file_of_papers_is_named():
    for document, label, words in (
        ("small-bumb-gate", "(1)", "no document is called 'small-bumb-gate'"),
        (NOTES, "(33)", r"has no '\(33\)'"),
        (BUMP_NOTE, "after (14)", r"has no 'after \(14\)'"),
        (NEURAL_PATH_KERNEL, "Theorem 5.2", "has no 'Theorem 5.2'"),
        (NOTES, "", "has no ''"),
    ):
        with pytest.raises(InputError, match=words):
            Source(document, label)
    with pytest.raises(InputError, match="has no 'section 6'"):
        Recorded(NOTES, "section 6", Left.BLANK, "Next")


def test_a_record_names_claims_and_says_what_they_say():
    assert set(chain.from_iterable(record.claims for record in RECORDED)) <= set(catalog())
    assert [record.label for record in RECORDED if bool(record.claims) != bool(record.answer)] == []


@pytest.mark.parametrize(("says", "left"), [(Says.ASKS, Left.QUESTION), (Says.CONJECTURES, Left.CONJECTURE)])
def test_what_is_judged_is_no_record(says, left):
    judged = {source.words for _, source in sources() if source.says is says}
    recorded = {record.words for record in RECORDED if record.left is left}
    assert judged
    assert recorded
    assert judged.isdisjoint(recorded)


def test_records_are_those_of_the_documents():
    assert recorded_in([]) == ()
    assert recorded_in(DOCUMENTS) == RECORDED
    assert {record.document for record in recorded_in([BUMP_NOTE])} == {BUMP_NOTE}
