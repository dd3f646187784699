"""`gdln flow`: the gradient flow of a gated linear network on a graph, derived path by path."""

from pathlib import Path
from typing import Annotated

import typer

from derivations.commands import Settings, Timeout

MAY_BEGIN_WITH_MINUS = False


def command(
    problem: Annotated[Path, typer.Argument(help="A problem file (TOML) with gated linear nodes.")],
    weight: Annotated[str | None, typer.Option(help="The weight whose flow is wanted; all if left out.")] = None,
    form: Annotated[str, typer.Option("--format", help="text, latex, markdown, numpy or torch.")] = "text",
    plot: Annotated[
        Path | None, typer.Option(help="Draw the graph to this .svg; paths through WEIGHT stand out.")
    ] = None,
    settings: Settings = None,
    timeout: Timeout = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> int:
    """Derive tau dW/dt of every weight of PROBLEM from its paths, each step checked; print formulas or code."""
    from derivations.output import CHECK_FAILED, PASS, emit, run

    def body() -> int:
        from derivations.answers import flow
        from derivations.answers.reading import read_problem
        from derivations.atomic import write_text
        from derivations.pictures import check_picture
        from derivations.publish.graph_drawing import drawing
        from theory.problem.errors import InputError

        if form not in flow.FORMATS:
            raise InputError(f"--format {form} is not known.", f"Choose one of: {', '.join(flow.FORMATS)}.")
        if plot is not None:
            check_picture(plot, (".svg",))
        answer = flow.answer(read_problem(problem, settings), weight)
        if plot is not None:
            write_text(plot, drawing(answer.flow.graph, answer.flow.paths, weight))
        written = "" if plot is None or form != "text" else f"\n\nWritten: {plot}"
        emit("flow", answer.json(), answer.text(form) + written, json)
        return PASS if answer.proved else CHECK_FAILED

    return run(body, json, timeout)
