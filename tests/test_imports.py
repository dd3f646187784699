"""Who may import whom, shown to be enforced; and which packages a question loads."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.paths import ROOT

LINT = Path(sys.executable).with_name("lint-imports")
MOMENT = ["moment", "Heaviside(z1)*erf(z2)", "--cov", "[[1,1/2],[1/2,1]]", "--json"]

# Appended to a file of a copy of the tree; what lint-imports must then report.
PLANTED = [
    ("sim/gates/gating.py", "def f():\n    import theory.flow\n", "sim.gates.gating -> theory.flow"),
    (
        "sim/networks/one_hidden_layer.py",
        "def f():\n    from theory import claims\n",
        "sim.networks.one_hidden_layer -> theory.claims",
    ),
    ("sim/data/sample.py", "import sympy\n", "sim.data.sample -> sympy"),
    ("theory/problem/gates/site.py", "import scipy.special\n", "theory.problem.gates.site -> scipy"),
    (
        "theory/problem/distributions/finite.py",
        "from theory.expressions.arrays import namespace\n",
        "theory.problem.distributions.finite -> theory.expressions.arrays",
    ),
    ("theory/expressions/arrays.py", "def f():\n    import torch.linalg\n", "theory.expressions.arrays -> torch"),
    ("theory/expressions/functions.py", "import sim.train\n", "theory.expressions.functions -> sim.train"),
    (
        "theory/expressions/symbols.py",
        "from theory.claims import model\n",
        "theory.expressions.symbols -> theory.claims.model",
    ),
    (
        "derivations/experiments/folders.py",
        "from derivations.publish import compose\n",
        "derivations.experiments.folders -> derivations.publish.compose",
    ),
    (
        "derivations/explore/laws.py",
        "def f():\n    from derivations.explore import bar\n",
        "derivations.explore.laws -> derivations.explore.bar",
    ),
    ("derivations/newroom.py", '"""A room that has no place among the layers."""\n', "derivations.newroom"),
    ("theory/newroom.py", '"""A room that has no place among the layers."""\n', "theory.newroom"),
]


def lint_imports(tree: Path) -> subprocess.CompletedProcess[str]:
    """Run the contracts of `tree`."""
    words = [LINT, "--no-cache", "--no-logo"]
    return subprocess.run(words, cwd=tree, capture_output=True, text=True, check=False)


def copy_of_the_tree(to: Path) -> Path:
    """The packages and their contracts, copied."""
    for package in ("theory", "sim", "derivations"):
        shutil.copytree(ROOT / package, to / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", to)
    return to


@pytest.mark.skipif(not LINT.exists(), reason="import-linter is not installed beside this Python")
class TestContracts:
    def test_the_contracts_hold(self, tmp_path):
        done = lint_imports(copy_of_the_tree(tmp_path))
        assert done.returncode == 0, done.stdout
        assert "6 kept, 0 broken" in done.stdout

    def test_planted_imports_break_them(self, tmp_path):
        tree = copy_of_the_tree(tmp_path)
        for file, line, _ in PLANTED:
            with open(tree / file, "a", encoding="utf-8") as source:
                source.write("\n" + line)
        done = lint_imports(tree)
        assert done.returncode == 1
        assert "0 kept, 6 broken" in done.stdout
        assert [seen for _, _, seen in PLANTED if seen not in done.stdout] == []


def packages_loaded_by(code: str) -> set[str]:
    """The top-level names in sys.modules after `code` in a fresh interpreter, with rooms of theory as theory.x."""
    report = "import json, sys; print(json.dumps(sorted(sys.modules)), file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{report}"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    names = json.loads(done.stderr.splitlines()[-1])
    return {name if name.count(".") == 1 and name.startswith("theory.") else name.split(".")[0] for name in names}


@pytest.mark.parametrize(
    ("code", "never"),
    [
        ("import theory.problem", {"sympy", "mpmath", "flint", "scipy", "torch", "matplotlib", "sim", "derivations"}),
        ("import theory.gaussian", {"torch", "matplotlib", "sim", "derivations"}),
        ("import theory.claims", {"torch", "matplotlib", "sim", "derivations"}),
        ("import sim.train", {"sympy", "mpmath", "flint", "scipy", "matplotlib", "derivations", "theory.claims"}),
        ("from derivations.cli import main; main(['--help'])", {"sympy", "scipy", "torch", "matplotlib", "sim"}),
        (f"from derivations.cli import main; assert main({MOMENT!r}) == 0", {"torch", "matplotlib", "sim"}),
    ],
    ids=["theory.problem", "theory.gaussian", "theory.claims", "sim", "gdln --help", "gdln moment"],
)
def test_what_a_question_loads(code, never):
    loaded = packages_loaded_by(code)
    ours = {"numpy", "rich", "typer", "theory", "jaxtyping", *never} | {n for n in loaded if n.startswith("theory.")}
    print("loads", ", ".join(sorted(loaded & ours)))
    assert loaded & never == set()


def test_a_forbidden_package_is_noticed():
    assert {"scipy", "theory.problem", "numpy"} <= packages_loaded_by("import theory.problem, scipy.special")
