"""Any number of classes, priors, means and vector labels: moments and flows against sums over a fine quadrature."""

import numpy as np
import pytest
from scipy.special import erf

from tests.theory.moments import definition
from tests.tolerances import FLOW_FLOAT64, FLOW_ROUNDED, QUADRANTS, psd_slack
from theory.flow import discrete, solve
from theory.moments import gated_moments
from theory.problem import (
    AlwaysGate,
    DirectionGate,
    NonlinearGP,
    OutOfReachError,
    Problem,
    Simulation,
    SiteGate,
    Training,
    latent_correlation,
)

XI, LABELS, PRIORS = (2, 1, "1/2"), ((1, 0), ("-1/2", 2), (0, "1/3")), ("1/2", "1/3", "1/6")
MEANS = ((1, "-1/2"), (0, "1/4"), ("1/3", 2))
UP, DOWN, OTHER, OPEN = SiteGate(0, lo=0), SiteGate(0, hi=0), SiteGate(1, lo=0), AlwaysGate()
GATES = {"exclusive": (UP, DOWN), "one": (UP,), "coupled": (UP, OTHER, OPEN), "always": (OPEN, OPEN)}
RUN = Simulation("online", 100, "1/4", 2, 0, 10)
# Every kind of gate, of mean and of bias meets every other.
CASES = pytest.mark.parametrize(
    ("gates", "means", "biases"),
    [
        ("exclusive", (), "none"),
        ("coupled", MEANS, "trained"),
        ("exclusive", MEANS, "trained"),
        ("always", (), "trained"),
        ("one", MEANS, "none"),
        ("coupled", (), "none"),
    ],
)


def law(means=(), labels=LABELS, kind=NonlinearGP, **changes):
    fields = {"xi": XI, "gain": "3/2", "boundary": "open", "normaliser": "unit-variance"} | changes
    return kind(2, labels=labels, priors=PRIORS, means=means, **fields)


def question(data, gates, biases="none", readout="mean"):
    return definition.question(data, *gates, biases=biases, readout=readout, simulation=RUN)


def by_quadrature(asked):
    """A, b (P, m) and <y.y> as sums over quadrants, on which gates at threshold 0 are constant."""
    data, edges = asked.data, np.array([0.0, 0.5, 1, 2, 4, 8, 12])
    edges = np.unique([*-edges, *edges])
    line, p = definition.plane(np.eye(2), [edges, edges])
    square = p @ erf(float(data.gain) * line[0]) ** 2
    A, b, y2 = 0.0, 0.0, 0.0
    for c, (share, label) in enumerate(zip(data.probabilities, data.label_vectors, strict=True)):
        z, p = definition.plane(latent_correlation(data, c), [edges, edges])
        x = erf(float(data.gain) * z) / np.sqrt(square)
        if data.means:
            x = x + np.array(data.means[c], dtype=float)[:, None]
        y = np.tile(np.array(label, dtype=float), (len(p), 1))
        parts = definition.summed(asked.network, x, float(share) * p, y, z)
        A, b, y2 = A + parts[0], b + parts[1], y2 + float(share) * float(sum(entry**2 for entry in label))
    return A, b, y2


@CASES
def test_moments_are_those_of_the_definition(gates, means, biases):
    gates = GATES[gates]
    asked = question(law(means), gates, biases)
    moments = gated_moments(asked)
    A, b, y2 = by_quadrature(asked)
    assert moments.b.shape == b.shape
    assert np.abs(moments.A - A).max() <= QUADRANTS * np.abs(A).max()
    assert np.abs(moments.b - b).max() <= QUADRANTS * np.abs(A).max()
    assert abs(moments.y2 - y2) <= FLOW_ROUNDED
    assert moments.sigma_yx.shape == (len(gates), 2, 2)
    assert (moments.sigma_yx[:, 1].ravel() == moments.b[: 2 * len(gates), 1]).all()
    features, v = moments.features, np.cos(np.arange(len(b)) ** 2.0)
    assert np.abs(features.A.matvec(v) - A @ v).max() <= QUADRANTS * len(b) * np.abs(A).max()
    total = sum(block.embed(block.rhs) for block in features.blocks)
    assert np.abs(total - moments.b.T).max() <= FLOW_ROUNDED * np.abs(A).max()
    values = np.linalg.eigvalsh(moments.A)
    assert features.A.rank == (values > psd_slack(len(values)) * values[-1]).sum()


@pytest.mark.parametrize(("means", "biases"), [((), "none"), (MEANS, "trained")])
def test_every_output_is_a_flow_of_its_own(means, biases):
    """The columns of labels of two numbers, each solved by itself."""
    asked = question(law(means), GATES["coupled"], biases)
    both, descended = solve(asked), discrete(asked)
    mse, losses = 0.0, 0.0
    for o in (0, 1):
        data = law(means, tuple(label[o] for label in LABELS))
        parts = {"w0": [[*row[o]] for row in asked.training.w0]}
        if biases == "trained":
            parts |= {
                "hidden_bias0": [row[o] for row in asked.training.hidden_bias0],
                "output_bias0": asked.training.output_bias0[o],
            }
        alone = Problem(data, asked.network, Training("half-mse", 1, times=(0, 1, 6), **parts), RUN)
        single, steps = solve(alone), discrete(alone)
        slack = FLOW_FLOAT64 * single.condition * 4
        assert np.abs(both.weights[:, :, o] - single.weights).max() <= slack
        assert np.abs(both.fixed_point[:, o] - single.fixed_point).max() <= slack
        assert np.abs(descended.weights[:, :, o] - steps.weights).max() <= slack
        assert (both.rates == single.rates).all()
        assert (both.rank, both.condition) == (single.rank, single.condition)
        if biases == "trained":
            assert np.abs(both.hidden_biases[..., o] - single.hidden_biases).max() <= slack
            assert np.abs(both.output_bias[:, o] - single.output_bias).max() <= slack
            assert np.abs(both.fixed_output_bias[o] - single.fixed_output_bias) <= slack
        mse, losses = mse + single.mse, losses + single.losses
    assert abs(both.mse - mse) <= FLOW_FLOAT64 * both.condition
    assert np.abs(both.losses - losses).max() <= FLOW_FLOAT64 * both.condition


def test_two_inputs_of_a_process_with_means_are_refused_by_name():
    gate = DirectionGate({0: 1, 1: 1}, hi=0, on="input")
    with pytest.raises(OutOfReachError, match=r"network.gates\[1\]"):
        gated_moments(question(law(MEANS), (OPEN, gate)))
    assert gated_moments(question(law(), (OPEN, gate))).A.shape == (4, 4)
