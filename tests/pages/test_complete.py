"""No page states a number that is in none of the lists: recomputed, given, or counted."""

import ast
from pathlib import Path

from tests.pages import (
    reading,
    test_averages,
    test_claims,
    test_counts,
    test_dialects,
    test_laws,
    test_regions,
    test_runs,
    test_scoreboard,
    test_scoreboard_sentences,
    test_sentences,
)
from tests.pages.inputs import INPUTS

PROJECT = {"theory", "sim", "derivations", "tests", "witness", "pulses", "gaussian_quadrature"}
OWN = ("tests.pages", "tests.paths", "tests.tolerances", "tests.tolerances_of_graphs")
LISTS = (
    test_claims,
    test_averages,
    test_counts,
    test_dialects,
    test_laws,
    test_regions,
    test_runs,
    test_scoreboard,
    test_scoreboard_sentences,
    test_sentences,
)


def mark() -> None:
    """Mark what any list accounts for, and nothing that other tests of the process marked."""
    for unit in reading.units():
        unit.seen.clear()
    for one in LISTS:
        one.mark()
    for pattern in INPUTS:
        reading.given(pattern)


def unaccounted() -> list[str]:
    """The numbers in none of the lists, each with its page and sentence."""
    return [f"{unit.page}: {number} in {unit.text[:200]!r}" for unit in reading.units() for number in unit.unseen()]


def test_every_number_is_accounted_for():
    mark()
    assert unaccounted() == []


def project_imports(text: str) -> list[str]:
    """The modules of the project that a file imports, but for this folder, the paths and the tolerances."""
    found = []
    for node in ast.walk(ast.parse(text)):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            names = [node.module or "."] if node.module != "tests" else [f"tests.{alias.name}" for alias in node.names]
        found += [name for name in names if name.split(".")[0] in PROJECT and not name.startswith(OWN)]
    return found


def test_nothing_is_computed_by_the_project():
    files = sorted(Path(__file__).parent.glob("*.py"))
    assert files
    assert {file.name: bad for file in files if (bad := project_imports(file.read_text("utf-8")))} == {}


def test_an_import_of_the_project_is_noticed():
    planted = (
        "import sim.data\nfrom theory.flow import solve\nfrom tests import witness\nfrom tests.pages import laws\n"
    )
    assert project_imports(planted) == ["sim.data", "theory.flow", "tests.witness"]


def test_the_pages_have_numbers():
    pages = {unit.page for unit in reading.units() if reading.NUMBER.search(unit.text)}
    assert pages == {path.stem for path in reading.BOOK.glob("*.md")}


def test_a_new_number_is_named(monkeypatch):
    mark()
    added = reading.Unit(
        "errata",
        "",
        "",
        reading.plain(r"The share is $\frac{3}{7}$, about 0.4286, 4e-3, $2 \cdot 10^{-9}$ or $10^{-8}$ of 12 sites."),
    )
    kept, before = reading.units(), unaccounted()
    monkeypatch.setattr(reading, "units", lambda: (*kept, added))
    named = [line.split(": ")[1].split(" in ")[0] for line in unaccounted() if line not in before]
    assert named == ["3/7", "0.4286", "4e-3", "2 cdot 10^-9", "10^-8"]
