"""Stored evidence: what makes it stale, and what makes it damaged."""

import json
from dataclasses import replace

import numpy as np
import pytest
import sympy

from derivations.evidence import stored
from derivations.evidence.stored import DamagedEvidenceError, claim_hash, is_stale, read
from derivations.output import CHECK_FAILED
from theory.claims import catalog
from theory.claims.model import Claim, Kind

X = sympy.Symbol("x")
CLAIM = Claim("area.subject.fact", "a title", Kind.EQUATION, sympy.Eq(X, 2))


def write(folder, **changes):
    """Write evidence of the claim with these entries."""
    content = {"schema": stored.SCHEMA, "hash": claim_hash(CLAIM), "standing": "HOLDS", "printed": [], "levels": []}
    (folder / f"{CLAIM.id}.json").write_text(json.dumps(content | changes))


def test_evidence_of_another_form_or_of_another_version_is_stale(tmp_path):
    assert is_stale(CLAIM, tmp_path)
    write(tmp_path)
    assert not is_stale(CLAIM, tmp_path)
    for changes in ({"schema": "gdln.evidence/1"}, {"hash": "0"}):
        write(tmp_path, **changes)
        assert is_stale(CLAIM, tmp_path)


def test_a_file_that_is_no_object_is_damaged(tmp_path):
    for text in ("", "3", '["hash"]', '{"hash": '):
        (tmp_path / f"{CLAIM.id}.json").write_text(text)
        with pytest.raises(DamagedEvidenceError, match=r"area\.subject\.fact is damaged") as caught:
            read(CLAIM, tmp_path)
        assert caught.value.exit_code == CHECK_FAILED


def test_arrays_lie_beside_the_text(tmp_path):
    place, content = "area.subject.fact/a", {"area.subject.fact": {"times": [1]}}
    write(tmp_path, simulated=content, arrays=["area.subject.fact/mean"])
    with pytest.raises(DamagedEvidenceError, match="missing"):
        read(CLAIM, tmp_path)
    np.savez(tmp_path / f"{CLAIM.id}.npz", **{place: np.zeros(2)})
    with pytest.raises(DamagedEvidenceError):
        read(CLAIM, tmp_path)
    np.savez(tmp_path / f"{CLAIM.id}.npz", **{"area.subject.fact/mean": np.array([0.5, 1])})
    assert read(CLAIM, tmp_path)["simulated"] == {"area.subject.fact": {"times": [1], "mean": [0.5, 1]}}


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
