"""Gates at thresholds on inputs x = f(gain z)/Z of every f, hard and soft, against their integrals in the plane."""

from math import inf

import numpy as np
import pytest
from scipy.special import ndtr

from tests.theory.nonlinear_cases import EVERY, function, kinks, mean_square, nodes
from tests.tolerances import MOMENT_FOUR_FACTORS
from theory.moments import gated_moments
from theory.problem import (
    DirectionGate,
    Network,
    NonlinearGP,
    Problem,
    Quantile,
    SiteGate,
    Training,
    latent_correlation,
)

REACH, STEP = 13.0, 1.0
ATOMS = Quantile(["1/2", "3/4", "9/10", 1], [0, 1, 1, 2])  # x = 1 with probability 3/20
GAP = Quantile(["1/2", "3/4", 1], ["1/2", 1, 2])  # no x between -1/2 and 1/2
CASES = {**EVERY, "atoms": ATOMS, "gap": GAP}
SMOOTH = ("erf", "cubic", "identity", "uniform")


def question(f, gates, means=(), biases="trained"):
    law = NonlinearGP(
        2, ("3/2", 1), 1, "open", "unit-variance", (1, "-1/3"), priors=("1/4", "3/4"), means=means, nonlinearity=f
    )
    start = {"hidden_bias0": (0,) * len(gates), "output_bias0": 0} if biases == "trained" else {}
    training = Training("half-mse", 1, ((0, 0),) * len(gates), (1,), **start)
    return Problem(law, Network("gated-linear", "mean", len(gates), tuple(gates), biases), training)


def opened(gate, u):
    v = u[gate.site] if gate.kind == "site" else sum(float(number) * u[site] for site, number in gate.v)
    if gate.sharpness != inf:
        beta = float(gate.sharpness)
        return ndtr(beta * (v - float(gate.lo))) - ndtr(beta * (v - float(gate.hi)))
    return ((v >= float(gate.lo)) & (v < float(gate.hi))).astype(float)


def beyond(f, t):
    """inf {z : f(z) >= t}, by bisection of f itself."""
    low, high = -REACH, REACH
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (low, middle) if function(f)(np.array(middle)) >= t else (middle, high)
    return high


def in_the_plane(asked, row=None):
    """A and b by the definition of the features: sums over panels of (z_0, z_1), or of (z_0, row . z), up to bounds."""
    data, network = asked.data, asked.network
    f, bends = data.nonlinearity, kinks(data.nonlinearity)
    Z = np.sqrt(mean_square(f))
    A, b = 0.0, 0.0
    for c, (share, (label,)) in enumerate(zip(data.probabilities, data.label_vectors, strict=True)):
        m = np.array([float(entry) for entry in data.means[c]]) if data.means else np.zeros(2)
        R = latent_correlation(data, c)
        axes = [np.concatenate([np.arange(-REACH, REACH + STEP, STEP), bends, -bends]) for _ in range(2)]
        for gate in network.gates:
            for bound in (float(gate.lo), float(gate.hi)):
                if not np.isfinite(bound) or gate.kind != "site":
                    continue
                if gate.on == "latent" and gate.sharpness == inf:
                    axes[gate.site] = np.append(axes[gate.site], bound)
                elif gate.on == "input":
                    place = beyond(f, Z * (bound - m[gate.site]))
                    axes[gate.site] = np.append(axes[gate.site], np.clip(place, -REACH, REACH))
        grids = [nodes(np.unique(axis)) for axis in axes]
        z = np.stack(np.meshgrid(*(own for own, _ in grids), indexing="ij")).reshape(2, -1)
        volume = np.outer(*(weight for _, weight in grids)).ravel()
        density = np.exp(-(z * np.linalg.solve(R, z)).sum(0) / 2) / (2 * np.pi * np.sqrt(np.linalg.det(R)))
        x = function(f)(z) / Z + m[:, None]
        values = np.stack([opened(gate, x if gate.on == "input" else z) for gate in network.gates])
        phi = (values[:, None] * x).reshape(-1, z.shape[1])
        if network.has_biases:
            phi = np.concatenate([phi, values, np.full((1, z.shape[1]), 1 / float(network.scale))])
        A = A + (phi * (float(share) * volume * density)) @ phi.T
        b = b + (phi * (float(share) * volume * density)).sum(axis=1) * float(label)
    return A, b


LATENT = (SiteGate(0, lo="1/2"), SiteGate(1, lo="-2/3", hi="3/4"), SiteGate(0, hi="-1/4"))
INPUT = (
    SiteGate(0, lo="1/3", hi=1, on="input"),
    SiteGate(1, lo="-1/2", on="input"),
    SiteGate(0, hi="-1/4", on="input"),
)
SOFT = (SiteGate(0, lo="1/2", sharpness=2), SiteGate(1, lo="-1", hi="1/4", sharpness="1/2"), SiteGate(0, lo=0))
MEANS = (("1/4", "-1/8"), (0, "1/2"))


# The file takes longer than a turn of the tests. So its soft gates are in groups, which may run in other turns.
soft_on_latents = pytest.mark.xdist_group("soft gates on latents")
soft_on_inputs = pytest.mark.xdist_group("soft gates on inputs")


def agree(asked):
    moments, (A, b) = gated_moments(asked), in_the_plane(asked)
    assert np.abs(moments.A - A).max() <= MOMENT_FOUR_FACTORS * np.abs(A).max()
    assert np.abs(moments.b - b).max() <= MOMENT_FOUR_FACTORS * np.abs(A).max()


@pytest.mark.parametrize("kind", CASES)
@pytest.mark.parametrize("on", ["latent", "input"])
def test_hard_gates_are_the_defining_integrals(kind, on):
    gates = LATENT if on == "latent" else INPUT
    if kind == "sign":
        gates = LATENT if on == "latent" else (SiteGate(0, lo="1/3", hi="3/2", on="input"),)
    agree(question(CASES[kind], gates, biases="none" if kind == "sign" else "trained"))


@pytest.mark.parametrize("kind", [kind for kind in CASES if kind not in ("sign", "atoms", "gap")])
def test_class_means_move_thresholds_on_the_input(kind):
    agree(question(CASES[kind], INPUT, MEANS))


@soft_on_latents
@pytest.mark.parametrize("kind", CASES)
def test_soft_gates_on_the_latent_are_the_defining_integrals(kind):
    agree(question(CASES[kind], SOFT[:2] if kind == "sign" else SOFT, biases="none" if kind == "sign" else "trained"))


ON_X = (
    SiteGate(0, lo="1/2", on="input", sharpness=2),
    SiteGate(0, lo="-1", hi="1/4", on="input", sharpness="3/2"),
    SiteGate(0, lo=0, on="input"),
)
ACROSS = (
    SiteGate(0, lo="1/2", on="input", sharpness=2),
    SiteGate(1, lo="-1/4", on="input", sharpness=1),
    SiteGate(0, lo="-1/4", sharpness=3),
)


@soft_on_inputs
@pytest.mark.parametrize("kind", [*SMOOTH, "laplace"])
def test_soft_gates_on_the_input_are_the_defining_integrals(kind):
    agree(question(CASES[kind], ON_X))


@soft_on_inputs
@pytest.mark.parametrize(("kind", "means"), [("erf", ()), ("cubic", MEANS), ("identity", MEANS)])
def test_soft_gates_across_sites_and_kinds(kind, means):
    agree(question(CASES[kind], ACROSS, means))


@soft_on_latents
@pytest.mark.parametrize("kind", CASES)
def test_soft_gates_along_two_sites(kind):
    gates = (
        DirectionGate({0: 1, 1: -2}, lo="1/2", sharpness=1),
        DirectionGate({0: 3, 1: 1}, lo=-1, hi=1, sharpness="1/2"),
    )
    agree(question(CASES[kind], gates, biases="none" if kind == "sign" else "trained"))


def test_far_sites_do_not_depend_on_the_gate():
    """Correlations down to the smallest numbers of float64 and below: E[T x_k x_l] = P(T) E[x_k x_l]."""
    law = NonlinearGP(40, (1,), 1, "open", "unit-variance", (1,), nonlinearity="laplace")
    training = Training("half-mse", 1, ((0,) * 40,), (1,))
    moments = gated_moments(Problem(law, Network("gated-linear", "mean", 1, (SiteGate(0, lo="1/2"),)), training))
    whole = gated_moments(Problem(law, Network("gated-linear", "mean", 1, (SiteGate(0, lo=0),)), training)).A * 2
    assert np.isfinite(moments.A).all()
    apart = moments.A[20:, 20:] - float(ndtr(-0.5)) * whole[20:, 20:]
    assert np.abs(apart).max() <= MOMENT_FOUR_FACTORS
