"""The stored errors of the asymptotic forms: one cell sampled again."""

from fractions import Fraction

from derivations.experiments.folders import read
from derivations.experiments.relu_gates.experiment import rows
from tests.tolerances import STANDARD_ERRORS

STORED = read("relu-gates")["rows"]


def cell(name, gain):
    return next(row for row in STORED if (row["weights"], row["gain"]) == (name, gain))


def test_a_cell_sampled_again():
    """A largest distance moves by no more than the largest error of a mean."""
    (again,) = rows(Fraction(3), ("e_20 + e_22/2",), replicates=8, samples=5_000)
    stored = cell("e_20 + e_22/2", "3")
    for form, error in stored["errors"].items():
        noise = again["standard_error"] + stored["standard_error"]
        assert abs(again["errors"][form] - error) <= STANDARD_ERRORS * noise
