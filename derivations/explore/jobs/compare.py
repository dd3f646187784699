"""The networks of both sides of the compare view: the first group snapshot by snapshot, then group by group."""

from collections.abc import Hashable, Mapping
from itertools import count
from typing import Any

from derivations.explore.running import Job
from theory.problem import Problem

GROUP = 8  # networks: a first verdict comes early, and further networks sharpen it


def question(problem: Problem, settings: Mapping[str, Any]) -> Hashable:
    """Return both sides as they are trained: the answer depends on nothing else.

    Raises InputError for a training that takes too long.
    """
    from derivations.explore import compare_page, limits

    sides = tuple(compare_page.asked(problem, settings).values())
    for side in sides:
        limits.refuse_long(side)
    return sides


def run(problem: Problem, settings: Mapping[str, Any], job: Job) -> None:
    """Train both sides on the same streams, and show each snapshot as it comes; the job keeps the networks.

    A further group is shown once it is trained, so that all times always have the same networks.
    """
    from derivations.explore import compare_page
    from derivations.explore.training import Learned, joined, train_together

    sides = compare_page.asked(problem, settings)
    networks = range(sides["A"].simulated().replicates)
    groups = [networks[start : start + GROUP] for start in range(0, len(networks), GROUP)]
    snapshots = count()

    def show(snapshot: int, learned: Mapping[str, Learned]) -> None:
        job.add({"snapshot": snapshot, **compare_page.snapshot_page(sides, snapshot, learned)}, learned)

    def report(share: float, learned: Mapping[str, Learned] | None) -> None:
        job.advance(len(groups[0]) * share / len(networks))
        if learned is not None:
            show(next(snapshots), learned)

    learned = train_together(sides, report, groups[0])
    for group in groups[1:]:

        def advance(share: float, _learned: Mapping[str, Learned] | None, group: range = group) -> None:
            job.advance((group.start + len(group) * share) / len(networks))

        learned = joined(learned, train_together(sides, advance, group))
        for snapshot in range(len(sides["A"].training.times)):
            show(snapshot, learned)
