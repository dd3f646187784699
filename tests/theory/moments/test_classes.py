"""Any number of classes, priors, means and vector labels: moments and flows against sums over a fine quadrature."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import erf

from tests.tolerances import FLOW_FLOAT64, FLOW_ROUNDED, QUADRANTS, psd_slack
from theory.flow import discrete, gradient_descent, mse_at, solve
from theory.flow.linear.parameters import Parameters, initial
from theory.moments import gated_moments
from theory.moments.arithmetic import FLOAT64
from theory.moments.statistics import class_statistics
from theory.problem import (
    AlwaysGate,
    DirectionGate,
    GaussianClone,
    Network,
    NonlinearGP,
    OutOfReachError,
    Problem,
    Simulation,
    SinglePulse,
    SiteGate,
    Training,
    latent_correlation,
)

XI, LABELS, PRIORS = (2, 1, "1/2"), ((1, 0), ("-1/2", 2), (0, "1/3")), ("1/2", "1/3", "1/6")
MEANS = ((1, "-1/2"), (0, "1/4"), ("1/3", 2))
UP, DOWN, OTHER, OPEN = SiteGate(0, lo=0), SiteGate(0, hi=0), SiteGate(1, lo=0), AlwaysGate()
GATES = {"exclusive": (UP, DOWN), "one": (UP,), "coupled": (UP, OTHER, OPEN), "always": (OPEN, OPEN)}
EVERY_GATE = pytest.mark.parametrize("gates", GATES.values(), ids=GATES)
EVERY_MEAN = pytest.mark.parametrize("means", [(), MEANS], ids=["centred", "means"])
RUN = Simulation("online", 100, "1/4", 2, 0, 10)


def law(means=(), labels=LABELS, kind=NonlinearGP, **changes):
    fields = {"xi": XI, "gain": "3/2", "boundary": "open", "normaliser": "unit-variance"} | changes
    return kind(2, labels=labels, priors=PRIORS, means=means, **fields)


def question(data, gates, biases="none", readout="mean"):
    K, m, n = len(gates), data.outputs, data.n
    entry = itertools.count()
    rows = [[[Fraction(next(entry) * 5 % 7 - 3, 8) for _ in range(n)] for _ in range(m)] for _ in range(K)]
    starts = ()
    if biases == "trained":
        hidden = [[Fraction(k - o, 4) for o in range(m)] for k in range(K)]
        starts = (hidden, [Fraction(1, 2 + o) for o in range(m)]) if m > 1 else ([row[0] for row in hidden], "1/2")
    w0 = rows if m > 1 else [row[0] for row in rows]
    network = Network("gated-linear", readout, K, gates, biases)
    return Problem(data, network, Training("half-mse", 1, w0, (0, 1, 6), *starts), RUN)


def quadrature(data):
    """Nodes z in all four quadrants and their volumes: composite Gauss-Legendre on [0, 12] along each axis.

    A gate at threshold 0 is constant on a quadrant, where the integrand is smooth.
    """
    unit, weight = np.polynomial.legendre.leggauss(16)
    edges = np.array([0.0, 0.25, 0.5, 1, 1.5, 2, 3, 4, 6, 9, 12])
    half = np.diff(edges)[:, None] / 2
    nodes, weights = (edges[:-1, None] + half * (1 + unit)).ravel(), (half * weight).ravel()
    nodes, weights = np.concatenate([-nodes, nodes]), np.concatenate([weights, weights])
    z = np.stack(np.meshgrid(nodes, nodes, indexing="ij")).reshape(2, -1)
    return z, np.outer(weights, weights).ravel()


def by_quadrature(asked):
    """A, b (P, m) and <y.y> by the definition of the features."""
    data, network = asked.data, asked.network
    z, volume = quadrature(data)
    opened = np.array([np.ones(z.shape[1]) if gate == OPEN else (z[gate.site] >= gate.lo) & (z[gate.site] < gate.hi)
                       for gate in network.gates], dtype=float)  # fmt: skip
    A, b = 0.0, 0.0
    for c, (share, label) in enumerate(zip(data.probabilities, data.label_vectors, strict=True)):
        R = latent_correlation(data, c)
        density = np.exp(-(z * np.linalg.solve(R, z)).sum(axis=0) / 2) / (2 * np.pi * np.sqrt(np.linalg.det(R)))
        p = float(share) * volume * density
        line, thickness = np.polynomial.legendre.leggauss(200)
        s = 12 * line
        square = (12 * thickness * np.exp(-(s**2) / 2) / np.sqrt(2 * np.pi) * erf(float(data.gain) * s) ** 2).sum()
        x = erf(float(data.gain) * z) / np.sqrt(square if data.normaliser == "unit-variance" else 1.0)
        if data.means:
            x = x + np.array([float(m) for m in data.means[c]])[:, None]
        phi = (opened[:, None] * x).reshape(-1, z.shape[1])
        if network.has_biases:
            phi = np.concatenate([phi, opened, np.full((1, z.shape[1]), 1 / float(network.scale))])
        A = A + (phi * p) @ phi.T
        b = b + np.outer((phi * p).sum(axis=1), np.array([float(y) for y in label]))
    y2 = sum(float(p) * float(y) ** 2 for p, ys in zip(data.probabilities, data.label_vectors, strict=True) for y in ys)
    return A, b, y2


@EVERY_GATE
@EVERY_MEAN
@pytest.mark.parametrize("biases", ["none", "trained"])
def test_moments_are_those_of_the_definition(gates, means, biases):
    asked = question(law(means), gates, biases)
    moments = gated_moments(asked)
    A, b, y2 = by_quadrature(asked)
    assert moments.b.shape == b.shape
    assert np.abs(moments.A - A).max() <= QUADRANTS * np.abs(A).max()
    assert np.abs(moments.b - b).max() <= QUADRANTS * np.abs(A).max()
    assert abs(moments.y2 - y2) <= FLOW_ROUNDED
    assert moments.sigma_yx.shape == (len(gates), 2, 2)
    assert (moments.sigma_yx[:, 1].ravel() == moments.b[: 2 * len(gates), 1]).all()


@EVERY_GATE
@EVERY_MEAN
@pytest.mark.parametrize("biases", ["none", "trained"])
def test_blocks_and_rank_are_those_of_the_dense_matrix(gates, means, biases):
    """Parity decouples where the classes have no means, and only there."""
    asked = question(law(means), gates, biases)
    features = gated_moments(asked).features
    A, v = features.A.dense(), np.cos(np.arange(len(features.b)) ** 2.0)
    largest = np.abs(A).max()
    assert np.abs(features.A.matvec(v) - A @ v).max() <= FLOW_ROUNDED * largest
    total = sum(block.embed(block.rhs) for block in features.blocks)
    assert np.abs(total - features.b.T).max() <= FLOW_ROUNDED * largest
    values = np.linalg.eigvalsh(A)
    assert features.A.rank == (values > psd_slack(len(values)) * values[-1]).sum()
    if gates == GATES["exclusive"]:
        assert sum(len(block.scales) for block in features.blocks) == (1 if means else 2)


def test_means_need_no_parity_to_have_parity():
    """Means of zero are no means: the blocks decouple as before."""
    zeros = law(((0, 0),) * 3)
    assert zeros == law()
    assert (
        gated_moments(question(zeros, GATES["exclusive"])).features.structure.notes[-1].startswith("A decouples into 2")
    )
    notes = gated_moments(question(law(MEANS), GATES["exclusive"])).features.structure.notes
    assert notes[-1] == "A decouples into 1 block; kernels of at most 4 rows."


@EVERY_MEAN
@pytest.mark.parametrize("biases", ["none", "trained"])
def test_every_output_is_a_flow_of_its_own(means, biases):
    """The columns of labels of two numbers, each solved by itself."""
    asked = question(law(means), GATES["coupled"], biases)
    found, descended = solve(asked), discrete(asked)
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
        assert np.abs(found.weights[:, :, o] - single.weights).max() <= slack
        assert np.abs(found.fixed_point[:, o] - single.fixed_point).max() <= slack
        assert np.abs(descended.weights[:, :, o] - steps.weights).max() <= slack
        assert (found.rates == single.rates).all()
        assert (found.rank, found.condition) == (single.rank, single.condition)
        if biases == "trained":
            assert np.abs(found.hidden_biases[..., o] - single.hidden_biases).max() <= slack
            assert np.abs(found.output_bias[:, o] - single.output_bias).max() <= slack
            assert np.abs(found.fixed_output_bias[o] - single.fixed_output_bias) <= slack
        mse, losses = mse + single.mse, losses + single.losses
    assert abs(found.mse - mse) <= FLOW_FLOAT64 * found.condition
    assert np.abs(found.losses - losses).max() <= FLOW_FLOAT64 * found.condition


@EVERY_MEAN
def test_losses_of_two_outputs_are_those_of_the_parameters(means):
    asked = question(law(means), GATES["exclusive"], "trained")
    found, moments = solve(asked), gated_moments(asked)
    biases = np.concatenate([found.hidden_biases, found.output_bias[:, None]], axis=1)
    losses = mse_at(moments, found.weights, 1 / 2, biases)
    assert np.abs(losses - found.losses).max() <= FLOW_FLOAT64 * found.condition
    A, b, s = moments.A, moments.b, 1 / 2
    theta = Parameters(found.weights, biases, 2).theta
    by_hand = moments.y2 + sum(
        s * s * theta[:, o] @ A @ theta[:, o].T - 2 * s * theta[:, o] @ b[:, [o]] for o in (0, 1)
    )
    assert np.abs(np.diagonal(by_hand) - found.losses).max() <= FLOW_FLOAT64 * found.condition


@EVERY_MEAN
@pytest.mark.parametrize("biases", ["none", "trained"])
def test_digits_of_two_outputs_agree_with_float64(means, biases):
    asked = question(law(means), GATES["exclusive"], biases)
    close, certified = solve(asked), solve(asked, 20)
    slack = FLOW_FLOAT64 * close.condition * 4
    for name in ("weights", "fixed_point", "losses", "rates"):
        found = getattr(certified, name)
        assert found.shape == getattr(close, name).shape
        assert np.abs(found.astype(float) - getattr(close, name)).max() <= slack, name
    assert (certified.weights[0].astype(float) == asked.start()["w"]).all()


def test_discrete_steps_of_means_are_the_dense_ones():
    asked = question(law(MEANS, (1, 0, "1/3")), GATES["coupled"])
    moments = gated_moments(asked)
    dense = gradient_descent(moments.A, moments.b, asked.start()["w"], 0.25, 1 / 3, 1.0, [0, 4, 24])
    assert np.abs(discrete(asked).weights - dense).max() <= FLOW_ROUNDED * 10
    assert (discrete(asked).theta[0] == initial(asked)).all()


def test_equal_priors_are_no_priors_and_classes_may_be_merged():
    """Two classes with the same law and label are one of both probabilities."""
    two = NonlinearGP(2, (2, 1), 1, "open", "none", (1, 0), priors=("2/3", "1/3"))
    three = NonlinearGP(2, (2, 2, 1), 1, "open", "none", (1, 1, 0))
    one, other = (gated_moments(question(data, GATES["coupled"])) for data in (two, three))
    assert np.abs(one.A - other.A).max() <= FLOW_ROUNDED
    assert np.abs(one.b - other.b).max() <= FLOW_ROUNDED
    assert one.y2 == other.y2
    assert (one.covariances == other.covariances[1:]).all()


def test_the_clone_has_the_means_and_covariances_of_the_process():
    """Without gates first and second moments are all that matters; x = sqrt(C_kk) u has signs of its own."""
    clone, process = (
        question(law(MEANS, kind=kind), GATES["always"], "trained") for kind in (GaussianClone, NonlinearGP)
    )
    one, other = gated_moments(clone), gated_moments(process)
    assert np.abs(one.A - other.A).max() <= FLOW_ROUNDED
    assert np.abs(one.b - other.b).max() <= FLOW_ROUNDED
    assert np.abs(one.covariances - other.covariances).max() <= FLOW_ROUNDED
    m = np.array([[float(entry) for entry in row] for row in clone.data.means])
    centred = [class_statistics(clone.data, c, FLOAT64).covariance(np.array([[0, 1], [1, 0]])) for c in range(3)]
    assert np.abs(one.covariances - (np.stack(centred) + m[:, :, None] * m[:, None])).max() <= FLOW_ROUNDED


def test_two_inputs_of_a_process_with_means_are_refused_by_name():
    gate = DirectionGate({0: 1, 1: 1}, hi=0, on="input")
    with pytest.raises(OutOfReachError, match=r"network.gates\[1\]: the gate on the input .* without class means"):
        gated_moments(question(law(MEANS), (OPEN, gate)))
    assert gated_moments(question(law(), (OPEN, gate))).A.shape == (4, 4)


def test_pulses_with_priors_and_means_are_taken_one_by_one():
    """Against the same law in closed form, moved by the mean: E[(u + m)(u + m)^T] without gates."""
    widths, priors = ((1, 1), (2, 3), (4, 4)), ("1/2", "1/3", "1/6")
    plain = SinglePulse(5, widths, "zero-one", "none", (1, 0, 2), priors=priors)
    moved = SinglePulse(5, widths, "zero-one", "none", (1, 0, 2), priors=priors, means=(1, "1/2", 0))
    A, B = (gated_moments(question(data, (OPEN,))).A for data in (plain, moved))
    u, m = [Fraction(1, 5), Fraction(1, 2), Fraction(4, 5)], [Fraction(1), Fraction(1, 2), Fraction(0)]
    shift = sum(p * (2 * v * w + w * w) for p, v, w in zip(plain.probabilities, u, m, strict=True))
    assert np.abs(B - A - float(shift)).max() <= FLOW_ROUNDED
