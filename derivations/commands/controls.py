"""`gdln controls`: problems whose data differ from those of a problem in one statistic."""

from pathlib import Path
from typing import Annotated

import typer

from derivations.commands import Settings, Timeout

MAY_BEGIN_WITH_MINUS = False


def command(
    problem: Annotated[Path, typer.Argument(help="A problem file (TOML).")],
    out: Annotated[Path | None, typer.Option(help="Write the problems and their sweep into this new folder.")] = None,
    marginal: Annotated[
        str, typer.Option(help='The nonlinearity of the control "marginal": a word or { kind = "algebraic", k = 5 }.')
    ] = "laplace",
    correlation: Annotated[
        str, typer.Option(help='The correlation of the control "copula": a word or { kind = "table", values = [1] }.')
    ] = "exponential",
    settings: Settings = None,
    timeout: Timeout = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> int:
    """Name the controls of PROBLEM: another marginal, another copula, exchanged classes, and all else the same."""
    from derivations.output import PASS, emit, run

    def body() -> int:
        from derivations.answers import controls
        from derivations.answers.reading import read_problem
        from theory.problem.correlations import correlation_of
        from theory.problem.nonlinearities import nonlinearity_of
        from theory.problem.toml import value_of

        function = nonlinearity_of(value_of(marginal, "--marginal"), "--marginal")
        kernel = correlation_of(value_of(correlation, "--correlation"), "--correlation")
        answer = controls.answer(read_problem(problem, settings), function, kernel)
        written = () if out is None else answer.write(out)
        said = "".join(f"\nWritten: {path}" for path in written)
        emit("controls", answer.json() if json else {}, answer.text() + said, json)
        return PASS

    return run(body, json, timeout)
