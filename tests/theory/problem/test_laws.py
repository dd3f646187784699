"""Declarations that carry a little arithmetic: distances, latent correlations, initial weights, resolved gates."""

from fractions import Fraction

import numpy as np

from theory.problem import (
    AlwaysGate,
    NonlinearGP,
    RepeatedGate,
    SiteGate,
    latent_correlation,
    resolved,
    squared_distance,
)


def test_distance_is_the_shortest_walk():
    for n, boundary in ((2, "ring"), (7, "ring"), (8, "ring"), (3, "open")):
        walks = (0,) if boundary == "open" else (-n, 0, n)
        expected = [[min((i - j + walk) ** 2 for walk in walks) for j in range(n)] for i in range(n)]
        assert squared_distance(n, boundary).tolist() == expected


def test_latent_correlation_is_a_correlation():
    law = NonlinearGP(6, (2, Fraction(1, 2)), 1, "open", "none", (1, 0))
    for c in (0, 1):
        R = latent_correlation(law, c)
        assert np.array_equal(R, R.T)
        assert np.array_equal(np.diag(R), np.ones(6))
    assert latent_correlation(law, 0)[0, 2] == np.exp(-1.0)
    assert latent_correlation(law, 1)[0, 1] == np.exp(-4.0)


def test_a_repetition_of_a_repetition():
    site = SiteGate(1, lo=0)
    assert resolved((site, RepeatedGate(0), AlwaysGate(), RepeatedGate(1))) == (site, site, AlwaysGate(), site)
