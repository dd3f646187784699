"""Gates at any threshold: slabs, tilings and tails against their defining integrals in the plane of two sites."""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from math import inf

import numpy as np
import pytest
from scipy.special import erf, erfc, erfinv

from tests.theory.moments import definition
from tests.tolerances import (
    FLOW_ROUNDED,
    MOMENT_FOUR_FACTORS,
    THIN_SLAB,
    THRESHOLD_PLANE,
    psd_slack,
)
from theory.flow import solve
from theory.moments import gated_moments, gated_moments_certified
from theory.problem import (
    AlwaysGate,
    DirectionGate,
    GaussianClone,
    NonlinearGP,
    OutOfReachError,
    RepeatedGate,
    SiteGate,
    latent_correlation,
)

LAWS = [NonlinearGP, GaussianClone]
EVERY_LAW = pytest.mark.parametrize("kind", LAWS, ids=lambda kind: kind.law)
MEANS = ((1, "-1/2"), ("1/4", "3/4"))
OPEN = AlwaysGate()


def question(kind, gates, n=2, means=(), biases="none", gain="1", xi=("3/2", 1), simulation=None):
    """A problem whose gates look at the latent of a law that has one, unless they say "input"."""
    law = kind(n, xi, gain, "open", "unit-variance", (1, "-1/3"), priors=("1/4", "3/4"), means=means)
    looks = [replace(gate, on="input") if not law.latent and hasattr(gate, "on") else gate for gate in gates]
    return definition.question(law, *looks, biases=biases, times=(1, 4), simulation=simulation)


def in_the_plane(asked, rows):
    """A and b as sums over points (s, t) = rows u that end at the gates' bounds; each gate looks along a row.

    u is the latent or, of the clone, the input without its mean.
    """
    data, rows, g = asked.data, np.array(rows, dtype=float), float(asked.data.gain)
    line = np.linspace(-13, 13, 14)
    z, p = definition.plane(np.eye(2), [line, line])
    Z = np.sqrt(p @ erf(g * z[0]) ** 2)
    A, b = 0.0, 0.0
    for c, (share, label) in enumerate(zip(data.probabilities, data.labels, strict=True)):
        m = np.array(data.means[c], dtype=float) if data.means else np.zeros(2)
        R = latent_correlation(data, c)
        if not data.latent:
            x = erf(g * np.linalg.cholesky(R) @ z)
            R = (x * p) @ x.T / Z**2
        covariance = rows @ R @ rows.T
        ends = [edges(row, np.sqrt(covariance[a, a]), asked.network, data, m, Z) for a, row in enumerate(rows)]
        st, p_st = definition.plane(covariance, ends)
        u = np.linalg.solve(rows, st)
        x = (erf(g * u) / Z if data.latent else u) + m[:, None]
        parts = definition.summed(asked.network, x, float(share) * p_st, np.full(len(p_st), float(label)), u)
        A, b = A + parts[0], b + parts[1]
    return A, b


def edges(row, spread, network, data, m, Z):
    """Ends of panels along one of the rows: some standard deviations, and where a gate along it has a bound."""
    ends = list(np.linspace(-13, 13, 14) * spread)
    for gate in network.gates:
        if gate.kind == "always" or gate.sharpness != inf:
            continue
        v = np.zeros(2)
        for site, number in gate.v if gate.kind == "direction" else ((gate.site, 1),):
            v[site] += float(number)
        scale = (v @ row) / (row @ row)
        if np.abs(v - scale * row).max() > 0:
            continue
        for bound in (float(gate.lo), float(gate.hi)):
            if np.isfinite(bound) and gate.on == "input":
                bound = bound - v @ m
                bound = erfinv(bound * Z) / float(data.gain) if data.latent else bound
            if np.isfinite(bound):
                ends.append(bound / scale)
    return np.unique(ends)


SLABS = (SiteGate(0, lo="-1/2", hi=1), SiteGate(0, lo=1), SiteGate(1, lo=0, hi="3/4"), OPEN, SiteGate(1, hi="-2/3"))
ON_INPUT = (SiteGate(0, lo="1/3", hi=1, on="input"), SiteGate(1, lo="-1/2", on="input"), SiteGate(0, hi=0, on="input"))
TAILS = (SiteGate(0, lo=8), SiteGate(0, lo=4, hi="9/2"), SiteGate(0, hi=-7), SiteGate(0, lo=-6, hi=5))
FAR = (SiteGate(0, lo=6), SiteGate(1, lo=5, hi=8), SiteGate(1, hi=-6), SiteGate(0, lo=3, hi=4), SiteGate(0, lo=0))
ALONG = (DirectionGate({0: 1, 1: -2}, lo="1/2", hi=2), DirectionGate({0: -2, 1: 4}, lo=1), SiteGate(1, hi="1/3"))
CROSSED = (DirectionGate({0: 1, 1: 2}, lo=-1, hi="3/2"), DirectionGate({0: 3, 1: -1}, lo="5/2"), OPEN)
AT_ZERO = (DirectionGate({0: 1, 1: "1/2"}, lo=0), DirectionGate({0: "-1/2", 1: 1}, hi=0), OPEN)
SOFT = (
    SiteGate(0, lo=0, sharpness=2),
    SiteGate(0, lo=-1, hi="1/2", sharpness=2),
    SiteGate(1, lo="1/2", sharpness="1/3"),
)
MIXED = (*SOFT[:2], SiteGate(0, lo="1/2"), SiteGate(1, hi=0), DirectionGate({1: -2}, lo=1, sharpness=1))
SITES = ((1, 0), (0, 1))
CASES = {
    "soft and hard": (MIXED, SITES, MEANS),
    "slabs": (SLABS, SITES, MEANS),
    "on the input": (ON_INPUT, SITES, MEANS),
    "along a direction": (ALONG, ((1, -2), (0, 1)), ()),
    "directions at 0": (AT_ZERO, ((1, 0.5), (-0.5, 1)), ()),
    "crossed directions": (CROSSED, ((1, 2), (3, -1)), MEANS),
}


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        *((NonlinearGP, name) for name in CASES if name != "soft and hard"),
        *((GaussianClone, name) for name in ("soft and hard", "slabs", "directions at 0")),
    ],
)
def test_moments_are_the_defining_integrals(kind, name):
    gates, rows, means = CASES[name]
    asked = question(kind, gates, means=means, biases="trained")
    moments = gated_moments(asked)
    A, b = in_the_plane(asked, rows)
    assert np.abs(moments.A - A).max() <= MOMENT_FOUR_FACTORS * np.abs(A).max()
    assert np.abs(moments.b - b).max() <= MOMENT_FOUR_FACTORS * np.abs(A).max()


@pytest.mark.parametrize(("kind", "gates"), [(NonlinearGP, TAILS), (NonlinearGP, FAR), (GaussianClone, FAR)])
def test_rare_events_keep_their_digits(kind, gates):
    """Relative to the features' own sizes, down to P(u >= 8) = 6e-16; across sites on the clone alone."""
    asked = question(kind, gates, biases="trained")
    moments = gated_moments(asked)
    A, b = in_the_plane(asked, SITES)
    size = np.sqrt(np.diag(A))
    wrong = np.abs(moments.A - A) / np.outer(size, size)
    if kind is NonlinearGP and gates is FAR:
        lost = moments.features.amplification
        assert np.abs(moments.A - A).max() <= MOMENT_FOUR_FACTORS * lost * np.abs(A[:10, :10]).max()
        sites = np.repeat([gate.site for gate in gates], 2)
        wrong = wrong[:10, :10][sites[:, None] == sites]
    assert wrong.max() <= THRESHOLD_PLANE
    assert (np.abs(moments.b - b) / size).max() <= THRESHOLD_PLANE


EDGES = (-inf, -2, Fraction(-1, 2), 0, Fraction(3, 4), inf)
TILING = tuple(SiteGate(1, lo, hi) for lo, hi in pairwise(EDGES))


@EVERY_LAW
@pytest.mark.parametrize("means", [(), MEANS], ids=["centred", "means"])
def test_a_tiling_divides_the_moments(kind, means):
    """The slabs exclude each other and add up to the unit that is always open: one exact dependence."""
    moments = gated_moments(question(kind, (*TILING, OPEN), means=means))
    blocks, count = moments.sigma_xx, len(TILING)
    assert all((blocks[k, l] == 0).all() for k in range(count) for l in range(count) if k != l)
    whole = blocks[count, count]
    assert np.abs(sum(blocks[k, k] for k in range(count)) - whole).max() <= FLOW_ROUNDED
    assert np.abs(sum(moments.sigma_yx[:count]) - moments.sigma_yx[count]).max() <= FLOW_ROUNDED
    assert moments.features.A.rank == 2 * count
    alone = gated_moments(question(kind, TILING, means=means)).features
    assert len(alone.blocks) == count == len([block for block in alone.blocks if block.kernel.rows == 2])


@pytest.mark.parametrize(
    ("kind", "gates"),
    [
        (NonlinearGP, (SiteGate(0, lo=1), RepeatedGate(0), SiteGate(0, lo=1, hi=2))),
        (GaussianClone, ALONG),
        (GaussianClone, (*TILING, OPEN)),
    ],
)
def test_blocks_and_rank_are_those_of_the_dense_matrix(kind, gates):
    features = gated_moments(question(kind, gates, biases="trained", n=3)).features
    dense = features.A.dense()
    values = np.linalg.eigvalsh(dense)
    assert values[0] >= -psd_slack(len(dense)) * values[-1]
    assert features.A.rank == int((values > psd_slack(len(dense)) * values[-1]).sum())
    theta = np.sin(np.arange(1.0, len(dense) + 1))
    assert np.abs(features.A.matvec(theta) - dense @ theta).max() <= FLOW_ROUNDED * values[-1] * len(dense)


def test_a_thin_slab_says_what_it_lost():
    """1[1 <= u < 1 + 1e-9] is a difference of tails: float64 leaves it eight digits, and the solution is certified."""
    gates = (SiteGate(0, lo=1, hi=Fraction(10**9 + 1, 10**9)),)
    asked = question(GaussianClone, gates)
    features = gated_moments(asked).features
    width = features.overlap(*features.gates.coefficients * 2)
    density = np.exp(-1 / 2) / np.sqrt(2 * np.pi)
    assert abs(width / (density * 1e-9) - 1) <= THIN_SLAB
    assert abs(features.amplification * width / (erfc(np.sqrt(1 / 2)) / 2) - 1) <= THIN_SLAB
    assert any("certified balls" in note for note in solve(asked).notes)
    large = question(GaussianClone, (SiteGate(0, lo=1, hi=Fraction(10**18 + 1, 10**18)),), n=200)
    with pytest.raises(OutOfReachError, match="float64 leaves their moments too few digits"):
        solve(large)


@pytest.mark.parametrize(
    ("kind", "gates", "boundary"),
    [(NonlinearGP, ALONG, "open"), (GaussianClone, SOFT, "open"), (NonlinearGP, SLABS[:2], "ring")],
)
def test_float64_and_balls_agree(kind, gates, boundary):
    asked = question(kind, gates, n=3, xi=(1, "1/2"))
    asked = replace(asked, data=replace(asked.data, boundary=boundary))
    moments, balls = gated_moments(asked), gated_moments_certified(asked, 20)
    assert np.abs(moments.A - balls.A.astype(float)).max() <= MOMENT_FOUR_FACTORS * np.abs(moments.A).max()
    assert np.abs(moments.b - balls.b.astype(float)).max() <= MOMENT_FOUR_FACTORS * np.abs(moments.b).max()


ON_X = SiteGate(0, lo="1/2", on="input")
SOFT_ON_X = SiteGate(0, lo=1, on="input", sharpness=2)
REFUSED = {
    "thresholds of the latent and of the input": (NonlinearGP, (SiteGate(0, lo=1), ON_X), {}),
    "of the latent and of the input": (NonlinearGP, (SiteGate(0, lo=0), replace(ON_X, lo=0)), {"means": MEANS}),
    "x does not reach in class 0": (NonlinearGP, (replace(ON_X, lo=2),), {}),
    "38 standard deviations": (GaussianClone, (SiteGate(0, lo=38),), {}),
    "along 2 sites": (NonlinearGP, (DirectionGate({0: 1, 1: 1}, lo=1, on="input"),), {}),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_out_of_reach_is_named(what):
    kind, gates, changes = REFUSED[what]
    with pytest.raises(OutOfReachError, match=what):
        _ = gated_moments(question(kind, gates, **changes)).A


@pytest.mark.parametrize(
    ("gates", "n", "what"),
    [((SOFT_ON_X,), 2, "no certified error"), ((SiteGate(0, lo=1), SiteGate(1, lo=1)), 400, "certified integrals")],
)
def test_certified_moments_out_of_reach_are_named(gates, n, what):
    with pytest.raises(OutOfReachError, match=what):
        gated_moments_certified(question(NonlinearGP, gates, n=n), 20)
