"""`gdln gram`: exact mean and variance of the neural tangent kernel at finite width."""

from typing import Annotated

import typer

from derivations.commands import Timeout

MAY_BEGIN_WITH_MINUS = False


def command(
    width: Annotated[int | None, typer.Option(help="Nodes of each hidden level.")] = None,
    depth: Annotated[int | None, typer.Option(help="Layers of weights, one more than the hidden levels.")] = None,
    gates: Annotated[str, typer.Option(help="all-on, or bernoulli:MU with a probability such as 1/2.")] = "all-on",
    weights: Annotated[
        str, typer.Option(help="bernoulli (+s or -s) or gaussian (variance s^2), independent.")
    ] = "bernoulli",
    cross: Annotated[
        bool, typer.Option("--cross", help="The entry of two equal inputs with independent gates, not K0(x, x).")
    ] = False,
    widths: Annotated[
        str | None, typer.Option(help="Nodes of unequal hidden levels, as 30,50,20; no width and depth.")
    ] = None,
    x: Annotated[str | None, typer.Option("--input", help="Entries of x, as 1,2; by default x = 1.")] = None,
    other: Annotated[str | None, typer.Option(help="Entries of x', for K0(x, x') with gates of its own.")] = None,
    tail: Annotated[
        str | None,
        typer.Option(help="Bound the probability of a distance of this share of the mean; needs K0's 4th moment."),
    ] = None,
    timeout: Timeout = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> int:
    """Compute mean and variance of a gated network's tangent kernel K0 at initialisation, exactly."""
    from derivations.output import PASS, run, show

    def body() -> int:
        from derivations.answers import gram

        answer = gram.answer(width, depth, gates, weights, cross, widths=widths, x=x, other=other, tail=tail)
        show("gram", answer, json)
        return PASS

    return run(body, json, timeout)
