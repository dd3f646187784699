"""The moments of Ising chains and grids against the enumeration of all configurations, ranks and refusals."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np
import pytest
from mpmath import mp, mpf

from tests.oracles import spins
from tests.tolerances_of_laws import SPIN_DIGITS, SPIN_FLOW, SPIN_MEANS
from theory.flow import solve
from theory.moments import feature_moments, gated_moments, gated_moments_certified
from theory.moments.arithmetic import certified
from theory.moments.constant_gates import constant_gates
from theory.moments.feature_moments import second_moments
from theory.moments.inputs import input_statistics
from theory.moments.ising_2d import GridMoments
from theory.problem import (
    AlwaysGate,
    DirectionGate,
    InputError,
    Network,
    NormalInitialisation,
    OutOfReachError,
    Problem,
    SiteGate,
    Training,
)
from theory.problem.distributions.ising import Ising
from theory.problem.distributions.ising_2d import Ising2D

COUPLINGS = [("3/5", "3/10"), ("-2/5", "-1/5"), (0, 1), (5, 1), (-7, 0), ("1/2", 0)]
SHAPES = [(2, 2), (2, 3), (3, 2), (3, 3), (4, 2)]
UP, DOWN, FREE = SiteGate(1, lo=0, on="input"), SiteGate(1, hi=0, on="input"), AlwaysGate()


def at(site, lo=0, **more):
    return SiteGate(site, lo=lo, on="input", **more)


def compared(law, c, x, p):
    """The largest difference of any statistic of class c from its enumeration."""
    found, off = input_statistics(law, c), x - p @ x
    tuples = np.array(list(combinations_with_replacement(range(law.n), 4))).T
    i, j, k, l = tuples[:, :: max(1, tuples.shape[1] // 60)]
    pairs = [
        (found.mean, p @ x),
        (found.covariance, (off * p[:, None]).T @ off),
        (found.third(i, j, k), p @ (off[:, i] * off[:, j] * off[:, k])),
        (found.fourth(i, j, k, l), p @ (off[:, i] * off[:, j] * off[:, k] * off[:, l])),
        (np.array(found.marginal(0).probabilities), [p[x[:, 0] == -1].sum(), p[x[:, 0] == 1].sum()]),
    ]
    return max(np.abs(own - exact).max() for own, exact in pairs)


@pytest.mark.parametrize(("beta", "h"), COUPLINGS)
@pytest.mark.parametrize("boundary", ["open", "ring"])
@pytest.mark.parametrize("n", [2, 3, 6])
def test_statistics_of_a_chain_are_the_enumerated_ones(n, boundary, beta, h):
    law = Ising(n, boundary, (1, 0), beta=(beta, 0), h=(h, 0))
    assert compared(law, 0, *spins.chain(n, boundary, float(Fraction(beta)), float(Fraction(h)))) <= SPIN_MEANS


@pytest.mark.parametrize("h", [0, "3/10"])
@pytest.mark.parametrize("couplings", [("1/2", "1/5"), ("-3/10", "-3/10"), ("4/5", "-1/2")])
@pytest.mark.parametrize("boundary", ["open", "torus"])
@pytest.mark.parametrize("shape", SHAPES)
def test_statistics_of_a_grid_are_the_enumerated_ones(shape, boundary, couplings, h):
    law = Ising2D(shape, boundary, (1, 0), couplings=(couplings, 0), h=(h, 0))
    x, p = spins.grid(shape, boundary, [float(Fraction(b)) for b in couplings], float(Fraction(h)))
    assert compared(law, 0, x, p) <= SPIN_MEANS
    moments = GridMoments(law, 0)
    for sites in ((), (1,), (0, law.n - 1), (2, 2)):
        product = p * x[:, list(sites)].prod(axis=1)
        assert np.abs(moments.second(sites) - (x * product[:, None]).T @ x).max() <= SPIN_MEANS
        assert np.abs(moments.first(sites) - product @ x).max() <= SPIN_MEANS


def test_another_law_is_not_within_the_tolerance():
    x, p = spins.chain(5, "ring", 0.5, 0.0)
    assert compared(Ising(5, "open", (1, 0), beta=("1/2", 0)), 0, x, p) > SPIN_MEANS
    x, p = spins.grid((2, 3), "open", (0.5, 0.2), 0.0)
    assert compared(Ising2D((2, 3), "open", (1, 0), couplings=(("1/5", "1/2"), 0)), 0, x, p) > SPIN_MEANS


@pytest.mark.parametrize("beta", [Fraction(-20), Fraction(-5), Fraction(1, 10**6), Fraction(20)])
@pytest.mark.parametrize("n", [3, 40, 41])
def test_correlations_of_a_ring_keep_their_digits(n, beta):
    """Relative to (r^d + r^(n-d))/(1 + r^n) at 60 digits, also where both sums cancel: r < 0 and odd n."""
    law = Ising(n, "ring", (1, 0), beta=(beta, 0))
    covariance = input_statistics(law, 0).covariance
    with mp.workdps(60):
        r = mp.tanh(mpf(beta.numerator) / beta.denominator)
        for distance in range(n):
            exact = (r**distance + r ** (n - distance)) / (1 + r**n)
            assert abs(mpf(float(covariance[0, distance])) / exact - 1) <= SPIN_DIGITS


def problem(law, *gates, biases="none"):
    starts = {"hidden_bias0": (0,) * len(gates), "output_bias0": 0} if biases == "trained" else {}
    training = Training("half-mse", 1, NormalInitialisation("1/10", 3), (0, 1, 5), **starts)
    return Problem(law, Network("gated-linear", "mean", len(gates), gates, biases=biases), training)


def enumerated(law, network, classes):
    """A and b as sums over the configurations of every class."""
    A, b = 0.0, 0.0
    for share, label, (x, p) in zip(law.probabilities, law.labels, classes, strict=True):
        opened = [
            np.ones(len(x))
            if isinstance(g, AlwaysGate)
            else (x[:, g.site] >= float(g.lo)) & (x[:, g.site] < float(g.hi))
            for g in network.gates
        ]
        g = np.array(opened, dtype=float).T
        features = (g[:, :, None] * x[:, None, :]).reshape(len(x), -1)
        if network.has_biases:
            features = np.concatenate([features, g, np.full((len(x), 1), float(1 / network.scale))], axis=1)
        weighed = features * (p * float(share))[:, None]
        A, b = A + weighed.T @ features, b + float(label) * weighed.sum(axis=0)
    return A, b


CHAIN = Ising(5, "open", (1, 0, "1/2"), beta=("3/5", "-2/5", 0), h=("3/10", 0, "-1/5"), priors=("1/2", "1/4", "1/4"))
GRID = Ising2D((2, 3), "torus", (1, 0, -1), couplings=(("1/2", "1/5"), "1/10", 0), h=(0, "1/5", 0))


def classes_of(law):
    for c in range(law.classes):
        if isinstance(law, Ising):
            yield spins.chain(law.n, law.boundary, float(law.beta[c]), float(law.h[c]))
        else:
            yield spins.grid(law.shape, law.boundary, [float(b) for b in law.couplings[c]], float(law.h[c]))


GATES = {
    "halves": (UP, DOWN),
    "twice": (UP, UP),
    "one beside": (UP, at(3)),
    "dependent": (at(0), at(1), at(2), at(3), at(4)),
    "free": (UP, DOWN, FREE),
    "pairs": (at(0), SiteGate(0, hi=0, on="input"), UP, DOWN),
    "thresholds": (at(2, lo="1/2"), at(3, lo=-3), at(4, lo=2)),
    "balanced": (at(0), SiteGate(1, hi=0, on="input"), at(2), at(3), SiteGate(4, hi=0, on="input"), at(4)),
}


@pytest.mark.parametrize("biases", ["none", "trained"])
@pytest.mark.parametrize("gates", GATES.values(), ids=GATES)
@pytest.mark.parametrize("law", [CHAIN, replace(CHAIN, boundary="ring"), GRID], ids=["open", "ring", "grid"])
def test_gated_moments_and_ranks_are_the_enumerated_ones(law, gates, biases):
    asked = problem(law, *gates, biases=biases)
    A, b = enumerated(law, asked.network, list(classes_of(law)))
    found = feature_moments(law, asked.network)
    assert np.abs(found.A.dense() - A).max() <= len(gates) ** 2 * SPIN_MEANS
    assert np.abs(found.b - b).max() <= len(gates) ** 2 * SPIN_MEANS
    # The blocks carry all of A: nothing of it lies outside of the range that was counted.
    assert np.abs(found.A.matvec(np.eye(len(A))) - A).max() <= len(gates) ** 2 * len(A) * SPIN_MEANS
    values = np.linalg.eigvalsh(A)
    rank = found.A.rank
    assert rank == len(A) or values[-rank - 1] <= len(A) * SPIN_MEANS
    assert values[-rank] > 100 * len(A) * SPIN_MEANS


@pytest.mark.parametrize("gates", [GATES["halves"], GATES["dependent"], GATES["pairs"]])
def test_certified_digits_agree_with_float64(gates):
    asked = problem(replace(CHAIN, beta=(), xi=(2, 1, "1/2")), *gates)
    plain, certified = solve(asked), solve(asked, digits=25)
    assert np.abs(np.array(certified.weights, dtype=float) - plain.weights).max() <= SPIN_FLOW
    balls = gated_moments_certified(asked, 25)
    assert np.abs(balls.A.astype(float) - gated_moments(asked).A).max() <= SPIN_MEANS


def test_a_long_chain_is_solved():
    """At 200 sites and a length of 50: <x_i x_j> = exp(-|i - j|/50) on the open line, and two decoupled halves."""
    law = Ising(200, "open", (1, -1), xi=(50, 1))
    found = feature_moments(law, problem(law, UP, DOWN).network)
    site = np.arange(200)
    exact = np.exp(-np.abs(site[:, None] - site) / 50)
    assert np.abs(gated_moments(problem(law, UP, DOWN)).covariances[0] - exact).max() <= SPIN_MEANS
    assert (found.structure.rank, found.structure.rows, len(found.blocks)) == (400, 200, 2)


@pytest.mark.parametrize(
    ("law", "gate", "message"),
    [
        (CHAIN, DirectionGate({0: 1, 1: 1}, lo=0, on="input"), 'a gate of kind "direction" has no exact moments here'),
        (CHAIN, SiteGate(0, lo=0, on="input", sharpness=2), "a soft gate, of sharpness 2"),
        (CHAIN, SiteGate(0, lo=0, on="latent"), "on the latent, which spins do not have"),
        (replace(CHAIN, means=(1, 0, 0)), UP, "of classes without means"),
        (Ising(1500, "ring", (1, 0), beta=(1, 0)), UP, r"A has K n = 3000 rows"),
        (
            Ising2D((18, 18), "open", (1, 0), couplings=(1, 0)),
            UP,
            r"take a vector over the states of a row of 18 spins",
        ),
        (
            Ising2D((9, 12), "torus", (1, 0), couplings=(1, 0)),
            UP,
            r"states of two rows of 9 spins for each site: 0\.226 GB",
        ),
        (Ising2D((8, 8), "open", (1, 0), couplings=(20, 0), h=(18, 0)), UP, r"range over exp\(928\)"),
    ],
)
def test_what_is_out_of_reach_is_named(law, gate, message):
    with pytest.raises(OutOfReachError, match=message) as caught:
        feature_moments(law, Network("gated-linear", "mean", 2, (gate, FREE))).A.dense()
    assert caught.value.hint


def test_a_grid_has_no_certified_digits():
    with pytest.raises(OutOfReachError, match="moments in float64 and no certified digits"):
        solve(problem(GRID, UP, DOWN), digits=20)


def test_gates_that_never_change_are_named():
    gates = (at(0, lo=-1), at(0, lo=2), UP)
    assert constant_gates(CHAIN, Network("gated-linear", "mean", 3, gates)) == {0: True, 1: False}
    notes = feature_moments(CHAIN, Network("gated-linear", "mean", 3, gates)).structure.notes
    assert notes[0] == "unit 0: its gate at site 0 is always open, as x is -1 or 1."
    assert notes[1].startswith("unit 1: its gate at site 0 is never open")
    with pytest.raises(InputError, match="No gate of this network ever opens on spins"):
        _ = feature_moments(CHAIN, Network("gated-linear", "mean", 1, (at(0, lo=2),))).structure


@pytest.mark.parametrize(
    "law",
    [
        Ising(5, "open", (1, 0), beta=(1, 0), h=("1/2", 1)),
        Ising2D((2, 3), "open", (1, 0), couplings=("1/2", 0), h=("1/2", 1)),
    ],
    ids=["chain", "grid"],
)
def test_ends_of_an_open_line_have_their_own_kurtosis(law):
    """Of a spin with the mean m it is (1 + 3 m^2)/(1 - m^2) - 3; spins at the ends have fewer neighbours."""
    found = input_statistics(law, 0)
    m = found.mean
    assert abs(m[0] - m[1]) > 1 / 100
    assert np.abs(found.kurtosis - ((1 + 3 * m**2) / (1 - m**2) - 3)).max() <= SPIN_MEANS / (1 - m**2).min() ** 2


def test_second_moments_of_a_grid_have_no_certified_digits():
    with pytest.raises(OutOfReachError, match="no certified digits"):
        second_moments(Ising2D((2, 3), "open", (1, 0), couplings=("1/2", 0)), certified())
