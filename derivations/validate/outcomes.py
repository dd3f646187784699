"""The verdicts of a run: claim by claim, from the results of its tasks."""

from collections.abc import Iterator, Mapping, Sequence

from derivations.experiments import registered
from derivations.experiments.model import Finding
from derivations.validate.judged import Judged
from derivations.validate.tasks import Done, Task
from derivations.validate.workers import Lost
from theory.claims.citations import inherited, order
from theory.claims.judge import applicable, standing
from theory.claims.model import CheckResult, Claim, Level, Outcome, Standing
from theory.claims.registry import catalog

Outcomes = Mapping[Task, Done | Lost]


def judge(claims: Sequence[Claim], done: Outcomes) -> tuple[tuple[Judged, ...], Finding]:
    """Judge the claims in the order of citation, so that each inherits the worst standing of those it cites."""
    chosen = {claim.id: claim for claim in claims}
    finding = findings(chosen, done)
    certified = {task.name: _certified(task, one) for task, one in done.items() if not task.experiment}
    judged: dict[str, Judged] = {}
    for claim in order(chosen, lambda claim: certified[claim.id].cites):
        cited = tuple(judged[name].standing for name in certified[claim.id].cites if name in judged)
        judged[claim.id] = _claim(claim, certified[claim.id], done, finding, cited)
    return tuple(judged[claim.id] for claim in claims), finding


def overall(claim: Claim, results: tuple[CheckResult, ...], cited: tuple[Standing, ...] = ()) -> Standing:
    """The standing of a claim by its own checks and by the standing of the claims that it cites."""
    return inherited(standing(claim, results), cited)


def findings(claims: Mapping[str, Claim], done: Outcomes) -> Finding:
    """The findings of the experiments together; the registered ones are judged as one family."""
    outcomes = [(task, one) for task, one in done.items() if task.experiment]
    measured = [one.measured for _, one in outcomes if isinstance(one, Done) and one.measured]
    parts = [one.finding for _, one in outcomes if isinstance(one, Done) and one.finding]
    lost = tuple(result for task, one in outcomes if isinstance(one, Lost) for result in _undecided(task, one))
    records = {name: data for run in measured for name, data in run.records.items()}
    parts = [Finding(results=(*registered.judged(measured, claims), *lost), estimates=records), *parts]
    return Finding(
        results=tuple(result for part in parts for result in part.results),
        figures={name: data for part in parts for name, data in part.figures.items()},
        remarks=tuple(remark for part in parts for remark in part.remarks),
        estimates={name: data for part in parts for name, data in part.estimates.items()},
    )


def _undecided(task: Task, lost: Lost) -> Iterator[CheckResult]:
    """The results of a task whose process died: INCONCLUSIVE at each of its levels, with the reason."""
    for name in task.claims:
        if task.experiment:
            details = {"experiment": task.experiment}
            yield CheckResult(name, Level.SIMULATED, Outcome.INCONCLUSIVE, where=lost.reason, details=details)
        else:
            for level in applicable(catalog()[name]):
                yield CheckResult(name, level, Outcome.INCONCLUSIVE, where=lost.reason)


def _certified(task: Task, one: Done | Lost) -> Done:
    return one if isinstance(one, Done) else Done(results=tuple(_undecided(task, one)))


def _claim(claim: Claim, certified: Done, done: Outcomes, finding: Finding, cited: tuple[Standing, ...]) -> Judged:
    results = (*certified.results, *(result for result in finding.results if result.claim == claim.id))
    experiments = {
        name: spent
        for task, one in done.items()
        if task.experiment and claim.id in task.claims and isinstance(one, Done)
        for name, spent in one.seconds.items()
    }
    seconds = {**certified.seconds, **experiments}
    printed = certified.printed
    return Judged(claim, results, certified.rows, printed, overall(claim, results, cited), seconds)
