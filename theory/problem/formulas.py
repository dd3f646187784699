"""Formulas of users in float64: NumPy arrays built by the walk of `theory.problem.grammar`."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import erf, erfc, pi, sqrt

import numpy as np
from jaxtyping import Float

from theory.problem.errors import InputError
from theory.problem.grammar import Walk, one_line, short, tree_of

Array = Float[np.ndarray, "*any"]

_erf, _erfc = np.vectorize(erf, otypes=[float]), np.vectorize(erfc, otypes=[float])
_FUNCTIONS: Mapping[str, Callable[..., Array]] = {
    "Heaviside": lambda x: np.heaviside(x, 0.5),
    "sign": np.sign,
    "erf": _erf,
    "erfc": _erfc,
    "Phi": lambda x: _erfc(-x / sqrt(2)) / 2,
    "relu": lambda x: np.maximum(x, 0.0),
    "Abs": np.abs,
    "abs": np.abs,
    "sqrt": np.sqrt,
    "exp": np.exp,
    "log": np.log,
    "sin": np.sin,
    "cos": np.cos,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "min": lambda *x: np.minimum.reduce(np.broadcast_arrays(*x)),
    "max": lambda *x: np.maximum.reduce(np.broadcast_arrays(*x)),
}


class _InFloat64(Walk[Array]):
    """The builder of arrays, whose variables are `values`."""

    functions = _FUNCTIONS

    def __init__(self, source: str, values: Mapping[str, Array]) -> None:
        super().__init__(source)
        self.values = {"pi": np.asarray(pi)} | {name: np.asarray(value, float) for name, value in values.items()}

    def constant(self, value: Fraction) -> Array:
        """Return the nearest float; InputError for a number beyond the range of float64."""
        try:
            return np.asarray(float(value))
        except OverflowError:
            raise InputError(f"A number in {short(self.source)} is beyond float64.", "Rescale the formula.") from None

    def name(self, name: str) -> Array:
        """Return the values of a variable; InputError for an unknown name."""
        if name not in self.values:
            known = ", ".join(known for known in self.values if known != "pi")
            raise InputError(f"The name {name} in {short(self.source)} is not known.", f"The variables are: {known}.")
        return self.values[name]

    def added(self, parts: Sequence[Array]) -> Array:
        """Return the sum of the parts."""
        return sum(parts[1:], parts[0])

    def multiplied(self, parts: Sequence[Array]) -> Array:
        """Return the product of the parts."""
        product = parts[0]
        for part in parts[1:]:
            product = product * part
        return product

    def inverse(self, value: Array) -> Array:
        """Return 1/value; `evaluate` refuses what is not finite."""
        return 1 / value

    def power(self, base: Array, exponent: Array) -> Array:
        """Return base ** exponent."""
        return base**exponent

    def function(self, name: str, arguments: Sequence[Array]) -> Array:
        """Return the function at arguments."""
        return _FUNCTIONS[name](*arguments)


def evaluate(text: str, values: Mapping[str, Array]) -> Array:
    """Return the formula in `text` at the `values` of its variables. Raises InputError where it is not finite.

    >>> evaluate("exp(-d/xi)*(1 + d/xi)", {"d": np.array([0.0, 2.0]), "xi": np.array(2.0)}).round(4).tolist()
    [1.0, 0.7358]
    """
    source = one_line(text)
    with np.errstate(all="ignore"):
        result = _InFloat64(source, values).expression(tree_of(source).body, 0)
    result = np.broadcast_to(result, np.broadcast_shapes(np.shape(result), *map(np.shape, values.values())))
    if not np.isfinite(result).all():
        place = np.unravel_index(int(np.argmin(np.isfinite(result))), result.shape)
        at = ", ".join(
            f"{name} = {float(np.broadcast_to(value, result.shape)[place]):g}" for name, value in values.items()
        )
        raise InputError(
            f"{short(source)} has no finite value at {at}.", "Check denominators, even roots and logarithms."
        )
    return result
