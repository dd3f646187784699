"""Running a sweep: existing cells are kept, missing ones are computed, and the outcome of each is reported."""

import random
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from derivations.output import CHECK_FAILED, OUT_OF_REACH, PASS, UNDECIDED, counted
from derivations.sweeps import cells, refining, stages, versions
from derivations.sweeps.cells import DamagedError, UnreadableError
from derivations.sweeps.checking import check
from derivations.sweeps.estimates import TimeLeft, time_left
from derivations.sweeps.failures import Failure
from derivations.sweeps.generations import MOST_CELLS
from derivations.sweeps.gpus import needed
from derivations.sweeps.leases import MADE
from derivations.sweeps.leaving import Notice
from derivations.sweeps.owners import host_of
from derivations.sweeps.plans import Report
from derivations.sweeps.store import Rooms, Store, check_creatable
from derivations.sweeps.versions import Found, Memory, found
from derivations.sweeps.workers import KEPT, Answer, Job, visible_gpus, work
from theory.problem import Cell, Sweep

MISSING, IN_WORK, INVALID, DAMAGED, FAILED, UNREACHABLE = (
    "missing",
    "in work",
    "invalid",
    "damaged",
    "failed",
    "out of reach",
)
_ABSENT = (MISSING, IN_WORK, DAMAGED, FAILED, UNREACHABLE)


@dataclass(frozen=True)
class Outcome:
    """The outcome of one cell: `state` in words, its id, and its meta.json or the reason why it has none.

    `source` is "store" where it was there before, "made" by this run, or "elsewhere" by another at the same time;
    `maker` is the machine that makes it now, `share` the share that it has done, as far as its lease says; or `maker`
    is the machine on which it failed.
    """

    cell: Cell
    state: str
    name: str | None = None
    source: str | None = None
    meta: dict[str, Any] | None = None
    error: dict[str, Any] | None = None
    maker: str | None = None
    share: float | None = None

    @property
    def is_without_numbers(self) -> bool:
        """Whether the cell has no numbers, which no run changes."""
        return self.state in (cells.DIVERGED, INVALID)


@dataclass(frozen=True)
class Swept:
    """The outcome of a sweep: its cells in order, remarks for its reader, and the job that was submitted for it."""

    sweep: Sweep
    code: str
    outcomes: tuple[Outcome, ...]
    remarks: tuple[str, ...] = field(default=())
    job: str | None = None
    moved: tuple[str, ...] = field(default=())  # the remarks on what this run moved to damaged/
    here: str | None = None  # this machine's version of the code, where it is not the one of the cells
    stage: stages.Stage | None = None  # of an adaptive sweep, whose cells so far are those of `sweep`

    @property
    def declared(self) -> Sweep:
        """The sweep as it was written: with the rule of an adaptive one."""
        return self.sweep if self.stage is None else self.stage.declared

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
        from sim.training.times import steps_at_times

        problems = [outcome.cell.problem for outcome in absent(self.outcomes)]
        networks = [problem.simulated().replicates for problem in problems]
        steps = [steps_at_times(problem)[-1] for problem in problems]
        total = sum(number * length for number, length in zip(networks, steps, strict=True))
        return {"cells": len(problems), "networks": sum(networks), "network_steps": total}

    @property
    def left(self) -> TimeLeft | None:
        """The time left, from the cells that are there; see `time_left`."""
        from sim.training.times import steps_at_times

        def cost(outcome: Outcome) -> int:
            return outcome.cell.problem.simulated().replicates * steps_at_times(outcome.cell.problem)[-1]

        metas = [outcome.meta for outcome in self.outcomes if outcome.meta is not None]
        return time_left(
            [(meta["wall_seconds"], meta["replicates"] * meta["steps"]) for meta in metas],
            [cost(outcome) for outcome in self.outcomes if outcome.state in (MISSING, DAMAGED)],
            [(cost(outcome), outcome.share) for outcome in self.outcomes if outcome.state == IN_WORK],
        )

    @property
    def exit_code(self) -> int:
        """The exit code of the states, see `exit_code`; 3 also where an adaptive sweep ended at its number of cells."""
        end = None if self.stage is None else self.stage.end
        cut = end is not None and end.kind == MOST_CELLS
        return (exit_code(self.count) or UNDECIDED) if cut else exit_code(self.count)


def absent(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Return the outcomes of the cells that a run makes, in their order."""
    return [outcome for outcome in outcomes if outcome.state in _ABSENT]


def exit_code(count: Callable[..., int]) -> int:
    """0: all cells exist; 1: some failed, diverged or are damaged; 4: some are out of reach; 3: some are missing.

    `count` gives the number of cells in one of some states.
    """
    if count(FAILED, DAMAGED, cells.DIVERGED):
        return CHECK_FAILED
    if count(UNREACHABLE):
        return OUT_OF_REACH
    return UNDECIDED if count(MISSING, IN_WORK) else PASS


def record(sweep: Sweep, folder: Path, code: str) -> Swept:
    """Record a sweep in the store `folder`, which is made where it is missing, and run nothing; return its status."""
    check(sweep)
    if sweep.refine is not None:
        stages.first(sweep)
    store = Store.create(folder)
    store.record(sweep)
    versions.note(store, code)
    return status(sweep, folder, code)


def code_of(device: str) -> str:
    """Return the version of the code that a device's cells have; to look at those of a GPU, none is needed here."""
    return cells.code_version(kind_of(device))


def kind_of(device: str) -> str:
    """Return "cpu" or "cuda", also for a GPU that is not here. Raises InputError for another name of a device."""
    from sim.training.devices import device_type

    return "cuda" if device == "cuda" else device_type(device)


def kinds_of(device: str) -> tuple[str, ...]:
    """Return the kinds of devices at whose cells a look for a device looks; see `kind_of`."""
    return ("cpu", "cuda") if device == "auto" else (kind_of(device),)


def status(sweep: Sweep, folder: Path, code: str, kinds: tuple[str, ...] = (), memory: Memory | None = None) -> Swept:
    """Return the existing cells of a sweep; nothing is run or written. A store that does not exist has no cell.

    `code` is the version whose cells count; with `kinds` of devices another one counts where most cells are of it, see
    `versions.to_show`. What is in the `memory` is not read again.
    """
    memory = memory or Memory()
    if sweep.refine is None:
        return _status(sweep, folder, _shown(sweep, folder, code, kinds, memory), code, memory)
    shown = _shown(stages.first(sweep).sweep, folder, code, kinds, memory)
    return refining.by_generations(
        sweep, folder, lambda stage: _status(stage.sweep, folder, shown, code, memory), memory
    )


def _shown(sweep: Sweep, folder: Path, here: str, kinds: tuple[str, ...], memory: Memory) -> str:
    """Return the version of the code whose cells a look shows."""
    if not kinds or not (folder / "store.json").exists():
        return here
    store = Store.open(folder)
    rooms = store.rooms()
    seen = found(store, _asked(check(sweep), sweep), (here,), rooms.cells, memory)
    ids = {code: own.values() for code, own in seen.ids.items() if versions.kind_of(code) in kinds}
    return versions.to_show(store, rooms, ids, here, memory)


def _asked(checked: Iterable[Cell], sweep: Sweep) -> dict[tuple[int, ...], cells.Question]:
    return {cell.index: cells.question(cell.problem, sweep.observables) for cell in checked if cell.problem is not None}


def _status(sweep: Sweep, folder: Path, code: str, here: str, memory: Memory) -> Swept:
    """Return the cells of a plain sweep that a version of the code has made; `here` is this machine's version."""
    checked = check(sweep)
    if not (folder / "store.json").exists():
        check_creatable(folder)
        return Swept(sweep, code, tuple(_absent(cell, sweep, code) for cell in checked))
    store = Store.open(folder)
    rooms = store.rooms()
    outcomes = tuple(_seen(cell, sweep, store, code, rooms, memory) for cell in checked)
    seen = found(store, _asked(checked, sweep), (code,), rooms.cells, memory)
    remarks = [*versions.words(code, here), *_other_versions(seen, code), *in_work(outcomes)]
    if seen.nameless:
        remarks.append(
            f"{len(seen.nameless)} cells of this store cannot say what they answer (the first is "
            f"{seen.nameless[0][:12]}); a sweep that runs moves them to damaged."
        )
    other = None if code == here else here
    return Swept(sweep, code, outcomes, (*remarks, *_remarks(outcomes)), here=other)


def run(
    sweep: Sweep,
    folder: Path,
    device: str,
    workers: int,
    report: Report,
    anywhere: bool = False,
    notice: Notice | None = None,
    declared: Sweep | None = None,
    memory: Memory | None = None,
) -> Swept:
    """Make the cells that are missing from the store `folder`, several at a time, and report the outcome of each.

    A cell that failed before is tried again, once and after the others, unless another process fails at it meanwhile.
    With `anywhere` it begins at a random cell, so that machines that start together meet at few cells. After a `notice`
    it leaves: cells in work are kept as checkpoints, from which the next run continues. Of an adaptive sweep, one
    generation follows the other; where `sweep` is its cells so far, `declared` is what is recorded. What is in the
    `memory` is not read again.
    Raises InputError before anything runs for cells that are invalid (see `check`) or a folder that cannot be a
    store; OutOfReachError for an absent device. On KeyboardInterrupt the processes are ended and their leftovers
    removed; what was finished stays.
    """
    from sim.training.devices import device_type

    memory = memory or Memory()
    if sweep.refine is not None:

        def make(stage: stages.Stage) -> Swept:
            def told(share: float, what: str) -> None:
                report(share, f"generation {len(stage.found.spots) - 1}: {what}")

            return run(stage.sweep, folder, device, workers, told, anywhere, notice, sweep, memory)

        return refining.by_generations(sweep, folder, make, memory)
    kind = device_type(device)
    checked, code = check(sweep), cells.code_version(kind)
    store = Store.create(folder)
    store.record(sweep if declared is None else declared)
    versions.note(store, code)
    report(0.0, "verifying what is there")
    rooms = store.rooms()
    outcomes = [_seen(cell, sweep, store, code, rooms, memory) for cell in checked]
    seen = found(store, _asked(checked, sweep), (code,), rooms.cells, memory)
    remarks, moved = _other_versions(seen, code), []
    for name in seen.nameless:
        if (where := _set_aside(store, name)) is not None:
            moved.append(f"The cell {name[:12]} could not say what it answers. It was moved to {where}.")
    moved += set_aside(store, outcomes)
    places = {outcome.name: place for place, outcome in enumerate(outcomes) if outcome.state in _ABSENT}
    jobs = [_job(outcomes[place], sweep, store, code, rooms, kind) for place in places.values()]
    gpus = visible_gpus(kind) if jobs else ()
    if anywhere and jobs:
        begin = random.randrange(len(jobs))
        jobs = jobs[begin:] + jobs[:begin]
    jobs.sort(key=lambda job: job.failed is not None)
    shares = dict.fromkeys(places, 0.0)
    before = len(outcomes) - len(jobs)

    def tell() -> None:
        finished = before + sum(share == 1.0 for share in shares.values())
        report((before + sum(shares.values())) / len(outcomes), f"{finished} of {len(outcomes)} cells")

    def progress(job: Job, share: float) -> None:
        shares[job.cell] = min(share, 0.99)
        tell()

    tell()
    try:
        with closing(work(jobs, folder, device, workers, progress, notice, gpus)) as answers:
            for answer in answers:
                place = places[answer.job.cell]
                outcomes[place] = _became(answer, outcomes[place].cell, store, memory)
                shares[answer.job.cell] = 1.0
                remarks += [] if answer.remark is None else [answer.remark]
                tell()
    finally:
        store.remove_leftovers()
    return Swept(sweep, code, tuple(outcomes), (*remarks, *moved, *_remarks(tuple(outcomes))), tuple(moved))


def set_aside(store: Store, outcomes: Iterable[Outcome]) -> list[str]:
    """Move the damaged cells to damaged/, so that the run makes them; return a sentence on each that moved."""
    moved = []
    for outcome in outcomes:
        if outcome.state == DAMAGED and (where := _set_aside(store, outcome.name)) is not None:
            moved.append(f"{outcome.error['message']} It was moved to {where} and made again.")
    return moved


def _set_aside(store: Store, name: str) -> Path | None:
    """Return where in the store a damaged cell is now; None where it stays, because it is valid or cannot be read."""
    with suppress(UnreadableError):
        if (aside := store.set_aside(name)) is not None:
            return aside.relative_to(store.folder)
    return None


def _job(outcome: Outcome, sweep: Sweep, store: Store, code: str, rooms: Rooms, kind: str) -> Job:
    asked, failed = cells.question(outcome.cell.problem, sweep.observables), None
    if outcome.name in rooms.failures:
        failed = store.failure(outcome.name)
    needs = needed(outcome.cell.problem, sweep.observables, kind)
    return Job(outcome.name, asked, code, failed.token if failed else None, needs)


def _absent(cell: Cell, sweep: Sweep, code: str) -> Outcome:
    if cell.problem is None:
        error = {"kind": cell.error.kind, "message": cell.error.message, "hint": cell.error.hint}
        return Outcome(cell, INVALID, error=error)
    return Outcome(cell, MISSING, cells.question(cell.problem, sweep.observables).cell(code))


def _seen(cell: Cell, sweep: Sweep, store: Store, code: str, rooms: Rooms, memory: Memory) -> Outcome:
    absent = _absent(cell, sweep, code)
    if absent.name is None:
        return absent
    try:
        meta = memory.metas.get(absent.name) if absent.name in rooms.cells else None
        meta = meta or store.meta(absent.name, cell.problem)
    except (DamagedError, UnreadableError) as error:
        return _unread(cell, absent.name, error)
    if meta is None:
        return without(cell, absent.name, store, rooms)
    memory.metas[absent.name] = meta
    return Outcome(cell, meta["state"], absent.name, "store", meta)


def _unread(cell: Cell, name: str, error: DamagedError | UnreadableError) -> Outcome:
    state = DAMAGED if isinstance(error, DamagedError) else FAILED
    return Outcome(cell, state, name, error={"kind": error.kind, "message": error.message, "hint": error.hint})


def without(cell: Cell, name: str, store: Store, rooms: Rooms) -> Outcome:
    """Return the outcome of a cell that is not there: in work, failed or missing."""
    maker = store.maker(name) if name in rooms.leases else None
    if maker is not None:
        return Outcome(cell, IN_WORK, name, maker=host_of(maker[0]), share=maker[1])
    failed = store.failure(name) if name in rooms.failures else None
    return Outcome(cell, MISSING, name) if failed is None else _fell(cell, name, failed)


def _fell(cell: Cell, name: str, failed: Failure) -> Outcome:
    return Outcome(cell, _fallen(failed.exit_code), name, error=failed.error, maker=failed.machine)


def _fallen(exit_code: int) -> str:
    return UNREACHABLE if exit_code == OUT_OF_REACH else FAILED


def _became(answer: Answer, cell: Cell, store: Store, memory: Memory) -> Outcome:
    name = answer.job.cell
    if answer.what == KEPT:
        return Outcome(cell, MISSING, name)
    # A failure says nothing of a cell that another has made meanwhile.
    if answer.error is not None and not store.is_there(name):
        failed = store.failure(name)
        if failed is not None and failed.kind == answer.error["kind"]:  # not an earlier one
            return _fell(cell, name, failed)
        error = {key: answer.error[key] for key in ("kind", "message", "hint")}
        return Outcome(cell, _fallen(answer.error["exit_code"]), name, error=error)
    try:
        meta = store.meta(name, cell.problem)
    except (DamagedError, UnreadableError) as error:
        return _unread(cell, name, error)
    if meta is None:
        gone = {"kind": "file", "message": "The cell was removed while the sweep ran.", "hint": "Run the sweep again."}
        return Outcome(cell, FAILED, name, error=gone)
    memory.metas[name] = meta
    return Outcome(cell, meta["state"], name, "made" if answer.what == MADE else "elsewhere", meta)


def _other_versions(seen: Found, code: str) -> list[str]:
    return [
        f"Another version of the code, {other}, made {counted(len(there), 'cell')} of this sweep; they stay in the "
        f"store and do not count for this version, {code}."
        for other, there in sorted(seen.there.items())
        if other != code
    ]


def in_work(outcomes: Iterable[Outcome]) -> list[str]:
    """Return a line for each machine at work, with the number of its cells."""
    makers = Counter(outcome.maker for outcome in outcomes if outcome.state == IN_WORK)
    return [f"{counted(number, 'cell')} in work on {host}." for host, number in sorted(makers.items())]


def _remarks(outcomes: tuple[Outcome, ...]) -> list[str]:
    metas = [outcome.meta for outcome in outcomes if outcome.meta is not None]
    remarks = []
    for what, values in (
        ("devices", {meta["device"].split(":")[0] for meta in metas}),
        ("versions of torch", {meta["versions"]["torch"] for meta in metas}),
    ):
        if len(values) > 1:
            remarks.append(f"The cells come from different {what}: {', '.join(sorted(values))}.")
    some = [meta for meta in metas if meta["diverged"] and meta["state"] == cells.COMPLETE]
    if some:
        remarks.append(f"In {len(some)} cells some networks diverged; means are over the others.")
    undefined = sorted({name for meta in metas for name in meta["undefined"]})
    for name in undefined:
        which = [meta["undefined"][name] for meta in metas if name in meta["undefined"]]
        remarks.append(f"{len(which)} cells have no {name}: {which[0]}")
    return remarks
