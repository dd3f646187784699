"""`gdln sweep`: train a base problem for every combination of some fields' values, and keep what is measured."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Annotated

import typer

from derivations.commands import Timeout

MAY_BEGIN_WITH_MINUS = False
_WORDS = {"plan": "--dry-run", "record": "--record"}
_MOST_WORKERS, _DEFAULT_WORKERS = 256, 16


def command(
    sweep: Annotated[
        Path | None,
        typer.Argument(help="A sweep file (TOML): base, axes, observables, store, refine.", show_default=False),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder of the store; by default the one the file names.")] = None,
    workers: Annotated[int | None, typer.Option(help="Processes; by default one for each core, at most 16.")] = None,
    device: Annotated[str, typer.Option(help="auto, cpu or cuda.")] = "auto",
    dtype: Annotated[str | None, typer.Option(help="float64 or float32; by default that of the base.")] = None,
    worker: Annotated[
        Path | None, typer.Option(metavar="STORE", help="Make the missing cells of all sweeps recorded in this store.")
    ] = None,
    record: Annotated[
        bool, typer.Option("--record", help="Record the sweep in its store for workers; run nothing.")
    ] = False,
    status: Annotated[bool, typer.Option("--status", help="Show the cells; run and write nothing.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would run; run and write nothing.")] = False,
    csv: Annotated[
        Path | None, typer.Option(help="Also write means and standard errors to this new .csv file.")
    ] = None,
    timeout: Timeout = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the observables against the first axis to this file (.png, .svg or .pdf).")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> int:
    """Run every cell of SWEEP that is not in its store yet; finished cells are kept, also after an interrupt.

    With a table [refine] further cells follow from these, generation after generation.

    Any number of machines may run the same command, or gdln sweep --worker STORE, on one store.
    """
    from derivations import output
    from derivations.atomic import new_text

    def body() -> int:
        from derivations.answers import sweep as answers
        from derivations.pictures import check_picture, write_picture
        from theory.problem import InputError, load_sweep

        chosen = [mode for mode, given in (("status", status), ("plan", dry_run), ("record", record)) if given]
        if len(chosen) > 1:
            raise InputError("--status, --dry-run and --record exclude each other.", "Leave all but one out.", "usage")
        mode = chosen[0] if chosen else "run"
        if worker is not None:
            others = {"SWEEP": sweep, "--out": out, "--dtype": dtype, "--csv": csv, "--plot": plot}
            _check_alone(mode, [name for name, given in others.items() if given is not None])
            with _progress(mode == "run") as report:
                filled = answers.store_answer(worker, mode, device, _count(workers), report)
            output.emit("sweep", filled.json(), filled.text(), json)
            return filled.exit_code
        if sweep is None:
            raise InputError("No sweep is named.", "Name a sweep file, or a store with --worker.", "usage")
        if csv is not None:
            _check_new(csv)
        if plot is not None:
            if mode in ("plan", "record"):
                raise InputError(f"{_WORDS[mode]} measures nothing that --plot could draw.", "Leave one out.", "usage")
            check_picture(plot)
        with nullcontext() if csv is None else new_text(csv) as table:
            with _progress(mode == "run") as report:
                answer = answers.answer(load_sweep(sweep), out, mode, device, _count(workers), report, dtype)
            if table is not None:
                table.write(answer.csv())
        if plot is not None:
            write_picture(answer.figure(), plot)
        files = [str(file) for file in (csv, plot) if file is not None]
        written = f"\nWritten: {', '.join(files)}" if files else ""
        output.emit("sweep", answer.json(), answer.text() + written, json)
        return output.PASS if mode in ("plan", "record") else answer.swept.exit_code

    return output.run(body, json, timeout)


def _count(workers: int | None) -> int:
    import os

    from theory.problem.numbers import whole

    if workers is None:
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        return min(cores, _DEFAULT_WORKERS)
    return whole(workers, "--workers", least=1, most=_MOST_WORKERS, why="each is a process of its own")


def _check_alone(mode: str, others: list[str]) -> None:
    """InputError where --worker, which reads its sweeps from the store, is given with words that belong to a file."""
    from theory.problem import InputError

    others += [_WORDS[mode]] if mode in ("plan", "record") else []
    if others:
        raise InputError(
            f"--worker STORE makes the sweeps that the store has recorded; {', '.join(others)} would be ignored.",
            "Leave it out, or run gdln sweep SWEEP.toml.",
            "usage",
        )


def _check_new(path: Path) -> None:
    from derivations.atomic import check_folder
    from theory.problem import InputError

    if path.exists() or path.is_symlink():
        raise InputError(f"{path} exists; it would be lost.", "Name another file with --csv.", "file")
    check_folder(path.parent, "--csv")


@contextmanager
def _progress(runs: bool) -> Iterator[Callable[[float, str], None]]:
    """Show a bar on stderr if it is a terminal and cells are run."""
    if not runs:
        yield lambda _share, _what: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not (runs and console.is_terminal)) as bar:
        task = bar.add_task("sweep", total=1.0)
        yield lambda share, what: bar.update(task, completed=share, description=what)
