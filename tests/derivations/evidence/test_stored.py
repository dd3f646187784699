"""Stored evidence: what makes it stale, what makes it damaged, and what a run reads back from it."""

import json
from dataclasses import replace
from decimal import Decimal, localcontext

import pytest
import sympy

from derivations.evidence import stored
from derivations.evidence.stored import DamagedEvidenceError, claim_hash, is_stale, read
from derivations.output import CHECK_FAILED
from derivations.seals import sealed
from derivations.validate import recorded
from theory.claims import catalog
from theory.claims.model import Claim, Kind

X = sympy.Symbol("x")
CLAIM = Claim("area.subject.fact", "a title", Kind.EQUATION, sympy.Eq(X, 2))


def write(folder, **changes):
    """Write evidence of the claim with these entries, sealed."""
    content = {"schema": stored.SCHEMA, "hash": claim_hash(CLAIM), "standing": "HOLDS", "printed": [], "levels": []}
    (folder / f"{CLAIM.id}.json").write_text(json.dumps(sealed(content | changes)))


def test_evidence_of_another_form_or_of_another_version_is_stale(tmp_path):
    assert is_stale(CLAIM, tmp_path)
    write(tmp_path)
    assert not is_stale(CLAIM, tmp_path)
    for changes in ({"schema": "gdln.evidence/1"}, {"hash": "0"}):
        write(tmp_path, **changes)
        assert is_stale(CLAIM, tmp_path)


def test_a_file_that_is_no_sealed_object_is_damaged(tmp_path):
    for text in ("", "3", '["seal"]', '{"seal": "0"}', "{}"):
        (tmp_path / f"{CLAIM.id}.json").write_text(text)
        with pytest.raises(DamagedEvidenceError, match=r"area\.subject\.fact is damaged") as caught:
            read(CLAIM, tmp_path)
        assert caught.value.exit_code == CHECK_FAILED


def test_each_part_of_a_registration_is_of_the_version():
    registered = catalog()["moment.site_gate.yx"]
    now = registered.registration
    for change in (
        {"problems": ("another",)},
        {"margin": now.margin / 2},
        {"level": now.level / 2},
        {"observable": catalog()["moment.site_gate.xx"].registration.observable},
        {"alternatives": ()},
    ):
        changed = replace(registered, registration=replace(now, **change))
        assert claim_hash(changed) != claim_hash(registered), change


def test_the_stored_digits_of_a_row_are_all_read():
    """1 and 1 + 2^-120, which differ in the 37th digit."""
    with localcontext(prec=125):
        formula = str(1 + Decimal(2) ** -120)
    (row,) = recorded.rows(CLAIM, {"precise": [{"at": {}, "definition": "1", "formula": formula}]})
    assert row.error == 2.0**-120


def test_a_stored_level_is_the_result_that_it_was():
    level = {"level": "simulated", "outcome": "PASS", "worst": 0.25, "tolerance": None, "where": "t = 1"}
    (result,) = recorded.results(CLAIM, {"levels": [{**level, "experiment": "of_it"}]})
    assert (result.claim, result.level.value, result.outcome.value) == (CLAIM.id, "simulated", "PASS")
    assert (result.worst, result.tolerance, result.where) == (0.25, None, "t = 1")
    assert result.details == {"experiment": "of_it"}
