"""The tables of the page on data laws: every law has its row, and refusals are those of the library."""

from types import SimpleNamespace

import pytest

from derivations.evidence import stored
from derivations.publish import law_claims, law_controls, law_tables
from derivations.publish.law_claims import claims_by_law
from derivations.publish.law_tables import ROWS, law_table
from theory.claims.model import Level
from theory.problem import GaussianClone, InputError, NonlinearGP
from theory.problem.distributions import LAWS


def column(name: str, place: int) -> dict[str, str]:
    """One column of a table, by law."""
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in law_table(name, "here").splitlines()[2:]]
    return {row[0].strip("`"): row[place] for row in rows}


def test_every_law_has_one_row():
    assert sorted(row.law for row in ROWS) == sorted(LAWS)
    assert list(column("definitions", 1)) == [row.law for row in ROWS] == list(column("exactness", 1))


def test_a_law_has_an_example_or_says_what_it_reads():
    assert all((row.example is None) == bool(row.reads) for row in ROWS)
    assert list(column("statistics", 1)) == [row.law for row in ROWS if row.example is not None]


def test_every_law_has_a_claim_that_its_samples_judge():
    """A new law needs a claim with a simulated level that passes on a problem file of the law."""
    assert [law for law, claims in claims_by_law().items() if not claims] == []
    assert list(column("claims", 0)) == list(LAWS)


@pytest.mark.parametrize("law", ["mixture", "images"])
def test_a_law_whose_claim_does_not_pass_is_named(law, monkeypatch):
    (claim,) = claims_by_law()[law]

    def failed(own):
        content = stored.read(own)
        if own.id != claim:
            return content
        levels = [
            level | ({"outcome": "FAIL"} if level["level"] == Level.SIMULATED else {}) for level in content["levels"]
        ]
        return {**content, "levels": levels}

    monkeypatch.setattr(law_claims, "stored", SimpleNamespace(read=failed))
    assert law in [name for name, claims in claims_by_law().items() if not claims]


def test_refusals_are_those_of_the_library():
    at_zero, at_half = column("exactness", 1), column("exactness", 2)
    assert at_zero["student-t"] == "float64, certified"
    assert at_half["student-t"] == "float64"
    assert at_zero["ising-2d"] == at_half["ising-2d"] == "float64"
    assert at_half["elliptical"] == "float64, certified"


def test_a_fault_of_the_library_is_no_refusal(monkeypatch):
    def broken(_problem):
        raise AttributeError("a fault")

    monkeypatch.setattr(law_tables, "_PRECISIONS", {"float64": broken})
    with pytest.raises(AttributeError, match="a fault"):
        law_table("exactness", "here")


def test_an_unknown_table_is_refused():
    with pytest.raises(InputError, match=r"page\.md, line 3: there is no table 'kurtoses' of laws"):
        law_table("kurtoses", "page.md, line 3")


def test_the_controls_are_the_original_and_four_others():
    original, clone, laplace, copula, exchanged = (one.problem.data for one in law_controls.matched())
    assert isinstance(original, NonlinearGP)
    assert isinstance(clone, GaussianClone)
    assert laplace.nonlinearity.kind == "laplace"
    assert (copula.correlation.kind, copula.xi) == ("exponential", original.xi)
    assert exchanged.labels == original.labels[::-1]


def test_the_figure_has_every_control():
    data = law_controls.data()
    assert len(data["densities"]) == len(data["fields"]) == 1 + len(law_controls.matched())


def test_the_gates_of_the_laws():
    """Each entry as the solver says it, for one law of each kind."""
    head, _, *rows = law_table("gates", "here").splitlines()
    names = [cell.strip() for cell in head.split("|")[2:-1]]
    found = {row.split("|")[1].strip(): [cell.strip() for cell in row.split("|")[2:-1]] for row in rows}
    table = {law: dict(zip(names, cells, strict=True)) for law, cells in found.items()}
    assert set(table["`gaussian-clone`"].values()) == {"digits"}
    assert table["`nlgp`, erf"]["soft, of $x_i$"] == "float64"
    assert table["`nlgp`, sign"]["a direction"] == "–"
    assert set(table["`nlgp`, Laplace"].values()) == {"float64"}
    assert table["`elliptical`, Student t"]["sites at 0"] == "digits"
    assert table["`elliptical`, sphere"]["slabs of a site"] == "–"
