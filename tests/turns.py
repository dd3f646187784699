"""The tests of a quick run: all of the files that changed since the record, and a turn of the others within a budget.

Of the files that did not change the shortest units run always and the others take turns, so that as many runs as there
are turns run each test at least once. When tests double, the number of turns grows, not the time of a turn. Only a
unit that is longer than a turn's share exceeds it, alone.
"""

import secrets
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

import pytest

from derivations.rounds import rounds
from tests.record import Record

BUDGET = 400.0  # seconds of unchanged tests, of both processes together
ALWAYS = 100.0  # seconds of the budget for the shortest units, which run always


def unit_of(item: pytest.Item) -> str:
    """Return the unit of a test, as pytest-xdist names it: its group, or its file."""
    names = {str(mark.args[0] if mark.args else mark.kwargs["name"]) for mark in item.iter_markers("xdist_group")}
    return "_".join(sorted(names)) or item.nodeid.partition("::")[0]


@dataclass(frozen=True)
class Unit:
    """A unit of work and the seconds of its unchanged tests."""

    name: str
    seconds: float


@dataclass(frozen=True)
class Plan:
    """The units of unchanged files that this turn leaves out, as (file, unit), and the numbers of a run.

    Of a unit that is left out the tests `kept` run all the same: they were skipped when the record was made. `turn`
    counts from 1 to `turns`; `chosen` of the `unchanged` tests run, in `seconds` by the record.
    """

    left_out: frozenset[tuple[str, str]]
    kept: tuple[str, ...]
    fresh: tuple[str, ...]
    stale: tuple[str, ...]
    turn: int
    turns: int
    chosen: int
    unchanged: int
    seconds: float

    def text(self) -> str:
        """Return in words which tests run."""
        return (
            f"quick profile, turn {self.turn} of {self.turns}: {self.chosen:,} of {self.unchanged:,} tests in files"
            f" that are unchanged since they passed ({len(self.fresh)}); every test in files that changed or depend on"
            f" a change ({len(self.stale)})"
        )


def parts(record: Record, fresh: Collection[str], budget: float, always: float) -> tuple[set[str], list[set[str]]]:
    """Return the names of the units that run always, and those of each turn."""
    seconds = Counter[str]()
    for name in fresh:
        seconds.update({unit: run.seconds for unit, run in record.files[name].units.items()})
    units = sorted((Unit(name, spent) for name, spent in seconds.items()), key=lambda unit: (unit.seconds, unit.name))
    spent, cheap = 0.0, 0
    while cheap < len(units) and spent + units[cheap].seconds <= always:
        spent += units[cheap].seconds
        cheap += 1
    turns = rounds(units[cheap:], budget - always)
    return {unit.name for unit in units[:cheap]}, [{unit.name for unit in turn} for turn in turns]


def plan(
    record: Record,
    fresh: Collection[str],
    stale: Collection[str],
    turn: int | None = None,
    last: int | None = None,
    budget: float = BUDGET,
    always: float = ALWAYS,
) -> Plan:
    """Return the plan of a run: turn `turn`, else the one after `last`, else a random one.

    Raises ValueError for a turn that does not exist.
    """
    cheap, turns = parts(record, fresh, budget, always)
    if turn is None:
        turn = secrets.randbelow(len(turns)) + 1 if last is None else last % len(turns) + 1
    if not 1 <= turn <= len(turns):
        raise ValueError(f"--turn {turn}: the turns are 1 to {len(turns)}.")
    chosen = cheap | turns[turn - 1]
    units = [(name, unit, run) for name in sorted(fresh) for unit, run in record.files[name].units.items()]
    left_out = {(name, unit) for name, unit, _ in units if unit not in chosen}
    kept = [f"{name}::{test}" for name, unit, run in units if unit not in chosen for test in run.skipped]
    return Plan(
        frozenset(left_out),
        tuple(kept),
        tuple(sorted(fresh)),
        tuple(sorted(stale)),
        turn,
        len(turns),
        sum(run.tests for _, unit, run in units if unit in chosen) + len(kept),
        sum(run.tests for _, _, run in units),
        sum(run.seconds for _, unit, run in units if unit in chosen),
    )
