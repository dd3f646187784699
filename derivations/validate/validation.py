"""The main job: derive and certify every claim, train the networks they speak of, and compute the verdicts."""

import platform
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from importlib.metadata import version
from multiprocessing import get_context

from derivations.experiments import registered
from derivations.experiments.folders import discover
from derivations.experiments.model import Finding, Settings
from derivations.output import DISTRIBUTION
from theory.claims.citations import cited_by, inherited, order
from theory.claims.judge import examine, verdict
from theory.claims.levels import PrintedFinding, TableRow
from theory.claims.model import CheckResult, Claim, Level, Outcome, Verdict
from theory.claims.registry import catalog

Report = Callable[[str, str, float], None]  # (task, what is running, share done)
CERTIFY, TRAIN = "certify", "train"


@dataclass(frozen=True)
class Judged:
    """One claim with everything found about it and the verdict computed from that."""

    claim: Claim
    results: tuple[CheckResult, ...]
    rows: tuple[TableRow, ...]
    printed: tuple[PrintedFinding, ...]
    verdict: Verdict


@dataclass(frozen=True)
class Validation:
    """A whole run: the judged claims in order, what the experiments found, how long it took, with what versions."""

    profile: str
    judged: tuple[Judged, ...]
    finding: Finding
    seconds: float
    versions: Mapping[str, str] = field(default_factory=dict)

    def outcomes(self) -> list[Outcome]:
        """Every outcome of every level of every claim."""
        return [result.outcome for item in self.judged for result in item.results]


def run(claims: Sequence[Claim], settings: Settings, report: Report) -> Validation:
    """Certify in a process of its own while the networks train in this one."""
    started = time.monotonic()
    with ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=_leave_interrupts_to_the_parent) as pool:
        try:
            futures = {claim.id: pool.submit(_examined, claim.id) for claim in claims}
            done = 0

            def certified(_: object) -> None:
                nonlocal done
                done += 1
                report(CERTIFY, "certifying", done / len(futures))

            for future in futures.values():
                future.add_done_callback(certified)
            finding = _experiments(claims, settings, report)
            examined = {name: future.result() for name, future in futures.items()}
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    judged = _judged(claims, examined, finding)
    return Validation(settings.profile, judged, finding, time.monotonic() - started, versions())


def _leave_interrupts_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _examined(name: str) -> tuple[tuple[CheckResult, ...], tuple[TableRow, ...], tuple[PrintedFinding, ...]]:
    """Examine one claim by id: a claim holds functions and does not travel between processes, its results do."""
    examination = examine(catalog()[name], catalog())
    return examination.results, examination.rows, examination.printed


def _experiments(claims: Sequence[Claim], settings: Settings, report: Report) -> Finding:
    chosen = {claim.id: claim for claim in claims}
    custom = [experiment for experiment in discover() if set(experiment.claims) & set(chosen)]
    with_registration = [claim for claim in claims if claim.registration is not None]
    parts = []
    count = len(custom) + (3 if with_registration else 0)  # the registered runs take the longest by far
    if with_registration:
        parts.append(registered.run(with_registration, settings, lambda what, s: report(TRAIN, what, 3 * s / count)))
    for index, experiment in enumerate(custom, start=count - len(custom)):
        parts.append(
            experiment.run(chosen, settings, lambda what, s, i=index: report(TRAIN, what, (i + min(s, 1.0)) / count))
        )
    return Finding(
        results=tuple(result for part in parts for result in part.results if result.claim in chosen),
        figures={name: data for part in parts for name, data in part.figures.items()},
        remarks=tuple(remark for part in parts for remark in part.remarks),
        estimates={name: data for part in parts for name, data in part.estimates.items()},
        printed={name: found for part in parts for name, found in part.printed.items()},
    )


def _judged(claims: Sequence[Claim], examined: Mapping[str, tuple], finding: Finding) -> tuple[Judged, ...]:
    """Verdicts in the order of citation, so that each inherits the worst of what it rests on."""
    judged: dict[str, Judged] = {}
    for claim in order({claim.id: claim for claim in claims}):
        results, rows, printed = examined[claim.id]
        results += tuple(result for result in finding.results if result.claim == claim.id)
        printed += tuple(finding.printed.get(claim.id, ()))
        own = verdict(claim, results, printed)
        cited = tuple(judged[name].verdict for name in cited_by(claim) if name in judged)
        judged[claim.id] = Judged(claim, results, rows, printed, inherited(own, cited))
    return tuple(judged[claim.id] for claim in claims)


def with_cited(claims: Sequence[Claim]) -> tuple[Claim, ...]:
    """The claims and all they rest on: a verdict is only as good as those it cites."""
    wanted = {claim.id: claim for claim in claims}
    waiting = list(claims)
    while waiting:
        for name in cited_by(waiting.pop()):
            if name not in wanted:
                wanted[name] = catalog()[name]
                waiting.append(wanted[name])
    return tuple(wanted.values())


def versions() -> dict[str, str]:
    """The versions that a result depends on."""
    names = (DISTRIBUTION, "sympy", "mpmath", "python-flint", "numpy", "scipy", "torch")
    return {"python": platform.python_version(), **{name: version(name) for name in names}}


def exit_outcome(validation: Validation) -> Outcome:
    """FAIL where any level fails, INCONCLUSIVE where something stays undecided, else PASS.

    A claim that says what would settle it is expected to stay open; nothing was left undecided by the run.
    """
    outcomes = validation.outcomes()
    if Outcome.FAIL in outcomes:
        return Outcome.FAIL
    open_ = any(item.verdict is Verdict.OPEN and not item.claim.settled_by for item in validation.judged)
    return Outcome.INCONCLUSIVE if open_ or Outcome.INCONCLUSIVE in outcomes else Outcome.PASS


def result_at(item: Judged, level: Level) -> CheckResult | None:
    """The worst result of one claim at a level, or None where the level was not run."""
    severity = (Outcome.FAIL, Outcome.INCONCLUSIVE, Outcome.SKIPPED, Outcome.PASS)
    found = [result for result in item.results if result.level is level]
    return min(found, key=lambda result: severity.index(result.outcome)) if found else None
