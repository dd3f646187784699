"""The networks of both sides of the compare view, snapshot by snapshot."""

from collections.abc import Mapping
from typing import Any

from derivations.explore.running import Job
from theory.problem import Problem


def run(problem: Problem, settings: Mapping[str, Any], job: Job) -> None:
    """Train both sides on the same streams, and publish all snapshots so far; the job keeps the networks."""
    from derivations.explore import compare_page
    from derivations.explore.training import Learned, train_together

    sides = compare_page.asked(problem, settings)
    shown: list[dict[str, Any]] = []

    def report(share: float, learned: Mapping[str, Learned] | None) -> None:
        job.advance(share)
        if learned is not None:
            shown.append(compare_page.snapshot_page(sides, len(shown), learned))
            job.publish({"snapshots": shown}, learned)

    train_together(sides, report)
