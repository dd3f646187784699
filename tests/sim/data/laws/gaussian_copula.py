"""Gaussian copulas of finitely many values, and laws that a test of their samples must reject."""

from theory.problem.distributions.gaussian_copula import GaussianCopula

VALUES = [[[0, 1, 4], [-1, 1, 1], [2, 2, 3]], [[0, 1, 4], [0, 1, 5], [0, 2, 3]]]


def law(near, share, tied=True):
    """Two classes of three sites, some of fewer values than others."""
    shares = [
        [["1/2", "1/4", "1/4"], [share, 1 - share, 0], ["1/4", "1/4", "1/2"]],
        [["1/8", "3/8", "1/2"], ["1/2", 0, "1/2"], [1, 0, 0]],
    ]
    correlations = [[[1, near, 0], [near, 1, "-1/2"], [0, "-1/2", 1]], [[1, "-3/4", 0], ["-3/4", 1, 0], [0, 0, 1]]]
    tie = {"correlations": correlations} if tied else {}
    return GaussianCopula([1, 0], VALUES, shares, **tie, means=([0, 0, "1/2"], 0))


CASES = [
    (law("3/4", 0.375), law("0.7", 0.375)),
    (law("3/4", 0.375), law("3/4", 0.4)),
    (law("3/4", 0.375, tied=False), law("1/8", 0.375)),
]
