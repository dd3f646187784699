"""`gdln sweep`: train a base problem for every combination of some fields' values, and keep what is measured."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Annotated

import typer

from derivations.commands import Timeout

MAY_BEGIN_WITH_MINUS = False
_MOST_WORKERS, _DEFAULT_WORKERS = 256, 16


def command(
    sweep: Annotated[Path, typer.Argument(help="A sweep file (TOML): base, axes, observables, store.")],
    out: Annotated[Path | None, typer.Option(help="Folder of the store; by default the one the file names.")] = None,
    workers: Annotated[int | None, typer.Option(help="Processes; by default one for each core, at most 16.")] = None,
    device: Annotated[str, typer.Option(help="auto, cpu or cuda.")] = "auto",
    dtype: Annotated[str | None, typer.Option(help="float64 or float32; by default that of the base.")] = None,
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
    """Run every cell of SWEEP that is not in its store yet; finished cells are kept, also after an interrupt."""
    from derivations import output
    from derivations.atomic import new_text

    def body() -> int:
        from derivations.answers import sweep as answers
        from derivations.pictures import check_picture, write_picture
        from theory.problem import InputError, load_sweep

        if status and dry_run:
            raise InputError("--status and --dry-run exclude each other.", "Leave one out.", "usage")
        if csv is not None:
            _check_new(csv)
        if plot is not None:
            if dry_run:
                raise InputError("--dry-run measures nothing that --plot could draw.", "Leave one out.", "usage")
            check_picture(plot)
        mode = "status" if status else "plan" if dry_run else "run"
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
        return output.PASS if mode == "plan" else answer.swept.exit_code

    return output.run(body, json, timeout)


def _count(workers: int | None) -> int:
    import os

    from theory.problem.numbers import whole

    if workers is None:
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        return min(cores, _DEFAULT_WORKERS)
    return whole(workers, "--workers", least=1, most=_MOST_WORKERS, why="each is a process of its own")


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
