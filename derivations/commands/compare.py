"""`gdln compare`: the exact law of gradient descent beside the trained networks of a problem file."""

from pathlib import Path
from typing import Annotated

import typer

from derivations.commands import Backend, Drawable, Settings, Timeout, show_drawn

MAY_BEGIN_WITH_MINUS = False


def command(
    problem: Annotated[Path, typer.Argument(help="A problem file (TOML), gated-linear or a graph, with [simulation].")],
    other: Annotated[
        Path | None, typer.Argument(help="A file of ReLU units on the same data, trained beside the prediction.")
    ] = None,
    beside: Annotated[
        str | None, typer.Option(help="relu: train ReLU networks on the same data beside the prediction.")
    ] = None,
    device: Annotated[str, typer.Option(help="auto, cpu or cuda.")] = "auto",
    backend: Backend = "auto",
    memory: Annotated[float | None, typer.Option(help="GiB that networks trained side by side may take.")] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw fields or paths, loss and distance to this file (.png, .svg or .pdf).")
    ] = None,
    settings: Settings = None,
    timeout: Timeout = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> int:
    """Predict what the networks of PROBLEM learn, their fields or paths and their loss, train them, and show both.

    With OTHER or --beside relu ReLU networks are trained in their place: fields aligned by centre and sign, the
    overlap of gates and active sets, and participation ratios beside those of random weights.
    """
    from derivations.output import run

    def answered() -> Drawable:
        from derivations.answers import compare
        from derivations.answers import relu_compare as answers
        from derivations.answers.reading import read_problem
        from derivations.progress import training_bar
        from theory.problem import InputError
        from theory.problem.numbers import positive

        if other is not None and beside is not None:
            raise InputError(f"{other} and --beside {beside} both name the networks.", "Leave one out.", "usage")
        question = read_problem(problem, settings)
        second = beside if other is None else read_problem(other, settings)
        limit = None if memory is None else int(positive(memory, "--memory", "networks need memory") * 2**30)
        with training_bar() as (training, measuring):
            if second is not None:
                return answers.answer(question, second, device, backend, limit, training, measuring)
            return compare.answer(question, device, backend, limit, training, measuring)

    return run(lambda: show_drawn("compare", answered, plot, json), json, timeout)
