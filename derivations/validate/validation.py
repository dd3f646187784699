"""The main job: derive and certify every claim, train the networks that claims are about, and compute the verdicts.

A quick run checks whole what has changed since its evidence was stored, and of the rest what a budget allows, at new
points; the other verdicts are taken from their evidence, and the report lists them.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from derivations import threads
from derivations.evidence import stored
from derivations.experiments.model import Settings
from derivations.output import counted
from derivations.validate import outcomes, rotation, workers
from derivations.validate.checks import Check, Evidence
from derivations.validate.judged import Validation, versions
from derivations.validate.rotation import Plan
from derivations.validate.tasks import Done, Task, tasks
from derivations.validate.workers import Lost
from theory.claims.model import Claim
from theory.claims.registry import catalog

Report = Callable[[str, str, float], None]  # (task, what is running, share done)
Announce = Callable[[str], None]
TASK = "validate"
_AT_MOST = 0.99  # share done while the report is not written
_START = 5.0  # seconds in which the libraries are loaded


@dataclass(frozen=True)
class Choice:
    """The choice of checks of a run: everything, by a seed, or the round after the last one; and the evidence used."""

    everything: bool = False
    seed: int | None = None
    last: int | None = None
    budget: float = rotation.BUDGET
    evidence: Path = stored.FOLDER

    def of(self, checks: Sequence[Check]) -> Plan:
        """The plan of a run over the checks."""
        return rotation.whole(checks) if self.everything else rotation.plan(checks, self.budget, self.seed, self.last)


def run(
    claims: Sequence[Claim],
    settings: Settings,
    choice: Choice,
    report: Report = lambda _task, _what, _share: None,
    announce: Announce = lambda _text: None,
) -> Validation:
    """Do the checks of this run, all in one pool of as many processes as there are cores; judge every claim."""
    started = time.monotonic()
    evidence = Evidence(claims, choice.evidence, whole=choice.everything)
    plan = choice.of(evidence.checks())
    todo = tasks(plan.now, plan.seed, settings, choice.evidence)
    processes = max(1, min(threads.cores(), len(todo)))
    announce(_announcement(plan, todo, processes))
    done = _do(todo, processes, report)
    judged, finding = outcomes.judge(claims, evidence, plan, done)
    spent = sum(sum(one.seconds.values()) for one in done.values() if isinstance(one, Done))
    return Validation(settings.profile, judged, finding, time.monotonic() - started, versions(), plan, spent)


def _do(todo: Sequence[Task], processes: int, report: Report) -> Mapping[Task, Done | Lost]:
    total = sum(task.seconds for task in todo) or 1.0
    shares = dict.fromkeys((task.name for task in todo), 0.0)

    def progress(task: Task, what: str, share: float) -> None:
        shares[task.name] = min(1.0, share)
        report(TASK, what, min(_AT_MOST, sum(shares[one.name] * one.seconds for one in todo) / total))

    done: dict[Task, Done | Lost] = {}
    for task, outcome in workers.do_all(todo, processes, progress):
        done[task] = outcome
        progress(task, f"checked {task.name}", 1.0)
    return done


def _announcement(plan: Plan, todo: Sequence[Task], processes: int) -> str:
    """Announce the checks that will run and about how long they take."""
    seconds = [task.seconds for task in todo]
    wall = _START + max([sum(seconds) / processes, *seconds])
    how = f"about {wall:.0f} s with {processes} process{'es' if processes > 1 else ''} on idle cores"
    if not any(check.fresh for check in (*plan.now, *plan.stored)):
        return f"{counted(len(plan.now), 'check')} in full: {how}"
    of = f"{len(plan.now)} of {counted(len(plan.now) + len(plan.stored), 'check')} ({len(plan.changed)} changed)"
    return f"{of}, round {plan.round + 1} of {plan.rounds}, --seed {plan.seed}: {how}"


def with_cited(claims: Sequence[Claim], whole: bool = False) -> tuple[Claim, ...]:
    """Return the claims and all that they cite, on which their verdicts depend. `whole` is that of `Evidence`."""
    wanted = {claim.id: claim for claim in claims}
    if wanted.keys() == catalog().keys():
        return tuple(claims)
    evidence = Evidence(tuple(catalog().values()), whole=whole)
    waiting = list(claims)
    while waiting:
        for name in evidence.cited(waiting.pop()):
            if name not in wanted:
                wanted[name] = catalog()[name]
                waiting.append(wanted[name])
    return tuple(wanted.values())
