"""Citations: existing claims, instances of what they state, no circle, doubt passed on."""

from dataclasses import replace

import pytest
import sympy
from sympy import Eq

from theory.claims.citations import citation_error, inherited, instance, order
from theory.claims.model import Claim, Kind, Param, Standing
from theory.proof.derivation import Derivation, Step

r, s = sympy.symbols("r s", real=True)
f, h = sympy.Function("f"), sympy.Function("h")
CITED = Claim("one.law", "f", Kind.EQUATION, Eq(f(r), sympy.asin(r)), (Param(r, sympy.Interval(-1, 1), "r"),))
USED = Eq(f(s / 2), sympy.asin(s / 2))


def _using(used, name="one.law"):
    steps = (Step(h(s), "given", "definition"), Step(sympy.asin(s / 2), "by the law", "cite", (used,), (name,)))
    return Derivation("two.law", Eq(h(s), sympy.asin(s / 2)), steps)


def test_an_instance_puts_expressions_in_for_parameters():
    assert instance(CITED, USED) == {r: s / 2}
    assert instance(CITED, Eq(f(s / 2), sympy.asin(s))) is None
    assert instance(CITED, Eq(h(s), sympy.asin(s))) is None


def test_a_citation_names_a_claim_and_uses_what_it_states():
    claims = {CITED.id: CITED}
    assert citation_error(_using(USED), claims) == ""
    assert "which is no claim" in citation_error(_using(USED, "no.such"), claims)
    assert "that claim states" in citation_error(_using(Eq(f(s), 2 * sympy.asin(s))), claims)


def test_cited_claims_come_first_and_circles_are_refused():
    citing = replace(CITED, id="two.law", cites=("one.law",))
    assert [claim.id for claim in order({"two.law": citing, "one.law": CITED})] == ["one.law", "two.law"]
    with pytest.raises(ValueError, match="circle"):
        order({"two.law": citing, "one.law": replace(CITED, cites=("two.law",))})


@pytest.mark.parametrize(
    ("standing", "cited", "expected"),
    [
        (Standing.HOLDS, (Standing.DEFINITION,), Standing.HOLDS),
        (Standing.HOLDS, (Standing.OPEN,), Standing.OPEN),
        (Standing.HOLDS, (Standing.FAILS, Standing.HOLDS), Standing.OPEN),
        (Standing.FAILS, (Standing.OPEN,), Standing.FAILS),
    ],
)
def test_a_claim_inherits_the_doubt_of_what_it_rests_on(standing, cited, expected):
    assert inherited(standing, cited) is expected
