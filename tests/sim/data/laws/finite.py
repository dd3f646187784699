"""Finite data, and a law that a test of its samples must reject."""

from theory.problem import FiniteData


def data(weights):
    """Five weighted examples with two labels."""
    return FiniteData([[1, 0, 2], [0, 1, 1], [1, 1, -1], [0, 0, 1], [2, 1, 0]], [1, 0, 1, 0, 1], weights=weights)


CASES = [(data([1, 2, 1, 1, 3]), data([1, 2, 1, 1, 4]))]
