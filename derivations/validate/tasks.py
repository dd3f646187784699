"""The pieces of a validation that one process does: all levels of a claim, or an experiment; and their outcomes."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from derivations.evidence import stored
from derivations.experiments import registered
from derivations.experiments.folders import discover
from derivations.experiments.model import Finding, Settings
from derivations.experiments.registered import Measured
from theory.claims.citations import cited_by
from theory.claims.judge import applicable, examine
from theory.claims.levels import PrintedFinding, TableRow
from theory.claims.model import CheckResult, Claim
from theory.claims.registry import catalog

Progress = Callable[[str, float], None]
_UNKNOWN_LEVEL, _UNKNOWN_EXPERIMENT = 0.5, 10.0  # assumed seconds of a check that has no stored evidence


@dataclass(frozen=True)
class Task:
    """All levels of one claim, or, where `experiment` names one, that experiment and the claims that it judges.

    `checks` counts its levels, one for an experiment; `seconds` is the processor time that it is expected to take,
    which orders the tasks and forecasts the time left, and decides nothing else.
    """

    claims: tuple[str, ...]
    experiment: str
    settings: Settings
    checks: int
    seconds: float

    @property
    def name(self) -> str:
        """The experiment, or else the claim."""
        return self.experiment or self.claims[0]


@dataclass(frozen=True)
class Done:
    """The outcome of a task: the results of a claim's levels, or the finding or measurement of an experiment.

    `seconds` is the processor time by level or by experiment; `cites` are the ids of the claims that a claim cites.
    """

    results: tuple[CheckResult, ...] = ()
    rows: tuple[TableRow, ...] = ()
    printed: tuple[PrintedFinding, ...] = ()
    cites: tuple[str, ...] = ()
    finding: Finding | None = None
    measured: Measured | None = None
    seconds: Mapping[str, float] = field(default_factory=dict)


def tasks(claims: Sequence[Claim], settings: Settings) -> list[Task]:
    """Return the tasks of the claims, the longest first, so that no process ends with a long one alone."""
    known = {claim.id: _seconds(claim) for claim in claims}
    certified = [
        Task((claim.id,), "", settings, len(levels), sum(known[claim.id].get(one, _UNKNOWN_LEVEL) for one in levels))
        for claim in claims
        for levels in [applicable(claim)]
    ]
    trained = [
        Task(ids, name, settings, 1, settings.scale * known[ids[0]].get(name, _UNKNOWN_EXPERIMENT))
        for name, ids in experiments_of(claims)
    ]
    return sorted([*certified, *trained], key=lambda task: -task.seconds)


def _seconds(claim: Claim) -> Mapping[str, float]:
    """Return the processor time of the claim's checks as its evidence states it; empty without evidence."""
    try:
        return (stored.read(claim) or {}).get("seconds", {})
    except stored.DamagedEvidenceError:
        return {}


def experiments_of(claims: Sequence[Claim]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield name and claims of every experiment that judges one of the claims, the registered ones first."""
    for name, members in registered.groups(claims).items():
        yield name, tuple(claim.id for claim in members)
    chosen = {claim.id for claim in claims}
    for experiment in discover():
        ids = tuple(name for name in experiment.claims if name in chosen)
        if ids:
            yield experiment.name, ids


def perform(task: Task, progress: Progress) -> Done:
    """Do a task. A claim is named by its id, because it holds functions and does not travel between processes."""
    return _experiment(task, progress) if task.experiment else _certify(task)


def _certify(task: Task) -> Done:
    claim = catalog()[task.name]
    examined = examine(claim, catalog(), task.settings.scale)
    seconds = {level.value: spent for level, spent in examined.seconds.items()}
    return Done(examined.results, examined.rows, examined.printed, cited_by(claim), seconds=seconds)


def _experiment(task: Task, progress: Progress) -> Done:
    claims = {name: catalog()[name] for name in task.claims}
    started = time.process_time()
    custom = {experiment.name: experiment for experiment in discover()}.get(task.experiment)
    if custom is None:
        members = tuple(claims.values())
        problem = registered.problem_of(members[0], task.experiment)
        measured = registered.measured(members, problem, task.settings, progress)
        return Done(measured=measured, seconds={task.experiment: time.process_time() - started})
    finding = custom.run(claims, task.settings, progress)
    results = tuple(
        replace(result, details={**result.details, "experiment": task.experiment})
        for result in finding.results
        if result.claim in claims
    )
    return Done(finding=replace(finding, results=results), seconds={task.experiment: time.process_time() - started})
