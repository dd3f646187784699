"""`gdln sweep`: train a base problem for every combination of some fields' values, and keep what is measured."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

MAY_BEGIN_WITH_MINUS = False
_MOST_WORKERS, _DEFAULT_WORKERS = 256, 16


def command(
    sweep: Annotated[Path, typer.Argument(help="A sweep file (TOML): base, axes, observables, store.")],
    out: Annotated[Path | None, typer.Option(help="Folder of the store; by default the one the file names.")] = None,
    workers: Annotated[int | None, typer.Option(help="Processes; by default one for each core, at most 16.")] = None,
    device: Annotated[str, typer.Option(help="auto, cpu or cuda.")] = "auto",
    status: Annotated[bool, typer.Option("--status", help="Show what is there; run and write nothing.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would run; run and write nothing.")] = False,
    csv: Annotated[
        Path | None, typer.Option(help="Also write means and standard errors to this new .csv file.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> int:
    """Run every cell of SWEEP that is not in its store yet; what is finished is kept, whatever happens then."""
    from derivations import output

    def body() -> int:
        from theory.problem import InputError, load_sweep

        if status and dry_run:
            raise InputError("--status and --dry-run exclude each other.", "Leave one out.", "usage")
        if csv is not None:
            _check_new(csv)
        declared = load_sweep(sweep)
        folder = Path(declared.store) if out is None else out
        return _answer(declared, folder, _count(workers), device, "status" if status else "plan" if dry_run else "run")

    def _answer(declared: Any, folder: Path, count: int, device: str, what: str) -> int:
        from derivations.sweeps import running

        if what == "run":
            with _progress() as report:
                swept = running.run(declared, folder, device, count, report)
        else:
            swept = running.status(declared, folder, device)
        if csv is not None:
            _write_csv(csv, declared, folder)
        payload = _payload(swept, folder, what)
        output.emit("sweep", payload, _text(swept, payload, folder, what, csv), json)
        return output.PASS if what == "plan" else swept.exit_code

    return output.run(body, json)


def _count(workers: int | None) -> int:
    import os

    from theory.problem.numbers import whole

    if workers is None:
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        return min(cores, _DEFAULT_WORKERS)
    return whole(workers, "--workers", least=1, most=_MOST_WORKERS, why="each is a process of its own")


def _check_new(path: Path) -> None:
    from theory.problem import InputError

    if path.exists() or path.is_symlink():
        raise InputError(f"{path} exists; it would be lost.", "Name another file with --csv.", "file")
    if not path.parent.is_dir():
        raise InputError(f"The folder {path.parent} does not exist.", "Create it, or name another.", "file")


def _write_csv(path: Path, declared: Any, folder: Path) -> None:
    from derivations.atomic import write_text
    from derivations.sweeps.store import Store
    from derivations.sweeps.table import csv_text

    write_text(path, csv_text(Store.open(folder).table(declared)))


@contextmanager
def _progress() -> Iterator[Callable[[float, str], None]]:
    """A bar on stderr where that is a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("sweep", total=1.0)
        yield lambda share, what: bar.update(task, completed=share, description=what)


def _payload(swept: Any, folder: Path, what: str) -> dict[str, Any]:
    """The answer for programs: one entry a cell, with the means of what has no site axis."""
    from derivations.sweeps.running import INVALID
    from derivations.sweeps.store import sweep_id
    from derivations.sweeps.table import number_or_text

    listed = []
    for outcome in swept.outcomes:
        entry = {
            "cell": outcome.name,
            "index": outcome.cell.index,
            "at": {field: number_or_text(value) for field, value in outcome.cell.values.items()},
            "state": outcome.state,
            "source": outcome.source,
            "error": outcome.error,
        }
        if outcome.meta is not None:
            facts = ("replicates", "diverged", "steps", "wall_seconds", "device", "undefined")
            entry |= {name: outcome.meta[name] for name in facts}
            entry |= _means(swept.sweep, outcome, folder)
        listed.append(entry)
    states = sorted({outcome.state for outcome in swept.outcomes})
    return {
        "mode": what,
        "sweep": sweep_id(swept.sweep),
        "store": str(folder),
        "code": swept.code,
        "shape": swept.sweep.shape,
        "counts": {"cells": len(listed), **{state: swept.count(state) for state in states}},
        "left_out": swept.count(INVALID),
        "to_make": swept.to_make if what != "run" else None,
        "remarks": swept.remarks,
        "cells": listed,
    }


def _means(sweep: Any, outcome: Any, folder: Path) -> dict[str, Any]:
    from derivations.sweeps.store import Store
    from derivations.sweeps.table import mean_and_error
    from theory.problem import OBSERVABLES

    _, arrays = Store.open(folder).read(outcome.name)
    answer: dict[str, Any] = {"times": arrays["times"], "observables": {}}
    for name in sweep.observables:
        if name in arrays and "site" not in OBSERVABLES[name].axes:
            mean, error = mean_and_error(arrays[name], arrays["diverged"])
            answer["observables"][name] = {"mean": mean, "standard_error": error}
    return answer


def _text(swept: Any, payload: dict[str, Any], folder: Path, what: str, csv: Path | None) -> str:
    from theory.problem import OBSERVABLES
    from theory.problem.sweep import value_text

    shown = [name for name in swept.sweep.observables if not {"site", "other_time"} & set(OBSERVABLES[name].axes)]
    head = [*(axis.field for axis in swept.sweep.axes), "cell", *(shown if what != "plan" else ())]
    table = [head]
    for outcome, entry in zip(swept.outcomes, payload["cells"], strict=True):
        row = [*(value_text(value) for value in outcome.cell.values.values()), outcome.state]
        if what != "plan":
            row += [_last(entry.get("observables", {}).get(name)) for name in shown]
        table.append(row)
    widths = [max(len(row[column]) for row in table) for column in range(len(head))]
    lines = ["  ".join(word.ljust(width) for word, width in zip(row, widths, strict=True)).rstrip() for row in table]
    if shown and what != "plan":
        lines += ["", "mean (standard error) over networks at the last time; per unit where units are listed"]
    for outcome in swept.outcomes:
        if outcome.error is not None:
            lines += ["", f"{outcome.cell.label}: {outcome.state}", f"  {outcome.error['message']}"]
            lines += [f"  {outcome.error['hint']}"] if outcome.error["hint"] else []
    lines += [f"\n{remark}" for remark in swept.remarks]
    if payload["to_make"] and payload["to_make"]["cells"]:
        cost = payload["to_make"]
        lines += [
            "",
            f"To make: {cost['cells']} cells, {cost['networks']} networks, {cost['network_steps']} network-steps",
        ]
    counts = ", ".join(f"{number} {state}" for state, number in payload["counts"].items())
    new = sum(outcome.source == "made" for outcome in swept.outcomes)
    made = f"; {new} made now" if what == "run" else ""
    lines += ["", f"{counts}{made}. Store: {folder}"]
    lines += [f"Written: {csv}"] if csv is not None else []
    return "\n".join(lines)


def _last(found: dict[str, Any] | None) -> str:
    """The last time's mean, of the first units."""
    if found is None:
        return "-"
    mean, error = found["mean"][-1], found["standard_error"][-1]
    pairs = [(float(mean), float(error))] if mean.ndim == 0 else list(zip(mean, error, strict=True))
    words = [f"{value:.4g} ({spread:.1g})" for value, spread in pairs[:3]]
    return " ".join(words) + (" ..." if len(pairs) > 3 else "")
