"""The phase map of the map view, row by row."""

from collections.abc import Hashable, Mapping
from typing import Any

from derivations.explore.map_page import asked, drawn
from derivations.explore.phase_map import PhaseMap, phase_map, refuse_long
from derivations.explore.running import Job
from theory.problem import Problem


def question(problem: Problem, settings: Mapping[str, Any]) -> Hashable:
    """Return all that the map depends on. Raises OutOfReachError for a map that takes too long."""
    x, y, quantity, unit, time = asked(problem, settings)
    refuse_long(problem, x, y, quantity)
    return problem, x, y, quantity, unit, time


def run(problem: Problem, settings: Mapping[str, Any], job: Job) -> None:
    """Compute the map that the settings ask for, and publish it after each row; the job keeps it."""

    def report(share: float, found: PhaseMap | None) -> None:
        job.advance(share)
        if found is not None:
            job.publish(drawn(found), found)

    phase_map(problem, *asked(problem, settings), report)
