"""Finite data: exact moments against sums over the examples in fractions, and flows against least squares."""

from fractions import Fraction
from math import inf

import numpy as np
import pytest

from tests.theory.moments import definition
from tests.tolerances import PULSE_FLOW
from theory.flow import solve
from theory.moments import exact_moments as limits
from theory.moments import gated_moments
from theory.moments.exact_features import optimum
from theory.moments.finite import exact_moments
from theory.problem import (
    AlwaysGate,
    DirectionGate,
    FiniteData,
    Network,
    OutOfReachError,
    RepeatedGate,
    Simulation,
    SiteGate,
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
    law = FiniteData(x, y, weights=weights)
    return definition.question(law, *gates, biases=biases, readout=readout, times=(0, 1, 5), simulation=RUN)


def arrays(asked):
    """Inputs (n, examples), probabilities and labels (examples, m) of a problem in fractions."""
    data = asked.data
    labels = [data.label_vectors[c] for c in data.category]
    return tuple(np.array(values, dtype=object) for values in (data.x, data.example_probabilities, labels))


def summed(asked):
    """A (P, P) and b (P, m) in fractions."""
    x, p, y = arrays(asked)
    return tuple(part.tolist() for part in definition.summed(asked.network, x.T, p, y))


@pytest.mark.parametrize(("y", "weights", "biases"), [(Y, WEIGHTS, "trained"), (VECTORS, (), "none")])
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


@pytest.mark.parametrize(
    ("y", "gates", "biases"), [(Y, GATES, "trained"), (VECTORS, GATES, "trained"), (VECTORS, GATES[:2], "none")]
)
def test_the_flow_reaches_least_squares(y, gates, biases):
    """6 examples and up to 21 features: A is singular, its rank exactly that of the features."""
    asked = question(y=y, gates=gates, weights=WEIGHTS, biases=biases)
    found = solve(asked)
    x, p, labels = (values.astype(float) for values in arrays(asked))
    phi, shares = definition.features(asked.network, x.T).T, np.sqrt(p)[:, None]
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


def test_numbers_of_many_digits_stay_exact():
    """Where a sum does not fit a float, in whole numbers of any length."""
    x = tuple(tuple(float(entry) / 3 for entry in map(Fraction, row)) for row in X)
    asked = question(x=x, gates=(SiteGate(1, lo=0, on="input"), AlwaysGate()))
    exact = exact_moments(asked.data, asked.network)
    assert exact.rows.dtype == object
    assert [[Fraction(entry, exact.denominator) for entry in row] for row in exact.rows.tolist()] == summed(asked)[0]
    assert solve(asked).rank == 3 + 1  # the gate is closed on one example alone


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
