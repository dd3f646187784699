"""`gdln sweep`: train a base problem for every combination of some fields' values, and keep what is measured."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from derivations.commands import Timeout

if TYPE_CHECKING:
    from derivations.answers.sweep import StoreAnswer, SweepAnswer
    from derivations.answers.sweep_looks import LookAnswer

MAY_BEGIN_WITH_MINUS = False
_WORDS = {
    "plan": "--dry-run",
    "record": "--record",
    "watch": "--watch",
    "status": "--status",
    "submit": "--engine without --wait",
}
_MOST_WORKERS, _DEFAULT_WORKERS = 256, 16


def command(
    sweep: Annotated[
        Path | None,
        typer.Argument(help="A sweep file (TOML): base, axes, observables, store, refine.", show_default=False),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder of the store; by default the one the file names.")] = None,
    workers: Annotated[
        int | None,
        typer.Option(help="Processes; by default one a core, at most 16; one a job; on a GPU as many as fit."),
    ] = None,
    device: Annotated[str, typer.Option(help="auto, cpu or cuda.")] = "auto",
    dtype: Annotated[str | None, typer.Option(help="float64 or float32; by default that of the base.")] = None,
    worker: Annotated[
        Path | None, typer.Option(metavar="STORE", help="Make the missing cells of all sweeps recorded in this store.")
    ] = None,
    record: Annotated[
        bool, typer.Option("--record", help="Record the sweep in its store for workers; run nothing.")
    ] = False,
    engine: Annotated[str, typer.Option(help="local, or slurm: submit jobs of workers (extra cluster).")] = "local",
    jobs: Annotated[int | None, typer.Option(help="slurm: jobs, one by default.")] = None,
    cpus: Annotated[
        int | None, typer.Option(help="slurm: processors a job, by default one a worker, at most 8 a GPU.")
    ] = None,
    gpus: Annotated[int | None, typer.Option(help="slurm: GPUs a job.")] = None,
    memory: Annotated[str | None, typer.Option(help="slurm: memory a job, as in 4G.")] = None,
    time: Annotated[str | None, typer.Option(help="slurm: time a job: 90, 4:00:00; by default an hour.")] = None,
    partition: Annotated[str | None, typer.Option(help="slurm: partition.")] = None,
    wait: Annotated[bool, typer.Option("--wait", help="slurm: wait for the cells.")] = False,
    status: Annotated[bool, typer.Option("--status", help="Show the cells; run and write nothing.")] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="Show the state again and again until every cell is there or failed.")
    ] = False,
    verify: Annotated[
        bool, typer.Option("--verify", help="Read and verify every cell, however many there are.")
    ] = False,
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
        from derivations.pictures import write_picture
        from derivations.sweeps.launch.resources import Resources, megabytes, minutes
        from theory.problem import InputError, load_sweep

        resources = Resources(jobs, cpus, gpus, megabytes(memory), minutes(time), partition)
        of_engine = [] if engine == "local" else ["--engine"]
        of_engine += ([] if not wait else ["--wait"]) + resources.given
        mode = _mode(verify, of_engine, status=status, watch=watch, plan=dry_run, record=record)
        if mode == "run" and engine != "local" and not wait:
            mode = "submit"
        if worker is not None:
            others = {"SWEEP": sweep, "--out": out, "--dtype": dtype, "--csv": csv, "--plot": plot}
            _check_alone(mode, [name for name, given in others.items() if given is not None] + of_engine)
            if mode == "watch":
                return _watch(answers.looks(None, worker, device), json)
            with _progress(mode == "run") as report:
                filled = answers.store_answer(worker, mode, device, _count(workers, device), report, verify)
            output.emit("sweep", filled.json(), filled.text(), json)
            return filled.exit_code
        if sweep is None:
            raise InputError("No sweep is named.", "Name a sweep file, or a store with --worker.", "usage")
        if wait and engine == "local":
            message = "--wait would be ignored: the local engine always waits for its cells."
            raise InputError(message, "Leave it out, or add --engine slurm.", "usage")
        _check_files(mode, csv, plot)
        if mode == "watch":
            return _watch(answers.looks(load_sweep(sweep), out, device, dtype), json)
        with nullcontext() if csv is None else new_text(csv) as table:
            with _progress(mode in ("run", "record", "submit")) as report:
                # A table and a picture need the results of every cell.
                every = verify or csv is not None or plot is not None
                count = _count(workers, device, resources.gpus, engine)
                asked = (mode, device, count, report, dtype, engine, resources, every)
                answer = answers.answer(load_sweep(sweep), out, *asked)
            if table is not None:
                table.write(answer.csv())
        if plot is not None:
            write_picture(answer.figure(), plot)
        files = [str(file) for file in (csv, plot) if file is not None]
        written = f"\nWritten: {', '.join(files)}" if files else ""
        output.emit("sweep", answer.json(), answer.text() + written, json)
        return output.PASS if mode in ("plan", "record", "submit") else answer.exit_code

    return output.run(body, json, timeout)


def _watch(look: "Callable[[], SweepAnswer | LookAnswer | StoreAnswer]", as_json: bool) -> int:
    """Show what `look` returns until no cell is missing or in work: renewed on a terminal, else a line at each change.

    A change is one of the numbers of cells in a state.
    """
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    from derivations import output
    from derivations.answers.sweep_looks import watch

    if not as_json and sys.stdout.isatty():
        with Live(console=Console(highlight=False), auto_refresh=False, vertical_overflow="crop") as live:
            return watch(look, lambda answer: live.update(Text(answer.text()), refresh=True)).exit_code
    last: list[str] = []

    def show(answer: "SweepAnswer | LookAnswer | StoreAnswer") -> None:
        if last != [answer.states]:
            last[:] = [answer.states]
            output.emit("sweep", answer.json(), answer.line(), as_json)
            sys.stdout.flush()

    return watch(look, show).exit_code


def _count(workers: int | None, device: str, gpus: int | None = None, engine: str = "local") -> int:
    """Return the most processes, of each job with `gpus` if there are jobs.

    They are those asked for, or what may share a GPU; without one, one a job, or one a core.
    """
    import os

    from derivations.sweeps.gpus import MOST_CLIENTS
    from derivations.sweeps.running import kind_of
    from theory.problem.numbers import whole

    if workers is None:
        if engine != "local":  # whatever there is where the jobs are submitted
            return 1 if gpus is None else MOST_CLIENTS
        if kind_of(device) == "cuda":
            return MOST_CLIENTS
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        return min(cores, _DEFAULT_WORKERS)
    return whole(workers, "--workers", least=1, most=_MOST_WORKERS, why="each is a process of its own")


def _mode(verify: bool, of_engine: list[str], **given: bool) -> str:
    """Return the only mode that is given, or "run".

    InputError for two, for --verify where nothing is read, and for options of an engine where nothing is run.
    """
    from theory.problem import InputError

    chosen = [mode for mode, is_given in given.items() if is_given]
    if len(chosen) > 1:
        message = "--status, --watch, --dry-run and --record exclude each other."
        raise InputError(message, "Leave all but one out.", "usage")
    if chosen and of_engine:
        message = f"{_WORDS[chosen[0]]} runs nothing; {', '.join(of_engine)} would be ignored."
        raise InputError(message, "Leave one out.", "usage")
    if verify and chosen not in ([], ["status"]):
        message = f"{_WORDS[chosen[0]]} goes by names; --verify would be ignored."
        raise InputError(message, "Use --verify with --status, or with a run.", "usage")
    return chosen[0] if chosen else "run"


def _check_files(mode: str, csv: Path | None, plot: Path | None) -> None:
    """InputError where --csv or --plot cannot be written, or where the mode has nothing for them."""
    from derivations.pictures import check_picture
    from theory.problem import InputError

    if mode == "watch" and (csv is not None or plot is not None):
        raise InputError("--watch shows states, and no results.", "Use --csv and --plot with --status.", "usage")
    if csv is not None:
        _check_new(csv)
    if plot is not None:
        if mode in ("plan", "record", "submit"):
            raise InputError(f"{_WORDS[mode]} measures nothing that --plot could draw.", "Leave one out.", "usage")
        check_picture(plot)
        if csv is not None and csv.absolute() == plot.absolute():
            raise InputError(f"--csv and --plot would both write {csv}.", "Name two files.", "usage")


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
