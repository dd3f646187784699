"""The verdicts of a run: claim by claim, the results of its tasks and the evidence of the checks that did not run."""

from collections.abc import Iterator, Mapping, Sequence

from derivations.experiments import registered
from derivations.experiments.model import Finding
from derivations.output import DISTRIBUTION
from derivations.validate import recorded
from derivations.validate.checks import Evidence
from derivations.validate.judged import Judged
from derivations.validate.rotation import Plan
from derivations.validate.tasks import Done, Task
from derivations.validate.workers import Lost
from theory.claims.citations import inherited, order
from theory.claims.judge import examine, standing
from theory.claims.levels import PrintedFinding
from theory.claims.model import CheckResult, Claim, Level, Outcome, Standing

Outcomes = Mapping[Task, Done | Lost]


def judge(
    claims: Sequence[Claim], evidence: Evidence, plan: Plan, done: Outcomes
) -> tuple[tuple[Judged, ...], Finding]:
    """Judge the claims in the order of citation, so that each inherits the worst standing of those it cites."""
    chosen = {claim.id: claim for claim in claims}
    finding = findings(chosen, evidence, plan, done)
    judged: dict[str, Judged] = {}
    for claim in order(chosen, evidence.cited):
        cites = evidence.cited(claim)
        cited = tuple(judged[name].standing for name in cites if name in judged)
        judged[claim.id] = _claim(claim, evidence, plan, done, finding, cited)
    return tuple(judged[claim.id] for claim in claims), finding


def overall(claim: Claim, results: tuple[CheckResult, ...], cited: tuple[Standing, ...] = ()) -> Standing:
    """The standing of a claim by its own checks and by the standing of the claims that it cites."""
    return inherited(standing(claim, results), cited)


def findings(claims: Mapping[str, Claim], evidence: Evidence, plan: Plan, done: Outcomes) -> Finding:
    """The findings of this run's experiments together; the registered ones are judged as one family."""
    outcomes = [(task, one) for task, one in done.items() if task.checks[0].level is None]
    measured = [one.measured for _, one in outcomes if isinstance(one, Done) and one.measured]
    parts = [one.finding for _, one in outcomes if isinstance(one, Done) and one.finding]
    lost = tuple(result for task, one in outcomes if isinstance(one, Lost) for result in _undecided(task, one))
    judged = registered.judged(measured, claims, tuple(_beside(claims, evidence, plan)))
    records = {name: data for run in measured for name, data in run.records.items()}
    parts = [Finding(results=(*judged, *lost), estimates=records), *parts]
    return Finding(
        results=tuple(result for part in parts for result in part.results),
        figures={name: data for part in parts for name, data in part.figures.items()},
        remarks=tuple(remark for part in parts for remark in part.remarks),
        estimates={name: data for part in parts for name, data in part.estimates.items()},
    )


def _beside(claims: Mapping[str, Claim], evidence: Evidence, plan: Plan) -> Iterator[tuple[float, float]]:
    """p and level of the registered tests taken from evidence, so that Holm's family is the same in every round."""
    for check in plan.stored:
        for claim in (claims[name] for name in check.claims if check.level is None):
            for result in recorded.results(claim, evidence.of[claim.id]):
                if result.details.get("experiment") == check.experiment and "p" in result.details:
                    yield float(result.details["p"]), float(claim.registration.level)


def _undecided(task: Task, lost: Lost) -> Iterator[CheckResult]:
    """The results of a task whose process died: INCONCLUSIVE at each of its levels, with the reason."""
    for check in task.checks:
        level = check.level or Level.SIMULATED
        details = {"experiment": check.experiment} if check.level is None else {}
        for name in check.claims:
            yield CheckResult(name, level, Outcome.INCONCLUSIVE, where=lost.reason, details=details)


def _claim(
    claim: Claim, evidence: Evidence, plan: Plan, done: Outcomes, finding: Finding, cited: tuple[Standing, ...]
) -> Judged:
    known = evidence.of.get(claim.id)
    stored = tuple(recorded.results(claim, known)) if known else ()
    task = next((task for task in done if task.checks[0].level and task.name == claim.id), None)
    outcome = done.get(task, Done())
    certified = outcome if isinstance(outcome, Done) else Done(results=tuple(_undecided(task, outcome)))
    results = [*_levels(claim, task, certified, stored, evidence), *_simulated(claim, plan, finding, stored)]
    standing = tuple(
        result for result in results if result.outcome is not Outcome.SKIPPED and any(result is one for one in stored)
    )
    printed = _printed(claim, certified.printed, known if standing else None)
    experiments = {
        name: spent
        for task, one in done.items()
        if task.checks[0].level is None and claim.id in task.checks[0].claims and isinstance(one, Done)
        for name, spent in one.seconds.items()
    }
    return Judged(
        claim,
        tuple(results),
        certified.rows,
        printed,
        overall(claim, tuple(results), cited),
        standing,
        known["versions"][DISTRIBUTION] if standing else "",
        {**certified.seconds, **experiments},
        evidence.cited(claim),
    )


def _levels(
    claim: Claim, task: Task | None, certified: Done, stored: Sequence[CheckResult], evidence: Evidence
) -> Iterator[CheckResult]:
    """The results without simulation: those of a whole examination, or the stored ones with those of this run."""
    whole = any(not check.fresh for check in task.checks) if task else not evidence.is_fresh(claim)
    if whole:
        # A claim to which no level applies has no task: its examination only states why each is skipped.
        yield from certified.results if task else examine(claim, evidence.claims).results
        return
    now = {result.level: result for result in certified.results}
    yield from (now.get(result.level, result) for result in stored if "experiment" not in result.details)


def _simulated(claim: Claim, plan: Plan, finding: Finding, stored: Sequence[CheckResult]) -> Iterator[CheckResult]:
    """The results of the claim's experiments: of this run, or of the evidence where they did not run."""
    for checks, source in ((plan.now, finding.results), (plan.stored, stored)):
        names = [check.experiment for check in checks if check.level is None and claim.id in check.claims]
        for name in names:
            yield from (
                result for result in source if result.claim == claim.id and result.details.get("experiment") == name
            )


def _printed(claim: Claim, now: Sequence[PrintedFinding], known: Mapping | None) -> tuple[PrintedFinding, ...]:
    """The findings on the printed forms in the order of the sources, the stored ones where this run has none."""
    of = {(one.source.document, one.source.label): one for one in (recorded.printed(claim, known) if known else ())}
    of |= {(one.source.document, one.source.label): one for one in now}
    places = [(source.document, source.label) for source in claim.sources]
    return tuple(of[place] for place in dict.fromkeys(places) if place in of)
