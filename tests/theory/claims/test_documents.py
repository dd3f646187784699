"""The papers and their labels: what a source may cite, and that anything else is an error where it is written."""

import pytest

from tests.paths import ROOT
from theory.claims import catalog
from theory.claims.documents import BUMP_NOTE, DOCUMENTS, NEURAL_PATH_KERNEL, NOTES
from theory.claims.sources import Source
from theory.problem import InputError


@pytest.mark.parametrize(
    ("document", "label"),
    [
        (NOTES, "(1)"),
        (NOTES, "(32)"),
        (NOTES, "after (16)"),
        (NOTES, "section 3.5"),
        (BUMP_NOTE, "after (13)"),
        (NEURAL_PATH_KERNEL, "Theorem 5.1"),
    ],
)
def test_labels_of_the_documents_are_cited(document, label):
    assert Source(document, label).label == label


@pytest.mark.parametrize(
    ("document", "label", "said"),
    [
        ("small-bumb-gate", "(1)", "no document is called 'small-bumb-gate'; known: localization"),
        (NOTES, "(33)", r"has no '\(33\)': its labels are \(1\) ... \(32\), after \(n\), section 1"),
        (NOTES, "(0)", r"has no '\(0\)'"),
        (BUMP_NOTE, "after (14)", r"has no 'after \(14\)'"),
        (BUMP_NOTE, "section 3", "has no 'section 3'"),
        (NEURAL_PATH_KERNEL, "Theorem 5.2", "has no 'Theorem 5.2'"),
        (NOTES, "", "has no ''"),
    ],
)
def test_another_document_or_label_is_refused_and_the_file_of_papers_is_named(document, label, said):
    with pytest.raises(InputError, match=said) as caught:
        Source(document, label)
    assert "theory/claims/documents.py" in str(caught.value)


def test_every_document_names_itself():
    assert {document.stem for document in DOCUMENTS.values()} == set(DOCUMENTS)
    assert all(
        document.title and len(set(document.passages)) == len(document.passages) for document in DOCUMENTS.values()
    )


def test_claims_take_their_documents_from_one_place():
    """The stems stand in documents.py alone: a claim imports the name of its document."""
    files = [file for file in (ROOT / "theory/claims/areas").rglob("*.py") if file.name != "documents.py"]
    assert [
        file.name for file in files if any(f'"{stem}' in file.read_text(encoding="utf-8") for stem in DOCUMENTS)
    ] == []
    assert {source.document for claim in catalog().values() for source in claim.sources} <= set(DOCUMENTS)
