"""Fits of the fields that a job of the fields view has trained, at the snapshot that the page shows."""

from collections.abc import Mapping
from typing import Any

from derivations.explore.running import JOBS, Job
from theory.problem import InputError, Problem


def run(problem: Problem, settings: Mapping[str, Any], job: Job) -> None:
    """Fit every field of the networks of the job settings["trained"] at settings["snapshot"], and show the table."""
    from derivations.answers.fields import fitted
    from derivations.explore import fields_page, fits_page
    from derivations.explore.fields import fields_at, reached

    given = fields_page.asked(problem, settings)
    snapshot = int(settings.get("snapshot", len(given.training.times) - 1))
    there = reached(JOBS.get(str(settings.get("trained"))).state().value or {}, snapshot)
    if not there:
        raise InputError("No networks have reached this time.", "Train them first, or move the time back.", "snapshot")
    time, fits = float(given.training.times[snapshot]), {}
    for place, (name, learned) in enumerate(there.items()):

        def progress(done: int, total: int, place: int = place) -> None:
            job.advance((place + done / total) / len(there))

        fits[name] = fitted(given, "networks", time, fields_at(learned, snapshot), progress)
    job.publish(fits_page.page(fits))
