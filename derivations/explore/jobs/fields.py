"""The networks of the fields view, snapshot by snapshot; then, where it is asked for, the replay of their gates."""

from collections.abc import Hashable, Mapping
from itertools import count
from typing import Any

from derivations.explore.running import Job
from theory.problem import Problem


def question(problem: Problem, settings: Mapping[str, Any]) -> Hashable:
    """Return all that the answer depends on: the problem as it is trained, and what stands beside it.

    Raises InputError for a training that takes too long.
    """
    from derivations.explore import fields_page, limits

    given = fields_page.asked(problem, settings)
    limits.refuse_long(given)
    return given, fields_page.beside(settings), settings.get("pieces") or None


def run(problem: Problem, settings: Mapping[str, Any], job: Job) -> None:
    """Train the problem and what stands beside it, and show each snapshot; the job keeps the networks."""
    from derivations.explore import fields, fields_page, pieces
    from derivations.explore.training import Learned, train_together

    given = fields_page.asked(problem, settings)
    view, _ = fields_page.prediction(given)
    replay = settings.get("pieces") or None
    part = 1.0 if replay is None else 0.5  # a replay trains its networks once more
    snapshots = count()

    def show(snapshot: int, learned: Mapping[str, Learned]) -> None:
        job.add({"snapshot": snapshot, **fields_page.snapshot_page(given, snapshot, learned, view)}, learned)

    def report(share: float, learned: Mapping[str, Learned] | None) -> None:
        job.advance(part * share)
        if learned is not None:
            show(next(snapshots), learned)

    learned = train_together(fields.rivals(given, fields_page.beside(settings)), report)
    if replay is not None:
        replayed = pieces.replayed(given, replay, lambda share: job.advance(part * (1 + share)))
        learned = {**learned, pieces.name_of(replay): replayed}
        for snapshot in range(len(given.training.times)):
            show(snapshot, learned)
