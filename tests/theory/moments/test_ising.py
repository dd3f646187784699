"""The moments of Ising chains and grids against the enumeration of all configurations, ranks and refusals."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from mpmath import mp, mpf

from tests.oracles import spins
from tests.theory.moments.definition import largest_difference, question, summed
from tests.tolerances_of_laws import SPIN_DIGITS, SPIN_FLOW, SPIN_MEANS
from theory.flow import solve
from theory.moments import feature_moments, gated_moments, gated_moments_certified
from theory.moments.constant_gates import constant_gates
from theory.moments.inputs import input_statistics
from theory.moments.ising_2d import GridMoments
from theory.problem import (
    AlwaysGate,
    DirectionGate,
    InputError,
    Network,
    OutOfReachError,
    SiteGate,
)
from theory.problem.distributions.ising import Ising
from theory.problem.distributions.ising_2d import Ising2D

COUPLINGS = [("3/5", "3/10"), (0, 1), (-7, 0)]
UP, DOWN, FREE = SiteGate(1, lo=0, on="input"), SiteGate(1, hi=0, on="input"), AlwaysGate()


def at(site, lo=0, **more):
    return SiteGate(site, lo=lo, on="input", **more)


def compared(law, c, x, p):
    """The largest difference of any statistic of class c from its enumeration."""
    statistics = input_statistics(law, c)
    tuples = np.array(list(combinations_with_replacement(range(law.n), 4))).T
    shares = np.array([p[x[:, 0] == -1].sum(), p[x[:, 0] == 1].sum()])
    apart = np.abs(np.array(statistics.marginal(0).probabilities, float) - shares).max()
    return max(apart, largest_difference(statistics, x, p, tuples[:, :: max(1, tuples.shape[1] // 60)]))


def test_statistics_of_a_chain_are_the_enumerated_ones():
    far = []
    for n, boundary, (beta, h) in product((2, 3, 6), ("open", "ring"), COUPLINGS):
        law = Ising(n, boundary, (1, 0), beta=(beta, 0), h=(h, 0))
        x, p = spins.chain(n, boundary, float(Fraction(beta)), float(Fraction(h)))
        far += [(n, boundary, beta, h)] if compared(law, 0, x, p) > SPIN_MEANS else []
    assert far == []


@pytest.mark.parametrize(
    ("shape", "boundary", "couplings", "h"),
    [
        ((2, 3), "torus", ("1/2", "1/5"), "3/10"),
        ((3, 2), "open", ("4/5", "-1/2"), 0),
        ((2, 2), "torus", ("4/5", "-1/2"), 0),
    ],
)
def test_statistics_of_a_grid_are_the_enumerated_ones(shape, boundary, couplings, h):
    law = Ising2D(shape, boundary, (1, 0), couplings=(couplings, 0), h=(h, 0))
    x, p = spins.grid(shape, boundary, [float(Fraction(b)) for b in couplings], float(Fraction(h)))
    assert compared(law, 0, x, p) <= SPIN_MEANS
    moments = GridMoments(law, 0)
    for sites in ((), (1,), (0, law.n - 1), (2, 2)):
        weights = p * x[:, list(sites)].prod(axis=1)
        assert np.abs(moments.second(sites) - (x * weights[:, None]).T @ x).max() <= SPIN_MEANS
        assert np.abs(moments.first(sites) - weights @ x).max() <= SPIN_MEANS


@pytest.mark.parametrize(("beta", "n"), [(Fraction(-20), 3), (Fraction(1, 10**6), 40), (Fraction(-5), 41)])
def test_correlations_of_a_ring_keep_their_digits(n, beta):
    """Relative to (r^d + r^(n-d))/(1 + r^n) at 60 digits, also where both sums cancel: r < 0 and odd n."""
    law = Ising(n, "ring", (1, 0), beta=(beta, 0))
    covariance = input_statistics(law, 0).covariance
    with mp.workdps(60):
        r = mp.tanh(mpf(beta.numerator) / beta.denominator)
        for distance in range(n):
            exact = (r**distance + r ** (n - distance)) / (1 + r**n)
            assert abs(mpf(float(covariance[0, distance])) / exact - 1) <= SPIN_DIGITS


def enumerated(law, network):
    """A and b as sums over the configurations of every class."""
    A, b = 0.0, 0.0
    for share, label, (x, p) in zip(law.probabilities, law.labels, classes_of(law), strict=True):
        parts = summed(network, x.T.astype(float), p * float(share), np.full(len(p), float(label)))
        A, b = A + parts[0], b + parts[1]
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
    "dependent": (at(0), at(1), at(2), at(3), at(4)),
    "free": (UP, DOWN, FREE),
    "thresholds": (at(2, lo="1/2"), at(3, lo=-3), at(4, lo=2)),
    "balanced": (at(0), SiteGate(1, hi=0, on="input"), at(2), at(3), SiteGate(4, hi=0, on="input"), at(4)),
}
LAWS = {"open": CHAIN, "ring": replace(CHAIN, boundary="ring"), "grid": GRID}


@pytest.mark.parametrize(("name", "biases"), [("open", "none"), ("ring", "trained"), ("grid", "trained")])
def test_gated_moments_and_ranks_are_the_enumerated_ones(name, biases):
    for gates in GATES.values():
        asked = question(LAWS[name], *gates, biases=biases)
        A, b = enumerated(LAWS[name], asked.network)
        moments = feature_moments(LAWS[name], asked.network)
        close = len(gates) ** 2 * SPIN_MEANS
        assert np.abs(moments.A.dense() - A).max() <= close
        assert np.abs(moments.b - b).max() <= close
        # The blocks carry all of A: nothing of it lies outside of the range that was counted.
        assert np.abs(moments.A.matvec(np.eye(len(A))) - A).max() <= len(A) * close
        values, rank = np.linalg.eigvalsh(A), moments.A.rank
        assert rank == len(A) or values[-rank - 1] <= len(A) * SPIN_MEANS
        assert values[-rank] > 100 * len(A) * SPIN_MEANS


@pytest.mark.parametrize("gates", [GATES["halves"], GATES["dependent"]])
def test_certified_digits_agree_with_float64(gates):
    asked = question(replace(CHAIN, beta=(), xi=(2, 1, "1/2")), *gates)
    plain, certified = solve(asked), solve(asked, digits=25)
    assert np.abs(np.array(certified.weights, dtype=float) - plain.weights).max() <= SPIN_FLOW
    balls = gated_moments_certified(asked, 25)
    assert np.abs(balls.A.astype(float) - gated_moments(asked).A).max() <= SPIN_MEANS


REFUSED = [
    (CHAIN, DirectionGate({0: 1, 1: 1}, lo=0, on="input"), '"direction" has no exact moments'),
    (CHAIN, SiteGate(0, lo=0, on="input", sharpness=2), "a soft gate"),
    (CHAIN, SiteGate(0, lo=0, on="latent"), "on the latent"),
    (replace(CHAIN, means=(1, 0, 0)), UP, "without means"),
    (Ising(1500, "ring", (1, 0), beta=(1, 0)), UP, "3000 rows"),
    (Ising2D((18, 18), "open", (1, 0), couplings=(1, 0)), UP, "a row of 18 spins"),
    (Ising2D((9, 12), "torus", (1, 0), couplings=(1, 0)), UP, "two rows of 9 spins"),
    (Ising2D((8, 8), "open", (1, 0), couplings=(20, 0), h=(18, 0)), UP, "range over exp"),
]


def test_what_is_out_of_reach_is_named():
    for law, gate, message in REFUSED:
        with pytest.raises(OutOfReachError, match=message):
            feature_moments(law, Network("gated-linear", "mean", 2, (gate, FREE))).A.dense()


def test_a_grid_has_no_certified_digits():
    with pytest.raises(OutOfReachError, match="moments in float64 and no certified digits"):
        solve(question(GRID, UP, DOWN), digits=20)


def test_gates_that_never_change_are_named():
    gates = (at(0, lo=-1), at(0, lo=2), UP)
    assert constant_gates(CHAIN, Network("gated-linear", "mean", 3, gates)) == {0: True, 1: False}
    with pytest.raises(InputError, match="No gate of this network ever opens on spins"):
        _ = feature_moments(CHAIN, Network("gated-linear", "mean", 1, (at(0, lo=2),))).structure
