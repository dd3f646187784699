"""Networks trained side by side for the view that the settings name; results come snapshot by snapshot."""

from collections.abc import Mapping
from typing import Any

from derivations.explore.running import Job
from derivations.explore.views import view_of
from theory.problem import Problem


def run(problem: Problem, settings: Mapping[str, Any], job: Job) -> None:
    """Train the rivals of a view, and publish what the view shows of them; the job keeps them as its value."""
    from derivations.explore.training import Learned, train_together

    view = view_of(settings.get("view"))

    def report(share: float, learned: Mapping[str, Learned] | None) -> None:
        job.advance(share)
        if learned is not None:
            job.publish(view.learned(problem, settings, learned), learned)

    train_together(view.rivals(problem, settings), report)
