"""The tables and the counter-examples of the claims: every value recomputed from its definition."""

import re

import pytest
from mpmath import mp, mpf

from tests.pages import (
    deep,
    ellipses,
    flows,
    gaussians,
    kernel_gates,
    kernels,
    laws,
    marginals,
    ntk,
    path_view,
    race,
    regions,
    samples,
    sites,
)
from tests.pages.evidence import evidence, number, printed_as
from tests.pages.numerics import DIGITS
from tests.pages.reading import Unit, cells, see, tables, units

SHOWN = 32  # significant digits of a value in a table of a claim
COUNTED = 10  # significant digits of a counter-example
VALUES = deep.VALUES | ellipses.VALUES | flows.VALUES | gaussians.VALUES | laws.VALUES | marginals.VALUES
VALUES |= kernel_gates.VALUES | kernels.VALUES | ntk.VALUES | path_view.VALUES | race.VALUES | regions.VALUES
VALUES |= samples.VALUES | sites.VALUES
PRINTED = flows.PRINTED | gaussians.PRINTED | kernel_gates.PRINTED | kernels.PRINTED | laws.PRINTED
PRINTED |= path_view.PRINTED | regions.PRINTED
POINT = re.compile(
    r"At (?P<at>.*?) this (?:gives (?P<printed>\S+)|has no real value), and the true value is (?P<true>\S+)\.$"
)


@pytest.fixture(autouse=True)
def _digits():
    with mp.workdps(DIGITS):
        yield


def tabled() -> dict[str, list[Unit]]:
    """The rows of the tables of points, by claim."""
    found: dict[str, list[Unit]] = {}
    for page in {unit.page for unit in units()}:
        for table in tables(page):
            if table[0].claim and "definition and formula" in table[0].text:
                found.setdefault(table[0].claim, []).extend(table[2:])
    return found


def counter_examples() -> list[tuple[Unit, re.Match]]:
    """The sentences that say what a printed form gives and what is true."""
    return [(unit, match) for unit in units() if (match := POINT.search(unit.text))]


def at_point(shown: list[str], point: dict[str, str]) -> bool:
    """Whether these are the coordinates of a stored point, each as it is or to six digits, in any order."""
    left = list(shown)
    for value in point.values():
        form = next((one for one in (value, f"{float(number(value)):.6g}") if one in left), None)
        if form is None:
            return False
        left.remove(form)
    return not left


def recomputed(claim: str, point: dict[str, str], values: dict = VALUES):
    """The value of a claim at a stored point."""
    return values[claim](**{name: number(value) for name, value in point.items()})


@pytest.mark.parametrize("claim", sorted(tabled()))
def test_values_of_a_table(claim):
    stored = evidence()[claim]["precise"]
    for row in tabled()[claim]:
        *shown, value = cells(row.text)
        points = [one["at"] for one in stored if at_point(shown, one["at"])]
        assert points, f"{claim}: no stored point is that of the row {row.text}"
        found = [recomputed(claim, point) for point in points]
        assert any(printed_as(value, one, SHOWN) for one in found), f"{claim}: {row.text}, recomputed {found}"


def test_counter_examples():
    found = counter_examples()
    assert found
    for unit, match in found:
        shown = re.findall(r"= (\S+?)(?=,|$)", match["at"])
        places = [
            (claim, one["at"])
            for claim, stored in evidence().items()
            for one in stored["printed"]
            if one["at"] and at_point(shown, one["at"])
        ]
        claims = {claim for claim, _ in places}
        assert len(claims) == 1, f"{unit.text}: {claims}"
        claim, point = places[0]
        true, wrong = recomputed(claim, point), recomputed(claim, point, PRINTED)
        assert printed_as(match["true"], true, COUNTED), f"{unit.text}: {true}"
        if match["printed"] is None:
            assert wrong is None, f"{unit.text}: {wrong}"
        else:
            assert wrong is not None, f"{unit.text}: no real value"
            assert printed_as(match["printed"], wrong, COUNTED), f"{unit.text}: {wrong}"


def test_a_wrong_digit_is_noticed():
    third = mpf(1) / 3
    assert printed_as("0.33333333333333333333333333333333", third, SHOWN)
    assert not printed_as("0.33333333333333333333333333333334", third, SHOWN)
    assert not printed_as("0.3333333333333333", third, SHOWN)


def mark() -> None:
    """Mark what is recomputed here, coordinates included."""
    for rows in tabled().values():
        for row in rows:
            see(row)
    for unit, _ in counter_examples():
        see(unit)
