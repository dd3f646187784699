"""The oracles of the claims on the race and on deep networks follow the flow and see what leaves the aligned form."""

from fractions import Fraction

import pytest
from flint import arb

from tests.theory.claims.stored import table
from tests.tolerances import CLAIM_DIGITS, CLAIM_PRECISE
from theory.claims import catalog, unreduced
from theory.claims.areas.race import _velocities
from theory.claims.evaluate import evaluate
from theory.claims.levels import relative_error
from theory.claims.points import exact_values


@pytest.mark.parametrize("name", ["race.private.strength", "deep.balanced.conserved"])
def test_the_oracle_of_what_is_conserved_follows_the_flow(name, monkeypatch):
    """Under a flow that also stretches one weight in time it is not conserved, and the oracle leaves the formula."""
    claim, whole = catalog()[name], unreduced._moved

    def stretched(series: list[list[arb]], time: arb) -> list[arb]:
        first, *others = whole(series, time)
        return [first * (1 + time), *others]

    (t,) = (param.symbol for param in claim.params if param.symbol.name == "t")
    point = min((row.point for row in table(name) if row.point[t] > 0), key=lambda point: point[t])
    monkeypatch.setattr(unreduced, "_moved", stretched)
    value = claim.oracle(point, CLAIM_DIGITS)
    formula = evaluate(claim.statement.rhs, point, CLAIM_DIGITS)
    assert relative_error(value, formula, CLAIM_DIGITS) > 10**6 * CLAIM_PRECISE, point


def test_one_velocity_that_leaves_the_aligned_form_is_a_departure(monkeypatch):
    """Any entry beside a diagonal, or any diagonal entry of an encoder or decoder that is not that of the others."""
    point = next(row.point for row in table("race.routing.aligned") if exact_values(row.point)["M"] > 1)
    whole = _velocities.aligned_velocities(exact_values(point))
    assert _velocities._largest_departure(point) == 0
    for name, matrix in whole.items():
        for row, column in ((0, 0), (0, 1), (1, 0), (1, 1)):
            entries = [list(line) for line in matrix]
            entries[row][column] += Fraction(1, 1000)
            moved = whole | {name: tuple(map(tuple, entries))}
            monkeypatch.setattr(_velocities, "aligned_velocities", lambda _at, moved=moved: moved)
            free = name == "W" and row == column  # the shared weight has a velocity of its own
            assert _velocities._largest_departure(point) == (0 if free else Fraction(1, 1000))
