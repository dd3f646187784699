"""`gdln amplifier`: every way to give a marginal, the flat state of a law, and what is refused."""

import json

import numpy as np
import pytest
import sympy

from derivations.cli import main
from tests.tolerances_of_amplifier import AMPLIFIER_CERTIFIED, AMPLIFIER_FLOAT64, STUDENTISED
from theory.moments.amplifier import FormulaMarginal, certified_amplifier

TEXT = """
[data]
law = "nlgp"
n = 12
xi = [2.0, 1.0]
gain = GAIN
boundary = "BOUNDARY"
normaliser = "unit-variance"
labels = [1.0, 0.0]
[network]
model = "gated-linear"
readout = "mean"
[[network.gates]]
kind = "always"
[training]
loss = "half-mse"
tau = 1.0
w0 = { law = "normal", scale = 0.0, seed = 0 }
times = [1.0]
"""
UNIFORM = ["--marginal", "1/(2*sqrt(3))", "--support", "-sqrt(3), sqrt(3)"]


def problem(folder, gain="1/2", boundary="ring"):
    path = folder / "law.toml"
    path.write_text(TEXT.replace("GAIN", f'"{gain}"').replace("BOUNDARY", boundary), encoding="utf-8")
    return path


def asked(capsys, *arguments):
    assert main(["amplifier", *map(str, arguments), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def refused(capsys, *arguments):
    code = main(["amplifier", *map(str, arguments)])
    said = capsys.readouterr().err
    assert "Traceback" not in said
    return code, said


def test_ways_to_give_one_marginal_agree(capsys, tmp_path):
    a = ["--at", "1/2, -9/10"]
    exact = asked(capsys, *UNIFORM, *a, "--digits", 15)
    assert exact["method"] == "certified"
    rows = exact["at"]
    truth = certified_amplifier(FormulaMarginal("sqrt(3)*(2*u - 1)", "quantile"), sympy.Rational(1, 2), 20)
    assert abs(float(rows[0]["phi"]) - float(truth[0].value)) <= AMPLIFIER_CERTIFIED
    assert abs(float(rows[0]["elasticity"]) - float(truth[1].value)) <= AMPLIFIER_CERTIFIED
    table = tmp_path / "table.txt"
    table.write_text("# p x\n0 -1\n1 1\n", encoding="utf-8")
    by_table = asked(capsys, "--quantile", table, "--rescale", *a)
    # The law uniform on [-1, 1] is erf(g z) at g = 1/sqrt(2); a problem's gain is a fraction close to it.
    by_law = asked(capsys, problem(tmp_path, "408/577"), *a)
    x = np.random.default_rng(3).uniform(-1, 1, 20_000)
    np.save(tmp_path / "x.npy", x)
    by_samples = asked(capsys, "--samples", tmp_path / "x.npy", "--rescale", *a)
    for row, tabled, law, sample in zip(rows, by_table["at"], by_law["at"], by_samples["at"], strict=True):
        assert abs(float(row["phi"]) - tabled["phi"]) <= AMPLIFIER_FLOAT64
        assert abs(float(row["phi"]) - law["phi"]) <= 1 / 577**2  # the error of the fraction
        assert abs(float(row["phi"]) - sample["phi"]) <= STUDENTISED * sample["error"]


REFUSED = [
    ([], 2, "0 marginals are given"),
    ([*UNIFORM, "--values", "1: 1"], 2, "2 marginals are given"),
    (["--marginal", "exp(-abs(x))/2"], 2, "the variance 2 "),
    (["--marginal", "exp(-x**2)"], 2, "integrates to 1.77"),
    (["--marginal", "1/(pi*(1 + x**2))"], 4, "tails are too heavy"),
    (["--marginal", "exp(-abs(x))/2", "--rescale"], 4, "is not rescaled"),
    ([*UNIFORM, "--at", "1.5"], 2, "a = 3/2 is not a correlation"),
    ([*UNIFORM, "--kind", "shape"], 2, "shape"),
    ([*UNIFORM[:2], "--support", "1"], 2, "has 1 ends"),
    (["--values", "1, 2"], 2, "does not give values with probabilities"),
    (["--values", "-2: 1/2, 2: 1/2"], 2, "the variance 4"),
    ([*UNIFORM, "--gains", "1, 2"], 2, "is a question on a problem"),
    (["--samples", "missing.npy"], 2, "missing.npy"),
]


@pytest.mark.parametrize(("arguments", "code", "words"), REFUSED)
def test_bad_input_is_refused(capsys, arguments, code, words):
    found, said = refused(capsys, *arguments)
    assert found == code
    assert words in said


FILES = {
    "has no numbers": ("--samples", "x.txt", "# a remark alone\n"),
    "has rows of 1 and of 2 numbers": ("--samples", "x.txt", "1, 2\n3\n"),
    "has rows of 1 numbers, not of 2": ("--quantile", "q.txt", "0\n1\n"),
    "quantile 1 is nan": ("--quantile", "q.txt", "0 -1\n0.5 nan\n1 1\n"),
    "quantile 0 is -1e+300": ("--quantile", "q.txt", "0 -1e300\n1 1e300\n"),
    "is not a quantile table": ("--quantile", "q.txt", "0 -1\nnan 0\n1 1\n"),
    "sample 2 is inf": ("--samples", "x.txt", "1\n-1\n1e999\n" + 7 * "0\n"),
}


@pytest.mark.parametrize("words", FILES)
def test_bad_files_are_refused(capsys, tmp_path, words):
    option, name, content = FILES[words]
    (tmp_path / name).write_text(content)
    code, said = refused(capsys, option, tmp_path / name, "--rescale")
    assert code == 2
    assert words in said


def test_samples_are_real_numbers(capsys, tmp_path):
    np.save(tmp_path / "x.npy", np.exp(1j * np.arange(20)))
    code, said = refused(capsys, "--samples", tmp_path / "x.npy")
    assert code == 2
    assert "holds complex128, not real numbers" in said
