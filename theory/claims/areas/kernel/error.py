"""The first step of the error under gradient descent: deep gated networks, equation (1) and Experiment 8."""

from fractions import Fraction

import sympy
from sympy import Eq, Interval, Range, Rational, S

from theory.claims.areas.kernel._symbols import layers
from theory.claims.documents import DEEP_GATED_NETWORKS
from theory.claims.model import Claim, Kind, Level, Param
from theory.claims.rational import rational_by_name
from theory.claims.sources import Reading, Source

u, v, x, y = sympy.symbols("u v x y", real=True)

_KERNEL_TIMES_ERROR = x**2 * (u**2 + v**2) * (u * v * x - y)
_NO_FLOAT = "the library has kernels at initialisation and takes no step of gradient descent"


def _step(at: dict[str, Fraction]) -> Fraction:
    """The slope of e_(t+1) by the step size at 0, for L = (yhat - y)^2 and yhat = v u x, by exact differences."""
    own = at["u"], at["v"]

    def error(first: Fraction, second: Fraction) -> Fraction:
        return second * first * at["x"] - at["y"]

    # The loss is quadratic in each weight, and e_(t+1) is quadratic in the step size.
    slopes = (
        (error(own[0] + 1, own[1]) ** 2 - error(own[0] - 1, own[1]) ** 2) / 2,
        (error(own[0], own[1] + 1) ** 2 - error(own[0], own[1] - 1) ** 2) / 2,
    )
    none, one, two = (error(own[0] - step * slopes[0], own[1] - step * slopes[1]) for step in (0, 1, 2))
    return (4 * one - two - 3 * none) / 2


STEP = Claim(
    id="kernel.error.step",
    title="The first step of the error under gradient descent on the sum of squares, for small steps",
    kind=Kind.ASYMPTOTIC,
    statement=Eq(
        sympy.Symbol(r"\lim_{\alpha \to 0} \frac{e_{t+1} - e_t}{\alpha}", real=True),
        -2 * _KERNEL_TIMES_ERROR,
        evaluate=False,
    ),
    params=tuple(
        Param(symbol, S.Reals, doc, (), Interval(-2, 2))
        for symbol, doc in ((u, "first weight"), (v, "second weight"), (x, "input"), (y, "label"))
    ),
    assumptions=(
        r"one example, $\hat y = v u x$, $K_t = x^2 (u^2 + v^2)$, one step of gradient descent with the step size "
        r"$\alpha$ on $L = (\hat y - y)^2$",
    ),
    sources=(
        Source(
            DEEP_GATED_NETWORKS,
            "(1)",
            printed=-_KERNEL_TIMES_ERROR,
            note=r"the paper prints no rule for the weights, and no 1/2 in the loss; with the loss "
            r"$\sum_s (\hat y(s) - y(s))^2/2$, which the neural path kernel paper prints, $\alpha_t$ is the step size. "
            r"(1) holds to the first order of $\alpha_t$",
            readings=(
                Reading(
                    r"$\alpha_t$ is twice the step size on the printed loss, which is that on half of it",
                    printed=-2 * _KERNEL_TIMES_ERROR,
                ),
            ),
        ),
    ),
    **rational_by_name(_step),
    unchecked={
        Level.SYMBOLIC: "exact differences of polynomials give the slope; a chain of steps would repeat them",
        Level.FLOATING: _NO_FLOAT,
    },
)


def _rate(at: dict[str, Fraction]) -> Fraction:
    """((e_0 + alpha de/dalpha)/e_0)^2 for weights 1, x = 1 and half the squared error: K_0 = d and alpha = 1/(10 d)."""
    depth, error = int(at["d"]), 1 - at["y"]
    # The output after the step, (1 - alpha error)^d, as the coefficients of a polynomial in alpha.
    output = [Fraction(1)]
    for _ in range(depth):
        output = [low - error * high for low, high in zip([*output, 0], [0, *output], strict=True)]
    return ((error + output[1] / (10 * depth)) / error) ** 2


RATE = Claim(
    id="kernel.error.rate",
    title="The expected rate of a deep linear network whose kernel is its depth",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Symbol(r"\frac{e_{t+1}^2}{e_t^2}", real=True), Rational(81, 100), evaluate=False),
    params=(
        layers(1, 10),
        Param(y, S.Reals, "label", (), Range(2, 9)),
    ),
    assumptions=(
        r"$K_t = d$ and $\alpha = 1/(10 d)$, to the first order of $\alpha$, with the step size of (1): gradient "
        r"descent on $(\hat y - y)^2/2$; all weights and the input are 1, one node at each level",
    ),
    sources=(
        Source(
            DEEP_GATED_NETWORKS,
            "Experiment 8",
            printed=Rational(81, 100),
            note=r"expected from (1), with that $\alpha$; gradient descent on the printed loss with this step size "
            "has 0.64",
        ),
    ),
    **rational_by_name(_rate),
    unchecked={
        Level.SYMBOLIC: "the rate is one number at all points; a chain of steps would repeat its sum",
        Level.FLOATING: _NO_FLOAT,
    },
)

CLAIMS = (STEP, RATE)
