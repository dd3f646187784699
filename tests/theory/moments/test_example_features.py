"""Many features and few examples in float64: against exact moments where both are there, and against dense algebra."""

from fractions import Fraction

import numpy as np
import pytest

from tests.tolerances import FLOW_FLOAT64, FLOW_ROUNDED
from theory.flow import solve
from theory.moments import finite, gated_moments
from theory.moments.arithmetic import FLOAT64
from theory.moments.exact_features import ExactFeatures
from theory.moments.example_features import ExampleFeatures
from theory.problem import (
    AlwaysGate,
    ContextGate,
    FiniteData,
    InputError,
    Network,
    NormalInitialisation,
    OutOfReachError,
    Problem,
    RepeatedGate,
    SiteGate,
    Training,
)

TIMES = (0, "1/2", 3, 40)


def data(rows, n, seed=0, outputs=1, contexts=3):
    """Small whole numbers, one site always 0, one example twice, weights that differ."""
    random = np.random.default_rng(seed)
    x = random.integers(-3, 4, size=(rows, n))
    x[:, 1], x[-1] = 0, x[0]
    y = random.integers(-2, 3, size=(rows, outputs))
    labels = y[:, 0].tolist() if outputs == 1 else y.tolist()
    context = [index % contexts for index in range(rows)]
    weights = [1 + index % 2 for index in range(rows)]
    return FiniteData(x.tolist(), labels, weights=weights, context=context)


EXCLUSIVE = tuple(ContextGate((c,)) for c in range(3))
HALVES = (SiteGate(0, lo=0, on="input"), SiteGate(0, hi=0, on="input"))
CASES = {
    "one unit": (AlwaysGate(),),
    "exclusive": EXCLUSIVE,
    "halves and all": (*HALVES, AlwaysGate()),
    "repeated": (HALVES[0], RepeatedGate(0), HALVES[1]),
    "apart": (ContextGate((0,)), HALVES[0], ContextGate((0, 2))),
}


def problem(law, gates, loss="half-mse"):
    network = Network("gated-linear", "mean", len(gates), gates)
    return Problem(law, network, Training(loss, 2, NormalInitialisation(Fraction(1, 4), 3), TIMES))


@pytest.fixture
def beyond(monkeypatch):
    """Exact moments for nothing: every data set takes the float64 path."""
    monkeypatch.setattr(finite, "_beyond_exact", lambda *_: True)


@pytest.mark.parametrize(("case", "rows", "outputs"), [*zip(CASES, (4, 30, 30, 4, 30), (1, 2, 1, 2, 1), strict=True)])
def test_the_moments_are_the_exact_ones(case, rows, outputs, beyond):
    """A, b, <y.y>, the rank and the range of A."""
    question = problem(data(rows, 5, outputs=outputs), CASES[case])
    exact = ExactFeatures(finite.exact_moments(question.data, question.network), FLOAT64)
    found = gated_moments(question).features
    assert isinstance(found, ExampleFeatures)
    assert np.abs(found.assembled() - exact.assembled()).max() <= FLOW_ROUNDED * np.abs(exact.assembled()).max()
    assert np.abs(found.b - exact.b).max() <= FLOW_ROUNDED * np.abs(exact.b).max()
    assert abs(found.y2 - exact.y2) <= FLOW_ROUNDED * exact.y2
    assert found.structure.rank == exact.structure.rank
    theta = np.random.default_rng(1).normal(size=(*[outputs] * (outputs > 1), len(found.b)))
    inside = [
        sum(_embedded(block, block.project(theta), len(found.b)) for block in own.blocks) for own in (found, exact)
    ]
    assert np.abs(inside[0] - inside[1]).max() <= FLOW_ROUNDED * np.abs(theta).max()
    assert np.abs(found.A.matvec(theta) - theta @ exact.assembled()).max() <= FLOW_ROUNDED * np.abs(theta).max() * 10


def _embedded(block, u, size):
    theta = np.zeros((*u.shape[:-2], size))
    theta[..., block.places] = block.embed(u)
    return theta


def test_few_examples_of_many_sites():
    """2,100 weights and 12 examples: beyond exact moments, and its solution that of the problem of the examples.

    With the Gram matrix G = F F' of the features, w(inf) - w(0) = F' G^-1 (K y - F w(0)) interpolates.
    """
    law = data(12, 700)
    question = problem(law, EXCLUSIVE)
    found = solve(question)
    x, y = np.array(law.x, dtype=float), np.array(law.y, dtype=float)
    features = (np.eye(3)[list(law.context)][:, :, None] * x[:, None, :]).reshape(12, -1)
    w = question.start()["w"].ravel()
    expected = w + features.T @ np.linalg.solve(features @ features.T, 3 * y - features @ w)
    assert found.rank == 12
    error = FLOW_FLOAT64 * found.condition
    assert np.abs(found.fixed_point.ravel() - expected).max() <= error * np.abs(expected).max()
    assert found.mse <= error * float((y**2).mean())
    assert "A decouples into 3 blocks; kernels of at most 4 rows." in found.notes


def test_what_is_out_of_reach_is_named(beyond, monkeypatch):
    closed = problem(data(4, 5), (SiteGate(0, lo=100, on="input"),))
    with pytest.raises(InputError, match="no gate of this network ever opens"):
        gated_moments(closed)
    monkeypatch.setattr("theory.moments.example_features.MOST_FEATURES", 19)
    with pytest.raises(OutOfReachError, match="gated inputs and 19 numbers"):
        gated_moments(problem(data(4, 5), (AlwaysGate(),)))


def test_small_data_keep_their_exact_moments():
    assert isinstance(gated_moments(problem(data(4, 5), EXCLUSIVE)).features, ExactFeatures)
    assert solve(problem(data(4, 5), EXCLUSIVE), digits=20).digits == 20
    large = problem(data(12, 700), EXCLUSIVE)
    with pytest.raises(OutOfReachError, match="exact moments of more than 2000"):
        solve(large, digits=20)
