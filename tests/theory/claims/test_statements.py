"""Every statement of the papers on gated networks is judged, repeated, recorded, or left out for a given reason."""

import tomllib
from pathlib import Path

import pytest

from derivations.reproductions.catalog import reproductions
from theory.claims import catalog
from theory.claims.documents import DEEP_GATED_NETWORKS, DOCUMENTS, HALF_SPACES, NEURAL_PATH_KERNEL
from theory.claims.recorded import RECORDED

STATEMENTS = tomllib.loads(Path(__file__).with_name("statements.toml").read_text(encoding="utf-8"))
PAPERS = (DEEP_GATED_NETWORKS, NEURAL_PATH_KERNEL, HALF_SPACES)
FEWEST_WORDS = 4  # the least length of a reason
LISTED = [(paper, statement) for paper, listed in STATEMENTS.items() for statement in listed]
EXPERIMENTS = {one.name: one.source for one in reproductions().values() if one.source in PAPERS}
ROWS = {(source.document, source.label, claim.id) for claim in catalog().values() for source in claim.sources}


def without_statement(listed: dict) -> list[tuple[str, str]]:
    """The labels of the papers for which the list has no statement."""
    has = {(paper, statement["label"]) for paper, statements in listed.items() for statement in statements}
    wanted = [(paper, label) for paper in PAPERS for label in (*DOCUMENTS[paper].numbered, *DOCUMENTS[paper].passages)]
    return [place for place in wanted if place not in has]


def fault(paper: str, statement: dict, rows: set[tuple[str, str, str]]) -> str:
    """Return the fault of an entry of the list, or an empty string."""
    label, claims = statement["label"], statement.get("claims", [])
    if not DOCUMENTS[paper].has(label):
        return f"{paper} has no label {label!r}"
    experiments = statement.get("experiments", [])
    if bool(statement.get("left_out")) == bool(claims or experiments or statement.get("recorded")):
        return f"{paper} {label} is neither judged nor left out, or both"
    if unknown := [name for name in experiments if EXPERIMENTS.get(name) != paper]:
        return f"no experiment of {paper} is called {unknown[0]}"
    if "left_out" in statement and len(statement["left_out"].split()) < FEWEST_WORDS:
        return f"the reason for leaving out {paper} {label} says too little"
    if statement.get("recorded") and (paper, label) not in {(record.document, record.label) for record in RECORDED}:
        return f"theory/claims/recorded.py has nothing of {paper} {label}"
    return next((f"{name} does not cite {paper} {label}" for name in claims if (paper, label, name) not in rows), "")


def test_every_label_has_a_statement():
    assert set(STATEMENTS) == set(PAPERS)
    assert without_statement(STATEMENTS) == []


@pytest.mark.parametrize(
    ("paper", "statement"), LISTED, ids=[f"{paper} {one['label']}: {one['says'][:30]}" for paper, one in LISTED]
)
def test_a_statement_is_judged_recorded_or_left_out(paper, statement):
    assert statement["says"]
    assert fault(paper, statement, ROWS) == ""


def test_every_experiment_is_on_the_list():
    listed = {name for _, one in LISTED for name in one.get("experiments", [])}
    assert set(EXPERIMENTS) == listed


def test_every_record_and_every_numbered_equation_is_on_the_list():
    recorded = {(paper, one["label"]) for paper, one in LISTED if one.get("recorded")}
    assert {(record.document, record.label) for record in RECORDED if record.document in PAPERS} <= recorded | {
        (paper, one["label"]) for paper, one in LISTED if one.get("claims")
    }
    judged = {(paper, one["label"]) for paper, one in LISTED if one.get("claims")}
    assert {(paper, label) for paper in PAPERS for label in DOCUMENTS[paper].numbered} <= judged


@pytest.mark.parametrize("label", ["(6)", "Theorem 2.3", "section 3.1", "Table 4"])
def test_a_missing_label_is_found(label):
    rest = {paper: [one for one in listed if one["label"] != label] for paper, listed in STATEMENTS.items()}
    assert (DEEP_GATED_NETWORKS, label) in without_statement(rest)


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ({"label": "(17)", "claims": ["kernel.error.step"]}, "has no label"),
        ({"label": "(1)"}, "neither judged nor left out"),
        ({"label": "(1)", "claims": ["kernel.error.step"], "left_out": "for a good reason here"}, "or both"),
        ({"label": "(1)", "left_out": "hard"}, "says too little"),
        ({"label": "(1)", "recorded": True}, "recorded.py has nothing"),
        ({"label": "(1)", "claims": ["kernel.error.rate"]}, "kernel.error.rate does not cite"),
        (
            {"label": "Table 4", "experiments": ["npk-fig-1"]},
            "no experiment of deep-gated-networks is called npk-fig-1",
        ),
    ],
)
def test_a_faulty_entry_is_found(statement, said):
    assert said in fault(DEEP_GATED_NETWORKS, statement, ROWS)


def test_a_claim_that_loses_its_source_is_found():
    statement = {"label": "(1)", "claims": ["kernel.error.step"]}
    rest = ROWS - {(DEEP_GATED_NETWORKS, "(1)", "kernel.error.step")}
    assert fault(DEEP_GATED_NETWORKS, statement, ROWS) == ""
    assert "does not cite" in fault(DEEP_GATED_NETWORKS, statement, rest)
