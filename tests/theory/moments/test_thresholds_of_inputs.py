"""Gates at thresholds on inputs x = f(gain z)/Z of every f, hard and soft, against their integrals in the plane."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import ndtr

from tests.theory.moments.definition import plane, question, summed
from tests.theory.nonlinear_cases import EVERY, function, kinks, mean_square
from tests.tolerances import MOMENT_FOUR_FACTORS
from theory.moments import gated_moments
from theory.problem import DirectionGate, NonlinearGP, Quantile, SiteGate, latent_correlation

REACH = 13.0
PANELS = np.array([0.0, 1, 2, 3, 4, 7, 10, REACH])
ATOMS = Quantile(["1/2", "3/4", "9/10", 1], [0, 1, 1, 2])  # x = 1 with probability 3/20
GAP = Quantile(["1/2", "3/4", 1], ["1/2", 1, 2])  # no x between -1/2 and 1/2
CASES = {**EVERY, "atoms": ATOMS, "gap": GAP}
MEANS = (("1/4", "-1/8"), (0, "1/2"))


def beyond(f, t):
    """inf {z : f(z) >= t}, by bisection of f itself."""
    low, high = -REACH, REACH
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if function(f)(np.array(middle)) >= t else (middle, high)
    return high


TWO_CLASSES = NonlinearGP(2, ("3/2", 1), 1, "open", "unit-variance", (1, "-1/3"), priors=("1/4", "3/4"))


def require_defining_integrals(kind, gates, means=(), law=TWO_CLASSES, biases="trained"):
    """A and b are sums over points (z_0, z_1) between the bounds of hard gates; signs have no biases here."""
    f = CASES[kind]
    law = replace(law, means=means, nonlinearity=f)
    problem = question(law, *gates, biases="none" if kind == "sign" else biases)
    Z, A, b = np.sqrt(mean_square(f)), 0.0, 0.0
    for c, (share, label) in enumerate(zip(law.probabilities, law.labels, strict=True)):
        m = np.array(law.means[c], dtype=float) if means else np.zeros(2)
        edges = [{*PANELS, *-PANELS, *kinks(f), *-kinks(f)} for _ in range(2)]
        for gate in gates:
            for bound in (float(gate.lo), float(gate.hi)):
                if gate.kind == "site" and np.isfinite(bound) and not np.isfinite(float(gate.sharpness)):
                    place = bound if gate.on == "latent" else beyond(f, Z * (bound - m[gate.site]))
                    edges[gate.site].add(float(np.clip(place, -REACH, REACH)))
        z, p = plane(latent_correlation(law, c), [np.array(sorted(ends)) for ends in edges])
        x = function(f)(z) / Z + m[:, None]
        parts = summed(problem.network, x, float(share) * p, np.full(len(p), float(label)), z)
        A, b = A + parts[0], b + parts[1]
    moments = gated_moments(problem)
    assert np.abs(moments.A - A).max() <= MOMENT_FOUR_FACTORS * np.abs(A).max()
    assert np.abs(moments.b - b).max() <= MOMENT_FOUR_FACTORS * np.abs(A).max()


ON_Z = (SiteGate(0, lo="1/2"), SiteGate(1, lo="-2/3", hi="3/4"), SiteGate(0, hi="-1/4"))
ON_X = (
    SiteGate(0, lo="1/3", hi=1, on="input"),
    SiteGate(1, lo="-1/2", on="input"),
    SiteGate(0, hi="-1/4", on="input"),
)


AT_ZERO = (SiteGate(0, lo=0), SiteGate(1, hi=0))


@pytest.mark.parametrize(
    ("kind", "gates", "means"),
    [
        ("cubic", AT_ZERO, ()),
        ("cubic", ON_X, MEANS),
        ("sign", ON_Z, ()),
        ("identity", ON_X, ()),
        ("uniform", ON_X, MEANS),
        ("tanh", ON_X, ()),
        ("laplace", ON_X, MEANS),
        ("logistic", ON_Z, ()),
        ("quantile", ON_X, ()),
        ("atoms", ON_X, ()),
        ("gap", ON_X, ()),
    ],
)
def test_hard_gates(kind, gates, means):
    require_defining_integrals(kind, gates, means)


SOFT_ON_Z = (SiteGate(0, lo="1/2", sharpness=2), SiteGate(1, lo="-1", hi="1/4", sharpness="1/2"), SiteGate(0, lo=0))
SOFT_ALONG = (
    DirectionGate({0: 1, 1: -2}, lo="1/2", sharpness=1),
    DirectionGate({0: 3, 1: 1}, lo=-1, hi=1, sharpness="1/2"),
)
SOFT_ON_X = (
    SiteGate(0, lo="-1", hi="1/4", on="input", sharpness="3/2"),
    SiteGate(0, lo=0, on="input"),
    SiteGate(0, lo="1/2", on="input", sharpness=2),
)
SOFT_ACROSS = (
    SiteGate(0, lo="1/2", on="input", sharpness=2),
    SiteGate(0, lo="-1/4", sharpness=3),
    SiteGate(1, lo="-1/4", on="input", sharpness=1),
)


@pytest.mark.parametrize(
    ("kind", "gates", "means"),
    [
        ("erf", SOFT_ON_Z, ()),
        ("sign", SOFT_ON_Z[:2], ()),
        ("laplace", SOFT_ON_Z[1:], ()),
        ("cubic", SOFT_ALONG, ()),
        ("laplace", SOFT_ALONG[:1], ()),
        ("erf", SOFT_ON_X[2:], ()),
        ("identity", SOFT_ON_X, ()),
        ("identity", SOFT_ACROSS, MEANS),
        pytest.param("laplace", SOFT_ON_X[2:], (), marks=pytest.mark.slow),
        pytest.param("atoms", SOFT_ON_Z, (), marks=pytest.mark.slow),
    ],
)
def test_soft_gates(kind, gates, means):
    require_defining_integrals(kind, gates, means)


@pytest.mark.slow
def test_soft_gates_on_two_inputs():
    law = NonlinearGP(2, ("3/2",), 1, "open", "unit-variance", (1,))
    require_defining_integrals("cubic", SOFT_ACROSS[::2], law=law, biases="none")


def test_far_sites_do_not_depend_on_the_gate():
    """Correlations down to the smallest numbers of float64 and below: E[T x_k x_l] = P(T) E[x_k x_l]."""
    law = NonlinearGP(16, ("1/2",), 1, "open", "unit-variance", (1,), nonlinearity="laplace")
    tail, half = (gated_moments(question(law, SiteGate(0, lo=bound))).A[12:, 12:] for bound in ("1/2", 0))
    assert np.abs(tail - float(ndtr(-0.5)) * 2 * half).max() <= MOMENT_FOUR_FACTORS
