"""The answer of `gdln gram`: exact mean and variance of the neural tangent kernel at initialisation."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from derivations.answers.exact_numbers import decimal_text, exact_text
from theory.kernels import (
    WEIGHTS,
    AllOn,
    BernoulliGates,
    GatedNetwork,
    TailBounds,
    alike,
    mean,
    relative_variance_bound,
    tail_bounds,
    variance,
)
from theory.problem import InputError
from theory.problem.numbers import exact, one_of, shown, whole

ALL_ON, BERNOULLI = "all-on", "bernoulli"


@dataclass(frozen=True)
class GramAnswer:
    """Mean and variance of K0(x, x'), in units of s^(2(d-1)) and s^(4(d-1)), s^2 the variance of a weight.

    `widths` has the nodes of each hidden level, and is None where all have `width`. `inputs` are x and x', None for
    x = x' = 1. `mu` is the probability of an open gate, 1 where all are open. `printed` is the bound of the variance
    that the paper prints for equal levels and x = 1, without its unknown constant and in the unit of the variance; it
    is None for weights that the paper does not treat. `proved` bounds the relative variance; it is None where gates are
    random or levels differ. `tail` has the bounds at the distance `share` x |mean|, None where none is asked for.
    """

    width: int | None
    depth: int
    gates: str
    weights: str
    cross: bool
    mu: Fraction
    mean: Fraction
    variance: Fraction
    printed: Fraction | None
    proved: Fraction | None
    widths: tuple[int, ...] | None = None
    inputs: tuple[tuple[Fraction, ...], ...] | None = None
    share: Fraction | None = None
    tail: TailBounds | None = None

    @property
    def relative(self) -> Fraction | None:
        """The variance divided by the square of the mean; None where the mean is 0."""
        return self.variance / self.mean**2 if self.mean else None

    def json(self) -> dict[str, Any]:
        """The object that `gdln gram --json` prints; fractions and decimals are strings."""
        return {
            "width": self.width,
            "depth": self.depth,
            "gates": self.gates,
            "weights": self.weights,
            "entry": "cross" if self.cross else "self",
            "mean": exact_text(self.mean),
            "variance": exact_text(self.variance),
            "relative_variance": None if self.relative is None else decimal_text(self.relative),
            "printed_bound": None if self.printed is None else exact_text(self.printed),
            "proved_relative_bound": None if self.proved is None else decimal_text(self.proved),
            "widths": None if self.widths is None else list(self.widths),
            "inputs": None if self.inputs is None else [[str(value) for value in row] for row in self.inputs],
            "tail": self._tail(),
        }

    def _tail(self) -> dict[str, str] | None:
        if self.tail is None:
            return None
        bounds = {name: decimal_text(getattr(self.tail, name)) for name in ("chebyshev", "fourth_moment", "cantelli")}
        return {"share": str(self.share), **bounds}

    def text(self) -> str:
        """Mean and variance in units of the weights, then for s^2 = 1/(mu w), with the printed bound beside them."""
        first = 2 * (self.depth - 1)
        entry = "K0(x, x')" if self.cross else "K0(x, x)"
        lines = [
            f"{entry} at initialisation: depth d = {self.depth}, {self._levels()}, gates {self.gates}, "
            f"weights {self.weights} of variance s^2, {self._points()}",
            f"{'mean':<20}{decimal_text(self.mean)} s^{first}",
            f"{'variance':<20}{decimal_text(self.variance)} s^{2 * first}",
        ]
        if self.relative is not None:
            lines.append(f"{'variance/mean^2':<20}{decimal_text(self.relative)}")
        if self.proved is not None:
            lines.append(f"{'':<20}at most (1 + 2/w)^(d-1) - 1 = {decimal_text(self.proved)}, proved")
        if self.tail is not None:
            both, one = decimal_text(self.tail.two_sided), decimal_text(self.tail.cantelli)
            lines.append(f"{'tails':<20}P(|K0 - mean| >= {self.share} |mean|) <= {both}, on one side <= {one}, proved")
        if self.mu and self.width is not None:
            unit = 1 / (self.mu * self.width) ** (self.depth - 1)
            lines += [
                "",
                "for s^2 = 1/w:" if self.mu == 1 else "for s^2 = 1/(mu w):",
                f"{'mean':<20}{decimal_text(self.mean * unit)}",
                f"{'variance':<20}{decimal_text(self.variance * unit**2)}",
            ]
            if self.printed is not None:
                lines.append(f"{'printed bound':<20}C x {decimal_text(self.printed * unit**2)}, {self._condition()}")
        return "\n".join(lines)

    def _levels(self) -> str:
        if self.widths is None:
            return f"width w = {self.width}"
        return f"widths {', '.join(map(str, self.widths))}"

    def _points(self) -> str:
        if self.inputs is None:
            return "x = 1"
        names = ("x", "x'") if self.cross else ("x",)
        shown = ("(" + ", ".join(map(str, row)) + ")" for row in self.inputs)
        return ", ".join(f"{name} = {row}" for name, row in zip(names, shown, strict=False))

    def _condition(self) -> str:
        holds = 4 * self.depth < (self.width or 0) ** 2
        return f"C a constant; its condition 4d/w^2 < 1 {'holds' if holds else 'does not hold'}"


def answer(
    width: int | None = None,
    depth: int | None = None,
    gates: str = ALL_ON,
    weights: str = BERNOULLI,
    cross: bool = False,
    *,
    widths: str | None = None,
    x: str | None = None,
    other: str | None = None,
    tail: str | None = None,
) -> GramAnswer:
    """Return mean and variance of K0(x, x), or of the entry of two inputs with independent gates; the inputs are 1.

    `widths`, `x` and `other` are numbers separated by commas: the nodes of the hidden levels in the place of width and
    depth, and the entries of the inputs. `tail` is the share of the mean at which tails are bounded. Raises InputError
    for other gates or weights than `gdln gram` names, for mu outside [0, 1], sizes below 1 and inputs of other lengths,
    and OutOfReachError where the exact numbers are too long.

    >>> found = answer(10, 3)
    >>> str(found.mean), str(found.variance)
    ('300', '3600')
    >>> str(answer(widths="2,3", x="1,2").mean)  # d |x|^2 w_1 w_2
    '90'
    """
    mu, law = _mu(gates), WEIGHTS[one_of(weights, "--weights", WEIGHTS)]
    sizes = _sizes(width, depth, widths)
    if sizes is None:
        network = alike(width, depth, mu, law)
    else:
        network = GatedNetwork(
            [[1], [1]], [AllOn(size) if mu == 1 else BernoulliGates(size, mu) for size in sizes], law
        )
    inputs = _inputs(x, other)
    if inputs is not None:
        network = GatedNetwork(inputs, network.levels, law)
    pair = (0, int(cross or other is not None))
    equal = sizes is None and width is not None
    printed = None
    if equal and inputs is None and weights == BERNOULLI:
        depth = network.depth
        printed = max(depth**2 * Fraction(width) ** (2 * depth - 3), depth**3 * Fraction(width) ** (2 * depth - 4))
    return GramAnswer(
        width if equal else None,
        network.depth,
        gates,
        weights,
        bool(pair[1]),
        mu,
        mean(network, pair),
        variance(network, pair),
        printed,
        relative_variance_bound(width, network.depth) if equal and mu == 1 and other is None else None,
        sizes,
        inputs,
        exact(tail, "--tail") if tail is not None else None,
        tail_bounds(network, tail, pair) if tail is not None else None,
    )


def _sizes(width: int | None, depth: int | None, widths: str | None) -> tuple[int, ...] | None:
    """Return the widths of unequal levels, None where `width` and `depth` are given."""
    if widths is not None and (width is not None or depth is not None):
        raise InputError("--widths has the nodes of all hidden levels.", "Leave out --width and --depth.")
    if widths is None:
        if width is None or depth is None:
            raise InputError(
                "The sizes are incomplete: --width and --depth, or --widths, are needed.",
                "Write --width 100 --depth 10, or --widths 30,50,20.",
            )
        return None
    return tuple(whole(_integer(size), "a width of --widths", least=1) for size in widths.split(","))


def _integer(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise InputError(f"{text.strip()!r} of --widths is no whole number.", "Write for example 30,50,20.") from None


def _inputs(x: str | None, other: str | None) -> tuple[tuple[Fraction, ...], ...] | None:
    """Return x and x', None where both are 1."""
    if x is None:
        if other is not None:
            raise InputError("--other is the second input, and the first is missing.", "Give it by --input.")
        return None
    rows = tuple(
        tuple(exact(entry, "an input") for entry in text.split(",")) for text in (x, x if other is None else other)
    )
    if len(rows[0]) != len(rows[1]):
        raise InputError(
            f"The inputs have {len(rows[0])} and {len(rows[1])} entries.", "Give both the same number of entries."
        )
    return rows


def _mu(gates: str) -> Fraction:
    """Return the probability of an open gate."""
    if gates == ALL_ON:
        return Fraction(1)
    kind, colon, probability = gates.partition(":")
    if kind != BERNOULLI or not colon:
        raise InputError(f"--gates {shown(gates)} is not known.", "Write all-on, or bernoulli:MU as in bernoulli:1/2.")
    mu = exact(probability, "mu of --gates")
    if not 0 <= mu <= 1:
        raise InputError(f"mu = {probability} of --gates is no probability.", "Give a number from 0 to 1, as 1/2.")
    return mu
