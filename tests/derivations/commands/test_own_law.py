"""A user's own law as it is used: networks beside its estimate, faults of its code, and text that starts no code."""

import subprocess
import sys

import numpy as np
import pytest

from derivations.answers import simulate, solve
from derivations.explore.tables import python_code
from derivations.output import BAD_INPUT
from tests.derivations.answers import problems
from tests.derivations.answers.problems import LAW_CODE, changed
from tests.tolerances import STANDARD_ERRORS
from theory.problem import InputError, dumps, load, loads

PROBLEM = changed(
    dict(problems.files())["mine.toml"],
    ("examples = 2000", "examples = 20000"),
    ("times = [0.5, 2.0]", "times = [1.0, 10.0]"),
    ("samples = 300\nbatch = 20\nlearning_rate = 0.5", "samples = 4000\nbatch = 100\nlearning_rate = 0.1"),
    ("replicates = 7", "replicates = 16"),
)


@pytest.fixture
def mine(tmp_path):
    (tmp_path / "mylaw.py").write_text(LAW_CODE)
    (tmp_path / "mine.toml").write_text(PROBLEM)
    return tmp_path / "mine.toml"


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


def test_a_fault_of_the_code_is_a_message_with_its_line(mine, refusal):
    (mine.parent / "mylaw.py").write_text(changed(LAW_CODE, ("    return", "    x[0] /= nobody\n    return")))
    code, message = refusal("solve", mine)
    line = LAW_CODE[: LAW_CODE.index("    return")].count("\n") + 1
    assert (code, f"mylaw.py, line {line}: NameError: name 'nobody' is not defined." in message) == (BAD_INPUT, True)


@pytest.mark.slow
def test_the_python_of_a_view_runs_in_a_process_of_its_own(mine):
    """The explorer shows it; running it is the user's decision, and so it allows the code."""
    python = python_code(load(mine), ("print(problem.data.law, problem.data.parameters['gap'])",))
    run = subprocess.run([sys.executable, "-c", python], capture_output=True, text=True, check=False)
    assert run.stdout == "own 1/2\n", run.stderr


def test_text_pasted_into_the_explorer_starts_no_code(mine):
    mark = mine.parent / "ran"
    (mine.parent / "mylaw.py").write_text(f"import pathlib\npathlib.Path({str(mark)!r}).touch()\n{LAW_CODE}")
    text = dumps(load(mine))
    mark.unlink()
    assert loads(text.replace("width = 2", "width = 4")).data.parameters["width"] == 4
    (mine.parent / "other.py").write_text(f"import pathlib\npathlib.Path({str(mark)!r}).touch()\n\n{LAW_CODE}")
    other = "\n".join(line for line in text.replace("mylaw.py", "other.py").splitlines() if "sha256" not in line)
    with pytest.raises(InputError, match="runs only if a problem file names it, not from a text"):
        loads(other)
    assert not mark.exists()
