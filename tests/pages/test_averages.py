"""The gallery of expectations: each value recomputed; times and counts are those of the stored measurement."""

import re
from statistics import median

import pytest
from mpmath import mp, mpf

from tests.pages.averages import VALUES
from tests.pages.evidence import benchmark, printed_as
from tests.pages.reading import Unit, cells, see, tables, units

PAGE = "expectations"
PLACES = 23
DIGITS = 30  # more than are printed
VALUE = re.compile(r"Value[^`]*`([\d.]+)`")


@pytest.fixture(autouse=True)
def _digits():
    with mp.workdps(DIGITS):
        yield


def cases() -> list[Unit]:
    """The sentences with the values, in the order of the stored measurement."""
    return [unit for unit in units() if unit.page == PAGE and VALUE.search(unit.raw)]


def rows() -> list[dict]:
    """The measured expectations."""
    return benchmark("expectations")["rows"]


def seconds(value: float) -> str:
    """A time as the page writes it: two digits, in milliseconds below a tenth of a second."""
    return f"{value:.2g} s" if value >= 0.1 else f"{1000 * value:.2g} ms"


def full(text: str) -> str:
    """Fill what is shown of an exact decimal up with zeros."""
    whole, _, places = text.partition(".")
    return f"{whole}.{places.ljust(PLACES, '0')}"


def test_the_page_has_every_measured_expectation():
    assert len(cases()) == len(rows()) == len(VALUES)
    assert {row["name"] for row in rows()} == set(VALUES)


@pytest.mark.parametrize("place", range(len(rows())), ids=[row["name"] for row in rows()])
def test_value(place):
    row, shown = rows()[place], VALUE.search(cases()[place].raw).group(1)
    found = VALUES[row["name"]]()
    assert printed_as(full(shown), found), f"{row['name']}: {shown}, recomputed {found}"


def test_orthants_are_their_integrals():
    # P(z_1 > 0, z_2 > 0) by an arcsine of another derivation than Plackett's, and four equal correlations 1/2 by
    # symmetry: five exchangeable variables y_i - y_0, of which y_0 is the least with probability 1/5.
    from tests.pages.numerics import upper

    with mp.workdps(DIGITS):
        half = mpf(1) / 2
        same = [[mpf(1) if i == j else half for j in range(4)] for i in range(4)]
        assert printed_as(f"0.2{'0' * PLACES}", upper(same, [mpf(0)] * 4))
        third = upper([[1, half], [half, 1]], [mpf(0)] * 2)  # y_0 the least of three
        assert printed_as(f"0.{'3' * PLACES}", third)


def test_times_and_counts():
    for row, unit in zip(rows(), cases(), strict=True):
        assert f"Derived in {seconds(row['first'])} first, {seconds(row['repeated'])} repeated" in unit.text
        assert f"{row['sympy']['seconds']:.2g} s" in unit.text
        assert all(part.strip() in unit.text for part in row["point"].split(",")), unit.text
    run, closed = benchmark("expectations"), [row for row in rows() if row["sympy"]["outcome"] == "closed form"]
    slowest = seconds(max(row["first"] for row in rows()))
    told = next(
        unit.text for unit in units() if unit.page == PAGE and "SymPy alone" not in unit.text and "alone" in unit.text
    )
    for part in (
        f"SymPy {run['machine']['sympy']} alone gives a closed form for {len(closed)} of the {len(rows())}",
        f"within {run['limit']} seconds",
        f"in {slowest}",
        f"after the {seconds(run['imports'])}",
    ):
        assert part in told, f"{part!r} is not in {told!r}"
    table = next(table for table in tables(PAGE) if "class" in table[0].text)
    for kind, count, *times in (cells(row.text) for row in table[2:]):
        first, repeated = ([row[name] for row in rows() if row["kind"] == kind] for name in ("first", "repeated"))
        assert int(count) == len(first)
        assert times == [seconds(median(first)), seconds(max(first)), seconds(median(repeated))]


def mark() -> None:
    """Mark what is recomputed or counted here."""
    for unit in cases():
        see(unit)
    for unit in units():
        if unit.page == PAGE and ("alone gives a closed form" in unit.text or unit.raw.startswith("|")):
            see(unit)
