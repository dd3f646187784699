"""The main job: derive and certify every claim, train the networks that claims are about, and compute the verdicts."""

import time
from collections.abc import Callable, Mapping, Sequence

from derivations import threads
from derivations.experiments.model import Settings
from derivations.validate import outcomes, workers
from derivations.validate.judged import Validation, versions
from derivations.validate.tasks import Done, Task, tasks
from derivations.validate.workers import Lost
from theory.claims.citations import cited_by
from theory.claims.model import Claim
from theory.claims.registry import catalog

Report = Callable[[str, str, float], None]  # (task, what is running, share done)
TASK = "validate"
_AT_MOST = 0.99  # share done while the report is not written


def run(claims: Sequence[Claim], settings: Settings, report: Report = lambda _task, _what, _share: None) -> Validation:
    """Check the claims at every level, in one pool of as many processes as there are cores, and judge each."""
    started = time.monotonic()
    todo = tasks(claims, settings)
    done = _do(todo, max(1, min(threads.cores(), len(todo))), report)
    judged, finding = outcomes.judge(claims, done)
    spent = sum(sum(one.seconds.values()) for one in done.values() if isinstance(one, Done))
    checks = sum(task.checks for task in todo)
    return Validation(settings.profile, judged, finding, time.monotonic() - started, versions(), checks, spent)


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


def with_cited(claims: Sequence[Claim]) -> tuple[Claim, ...]:
    """Return the claims and all that they cite, on which their verdicts depend."""
    wanted = {claim.id: claim for claim in claims}
    if wanted.keys() == catalog().keys():
        return tuple(claims)
    waiting = list(claims)
    while waiting:
        for name in cited_by(waiting.pop()):
            if name not in wanted:
                wanted[name] = catalog()[name]
                waiting.append(wanted[name])
    return tuple(wanted.values())
