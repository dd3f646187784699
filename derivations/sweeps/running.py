"""Running a sweep, and looking at one: finished cells are kept, missing ones computed, and each has an outcome."""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from derivations.output import CHECK_FAILED, OUT_OF_REACH, PASS, UNDECIDED, counted
from derivations.sweeps import cells, refining
from derivations.sweeps.computing import DONE, THERE, Answer, Engine, Task, map_cells
from derivations.sweeps.plans import LARGE, Plan, Report, plan, sweep_id
from derivations.sweeps.refining import MOST_CELLS, Stage
from derivations.sweeps.store import Store, check_creatable
from theory.problem import Cell, InputError, Sweep

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

    @property
    def is_without_numbers(self) -> bool:
        """Whether the cell has no numbers, which no run changes."""
        return self.state in (cells.DIVERGED, INVALID)


@dataclass(frozen=True)
class Swept:
    """The outcome of a sweep: its cells in order, remarks for its reader, and the job that was submitted for it.

    `stage` is that of an adaptive sweep, whose cells so far are those of the plan.
    """

    plan: Plan
    outcomes: tuple[Outcome, ...]
    remarks: tuple[str, ...] = ()
    job: str | None = None
    stage: Stage | None = None

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
        left = [place for place, outcome in enumerate(self.outcomes) if outcome.state in _ABSENT]
        networks = sum(self.plan.networks[place] for place in left)
        return {"cells": len(left), "networks": networks, "network_steps": sum(map(self.plan.cost, left))}

    @property
    def seconds_left(self) -> float | None:
        r"""The seconds of one process for the missing cells; None where none is missing or no cell has finished.

        The rate is $\sum s/\sum c$ of the seconds s and the network-steps c of finished cells.
        """
        spent, steps, left = 0.0, 0, 0
        for place, outcome in enumerate(self.outcomes):
            if outcome.meta is not None and outcome.attempt.get("seconds"):
                spent, steps = spent + outcome.attempt["seconds"], steps + max(self.plan.cost(place), 1)
            left += max(self.plan.cost(place), 1) if outcome.state in (MISSING, DAMAGED) else 0
        return spent / steps * left if steps and left else None

    @property
    def exit_code(self) -> int:
        """0: all cells exist; 1: some failed, diverged or are damaged; 4: some are out of reach; 3: some are missing.

        3 also where an adaptive sweep ended at its number of cells.
        """
        if self.count(FAILED, DAMAGED, cells.DIVERGED):
            return CHECK_FAILED
        if self.count(UNREACHABLE):
            return OUT_OF_REACH
        end = None if self.stage is None else self.stage.found.end
        cut = end is not None and end[0] == MOST_CELLS
        return UNDECIDED if cut or self.count(MISSING) else PASS


def in_words(seconds: float) -> str:
    """Return a time in the unit that suits it, in two significant digits.

    >>> in_words(0.2), in_words(61), in_words(7300), in_words(180000), in_words(9.9e6)
    ('below 1 s', '1 min', '2 h', '2.1 days', '110 days')
    """
    for size, unit in ((86400, "days"), (3600, "h"), (60, "min"), (1, "s")):
        if seconds >= size:
            number = seconds / size
            shown = f"{number:.1f}".removesuffix(".0") if number < 10 else f"{float(f'{number:.2g}'):.0f}"
            return f"{shown} {unit}"
    return "below 1 s"


def status(made: Plan, folder: Path, here: str, memory: Memory | None = None) -> Swept:
    """Return the existing cells of a plan; nothing is run or written. A folder without a store has no cell.

    Of more than LARGE cells the arrays are not read. What is in the `memory` is not read again. `here` is this
    machine's version of the code.
    """
    memory = {} if memory is None else memory
    if not (folder / "store.json").exists():
        check_creatable(folder)
        return Swept(made, tuple(_look(made, None, memory)))
    store = Store.open(folder)
    outcomes = tuple(_look(made, store, memory))
    return Swept(made, outcomes, (*_of_versions(made, store, here), *_remarks(outcomes)))


def _look(made: Plan, store: Store | None, memory: Memory) -> Iterator[Outcome]:
    names = frozenset() if store is None else store.names()
    whole, known = len(made.ids) <= LARGE, 0
    for position, name in enumerate(made.ids):
        cell = made.at(position)
        if position in made.errors:
            yield Outcome(cell, INVALID, error=dict(made.errors[position]))
            continue
        if name in names and name not in memory:
            try:
                meta = store.read(name)[0] if whole else cells.facts(store.place(name))
                memory[name] = {key: value for key, value in meta.items() if key != "problem"}
            except (cells.DamagedError, cells.UnreadableError) as error:
                state = DAMAGED if isinstance(error, cells.DamagedError) else FAILED
                yield Outcome(cell, state, name, error=_words(error))
                continue
            except FileNotFoundError:
                pass  # removed meanwhile
        if name in names and name in memory:
            known += 1
            attempt = store.attempt(name) if known <= LARGE else {}
            yield Outcome(cell, memory[name]["state"], name, "store", memory[name], attempt=attempt)
        else:
            yield _absent(cell, name, {} if store is None or not name else store.attempt(name))


def _absent(cell: Cell, name: str, attempt: dict[str, Any]) -> Outcome:
    """Return the outcome of a cell that is not there: failed or missing."""
    error = attempt.get("error")
    if error is None:
        return Outcome(cell, MISSING, name or None, attempt=attempt)
    state = UNREACHABLE if error.get("exit_code") == OUT_OF_REACH else FAILED
    shown = {key: error[key] for key in ("kind", "message", "hint")} | {"when": attempt.get("when")}
    return Outcome(cell, state, name, error=shown, attempt=attempt)


def _words(error: Any) -> dict[str, Any]:
    return {"kind": error.kind, "message": error.message, "hint": error.hint}


def record(sweep: Sweep, folder: Path, code: str, report: Report) -> Swept:
    """Record a sweep in the store `folder`, which is made where it is missing, and run nothing; return its status."""

    def note(part: Sweep, generation: tuple[int, ...] | None = None) -> Swept:
        return status(_kept(part, sweep, folder, code, report, generation), folder, code)

    return note(sweep) if sweep.refine is None else _by_generations(sweep, folder, note)


def _by_generations(sweep: Sweep, folder: Path, work: Callable[..., Swept]) -> Swept:
    return refining.by_generations(refining.check(sweep), work, lambda name: Store.open(folder).read(name)[1])


def _kept(
    part: Sweep, sweep: Sweep, folder: Path, code: str, report: Report, generation: tuple[int, ...] | None
) -> Plan:
    """Return the plan of a sweep, or of its cells so far, recorded in its store. Raises InputError before it writes."""
    check_creatable(folder)
    made = planned(sweep, code, report)(part, generation)
    Store.create(folder).record(made)
    return made


Planned = Callable[..., Plan]  # of a sweep, or of the cells so far of an adaptive one with their generations


def planned(sweep: Sweep, code: str, report: Report = lambda _share, _what: None) -> Planned:
    """Return the function that plans a sweep, or the cells so far of an adaptive one, for a version of the code."""

    def of(part: Sweep, generation: tuple[int, ...] | None = None) -> Plan:
        made = plan(part, code, report)
        return made if generation is None else replace(made, adaptive=sweep, generation=generation)

    return of


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
    start together meet at few cells. With `code_allowed` the Python that problems name may run. Of an adaptive sweep,
    one generation follows the other.
    Raises InputError before anything runs for cells that are invalid (see `plan`) or a folder that cannot be a store;
    OutOfReachError for an absent device or scheduler. On KeyboardInterrupt the processes are ended; what was finished
    stays.
    """
    engine.check(folder)
    code, memory, made_here, remarks = cells.code_version(device), Memory(), dict[str, str](), dict[str, None]()

    def fill(part: Sweep, generation: tuple[int, ...] | None = None) -> Swept:
        made = _kept(part, sweep, folder, code, report, generation)
        store = Store.open(folder)
        before = status(made, folder, code, memory)
        absent = [place for place, outcome in enumerate(before.outcomes) if outcome.state in _ABSENT]
        if shuffled:
            random.shuffle(absent)
        absent.sort(key=lambda place: before.outcomes[place].state in (FAILED, UNREACHABLE))
        shares, done = dict[str, float](), len(made.ids) - len(absent)

        def tell(task: Task | None = None, share: float = 0.0) -> None:
            if task is not None:
                shares[task.cell] = min(share, 0.99)
            report((done + sum(shares.values())) / len(made.ids), f"{done} of {len(made.ids)} cells")

        tell()
        unnoted = dict[str, Answer]()
        for answer in map_cells(_tasks(made, absent, store, device, code_allowed), store, engine, tell):
            shares.pop(answer.task.cell, None)
            done += 1
            remarks.update(dict.fromkeys(answer.remarks))
            if answer.what in (DONE, THERE):
                made_here[answer.task.cell] = "made" if answer.what == DONE else "elsewhere"
            if answer.error is not None:
                unnoted[answer.task.cell] = answer
            tell()
        after = status(made, folder, code, memory)
        outcomes = tuple(_became(outcome, made_here, unnoted) for outcome in after.outcomes)
        return replace(after, outcomes=outcomes, remarks=(*remarks, *after.remarks), job=engine.job)

    return fill(sweep) if sweep.refine is None else _by_generations(sweep, folder, fill)


def _became(outcome: Outcome, sources: dict[str, str], unnoted: dict[str, Answer]) -> Outcome:
    """Return the outcome after a run, with who computed it, or with a failure that the disk did not take."""
    if outcome.state == MISSING and outcome.name in unnoted:
        return _absent(outcome.cell, outcome.name, {"error": unnoted[outcome.name].error})
    return replace(outcome, source=sources.get(outcome.name, outcome.source)) if outcome.source else outcome


def _tasks(made: Plan, places: Iterable[int], store: Store, device: str, code_allowed: bool) -> Iterator[Task]:
    """Yield the tasks as they are needed; last those that others have begun by then: commands share the work."""
    for place in _free_first(made, places, store):
        problem = made.sweep.cell(made.sweep.index(place)).problem
        request = None if problem is None else cells.question(problem, made.sweep.observables)
        if request is None or request.cell(made.code) != made.ids[place]:
            raise InputError(
                f"The record {made.name} names other cells than the sweep has.", "Remove it; a run writes it.", "file"
            )
        yield Task(made.ids[place], request, made.code, device, code_allowed=code_allowed)


def _free_first(made: Plan, places: Iterable[int], store: Store) -> Iterator[int]:
    begun = []
    for place in places:
        attempt = store.attempt(made.ids[place])
        if attempt and attempt["seconds"] is None and not attempt["error"]:
            begun.append(place)
        else:
            yield place
    yield from begun


def _of_versions(made: Plan, store: Store, here: str) -> Iterator[str]:
    """Yield a remark where these cells, or others of this sweep, are of another version of the code."""
    if made.code != here:
        yield f"These cells are of another version of the code, {made.code}; this machine's is {here}."
    names, sweep = store.names(), sweep_id(made.declared)
    for other in store.plans()[0]:
        number = len(names.intersection(other.position))
        if number and other.code != made.code and sweep_id(other.declared) == sweep:
            yield f"{counted(number, 'cell')} of another version of the code, {other.code}, do not count for this one."


def _remarks(outcomes: tuple[Outcome, ...]) -> list[str]:
    metas = [outcome.meta for outcome in outcomes if outcome.meta is not None]
    begun = Counter(each.attempt["machine"] for each in outcomes if each.state == MISSING and each.attempt)
    remarks = [f"{counted(number, 'cell')} begun on {where}, not finished." for where, number in sorted(begun.items())]
    some = [meta for meta in metas if meta["diverged"] and meta["state"] == cells.COMPLETE]
    if some:
        remarks.append(f"In {len(some)} cells some networks diverged; means are over the others.")
    for name in sorted({name for meta in metas for name in meta["undefined"]}):
        which = [meta["undefined"][name] for meta in metas if name in meta["undefined"]]
        remarks.append(f"{len(which)} cells have no {name}: {which[0]}")
    return remarks
