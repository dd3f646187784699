"""A piece of a validation that one process does: some levels of one claim, or one experiment; and its outcome."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from derivations.evidence import stored
from derivations.experiments import registered
from derivations.experiments.folders import discover
from derivations.experiments.model import Finding, Settings
from derivations.experiments.registered import Measured
from derivations.validate import recorded
from derivations.validate.checks import Check
from theory.claims.judge import examine, reexamine
from theory.claims.levels import PrintedFinding, TableRow
from theory.claims.model import CheckResult, Level
from theory.claims.registry import catalog

Progress = Callable[[str, float], None]


@dataclass(frozen=True)
class Task:
    """The checks that a process does together: all of one claim's chosen levels, or one experiment."""

    checks: tuple[Check, ...]
    seed: int
    settings: Settings
    evidence: Path = stored.FOLDER

    @property
    def name(self) -> str:
        """The claim, or the experiment."""
        return self.checks[0].experiment or self.checks[0].claims[0]

    @property
    def seconds(self) -> float:
        """The processor seconds that the task is expected to take."""
        scale = self.settings.scale if self.checks[0].level is None else 1
        return scale * sum(check.seconds for check in self.checks)


@dataclass(frozen=True)
class Done:
    """The outcome of a task: the results of a claim's levels, or the finding or measurement of an experiment.

    `seconds` is the processor time by level or by experiment.
    """

    results: tuple[CheckResult, ...] = ()
    rows: tuple[TableRow, ...] = ()
    printed: tuple[PrintedFinding, ...] = ()
    finding: Finding | None = None
    measured: Measured | None = None
    seconds: Mapping[str, float] = field(default_factory=dict)


def tasks(checks: Sequence[Check], seed: int, settings: Settings, evidence: Path = stored.FOLDER) -> list[Task]:
    """Return the tasks of the checks, the longest first, so that no process ends with a long one alone."""
    together: dict[str, list[Check]] = {}
    for check in checks:
        together.setdefault(check.claims[0] if check.level else check.name, []).append(check)
    made = [Task(tuple(members), seed, settings, evidence) for members in together.values()]
    return sorted(made, key=lambda task: -task.seconds)


def perform(task: Task, progress: Progress) -> Done:
    """Do a task. A claim is named by its id, because it holds functions and does not travel between processes."""
    return _certify(task) if task.checks[0].level else _experiment(task, progress)


def _certify(task: Task) -> Done:
    claim = catalog()[task.name]
    chosen = [check.level for check in task.checks]
    if all(check.fresh for check in task.checks):
        known = recorded.rows(claim, stored.read(claim, task.evidence)) if _needs_table(chosen) else ()
        found = reexamine(claim, catalog(), chosen, task.seed, known)
    else:
        found = examine(claim, catalog())
    seconds = {level.value: spent for level, spent in found.seconds.items()}
    return Done(found.results, found.rows, found.printed, seconds=seconds)


def _needs_table(chosen: Sequence[Level | None]) -> bool:
    return bool({Level.PRECISE, Level.NEGATIVE_CONTROL} & set(chosen))


def _experiment(task: Task, progress: Progress) -> Done:
    (check,) = task.checks
    claims = {name: catalog()[name] for name in check.claims}
    started = time.process_time()
    custom = {experiment.name: experiment for experiment in discover()}.get(check.experiment)
    if custom is None:
        members = tuple(claims.values())
        problem = registered.problem_of(members[0], check.experiment)
        measured = registered.measured(members, problem, task.settings, progress)
        return Done(measured=measured, seconds={check.experiment: time.process_time() - started})
    found = custom.run(claims, task.settings, progress)
    results = tuple(
        replace(result, details={**result.details, "experiment": check.experiment})
        for result in found.results
        if result.claim in claims
    )
    return Done(finding=replace(found, results=results), seconds={check.experiment: time.process_time() - started})
