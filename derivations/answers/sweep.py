"""The answer of `gdln sweep`: the cells of a sweep, computed where they are missing, with their means."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from derivations.answers import refined
from derivations.output import CHECK_FAILED, OUT_OF_REACH, PASS, UNDECIDED
from derivations.pictures import sweep_picture
from derivations.sweeps import running
from derivations.sweeps.running import INVALID, Outcome, Swept
from derivations.sweeps.store import Store, check_creatable, sweep_id
from derivations.sweeps.table import csv_text, mean_and_error, names_along, number_or_text
from theory.problem import OBSERVABLES, InputError, Sweep
from theory.problem.numbers import one_of
from theory.problem.sweep import value_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MODES = ("run", "status", "plan", "record")
_SHOWN = 3  # units, weights or paths of a cell in the text; --json has them all


@dataclass(frozen=True)
class SweepAnswer:
    """The state of every cell of a sweep in the store `folder`, after it ran or (`mode` status, plan) as it is."""

    swept: Swept
    folder: Path
    mode: str

    def json(self) -> dict[str, Any]:
        """The object that `gdln sweep --json` prints, with the means of each cell's observables without sites."""
        return dict(self._content)

    @cached_property
    def _content(self) -> dict[str, Any]:
        """Return the content of `json()`, computed once, because the means are read from the store."""
        listed, stage = [], self.swept.stage
        for outcome in self.swept.outcomes:
            entry = {
                "cell": outcome.name,
                "index": outcome.cell.index,
                "at": {field: number_or_text(value) for field, value in outcome.cell.values.items()},
                "state": outcome.state,
                "source": outcome.source,
                "maker": outcome.maker,
                "error": outcome.error,
            }
            if stage is not None:
                entry["generation"] = stage.generation[len(listed)]
            if outcome.meta is not None:
                facts = ("replicates", "diverged", "steps", "wall_seconds", "device", "undefined")
                entry |= {name: outcome.meta[name] for name in facts}
                entry |= _means(self.swept.sweep, outcome, self.folder)
            listed.append(entry)
        states = sorted({outcome.state for outcome in self.swept.outcomes})
        return {
            "mode": self.mode,
            "sweep": sweep_id(self.swept.declared),
            "store": str(self.folder),
            "code": self.swept.code,
            "shape": self.swept.sweep.shape,
            "counts": {"cells": len(listed), **{state: self.swept.count(state) for state in states}},
            "left_out": self.swept.count(INVALID),
            "to_make": self.swept.to_make if self.mode != "run" else None,
            "remarks": self.swept.remarks,
            **({} if stage is None else {"refine": refined.content(stage)}),
            "cells": listed,
        }

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
        return csv_text(Store.open(self.folder).table(self.swept.declared))

    def text(self) -> str:
        """A table of the cells with the outcome of each, for a reader."""
        content, swept, ran = self._content, self.swept, self.mode != "plan"
        shown = self._without_sites
        stage = swept.stage
        head = [*(axis.field for axis in swept.sweep.axes), *(() if stage is None else ("generation",))]
        head += ["cell", *(shown if ran else ())]
        table = [head]
        for place in range(len(swept.outcomes)) if stage is None else refined.order(stage):
            outcome, entry = swept.outcomes[place], content["cells"][place]
            row = [value_text(value) for value in outcome.cell.values.values()]
            row += [*(() if stage is None else (str(entry["generation"]),)), outcome.state]
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
        for outcome in swept.outcomes:
            if outcome.error is not None:
                lines += ["", f"{outcome.cell.label}: {outcome.state}", f"  {outcome.error['message']}"]
                lines += [f"  {outcome.error['hint']}"] if outcome.error["hint"] else []
        lines += [f"\n{remark}" for remark in swept.remarks]
        lines += [] if stage is None else ["", *refined.lines(stage)]
        if content["to_make"] and content["to_make"]["cells"]:
            cost = content["to_make"]
            lines += [
                "",
                f"To make: {cost['cells']} cells, {cost['networks']} networks, {cost['network_steps']} network-steps",
            ]
        counts = ", ".join(f"{number} {state}" for state, number in content["counts"].items())
        new = sum(outcome.source == "made" for outcome in swept.outcomes)
        made = f"; {new} made now" if self.mode == "run" else ""
        lines += ["", f"{counts}{made}. Store: {self.folder}"]
        return "\n".join(lines)

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
) -> SweepAnswer:
    """Make the cells that the store `folder` (by default the one the sweep names) lacks, or only report the states.

    `mode` is one of MODES; `report` receives the share that is done and a description of the running step; `dtype`
    overrides simulation.dtype of the base. Raises InputError for invalid cells and for a folder that cannot be a store,
    OutOfReachError for an absent device.

    >>> from derivations.experiments.localization_sweep.experiment import declared
    >>> plan = answer(declared("localization-batch"), Path("no-store-here"), mode="plan").json()
    >>> plan["counts"], plan["to_make"]["networks"]
    ({'cells': 4, 'missing': 4}, 120)
    """
    folder = Path(sweep.store) if folder is None else folder
    sweep = sweep if dtype is None else sweep.in_dtype(dtype)
    if one_of(mode, "mode", MODES) == "run":
        return SweepAnswer(running.run(sweep, folder, device, workers, report), folder, mode)
    look = running.record if mode == "record" else running.status
    return SweepAnswer(look(sweep, folder, device), folder, mode)


@dataclass(frozen=True)
class StoreAnswer:
    """The answers for all sweeps that are recorded in the store `folder`."""

    answers: tuple[SweepAnswer, ...]
    folder: Path
    mode: str

    def json(self) -> dict[str, Any]:
        """The object that `gdln sweep --worker STORE --json` prints: the objects of the sweeps in a list."""
        return {
            "mode": self.mode,
            "store": str(self.folder),
            "sweeps": [one.json() for one in self.answers],
        }

    def text(self) -> str:
        """The tables of the sweeps, for a reader."""
        return "\n\n".join(f"Sweep {sweep_id(one.swept.declared)}\n\n{one.text()}" for one in self.answers)

    @property
    def exit_code(self) -> int:
        """The code of all sweeps together: the first of those of `Swept.exit_code` that one of them has."""
        codes = {one.swept.exit_code for one in self.answers}
        return next(code for code in (CHECK_FAILED, OUT_OF_REACH, UNDECIDED, PASS) if code in codes)


def store_answer(
    folder: Path,
    mode: str = "run",
    device: str = "auto",
    workers: int = 1,
    report: Callable[[float, str], None] = lambda _share, _what: None,
) -> StoreAnswer:
    """Make the missing cells of every sweep that is recorded in a store, beside other workers, or report the states.

    `mode` is "run" or "status". Raises InputError for a folder that is no store, is of another version, has no sweep,
    or cannot be written; OutOfReachError for an absent device.
    """
    try:
        recorded = Store.open(folder).sweeps()
        if mode == "run":
            check_creatable(folder)
    except InputError as error:
        raise InputError(error.message, error.hint.replace("--out", "--worker"), error.kind) from None
    if not recorded:
        raise InputError(
            f"{folder} has no record of a sweep.", f"Run gdln sweep SWEEP.toml --record --out {folder} first.", "file"
        )
    if mode == "run":
        swept = [running.run(one, folder, device, workers, report, anywhere=True) for one in recorded.values()]
    else:
        swept = [running.status(one, folder, device) for one in recorded.values()]
    return StoreAnswer(tuple(SweepAnswer(one, folder, mode) for one in swept), folder, mode)


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
