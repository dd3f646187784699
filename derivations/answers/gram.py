"""The answer of `gdln gram`: exact mean and variance of the neural tangent kernel at initialisation."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath
from flint import fmpz

from theory.kernels import WEIGHTS, alike, mean, relative_variance_bound, variance
from theory.problem import InputError
from theory.problem.numbers import exact, one_of

ALL_ON, BERNOULLI = "all-on", "bernoulli"
_DIGITS = 10  # of decimals; the fractions are exact


@dataclass(frozen=True)
class GramAnswer:
    """Mean and variance of K0 for x = 1, in units of s^(2(d-1)) and s^(4(d-1)), s^2 the variance of a weight.

    `mu` is the probability of an open gate, 1 where all are open. `printed` is the bound of the variance that the paper
    prints, without its unknown constant and in the unit of the variance; it is None for weights that the paper does not
    treat. `proved` bounds the relative variance; it is None where gates are random.
    """

    width: int
    depth: int
    gates: str
    weights: str
    cross: bool
    mu: Fraction
    mean: Fraction
    variance: Fraction
    printed: Fraction | None
    proved: Fraction | None

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
            "mean": _whole(self.mean),
            "variance": _whole(self.variance),
            "relative_variance": None if self.relative is None else _decimal(self.relative),
            "printed_bound": None if self.printed is None else _whole(self.printed),
            "proved_relative_bound": None if self.proved is None else _decimal(self.proved),
        }

    def text(self) -> str:
        """Mean and variance in units of the weights, then for s^2 = 1/(mu w), with the printed bound beside them."""
        first = 2 * (self.depth - 1)
        entry = "K0(x, x')" if self.cross else "K0(x, x)"
        lines = [
            f"{entry} at initialisation: depth d = {self.depth}, width w = {self.width}, gates {self.gates}, "
            f"weights {self.weights} of variance s^2, x = 1",
            f"{'mean':<20}{_decimal(self.mean)} s^{first}",
            f"{'variance':<20}{_decimal(self.variance)} s^{2 * first}",
        ]
        if self.relative is not None:
            lines.append(f"{'variance/mean^2':<20}{_decimal(self.relative)}")
        if self.proved is not None:
            lines.append(f"{'':<20}at most (1 + 2/w)^(d-1) - 1 = {_decimal(self.proved)}, proved")
        if self.mu:
            unit = 1 / (self.mu * self.width) ** (self.depth - 1)
            lines += [
                "",
                "for s^2 = 1/w:" if self.mu == 1 else "for s^2 = 1/(mu w):",
                f"{'mean':<20}{_decimal(self.mean * unit)}",
                f"{'variance':<20}{_decimal(self.variance * unit**2)}",
            ]
            if self.printed is not None:
                lines.append(f"{'printed bound':<20}C x {_decimal(self.printed * unit**2)}, {self._condition()}")
        return "\n".join(lines)

    def _condition(self) -> str:
        holds = 4 * self.depth < self.width**2
        return f"C a constant; its condition 4d/w^2 < 1 {'holds' if holds else 'does not hold'}"


def answer(width: int, depth: int, gates: str = ALL_ON, weights: str = BERNOULLI, cross: bool = False) -> GramAnswer:
    """Return mean and variance of K0(x, x), or of the entry of two inputs with independent gates, where x = x' = 1.

    Raises InputError for other gates or weights than `gdln gram` names, for mu outside [0, 1] and sizes below 1, and
    OutOfReachError where the exact numbers are too long.

    >>> found = answer(10, 3)
    >>> str(found.mean), str(found.variance)
    ('300', '3600')
    """
    mu = _mu(gates)
    network = alike(width, depth, mu, WEIGHTS[one_of(weights, "--weights", WEIGHTS)])
    pair = (0, int(cross))
    found = mean(network, pair), variance(network, pair)
    printed = max(depth**2 * Fraction(width) ** (2 * depth - 3), depth**3 * Fraction(width) ** (2 * depth - 4))
    return GramAnswer(
        width,
        depth,
        gates,
        weights,
        cross,
        mu,
        *found,
        printed if weights == BERNOULLI else None,
        relative_variance_bound(width, depth) if mu == 1 else None,
    )


def _mu(gates: str) -> Fraction:
    """Return the probability of an open gate."""
    if gates == ALL_ON:
        return Fraction(1)
    kind, colon, probability = gates.partition(":")
    if kind != BERNOULLI or not colon:
        raise InputError(f"--gates {gates} is not known.", "Write all-on, or bernoulli:MU as in bernoulli:1/2.")
    mu = exact(probability, "mu of --gates")
    if not 0 <= mu <= 1:
        raise InputError(f"mu = {probability} of --gates is no probability.", "Give a number from 0 to 1, as 1/2.")
    return mu


def _whole(value: Fraction) -> str:
    """The exact fraction; Python itself refuses to print an integer of more than 4,300 digits."""
    numerator = str(fmpz(value.numerator))
    return numerator if value.denominator == 1 else f"{numerator}/{fmpz(value.denominator)}"


def _decimal(value: Fraction) -> str:
    """The value to ten digits, also beyond the range of float64."""
    with mpmath.workdps(_DIGITS + 5):
        return mpmath.nstr(mpmath.mpf(value.numerator) / value.denominator, _DIGITS)
