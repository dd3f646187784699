"""A correlation given by a formula."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from jaxtyping import Float, Int

from theory.problem.correlations.base import Correlation
from theory.problem.errors import InputError
from theory.problem.formulas import evaluate
from theory.problem.numbers import shown

_ROUNDING = 64 * np.finfo(float).eps  # a formula of some dozen roundings


@dataclass(frozen=True)
class FormulaCorrelation(Correlation):
    """R(d) = a formula of d and xi, in the language of `theory.problem.grammar`; R(0) must be 1.

    Whether its matrix is positive semidefinite is tested for each number of sites.

    >>> FormulaCorrelation("1/(1 + (d/xi)**2)").at(np.array([0, 4]), 2.0).tolist()
    [1.0, 0.5]
    """

    formula: str

    kind: ClassVar[str] = "formula"

    def __post_init__(self) -> None:
        where = "data.correlation.formula"
        if not isinstance(self.formula, str):
            raise InputError(f"{where} = {shown(self.formula)} must be a text.", 'Such as "exp(-d/xi)".')
        try:
            origin = float(evaluate(self.formula, {"d": np.array(0.0), "xi": np.array(1.0)}))
        except InputError as error:
            raise InputError(f"{where}: {error.message}", error.hint) from None
        if abs(origin - 1) > _ROUNDING:
            raise InputError(
                f"{where} is {origin:.6g} at d = 0 and xi = 1; a correlation is 1 there.",
                "Divide it by its value at d = 0.",
            )

    def at(self, squared: Int[np.ndarray, "*any"], xi: float) -> Float[np.ndarray, "*any"]:
        """The formula at each distance, and 1 at distance 0. Raises InputError where |R| > 1."""
        values = evaluate(self.formula, {"d": np.sqrt(squared), "xi": np.array(xi)})
        if not (np.abs(values) <= 1 + _ROUNDING).all() or not (np.abs(values[squared == 0] - 1) <= _ROUNDING).all():
            raise InputError(
                f"data.correlation.formula = {shown(self.formula)} is no correlation at xi = {xi:g}: it is 1 at d = 0, "
                f"and elsewhere from -1 to 1; here its values are {values.min():.6g} to {values.max():.6g}.",
                "Correct the formula.",
            )
        return np.where(squared == 0, 1.0, values)
