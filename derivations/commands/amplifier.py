"""`gdln amplifier`: the localization amplifier of a pixel's marginal, its elasticity, and the flat state of a law."""

from pathlib import Path
from typing import Annotated

import typer

from derivations.commands import Settings, Timeout, show_drawn

MAY_BEGIN_WITH_MINUS = True


def command(
    problem: Annotated[
        Path | None, typer.Argument(help="A problem file (TOML): the marginal of its class y = 1, and the flat state.")
    ] = None,
    marginal: Annotated[
        str | None, typer.Option("--marginal", help="A formula: exp(-sqrt(2)*abs(x))/sqrt(2), see --kind.")
    ] = None,
    kind: Annotated[
        str, typer.Option(help="The formula is a density or cumulative of x, or a quantile function of u.")
    ] = "density",
    support: Annotated[str, typer.Option(help="The ends of x, low and high.")] = "-oo, oo",
    values: Annotated[str | None, typer.Option(help='Values with probabilities: "-1: 1/2, 1: 1/2".')] = None,
    samples: Annotated[Path | None, typer.Option(help="A file of independent samples: .npy, or text.")] = None,
    quantile: Annotated[
        Path | None,
        typer.Option(help="A text file of p and x in ascending order, the quantile function by its values."),
    ] = None,
    at: Annotated[str, typer.Option(help="Values of a, |a| <= 1, separated by commas.")] = "0.1, 0.3, 0.5, 0.7, 0.9",
    digits: Annotated[int, typer.Option(help="Certified digits, of formulas and values.")] = 15,
    rescale: Annotated[
        bool, typer.Option("--rescale", help="Make mean and variance 0 and 1, as always for a problem.")
    ] = False,
    gains: Annotated[
        str | None, typer.Option(help="Of a problem: two gains, between which the flat state changes its stability.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw phi and its elasticity to this file (.png, .svg or .pdf).")
    ] = None,
    settings: Settings = None,
    timeout: Timeout = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> int:
    """Compute phi(a) = E[X erf(X a/sqrt(2(1-a^2)))]: which pixel marginals ReLU neurons amplify (a closure)."""
    from derivations.output import run

    def body() -> int:
        from derivations.answers import amplifier

        changes = tuple(settings or ())
        inputs = amplifier.MarginalInput(problem, marginal, kind, support, values, samples, quantile, rescale, changes)
        return show_drawn("amplifier", lambda: amplifier.answer(inputs, at, digits, gains), plot, json)

    return run(body, json, timeout)
