"""Running a sweep, and looking at one: finished cells are kept, missing ones computed, and each has an outcome."""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from derivations.output import CHECK_FAILED, OUT_OF_REACH, PASS, UNDECIDED, counted
from derivations.sweeps import cells
from derivations.sweeps.computing import DONE, PRESENT, Answer, Engine, Task, map_cells, trained
from derivations.sweeps.plans import LARGE, Plan, Report, make_plan, sweep_id
from derivations.sweeps.store import MARKER, Store, check_creatable
from theory.problem import Cell, Sweep, WorkbenchError

MISSING, INVALID, DAMAGED, FAILED, UNREACHABLE = "missing", "invalid", "damaged", "failed", "out of reach"
_ABSENT = (MISSING, DAMAGED, FAILED, UNREACHABLE)
Memory = dict[str, dict[str, Any]]  # the verified facts of cells that were read: they do not change


@dataclass(frozen=True)
class Outcome:
    """The outcome of one cell: `state` in words, its id, and its facts or the reason why it has none.

    `source` is "store" where it was there before, "made" by this run, or "elsewhere" by another at the same time;
    `attempt` is what the store knows of the last attempt.
    """

    cell: Cell
    state: str
    name: str | None = None
    source: str | None = None
    meta: dict[str, Any] | None = None
    error: dict[str, Any] | None = None
    attempt: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Swept:
    """The outcome of a sweep: its cells in order, remarks for its reader, and the job that was submitted for it."""

    plan: Plan
    outcomes: tuple[Outcome, ...]
    remarks: tuple[str, ...] = ()
    job: str | None = None

    def count(self, *states: str) -> int:
        """Return the number of cells in one of the states."""
        return sum(outcome.state in states for outcome in self.outcomes)

    @property
    def counts(self) -> dict[str, int]:
        """The number of cells in each state, by the names of the states."""
        return dict(sorted(Counter(outcome.state for outcome in self.outcomes).items()))

    @property
    def to_make(self) -> dict[str, int]:
        """The remaining work: cells, their networks, and the steps of all these networks."""
        absent = [place for place, outcome in enumerate(self.outcomes) if outcome.state in _ABSENT]
        networks = sum(self.plan.networks[place] for place in absent)
        return {"cells": len(absent), "networks": networks, "network_steps": sum(map(self.plan.cost, absent))}

    @property
    def seconds_left(self) -> float | None:
        r"""The seconds of one process for the missing cells; None where none is missing or no cell has finished.

        The rate is $\sum s/\sum c$ of the seconds s and the network-steps c of finished cells.
        """
        spent, steps, remaining = 0.0, 0, 0
        for place, outcome in enumerate(self.outcomes):
            cost = max(self.plan.cost(place), 1)
            if outcome.meta is not None and outcome.attempt.get("seconds"):
                spent, steps = spent + outcome.attempt["seconds"], steps + cost
            remaining += cost if outcome.state in (MISSING, DAMAGED) else 0
        return spent / steps * remaining if steps and remaining else None

    @property
    def exit_code(self) -> int:
        """0: all cells exist; 1: some failed, diverged or are damaged; 4: some are out of reach; 3: some missing."""
        if self.count(FAILED, DAMAGED, cells.DIVERGED):
            return CHECK_FAILED
        if self.count(UNREACHABLE):
            return OUT_OF_REACH
        return UNDECIDED if self.count(MISSING) else PASS


def in_words(seconds: float) -> str:
    """Return a time in the unit that suits it, in two significant digits.

    >>> in_words(0.2), in_words(61), in_words(7300), in_words(180000), in_words(9.9e6)
    ('below 1 s', '1 min', '2 h', '2.1 days', '110 days')
    """
    for size, unit in ((86400, "days"), (3600, "h"), (60, "min"), (1, "s")):
        if seconds >= size:
            return f"{float(f'{seconds / size:.2g}'):g} {unit}"
    return "below 1 s"


def status(plan: Plan, folder: Path, here: str, memory: Memory | None = None) -> Swept:
    """Return the existing cells of a plan; nothing is run or written. A folder without a store has no cell.

    Of more than LARGE cells the arrays are not read. What is in the `memory` is not read again. `here` is this
    machine's version of the code.
    """
    if (folder / MARKER).exists():
        Store.open(folder)
    else:
        check_creatable(folder)
    store, memory = Store(folder), {} if memory is None else memory
    names = store.names()
    outcomes = tuple(_outcome(plan, position, store, names, memory) for position in range(len(plan.ids)))
    return Swept(plan, outcomes, (*_of_versions(plan, store, here), *_remarks(outcomes)))


def _outcome(plan: Plan, position: int, store: Store, names: frozenset[str], memory: Memory) -> Outcome:
    """Return the outcome of a cell of a plan; `names` are the ids of the cells that exist."""
    cell, name = plan.at(position), plan.ids[position]
    if position in plan.errors:
        return Outcome(cell, INVALID, error=dict(plan.errors[position]))
    attempt = store.attempt(name) if name else {}
    if name in names:
        try:
            if name not in memory:
                meta, _ = cells.read(store.place(name), with_arrays=len(plan.ids) <= LARGE)
                memory[name] = {key: value for key, value in meta.items() if key != "problem"}
            return Outcome(cell, memory[name]["state"], name, "store", memory[name], attempt=attempt)
        except WorkbenchError as error:
            state = DAMAGED if isinstance(error, cells.DamagedError) else FAILED
            return Outcome(cell, state, name, error={key: getattr(error, key) for key in ("kind", "message", "hint")})
        except FileNotFoundError:
            pass  # removed meanwhile
    return _absent(cell, name, attempt)


def _absent(cell: Cell, name: str, attempt: dict[str, Any]) -> Outcome:
    """Return the outcome of a cell that is missing, or failed in the last attempt."""
    error = attempt.get("error")
    if error is None:
        return Outcome(cell, MISSING, name or None, attempt=attempt)
    state = UNREACHABLE if error.get("exit_code") == OUT_OF_REACH else FAILED
    shown = {key: error[key] for key in ("kind", "message", "hint")} | {"when": attempt.get("when")}
    return Outcome(cell, state, name, error=shown, attempt=attempt)


def record(sweep: Sweep, folder: Path, code: str, report: Report) -> Plan:
    """Record a sweep in the store `folder`, which is made where it is missing, and run nothing; return its plan."""
    check_creatable(folder)
    plan = make_plan(sweep, code, report)
    Store.create(folder).record(plan)
    return plan


def run(
    sweep: Sweep,
    folder: Path,
    device: str,
    engine: Engine,
    report: Report,
    *,
    code_allowed: bool = True,
    shuffled: bool = False,
) -> Swept:
    """Compute the cells that are missing from the store `folder` by an engine, and report the outcome of each.

    `device` is "cpu" or "cuda". A cell that failed before is tried again, after the others. `shuffled`, machines that
    start together take few cells twice. With `code_allowed` the Python that problems name may run.
    Raises InputError before anything runs for cells that are invalid (see `make_plan`) or a folder that cannot be a
    store; OutOfReachError for an absent device or scheduler. On KeyboardInterrupt the processes are ended; what was
    finished stays.
    """
    engine.check(folder)
    code, store, memory = cells.code_version(device), Store(folder), Memory()
    answers, remarks = dict[str, Answer](), dict[str, None]()
    plan = record(sweep, folder, code, report)
    before = status(plan, folder, code, memory)
    absent = [place for place, outcome in enumerate(before.outcomes) if outcome.state in _ABSENT]
    if shuffled:
        random.shuffle(absent)
    shares, done = dict[str, float](), len(plan.ids) - len(absent)

    def tell(task: Task | None = None, share: float = 0.0) -> None:
        if task is not None:
            shares[task.cell] = min(share, 0.99)
        report((done + sum(shares.values())) / len(plan.ids), f"{done} of {len(plan.ids)} cells")

    tell()
    tasks = _tasks(plan, absent, store, device, partial(trained, code_allowed=code_allowed))
    for answer in map_cells(tasks, store, engine, tell):
        answers[answer.task.cell] = answer
        remarks.update(dict.fromkeys(answer.remarks))
        shares.pop(answer.task.cell, None)
        done += 1
        tell()
    after = status(plan, folder, code, memory)
    outcomes = tuple(_became(outcome, answers.get(outcome.name)) for outcome in after.outcomes)
    return replace(after, outcomes=outcomes, remarks=(*remarks, *after.remarks), job=engine.job)


def _became(outcome: Outcome, answer: Answer | None) -> Outcome:
    """Return the outcome after a run, with who computed it, or with a failure that the disk did not take."""
    if answer is None:
        return outcome
    if outcome.state == MISSING and answer.error is not None:
        return _absent(outcome.cell, outcome.name, {"error": answer.error})
    return replace(outcome, source={DONE: "made", PRESENT: "elsewhere"}.get(answer.what, outcome.source))


def _tasks(plan: Plan, places: Iterable[int], store: Store, device: str, compute: Callable) -> Iterator[Task]:
    """Yield the tasks as they are needed; those last that have failed before, or that another command has begun."""

    def task(place: int) -> Task:
        problem = plan.sweep.cell(plan.sweep.index(place)).problem
        return Task(plan.ids[place], cells.question(problem, plan.sweep.observables), plan.code, device, compute)

    attempted = []
    for place in places:
        if store.attempt(plan.ids[place]):
            attempted.append(place)
        else:
            yield task(place)
    yield from map(task, attempted)


def _of_versions(plan: Plan, store: Store, here: str) -> Iterator[str]:
    """Yield a remark where these cells, or others of this sweep, are of another version of the code."""
    if plan.code != here:
        yield f"These cells are of another version of the code, {plan.code}; this machine's is {here}."
    names, sweep = store.names(), sweep_id(plan.sweep)
    for other in store.plans()[0]:
        number = len(names.intersection(other.ids))
        if number and other.code != plan.code and sweep_id(other.sweep) == sweep:
            yield f"{counted(number, 'cell')} of another version of the code, {other.code}, do not count for this one."


def _remarks(outcomes: tuple[Outcome, ...]) -> Iterator[str]:
    metas = [outcome.meta for outcome in outcomes if outcome.meta is not None]
    begun = Counter(each.attempt["machine"] for each in outcomes if each.state == MISSING and each.attempt)
    for machine, number in sorted(begun.items()):
        yield f"{counted(number, 'cell')} begun on {machine}, not finished."
    if some := [meta for meta in metas if meta["diverged"] and meta["state"] == cells.COMPLETE]:
        yield f"In {len(some)} cells some networks diverged; means are over the others."
    for name in sorted({name for meta in metas for name in meta["undefined"]}):
        reasons = [meta["undefined"][name] for meta in metas if name in meta["undefined"]]
        yield f"{len(reasons)} cells have no {name}: {reasons[0]}"
