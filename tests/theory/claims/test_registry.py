"""A claim stands in the file that its id names; one elsewhere, or not complete, is an error that names the file."""

import sys
from textwrap import dedent

import pytest

from theory.claims import areas, catalog
from theory.claims.registry import file_of, subjects
from theory.problem import InputError

CLAIM = """
    import sympy
    from theory.claims.documents import NOTES
    from theory.claims.model import Claim, Kind, Level
    from theory.claims.sources import Source
    x = sympy.Symbol("x")
    def claim(name, kind=Kind.DEFINITION, **more):
        return Claim(name, "a title", kind, sympy.Eq(x, 2, evaluate=False), **more)
    """


@pytest.fixture
def planted(tmp_path, monkeypatch):
    """Files of an area `planted`, which the registry finds beside the others."""
    monkeypatch.setattr(areas, "__path__", [*areas.__path__, str(tmp_path)])

    def plant(**files):
        folder = tmp_path / "planted"
        folder.mkdir()
        for name, lines in ({"__init__": ""} | files).items():
            (folder / f"{name}.py").write_text(dedent(CLAIM) + lines)
        return catalog.__wrapped__()

    yield plant
    for name in [name for name in sys.modules if name.startswith(f"{areas.__name__}.planted")]:
        del sys.modules[name]


def test_every_claim_stands_in_the_file_that_its_id_names():
    files = {subject: module for subject, module in subjects()}
    for claim in catalog().values():
        subject = claim.id.rpartition(".")[0]
        assert claim in sys.modules[files[subject]].CLAIMS
        assert file_of(claim.id) == f"{files[subject].replace('.', '/')}.py"


def test_a_new_area_is_found_by_itself(planted):
    found = planted(
        subject='CLAIMS = (claim("planted.subject.fact"),)', other='CLAIMS = (claim("planted.other.fact"),)', _shared=""
    )
    assert [name for name in found if name.startswith("planted.")] == ["planted.other.fact", "planted.subject.fact"]
    assert set(found) - set(catalog()) == {"planted.other.fact", "planted.subject.fact"}


HERE = r"theory/claims/areas/planted/subject\.py"
FAULTS = {
    "the wrong file": (
        'CLAIMS = (claim("flow.mode.planted"),)',
        rf"flow.mode.planted is in {HERE}\. Its id names theory/claims/areas/flow/mode\.py: move it there",
    ),
    "no id": ('CLAIMS = (claim("planted.subject"),)', "'planted.subject' is no id of a claim"),
    "an id used twice": ('CLAIMS = (claim("planted.subject.a"),) * 2', rf"planted.subject.a is used twice in {HERE}"),
    "no CLAIMS": ("", rf"{HERE} has no CLAIMS"),
    "no oracle": (
        'CLAIMS = (claim("planted.subject.fact", Kind.EQUATION),)',
        rf"planted.subject.fact is not complete: it has no oracle.* {HERE} takes it",
    ),
    "an unknown document": (
        'CLAIMS = (claim("planted.subject.fact", sources=(Source("no-such-paper", "(1)"),)),)',
        r"no document is called 'no-such-paper'.*theory/claims/documents\.py takes",
    ),
    "a field left out": (
        'CLAIMS = (Claim("planted.subject.fact", "a title"),)',
        rf"{HERE}, line 9 has a fault \(TypeError: .*'kind'",
    ),
    "an import left out": (
        "CLAIMS = (mpmath.pi,)",
        rf"{HERE}, line 9 has a fault \(NameError: name 'mpmath' is not defined",
    ),
    "an unknown citation": (
        'CLAIMS = (claim("planted.subject.fact", cites=("no.such.claim",)),)',
        rf"planted.subject.fact cites no.such.claim, which is no claim\. Correct `cites` in {HERE}",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_is_an_error_that_names_the_file(planted, fault):
    lines, said = FAULTS[fault]
    with pytest.raises(InputError, match=said):
        planted(subject=lines)


def test_a_file_beside_the_areas_is_refused(tmp_path, monkeypatch):
    (tmp_path / "astray.py").write_text("CLAIMS = ()")
    monkeypatch.setattr(areas, "__path__", [*areas.__path__, str(tmp_path)])
    with pytest.raises(InputError, match=r"areas/astray\.py is no folder\. Claims stand in"):
        catalog.__wrapped__()
    del sys.modules[f"{areas.__name__}.astray"]
