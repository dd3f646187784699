"""The answer of `gdln sweep`: the cells of a sweep, computed where they are missing, with their means."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from derivations.answers import refined, sweep_gpus, sweep_looks
from derivations.answers.sweep_looks import LookAnswer
from derivations.output import CHECK_FAILED, OUT_OF_REACH, PASS, UNDECIDED
from derivations.pictures import sweep_picture
from derivations.sweeps import running, sizes
from derivations.sweeps.gpus import AtOnce
from derivations.sweeps.launch import Request, engine_named
from derivations.sweeps.launch.resources import Resources
from derivations.sweeps.leaving import heeding
from derivations.sweeps.looking import Look, Watcher
from derivations.sweeps.plans import LARGE, Report
from derivations.sweeps.running import INVALID, Outcome, Swept
from derivations.sweeps.store import Store, check_creatable, sweep_id
from derivations.sweeps.table import csv_text, mean_and_error, names_along
from derivations.sweeps.versions import Memory
from theory.problem import OBSERVABLES, InputError, Sweep
from theory.problem.numbers import one_of
from theory.problem.sweep import value_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MODES = ("run", "submit", "status", "plan", "record")
_SHOWN = 3  # units, weights or paths of a cell in the text; --json has them all


@dataclass(frozen=True)
class SweepAnswer:
    """The state of every cell of a sweep in the store `folder`, after it ran or (`mode` status, plan) as it is."""

    swept: Swept
    folder: Path
    mode: str
    at_once: AtOnce | None = None  # of a plan for GPUs

    def json(self) -> dict[str, Any]:
        """The object that `gdln sweep --json` prints, with the means of each cell's observables without sites."""
        return dict(self._content)

    @cached_property
    def _content(self) -> dict[str, Any]:
        """Return the content of `json()`, computed once, because the means are read from the store."""
        listed, stage = [], self.swept.stage
        for outcome in self.swept.outcomes:
            entry = sweep_looks.entry(outcome)
            if stage is not None:
                entry["generation"] = stage.generation[len(listed)]
            if outcome.meta is not None:
                facts = ("replicates", "diverged", "steps", "wall_seconds", "device", "undefined")
                entry |= {name: outcome.meta[name] for name in facts}
                entry |= _means(self.swept.sweep, outcome, self.folder)
            listed.append(entry)
        left = self.swept.left if self.mode in ("status", "watch") else None
        return {
            "mode": self.mode,
            "sweep": sweep_id(self.swept.declared),
            "store": str(self.folder),
            "code": self.swept.code,
            "shape": self.swept.sweep.shape,
            "counts": self._counts,
            "left_out": self.swept.count(INVALID),
            "to_make": self.swept.to_make if self.mode != "run" else None,
            **({} if self.at_once is None else {"at_once": sweep_gpus.content(self.at_once)}),
            "time_left": None if left is None else left.json(),
            "remarks": self.swept.remarks,
            "job": self.swept.job,
            **({} if stage is None else {"refine": refined.content(stage)}),
            "cells": listed,
        }

    @property
    def exit_code(self) -> int:
        """The exit code of the states; see `Swept.exit_code`."""
        return self.swept.exit_code

    def count(self, *states: str) -> int:
        """Return the number of cells in one of the states."""
        return self.swept.count(*states)

    @property
    def _counts(self) -> dict[str, int]:
        return {"cells": len(self.swept.outcomes), **self.swept.counts}

    @property
    def _without_sites(self) -> list[str]:
        """Return the observables with one number for each time, or for each time and unit."""
        listed = self.swept.sweep.observables
        return [name for name in listed if not {"site", "other_time"} & set(OBSERVABLES[name].axes)]

    def figure(self) -> "Figure":
        """Draw the observables without sites at the last time against the first axis; see `sweep_picture`.

        Of an adaptive sweep, draw the observable that its rule reads; see `refined.figure`.
        """
        if self.swept.stage is not None:
            return refined.figure(self.swept.stage)
        axes = [axis.field for axis in self.swept.sweep.axes]
        return sweep_picture(axes, self._content["cells"], self._without_sites)

    def csv(self) -> str:
        """Means and standard errors of every observable as comma-separated values."""
        return csv_text(Store.open(self.folder).table(self.swept.declared, self.swept.code))

    def text(self) -> str:
        """A table of the cells with the outcome of each, for a reader; without the table where it is too long."""
        swept = self.swept
        lines = self._table() if len(swept.outcomes) <= LARGE else []
        lines += sweep_looks.reasons(swept.outcomes)
        lines += [f"\n{remark}" for remark in swept.remarks]
        lines += [] if swept.stage is None else ["", *refined.lines(swept.stage)]
        if self.mode != "run" and (cost := swept.to_make)["cells"]:
            lines += ["", sweep_looks.to_make_words(cost)]
        lines += [] if self.at_once is None else sweep_gpus.lines(self.at_once)
        if self.mode in ("status", "watch"):
            lines += sweep_looks.time_words(swept)
        new = sum(outcome.source == "made" for outcome in swept.outcomes)
        made = f"; {new} made now" if self.mode == "run" else ""
        lines += ["", f"{self.states}{made}. Store: {self.folder}"]
        return "\n".join(lines).lstrip("\n")

    @property
    def is_over(self) -> bool:
        """Whether nothing is missing or in work."""
        return not self.count(running.MISSING, running.IN_WORK)

    @property
    def states(self) -> str:
        """The numbers of cells by their states, in words."""
        return ", ".join(f"{number} {state}" for state, number in self._counts.items())

    def line(self) -> str:
        """The state in one line."""
        return sweep_looks.state_line(self.states, self.swept)

    def _table(self) -> list[str]:
        content, swept, ran = self._content, self.swept, self.mode != "plan"
        shown = self._without_sites
        stage = swept.stage
        head = [*(axis.field for axis in swept.sweep.axes), *(() if stage is None else ("generation",))]
        head += ["cell", *(shown if ran else ())]
        table = [head]
        for place in range(len(swept.outcomes)) if stage is None else refined.order(stage):
            outcome, entry = swept.outcomes[place], content["cells"][place]
            row = [value_text(value) for value in outcome.cell.values.values()]
            row += [*(() if stage is None else (str(entry["generation"]),)), _state(outcome)]
            if ran:
                row += [_last(entry.get("observables", {}).get(name)) for name in shown]
            table.append(row)
        widths = [max(len(row[column]) for row in table) for column in range(len(head))]
        lines = [
            "  ".join(word.ljust(width) for word, width in zip(row, widths, strict=True)).rstrip() for row in table
        ]
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
                    kinds[entry["observables"][name]["names"]] = None
            listed = [", ".join(names[:_SHOWN]) + (", ..." if len(names) > _SHOWN else "") for names in kinds]
            if listed:
                yield f"{name} of: {'; or '.join(listed)}"


def answer(
    sweep: Sweep,
    folder: Path | None = None,
    mode: str = "run",
    device: str = "auto",
    workers: int = 1,
    report: Callable[[float, str], None] = lambda _share, _what: None,
    dtype: str | None = None,
    engine: str = "local",
    resources: Resources | None = None,
    verify: bool = False,
) -> SweepAnswer | LookAnswer:
    """Make the cells that the store `folder` (by default the one the sweep names) lacks, or only report the states.

    `mode` is one of MODES; "submit" does not wait for the jobs of the `engine`, which get the `resources`. `report`
    receives the share that is done and a description of the running step; `dtype` overrides simulation.dtype of the
    base. Of a large sweep the answer has the states by names alone, unless `verify`, which reads every cell; see
    `sizes`. Raises InputError for invalid cells, an unknown engine and a folder that cannot be a store, OutOfReachError
    for an absent device or scheduler.

    >>> from derivations.experiments.localization_sweep.experiment import declared
    >>> plan = answer(declared("localization-batch"), Path("no-store-here"), mode="plan").json()
    >>> plan["counts"], plan["to_make"]["networks"]
    ({'cells': 4, 'missing': 4}, 120)
    """
    folder = Path(sweep.store) if folder is None else folder
    sweep = sweep if dtype is None else sweep.in_dtype(dtype)
    start = engine_named(engine)
    if one_of(mode, "mode", MODES) in ("run", "submit"):
        asked = (sweep, folder, device, workers, report, resources or Resources())
        return _shown(start(Request(*asked, waits=mode == "run", verify=verify)), folder, mode)
    code = running.code_of(device)
    if mode == "record":
        return _shown(sizes.record(sweep, folder, code, report, verify), folder, mode)
    kinds = running.kinds_of(device) if mode == "status" else ()  # what would run is of this machine's version
    found = sizes.status(sweep, folder, code, verify, kinds)
    return _shown(found, folder, mode, sweep_gpus.planned(found, device, workers) if mode == "plan" else None)


def _shown(found: Swept | Look, folder: Path, mode: str, at_once: AtOnce | None = None) -> SweepAnswer | LookAnswer:
    kind = SweepAnswer if isinstance(found, Swept) else LookAnswer
    return kind(found, folder, mode, at_once)


@dataclass(frozen=True)
class StoreAnswer:
    """The answers for all sweeps that are recorded in the store `folder`."""

    answers: tuple[SweepAnswer | LookAnswer, ...]
    folder: Path
    mode: str
    remarks: tuple[str, ...] = ()  # on records that cannot be read

    def json(self) -> dict[str, Any]:
        """The object that `gdln sweep --worker STORE --json` prints: the objects of the sweeps in a list."""
        return {
            "mode": self.mode,
            "store": str(self.folder),
            "remarks": self.remarks,
            "sweeps": [one.json() for one in self.answers],
        }

    def text(self) -> str:
        """The tables of the sweeps, for a reader."""
        tables = [f"Sweep {one.json()['sweep']}\n\n{one.text()}" for one in self.answers]
        return "\n\n".join([*tables, *self.remarks])

    @property
    def exit_code(self) -> int:
        """The code of all sweeps together: the first of those of `running.exit_code` that one of them has."""
        codes = {one.exit_code for one in self.answers}
        return next(code for code in (CHECK_FAILED, OUT_OF_REACH, UNDECIDED, PASS) if code in codes)

    @property
    def is_over(self) -> bool:
        """Whether nothing is missing or in work in any sweep."""
        return all(one.is_over for one in self.answers)

    @property
    def states(self) -> str:
        """The numbers of cells by their states, sweep by sweep."""
        return " | ".join(one.states for one in self.answers)

    def line(self) -> str:
        """The states of all sweeps in one line."""
        return " | ".join([*(one.line() for one in self.answers), *self.remarks])


def store_answer(
    folder: Path,
    mode: str = "run",
    device: str = "auto",
    workers: int = 1,
    report: Report = lambda _share, _what: None,
    verify: bool = False,
) -> StoreAnswer:
    """Make the missing cells of every sweep that is recorded in a store, beside other workers, or report the states.

    `mode` is "run" or "status". A record that cannot be read is a remark, beside others that can. Raises InputError for
    a folder that is no store, is of another version, has no sweep, or cannot be written; OutOfReachError for an absent
    device.
    """
    recorded, remarks = _recorded(folder, mode)
    if mode == "run":
        with heeding() as notice:
            settings = {"anywhere": True, "notice": notice, "verify": verify}
            found = [sizes.run(one, folder, device, workers, report, **settings) for one in recorded]
    else:
        seen = (running.code_of(device), verify, running.kinds_of(device))
        found = [sizes.status(one, folder, *seen) for one in recorded]
    return StoreAnswer(tuple(_shown(one, folder, mode) for one in found), folder, mode, remarks)


def looks(
    sweep: Sweep | None, folder: Path | None, device: str = "auto", dtype: str | None = None
) -> Callable[[], SweepAnswer | LookAnswer | StoreAnswer]:
    """Return a function that looks at a sweep, or at all that are recorded in the store `folder`, for `watch`.

    Raises InputError as `store_answer` does; the function raises what `Watcher.look` raises.
    """
    code, kinds = running.code_of(device), running.kinds_of(device)
    if sweep is not None:
        sweep = sweep if dtype is None else sweep.in_dtype(dtype)
        return _look(sweep, Path(sweep.store) if folder is None else folder, code, kinds)
    recorded, remarks = _recorded(folder, "watch")
    each = [_look(one, folder, code, kinds) for one in recorded]
    return lambda: StoreAnswer(tuple(look() for look in each), folder, "watch", remarks)


def _look(sweep: Sweep, folder: Path, code: str, kinds: tuple[str, ...]) -> Callable[[], SweepAnswer | LookAnswer]:
    """Return a function that looks at one sweep; the cells of an adaptive one are read, since more follow from them."""
    if sweep.refine is not None:
        memory = Memory()
        return lambda: SweepAnswer(running.status(sweep, folder, code, kinds, memory), folder, "watch")
    watcher = Watcher(sweep, folder, code, kinds)
    return lambda: LookAnswer(watcher.look(), folder, "watch")


def _recorded(folder: Path, mode: str) -> tuple[list[Sweep], tuple[str, ...]]:
    """Return the sweeps that are recorded in a store, which must be writable to run them, and remarks on the others."""
    try:
        recorded, faults = Store.open(folder).records()
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
    return [*recorded.values()], tuple(str(fault) for fault in faults)


def _state(outcome: Outcome) -> str:
    """Return the state as a table has it: of a cell in work also where, and the share that is done."""
    return sweep_looks.state_words(outcome) if outcome.state == running.IN_WORK else outcome.state


def _means(sweep: Sweep, outcome: Outcome, folder: Path) -> dict[str, Any]:
    _, arrays = Store.open(folder).read(outcome.name)
    answer: dict[str, Any] = {"times": arrays["times"], "observables": {}}
    for name in sweep.observables:
        if name in arrays and "site" not in OBSERVABLES[name].axes:
            mean, error = mean_and_error(arrays[name], arrays["diverged"])
            names = names_along(OBSERVABLES[name].axes[-1], outcome.cell.problem)
            answer["observables"][name] = {"mean": mean, "standard_error": error, "names": names}
    return answer


def _last(found: dict[str, Any] | None) -> str:
    """Return the mean at the last time, for the first units."""
    if found is None:
        return "-"
    mean, error = found["mean"][-1], found["standard_error"][-1]
    pairs = [(float(mean), float(error))] if mean.ndim == 0 else list(zip(mean, error, strict=True))
    words = [f"{value:.4g} ({spread:.1g})" for value, spread in pairs[:_SHOWN]]
    return " ".join(words) + (" ..." if len(pairs) > _SHOWN else "")
