"""A forgotten piece is named in one sentence with the file that takes it, by the function that looks it up."""

import pytest

from tests.pieces import claim_named, evidence_of, missing


def said(call, *arguments):
    """The message with which a look-up fails."""
    with pytest.raises(pytest.fail.Exception) as failed:
        call(*arguments)
    return str(failed.value)


def test_a_claim_that_does_not_exist_is_named_with_its_file():
    sentence = "A test is about the claim flow.nothing.fact, which does not exist: "
    assert (
        said(claim_named, "flow.nothing.fact") == sentence + "CLAIMS of theory/claims/areas/flow/nothing.py takes it."
    )
    assert claim_named("flow.mode.solution").id == "flow.mode.solution"


def test_missing_evidence_is_named_with_the_command_that_writes_it(tmp_path):
    sentence = "derivations/evidence/flow.mode.solution.json is missing: run gdln validate flow.mode.solution "
    assert said(evidence_of, "flow.mode.solution", tmp_path) == sentence + "--write-evidence."
    assert evidence_of("flow.mode.solution")["id"] == "flow.mode.solution"


def test_several_pieces_are_a_sentence_each():
    assert said(missing, ["One is missing.", "Another is missing."]) == "One is missing.\nAnother is missing."
