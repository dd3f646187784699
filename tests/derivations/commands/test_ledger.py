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
from derivations.seals import sealed
from theory.claims import catalog
from theory.claims.documents import BUMP_NOTE, NOTES
from theory.claims.model import Claim, Kind
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


@pytest.mark.parametrize("words", [["--document", "small-bumb-gate"], ["--verdict", "WRONG"]])
def test_an_unknown_document_or_verdict_is_bad_input(words, capsys):
    assert cli.main(["ledger", *words]) == BAD_INPUT
    assert words[1] in capsys.readouterr().err


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


def test_false_printed_equations_are_findings_and_no_failure(capsys):
    code, found = answer(capsys)
    assert found["counts"]["CORRECTED"] > 0
    assert found["stale"] == []
    assert code == PASS
