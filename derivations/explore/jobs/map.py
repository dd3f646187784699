"""The phase map of the map view, row by row."""

from collections.abc import Mapping
from typing import Any

from derivations.explore.map_page import asked, drawn
from derivations.explore.phase_map import PhaseMap, phase_map
from derivations.explore.running import Job
from theory.problem import Problem


def run(problem: Problem, settings: Mapping[str, Any], job: Job) -> None:
    """Compute the map that the settings ask for, and publish it after each row; the job keeps it."""

    def report(share: float, found: PhaseMap) -> None:
        job.advance(share)
        job.publish(drawn(found), found)

    phase_map(problem, *asked(problem, settings), report)
