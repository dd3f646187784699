"""The worked examples of CONTRIBUTING.md, tried as a newcomer would: written into a copy of the tree and run there."""

import json
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from derivations.output import BAD_INPUT
from tests.paths import ROOT
from theory.claims.completeness import faults
from theory.claims.judge import examine
from theory.claims.model import Level, Outcome
from theory.problem import InputError

PACKAGES = ("theory", "sim", "derivations")
LONGEST_EXAMPLE = 45  # lines; one file that a reader copies in a few minutes


def section(title: str) -> str:
    """The text of a section of CONTRIBUTING.md."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert f"\n## {title}\n" in text
    return text.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def example(title: str, language: str = "python") -> tuple[str, str]:
    """The path that stands right before the fenced block of a section, and the block."""
    path, block = re.search(rf"`([\w./]+)`:\n\n```{language}\n(.*?)```\n", section(title), re.DOTALL).groups()
    return path, block


@pytest.fixture(scope="module")
def tree(tmp_path_factory) -> Path:
    """A copy of the packages, without what Python compiled."""
    to = tmp_path_factory.mktemp("tree")
    for package in PACKAGES:
        shutil.copytree(ROOT / package, to / package, ignore=shutil.ignore_patterns("__pycache__"))
    return to


def gdln(tree: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """The command, run in the copy, whose packages come first on Python's path."""
    command = [sys.executable, "-m", "derivations", *words]
    return subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)


CLAIM = "gaussian.absolute.mean"
CLAIM_PATH, CLAIM_BLOCK = example("Worked example: a claim by one file")


def claim_of(block: str, folder: Path):
    """The claim that a block defines, without a tree around it."""
    file = folder / "absolute.py"
    file.write_text(block, encoding="utf-8")
    (claim,) = runpy.run_path(str(file))["CLAIMS"]
    return claim


def test_claim(tree, tmp_path):
    """One file, and `gdln validate` knows the claim, passes every level and kills every mutant."""
    assert CLAIM_BLOCK.count("\n") <= LONGEST_EXAMPLE
    (tree / CLAIM_PATH).write_text(CLAIM_BLOCK, encoding="utf-8")
    done = gdln(tree, "validate", CLAIM, "--profile", "quick", "--out", str(tmp_path / "report"), "--json")
    assert done.returncode == 0, done.stderr
    (claim,) = [claim for claim in json.loads(done.stdout)["claims"] if claim["id"] == CLAIM]
    assert claim["verdict"] == "CONFIRMED"
    levels = {level["level"]: level for level in claim["levels"]}
    skipped = {name: level["where"] for name, level in levels.items() if level["outcome"] == "SKIPPED"}
    assert skipped.keys() == {Level.EXACT.value, Level.FLOATING.value}
    assert all(reason in CLAIM_BLOCK for reason in skipped.values())
    assert {level["outcome"] for name, level in levels.items() if name not in skipped} == {"PASS"}
    assert levels[Level.NEGATIVE_CONTROL.value]["killed"] > 0


def test_claim_in_another_file(tree):
    """The command says which file takes it, without a traceback."""
    astray = tree / "theory/claims/areas/flow/absolute.py"
    astray.write_text(CLAIM_BLOCK, encoding="utf-8")
    done = gdln(tree, "ledger")
    astray.unlink()
    assert done.returncode == BAD_INPUT
    assert "Traceback" not in done.stderr
    assert f"Its id names {CLAIM_PATH}: move it there." in " ".join(done.stderr.split())


def test_claim_with_a_wrong_formula(tmp_path):
    claim = claim_of(CLAIM_BLOCK.replace("sqrt(2 / pi)", "sqrt(3 / pi)"), tmp_path)
    failed = {result.level for result in examine(claim, {}).results if result.outcome is Outcome.FAIL}
    assert {Level.SYMBOLIC, Level.PRECISE} <= failed


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("    oracle=by_its_integral,\n", "it has no oracle"),
        ('        Level.EXACT: "the root of 2/pi is not rational",\n', "its level 'exact' is not run, and `unchecked`"),
        ('    derive=derived("gaussian.absolute.mean", Abs(z(1)), COV, FORMULA),\n', "its level 'symbolic' is not run"),
    ],
)
def test_claim_with_a_forgotten_line(tmp_path, line, said):
    """The registry refuses what `faults` names; tests/theory/claims/test_registry.py shows that it names the file."""
    assert faults(claim_of(CLAIM_BLOCK, tmp_path)) == ()
    assert line in CLAIM_BLOCK
    assert said in "; ".join(faults(claim_of(CLAIM_BLOCK.replace(line, ""), tmp_path)))


def test_claim_of_an_unknown_document(tmp_path):
    block = CLAIM_BLOCK.replace("    oracle=", '    sources=(Source("absolute-note", "(1)"),),\n    oracle=')
    with pytest.raises(InputError, match=r"'absolute-note'.*theory/claims/documents\.py takes"):
        claim_of(block.replace("Level, Point\n", "Level, Point, Source\n"), tmp_path)
