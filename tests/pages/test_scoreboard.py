"""The tables of the scoreboard, counted again from the stored results, and their verdicts from the stored intervals."""

import json
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

from tests.pages import reading
from tests.pages.reading import plain, see
from tests.paths import ROOT

PAGE = "scoreboard"
PARTS = ("mean", "low", "high")
RESULTS = ROOT / "derivations" / "reproductions" / "results"
# Beginnings of the passages that state a design, a rule, or what a source prints, where no number is a result.
DESIGNS = ("- ", "`", "*Rule", "*Run", "*Theory", "**NOT RUN**")
# By experiment and beginning of a key: how far a number may be from the printed one, by its digits or by the rule. The
# others are exact.
HALF_UNITS = {
    "dgn-fig-10": (("rate", 0.005),),
    "bump-flow": (("cross", 0), ("", 0.005)),
    "notes-general": (("rate", 0.02), ("", 0.005)),
    "notes-single-gate": (("rate", 0.02), ("", 0.005)),
    "notes-redundant-gates": (("difference", 1e-9), ("rate", 0.02), ("", 0.005)),
    "dlgn-fig-4": (("half-spaces", 0.125),),
    "npk-table-2-mnist": (("", 0.005),),
}
# How near a number has to be with its whole interval, where the source says in words that it is near.
WITHIN = {
    ("notes-replay", "error"): 0.01,
    ("notes-replay", "localization"): 0.1,
    **{("dgn-fig-5", f"trained, {name}"): 1.0 for name in ("relu", "galu")},
    **{("dgn-fig-5", f"test, {name}"): 0.5 for name in ("relu", "galu")},
}


def stored() -> list[dict[str, Any]]:
    """The stored results, in the order of the page."""
    return [json.loads(file.read_text("utf-8")) for file in sorted(RESULTS.glob("*.json"), key=lambda file: file.stem)]


def number(value: float) -> str:
    """A number to four digits, in powers of ten where it is far from 1."""
    digits = Decimal(f"{value:.4g}")
    if value and not -4 <= digits.adjusted() < 4:
        power = digits.adjusted()
        return f"{(digits.scaleb(-power)).normalize():f} cdot 10^{power}"
    return f"{value:.4g}"


def interval(row: dict[str, Any]) -> str:
    """A mean with its interval, rounded to the second digit of the half width; short ones are in powers of ten."""
    half = (Decimal(repr(row["high"])) - Decimal(repr(row["low"]))) / 2
    places = 1 - half.adjusted() if half else 9
    mean, low, high = (f"{row[key]:z.{max(places, 0)}f}" if places < 6 else number(row[key]) for key in PARTS)
    return f"{mean} ({low} to {high})"


def expected() -> Iterator[list[list[str]]]:
    """The rows of the tables of each result: its statements, then the theory beside them."""
    for result in stored():
        yield [
            [
                row["key"],
                row["printed"],
                "above 0" if row["value"] is None else number(row["value"]),
                interval(row),
                str(row["runs"]),
                row["verdict"],
            ]
            for row in result["rows"]
        ]
        if result["beside"]:
            yield [
                [
                    row["key"],
                    row["text"],
                    row["kind"],
                    number(row["theory"]),
                    interval(row) if "mean" in row else "",
                    met(row),
                ]
                for row in result["beside"]
            ]


def met(row: dict[str, Any]) -> str:
    """Whether the interval of a prediction contains the number of the theory."""
    if row["kind"] != "prediction" or "mean" not in row:
        return ""
    return "yes" if row["low"] <= row["theory"] <= row["high"] else "no"


def results() -> list[list[reading.Unit]]:
    """The tables of results on the page: those with intervals."""
    return [table for table in reading.tables(PAGE) if "mean (interval)" in table[0].raw]


def mark() -> None:
    """Mark the tables and the passages of designs."""
    for table in reading.tables(PAGE):
        for unit in table:
            see(unit)
    for unit in reading.units():
        if unit.page == PAGE and unit.raw.startswith(DESIGNS):
            see(unit)


def second_moment(e: Fraction, d: int) -> Fraction:
    """Return E K0^2 of deep linear networks of width 1/e for x = 1 and weights of variance e, by two recursions.

    u_n is the sum over n layers from an end of the network to a marked layer, m_n that between two marked layers.
    """
    u, q = [Fraction(1), Fraction(1)], 1 - e
    for _ in range(d):
        u.append(u[-1] + 2 * e * q * u[-2])
    m = [(2 * q**n + u[n] + 2 * e * u[n - 1]) / 3 for n in range(1, d)]
    same = sum(u[k - 1] * u[d - k] for k in range(1, d + 1))
    return same + 2 * sum(u[k - 1] * m[l - k - 1] * u[d - l] for l in range(2, d + 1) for k in range(1, l))


def test_every_cell_of_the_scoreboard():
    shown = [[reading.cells(unit.text) for unit in table[2:]] for table in results()]
    assert shown == [[[plain(cell) for cell in row] for row in rows] for rows in expected()]


def test_the_table_of_sources_counts_the_statements():
    heads, _, *rows = (reading.cells(unit.raw) for unit in reading.tables(PAGE)[0])
    counts: dict[str, Counter[str]] = {}
    for unit in reading.tables(PAGE)[1][2:]:
        _, name, _, source, *_ = unit.raw.split("`")
        path = RESULTS / f"{name}.json"
        verdicts = [row["verdict"] for row in json.loads(path.read_text("utf-8"))["rows"]] if path.exists() else []
        counts.setdefault(f"`{source}`", Counter()).update(verdicts or ["experiments NOT RUN"])
    shown = {source: dict(zip(heads[1:], numbers, strict=True)) for source, *numbers in rows}
    assert shown == {source: {head: str(own[head] or "") for head in heads[1:]} for source, own in counts.items()}
    assert sum(map(Counter.total, counts.values())) == sum(
        int(number or 0) for numbers in shown.values() for number in numbers.values()
    )


def test_the_second_table_has_the_stored_verdicts():
    listed = {unit.raw.split("`")[1]: reading.cells(unit.text)[1] for unit in reading.tables(PAGE)[1][2:]}
    for result in stored():
        assert listed.pop(result["name"]) == result["verdict"]
    assert set(listed.values()) == {"NOT RUN"}


def test_verdicts_follow_from_the_intervals():
    for result in stored():
        for row in result["rows"]:
            if row["verdict"] == "REMARK":
                continue
            if row["value"] is None:
                assert (row["verdict"] == "ORDER") == (row["low"] > 0), row["key"]
                continue
            if within := WITHIN.get((result["name"], row["key"])):
                near = row["value"] - within <= row["low"] and row["high"] <= row["value"] + within
                apart = row["low"] > row["value"] + within or row["high"] < row["value"] - within
                assert row["verdict"] == ("REPRODUCED" if near else "NOT REPRODUCED" if apart else "UNDECIDED")
                continue
            allowed = HALF_UNITS.get(result["name"], ())
            half = next((half for start, half in allowed if row["key"].startswith(start)), 0)
            meets = row["low"] - half <= row["value"] <= row["high"] + half
            assert meets == (row["verdict"] in ("REPRODUCED", "UNDECIDED")), row["key"]


def test_the_theory_of_equal_inputs():
    """The eigenvalues of equation (5) for 200 inputs, and the moments of K0 of deep linear networks of width 100."""
    by_name = {result["name"]: {row["key"]: row["theory"] for row in result["beside"]} for result in stored()}
    for d in (2, 4, 6, 8, 12, 16, 20):
        shared = 0.5 ** (d - 1)
        assert by_name["dgn-fig-1"][f"smallest, d = {d}"] == float(f"{1 - shared:.6g}")
        assert by_name["dgn-fig-1"][f"largest, d = {d}"] == float(f"{1 + 199 * shared:.6g}")
    for d in (4, 6, 8, 10):
        exact = float(second_moment(Fraction(1, 100), d) - d**2)
        assert by_name["dgn-fig-10"][f"mean, d = {d}"] == d
        assert by_name["dgn-fig-10"][f"variance, d = {d}"] == float(f"{exact:.6g}")
