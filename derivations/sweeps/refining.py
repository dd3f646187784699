"""An adaptive sweep cell by cell: one generation after the other is looked at, or made."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from derivations.sweeps import cells, stages
from derivations.sweeps.store import Store
from derivations.sweeps.versions import Memory
from theory.problem import Sweep

if TYPE_CHECKING:
    from derivations.sweeps.running import Swept


def by_generations(sweep: Sweep, folder: Path, look: "Callable[[stages.Stage], Swept]", memory: Memory) -> "Swept":
    """Look at (or make) the cells of one generation after the other, until one is not finished or none follows.

    The cells of earlier generations are looked for again each time, and made where they are gone; those in the `memory`
    are not read again.
    """
    stage, sources, moved = stages.first(sweep), {}, {}
    while True:
        swept = look(stage)
        for outcome in swept.outcomes:
            sources.setdefault(outcome.name, outcome.source)
        moved |= dict.fromkeys(swept.moved)
        following = stage.following(_values(stage, swept, folder, memory))
        ended = len(following.spots) == len(stage.spots)
        stage = following
        if ended:
            break
    outcomes = tuple(replace(outcome, source=sources[outcome.name]) for outcome in swept.outcomes)
    return replace(swept, outcomes=outcomes, remarks=tuple(moved | dict.fromkeys(swept.remarks)), stage=stage)


def _values(stage: stages.Stage, swept: "Swept", folder: Path, memory: Memory) -> dict[stages.Spot, stages.Values]:
    """The numbers of the finished cells; no numbers for those that diverged or are no valid problem."""
    values = dict(stage.values)
    for spot, outcome in zip(stage.spots, swept.outcomes, strict=True):
        if outcome.state == cells.COMPLETE and spot not in values:
            if outcome.name not in memory.numbers:
                _, arrays = Store.open(folder).read(outcome.name, outcome.cell.problem)
                memory.numbers[outcome.name] = stages.values_of(stage.declared.refine, arrays, outcome.cell.problem)
            values[spot] = memory.numbers[outcome.name]
        elif outcome.is_without_numbers:
            values[spot] = ()
    return values
