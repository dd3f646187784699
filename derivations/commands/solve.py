"""`gdln solve`: the exact solution of a problem with fixed gates, from theory alone."""

from pathlib import Path
from typing import Annotated

import typer

from derivations.commands import Drawable, Settings, Timeout, show_drawn

MAY_BEGIN_WITH_MINUS = False


def command(
    problem: Annotated[Path, typer.Argument(help="A problem file (TOML) with a gated-linear network.")],
    digits: Annotated[int | None, typer.Option(help="Certified significant digits of every number.")] = None,
    settings: Settings = None,
    timeout: Timeout = None,
    plot: Annotated[
        Path | None,
        typer.Option(help="Draw fields or paths, and the loss, to this file (.png, .svg or .pdf)."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> int:
    """Solve PROBLEM exactly: optimum, fixed point, rates and weights over time under gradient flow."""
    from derivations.output import run

    def answered() -> Drawable:
        from derivations.answers import solve
        from derivations.answers.reading import read_problem

        return solve.answer(read_problem(problem, settings), digits)

    return run(lambda: show_drawn("solve", answered, plot, json), json, timeout)
