"""Outcomes beside their numbers, on evidence by hand: what a PASS allows, to the last digit that is stored."""

from fractions import Fraction

from derivations.evidence.consistency import contradiction

TOLERANCE = 2.0**-67  # 6.8e-21, and exact


def evidence(rows=(), **changes):
    level = {"level": "precise", "outcome": "PASS", "worst": 0.0, "tolerance": TOLERANCE, "points": len(rows)}
    return {"levels": [level | changes], "precise": rows}


def decimal(value):
    """The digits of a fraction to 40 places behind the point."""
    whole, digits = divmod(abs(round(value * 10**40)), 10**40)
    return f"{'-' * (value < 0)}{whole}.{digits:040d}"


def row(definition, apart, at=None):
    return {"definition": decimal(definition), "formula": decimal(definition + apart), "at": at or {}}


def test_a_pass_says_its_worst_value_and_its_tolerance():
    for changes in ({"worst": None}, {"tolerance": None}):
        words = contradiction(evidence(level="floating", **changes))
        assert words == "floating is PASS, but says no worst value or no tolerance"


def test_a_worst_value_may_be_the_tolerance_and_only_a_pass_is_held_against_it():
    assert contradiction(evidence(worst=TOLERANCE)) == ""
    assert contradiction(evidence(worst=1.01 * TOLERANCE)) != ""
    assert contradiction(evidence(worst=1.0, outcome="FAIL")) == ""
    assert contradiction(evidence(worst=1.0, level="simulated", experiment="gain")) == ""
    assert "above its tolerance" in contradiction(evidence(worst=1.0, level="simulated", experiment="gain", p=0.5))


def test_a_row_may_differ_by_its_tolerance_and_one_unit_of_its_last_digit():
    """32 digits of each value are stored, so that both together are off by 1e-31 of the value at most."""
    for definition, side in ((7, 1), (-3, -1), (0, 1)):  # at 0 the tolerance is absolute
        for units, whole in ((0.9, True), (1.1, False)):
            apart = side * (abs(definition) or 1) * (Fraction(TOLERANCE) + Fraction(units) / 10**31)
            assert (contradiction(evidence([row(definition, apart)])) == "") == whole, (definition, units)


def test_a_row_that_differs_is_named_by_its_point_and_every_row_is_a_point():
    for at, named in (({"rho": "1/2", "g": "3"}, "rho = 1/2, g = 3"), ({}, "its only point")):
        words = contradiction(evidence([row(1, 0), row(1, Fraction(1, 10), at)]))
        assert words == f"precise is PASS, but formula and definition differ at {named}"
    assert contradiction(evidence([row(1, 0)])) == ""
    assert contradiction(evidence([row(1, 0)], points=2)) == "precise has 2 points, and its table 1"
