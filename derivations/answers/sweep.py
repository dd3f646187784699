"""The answer of `gdln sweep`: the cells of a sweep, computed where they are missing, with their means."""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from derivations.answers.about import with_error
from derivations.output import CHECK_FAILED, OUT_OF_REACH, PASS, UNDECIDED, columns, counted
from derivations.pictures import sweep_picture
from derivations.sweeps import cells, running
from derivations.sweeps.engines import engine_named
from derivations.sweeps.engines.resources import Resources
from derivations.sweeps.plans import LARGE, Plan, Report, make_plan, sweep_id
from derivations.sweeps.running import INVALID, MISSING, Memory, Outcome, Swept
from derivations.sweeps.store import Store, check_creatable, patiently
from derivations.sweeps.table import csv_text, mean_and_error, number_or_text, rows
from theory.problem import OBSERVABLES, InputError, Sweep
from theory.problem.numbers import one_of
from theory.problem.sweep import value_text
from theory.problem.sweep_toml import code_named, with_code

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MODES = ("run", "submit", "status", "plan", "record")
MOST_LINES = 20  # reasons that a text lists; --json has a thousand cells of a large sweep
EVERY, _SHARE = 2.0, 0.2  # seconds between two looks, and the largest share of the time that looking takes
_SHOWN = 3  # units, weights or paths of a cell in the text; --json has them all


@dataclass(frozen=True)
class SweepAnswer:
    """The state of every cell of a sweep in the store `folder`, after it ran or (`mode` status, plan) as it is.

    `engine` says of a plan where the cells would be computed.
    """

    swept: Swept
    folder: Path
    mode: str
    engine: str | None = None

    def json(self) -> dict[str, Any]:
        """The object that `gdln sweep --json` prints, with the means of each cell's observables without sites.

        Of a large sweep it lists the first thousand cells that are neither complete nor missing.
        """
        return dict(self._content)

    @cached_property
    def _content(self) -> dict[str, Any]:
        """Return the content of `json()`, computed once, because the means are read from the store."""
        swept = self.swept
        left = swept.seconds_left if self.mode in ("status", "watch") else None
        return {
            "mode": self.mode,
            "sweep": sweep_id(swept.plan.sweep),
            "store": str(self.folder),
            "code": swept.plan.code,
            "shape": swept.plan.sweep.shape,
            "counts": self._counts,
            "left_out": swept.count(INVALID),
            "to_make": swept.to_make if self.mode != "run" else None,
            "engine": self.engine,
            "time_left": left,
            "remarks": swept.remarks,
            "job": swept.job,
            "cells": [self._entry(place) for place in self._listed],
        }

    @property
    def _listed(self) -> Iterable[int]:
        outcomes = self.swept.outcomes
        if len(outcomes) <= LARGE:
            return range(len(outcomes))
        return [i for i, one in enumerate(outcomes) if one.state not in (MISSING, cells.COMPLETE, INVALID)][:LARGE]

    def _entry(self, place: int) -> dict[str, Any]:
        outcome = self.swept.outcomes[place]
        entry: dict[str, Any] = {
            "cell": outcome.name,
            "index": outcome.cell.index,
            "at": {field: number_or_text(value) for field, value in outcome.cell.values.items()},
            "state": outcome.state,
            "source": outcome.source,
            "error": outcome.error,
        }
        if outcome.meta is not None:
            facts = ("replicates", "diverged", "steps", "device", "undefined")
            entry |= {name: outcome.meta[name] for name in facts}
            entry |= {"wall_seconds": outcome.attempt.get("seconds")}
            entry |= _means(self.swept.plan.sweep, outcome, self.folder)
        return entry

    @property
    def exit_code(self) -> int:
        """The exit code of the states; see `Swept.exit_code`."""
        return self.swept.exit_code

    @property
    def _counts(self) -> dict[str, int]:
        return {"cells": len(self.swept.outcomes), **self.swept.counts}

    @property
    def _without_sites(self) -> list[str]:
        """Return the observables with one number for each time, or for each time and unit."""
        listed = self.swept.plan.sweep.observables
        return [name for name in listed if not {"site", "other_time"} & set(OBSERVABLES[name].axes)]

    def figure(self) -> "Figure":
        """Draw the observables without sites at the last time against the first axis; see `sweep_picture`."""
        entries = [self._entry(place) for place in range(len(self.swept.outcomes))]
        return sweep_picture([axis.field for axis in self.swept.plan.sweep.axes], entries, self._without_sites)

    def csv(self) -> str:
        """Means and standard errors of every observable as comma-separated values."""
        plan = self.swept.plan
        return csv_text(rows(Store.open(self.folder).each(plan), plan.sweep))

    def text(self) -> str:
        """A table of the cells with the outcome of each, for a reader; without the table where it is too long."""
        swept = self.swept
        lines = self._table() if len(swept.outcomes) <= LARGE else []
        lines += _reasons(swept.outcomes)
        lines += [f"\n{remark}" for remark in swept.remarks]
        if self.mode != "run" and (cost := swept.to_make)["cells"]:
            work = f"{cost['networks']} networks, {cost['network_steps']} network-steps"
            lines += ["", f"To make: {counted(cost['cells'], 'cell')}, {work}"]
        lines += [] if self.engine is None else [f"By: {self.engine}"]
        if self.mode in ("status", "watch") and swept.count(MISSING):
            lines += ["", self._left or "The time left is not known: no finished cell yet."]
        new = sum(outcome.source == "made" for outcome in swept.outcomes)
        now = f"; {new} made now" if self.mode == "run" else ""
        lines += ["", f"{self.states}{now}. Store: {self.folder}"]
        return "\n".join(lines).lstrip("\n")

    @property
    def is_over(self) -> bool:
        """Whether nothing is missing."""
        return not self.swept.count(MISSING)

    @property
    def states(self) -> str:
        """The numbers of cells by their states, in words."""
        return ", ".join(f"{number} {state}" for state, number in self._counts.items())

    def line(self) -> str:
        """The states with the time left, in one line."""
        return self.states + (self._left and f"; {self._left}")

    @property
    def _left(self) -> str:
        left = self.swept.seconds_left
        return "" if left is None else f"About {running.in_words(left)} left by one process, as finished cells took."

    def _table(self) -> list[str]:
        content, swept, ran = self._content, self.swept, self.mode != "plan"
        shown = self._without_sites
        table = [[*(axis.field for axis in swept.plan.sweep.axes), "cell", *(shown if ran else ())]]
        for outcome, entry in zip(swept.outcomes, content["cells"], strict=True):
            row = [*map(value_text, outcome.cell.values.values()), outcome.state]
            if ran:
                row += [_last(entry.get("observables", {}).get(name)) for name in shown]
            table.append(row)
        lines = columns(table, str.ljust)
        if shown and ran:
            lines += ["", "mean (standard error) over networks at the last time; per unit where units are listed"]
            lines += self._names()
        return lines

    def _names(self) -> Iterator[str]:
        """A line for each observable of weights or paths: their names, which may differ between cells."""
        for name in self._without_sites:
            kinds = {}
            for entry in self._content["cells"]:
                if name in entry.get("observables", {}) and entry["observables"][name]["names"] is not None:
                    kinds[tuple(entry["observables"][name]["names"])] = None
            listed = [", ".join(names[:_SHOWN]) + (", ..." if len(names) > _SHOWN else "") for names in kinds]
            if listed:
                yield f"{name} of: {'; or '.join(listed)}"


@dataclass(frozen=True)
class StoreAnswer:
    """The answers for all sweeps that are recorded in the store `folder`."""

    answers: tuple[SweepAnswer, ...]
    folder: Path
    mode: str
    remarks: tuple[str, ...] = ()  # on records that cannot be read

    def json(self) -> dict[str, Any]:
        """The object that `gdln sweep --worker STORE --json` prints: the objects of the sweeps in a list."""
        sweeps = [one.json() for one in self.answers]
        return {"mode": self.mode, "store": str(self.folder), "remarks": self.remarks, "sweeps": sweeps}

    def text(self) -> str:
        """The tables of the sweeps, for a reader."""
        tables = [f"Sweep {sweep_id(one.swept.plan.sweep)}\n\n{one.text()}" for one in self.answers]
        return "\n\n".join([*tables, *self.remarks])

    @property
    def exit_code(self) -> int:
        """The code of all sweeps together: the first of those of `Swept.exit_code` that one of them has."""
        codes = {one.exit_code for one in self.answers}
        return next(code for code in (CHECK_FAILED, OUT_OF_REACH, UNDECIDED, PASS) if code in codes)

    @property
    def is_over(self) -> bool:
        """Whether nothing is missing in any sweep."""
        return all(one.is_over for one in self.answers)

    @property
    def states(self) -> str:
        """The numbers of cells by their states, sweep by sweep."""
        return " | ".join(one.states for one in self.answers)

    def line(self) -> str:
        """The states of all sweeps in one line."""
        return " | ".join([*(one.line() for one in self.answers), *self.remarks])


def answer(
    sweep: Sweep,
    folder: Path | None = None,
    mode: str = "run",
    device: str = "auto",
    workers: int = 1,
    report: Report = lambda _share, _what: None,
    dtype: str | None = None,
    engine: str = "local",
    resources: Resources | None = None,
    scheduler: str | None = None,
) -> SweepAnswer:
    """Compute the cells that the store `folder` (by default the one the sweep names) lacks, or only report the states.

    `mode` is one of MODES; "submit" does not wait for the jobs of the engine, which get the `resources`. `report`
    receives the share that is done and a description of the running step; `dtype` overrides simulation.dtype of the
    base. Raises InputError for invalid cells, an
    unknown engine and a folder that cannot be a store, OutOfReachError for an absent device or scheduler.

    >>> from derivations.experiments.localization_sweep.experiment import declared
    >>> plan = answer(declared("localization-batch"), Path("no-store-here"), mode="plan").json()
    >>> plan["counts"], plan["to_make"]["networks"]
    ({'cells': 4, 'missing': 4}, 120)
    """
    folder = Path(sweep.store) if folder is None else folder
    sweep, resources = sweep if dtype is None else sweep.in_dtype(dtype), resources or Resources()
    chosen = engine_named(engine, workers, resources, scheduler)
    kind = _kind(device, engine, resources, computes=one_of(mode, "mode", MODES) in ("run", "submit"))
    if mode in ("run", "submit"):
        swept = running.run(sweep, folder, kind, chosen, report)
        if swept.job is not None:
            said = f"SLURM has job {swept.job}: {chosen.plan(len(swept.outcomes))}. --status shows the cells."
            swept = replace(swept, remarks=(*swept.remarks, said))
        return SweepAnswer(swept, folder, mode)
    code = cells.code_version(kind)
    if mode == "record":
        plan = running.record(sweep, folder, code, report)
        return SweepAnswer(running.status(plan, folder, code), folder, mode)
    swept = _look(sweep, folder, code, any_version=mode == "status" and device == "auto")()
    return SweepAnswer(swept, folder, mode, chosen.plan(swept.to_make["cells"]) if mode == "plan" else None)


def _kind(device: str, engine: str, resources: Resources, computes: bool) -> str:
    """Return "cpu" or "cuda": what the nodes have, whatever there is here. To look at the cells of a GPU needs none."""
    from sim.training.device_names import DEVICES
    from sim.training.devices import device_type

    if one_of(device, "device", DEVICES) == "auto" and engine == "slurm":
        return "cpu" if resources.gpus is None else "cuda"
    return device if device == "cuda" and (engine != "local" or not computes) else device_type(device)


def _look(sweep: Sweep, folder: Path, here: str, any_version: bool) -> Callable[[], Swept]:
    """Return a function that looks at the cells of a sweep, of this machine's version of the code or the shown one."""
    memory: Memory = {}
    recorded = None
    if any_version and (folder / "store.json").exists():
        recorded = Store.open(folder).best(sweep_id(sweep))
    plan = make_plan(sweep, here) if recorded is None or recorded.code == here else recorded
    return lambda: running.status(plan, folder, here, memory)


def store_answer(
    folder: Path,
    mode: str = "run",
    device: str = "auto",
    workers: int = 1,
    report: Report = lambda _share, _what: None,
    code_allowed: bool = False,
) -> StoreAnswer:
    """Compute the missing cells of every sweep that is recorded in a store, beside other workers, or report the states.

    `mode` is "run" or "status". To look declares no problem, so that no Python runs that the store names; to compute a
    problem with such a law needs `code_allowed`. A record that cannot be read is a remark, beside others that can.
    Raises InputError for a folder that is no store, is of another version, has no sweep, or cannot be written;
    OutOfReachError for an absent device.
    """
    recorded, remarks = _recorded(folder, mode)
    if mode == "status":
        swept = [look() for look in _looks(recorded, folder, device)]
        return StoreAnswer(tuple(SweepAnswer(one, folder, mode) for one in swept), folder, mode, remarks)
    kind, swept = _kind(device, "local", Resources(), computes=True), []
    for sweep in {sweep_id(one.sweep): one.sweep for one in recorded}.values():
        if (named := code_named(sweep)) and not code_allowed:
            raise InputError(
                f"A sweep in {folder} has a law that is Python, {named[0]}, which its cells would run.",
                "Read that file; if you trust it, add --allow-code.",
                "code",
            )
        engine = engine_named("local", workers, Resources())
        sweep = with_code(sweep) if code_allowed else sweep
        settings = {"code_allowed": code_allowed, "shuffled": True}
        swept.append(running.run(sweep, folder, kind, engine, report, **settings))
    return StoreAnswer(tuple(SweepAnswer(one, folder, mode) for one in swept), folder, mode, remarks)


def looks(
    sweep: Sweep | None, folder: Path | None, device: str = "auto", dtype: str | None = None
) -> Callable[[], SweepAnswer | StoreAnswer]:
    """Return a function that looks at a sweep, or at all that are recorded in the store `folder`, for `watch`.

    Raises InputError as `store_answer` does.
    """
    if sweep is not None:
        sweep = sweep if dtype is None else sweep.in_dtype(dtype)
        folder = Path(sweep.store) if folder is None else folder
        code = cells.code_version(_kind(device, "local", Resources(), computes=False))
        look = _look(sweep, folder, code, any_version=device == "auto")
        return lambda: SweepAnswer(look(), folder, "watch")
    recorded, remarks = _recorded(folder, "watch")
    each = _looks(recorded, folder, device)
    return lambda: StoreAnswer(tuple(SweepAnswer(one(), folder, "watch") for one in each), folder, "watch", remarks)


def _looks(recorded: Iterable[Plan], folder: Path, device: str) -> list[Callable[[], Swept]]:
    """Return a function for each recorded sweep that looks at it by what is recorded alone."""
    here, store = cells.code_version(_kind(device, "local", Resources(), computes=False)), Store.open(folder)
    looks = []
    for name in dict.fromkeys(sweep_id(one.sweep) for one in recorded):
        best = (None if device == "auto" else store.best(name, here)) or store.best(name)
        looks.append(partial(running.status, best, folder, here, Memory()))
    return looks


def _recorded(folder: Path, mode: str) -> tuple[tuple[Plan, ...], tuple[str, ...]]:
    """Return the plans that are recorded in a store, which must be writable to run them, and remarks on the others."""
    try:
        recorded, faults = Store.open(folder).plans()
        if mode == "run":
            check_creatable(folder)
    except InputError as error:
        raise InputError(error.message, error.hint.replace("--out", "--worker"), error.kind) from None
    if faults and not recorded:
        raise faults[0]
    if not recorded:
        raise InputError(
            f"{folder} has no record of a sweep.", f"Run gdln sweep SWEEP.toml --record --out {folder} first.", "file"
        )
    return recorded, tuple(str(fault) for fault in faults)


def watch(
    look: Callable[[], Any],
    show: Callable[[Any], None],
    pause: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> Any:
    """Look again and again, and `show` each answer, until nothing is missing; return the last.

    Looking takes at most a fifth of the time.
    """
    while True:
        begun = clock()
        answer = look()
        show(answer)
        if answer.is_over:
            return answer
        spent = clock() - begun
        pause(max(EVERY, spent * (1 - _SHARE) / _SHARE))


def _reasons(outcomes: Iterable[Outcome]) -> list[str]:
    """Return lines with the error of each cell that has one; cells with the same error share their lines."""
    groups: dict[tuple[str, str, str], list[Outcome]] = {}
    for outcome in outcomes:
        if outcome.error is not None:
            error = outcome.error
            groups.setdefault((outcome.state, error["message"], error["hint"] or ""), []).append(outcome)
    lines = []
    for (state, message, hint), members in list(groups.items())[:MOST_LINES]:
        first, more = members[0], len(members) - 1
        on = f" on {first.attempt['machine']}, {first.attempt['when']}" if first.attempt.get("machine") else ""
        also = f", and {counted(more, 'cell')} with the same reason" if more else ""
        lines += ["", f"{first.cell.label}: {state}{on}{also}", f"  {message}"]
        lines += [f"  {hint}"] if hint else []
    if len(groups) > MOST_LINES:
        lines += ["", f"and {len(groups) - MOST_LINES} more reasons; --json has them"]
    return lines


def _means(sweep: Sweep, outcome: Outcome, folder: Path) -> dict[str, Any]:
    meta, arrays = patiently(lambda: Store.open(folder).read(outcome.name))  # the disk may be away for a while
    means: dict[str, Any] = {"times": arrays["times"], "observables": {}}
    for name in sweep.observables:
        if name in arrays and "site" not in OBSERVABLES[name].axes:
            mean, error = mean_and_error(arrays[name], arrays["diverged"])
            names = meta["names"].get(OBSERVABLES[name].axes[-1])
            means["observables"][name] = {"mean": mean, "standard_error": error, "names": names}
    return means


def _last(measured: dict[str, Any] | None) -> str:
    """Return the mean at the last time, for the first units."""
    if measured is None:
        return "-"
    mean, error = measured["mean"][-1], measured["standard_error"][-1]
    pairs = [(float(mean), float(error))] if mean.ndim == 0 else list(zip(mean, error, strict=True))
    words = [with_error(*pair) for pair in pairs[:_SHOWN]]
    return " ".join(words) + (" ..." if len(pairs) > _SHOWN else "")
