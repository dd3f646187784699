"""The ledger: an entry for each statement of the sources, verdicts read and never computed anew, stale ones shown."""

import json
import shutil
from dataclasses import replace
from functools import partial

import pytest
import sympy

from derivations.answers import ledger as verb
from derivations.evidence import entries as ledger
from derivations.evidence import stored
from derivations.output import CHECK_FAILED, PASS
from theory.claims import catalog
from theory.claims.documents import BUMP_NOTE, NOTES
from theory.claims.model import Claim, Kind
from theory.claims.sources import Source

CLAIM = "moment.site_gate.xx"


@pytest.fixture
def answer(gdln):
    """The exit code and the JSON of `gdln ledger`."""
    return partial(gdln, "ledger")


def test_every_source_of_every_claim_has_one_entry(answer):
    """False printed equations are findings and no failure."""
    code, shown = answer()
    assert (code, shown["stale"], shown["counts"]["CORRECTED"] > 0) == (PASS, [], True)
    pairs = sorted((entry["id"], entry["document"] or "", entry["label"] or "") for entry in shown["entries"])
    wanted = [
        (claim.id, source.document, source.label) if source else (claim.id, "", "")
        for claim in catalog().values()
        for source in claim.sources or (None,)
    ]
    assert pairs == sorted(wanted)


def _claim(*sources: Source) -> Claim:
    x = sympy.Symbol("x")
    return Claim("area.subject.fact", "a title", Kind.EQUATION, sympy.Eq(x, 2), sources=sources)


def _evidence(folder, claim, standing, *printed):
    common = {"schema": stored.SCHEMA, "hash": stored.claim_hash(claim), "standing": standing}
    content = {**common, "printed": list(printed), "levels": []}
    (folder / f"{claim.id}.json").write_text(json.dumps(content))


def _finding(source, agrees):
    common = {"reading": "", "repaired": False, "at": {}, "printed": "3", "definition": "2"}
    return {"document": source.document, "label": source.label, "agrees": agrees, **common}


def test_a_source_that_prints_it_right_is_confirmed(tmp_path):
    wrong, right = Source(NOTES, "(1)", sympy.Integer(3)), Source(BUMP_NOTE, "(1)", sympy.Integer(2))
    claim = _claim(wrong, right)
    _evidence(tmp_path, claim, "HOLDS", _finding(wrong, False), _finding(right, True))
    shown = ledger.entries([claim], tmp_path)
    assert [(entry.document, entry.verdict) for entry in shown] == [(NOTES, "CORRECTED"), (BUMP_NOTE, "CONFIRMED")]
    assert [ledger.correction(entry) for entry in shown] == ["x = 2", None]


@pytest.mark.parametrize(
    ("standing", "verdict"),
    [("HOLDS", "CONFIRMED"), ("FAILS", "BROKEN"), ("OPEN", "OPEN"), ("DEFINITION", "DEFINITION")],
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


def test_planted_stale_evidence_exits_1(tmp_path, monkeypatch, answer):
    folder = tmp_path / "evidence"
    shutil.copytree(stored.FOLDER, folder)
    path = folder / f"{CLAIM}.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"hash": "0"}))
    entries = ledger.entries
    monkeypatch.setattr(verb, "entries", lambda claims: entries(claims, folder))
    code, shown = answer()
    assert code == CHECK_FAILED
    assert CLAIM in shown["stale"]
    assert {entry["verdict"] for entry in shown["entries"] if entry["id"] == CLAIM} == {ledger.STALE}
