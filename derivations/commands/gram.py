"""`gdln gram`: exact mean and variance of the neural tangent kernel at finite width."""

from typing import Annotated

import typer

from derivations.commands import Timeout

MAY_BEGIN_WITH_MINUS = False


def command(
    width: Annotated[int, typer.Option(help="Nodes of each hidden level.")],
    depth: Annotated[int, typer.Option(help="Layers of weights, one more than the hidden levels.")],
    gates: Annotated[str, typer.Option(help="all-on, or bernoulli:MU with a probability such as 1/2.")] = "all-on",
    weights: Annotated[
        str, typer.Option(help="bernoulli (+s or -s) or gaussian (variance s^2), independent.")
    ] = "bernoulli",
    cross: Annotated[
        bool, typer.Option("--cross", help="The entry of two equal inputs with independent gates, not K0(x, x).")
    ] = False,
    timeout: Timeout = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> int:
    """Compute mean and variance of a gated network's tangent kernel K0 at initialisation, exactly, for x = 1."""
    from derivations.output import PASS, run, show

    def body() -> int:
        from derivations.answers import gram

        show("gram", gram.answer(width, depth, gates, weights, cross), json)
        return PASS

    return run(body, json, timeout)
