"""The networks of side A of the compare view at several gains, gain by gain."""

from collections.abc import Hashable, Mapping
from typing import Any

from derivations.explore.running import Job
from theory.problem import Problem


def question(problem: Problem, settings: Mapping[str, Any]) -> Hashable:
    """Return the problem as it is trained: the answer depends on nothing else.

    Raises InputError for a training that takes too long.
    """
    from derivations.explore import compare_page, limits

    given = compare_page.trained(problem, settings)
    limits.refuse_long(given)
    return given


def run(problem: Problem, settings: Mapping[str, Any], job: Job) -> None:
    """Train A at one gain after the other, and show all that are done; the job keeps the verdicts."""
    from derivations.explore import compare_page
    from derivations.explore.gain_sweep import Found, along_gains, page

    given = compare_page.trained(problem, settings)

    def report(share: float, found: Found | None) -> None:
        job.advance(share)
        if found is not None:
            job.publish({**page(given, found), "done": False}, found)

    found = along_gains(given, report)
    job.publish({**page(given, found), "done": True}, found)
