"""`gdln simulate`: train the networks of a problem file on sampled data and measure what they learned."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from derivations.commands import Backend, Settings, Timeout, loading

MAY_BEGIN_WITH_MINUS = False


def command(
    problem: Annotated[Path, typer.Argument(help="A problem file (TOML) with a [simulation] table.")],
    device: Annotated[str, typer.Option(help="auto, cpu or cuda.")] = "auto",
    out: Annotated[Path | None, typer.Option(help="Write every replicate's values to this .npz file.")] = None,
    backend: Backend = "auto",
    memory: Annotated[float | None, typer.Option(help="GiB that networks trained side by side may take.")] = None,
    dtype: Annotated[str | None, typer.Option(help="float64 or float32; by default that of the file.")] = None,
    alignment: Annotated[
        bool,
        typer.Option("--alignment", help="Of a deep network on listed examples, also the alignment nu of its kernel."),
    ] = False,
    settings: Settings = None,
    timeout: Timeout = None,
    plot: Annotated[
        Path | None,
        typer.Option(help="Draw fields or paths, and the loss, to this file (.png, .svg or .pdf)."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> int:
    """Train the networks of PROBLEM and print the observables with their standard errors over replicates."""
    from derivations.output import PASS, emit, run

    def body() -> int:
        from derivations.answers.reading import read_problem
        from derivations.pictures import check_picture, write_picture
        from theory.problem import InputError, Network
        from theory.problem.numbers import positive

        if out is not None and plot is not None and out.absolute() == plot.absolute():
            raise InputError(f"--out and --plot would both write {out}.", "Name two files.", "usage")
        question = read_problem(problem, settings)
        if plot is not None:
            check_picture(plot)
            if isinstance(question.network, Network):
                from theory.flow.picture import require_one_output  # it loads matplotlib

                require_one_output(question.data)
        limit = None if memory is None else int(positive(memory, "--memory", "networks need memory") * 2**30)
        if out is None:
            answer = _answer(question, device, backend, limit, dtype, alignment)
        else:
            answer = _written(question, device, backend, limit, dtype, alignment, problem, out)
        if plot is not None:
            write_picture(answer.figure(), plot)
        files = [str(file) for file in (out, plot) if file is not None]
        written = f"\n\nWritten: {', '.join(files)}" if files else ""
        emit("simulate", answer.json(), answer.text() + written, json)
        return PASS

    return run(body, json, timeout)


def _answer(question: Any, device: str, backend: str, limit: int | None, dtype: str | None, alignment: bool) -> Any:
    from derivations.progress import training_bar
    from derivations.threads import side_by_side

    if dtype is not None:
        question = replace(question, simulation=replace(question.simulated(), dtype=dtype))
    threads = side_by_side()
    with loading():
        from derivations.answers import simulate  # it loads torch

    with training_bar() as (training, measuring):
        return simulate.answer(question, device, backend, limit, training, measuring, None, threads, alignment)


def _written(
    question: Any,
    device: str,
    backend: str,
    limit: int | None,
    dtype: str | None,
    alignment: bool,
    problem: Path,
    out: Path,
) -> Any:
    """The answer, with the values of every replicate in `out`; an unwritable file is an error before training."""
    import numpy as np

    from derivations.atomic import check_archive, new_file

    check_archive(out, problem)
    with new_file(out) as file:
        answer = _answer(question, device, backend, limit, dtype, alignment)
        np.savez(file, **answer.arrays())
    return answer
