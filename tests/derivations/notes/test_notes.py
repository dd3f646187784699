"""Notes of claims: right and wrong ones of each kind, wrong input, and the evidence that the ledger reads."""

import json
import re

import numpy as np
import pytest

from derivations.answers.ledger import of_notes
from derivations.answers.validate import answer
from derivations.notes.formulas import definition
from derivations.notes.judged import validate
from derivations.notes.reading import read
from theory.conjecture import read as read_equation
from theory.gaussian.expectation import Expectation
from theory.problem import InputError

# w(t) = 1 - exp(-t/(2 tau)) at the first site: two inputs of probability 1/2 each, K = 1, w(0) = 0.
LISTED = """
[data]
law = "finite"
x = [[1, 0], [0, 1]]
y = [1, -1]
[network]
model = "gated-linear"
readout = "mean"
[[network.gates]]
kind = "always"
[training]
loss = "half-mse"
tau = 1
w0 = [[0, 0]]
times = [1, 2]
"""
TRAINED = """
[data]
law = "nlgp"
n = 8
xi = [2, 1]
gain = 1
boundary = "open"
normaliser = "unit-variance"
labels = [1, 0]
[network]
model = "gated-linear"
readout = "mean"
[[network.gates]]
kind = "site"
site = 4
lo = 0
[[network.gates]]
kind = "site"
site = 4
hi = 0
[training]
loss = "half-mse"
tau = 1
w0 = { law = "normal", scale = 0.001, seed = 0 }
times = [16]
[simulation]
mode = "online"
samples = 6400
batch = 400
learning_rate = 1
replicates = 128
seed = 0
"""
HEAD = '[symbols]\ng = "g > 0"\nrho = "-1 < rho < 1"\n'
PAIR = 'cov = "[[1, rho], [rho, 1]]"'
VARIED = 'problem = "listed.toml"\nvary = {"training.tau" = [1, 2]}'
CLAIMS = [
    ("CONFIRMED", "E[Heaviside(z1)*erf(g*z2)] = asin(sqrt(2)*g*rho/sqrt(1+2*g**2))/pi", PAIR),
    ("REFUTED", "E[Heaviside(z1)*erf(g*z2)] = asin(sqrt(2)*g*rho/sqrt(1+2*g**2))/(2*pi)", PAIR),
    ("CONFIRMED", "g*rho <= (g**2 + rho**2)/2", ""),
    ("REFUTED", "g*rho < (g**2 + rho**2)/2", ""),  # equal at g = rho
    ("CONFIRMED", "E[erf(g*z1)**2] ~ g**2", 'cov = "[[1]]"\nalong = "g -> 0"'),
    ("REFUTED", "E[erf(g*z1)**2] ~ g", 'cov = "[[1]]"\nalong = "g -> 0"'),
    ("CONFIRMED", "1 - E[erf(g*z1)**2] ~ 1/g", 'cov = "[[1]]"\nalong = "g -> oo"'),  # a square root at the end
    ("CONFIRMED", "E[relu(z1 - g)] ~ exp(-g**2/2)/g**2", 'cov = "[[1]]"\nalong = "g -> oo"'),  # a tail
    ("REFUTED", "E[relu(z1 - g)] ~ exp(-g**2/2)/g", 'cov = "[[1]]"\nalong = "g -> oo"'),
    ("OPEN", "E[z1**2]*g ~ g*log(2+g)**(1/10)", 'cov = "[[1]]"\nalong = "g -> oo"'),
    ("REFUTED", "E[z1**2]*g ~ g + g**2/10**16", 'cov = "[[1]]"\nalong = "g -> oo"'),
    ("CONFIRMED", "E[Heaviside(z1)*Heaviside(z2)] = 1/4 + atan(rho/sqrt(1-rho**2))/(2*pi)", PAIR),  # rho = 1 has none
    ("CONFIRMED", "E[erf(z1)**2] = 0.46456", 'cov = "[[1]]"'),
    (
        "CONFIRMED",
        "weight[0, 0] at 2 = 1 - exp(-t/(2*tau))",
        VARIED,
    ),
    ("REFUTED", "weight[0, 0] at 2 = 1 - exp(-t/tau)", VARIED),
    ("OPEN", "weight[0, 0] at 2 = 1 - exp(-t/(2*tau))", 'problem = "listed.toml"'),  # without tau it is the same
    ("CONFIRMED", "weight[0, 0] at oo ~ tau**0", 'problem = "listed.toml"\nvary = {"training.tau" = [1, 2, 4]}'),
    ("REFUTED", "weight[0, 0] at oo ~ tau", 'problem = "listed.toml"\nvary = {"training.tau" = [1, 2, 4]}'),
    ("OPEN", "weight[0, 0] at oo ~ 1 + 1/tau**2", 'problem = "listed.toml"\nvary = {"training.tau" = [1, 2, 4]}'),
    ("REFUTED", "weight[0, 1] at 1 < -0.4", 'problem = "listed.toml"'),
    ("CONFIRMED", "weight[0, 0] at 1 = 0.39347", 'problem = "listed.toml"'),
    ("REFUTED", "weight[0, 0] at 1 = 0.39346", 'problem = "listed.toml"'),
    ("CONFIRMED", "weight[0, 1] at 1 > -0.4", 'problem = "listed.toml"'),
    ("OPEN", "weight[0, 0] at oo <= 1", 'problem = "listed.toml"'),  # it is 1, to the rounding
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with two problems and a note of every kind of claim."""
    place = tmp_path_factory.mktemp("notes")
    (place / "listed.toml").write_text(LISTED)
    (place / "trained.toml").write_text(TRAINED)
    tables = (f'[[claim]]\nlabel = "{k}"\nsays = "{says}"\n{rest}\n' for k, (_, says, rest) in enumerate(CLAIMS))
    (place / "mine.toml").write_text(HEAD + "\n".join(tables))
    return place


def test_claims_are_judged_and_the_ledger_reads_it(folder):
    assert {entry["verdict"] for entry in of_notes(folder / "mine.toml").entries} == {"NOT JUDGED"}
    result = answer([str(folder / "mine.toml")], folder=folder / "report", write_evidence=True)
    verdicts = [item.verdict.value for item in result.validation.judged]
    assert verdicts == [verdict for verdict, *_ in CLAIMS]
    assert result.outcome == "FAIL"
    levels = ["symbolic", "precise", "negative control"]
    assert [one.level.value for one in result.validation.judged[0].results if one.outcome.value == "PASS"] == levels
    assert json.loads((folder / "report" / "report.json").read_text())["claims"][1]["standing"] == "FAILS"
    assert [entry["verdict"] for entry in of_notes(folder).entries] == verdicts
    text = (folder / "mine.toml").read_text()
    (folder / "mine.toml").write_text(text.replace("0.39346", "0.39348"))
    assert of_notes(folder).stale == ("mine.21",)
    (folder / "mine.toml").write_text(text)


def test_trained_networks_decide(folder):
    """The formula for the loss is the exact one, to 5 %; off by a tenth it is rejected."""
    exact = answer_of(folder, 'says = "loss at 16 > 0"\nproblem = "trained.toml"').results[0].where
    loss = float(re.search(r"is ([0-9.]+)", exact)[1])
    bounds = [("<", 1.1, "CONFIRMED"), ("<", 0.9, "REFUTED"), (">", 0.9, "CONFIRMED"), (">=", 1.1, "REFUTED")]
    for relation, off, verdict in bounds:
        says = f"loss at 16 {relation} {loss * off}"
        item = answer_of(folder, f'says = "{says}"\nproblem = "trained.toml"\nnetworks = 32')
        assert item.results[-1].level.value == "simulated"
        assert item.verdict.value == verdict
    # A margin is one: a resolved difference within it passes. One below the intervals of 0.3 % shows nothing.
    for off, within, outcome in ((1.1, 5, "FAIL"), (0.9, 5, "FAIL"), (1.02, 5, "PASS"), (1, 0.1, "INCONCLUSIVE")):
        says = f'says = "loss at 16 = {loss * off}"\nproblem = "trained.toml"\nwithin = "{within} %"'
        item = answer_of(folder, says)
        assert [result.outcome.value for result in item.results if result.level.value == "simulated"] == [outcome]
    # One step of 16 is far from the flow, and the row says so.
    text = (folder / "trained.toml").read_text()
    (folder / "coarse.toml").write_text(text.replace("learning_rate = 1", "learning_rate = 4"))
    says = 'says = "weight[0, 4] at 16 = 0.1"\nproblem = "coarse.toml"\nwithin = "1 %"'
    (trained,) = (one for one in answer_of(folder, says).results if one.level.value == "simulated")
    assert "smaller simulation.learning_rate" in trained.where
    item = answer_of(folder, f'says = "loss at 16 = {loss:.9f}"\nproblem = "trained.toml"\nwithin = "5 %"')
    assert item.verdict.value == "CONFIRMED", item.results
    # Without a margin equality itself is tested; the level is not shown for eight networks, whatever they say.
    assert (
        answer_of(folder, 'says = "loss at 16 = 0.3"\nproblem = "trained.toml"\nnetworks = 128').verdict == "CONFIRMED"
    )
    for off, networks, outcome in ((1.02, 128, "FAIL"), (1.5, 8, "INCONCLUSIVE")):
        says = f'says = "loss at 16 = {loss * off}"\nproblem = "trained.toml"\nnetworks = {networks}'
        (trained,) = (one for one in answer_of(folder, says).results if one.level.value == "simulated")
        assert trained.outcome.value == outcome, trained


NEAR = 'problem = "trained.toml"\nwithin = "20 %"'
CONTROLS = [
    # The values tell it from every altered form; at two roots they do not; altered forms without a value are wrong.
    ("weight[0, 0] at 2 = 1 - exp(-t/(2*tau))", VARIED, "21 altered formulas rejected"),
    ("weight[0, 0] at oo = 1 + (tau - 1)*(tau - 2)", VARIED, "do not tell the right side from 1; vary"),
    ("weight[0, 0] at 2 = 1 - exp(-2/(abs(tau - 1) + tau + 1))", VARIED, "35 altered formulas rejected"),
    ("weight[0, 0] at 2 = 1 - exp(-t/(2*tau))", 'problem = "listed.toml"', "one value of tau"),
    # The margin of 20 % hides 1/gain, and no form of the number itself; at one gain nothing is tested.
    (
        "loss at 16 = 0.2806/gain",
        NEAR + '\nvary = {"data.gain" = [1, 1.02]}',
        "cannot tell the right side from 1403/5000",
    ),
    ("loss at 16 = 0.2806/gain", NEAR, "one value of gain"),
]


@pytest.mark.parametrize("case", CONTROLS, ids=lambda case: case[2])
def test_altered_right_sides_are_rejected_or_named(folder, case):
    says, rest, words = case
    controls = [one for one in answer_of(folder, f'says = "{says}"\n{rest}').results if one.level.value[:3] == "neg"]
    assert words in controls[-1].where
    assert (controls[-1].outcome.value == "PASS") is ("altered" in controls[-1].where)


def answer_of(folder, claim):
    """The judgement of one claim."""
    path = folder / "one.toml"
    path.write_text(f"[[claim]]\n{claim}\n")
    (item,) = validate([read(path)], lambda *_: None).judged
    path.unlink()
    return item


def test_the_definition_is_the_integral():
    """E[Heaviside(z1 - 1/2) relu(z2)^2] by sums over a grid."""
    statement = read_equation("E[Heaviside(z1 - 1/2)*relu(z2)**2] = 0", "[[2, 3/5], [3/5, 1]]")
    (average,) = statement.lhs.atoms(Expectation)
    u = np.linspace(-8, 8, 2001)
    z2, step = u[:, None], u[1] - u[0]
    z1 = 0.6 * z2 + np.sqrt(2 - 0.36) * u[None, :]
    weight = np.exp(-(u[:, None] ** 2) / 2 - u[None, :] ** 2 / 2) * step**2 / (2 * np.pi)
    value = float((weight * (z1 > 0.5) * np.maximum(z2, 0) ** 2).sum())
    assert abs(float(definition(average, {}, 20)) - value) < 5e-3


BAD = [
    ("", "lacks `says`"),
    ('says = "x"', "0 relations"),
    ('says = "1 = 2 = 3"', "2 relations"),
    ('says = "a = b"', "a"),
    ('says = "g = 1"\nwithin = "1 %"', "on a problem"),
    ('says = "g ~ 1"', "axis"),
    ('says = "g = 1"\nsay = "h"', "unknown key"),
    ('says = "mse = 1"\nproblem = "absent.toml"', "absent.toml"),
    ('says = "mse = 1"\nproblem = "listed.toml"\ncov = "[[1]]"', "without a problem"),
    ('says = "mes = 1"\nproblem = "listed.toml"', "mes"),
    ('says = "weight[7, 0] at 1 = 1"\nproblem = "listed.toml"', "outside"),
    ('says = "weight[0, 0] at noon = 1"\nproblem = "listed.toml"', "noon"),
    ('says = "mse at 1 = 1"\nproblem = "listed.toml"', "no time"),
    ('says = "mse = gian"\nproblem = "listed.toml"', "gian"),
    ('says = "mse = 1"\nproblem = "listed.toml"\nwithin = "much"', "no margin"),
    ('says = "mse = 1"\nproblem = "listed.toml"\nwithin = "-2 %"', "no share"),
    ('says = "E[erf(z1] = 0"', "bracket"),
    ('says = "weight[0, 0] at -1 = 1"\nproblem = "listed.toml"', "no time"),
    ('says = "mse ~ 1"\nproblem = "listed.toml"\nvary = {"training.tau" = [1, 2]}', "three values"),
    ('says = "mse = 1"\nproblem = "relu-training"', "exact solution"),
    ('says = "mse = 1"\nproblem = "smal-bump"', "no problem of the workbench"),
    ('says = "mse = 1"\nproblem = "listed.toml"\nnetworks = 1', "at least 2"),
    ('says = "mse = 1"\nproblem = "listed.toml"\nvary = {"data.gian" = [1]}', "data.gian"),
    ('says = "weight[0, 0] at 1 = 1/(tau-1)"\nproblem = "listed.toml"', "finite"),
]


@pytest.mark.parametrize("case", BAD, ids=lambda case: case[1])
def test_wrong_input_gets_its_line(folder, case):
    claim, words = case
    path = folder / "bad.toml"
    path.write_text(f'{HEAD}\n[[claim]]\nlabel = "1"\n{claim}\n')
    with pytest.raises(InputError) as caught:
        validate([read(path)], lambda *_: None)
    path.unlink()
    assert words in str(caught.value)
    assert re.search(r"bad.toml, line [5-9]", str(caught.value))
    assert caught.value.hint
