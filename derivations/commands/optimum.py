"""`gdln optimum`: the gates with the least loss, by enumeration."""

from pathlib import Path
from typing import Annotated

import typer

from derivations.commands import Settings, Timeout

MAY_BEGIN_WITH_MINUS = False


def command(
    problem: Annotated[Path, typer.Argument(help="A problem file (TOML) with data of finitely many inputs.")],
    gates: Annotated[int | None, typer.Option(help="The number of gates; that of the file if left out.")] = None,
    kind: Annotated[
        str,
        typer.Option(
            help="any, exclusive, tiling, half-spaces, exclusive half-spaces, tiling half-spaces; or all of them."
        ),
    ] = "all",
    settings: Settings = None,
    timeout: Timeout = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> int:
    """Find the gates that minimise the loss of the best weights on the data of PROBLEM, exactly, by enumeration."""
    from derivations.output import PASS, run, show

    def body() -> int:
        from derivations.answers import optimum
        from derivations.answers.reading import read_problem

        show("optimum", optimum.answer(read_problem(problem, settings), gates, kind), json)
        return PASS

    return run(body, json, timeout)
