"""The ledger: an entry for each statement of the sources, verdicts read and never computed anew, stale ones shown."""

import json
import shutil
from dataclasses import replace

import pytest
import sympy

from derivations import cli
from derivations.answers import ledger as verb
from derivations.evidence import entries as ledger
from derivations.evidence import stored
from derivations.output import BAD_INPUT, CHECK_FAILED, PASS
from derivations.publish import compose, places
from derivations.seals import sealed
from theory.claims import catalog
from theory.claims.documents import BUMP_NOTE, NOTES
from theory.claims.model import Claim, Kind
from theory.claims.recorded import RECORDED, Left
from theory.claims.rows import Verdict
from theory.claims.sources import Source

CLAIM = "moment.site_gate.xx"


def answer(capsys, *words):
    """The exit code and the JSON of `gdln ledger`."""
    code = cli.main(["ledger", "--json", *words])
    return code, json.loads(capsys.readouterr().out)


def test_every_source_of_every_claim_has_one_entry(capsys):
    _, found = answer(capsys)
    pairs = sorted((entry["id"], entry["document"] or "", entry["label"] or "") for entry in found["entries"])
    wanted = [
        (claim.id, source.document, source.label) if source else (claim.id, "", "")
        for claim in catalog().values()
        for source in claim.sources or (None,)
    ]
    assert pairs == sorted(wanted)


def test_an_entry_has_what_programs_read(capsys):
    _, found = answer(capsys)
    for entry in found["entries"]:
        assert set(entry) >= {"id", "kind", "document", "label", "verdict", "statement", "correction", "page"}
        assert entry["page"].endswith(f"#{entry['id']}")
        assert entry["verdict"] in (*Verdict, ledger.STALE)
        assert (entry["correction"] is None) == (entry["counterexample"] is None)


def test_the_printed_second_moment_is_corrected(capsys):
    _, found = answer(capsys, "--document", "small-bump-gate")
    (entry,) = (entry for entry in found["entries"] if (entry["id"], entry["label"]) == (CLAIM, "(8)"))
    assert entry["verdict"] == "CORRECTED"
    assert "asin" in entry["correction"]
    assert entry["page"] == f"small-bump-gate#{CLAIM}"
    assert entry["counterexample"]["printed"] != entry["counterexample"]["definition"]


def test_only_one_document_and_only_one_verdict(capsys):
    _, found = answer(capsys, "--document", "small-bump-gate", "--verdict", "CORRECTED")
    assert {entry["document"] for entry in found["entries"]} == {"small-bump-gate"}
    assert {entry["verdict"] for entry in found["entries"]} == {"CORRECTED"}


@pytest.mark.parametrize("words", [["--document", "small-bumb-gate"], ["--verdict", "WRONG"]])
def test_an_unknown_document_or_verdict_is_bad_input(words, capsys):
    assert cli.main(["ledger", *words]) == BAD_INPUT
    assert words[1] in capsys.readouterr().err


def test_labels_are_in_the_order_of_the_document():
    labels = ["(13)", "after (11)", "(12)", "section 2.1", "(2)", "(11)", "section 1"]
    ordered = sorted(labels, key=lambda label: ledger.label_order(Source(NOTES, label)))
    assert ordered == ["section 1", "section 2.1", "(2)", "(11)", "after (11)", "(12)", "(13)"]


def _claim(*sources: Source) -> Claim:
    x = sympy.Symbol("x")
    return Claim("area.subject.fact", "a title", Kind.EQUATION, sympy.Eq(x, 2), sources=sources)


def _evidence(folder, claim, standing, *printed):
    told = {"schema": stored.SCHEMA, "hash": stored.claim_hash(claim), "standing": standing}
    content = {**told, "printed": list(printed), "levels": []}
    (folder / f"{claim.id}.json").write_text(json.dumps(sealed(content)))


def _finding(source, agrees):
    told = {"reading": "", "repaired": False, "at": {}, "printed": "3", "definition": "2"}
    return {"document": source.document, "label": source.label, "agrees": agrees, **told}


def test_a_source_that_prints_it_right_is_confirmed(tmp_path):
    wrong, right = Source(NOTES, "(1)", sympy.Integer(3)), Source(BUMP_NOTE, "(1)", sympy.Integer(2))
    claim = _claim(wrong, right)
    _evidence(tmp_path, claim, "HOLDS", _finding(wrong, False), _finding(right, True))
    found = ledger.entries([claim], tmp_path)
    assert [(entry.document, entry.verdict) for entry in found] == [(NOTES, "CORRECTED"), (BUMP_NOTE, "CONFIRMED")]
    assert [ledger.correction(entry) for entry in found] == ["x = 2", None]


@pytest.mark.parametrize(
    ("standing", "verdict"),
    [("HOLDS", "CONFIRMED"), ("FAILS", "REFUTED"), ("OPEN", "OPEN"), ("DEFINITION", "DEFINITION")],
)
def test_a_standing_gives_its_verdict(tmp_path, standing, verdict):
    claim = _claim(Source(NOTES, "(1)"))
    _evidence(tmp_path, claim, standing)
    assert [entry.verdict for entry in ledger.entries([claim], tmp_path)] == [verdict]


def test_a_claim_without_source_stands_last(tmp_path):
    with_source, without = _claim(Source(NOTES, "(1)")), replace(_claim(), id="area.subject.other")
    for claim in (with_source, without):
        _evidence(tmp_path, claim, "HOLDS")
    assert [entry.document for entry in ledger.entries([without, with_source], tmp_path)] == [NOTES, None]


def test_changed_and_missing_evidence_is_stale(tmp_path):
    claim = _claim(Source(NOTES, "(1)"))
    assert [entry.verdict for entry in ledger.entries([claim], tmp_path)] == [ledger.STALE]
    _evidence(tmp_path, claim, "HOLDS")
    changed = replace(claim, statement=sympy.Eq(sympy.Symbol("x"), 3))
    assert [entry.verdict for entry in ledger.entries([changed], tmp_path)] == [ledger.STALE]


@pytest.mark.parametrize("plant", ["missing", "changed"])
def test_planted_stale_evidence_exits_1(plant, tmp_path, monkeypatch, capsys):
    folder = tmp_path / "evidence"
    shutil.copytree(stored.FOLDER, folder)
    path = folder / f"{CLAIM}.json"
    if plant == "missing":
        path.unlink()
    else:
        path.write_text(json.dumps(sealed(json.loads(path.read_text()) | {"hash": "0"})))
    entries = ledger.entries
    monkeypatch.setattr(verb, "entries", lambda claims: entries(claims, folder))
    code, found = answer(capsys)
    assert code == CHECK_FAILED
    assert CLAIM in found["stale"]
    assert {entry["verdict"] for entry in found["entries"] if entry["id"] == CLAIM} == {ledger.STALE}
    assert cli.main(["ledger"]) == CHECK_FAILED
    assert "STALE" in capsys.readouterr().out


def test_what_the_notes_leave_blank_or_ask_is_shown(capsys):
    _, found = answer(capsys)
    assert [(record["document"], record["label"], record["words"]) for record in found["recorded"]] == [
        (record.document, record.label, record.words) for record in RECORDED
    ]
    assert {record["left"] for record in found["recorded"]} == {left.value for left in Left}
    cli.main(["ledger", "--document", BUMP_NOTE])
    text = capsys.readouterr().out
    assert "after (13), question: '(Also I have no idea how to decouple the ODEs with these matrices.)'" in text
    assert "Evolving Gates?" not in text
    _, found = answer(capsys, "--verdict", "CORRECTED")
    assert found["recorded"] == []


def test_false_printed_equations_are_findings_and_no_failure(capsys):
    code, found = answer(capsys)
    assert found["counts"]["CORRECTED"] > 0
    assert found["stale"] == []
    assert code == PASS


def test_the_text_says_what_holds(capsys):
    cli.main(["ledger", "--document", "localization-with-gated-linear-networks"])
    text = capsys.readouterr().out
    assert "holds: u(oo) = K*c/lambda" in text
    assert "printed gives" in text


def test_what_is_open_says_what_would_settle_it(capsys):
    _, found = answer(capsys)
    open_ = {entry["id"] for entry in found["entries"] if entry["verdict"] == "OPEN"}
    assert open_ == {entry["id"] for entry in found["entries"] if entry["settled_by"]}
    book = compose.Book(catalog(), places.sources())
    text = "".join(book.render(page) for page in places.sources())
    assert text.count("*What would settle it.*") == len(open_)
    cli.main(["ledger", "--verdict", "OPEN"])
    assert capsys.readouterr().out.count("would be settled by: ") == len(open_)


def test_a_long_formula_is_left_to_its_page():
    entry = {
        "words": "",
        "condition": "",
        "slip": "",
        "note": "",
        "correction": "x" * 1000,
        "counterexample": {"printed": "1", "definition": "2", "at": {}},
    }
    assert verb._remarks(entry) == ["printed gives 1, the definition 2"]


def test_a_row_shows_its_words_its_condition_and_its_slip():
    told = {"words": "g is invariant", "condition": "c > 0", "slip": "two equations clash", "counterexample": None}
    lines = verb._remarks(told)
    assert lines == ["'g is invariant'", "holds where c > 0", "slip: two equations clash"]


def test_slips_are_counted_and_not_rows(capsys):
    _, found = answer(capsys)
    charged = [entry["slip"] for entry in found["entries"] if entry["slip"]]
    assert found["slips"] == len({(entry["document"], entry["slip"]) for entry in found["entries"] if entry["slip"]})
    assert 0 < found["slips"] < len(charged)
    cli.main(["ledger"])
    assert f"Slips: {found['slips']}." in capsys.readouterr().out


def test_nothing_is_derived_or_simulated(monkeypatch, capsys):
    def derived(self):
        raise AssertionError("the ledger derives")

    monkeypatch.setattr("theory.proof.derivation.Derivation.__post_init__", derived, raising=False)
    assert ledger.entries(catalog().values())
    assert places.places(catalog())
