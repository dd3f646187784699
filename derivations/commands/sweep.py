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
    from theory.problem import Sweep

MAY_BEGIN_WITH_MINUS = False
_MEASURES_NOTHING = {"plan": "--dry-run", "record": "--record", "submit": "--engine slurm without --wait"}
_DEFAULT_WORKERS = 16


def command(
    sweep: Annotated[
        Path | None,
        typer.Argument(
            help="A sweep file (TOML): base, axes, observables, store; with --set, a problem file.",
            show_default=False,
        ),
    ] = None,
    values: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUES", help="An axis, as in data.gain=0.5,1,2; SWEEP is then a problem."),
    ] = None,
    observables: Annotated[
        str | None, typer.Option(help="With --set: what is measured, as in loss,weights; loss by default.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder of the store; by default the one the file names.")] = None,
    workers: Annotated[
        int | None, typer.Option(help="Processes, of each job if there are jobs; by default one a core, one a job.")
    ] = None,
    device: Annotated[str, typer.Option(help="auto, cpu or cuda.")] = "auto",
    dtype: Annotated[str | None, typer.Option(help="float64 or float32; by default that of the base.")] = None,
    worker: Annotated[
        Path | None, typer.Option(metavar="STORE", help="Compute the missing cells of all sweeps of this store.")
    ] = None,
    allow_code: Annotated[
        bool, typer.Option("--allow-code", help="With --worker: run the Python laws that the store names.")
    ] = False,
    record: Annotated[
        bool, typer.Option("--record", help="Record the sweep in its store for workers; run nothing.")
    ] = False,
    engine: Annotated[str, typer.Option(help="local; slurm (extra cluster); dask (extra dask).")] = "local",
    scheduler: Annotated[str | None, typer.Option(help="dask: address; by default a cluster on this machine.")] = None,
    jobs: Annotated[int | None, typer.Option(help="slurm: jobs, by default as many as cells, at most 8.")] = None,
    cpus: Annotated[int | None, typer.Option(help="slurm: processors a job, by default one a worker.")] = None,
    gpus: Annotated[int | None, typer.Option(help="slurm: GPUs a job.")] = None,
    memory: Annotated[str | None, typer.Option(help="slurm: memory a job, as in 4G.")] = None,
    time: Annotated[str | None, typer.Option(help="slurm: time a job: 90, 4:00:00; by default an hour.")] = None,
    partition: Annotated[str | None, typer.Option(help="slurm: partition.")] = None,
    wait: Annotated[bool, typer.Option("--wait", help="slurm: wait for the cells.")] = False,
    status: Annotated[bool, typer.Option("--status", help="Show the cells; run and write nothing.")] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="Show the state again and again until no cell is missing.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would run, and where; run nothing.")] = False,
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

    Any number of machines may run the same command, or gdln sweep --worker STORE, on one store.
    """
    from derivations import output
    from derivations.atomic import new_text

    def body() -> int:
        from derivations.answers import sweep as answers
        from derivations.pictures import write_picture
        from derivations.sweeps.engines.resources import Resources
        from theory.problem import InputError

        resources = Resources(jobs, cpus, gpus, memory, time, partition, wait or None)
        mode = _mode(status=status, watch=watch, plan=dry_run, record=record)
        if mode == "run" and engine == "slurm" and not wait:
            mode = "submit"
        if worker is not None:
            others = {"SWEEP": sweep, "--out": out, "--dtype": dtype, "--csv": csv, "--plot": plot}
            others |= {"--engine": None if engine == "local" else engine, "--dry-run": dry_run or None}
            others |= {"--record": record or None, **dict.fromkeys(resources.options, True)}
            if ignored := ", ".join(name for name, value in others.items() if value is not None):
                message = f"--worker STORE makes the sweeps that the store has recorded; {ignored} would be ignored."
                raise InputError(message, "Leave it out, or run gdln sweep SWEEP.toml.", "usage")
            if mode == "watch":
                return _watch(answers.looks(None, worker, device), json)
            with _progress(mode == "run") as report:
                count = _count(workers, "local")
                filled = answers.store_answer(worker, mode, device, count, report, allow_code)
            output.emit("sweep", filled.json(), filled.text(), json)
            return filled.exit_code
        if sweep is None:
            raise InputError("No sweep is named.", "Name a sweep file, or a store with --worker.", "usage")
        if allow_code:
            raise InputError("--allow-code is for --worker.", "A file that you name may run its own laws.", "usage")
        _check_files(mode, csv, plot)
        declared = _declared(sweep, values, observables, out)
        if mode == "watch":
            return _watch(answers.looks(declared, out, device, dtype), json)
        with nullcontext() if csv is None else new_text(csv) as table:
            with _progress(mode in ("run", "record", "submit")) as report:
                settings = (mode, device, _count(workers, engine), report, dtype, engine, resources, scheduler)
                answer = answers.answer(declared, out, *settings)
            if table is not None:
                table.write(answer.csv())
        if plot is not None:
            write_picture(answer.figure(), plot)
        files = [str(file) for file in (csv, plot) if file is not None]
        written = f"\nWritten: {', '.join(files)}" if files else ""
        output.emit("sweep", answer.json(), answer.text() + written, json)
        return output.PASS if mode in _MEASURES_NOTHING else answer.exit_code

    return output.run(body, json, timeout)


def _declared(path: Path, values: list[str] | None, observables: str | None, out: Path | None) -> "Sweep":
    """Return the sweep of a file, or of a problem file and the axes in `values`."""
    from theory.problem import InputError, load_sweep
    from theory.problem.sweep_toml import sweep_of_words

    if values:
        return sweep_of_words(
            path, values, (observables or "loss").split(","), f"{path.stem}-sweep" if out is None else str(out)
        )
    if observables is not None:
        raise InputError("--observables is for --set.", "A sweep file names its observables.", "usage")
    return load_sweep(path)


def _watch(look: "Callable[[], SweepAnswer | StoreAnswer]", as_json: bool) -> int:
    """Show what `look` returns until no cell is missing or in work: renewed on a terminal, else a line at each change.

    A change is one of the numbers of cells in a state.
    """
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    from derivations import output
    from derivations.answers.sweep import watch

    if not as_json and sys.stdout.isatty():
        with Live(console=Console(highlight=False), auto_refresh=False, vertical_overflow="crop") as live:
            return watch(look, lambda answer: live.update(Text(answer.text()), refresh=True)).exit_code
    last: list[str] = []

    def show(answer: "SweepAnswer | StoreAnswer") -> None:
        if last != [answer.states]:
            last[:] = [answer.states]
            output.emit("sweep", answer.json(), answer.line(), as_json)
            sys.stdout.flush()

    return watch(look, show).exit_code


def _count(workers: int | None, engine: str) -> int:
    """Return the number of processes, of each job where there are jobs: one by default, else one a core."""
    import os

    from derivations.sweeps.engines import MOST_WORKERS
    from theory.problem.numbers import whole

    if workers is None:
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        return 1 if engine == "slurm" else min(cores, _DEFAULT_WORKERS)
    return whole(workers, "--workers", least=1, most=MOST_WORKERS, why="each is a process of its own")


def _mode(**modes: bool) -> str:
    """Return the only mode that is chosen, or "run". InputError for two."""
    from theory.problem import InputError

    chosen = [mode for mode, is_chosen in modes.items() if is_chosen]
    if len(chosen) > 1:
        message = "--status, --watch, --dry-run and --record exclude each other."
        raise InputError(message, "Leave all but one out.", "usage")
    return chosen[0] if chosen else "run"


def _check_files(mode: str, csv: Path | None, plot: Path | None) -> None:
    """InputError where --csv or --plot cannot be written, or where the mode has nothing for them."""
    from derivations.atomic import check_folder
    from derivations.pictures import check_picture
    from theory.problem import InputError

    if mode == "watch" and (csv is not None or plot is not None):
        raise InputError("--watch shows states, and no results.", "Use --csv and --plot with --status.", "usage")
    if csv is not None:
        check_folder(csv.parent, "--csv")
        if csv.exists() or csv.is_symlink():
            raise InputError(f"{csv} exists; it would be lost.", "Name another file with --csv.", "file")
    if plot is not None:
        if mode in _MEASURES_NOTHING:
            message = f"{_MEASURES_NOTHING[mode]} measures nothing that --plot could draw."
            raise InputError(message, "Leave one out.", "usage")
        check_picture(plot)
        if csv is not None and csv.absolute() == plot.absolute():
            raise InputError(f"--csv and --plot would both write {csv}.", "Name two files.", "usage")


@contextmanager
def _progress(runs: bool) -> Iterator[Callable[[float, str], None]]:
    """Show a bar on stderr if it is a terminal and cells are run."""
    if not runs:
        yield lambda _share, _what: None
        return
    from derivations.progress import bars

    with bars() as report:
        yield lambda share, what: report("sweep", what, share)
