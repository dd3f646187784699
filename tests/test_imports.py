"""Which packages a question loads."""

import json
import subprocess
import sys

import pytest

from tests.paths import ROOT

MOMENT = ["moment", "Heaviside(z1)*erf(z2)", "--cov", "[[1,1/2],[1/2,1]]", "--json"]
SYMBOLS = {"sympy", "mpmath", "flint", "scipy"}


def packages_loaded_by(code: str) -> set[str]:
    """The packages in sys.modules after `code` in a fresh interpreter, and the rooms of theory as theory.x."""
    report = "import json, sys; print(json.dumps(sorted(sys.modules)), file=sys.stderr)"
    run = subprocess.run([sys.executable, "-c", f"{code}\n{report}"], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    names = json.loads(run.stderr.splitlines()[-1])
    return {name if name.count(".") == 1 and name.startswith("theory.") else name.split(".")[0] for name in names}


@pytest.mark.parametrize(
    ("code", "never"),
    [
        ("import theory.problem", {*SYMBOLS, "torch", "matplotlib", "sim", "derivations"}),
        ("import theory.gaussian, theory.claims", {"torch", "matplotlib", "sim", "derivations"}),
        ("import sim.train", {*SYMBOLS, "matplotlib", "derivations", "theory.claims"}),
        ("import derivations.answers.graph_run", {*SYMBOLS, "torch", "matplotlib", "sim", "theory.flow"}),
        ("from derivations.cli import main; main(['--help'])", {"sympy", "scipy", "torch", "matplotlib", "sim"}),
        (f"from derivations.cli import main; assert main({MOMENT!r}) == 0", {"torch", "matplotlib", "sim"}),
    ],
    ids=["theory.problem", "theory", "sim", "networks of graphs", "gdln --help", "gdln moment"],
)
def test_a_question_loads_no_more_than_it_needs(code, never):
    assert packages_loaded_by(code) & never == set()
