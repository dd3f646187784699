"""`gdln paths`: the paths of a deep gated network, which are active for each input, and the kernels that they make."""

from pathlib import Path
from typing import Annotated

import typer

from derivations.commands import Drawable, Settings, Timeout, show_drawn

MAY_BEGIN_WITH_MINUS = False


def command(
    problem: Annotated[Path, typer.Argument(help="A problem file (TOML) with a deep network and a list of examples.")],
    inputs: Annotated[str | None, typer.Option(help="The numbers of the examples, as 0,2; all if left out.")] = None,
    regions: Annotated[
        bool,
        typer.Option(
            "--regions",
            help="Divide the plane of inputs (x1, x2), or (x1, x2, c), by the gates, and count the regions of paths.",
        ),
    ] = False,
    plot: Annotated[
        Path | None,
        typer.Option(help="Draw the network with the active paths, or the regions, to this file (.png, .svg or .pdf)."),
    ] = None,
    torch: Annotated[bool, typer.Option("--torch", help="Evaluate in PyTorch too, and print the difference.")] = False,
    settings: Settings = None,
    timeout: Timeout = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> int:
    """Count and list the paths of PROBLEM's deep network that each input opens, with outputs and kernels, exactly."""
    from derivations.output import run

    def answered() -> Drawable:
        from derivations.answers import paths, paths_regions
        from derivations.answers.reading import read_problem

        question = read_problem(problem, settings)
        if regions:
            return paths_regions.answer(question, paths_regions.marked(inputs, torch))
        return paths.answer(question, None if inputs is None else paths.numbers_in(inputs), torch)

    return run(lambda: show_drawn("paths", answered, plot, json), json, timeout)
