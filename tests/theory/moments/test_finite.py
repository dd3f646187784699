"""Finite data: exact moments against sums over the examples in fractions, and flows against least squares."""

from fractions import Fraction
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracles.pulses import inputs
from tests.theory import pulse_cases
from tests.tolerances import FLOW_FLOAT64, FLOW_ROUNDED, PULSE_FLOW
from theory.flow import discrete, gradient_descent, mse_at, solve
from theory.flow.linear.parameters import initial
from theory.moments import exact_moments as limits
from theory.moments import gated_moments
from theory.moments.exact_range import optimum
from theory.moments.finite import exact_moments
from theory.problem import (
    AlwaysGate,
    DirectionGate,
    FiniteData,
    Network,
    OutOfReachError,
    Problem,
    RepeatedGate,
    Simulation,
    SiteGate,
    Training,
)

X = ((1, "1/2", 0), (0, 1, "-1/3"), ("1/2", -1, 1), (1, 1, 1), (0, 0, "1/7"), (-1, "1/2", 2))
Y = (1, 0, "1/2", 1, 0, -1)
VECTORS = ((1, 0), (0, "1/3"), (1, 0), (2, 2), (0, 0), ("1/2", 1))
WEIGHTS = (1, 2, 1, "1/2", 3, 1)
HALF_SPACE = SiteGate(1, lo="1/2", on="input")
BETWEEN = SiteGate(2, lo="-1/3", hi=1, on="input")
ALONG = DirectionGate({0: 1, 2: "-1/2"}, lo="1/4", on="input")
GATES = (HALF_SPACE, BETWEEN, ALONG, AlwaysGate(), RepeatedGate(0))
RUN = Simulation("full-batch", 6, "1/4", 2, 0)


def question(x=X, y=Y, gates=GATES[:3], weights=(), biases="none", readout="mean"):
    data, K = FiniteData(x, y, weights=weights), len(gates)
    m, n = data.outputs, data.n
    rows = [[[Fraction((3 * k + 5 * j + o) % 7 - 3, 8) for j in range(n)] for o in range(m)] for k in range(K)]
    starts = ()
    if biases == "trained":
        starts = ([[Fraction(k - o, 4) for o in range(m)] for k in range(K)], [Fraction(1, 3)] * m)
        starts = starts if m > 1 else ([row[0] for row in starts[0]], Fraction(1, 3))
    w0 = rows if m > 1 else [row[0] for row in rows]
    network = Network("gated-linear", readout, K, gates, biases)
    return Problem(data, network, Training("half-mse", 1, w0, (0, 1, 5), *starts), RUN)


def features(asked):
    """phi of every example in fractions, by the definition of the gates."""
    rows = []
    for x in asked.data.x:
        opened = []
        for gate in asked.network.gates:
            if isinstance(gate, RepeatedGate):
                opened.append(opened[gate.of])
            elif isinstance(gate, AlwaysGate):
                opened.append(1)
            else:
                looked = gate.v if isinstance(gate, DirectionGate) else ((gate.site, 1),)
                opened.append(int(gate.lo <= sum(v * x[site] for site, v in looked) < gate.hi))
        ends = [*opened, 1 / asked.network.scale] if asked.network.has_biases else []
        rows.append([open_ * entry for open_ in opened for entry in x] + ends)
    return rows


def summed(asked):
    """A (P, P) and b (P, m) in fractions."""
    phi, data = features(asked), asked.data
    shares, labels = data.example_probabilities, [data.label_vectors[c] for c in data.category]
    P = range(len(phi[0]))
    A = [[sum(p * row[i] * row[j] for p, row in zip(shares, phi, strict=True)) for j in P] for i in P]
    outputs = range(data.outputs)
    b = [[sum(p * row[i] * y[o] for p, row, y in zip(shares, phi, labels, strict=True)) for o in outputs] for i in P]
    return A, b


@pytest.mark.parametrize("y", [Y, VECTORS], ids=["numbers", "vectors"])
@pytest.mark.parametrize("weights", [(), WEIGHTS], ids=["equal", "weighted"])
@pytest.mark.parametrize("biases", ["none", "trained"])
def test_moments_are_the_sums_over_the_examples(y, weights, biases):
    asked = question(y=y, gates=GATES, weights=weights, biases=biases)
    exact = exact_moments(asked.data, asked.network)
    A, b = summed(asked)
    assert [[Fraction(entry, exact.denominator) for entry in row] for row in exact.rows.tolist()] == A
    assert exact.columns.tolist() == b
    squares = [sum(entry**2 for entry in asked.data.label_vectors[c]) for c in asked.data.category]
    assert exact.y2 == sum(p * s for p, s in zip(asked.data.example_probabilities, squares, strict=True))
    moments = gated_moments(asked)
    assert moments.A.tolist() == [[float(entry) for entry in row] for row in A]
    assert moments.b.reshape(len(b), -1).tolist() == [[float(entry) for entry in row] for row in b]


@pytest.mark.parametrize("y", [Y, VECTORS], ids=["numbers", "vectors"])
@pytest.mark.parametrize("gates", [GATES[:2], GATES], ids=["two", "five"])
@pytest.mark.parametrize("biases", ["none", "trained"])
def test_the_flow_reaches_least_squares(y, gates, biases):
    """6 examples and up to 21 features: A is singular, its rank exactly that of the features."""
    asked = question(y=y, gates=gates, weights=WEIGHTS, biases=biases)
    found = solve(asked)
    phi = np.array(features(asked), dtype=float)
    shares = np.sqrt(np.array(asked.data.example_probabilities, dtype=float))[:, None]
    labels = np.array([asked.data.label_vectors[c] for c in asked.data.category], dtype=float)
    theta, _, rank, _ = np.linalg.lstsq(shares * phi, shares * labels, rcond=PULSE_FLOW)
    slack = PULSE_FLOW * found.condition
    assert found.rank == rank == found.rates.size - (found.rates == 0).sum()
    assert abs(found.mse - ((shares * (labels - phi @ theta)) ** 2).sum()) <= slack
    exact = optimum(exact_moments(asked.data, asked.network))
    assert abs(found.mse - float(exact)) <= slack
    certified = solve(asked, 25)
    assert abs(Fraction(certified.mse) - exact) <= Fraction(1, 10**24)
    for name in ("weights", "fixed_point", "losses"):
        assert np.abs(getattr(certified, name).astype(float) - getattr(found, name)).max() <= slack, name


def test_discrete_steps_are_full_batch_descent():
    asked = question(gates=GATES, biases="trained")
    moments, start = gated_moments(asked), initial(asked)
    expected = gradient_descent(moments.A, moments.b, start[None], 0.25, 1 / 5, 1.0, [0, 4, 20])[:, 0]
    assert np.abs(discrete(asked).theta - expected).max() <= FLOW_ROUNDED


def test_losses_are_those_of_the_parameters():
    asked = question(y=VECTORS, gates=GATES)
    found = solve(asked)
    assert (
        np.abs(mse_at(gated_moments(asked), found.weights, 1 / 5) - found.losses).max() <= PULSE_FLOW * found.condition
    )


@pytest.mark.parametrize(("support", "flip"), pulse_cases.EVERY_KIND)
@pytest.mark.parametrize("biases", ["none", "trained"])
def test_pulses_as_data_have_the_moments_of_pulses(support, flip, biases):
    """Every pulse of two classes written out, weighted by its class: equal fractions, and equal digits."""
    pulses = pulse_cases.problem(
        5, ((1, 2), (3, 3)), support, flip, (pulse_cases.UP, pulse_cases.CLOSED), biases=biases
    )
    x, y, weights = [], [], []
    for widths, label in zip(pulses.data.widths, pulses.data.labels, strict=True):
        points = inputs(5, widths, support, flip)
        x, y = x + points, y + [label] * len(points)
        weights += [Fraction(1, len(points))] * len(points)
    examples = Problem(FiniteData(x, y, weights=weights), pulses.network, pulses.training)
    one, other = (gated_moments(asked).features.exact for asked in (pulses, examples))
    assert (one.rows * other.denominator == other.rows * one.denominator).all()
    assert (one.first == other.first).all()
    assert one.y2 == other.y2
    assert (solve(pulses, 20).fixed_point == solve(examples, 20).fixed_point).all()
    assert gated_moments(examples).covariances.shape == (2, 5, 5)
    assert np.abs(gated_moments(examples).covariances - gated_moments(pulses).covariances).max() <= FLOW_ROUNDED


def test_numbers_of_many_digits_stay_exact():
    """Where a sum does not fit a float, in whole numbers of any length."""
    x = tuple(tuple(float(entry) / 3 for entry in map(Fraction, row)) for row in X)
    asked = question(x=x, gates=(SiteGate(1, lo=0, on="input"), AlwaysGate()))
    exact = exact_moments(asked.data, asked.network)
    assert exact.rows.dtype == object
    assert [[Fraction(entry, exact.denominator) for entry in row] for row in exact.rows.tolist()] == summed(asked)[0]
    assert solve(asked).rank == 3 + 1  # the gate is closed on one example alone


@given(st.data())
def test_any_small_data(data):
    number = st.integers(-3, 3).map(lambda k: Fraction(k, 2))
    n = data.draw(st.integers(1, 3))
    x = data.draw(st.lists(st.lists(number, min_size=n, max_size=n), min_size=1, max_size=5))
    y = data.draw(st.lists(number, min_size=len(x), max_size=len(x)))
    low = data.draw(number)
    gates = (SiteGate(0, lo=low, on="input"), SiteGate(n - 1, lo=low - 1, hi=low + 1, on="input"))
    asked = question(x=x, y=y, gates=gates)
    exact = exact_moments(asked.data, asked.network)
    assert [[Fraction(entry, exact.denominator) for entry in row] for row in exact.rows.tolist()] == summed(asked)[0]


def test_gates_that_never_change_are_said():
    asked = question(gates=(SiteGate(0, lo=5, on="input"), SiteGate(0, hi=5, on="input"), AlwaysGate()))
    notes = " ".join(solve(asked).notes)
    assert "unit 0: its gate is never open (what it gates keeps its initial value), on all of the 6 examples" in notes
    assert "unit 1: its gate is always open, on all of the 6 examples" in notes
    assert "unit 2" not in notes
    assert "A has rank 3 of 9, exactly" in notes


def test_an_example_of_every_kind_is_needed_for_full_rank():
    """Three examples in six dimensions move three directions; more precision cannot change that."""
    found = solve(question(x=X[:3], y=Y[:3], gates=(AlwaysGate(), HALF_SPACE)))
    assert found.rank == 3
    assert (found.rates[:3] == 0).all()
    assert found.rates[3] > 0
    assert found.mse <= FLOW_FLOAT64 * found.condition


def test_soft_gates_and_large_data_are_refused_by_name(monkeypatch):
    with pytest.raises(OutOfReachError, match=r"network.gates\[1\]: a soft gate, of sharpness 2"):
        solve(question(gates=(AlwaysGate(), SiteGate(0, lo=0, on="input", sharpness=2))))
    with pytest.raises(OutOfReachError, match=r"network.gates\[0\] is on the latent"):
        exact_moments(FiniteData(X, Y), Network("gated-linear", "mean", 1, (SiteGate(0, lo=0),)))
    unbounded = question(gates=(SiteGate(0, -inf, inf, "input", sharpness=2), AlwaysGate()))
    assert (gated_moments(unbounded).sigma_xx[0, 0] == gated_moments(unbounded).sigma_xx[1, 1]).all()
    monkeypatch.setattr(limits, "MOST_FEATURES", 10)
    with pytest.raises(OutOfReachError, match="6 examples have 36 gated inputs"):
        solve(question(gates=(HALF_SPACE, BETWEEN)))
    monkeypatch.setattr(limits, "MOST_ROWS", 5)
    with pytest.raises(OutOfReachError, match="K n = 9 rows"):
        solve(question())
