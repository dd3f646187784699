"""The checks of a quick validation: all without fresh evidence, and of the others a round that fits a budget.

The rounds are a partition of the fresh checks, so that as many runs as there are rounds run each of them at least
once, however many claims there are.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from derivations.rounds import rounds
from derivations.validate.checks import Check

BUDGET = 60.0  # processor seconds for checks with fresh evidence: half a minute on two cores


@dataclass(frozen=True)
class Plan:
    """The checks that run now and those that are taken from their evidence.

    `round` counts from 0 to `rounds` - 1; the seed draws the new points, and seed % rounds is the round, so that the
    seed alone repeats the run.
    """

    now: tuple[Check, ...]
    stored: tuple[Check, ...]
    seed: int
    round: int
    rounds: int
    budget: float

    @property
    def changed(self) -> tuple[Check, ...]:
        """The checks that run because no evidence of them is fresh."""
        return tuple(check for check in self.now if not check.fresh)


def whole(checks: Sequence[Check]) -> Plan:
    """The plan that runs every check as if none had evidence."""
    unknown = tuple(Check(one.claims, one.level, one.experiment, one.seconds, fresh=False) for one in checks)
    return Plan(unknown, (), 0, 0, 1, 0.0)


def plan(checks: Sequence[Check], budget: float = BUDGET, seed: int | None = None, last: int | None = None) -> Plan:
    """The plan of a run: of the fresh checks those of one round, and those of the next rounds that fit the budget.

    The round is the one after `last`; without `last` a random one, and with a `seed` the one that the seed determines.
    """
    fresh = [check for check in checks if check.fresh]
    parts = rounds(fresh, budget)
    if seed is None:
        turn = secrets.randbelow(len(parts)) if last is None else (last + 1) % len(parts)
        seed = secrets.randbelow(10**6) * len(parts) + turn
    turn = seed % len(parts)
    chosen = list(parts[turn])
    left = budget - sum(check.seconds for check in chosen)
    for later in range(1, len(parts)):
        for check in parts[(turn + later) % len(parts)]:
            if check.seconds <= left:
                chosen.append(check)
                left -= check.seconds
    names = {check.name for check in chosen} | {check.name for check in checks if not check.fresh}
    now = tuple(check for check in checks if check.name in names)
    return Plan(now, tuple(check for check in checks if check.name not in names), seed, turn, len(parts), budget)
