"""`gdln fields`: receptive fields on a grid as images, with fits and maps of orientation and frequency."""

from pathlib import Path
from typing import Annotated

import typer

from derivations.commands import Drawable, Settings, Timeout, show_drawn

MAY_BEGIN_WITH_MINUS = False


def command(
    problem: Annotated[Path, typer.Argument(help="A problem file (TOML) whose data lie on a grid.")],
    source: Annotated[str, typer.Option(help="theory, or networks: those of [simulation], trained.")] = "theory",
    time: Annotated[
        str | None, typer.Option(help="One of the problem's times, the last by default; inf with theory.")
    ] = None,
    networks: Annotated[int, typer.Option(help="With --source networks: how many of the replicates.")] = 4,
    plot: Annotated[Path | None, typer.Option(help="Draw images and maps to this file (.png, .svg or .pdf).")] = None,
    settings: Settings = None,
    timeout: Timeout = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> int:
    """Fit each unit's field by a Gabor function and a difference of Gaussians, and say which explains it better."""
    from derivations.output import run

    def answered() -> Drawable:
        from derivations.answers import fields
        from derivations.answers.reading import read_problem
        from theory.problem.numbers import exact, one_of

        one_of(source, "--source", fields.SOURCES)
        when = None if time is None else float("inf") if time == "inf" else float(exact(time, "--time"))
        return fields.answer(read_problem(problem, settings), source, when, networks)

    return run(lambda: show_drawn("fields", answered, plot, json), json, timeout)
