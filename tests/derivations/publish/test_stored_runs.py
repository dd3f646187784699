"""The stored table of the asymptotic forms: one cell sampled again, and the values of the localization map."""

from fractions import Fraction

import pytest

from derivations.benchmarks.relu_gates import FORMS, GAINS, WEIGHTS, rows
from derivations.publish.compose import Book
from derivations.publish.stored_runs import benchmark, stored_table
from tests.tolerances import MAP_PUBLISHED, STANDARD_ERRORS
from theory.problem import InputError

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


def test_every_cell_is_there():
    assert {(row["weights"], row["gain"]) for row in STORED} == {(name, str(g)) for name in WEIGHTS for g in GAINS}


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


def test_the_exact_value_is_within_the_noise():
    for gain in GAINS:
        row = cell("e_20 + e_22/2", str(gain))
        assert row["errors"]["exact"] <= STANDARD_ERRORS * row["standard_error"]


def test_the_page_shows_the_stored_numbers():
    page = Book({}, {"one": "{measured relu-gates}"}).render("one")
    for row in STORED:
        assert f"{row['errors']['clt']:.4f}" in page
    with pytest.raises(InputError, match="no measured table is called 'x'"):
        stored_table("x", "one.md, line 1")
