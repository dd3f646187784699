"""Problem files: TOML out and in again is the identity, and what is no problem file is a message."""

from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

import theory.problem as problems
from tests.paths import PROBLEMS
from tests.theory.problem.refusals import not_refused
from theory.problem import (
    AlwaysGate,
    DirectionGate,
    GaussianClone,
    InputError,
    Network,
    NonlinearGP,
    NormalInitialisation,
    Problem,
    RepeatedGate,
    Simulation,
    SinglePulse,
    SiteGate,
    Training,
)

VALID = Path(__file__).with_name("valid.toml")
BASE = problems.load(VALID)
UP, TILTED = SiteGate(1, lo=0, on="input"), DirectionGate({0: "1/3", 2: -1}, lo="-1/7", hi="0.1", sharpness=4)
PROCESS = NonlinearGP(3, ("1/3", "1/7"), "7/10", "ring", "none", (0, "-1e100"))
ROWS = (("1e-90", "1/3", -5), (0, "1e90", "0.1"), (1, 2, 3))
PROBLEMS_OF_PYTHON = [
    Problem(
        PROCESS,
        Network("gated-linear", "sum", 3, (TILTED, RepeatedGate(0), SiteGate(2, hi="1/3")), "trained"),
        Training("mse", "1/3", ROWS, (0, "1/7", 10**6), ("1/3", 0, -2), "1e-30"),
        Simulation("full-batch", 10**9, "1/3", 2, 2**40),
    ),
    Problem(
        GaussianClone(3, (2, "1/2"), 3**80, "open", "unit-variance", (1, -1)),
        Network("leaky-relu", "trained-mean", 2, biases="fixed", slope="-1/3"),
        Training("cross-entropy", 1, NormalInitialisation("1/3", 2**40), (1,), (0, "1/9"), -1, (1, "2/3")),
        Simulation("online", 7, 2, 99, 0, 5, "per-replicate"),
    ),
    Problem(
        SinglePulse(3, ((1, 2), (3, 3)), "plus-minus", "complement", ("1/3", 2)),
        Network("gated-linear", "mean", 3, (UP, AlwaysGate(), DirectionGate([0, 0, 1], hi=0, on="input"))),
        Training("half-mse", 1, ROWS, (2,)),
    ),
]


@pytest.mark.parametrize("problem", [BASE, *PROBLEMS_OF_PYTHON], ids=range(4))
def test_out_and_in_again(problem):
    assert problems.loads(problems.dumps(problem)) == problem


@pytest.mark.parametrize(
    "gain", [Fraction(1, 3**180), Fraction(10**100), Fraction(7, 10), Fraction(1e-90), Fraction(0.1 + 0.2)]
)
def test_numbers_of_any_length_stay_exact(gain):
    problem = replace(BASE, data=replace(BASE.data, gain=gain))
    assert problems.loads(problems.dumps(problem)).data.gain == Fraction(gain)


@pytest.mark.parametrize(
    "v", ['{ 20 = 1, 22 = "1/2" }', f"[{', '.join(['0'] * 20 + ['1.0', '0', '0.5'] + ['0'] * 17)}]"]
)
def test_a_direction_of_a_file(v):
    """The same gate as a table and as a vector, exact; on the latent where the law has one."""
    problem = problems.loads(VALID.read_text().replace('kind = "site"\nsite = 20', f'kind = "direction"\nv = {v}', 1))
    gate = problem.network.gates[0]
    assert gate == DirectionGate({20: 1, 22: Fraction(1, 2)}, lo=0)
    assert gate.on == "latent"
    assert "v = { 20 = 1.0, 22 = 0.5 }" in problems.dumps(problem)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("{ geomspace = [1, 1000, 4], step = 1 }", [1, 10, 100, 1000]),
        ("[0.0, { geomspace = [1, 32, 11], step = 1 }]", [0, 1, 2, 3, 4, 6, 8, 11, 16, 23, 32]),
        ("[{ linspace = [0, 10, 5], step = 1 }, 12]", [0, 3, 5, 8, 10, 12]),
    ],
)
def test_ranges_of_times(written, expected):
    """Each the nearest multiple of the step (upwards from the middle between two), equal ones once."""
    text = VALID.read_text().replace("times = [1.0, 4.0, 16.0, 64.0, 256.0]", f"times = {written}")
    problem = problems.loads(text)
    assert list(problem.training.times) == list(map(Fraction, expected))
    assert problems.loads(problems.dumps(problem)) == problem


def test_drawn_biases_repeat_and_differ_from_the_weights():
    base, law = problems.load(VALID), NormalInitialisation(1, 0)
    network = Network("relu", "trained-sum", 6, biases="trained")
    question = Problem(base.data, network, Training("mse", 1, law, (1,), law, 0, law))
    draws = [question.biases0(replicate)[:-1] for replicate in (None, 0, 1)] + [question.w0()[0, :6]]
    draws += [question.readout0(replicate) for replicate in (None, 0, 1)]
    assert (question.biases0(1)[:-1] == draws[2]).all()
    assert len({draw.tobytes() for draw in draws}) == len(draws)


def test_not_a_problem_file():
    cases = [
        ("a = 1\n[data", "not valid TOML"),
        ("a = 1\nb = = 2", "not valid TOML"),
        ("a = " + "[" * 30_000, "nested too deeply"),
        *((key + " = 1", "has a key of more than 8 parts") for key in ("a" + ".a" * 16_000, "'.' . " * 8 + '"a"')),
        ("b = 1\n[" + "a." * 16_000 + "a]", "line 2 has a key of more than 8 parts"),
        ("[a]\n" * 2**19, "keys and tables, more than 262144"),
        ("a = 0x" + "f" * 2**15, "too long to be read"),
        ("a = 1e9999999999999999999", "too long to be read"),
        ("a = " + "9" * 5000, "too long to be read"),
        ("a = 1\na = 2", "not valid TOML"),
        ("data = 1\nnetwork = 2\ntraining = 3", "data must be a table. Write [data]"),
        ("[[data]]\n[network]\n[training]", "data must be a table. Write [data]"),
    ]
    assert not_refused(problems.loads, cases) == []


def test_equivalent_spellings_are_one_problem(tmp_path):
    text = VALID.read_text()
    spelled = text.replace("gain = 1.0", 'gain = "3/3"').replace("tau = 1.0", "tau = 1").replace("\n", "\r\n")
    (tmp_path / "p.toml").write_bytes(b"\xef\xbb\xbf" + spelled.encode())
    assert problems.load(tmp_path / "p.toml") == problems.loads(text)
    assert problems.load(VALID).training.w0.scale == Fraction(1, 1000)


def test_every_value_on_every_line_is_a_problem_or_a_message():
    values = ["-1", "0", "nan", "true", '"x"', "[]", "{}", "1e300", "[[1]]", "1979-05-27", '"1/0"', "9" * 20]
    lines, refused, read = VALID.read_text().splitlines(), 0, 0
    for at, value in product((at for at, line in enumerate(lines) if "=" in line), values):
        changed = "\n".join([*lines[:at], f"{lines[at].split('=')[0]}= {value}", *lines[at + 1 :]])
        try:
            problem = problems.loads(changed)
        except InputError as error:
            refused += bool(error.message and error.hint)
        else:
            read += problems.loads(problems.dumps(problem)) == problem
    assert refused + read == len(values) * sum("=" in line for line in lines)
    assert min(refused, read) > 5


def test_shipped_problems_are_problems():
    for file in sorted(PROBLEMS.glob("*.toml")):
        problem = problems.load(file)
        assert problems.loads(problems.dumps(problem)) == problem


def test_a_sweep_file_is_named_as_one():
    with pytest.raises(InputError, match=r"\[axes\].*a sweep") as refused:
        problems.loads('store = "here"\n[axes]\n"data.gain" = [1, 2]\n')
    assert "gdln sweep" in refused.value.hint


def test_settings_replace_values_of_the_file():
    text = VALID.read_text(encoding="utf-8")
    other = text.replace("gain = 1.0", "gain = 1.5").replace("xi = [2.0, 1.0]", "xi = [3, 1]")
    other = other.replace("site = 20", "site = 7", 1).replace('"unit-variance"', '"none"')
    settings = ["data.gain = 9", "data.gain=1.5", "data.xi=[3,1]", "network.gates.0.site=7", "data.normaliser=none"]
    assert problems.load(VALID, settings) == problems.loads(other) != BASE


def test_settings_that_set_nothing_are_refused():
    cases = [
        ("data.gain", "--set 'data.gain' sets no value"),
        ("data.gain=1,2", "--set 'data.gain=1,2' has 2 values; one problem takes one. Write a list as data.gain=[...]"),
        ("data.gian=1", "Did you mean `gain`?"),
        ("gain=1", "It belongs to [data]."),
        ("training.seed=1", "names no field of [training]. It belongs to [simulation]."),
        ("network.gates.7.site=1", "--set network.gates.7.site: there is no entry '7'"),
        ("data.gain.a=1", "--set data.gain.a: 'a' would be set in 1.0, which is no table"),
        ("data.gain=many", "valid.toml: data.gain = 'many' is not a number"),
    ]
    assert not_refused(lambda words: problems.load(VALID, [words]), cases) == []
