"""A user's own law as it is used: solve, simulate, sweep and compare from files, and the explorer's text."""

import json
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest

from derivations.answers import simulate, solve
from derivations.cli import main
from derivations.explore.problems import python_code
from derivations.output import BAD_INPUT, OUT_OF_REACH, PASS
from tests.tolerances import STANDARD_ERRORS
from theory.problem import InputError, dumps, load, loads

CODE = """
import numpy as np


def draw(generator, rows, width=2, gap=0.5):
    category = generator.integers(0, 2, rows)
    x = generator.standard_normal((rows, 5))
    x += gap * (1 - 2 * category)[:, None] * (np.arange(5) < width)
    return x, category
"""
PROBLEM = """
[data]
law = "own"
path = "mylaw.py:draw"
n = 5
labels = [1.0, -1.0]
parameters = { width = 2, gap = 0.5 }
estimate = { examples = 20000 }
[network]
model = "gated-linear"
readout = "mean"
gates = [{ kind = "site", site = 2, lo = 0.0 }, { kind = "site", site = 2, hi = 0.0 }]
[training]
loss = "half-mse"
tau = 1.0
w0 = { law = "normal", scale = 0.1, seed = 0 }
times = [1.0, 10.0]
[simulation]
mode = "online"
samples = 4000
batch = 100
learning_rate = 0.1
replicates = 16
seed = 0
"""


@pytest.fixture
def mine(tmp_path):
    (tmp_path / "mylaw.py").write_text(CODE)
    (tmp_path / "mine.toml").write_text(PROBLEM)
    return tmp_path / "mine.toml"


def asked(capsys, *words):
    code = main([*map(str, words), "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_the_json_has_the_errors_of_all_numbers(mine, capsys):
    code, found = asked(capsys, "solve", mine)
    estimate = found["uncertainty"]
    assert code == PASS
    assert (estimate["examples"], estimate["seed"], estimate["groups"]) == (20000, 0, 32)
    for name, errors in estimate["standard_errors"].items():
        assert np.shape(errors) == np.shape(found[name])
    assert set(estimate["bias_subtracted"]) == {"mse", "losses"}
    assert estimate["fixed_point_identified"] == [True, True]


def test_networks_trained_on_the_law_agree_with_the_estimate(mine):
    """The mean loss of networks lies above that of their mean weights by a term of the order of the learning rate."""
    theory, trained = solve.answer(load(mine)).solution, simulate.answer(load(mine), "cpu").json()
    error = np.hypot(theory.uncertainty.errors["losses"], trained["loss_standard_error"])
    above = np.array(trained["loss"]) - theory.losses
    assert (above > -STANDARD_ERRORS * error).all()
    assert (above < STANDARD_ERRORS * error + 0.1 * theory.losses).all()
    weights = np.array(trained["weights"]) - theory.weights
    spread = np.hypot(theory.uncertainty.errors["weights"], trained["weights_standard_error"])
    # Steps of the learning rate 0.1 lag behind the flow by a share of half of the largest rate times it.
    lag = 0.1 * theory.rates.max() / 2 * np.abs(theory.weights).max()
    assert (np.abs(weights) <= STANDARD_ERRORS * spread + lag).all()


def test_the_amplifier_of_examples_has_standard_errors(mine, capsys):
    """A site of class 0 is Gaussian with the mean gap and variance 1: scaled, phi(a) = sqrt(2/pi) a."""
    assert main(["amplifier", str(mine), "--rescale", "--json"]) == PASS
    said = json.loads(capsys.readouterr().out)
    assert said["method"] == "samples"
    assert "examples" in said["marginal"]
    for row in said["at"]:
        assert row["error"] > 0
        assert abs(row["phi"] - np.sqrt(2 / np.pi) * float(Fraction(row["a"]))) <= STANDARD_ERRORS * row["error"]
    assert main(["amplifier", str(mine)]) == BAD_INPUT
    assert "the mean 0." in capsys.readouterr().err
    mine.write_text(PROBLEM.replace("gap = 0.5", "gap = 0.0"))
    assert main(["amplifier", str(mine)]) == PASS  # an estimated mean is 0 up to its error


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["solve", "FILE", "--digits", "20"], OUT_OF_REACH, "--digits 20: the moments of the law"),
    ],
)
def test_what_needs_exact_moments_is_refused_by_name(words, code, said, mine, capsys):
    found, answer = asked(capsys, *(mine if word == "FILE" else word for word in words))
    assert (found, answer["error"]["message"].startswith(said)) == (code, True)


def test_a_fault_of_the_code_is_a_message_with_its_line(mine, capsys):
    (mine.parent / "mylaw.py").write_text(CODE.replace("    return", "    x[0] /= nobody\n    return"))
    assert main(["solve", str(mine)]) == BAD_INPUT
    printed = capsys.readouterr().err
    assert "mylaw.py, line 9: NameError: name 'nobody' is not defined." in printed
    assert "Traceback" not in printed


def test_the_python_of_a_view_runs_in_a_process_of_its_own(mine):
    """The explorer shows it; running it is the user's decision, and so it allows the code."""
    python = python_code(dumps(load(mine)), ("print(problem.data.law, problem.data.parameters['gap'])",))
    run = subprocess.run([sys.executable, "-c", python], capture_output=True, text=True, check=False)
    assert run.stdout == "own 1/2\n", run.stderr


def test_text_pasted_into_the_explorer_starts_no_code(mine, capsys):
    mark = mine.parent / "ran"
    (mine.parent / "mylaw.py").write_text(f"import pathlib\npathlib.Path({str(mark)!r}).touch()\n{CODE}")
    text = dumps(load(mine))
    mark.unlink()
    changed = loads(text.replace("width = 2", "width = 4"))
    assert changed.data.parameters["width"] == 4
    (mine.parent / "other.py").write_text(f"import pathlib\npathlib.Path({str(mark)!r}).touch()\n\n{CODE}")
    other = "\n".join(line for line in text.replace("mylaw.py", "other.py").splitlines() if "sha256" not in line)
    with pytest.raises(InputError, match="runs only if a problem file names it, not from a text"):
        loads(other)
    assert not mark.exists()
