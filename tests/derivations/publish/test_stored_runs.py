"""The stored table of the asymptotic forms: one cell sampled again, and the values of the localization map."""

from fractions import Fraction

import pytest

from derivations.benchmarks.relu_gates import FORMS, rows
from derivations.publish.stored_runs import benchmark
from tests.tolerances import MAP_PUBLISHED, STANDARD_ERRORS

STORED = benchmark("relu-gates")["rows"]
PUBLISHED = {
    ("flat", "3"): (0.008, 0.002, 0.004),
    ("Gaussian bump, sd 5", "3"): (0.019, 0.018, 0.014),
    ("e_20 + e_22/2", "3"): (0.076, 0.098, 0.110),
    ("narrow bump, sd 2.2", "1/20"): (0.001, 0.001, 0.103),
    ("narrow bump, sd 2.2", "100"): (0.059, 0.073, 0.041),
}


def cell(name, gain):
    return next(row for row in STORED if (row["weights"], row["gain"]) == (name, gain))


def test_a_cell_sampled_again():
    """A largest distance moves by no more than the largest error of a mean."""
    (again,) = rows(Fraction(3), ("e_20 + e_22/2",), replicates=16, samples=10_000)
    stored = cell("e_20 + e_22/2", "3")
    for form, error in stored["errors"].items():
        noise = again["standard_error"] + stored["standard_error"]
        assert abs(again["errors"][form] - error) <= STANDARD_ERRORS * noise


@pytest.mark.parametrize(("name", "gain"), PUBLISHED)
def test_the_values_of_the_map(name, gain):
    errors = cell(name, gain)["errors"]
    for form, published in zip(FORMS, PUBLISHED[name, gain], strict=True):
        assert abs(errors[form] - published) <= MAP_PUBLISHED
