"""The answer of `gdln ntk`: a kernel of an infinitely wide network at two inputs, with certified digits."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import sympy

from theory.expressions.language import parse, parse_list
from theory.gaussian.certified.digits import Certified
from theory.gaussian.moment import text
from theory.kernels.infinite import WideNetwork, activation, certified_kernel
from theory.kernels.infinite.network import ALIKE
from theory.problem import InputError

_NAMES = {
    "ntk": "tangent kernel K_{depth}(x, x')",
    "nngp": "covariance of the outputs Sigma_{depth}(x, x') (NNGP)",
    "fixed-gates": "tangent kernel with fixed gates, {parts} <x, x'> prod_l v_w E[s'(z_l) s'(z'_l)]",
}
_LAST = {"alike": "like the others", "unit": "of weights of variance 1/w"}


@dataclass(frozen=True)
class Question:
    """The options of `gdln ntk`, as text; numbers may be formulas such as sqrt(2)/2.

    >>> Question("relu", 2, "1/2").digits
    30
    """

    activation: str
    depth: int
    corr: str
    norms: str = "[1, 1]"
    gain: str = "1"
    kernel: str = "ntk"
    weight_variance: str | None = None
    bias_variance: str = "0"
    last: str = "alike"
    digits: int = 30


@dataclass(frozen=True)
class NtkAnswer:
    """The kernel asked for, the network and the two inputs."""

    question: Question
    network: WideNetwork
    correlation: sympy.Expr
    norms: tuple[sympy.Expr, sympy.Expr]
    found: Certified

    def json(self) -> dict[str, Any]:
        """The object that `gdln ntk --json` prints; certified numbers and fractions are strings."""
        return {
            "activation": self.question.activation,
            "formula": text(self.network.activation.expr),
            "depth": self.network.depth,
            "corr": str(self.correlation),
            "norms": [str(norm) for norm in self.norms],
            "kernel": self.question.kernel,
            "weight_variance": str(self.network.weight_variance),
            "bias_variance": str(self.network.bias_variance),
            "last": self.network.last,
            "value": self.found.value,
            "radius": self.found.radius,
            "digits": self.found.digits,
            "method": self.found.method,
        }

    def text(self) -> str:
        """The value with its error, and the conventions."""
        parts = "d" if self.network.last == ALIKE else "(1 + (d - 1)/v_w)"
        name = _NAMES[self.question.kernel].format(depth=self.network.depth, parts=parts)
        variances = f"weights of variance {self.network.weight_variance}/w after the first layer"
        biases = "no biases"
        if self.network.bias_variance:
            biases = f"biases of variance {self.network.bias_variance} in every layer"
        formula = text(self.network.activation.expr)
        lines = [
            f"{name} at infinite width: s(h) = {formula}, depth d = {self.network.depth}",
            f"{'value':<8}{self.found.value}",
            f"{'':<8}error at most {self.found.radius}; {self.found.digits} correct digits by {self.found.method}",
            f"{'inputs':<8}norms {self.norms[0]} and {self.norms[1]}, correlation {self.correlation}",
            f"{'network':<8}{variances}, {biases}; the last layer is {_LAST[self.network.last]}",
        ]
        return "\n".join(lines)


def answer(question: Question) -> NtkAnswer:
    """Return the kernel of a question.

    Raises InputError for text that is no number, formula or name, and OutOfReachError where the engine has no dual of
    the activation or the digits take too much work.

    >>> answer(Question("relu", 3, "1/2", digits=5)).found.value
    '1.35148'
    """
    norms = _numbers(parse_list, question.norms, "--norms")
    if len(norms) != 2:
        raise InputError(f"--norms {question.norms} has {len(norms)} entries.", "Give two, such as [1, 2].")
    _numbers(parse, question.gain, "--gain")
    network = WideNetwork(
        activation(question.activation, question.gain),
        question.depth,
        question.weight_variance,
        question.bias_variance,
        question.last,
    )
    correlation = _numbers(parse, question.corr, "--corr")
    kernel = certified_kernel(network, correlation, (norms[0], norms[1]), question.digits, question.kernel)
    return NtkAnswer(question, network, correlation, (norms[0], norms[1]), kernel)


def _numbers(read: Callable[[str], Any], text: str, option: str) -> Any:
    try:
        return read(text)
    except InputError as error:
        raise InputError(f"{option}: {error.message}", "Write numbers such as 1/2 or sqrt(2)/2.") from error
