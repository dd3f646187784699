"""The examples that CONTRIBUTING.md names, tried as a newcomer would: written into a copy of the tree and run there."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from derivations.output import BAD_INPUT, OUT_OF_REACH
from tests.paths import PROBLEMS, ROOT
from tests.tolerances import EXAMPLE_KURTOSIS, EXAMPLE_MOMENT
from theory.claims.model import Level

PACKAGES = ("theory", "sim", "derivations")
EXAMPLES = ROOT / "tests" / "examples"


def files_of(name: str) -> dict[str, str]:
    """The files of an example by their place in the tree."""
    folder = EXAMPLES / name
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in paths}


@pytest.fixture
def tree(tmp_path) -> Path:
    """A copy of the packages, with what Python and numba have compiled: to compile the loops anew takes long."""
    half_written = shutil.ignore_patterns("*.pyc.*", "*.tmp.*")  # by other processes, which rename them when whole
    for package in PACKAGES:
        shutil.copytree(ROOT / package, tmp_path / "tree" / package, ignore=half_written)
    return tmp_path / "tree"


def write(files: dict[str, str], tree: Path) -> None:
    """Write new files into the copy."""
    for name, content in files.items():
        assert not (tree / name).exists(), f"{name} is in the tree already"
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(content, encoding="utf-8")


# To load torch and SymPy takes seconds: one process has loaded them, and forks one for each command. That one finds
# nothing loaded of the packages, and looks for them in the copy.
FORKING = """
import json, os, runpy, sys
import scipy.stats, sympy, torch
for line in sys.stdin:
    tree, out, err, program, *words = json.loads(line)
    child = os.fork()
    if child == 0:
        for stream, path in ((sys.stdout, out), (sys.stderr, err)):
            os.dup2(os.open(path, os.O_CREAT | os.O_WRONLY), stream.fileno())
        os.chdir(tree)
        sys.path[0], sys.argv = tree, ["", *words]
        runpy.run_module(program, run_name="__main__", alter_sys=True)
        sys.exit()
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def loaded():
    """The process that has loaded the libraries."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", FORKING], **pipes) as process:
        yield process
        process.stdin.close()


@pytest.fixture
def forked(loaded, tree, tmp_path):
    """Run a module of the copy with words, in a process forked from the one that has loaded the libraries."""

    def run(program: str, *words: str) -> subprocess.CompletedProcess[str]:
        out, err = tmp_path / "out", tmp_path / "err"
        for file in (out, err):
            file.write_text("")
        loaded.stdin.write(json.dumps([*map(str, (tree, out, err)), program, *words]) + "\n")
        loaded.stdin.flush()
        code = int(loaded.stdout.readline())
        return subprocess.CompletedProcess(words, code, out.read_text(), err.read_text())

    return run


CLAIM = "gaussian.absolute.mean"
((CLAIM_PATH, CLAIM_BLOCK),) = files_of("claim").items()


def test_claim(tree, forked, tmp_path):
    """One file, and `gdln validate` knows the claim, passes every level and kills every mutant."""
    write({CLAIM_PATH: CLAIM_BLOCK}, tree)
    done = forked("derivations", "validate", CLAIM, "--profile", "quick", "--out", str(tmp_path / "report"), "--json")
    assert done.returncode == 0, done.stderr
    (claim,) = [claim for claim in json.loads(done.stdout)["claims"] if claim["id"] == CLAIM]
    assert claim["verdict"] == "RESULT"  # a claim of its own: no source states it
    levels = {level["level"]: level for level in claim["levels"]}
    skipped = {name: level["where"] for name, level in levels.items() if level["outcome"] == "SKIPPED"}
    assert skipped.keys() == {Level.EXACT.value, Level.FLOATING.value}
    assert all(reason in CLAIM_BLOCK for reason in skipped.values())
    assert {level["outcome"] for name, level in levels.items() if name not in skipped} == {"PASS"}
    assert levels[Level.NEGATIVE_CONTROL.value]["killed"] > 0


def test_claim_in_another_file(tree, forked):
    """The command says which file takes it, without a traceback."""
    write({"theory/claims/areas/flow/absolute.py": CLAIM_BLOCK}, tree)
    done = forked("derivations", "ledger")
    assert done.returncode == BAD_INPUT
    assert "Traceback" not in done.stderr
    assert f"Its id names {CLAIM_PATH}: move it there." in " ".join(done.stderr.split())


LAW = """[data]
law = "sign-pattern"
pattern = [1, 1, -1, 1, -1, -1]
strength = [2.0, 1.0]
labels = [1.0, 0.0]
"""
REFERENCE = ("--backend", "reference")  # what nobody has compiled yet, and a short run does not need
MOMENTS = """
import torch
from sim.data.sample import prepare
from sim.random.streams import MEASUREMENT, stream
from theory.problem.distributions.sign_pattern import SignPattern

law = SignPattern([1, 1, -1, 1, -1, -1], (2, 2), (1, 0))
x = prepare(law, torch.device("cpu"), torch.float64).draw([stream(0, 0, MEASUREMENT)], 200_000).x[0]
square = x.square()
pairs = [(x[:, 0] * x[:, j]).mean().item() for j in (1, 2)]
print(square.mean().item(), *pairs, (square.square().mean() / square.mean() ** 2).item())
"""


def problem_of(data: str, gate: str = 'kind = "site"\nsite = 2\nlo = 0.0') -> str:
    """The small-bump problem on other data, with one gate."""
    text = (PROBLEMS / "small-bump.toml").read_text(encoding="utf-8")
    settings = text[text.index("[training]") :]
    settings = re.sub(
        r"w0 = .*?(?=^\w+ =)", 'w0 = { law = "normal", scale = 0.1, seed = 0 }\n', settings, flags=re.M | re.S
    )
    settings = settings.replace("samples = 50000", "samples = 200").replace("batch = 4000", "batch = 10")
    settings = settings.replace("replicates = 64", "replicates = 2").replace(
        "learning_rate = 1.0", "learning_rate = 0.05"
    )
    return f'{data}\n[network]\nmodel = "gated-linear"\nreadout = "mean"\n[[network.gates]]\n{gate}\n\n{settings}'


def test_law(tree, forked):
    """Two files, and the law is simulated; what nobody wrote for it is refused with the name of the file."""
    files = files_of("law")
    (tree / "t.toml").write_text(problem_of(LAW), encoding="utf-8")
    sampler, declaration = files
    write({declaration: files[declaration]}, tree)
    without = forked("derivations", "simulate", "t.toml", *REFERENCE)
    assert without.returncode == OUT_OF_REACH
    assert f"Write {sampler}, or register it there with @sampler_of.register" in " ".join(without.stderr.split())
    write({sampler: files[sampler]}, tree)
    done = forked("derivations", "simulate", "t.toml", "--json", *REFERENCE)
    assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout)["weights"][-1][0]) == 6
    refused = forked("derivations", "solve", "t.toml")
    assert refused.returncode == OUT_OF_REACH
    assert "theory/moments/sign_pattern.py" in refused.stderr


def test_the_law_of_the_example_is_sampled_as_it_is_defined(tree, forked):
    """Var x = 5, E x_0 x_j = 4 or -4 by the pattern, and the kurtosis 3 - 2 4^2/5^2."""
    write(files_of("law"), tree)
    (tree / "moments.py").write_text(MOMENTS, encoding="utf-8")
    done = forked("moments")
    assert done.returncode == 0, done.stderr
    variance, alike, opposite, kurtosis = map(float, done.stdout.split())
    assert abs(variance - 5) < EXAMPLE_MOMENT
    assert abs(alike - 4) < EXAMPLE_MOMENT
    assert abs(opposite + 4) < EXAMPLE_MOMENT
    assert abs(kurtosis - (3 - 2 * 16 / 25)) < EXAMPLE_KURTOSIS


def test_gate(tree, forked):
    """Likewise for a gate."""
    files = files_of("gate")
    data = (PROBLEMS / "small-bump.toml").read_text(encoding="utf-8").partition("[network]")[0]
    (tree / "both.toml").write_text(problem_of(data, 'kind = "both"\nsites = [3, 5]'), encoding="utf-8")
    tensors, declaration = files
    write({declaration: files[declaration]}, tree)
    without = forked("derivations", "simulate", "both.toml", *REFERENCE)
    assert without.returncode == OUT_OF_REACH
    assert f"Write {tensors}, or register it there with @opens.register" in " ".join(without.stderr.split())
    write({tensors: files[tensors]}, tree)
    done = forked("derivations", "simulate", "both.toml", "--json", *REFERENCE)
    assert done.returncode == 0, done.stderr
    refused = forked("derivations", "solve", "both.toml")
    assert refused.returncode == OUT_OF_REACH
    assert "theory/moments/gate_" in refused.stderr


MISSING = """
import derivations
from derivations.experiments import folders

folders.discover()
print(derivations.__file__)
"""


def test_experiment(tree, forked):
    write(files_of("experiment"), tree)
    (tree / "missing.py").write_text(MISSING, encoding="utf-8")
    found = forked("missing")
    assert found.stdout.split() == [str(tree / "derivations/__init__.py")], found.stdout + found.stderr
    done = forked("derivations", "validate", "flow.redundant.difference", "--json", "--out", "report")
    assert done.returncode == 0, done.stderr
    (claim,) = (one for one in json.loads(done.stdout)["claims"] if one["id"] == "flow.redundant.difference")
    outcomes = {level["where"]: (level["level"], level["outcome"]) for level in claim["levels"]}
    assert outcomes["largest change of w_1 - w_2"] == ("simulated", "PASS")
    assert outcomes["the rule rejects w_1 + w_2"] == ("negative control", "PASS")
