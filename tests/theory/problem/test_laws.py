"""Declarations that carry a little arithmetic: distances, latent correlations, initial weights, resolved gates."""

import sys
from fractions import Fraction

import numpy as np
import pytest

from theory.problem import (
    AlwaysGate,
    NonlinearGP,
    NormalInitialisation,
    RepeatedGate,
    SiteGate,
    latent_correlation,
    resolved,
    squared_distance,
)
from theory.problem.parameters import initial_numbers


@pytest.mark.parametrize("n", [2, 3, 4, 7, 8])
@pytest.mark.parametrize("boundary", ["open", "ring"])
def test_distance_is_the_shortest_walk(n, boundary):
    """Breadth-first search on the line or ring, instead of the formula."""
    neighbours = {i: {i - 1, i + 1} & set(range(n)) for i in range(n)}
    if boundary == "ring":
        neighbours[0].add(n - 1)
        neighbours[n - 1].add(0)
    table = squared_distance(n, boundary)
    for start in range(n):
        reached, steps, seen = {start}, 0, {start: 0}
        while len(seen) < n:
            steps += 1
            reached = {other for site in reached for other in neighbours[site]} - seen.keys()
            seen.update(dict.fromkeys(reached, steps))
        assert table[start].tolist() == [seen[site] ** 2 for site in range(n)]


def test_latent_correlation_is_a_correlation():
    law = NonlinearGP(6, (2, Fraction(1, 2)), 1, "open", "none", (1, 0))
    for c in (0, 1):
        R = latent_correlation(law, c)
        assert np.array_equal(R, R.T)
        assert np.array_equal(np.diag(R), np.ones(6))
    assert latent_correlation(law, 0)[0, 2] == np.exp(-1.0)
    assert latent_correlation(law, 1)[0, 1] == np.exp(-4.0)


def test_draws_repeat_and_replicates_differ():
    w0 = NormalInitialisation("0.1", seed=5)
    assert np.array_equal(initial_numbers(w0, (3, 4)), initial_numbers(w0, (3, 4)))
    draws = [initial_numbers(w0, (3, 4), (replicate,)) for replicate in range(4)] + [initial_numbers(w0, (3, 4))]
    assert len({draw.tobytes() for draw in draws}) == len(draws)


def test_a_draw_leaves_the_global_state_alone():
    state = np.random.get_state()[1].copy()  # noqa: NPY002 - it is the global state that is looked at
    initial_numbers(NormalInitialisation(1, seed=0), (2, 2))
    assert np.array_equal(np.random.get_state()[1], state)  # noqa: NPY002


def test_written_weights_are_taken_as_they_are():
    rows = ((Fraction(1, 2), Fraction(0)), (Fraction(-3), Fraction(1, 4)))
    assert initial_numbers(rows, (2, 2)).tolist() == [[0.5, 0.0], [-3.0, 0.25]]


def test_a_repetition_of_a_repetition():
    site = SiteGate(1, lo=0)
    assert resolved((site, RepeatedGate(0), AlwaysGate(), RepeatedGate(1))) == (site, site, AlwaysGate(), site)


def test_values_are_frozen():
    with pytest.raises(AttributeError):
        SiteGate(1).site = 2
    assert "torch" not in vars(sys.modules["theory.problem"])
