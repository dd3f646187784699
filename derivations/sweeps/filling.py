"""Running a large sweep: cells are known by the names of its plan, and problems are declared one after the other.

`running.run` verifies every cell that is there and keeps every problem, which a hundred thousand cells make slow.
"""

import random
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from derivations.sweeps import cells, plans, versions
from derivations.sweeps.gpus import needed
from derivations.sweeps.leases import MADE
from derivations.sweeps.leaving import Notice
from derivations.sweeps.looking import Look, Watcher
from derivations.sweeps.plans import Plan, Report
from derivations.sweeps.running import FAILED, MISSING, Outcome, set_aside
from derivations.sweeps.store import Store, check_creatable
from derivations.sweeps.workers import KEPT, Answer, Job, visible_gpus, work
from theory.problem import InputError, Sweep


def record(sweep: Sweep, folder: Path, code: str, report: Report = lambda _share, _what: None) -> tuple[Store, Plan]:
    """Record a large sweep and its plan in the store `folder`, which is made where it is missing.

    Raises InputError as `plans.planned` does, and for a folder that cannot be a store.
    """
    check_creatable(folder)
    made = plans.plan(Store.open(folder) if (folder / "store.json").exists() else None, sweep, code, report)
    store = Store.create(folder)
    plans.keep(store, sweep, made)
    store.record(sweep)
    versions.note(store, code)
    return store, made


def fill(
    sweep: Sweep,
    folder: Path,
    device: str,
    workers: int,
    report: Report,
    anywhere: bool = False,
    notice: Notice | None = None,
) -> Look:
    """Make the missing cells of a large sweep, as `running.run` does; return a look at the store, with `made`.

    Of the cells that are there those are set aside and made anew that a look finds damaged; the others are left as they
    are. Raises what `running.run` raises.
    """
    from sim.training.devices import device_type

    kind = device_type(device)
    code = cells.code_version(kind)
    store, plan = record(sweep, folder, code, report)
    watcher = Watcher(sweep, folder, code)
    moved = set_aside(store, watcher.look().notable)
    rooms = store.rooms()
    # Of a cell in work there may be an empty folder; whoever gets its lease asks the server.
    absent = [name for name in plan.ids if name and (name not in rooms.cells or name in rooms.leases)]
    begin = random.randrange(len(absent)) if anywhere and absent else 0
    absent = sorted(absent[begin:] + absent[:begin], key=rooms.failures.__contains__)  # those that failed come last
    shares, made, lost, said = dict[str, float](), 0, dict[str, Answer](), list[str]()
    finished = len(plan.position) - len(absent)

    def tell() -> None:
        report((finished + sum(shares.values())) / sweep.size, f"{finished} of {sweep.size} cells")

    def progress(job: Job, share: float) -> None:
        shares[job.cell] = min(share, 0.99)
        tell()

    tell()
    try:
        jobs = _jobs(sweep, store, plan, absent, rooms.failures, kind)
        gpus = visible_gpus(kind) if absent else ()
        with closing(work(jobs, folder, device, workers, progress, notice, gpus)) as answers:
            for answer in answers:
                shares.pop(answer.job.cell, None)
                finished += answer.what != KEPT
                made += answer.what == MADE
                if answer.error is not None:
                    lost[answer.job.cell] = answer
                said += [] if answer.remark is None else [answer.remark]
                tell()
    finally:
        store.remove_leftovers()
    look = watcher.look()
    look = _with(look, {name: one for name, one in lost.items() if _is_missing(store, name)}, plan)
    return replace(look, made=made, remarks=(*look.remarks, *moved, *said))


def _jobs(
    sweep: Sweep, store: Store, plan: Plan, absent: list[str], failures: frozenset[str], kind: str
) -> Iterator[Job]:
    for name in absent:
        problem = sweep.cell(sweep.index(plan.position[name])).problem
        asked = cells.question(problem, sweep.observables)
        if asked.cell(plan.code) != name:
            raise InputError(
                f"The plan of this sweep in {store.folder / 'sweeps'} names other cells than the sweep has.",
                "Remove the file that ends in .plan there; the next run writes it anew.",
                "file",
            )
        failed = store.failure(name) if name in failures else None
        needs = needed(problem, sweep.observables, kind)
        yield Job(name, asked, plan.code, failed.token if failed else None, needs)


def _is_missing(store: Store, name: str) -> bool:
    return not store.is_there(name) and store.maker(name) is None and store.failure(name) is None


def _with(look: Look, lost: dict[str, Answer], plan: Plan) -> Look:
    """Return the look with the failures that nobody could record, such as those of processes that were killed."""
    added = []
    for name, answer in lost.items():
        index = look.sweep.index(plan.position[name])
        error = {key: answer.error[key] for key in ("kind", "message", "hint")}
        added.append(Outcome(look.sweep.cell(index), FAILED, name, error=error))
    if not added:
        return look
    counts = {**look.counts, FAILED: look.count(FAILED) + len(added), MISSING: look.count(MISSING) - len(added)}
    counts = {state: number for state, number in counts.items() if number}
    return replace(look, counts=counts, notable=(*look.notable, *added))
