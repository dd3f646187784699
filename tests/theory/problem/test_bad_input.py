"""Every field of a problem file refuses what it cannot hold, by an error that names it and says what to do."""

from fractions import Fraction
from pathlib import Path

import pytest

import theory.problem as problems
from tests.theory.problem.refusals import not_refused
from theory.problem import (
    AlwaysGate,
    DirectionGate,
    GaussianClone,
    InputError,
    Network,
    NonlinearGP,
    RepeatedGate,
)

VALID = Path(__file__).with_name("valid.toml").read_text()
CLONE = VALID.replace('"nlgp"', '"gaussian-clone"')
TIMES = "times = [1.0, 4.0, 16.0, 64.0, 256.0]"
W0 = 'w0 = { law = "normal", scale = 0.001, seed = 0 }'
CODE = "__import__('os').system('true')"
SITE = 'kind = "site"\nsite = 20\nlo = 0.0'
READOUT, TAU = 'readout = "mean"', "tau = 1.0"


def law(kind=NonlinearGP, **changes):
    """A valid law but for `changes`."""
    fields = {
        "n": 40,
        "xi": (2, 1),
        "gain": 1,
        "boundary": "open",
        "normaliser": "unit-variance",
        "labels": (1, 0),
    }
    return kind(**fields | changes)


# What is written instead of a line of valid.toml, and words of the error.
REPLACED = [
    ("xi = [2.0, 1.0]", "xi = [2, 0]", "data.xi[1] = 0 must be > 0"),
    ("xi = [2.0, 1.0]", "xi = 2.0", "data.xi = 2.0 must be a list"),
    ("xi = [2.0, 1.0]", "xi = [1, 2, 3]", "data.xi has 3 entries, data.labels 2"),
    ("xi = [2.0, 1.0]", 'xi = ["1/' + "9" * 401 + '", 1]', "data.xi[0]"),
    ("gain = 1.0", "gain = nan", "data.gain = 'NaN' is not a number"),
    ("gain = 1.0", "gain = -inf", "data.gain = -Infinity is not finite"),
    ("gain = 1.0", f'gain = "{CODE}"', "data.gain"),
    ("gain = 1.0", 'gain = "1/0"', "data.gain = '1/0' divides by zero"),
    ("gain = 1.0", "gain = 1e200", "data.gain = 1E+200 is out of range"),
    ("gain = 1.0", 'gain = "' + "1" * 5000 + '"', "data.gain"),
    ("gain = 1.0", 'gain = "١"', "data.gain = '١' is not a number"),
    ("gain = 1.0", "gain" + ".a" * 2_000 + " = 1", "a key of more than 8 parts"),
    ("gain = 1.0", "gian = 1.0", "Did you mean `gain`"),
    ("gain = 1.0", "", "[data] lacks `gain`"),
    ("n = 40", "n = 1", "data.n = 1 must be at least 2"),
    ("n = 40", "n = 40.0", "data.n = 40.0 is not a whole number"),
    ("n = 40", "n = 10001", "data.n = 10001 is more than 10000"),
    ("n = 40", "n = " + "9" * 400, "takes more than 8,000,000,000 GB"),
    ("n = 40", "n = 20", "gates[0].site = 20 lies outside"),
    ('law = "nlgp"', 'law = "nglp"', "Did you mean `nlgp`"),
    ('law = "nlgp"', "", "data lacks the key `law`"),
    ('normaliser = "unit-variance"', 'normaliser = "unit"', "data.normaliser = 'unit' is not known"),
    (READOUT, f"{READOUT}\nunits = 3", "3 units but 2 gates"),
    (READOUT, f"{READOUT}\nunits = 200000", "units = 200000 is more than 100000"),
    (READOUT, f'{READOUT}\nbiases = "trained"', "training lacks `hidden_bias0`, `output_bias0`"),
    (READOUT, 'readout = "trained-sum"', "training lacks `readout0`"),
    (READOUT, f"{READOUT}\nslope = 0.1", 'model "gated-linear" has no slope'),
    ('model = "gated-linear"', 'model = "relu"\nunits = 2', 'model "relu" gates itself'),
    ("lo = 0.0", "lo = 0.0\nhi = 0.0", "lo = 0 is not below hi = 0"),
    ("lo = 0.0", 'on = "hidden"', "gate.on = 'hidden' is not known"),
    ("lo = 0.0", "lo = 0.0\nsharpness = 0", "sharpness = 0 must be > 0"),
    ("site = 20", "site = 40", "gates[0].site = 40 lies outside"),
    ('kind = "site"', "", "gates[0] lacks the key `kind`"),
    ('loss = "half-mse"', 'loss = "rmse"', "training.loss = 'rmse' is not known"),
    ('loss = "half-mse"', 'loss = "cross-entropy"', "data.labels = [1, 0]"),
    (TAU, f"{TAU}\nlearning_rate = 1", "[training] has the unknown key 'learning_rate'. It belongs to [simulation]."),
    (READOUT, f"{READOUT}\nxi = 2", "[network] has the unknown key 'xi'. It belongs to [data]."),
    (READOUT, f"{READOUT}\nunit = 3", "Did you mean `units`"),
    ("[data]", "batch = 2\n[data]", "the file has the unknown key 'batch'. It belongs to [simulation]."),
    (TAU, "tau = 0", "training.tau = 0 must be > 0"),
    (TAU, f"{TAU}\nhidden_bias0 = [0, 0]", "hidden_bias0 is given"),
    (TAU, f"{TAU}\noutput_bias0 = inf", "training.output_bias0 = Infinity"),
    (TAU, f"{TAU}\nhidden_bias0 = {{ scale = 1 }}", "training.hidden_bias0 lacks the key `law`"),
    (W0, "w0 = [1, 2]", "training.w0 must be K rows of n numbers or a law"),
    (W0, f"w0 = {[[0] * 40] * 3}", "w0 has 3 rows of length [40]"),
    (W0, 'w0 = [["a"], [1]]', "training.w0[0][0]"),
    (W0, 'w0 = { law = "normal", scale = -1, seed = 0 }', "w0.scale = -1 must be >= 0"),
    ("times = [1.0, 4.0", "times = [4.0, 4.0", "training.times"),
    ("times = [1.0", "times = [-1.0", "must be >= 0"),
    (TIMES, "times = []", "training.times must be a list of at least one time"),
    (TIMES, "times = { geomspace = [1, 10, 3] }", "training.times lacks `step`"),
    (TIMES, "times = { step = 0, geomspace = [1, 10, 3] }", "training.times.step = 0 must be > 0"),
    (TIMES, "times = { step = 1, geomspace = [0, 10, 3] }", "times.geomspace needs ends > 0"),
    (TIMES, "times = { step = 1, geomspace = [1, 10] }", "times.geomspace = [1, 10] must be"),
    (TIMES, "times = { step = 1, linspace = [0, 10, 20000] }", "linspace[2] = 20000 is more than 10000"),
    ('mode = "online"', 'mode = "offline"', "Did you mean `online`"),
    ("replicates = 32", "replicates = 1", "simulation.replicates = 1 must be at least 2"),
    ("batch = 1000", "", "needs simulation.batch"),
    ("learning_rate = 1.0", "learning_rate = 0", "simulation.learning_rate = 0 must be > 0"),
    (SITE, 'kind = "direction"\nv = [1, 2]\nlo = 0', "gates[0].v has 2 numbers"),
    (SITE, 'kind = "direction"\nv = { 40 = 1 }\nlo = 0', "gates[0].v: site 40 lies outside"),
    (SITE, 'kind = "direction"\nv = { 4 = 1 }\nsite = 4', "unknown key 'site'"),
    (SITE, 'kind = "direction"\nlo = 1', "lacks `v`"),
]


def test_bad_problem_files_are_refused():
    assert all(line in VALID for line, _, _ in REPLACED)
    assert not_refused(lambda line, instead: problems.loads(VALID.replace(line, instead, 1)), REPLACED) == []
    with pytest.raises(InputError) as caught:
        problems.loads(VALID.replace("gain = 1.0", 'gain = "' + "1" * 5000 + '"'))
    assert len(str(caught.value)) < 1000


def test_gates_on_a_latent_that_is_not_there():
    assert {gate.on for gate in problems.loads(CLONE).network.gates} == {"input"}
    direction = 'kind = "direction"\nv = { 20 = 1, 21 = -1 }\nlo = 0.0\non = "latent"'
    for gate in (f'{SITE}\non = "latent"', direction):
        assert not_refused(problems.loads, [(CLONE.replace(SITE, gate, 1), "gates[0] is on the latent")]) == []


def test_a_ring_that_is_not_positive_semidefinite():
    assert law(xi=(1, 2), boundary="ring").boundary == "ring"
    cases = [(NonlinearGP, (15, 1), "-0.430, at 0.05 cycles a site"), (GaussianClone, (1, 15), "smallest eigenvalue")]
    assert not_refused(lambda kind, xi: law(kind, xi=xi, boundary="ring"), cases) == []


def test_directions_that_are_none():
    cases = [
        ([0, 0.0, "0"], "gate.v is zero"),
        ({}, "gate.v is zero"),
        ([1, float("nan")], "gate.v[1]"),
        ({-1: 1}, "a site of gate.v = -1 must be at least 0"),
        ({1: 1, "1": 2}, "names the site 1 twice"),
        ("e_1", "gate.v = 'e_1' is not a direction"),
    ]
    assert not_refused(DirectionGate, cases) == []


def test_starts_that_do_not_fit():
    text = VALID.replace(READOUT, f'{READOUT}\nbiases = "trained"')
    cases = [
        (text.replace(TAU, f"{TAU}\nhidden_bias0 = [0, 0]"), "training lacks `output_bias0`."),
        (text.replace(TAU, f"{TAU}\nhidden_bias0 = [0, 0, 0]\noutput_bias0 = 0"), "hidden_bias0 has 3 numbers"),
        (VALID.replace(W0, f"w0 = {[[0] * 40] * 2}") + 'initialisation = "per-replicate"\n', '"per-replicate"'),
        (VALID.split("[[network.gates]]")[0] + "[training]" + VALID.split("[training]")[1], "needs gates"),
    ]
    assert not_refused(problems.loads, cases) == []
    with pytest.raises(InputError, match=r"no \[simulation\] table"):
        problems.loads(VALID.split("[simulation]")[0]).simulated()


def test_networks_of_python_that_do_not_fit():
    cases = [
        ("gated-linear", 1, (RepeatedGate(0),), None, "gates[0] repeats unit 0"),
        ("gated-linear", 2, (AlwaysGate(), RepeatedGate(5)), None, "gates[1] repeats unit 5"),
        ("relu", 2, (), Fraction(1, 10), 'model "relu" has no slope'),
        ("leaky-relu", 2, (), None, 'model "leaky-relu" needs a slope'),
        ("leaky-relu", 2, (), float("inf"), "network.slope = inf is not finite"),
    ]
    assert (
        not_refused(lambda model, units, gates, slope: Network(model, "mean", units, gates, slope=slope), cases) == []
    )
