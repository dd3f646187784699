"""`gdln ntk`: certified digits of the kernels of infinitely wide networks."""

from typing import Annotated

import typer

from derivations.commands import Timeout

MAY_BEGIN_WITH_MINUS = False


def command(
    activation: Annotated[
        str,
        typer.Option(
            help="linear, relu, leaky-relu:SLOPE, abs, step, sign, erf (the function erf(h)), gelu, sin, cos, tanh, "
            "sigmoid, softplus, swish, or a formula in h such as 'erf(h/sqrt(2))'."
        ),
    ],
    depth: Annotated[int, typer.Option(help="Layers of weights, one more than the hidden levels.")],
    corr: Annotated[str, typer.Option(help="Correlation of the two inputs: -1 to 1, such as 1/2 or sqrt(2)/2.")],
    norms: Annotated[str, typer.Option(help="Norms of the two inputs.")] = "[1, 1]",
    gain: Annotated[str, typer.Option(help="Take s(G h) in place of s(h), such as 1/sqrt(2).")] = "1",
    kernel: Annotated[
        str,
        typer.Option(
            help="ntk (tangent kernel), nngp (covariance of the outputs), or fixed-gates (tangent kernel of a linear "
            "network gated by another one)."
        ),
    ] = "ntk",
    weight_variance: Annotated[
        str | None,
        typer.Option(
            help="w times the variance of a weight after the first layer: 2 for relu and step, 2/(1 + SLOPE**2) for "
            "leaky-relu, else 1."
        ),
    ] = None,
    bias_variance: Annotated[str, typer.Option(help="Variance of the biases, in every layer.")] = "0",
    last: Annotated[
        str, typer.Option(help="Last layer: alike (weights as in the others) or unit (variance 1/w).")
    ] = "alike",
    digits: Annotated[int, typer.Option(help="Significant digits of the value, all correct.")] = 30,
    timeout: Timeout = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> int:
    """Compute a kernel of a fully connected network of infinite width at two inputs, with certified digits."""
    from derivations.output import PASS, run, show

    def body() -> int:
        from derivations.answers import ntk

        question = ntk.Question(
            activation, depth, corr, norms, gain, kernel, weight_variance, bias_variance, last, digits
        )
        show("ntk", ntk.answer(question), json)
        return PASS

    return run(body, json, timeout)
