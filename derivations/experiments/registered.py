"""The registered runs of claims: train the problem once, measure each claim's observable, judge all claims together."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from derivations.experiments.folders import problem_named
from derivations.experiments.model import Progress, Settings
from derivations.experiments.sized import mean_and_error
from derivations.statistics.comparison import Agreement, agreement, decide_all, replicates_needed, seed_for
from sim.measure import Estimate, measure
from sim.measure.receptive_fields import participation_ratio
from sim.train import train
from sim.training.rounding import descent_rounding
from sim.training.run import Run
from theory.claims.model import CheckResult, Claim, Level, Outcome
from theory.flow.linear.convention import convention
from theory.flow.linear.descent import mse_at
from theory.moments import gated_moments
from theory.problem import Problem, WeightsAtTimes

_PILOT_REPLICATES = 8
_MOST_TIMES_REGISTERED = 4  # a pilot may raise the registered number of replicates up to this factor


def groups(claims: Sequence[Claim]) -> dict[str, tuple[Claim, ...]]:
    """Claims that one run can judge, by the run's name: the same problem, prepared in the same way, trained or not.

    >>> from theory.claims import catalog
    >>> [claim.id for claim in groups(catalog().values())["small-bump, data"]]
    ['moment.site_gate.yx', 'moment.site_gate.xx']
    """
    by_run: dict[str, tuple[Claim, ...]] = {}
    for claim in claims:
        for problem in claim.registration.problems if claim.registration else ():
            name = run_name(claim, problem)
            by_run[name] = (*by_run.get(name, ()), claim)
    return by_run


def run_name(claim: Claim, problem: str) -> str:
    """The name of the run of this problem that judges the claim."""
    prepare = claim.registration.prepare
    how = prepare.__name__.strip("_").replace("_", " ") if prepare else "" if _is_trained(claim) else "data"
    return f"{problem}, {how}" if how else problem


def problem_of(claim: Claim, run: str) -> str:
    """The problem of the run of this name among those that the claim registers."""
    return next(problem for problem in claim.registration.problems if run_name(claim, problem) == run)


@dataclass(frozen=True)
class Measured:
    """A run before it is judged: its name, by claim how far the estimate lies from the theory, numbers for figures.

    `unaffordable` are the claims whose pilot asks for more replicates than allowed; they are not run. `rounding` is
    the floating-point type of training and the bound on its rounding; None where nothing is trained.
    """

    name: str
    agreements: tuple[tuple[str, Agreement], ...]
    records: Mapping[str, Mapping[str, object]]
    unaffordable: tuple[CheckResult, ...]
    rounding: tuple[str, float] | None = None


def measured(claims: Sequence[Claim], problem: str, settings: Settings, progress: Progress) -> Measured:
    """Pilot, plan, train and measure for the claims of one group."""
    name = run_name(claims[0], problem)

    def share(done: float) -> None:
        progress(f"training {problem}", done)

    prepared = _prepared(claims[0], problem)
    planned = _plan(claims, prepared, settings, _seed("pilot", claims[0], problem), lambda done: share(0.2 * done))
    limit = _MOST_TIMES_REGISTERED * prepared.simulated().replicates * settings.scale
    affordable = [claim for claim in claims if planned[claim.id] <= limit]
    estimates: list[tuple[Claim, Estimate]] = []
    curves: Mapping[str, tuple[np.ndarray, np.ndarray]] = {}
    if affordable:
        count = max([prepared.simulated().replicates * settings.scale, *(planned[c.id] for c in affordable)])
        sized = _with(prepared, replicates=count, seed=_seed("run", claims[0], problem))
        source, estimates = _estimates(affordable, sized, settings, lambda done: share(0.2 + 0.8 * done))
        drawn = any(isinstance(claim.registration.observable, WeightsAtTimes) for claim in claims)
        curves = _curves(source) if drawn and isinstance(source, Run) else {}
    return Measured(
        name,
        tuple((claim.id, agreement(claim, estimate)) for claim, estimate in estimates),
        {f"{claim.id}/{problem}": _record(claim, estimate, curves) for claim, estimate in estimates},
        tuple(_too_weak(claim, planned[claim.id], limit) for claim in claims if claim not in affordable),
        rounding_of(sized) if affordable and _is_trained(claims[0]) else None,
    )


def judged(runs: Sequence[Measured], claims: Mapping[str, Claim]) -> tuple[CheckResult, ...]:
    """Judge the measured runs together, by Holm's correction across them."""
    rows = [(run, claims[name], agreed) for run in runs for name, agreed in run.agreements]
    results = decide_all([(claim, agreed) for _, claim, agreed in rows])
    named = [
        (run.name, result if run.rounding is None else with_rounding(result, claim, *run.rounding))
        for (run, claim, _), result in zip(rows, results, strict=True)
    ]
    named += [(run.name, result) for run in runs for result in run.unaffordable]
    return tuple(replace(result, details={**result.details, "experiment": run}) for run, result in named)


def rounding_of(problem: Problem) -> tuple[str, float]:
    """The floating-point type in which a problem is trained, and the bound on its rounding."""
    return problem.simulated().dtype, descent_rounding(problem)


def with_rounding(result: CheckResult, claim: Claim, dtype: str, rounding: float) -> CheckResult:
    """State the type of training and that its rounding is negligible; INCONCLUSIVE where it is not.

    The bound of `descent_rounding` is relative to the largest trained number, the margin to the largest prediction.
    """
    margin = float(claim.registration.margin)
    below = rounding < margin
    negation = "" if below else "not "
    said = f"trained in {dtype}: rounding of at most {rounding:.1g} is {negation}below the margin {margin:.1g}"
    outcome = result.outcome if below or result.outcome is Outcome.FAIL else Outcome.INCONCLUSIVE
    details = {**result.details, "dtype": dtype, "rounding": rounding}
    return replace(result, outcome=outcome, where=f"{result.where}; {said}", details=details)


def _seed(stage: str, claim: Claim, problem: str) -> int:
    """Return the seed of a run, a hash of its description, so that nobody chooses it."""
    prepared_by = claim.registration.prepare.__name__ if claim.registration.prepare else ""
    return seed_for(f"{stage}/{(problem, prepared_by, _is_trained(claim))}")


def _is_trained(claim: Claim) -> bool:
    """Whether the observable needs training; moments of the data have no time."""
    return "time" in claim.registration.observable.axes


def _prepared(claim: Claim, name: str) -> Problem:
    problem = problem_named(name)
    return claim.registration.prepare(problem) if claim.registration.prepare else problem


def _with(problem: Problem, **changes: int) -> Problem:
    return replace(problem, simulation=replace(problem.simulated(), **changes))


def _plan(
    claims: Sequence[Claim], problem: Problem, settings: Settings, seed: int, progress: Callable[[float], None]
) -> dict[str, int]:
    """For each claim the replicates it needs, from a pilot on a stream of its own."""
    pilot = _with(problem, replicates=_PILOT_REPLICATES, seed=seed)
    _, estimates = _estimates(claims, pilot, settings, progress)
    return {claim.id: replicates_needed(claim, estimate) for claim, estimate in estimates}


def _estimates(
    claims: Sequence[Claim], problem: Problem, settings: Settings, progress: Callable[[float], None]
) -> tuple[Problem | Run, list[tuple[Claim, Estimate]]]:
    source: Problem | Run = problem
    if _is_trained(claims[0]):
        source = train(problem, device=settings.device, progress=lambda done, total: progress(0.8 * done / total))
    estimates = [(claim, measure(claim.registration.observable, source, settings.device)) for claim in claims]
    progress(1.0)
    return source, estimates


def _curves(run: Run) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return mean and standard error of loss and participation ratio at each time, for figures.

    The loss of each network is that of its weights on the exact moments, so that no further examples are drawn.
    """
    kept, s = run.surviving(), float(convention(run.problem).s)
    weights, biases = run.weights[kept], None if run.biases is None else run.biases[kept]
    curves = {
        "loss": mse_at(gated_moments(run.problem), weights, s, biases),
        "participation_ratio": participation_ratio(weights),
    }
    return {name: mean_and_error(values) for name, values in curves.items()}


def _too_weak(claim: Claim, needed: int, limit: int) -> CheckResult:
    where = f"the pilot asks for {needed} replicates, {limit} are allowed: not run"
    return CheckResult(claim.id, Level.SIMULATED, Outcome.INCONCLUSIVE, where=where, details={"needed": needed})


def _record(claim: Claim, estimate: Estimate, curves: Mapping[str, object]) -> dict[str, object]:
    """The numbers of an estimate that figures and evidence take; `curves` beside weights."""
    registered = claim.registration
    drawn = {"curves": curves} if isinstance(registered.observable, WeightsAtTimes) else {}
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
        **drawn,
    }
