"""The house rules hold, and each of them fails on a planted fault."""

import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest

from tests import house
from tests.paths import ROOT
from theory.problem import load, loads, loads_sweep

PACKAGES = ("theory", "sim", "derivations")
FOLDERS = (*PACKAGES, "tests", "notebooks", ".ci")
TEXT = {".py", ".md", ".toml", ".cff", ".txt", ".ipynb", ".json", ".svg", ""}


def python_files(*folders: str) -> list[Path]:
    """The Python files below `folders`."""
    return sorted(file for folder in folders for file in (ROOT / folder).rglob("*.py"))


def text_files() -> list[Path]:
    """Every text file of the project, as far as a rule of words concerns it."""
    inside = (file for folder in FOLDERS for file in (ROOT / folder).rglob("*") if "__pycache__" not in file.parts)
    return sorted(
        file
        for file in (*inside, *ROOT.iterdir())
        if file.is_file() and file.suffix in TEXT and ".git" not in file.name
    )


def complaints(rule, files, *more) -> dict[str, list[str]]:
    """The complaints of `rule` about each file, where it says anything."""
    said = {str(file.relative_to(ROOT)): rule(file.read_text(encoding="utf-8"), *more) for file in files}
    return {file: words for file, words in said.items() if words}


def test_files_are_short():
    assert complaints(house.too_long, python_files(*PACKAGES, "tests", "notebooks")) == {}


def test_no_text_is_parsed_by_sympy():
    assert complaints(house.parses_text, python_files(*PACKAGES, "tests", "notebooks")) == {}


def test_public_names_are_documented():
    assert complaints(house.undocumented, python_files(*PACKAGES)) == {}


def test_texts_are_plain():
    assert complaints(house.unplain, python_files(*PACKAGES)) == {}
    pages = [
        *(ROOT / "derivations/publish/pages").glob("*.md"),
        *(ROOT / name for name in ("README.md", "CONTRIBUTING.md")),
    ]
    assert complaints(house.unplain_words, [*pages, ROOT / "theory/proof/README.md"]) == {}


def test_nothing_of_one_machine():
    assert complaints(house.speaks_of_a_machine, text_files()) == {}


def test_the_simulator_knows_no_closed_form():
    assert complaints(house.knows_the_answer, python_files("sim")) == {
        "sim/discovery.py": house.knows_the_answer((ROOT / "sim/discovery.py").read_text(encoding="utf-8"))
    }


def test_one_file_of_the_simulator_imports_by_name_and_only_below_it():
    """tests/sim/test_discovery.py shows that it loads nothing else."""
    said = house.knows_the_answer((ROOT / "sim/discovery.py").read_text(encoding="utf-8"))
    assert said
    assert all(line.endswith(": import_module") for line in said)


def test_tolerances_have_names():
    assert complaints(house.bare_tolerances, python_files("tests")) == {}


def test_tolerances_are_derived():
    assert complaints(house.underived_tolerances, (ROOT / "tests").glob("tolerances*.py")) == {}


def test_oracles_do_not_know_what_they_judge():
    assert complaints(house.imports_any, python_files("tests/oracles"), {"theory", "sim", "derivations"}) == {}


@pytest.mark.parametrize("package", ["theory", "sim"])
def test_packages_are_empty_at_the_top(package):
    assert (ROOT / package / "__init__.py").read_bytes() == b""


def test_every_folder_of_code_is_a_package():
    """A folder without __init__.py is invisible to the import contracts."""
    folders = {file.parent for file in python_files(*PACKAGES)}
    assert [str(f.relative_to(ROOT)) for f in sorted(folders) if not (f / "__init__.py").exists()] == []


PLANTED = [
    (house.too_long, "x = 1\n" * 450, "450 lines"),
    (house.speaks_of_a_machine, "open('/" + "home/someone/data.npz')", "line 1"),
    (house.speaks_of_a_machine, "pip install --extra-" + "index-url https://example.org torch", "line 1"),
    (house.undocumented, "x = 1", "the module has no docstring"),
    (house.undocumented, '"""Doc."""\ndef f():\n    pass', "line 2: f has"),
    (house.undocumented, '"""Doc."""\nclass C:\n    x = 1', "line 2: C has"),
    (house.unplain, '"""What there was."""', "line 1: What there was."),
    (house.unplain, '"""Doc."""\ndef f():\n    """What f does."""', "line 3: What f does."),
    (house.unplain, '"""Doc."""\nx = 1  # this comes to 1', "line 2: comes to"),
    (house.unplain, '"""The error is put\n\n    right."""', "line 1: put right"),
    (house.unplain, 'raise ValueError(f"{x} is left of the sum")', "line 1: is left of"),
    (house.unplain_words, "From when on it holds", "From when on"),
    (house.knows_the_answer, "import torch\ny = torch.arcsin(x)", "line 2: arcsin"),
    (house.knows_the_answer, "def f():\n    from math import atan2", "line 2: atan2"),
    (house.knows_the_answer, "from scipy import special\nspecial.owens_t(1, 2)", "line 2: owens_t"),
    (house.knows_the_answer, "import importlib\nimportlib.import_module('theory.flow')", "import_module"),
    (house.knows_the_answer, "eval('theory')", "line 1: eval"),
    (house.parses_text, "import sympy\nx = sympy.S('1')", "line 2: S("),
    (house.parses_text, "from sympy import S\nx = S(text)", "line 2: S("),
    (house.parses_text, "import sympy as sp\nx = sp.sympify(text)", "line 2: sympify("),
    (house.parses_text, "x = sympy.parse_expr(text)", "line 1: parse_expr("),
    (house.bare_tolerances, "assert error < 1e-6", "line 1: compared with 1e-06"),
    (house.bare_tolerances, "assert -1e-6 < error", "compared with -1e-06"),
    (house.bare_tolerances, "assert error <= 1e-9 * scale", "1e-09 * scale"),
    (house.bare_tolerances, "assert error < scale + 1e-9", "scale + 1e-09"),
    (house.bare_tolerances, "assert abs(a - b) < 10**-20", "10 ** (-20)"),
    (house.bare_tolerances, "assert abs(a - b) < mpmath.mpf(10) ** -20", "** (-20)"),
    (house.bare_tolerances, "assert abs(a - b) < mpf('1e-30')", "mpf('1e-30')"),
    (house.bare_tolerances, "assert_allclose(a, b, rtol=1e-6)", "rtol = 1e-06"),
    (house.underived_tolerances, '"""Doc."""\n\nA = 1e-6', "line 3: A has no derivation"),
    (house.underived_tolerances, "# derived\nA = 1\n\nB = 2", "line 4: B"),
]
ALLOWED = [
    (house.parses_text, "import sympy\nx = sympy.S.One + sympy.Rational('1/2')"),
    (house.bare_tolerances, "assert error < ROUNDING * scale"),
    (house.bare_tolerances, "assert error > 0 and error < 0.0 and 2 < n <= 0.5"),
    (house.bare_tolerances, "assert x == 1e-6"),
    (house.underived_tolerances, "# two\n# lines\nA = (\n    1e-6\n)\nB = 1e3 * A"),
    (house.unplain, '"""Whatever is given."""\nx = "What is it?"  # the flow comes to rest'),
    (house.undocumented, ""),
    (house.undocumented, '"""Doc."""\ndef _f():\n    pass'),
    (house.knows_the_answer, "import torch\ny = torch.erf(x) + torch.sin(x)"),
    (house.speaks_of_a_machine, "gdln validate --out ./gdln-report/home"),
]


@pytest.mark.parametrize(("rule", "source", "said"), PLANTED)
def test_planted_faults_are_found(rule, source, said):
    assert said in " ".join(rule(source))


@pytest.mark.parametrize(("rule", "source"), ALLOWED)
def test_what_is_allowed_passes(rule, source):
    assert rule(source) == []


@pytest.mark.parametrize(
    "line", ["import theory", "from theory.gaussian import expect", "def f():\n    import theory.flow"]
)
def test_an_oracle_that_knows_the_theory_is_found(line):
    assert house.imports_any(line, {"theory"})


def test_one_version():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    citation = (ROOT / "CITATION.cff").read_text()
    assert version(project["name"]) == project["version"]
    assert f"\nversion: {project['version']}\n" in citation
    assert f"## [{project['version']}]" in (ROOT / "CHANGELOG.md").read_text()


@pytest.mark.parametrize("name", ["one", "two"])
def test_the_readme_has_its_commands(name):
    """`.ci/run` runs the code block after each of these marks unchanged."""
    _, _, after = (ROOT / "README.md").read_text(encoding="utf-8").partition(f"<!-- command {name} -->\n```sh\n")
    assert (
        after.split("```")[0].strip().startswith({"one": "python3 -m venv .venv && ", "two": ".venv/bin/pytest"}[name])
    )


def test_the_readme_shows_the_problem_that_ships():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    after = text.partition("This is `derivations/experiments/problems/small-bump.toml`")[2]
    shown = loads(after.partition("```toml\n")[2].partition("```")[0])
    assert shown == load(ROOT / "derivations/experiments/problems/small-bump.toml")


def test_the_readme_shows_two_sweeps_of_valid_cells():
    shown = [
        block.partition("```")[0]
        for block in (ROOT / "README.md").read_text(encoding="utf-8").split("```toml\n")
        if "[axes]" in block.partition("```")[0]
    ]
    assert [[cell.error for cell in loads_sweep(text).cells] for text in shown] == [[None] * 5] * 2


@pytest.mark.xdist_group("house")
def test_tests_of_one_group_share_a_process(request):
    if not getattr(request.config, "workerinput", {}).get("grouped"):
        pytest.skip("one process runs all tests, or --dist says how they are shared out")
    assert request.node.nodeid.endswith("@house")


def test_shapes_in_signatures_are_checked_while_tests_run():
    roar = pytest.importorskip("beartype.roar", reason="without beartype shapes are not checked")
    import numpy as np

    from theory.flow.linear.spectrum import dense_spectrum

    dense_spectrum(np.eye(3))
    with pytest.raises(roar.BeartypeCallHintViolation):
        dense_spectrum(np.ones((2, 3)))


def test_a_wrong_shape_is_found_in_arguments_results_and_fields():
    roar = pytest.importorskip("beartype.roar", reason="without beartype shapes are not checked")
    from dataclasses import dataclass
    from typing import Any, NamedTuple

    import jaxtyping
    import numpy as np
    from beartype import beartype
    from jaxtyping import Float

    from tests.shapes import checked

    def product(A: Float[np.ndarray, "m n"], x: Float[np.ndarray, " n"]) -> Float[np.ndarray, " m"]:
        return A @ x if x[0] else x

    def zeros(count: int) -> Float[np.ndarray, "{count}"]:
        return np.zeros(abs(count))

    def doubled(number: int) -> int:
        return 2 * number if number else None

    @dataclass(frozen=True)
    class Pair:
        left: Float[np.ndarray, " n"]
        right: Float[np.ndarray, " n"]

    def first(rows: list[Float[np.ndarray, " n"]], x: Float[np.ndarray, " n"]) -> tuple[Float[np.ndarray, " n"], int]:
        return rows[0], 0

    class Two(NamedTuple):
        left: Any
        right: Any

    def total(two: tuple[Float[np.ndarray, " n"], Float[np.ndarray, " n"]]) -> Float[np.ndarray, " n"]:
        return two[0] + two[1]

    matrix, one = np.ones((2, 3)), np.ones(3)
    made = (checked(each, beartype) for each in (product, zeros, doubled, Pair, first, total))
    product, zeros, doubled, pair, first, total = made
    assert (product(matrix, one).tolist(), zeros(2).tolist(), doubled(2)) == ([3.0, 3.0], [0.0, 0.0], 4)
    assert pair(one, one).left is one
    for wrong in (lambda: product(matrix, np.ones(2)), lambda: product(matrix, 0 * one), lambda: product(one, one)):
        with pytest.raises(roar.BeartypeCallHintViolation):
            wrong()
    first([one], one)  # the first wrong call below differs from this one only within the list
    total(Two(one, one))
    for wrong in (
        lambda: total(Two(one, matrix[:, 0])),
        lambda: first([matrix[:, 0]], one),
        lambda: product(matrix.astype(int), one),
        lambda: product(matrix, ""),
    ):
        with pytest.raises(roar.BeartypeCallHintViolation):
            wrong()
    for wrong in (lambda: doubled(0), lambda: doubled("2")):
        with pytest.raises(roar.BeartypeCallHintViolation):
            wrong()
    for wrong in (lambda: zeros(-2), lambda: pair(one, matrix[:, 0])):
        with pytest.raises(jaxtyping.TypeCheckError):
            wrong()


def test_the_readme_shows_the_single_pulse_that_ships():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = text.partition("<!-- single pulse -->\n```toml\n")[2].partition("```")[0]
    shipped = ROOT / "derivations/experiments/problems/single-pulse.toml"
    assert tomllib.loads(shown) == {"data": tomllib.loads(shipped.read_text(encoding="utf-8"))["data"]}
