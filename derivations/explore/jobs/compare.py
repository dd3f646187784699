"""The networks of both sides of the compare view, snapshot by snapshot."""

from collections.abc import Mapping
from itertools import count
from typing import Any

from derivations.explore.running import Job
from theory.problem import Problem


def run(problem: Problem, settings: Mapping[str, Any], job: Job) -> None:
    """Train both sides on the same streams, and show each snapshot as it comes; the job keeps the networks."""
    from derivations.explore import compare_page
    from derivations.explore.training import Learned, train_together

    sides = compare_page.asked(problem, settings)
    snapshots = count()

    def report(share: float, learned: Mapping[str, Learned] | None) -> None:
        job.advance(share)
        if learned is not None:
            snapshot = next(snapshots)
            job.add({"snapshot": snapshot, **compare_page.snapshot_page(sides, snapshot, learned)}, learned)

    train_together(sides, report)
