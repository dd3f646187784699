"""The tables of the page on data laws: every law has its row, and refusals are those of the library."""

from types import SimpleNamespace

from derivations.evidence import stored
from derivations.publish import law_claims
from derivations.publish.law_claims import claims_by_law
from theory.claims.model import Level
from theory.problem.distributions import LAWS


def test_every_law_has_a_claim_that_its_samples_judge():
    """A new law needs a claim with a simulated level that passes on a problem file of the law."""
    assert [law for law, claims in claims_by_law().items() if not claims] == []
    assert list(claims_by_law()) == list(LAWS)


def test_a_law_whose_claim_does_not_pass_is_named(monkeypatch):
    law = "images"
    (claim,) = claims_by_law()[law]

    def failed(other):
        content = stored.read(other)
        if other.id != claim:
            return content
        levels = [
            level | ({"outcome": "FAIL"} if level["level"] == Level.SIMULATED else {}) for level in content["levels"]
        ]
        return {**content, "levels": levels}

    monkeypatch.setattr(law_claims, "stored", SimpleNamespace(read=failed))
    assert law in [name for name, claims in claims_by_law().items() if not claims]
