"""The entries of the ledger: what a finding and a verdict make of an entry, and the order of entries."""

import json

import pytest
import sympy

from derivations.evidence import stored
from derivations.evidence.entries import STALE, Entry, entries, label_order, verdict_on_claim
from theory.claims.documents import BUMP_NOTE, NEURAL_PATH_KERNEL, NOTES
from theory.claims.model import Claim, Kind
from theory.claims.rows import Verdict
from theory.claims.slips import READOUT
from theory.claims.sources import Source

SOURCE = Source(NOTES, "(5)", sympy.Integer(3), slip=READOUT)
CLAIM = Claim("area.subject.fact", "a title", Kind.EQUATION, sympy.Eq(sympy.Symbol("x"), 2), sources=(SOURCE,))


def entry(agrees=None, reading="", verdict=Verdict.CORRECTED, source=SOURCE):
    """An entry with a finding, or without where `agrees` is None."""
    finding = None if agrees is None else {"agrees": agrees, "reading": reading}
    return Entry(CLAIM, source, verdict, finding, None)


def test_an_entry_differs_where_no_reading_saves_the_printed_form():
    assert not entry().differs
    assert not entry(True, "the gain is squared").differs
    assert not entry(False, "the gain is squared").differs
    assert entry(False).differs


def test_the_condition_of_a_confirmed_entry_is_its_reading_or_that_of_its_source():
    source = Source(NOTES, "(5)", sympy.Integer(3), condition="the width grows")
    for agrees, reading, verdict, condition, condition_with_source in (
        (False, "the gain is squared", Verdict.CONFIRMED, "the gain is squared", "the gain is squared"),
        (False, "the gain is squared", Verdict.OPEN, "", ""),
        (True, "", Verdict.CONFIRMED, "", "the width grows"),
        (None, "", Verdict.CONFIRMED, "", "the width grows"),
        (False, "", Verdict.CORRECTED, "", ""),
        (True, "", Verdict.OPEN, "", ""),
    ):
        assert entry(agrees, reading, verdict).condition == condition
        assert entry(agrees, reading, verdict, source).condition == condition_with_source


@pytest.mark.parametrize("verdict", Verdict)
def test_wrong_forms_alone_are_charged_with_a_slip(verdict):
    charged = verdict in (Verdict.CORRECTED, Verdict.INHERITED)
    assert entry(False, verdict=verdict).slip is (READOUT if charged else None)
    assert entry(verdict=verdict, source=None).slip is None


def test_entries_are_in_the_order_of_documents_and_then_of_labels(tmp_path):
    labels = {NOTES: ("(2)", "(4)"), BUMP_NOTE: ("(1)", "(3)")}
    sources = tuple(Source(document, label) for document in (BUMP_NOTE, NOTES) for label in labels[document][::-1])
    claim = Claim("area.subject.fact", "a title", Kind.EQUATION, CLAIM.statement, sources=sources)
    result = [(one.document, one.source.label) for one in entries([claim], tmp_path)]
    assert result == [(document, label) for document in sorted(labels) for label in labels[document]]


def test_an_appendix_stands_after_the_numbered_sections():
    labels = ["section 1", "section 8", "section A", "section B", "(1)"]
    result = sorted(labels[::-1], key=lambda label: label_order(Source(NEURAL_PATH_KERNEL, label)))
    assert result == labels


@pytest.mark.parametrize("known", [False, True])
def test_a_claim_without_a_source_has_one_entry(known, tmp_path):
    claim = Claim("area.subject.fact", "a title", Kind.EQUATION, CLAIM.statement)
    if known:
        content = {"schema": stored.SCHEMA, "hash": stored.claim_hash(claim), "standing": "HOLDS"}
        text = json.dumps({**content, "printed": [], "levels": []})
        (tmp_path / f"{claim.id}.json").write_text(text)
    (only,) = entries([claim], tmp_path)
    assert (only.source, only.verdict) == (None, Verdict.RESULT if known else STALE)


def finding(label, agrees):
    """A stored finding on the printed form at a label of the notes."""
    return {"document": NOTES, "label": label, "agrees": agrees, "reading": "", "repaired": False}


def test_a_finding_on_a_source_that_the_claim_has_no_more_does_not_count():
    evidence = {"standing": "HOLDS", "printed": [finding("(5)", True), finding("(7)", False)]}
    assert verdict_on_claim(CLAIM, evidence) is Verdict.CONFIRMED
    assert verdict_on_claim(CLAIM, {**evidence, "printed": [finding("(5)", False)]}) is Verdict.CORRECTED
