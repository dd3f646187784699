"""Runs what claims register: train the problem once, measure each claim's observable, judge all claims together."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from derivations.experiments.folders import problem_named
from derivations.experiments.model import Finding, Progress, Settings
from derivations.statistics.comparison import compare_all, replicates_needed, seed_for
from sim.measure import Estimate, measure
from sim.train import train
from sim.training.rounding import descent_rounding
from sim.training.run import Run
from theory.claims.model import CheckResult, Claim, Level, Outcome
from theory.problem import Problem

_PILOT_REPLICATES = 8
_MOST_TIMES_REGISTERED = 4  # a pilot may raise the registered number of replicates up to this factor


def run(claims: Sequence[Claim], settings: Settings, progress: Progress) -> Finding:
    """Pilot, plan, train and measure for every claim with a registration; Holm's correction across them.

    A claim whose pilot asks for more replicates than allowed is INCONCLUSIVE and is not run.
    """
    groups = _by_training(claims)
    judged: list[tuple[str, Claim, Estimate]] = []
    unaffordable: list[CheckResult] = []
    for index, (key, members) in enumerate(groups.items()):

        def share(done: float, index: int = index, name: str = key[0]) -> None:
            progress(f"training {name}", (index + done) / len(groups))

        problem = _prepared(members[0], key[0])
        planned = _plan(members, problem, settings, seed_for(f"pilot/{key}"), lambda done: share(0.2 * done))
        limit = _MOST_TIMES_REGISTERED * problem.simulated().replicates * settings.scale
        affordable = [claim for claim in members if planned[claim.id] <= limit]
        unaffordable += [_too_weak(claim, planned[claim.id], limit) for claim in members if claim not in affordable]
        if affordable:
            count = max([problem.simulated().replicates * settings.scale, *(planned[c.id] for c in affordable)])
            sized = _with(problem, replicates=count, seed=seed_for(f"run/{key}"))
            estimates = _estimates(affordable, sized, settings, lambda done: share(0.2 + 0.8 * done))
            judged += [(key[0], claim, estimate) for claim, estimate in estimates]
    return Finding(
        results=(*_judged([(claim, estimate) for _, claim, estimate in judged]), *unaffordable),
        estimates={f"{claim.id}/{name}": _record(claim, estimate) for name, claim, estimate in judged},
    )


def _judged(pairs: list[tuple[Claim, Estimate]]) -> list[CheckResult]:
    """The results of all claims; of trained networks each states the type used and that its rounding is negligible.

    The bound of `descent_rounding` is relative to the largest trained number, the margin to the largest prediction:
    INCONCLUSIVE where the first is not the smaller.
    """
    return [
        _with_rounding(result, claim, estimate) if _is_trained(claim) else result
        for result, (claim, estimate) in zip(compare_all(pairs), pairs, strict=True)
    ]


def _with_rounding(result: CheckResult, claim: Claim, estimate: Estimate) -> CheckResult:
    dtype, rounding = estimate.problem.simulated().dtype, descent_rounding(estimate.problem)
    margin = float(claim.registration.margin)
    below = rounding < margin
    said = f"trained in {dtype}: rounding <= {rounding:.1g} is {'' if below else 'not '}below the margin {margin:.1g}"
    outcome = result.outcome if below or result.outcome is Outcome.FAIL else Outcome.INCONCLUSIVE
    details = {**result.details, "dtype": dtype, "rounding": rounding}
    return replace(result, outcome=outcome, where=f"{result.where}; {said}", details=details)


def _by_training(claims: Sequence[Claim]) -> dict[tuple[str, str, bool], list[Claim]]:
    """Claims that can be judged by the same run: the same problem, prepared in the same way, trained or not."""
    groups: dict[tuple[str, str, bool], list[Claim]] = {}
    for claim in claims:
        registered = claim.registration
        if registered is not None:
            prepared_by = registered.prepare.__name__ if registered.prepare else ""
            for name in registered.problems:
                groups.setdefault((name, prepared_by, _is_trained(claim)), []).append(claim)
    return groups


def _is_trained(claim: Claim) -> bool:
    """Whether the observable needs training; moments of the data have no time."""
    return "time" in claim.registration.observable.axes


def _prepared(claim: Claim, name: str) -> Problem:
    problem = problem_named(name)
    return claim.registration.prepare(problem) if claim.registration.prepare else problem


def _with(problem: Problem, **changes: int) -> Problem:
    return replace(problem, simulation=replace(problem.simulated(), **changes))


def _plan(
    claims: list[Claim], problem: Problem, settings: Settings, seed: int, progress: Callable[[float], None]
) -> dict[str, int]:
    """For each claim the replicates it needs, from a pilot on a stream of its own."""
    pilot = _with(problem, replicates=_PILOT_REPLICATES, seed=seed)
    estimates = _estimates(claims, pilot, settings, progress)
    return {claim.id: replicates_needed(claim, estimate) for claim, estimate in estimates}


def _estimates(
    claims: list[Claim], problem: Problem, settings: Settings, progress: Callable[[float], None]
) -> list[tuple[Claim, Estimate]]:
    source: Problem | Run = problem
    if _is_trained(claims[0]):
        source = train(problem, device=settings.device, progress=lambda done, total: progress(0.8 * done / total))
    estimates = [(claim, measure(claim.registration.observable, source, settings.device)) for claim in claims]
    progress(1.0)
    return estimates


def _too_weak(claim: Claim, needed: int, limit: int) -> CheckResult:
    where = f"the pilot asks for {needed} replicates, {limit} are allowed: not run"
    return CheckResult(claim.id, Level.SIMULATED, Outcome.INCONCLUSIVE, where=where, details={"needed": needed})


def _record(claim: Claim, estimate: Estimate) -> dict[str, object]:
    """The numbers of an estimate that figures and evidence take."""
    registered = claim.registration
    return {
        "observable": type(registered.observable).__name__,
        "source": estimate.problem,
        "prediction": np.asarray(registered.predict(estimate.problem)),
        "alternatives": {form.name: np.asarray(form.predict(estimate.problem)) for form in registered.alternatives},
        "times": [float(time) for time in estimate.problem.training.times],
        "mean": estimate.mean,
        "standard_error": estimate.standard_error,
        "replicates": estimate.replicates,
        "seed": estimate.seed,
    }
