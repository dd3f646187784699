"""Problem files: TOML out and in again is the identity, and what is no problem file is a message."""

from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import inf
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

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
from theory.problem.distributions.single_pulse import FLIPS, SUPPORTS

VALID = Path(__file__).with_name("valid.toml")
MODELS = ["gated-linear", "relu", "leaky-relu", "erf", "sigmoid"]

positive = st.one_of(
    st.fractions(min_value=Fraction(1, 10**6), max_value=10**6, max_denominator=10**6),
    st.floats(min_value=1e-90, max_value=1e90).map(Fraction),
    st.sampled_from([Fraction(1, 3**180), Fraction(10**100), Fraction(1, 10**100), Fraction(7, 10)]),
)
number = st.one_of(st.just(Fraction(0)), positive, positive.map(lambda value: -value))


@st.composite
def gates(draw, n, units, latent):
    """One gate for each unit; a repetition names an earlier unit."""
    chosen = []
    for index in range(units):
        kind = draw(st.sampled_from(["always", "site", "direction", *(["repeated"] if index else [])]))
        if kind == "always":
            chosen.append(AlwaysGate())
        elif kind == "repeated":
            chosen.append(RepeatedGate(draw(st.integers(0, index - 1))))
        else:
            bounds = sorted(
                draw(st.lists(st.one_of(number, st.sampled_from([-inf, inf])), min_size=2, max_size=2, unique=True))
            )
            on = draw(st.sampled_from(["latent", "input"] if latent else ["input"]))
            sharpness = draw(st.one_of(st.just(inf), positive))
            if kind == "site":
                chosen.append(SiteGate(draw(st.integers(0, n - 1)), *bounds, on, sharpness))
                continue
            vector = st.lists(number, min_size=n, max_size=n).filter(any)
            table = st.dictionaries(st.integers(0, n - 1), number).filter(lambda entries: any(entries.values()))
            chosen.append(DirectionGate(draw(st.one_of(vector, table)), *bounds, on, sharpness))
    return tuple(chosen)


@st.composite
def any_pulse(draw, n):
    """Every kind of single pulse."""
    ends = st.tuples(st.integers(1, n), st.integers(1, n)).map(lambda pair: tuple(sorted(pair)))
    support, flip = draw(st.sampled_from(SUPPORTS)), draw(st.sampled_from(FLIPS))
    return SinglePulse(n, (draw(ends), draw(ends)), support, flip, (draw(number), draw(number)))


@st.composite
def any_process(draw, n):
    """Every kind of nonlinear Gaussian process and of its clone."""
    kind = draw(st.sampled_from([NonlinearGP, GaussianClone]))
    boundary = draw(st.sampled_from(["open", "ring"]))
    width = st.fractions(min_value=Fraction(1, 4), max_value=Fraction(1, 2)) if boundary == "ring" else positive
    return kind(
        n,
        (draw(width), draw(width)),
        draw(positive),
        boundary,
        draw(st.sampled_from(["unit-variance", "none"])),
        (draw(number), draw(number)),
    )


@st.composite
def any_problem(draw):
    """Every kind of law, gate, model, initialisation and simulation there is."""
    n, units = draw(st.integers(2, 5)), draw(st.integers(1, 4))
    data = draw(st.one_of(any_process(n), any_pulse(n)))
    loss = draw(st.sampled_from(["half-mse", "mse", "cross-entropy"]))
    if loss == "cross-entropy":
        data = replace(data, labels=draw(st.sampled_from([(1, -1), (-1, 1), (1, 1)])))
    model = draw(st.sampled_from(MODELS))
    chosen = draw(gates(n, units, data.latent)) if model == "gated-linear" else ()
    readout = draw(st.sampled_from(["mean", "sum", "trained-mean", "trained-sum"]))
    slope = draw(number) if model == "leaky-relu" else None
    network = Network(model, readout, units, chosen, draw(st.sampled_from(["none", "fixed", "trained"])), slope)
    rows = st.tuples(*[st.tuples(*[number] * n)] * units)
    law = st.builds(NormalInitialisation, positive, st.integers(0, 2**40))
    w0 = draw(st.one_of(rows, law))
    times = tuple(sorted(draw(st.sets(st.one_of(st.just(Fraction(0)), positive), min_size=1, max_size=3))))
    each = st.one_of(st.tuples(*[number] * units), law)
    further = {"hidden_bias0": draw(each), "output_bias0": draw(number)} if network.has_biases else {}
    further |= {"readout0": draw(each)} if network.trains_readout else {}
    training = Training(loss, draw(positive), w0, times, **further)
    own_start = ["shared", "per-replicate"] if isinstance(w0, NormalInitialisation) else ["shared"]
    count = st.integers(1, 10**9)
    mode = draw(st.sampled_from(["online", "full-batch"]))
    simulations = st.builds(
        Simulation,
        st.just(mode),
        count,
        positive,
        st.integers(2, 99),
        st.integers(0, 2**40),
        count if mode == "online" else st.none(),
        st.sampled_from(own_start),
    )
    return Problem(data, network, training, draw(st.one_of(st.none(), simulations)))


@settings(max_examples=30)
@given(any_problem())
@example(problems.load(VALID))
def test_out_and_in_again(problem):
    assert problems.loads(problems.dumps(problem)) == problem


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


def test_biases_of_a_file():
    text = VALID.read_text().replace('readout = "mean"', 'readout = "mean"\nbiases = "trained"')
    start = '[training]\nhidden_bias0 = [0.1, -2]\noutput_bias0 = "1/3"'
    problem = problems.loads(text.replace("[training]", start))
    assert problem.network.has_biases
    assert (problem.training.hidden_bias0, problem.training.output_bias0) == ((Fraction(1, 10), -2), Fraction(1, 3))
    assert problem.biases0().tolist() == [0.1, -2, 1 / 3]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("{ geomspace = [1, 1000, 4], step = 1 }", [1, 10, 100, 1000]),
        ('{ geomspace = [0.5, 8, 5], step = "1/2" }', ["1/2", 1, 2, 4, 8]),
        ("[0.0, { geomspace = [1, 32, 11], step = 1 }]", [0, 1, 2, 3, 4, 6, 8, 11, 16, 23, 32]),
        ("[{ linspace = [0, 10, 5], step = 1 }, 12]", [0, 3, 5, 8, 10, 12]),
        ('{ geomspace = [1, 3, 5], step = "1/3" }', [1, "4/3", "5/3", "7/3", 3]),
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
        ("a" + ".a" * 2_000 + " = 1", "unknown key 'a'"),
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
