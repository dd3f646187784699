"""Every numbered equation of the two notes is a source of some claim; a gap is found."""

import pytest

from theory.claims import catalog
from theory.claims.documents import BUMP_NOTE, DOCUMENTS, NOTES
from theory.claims.model import Claim, Kind

# The documents whose every numbered equation is judged.
JUDGED = (NOTES, BUMP_NOTE)
# Numbered equations that are definitions: a claim of that kind says what is defined.
DEFINED = {
    NOTES: ("(1)", "(3)", "(4)", "(6)", "(7)", "(12)", "(17)"),
    BUMP_NOTE: ("(1)", "(2)", "(3)", "(5)", "(6)"),
}


def labels(document: str) -> tuple[str, ...]:
    """The labels of the numbered equations of a document."""
    return DOCUMENTS[document].numbered


def gaps(claims: list[Claim]) -> list[tuple[str, str]]:
    """The numbered equations that no claim names as a source."""
    entries = {(source.document, source.label) for claim in claims for source in claim.sources}
    return [(document, label) for document in JUDGED for label in labels(document) if (document, label) not in entries]


def test_every_numbered_equation_has_an_entry():
    assert gaps(list(catalog().values())) == []


@pytest.mark.parametrize(
    ("document", "label"), [(document, label) for document in JUDGED for label in labels(document)]
)
def test_a_missing_entry_is_found(document, label):
    """Without the claims that name it, an equation is reported."""
    rest = [c for c in catalog().values() if (document, label) not in {(s.document, s.label) for s in c.sources}]
    assert (document, label) in gaps(rest)


@pytest.mark.parametrize(
    ("document", "label"), [(document, label) for document in DEFINED for label in DEFINED[document]]
)
def test_definitions_are_stated(document, label):
    sources = {
        c.id: [(s.document, s.label) for s in c.sources] for c in catalog().values() if c.kind is Kind.DEFINITION
    }
    assert [name for name, named in sources.items() if (document, label) in named]


def test_equations_that_are_not_definitions_show_what_is_printed():
    """Every other numbered equation has a printed form that is held against its definition."""
    printed = {(s.document, s.label) for c in catalog().values() for s in c.sources if s.printed is not None}
    stated = [(document, label) for document in JUDGED for label in labels(document) if label not in DEFINED[document]]
    assert [entry for entry in stated if entry not in printed] == []
