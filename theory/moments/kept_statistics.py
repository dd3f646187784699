"""The mean and the covariance of each class that the controls of a law keep."""

from fractions import Fraction

import numpy as np
from jaxtyping import Float

from theory.moments.inputs import InputStatistics, input_statistics
from theory.problem import Law, OutOfReachError
from theory.problem.distributions.gaussian import Gaussian
from theory.problem.positivity import MOST_DENSE

_ROUNDING = 16 * float(np.finfo(float).eps)


def inputs_of(law: Law) -> list[InputStatistics]:
    """Return the statistics of each class. Raises OutOfReachError for too many sites and for inputs that do not vary.

    >>> from theory.problem import FiniteData
    >>> inputs_of(FiniteData([[1, 2], [1, 2]], [1, 0]))
    Traceback (most recent call last):
    ...
    theory.problem.errors.OutOfReachError: The inputs of class 0 do not vary. Choose another law.
    """
    if law.n > MOST_DENSE:
        raise OutOfReachError(
            f"The law has {law.n} sites; controls by matrices have at most {MOST_DENSE}.", "Use fewer sites."
        )
    found = [input_statistics(law, c) for c in range(law.classes)]
    for c, own in enumerate(found):
        if not (own.variance > 0).any():
            raise OutOfReachError(f"The inputs of class {c} do not vary.", "Choose another law.")
    return found


def by_lag(law: Law, found: list[InputStatistics]) -> tuple[list[Float[np.ndarray, " lags"]], str] | None:
    """Return the covariance of each class by the distance of two sites, and the boundary of a ring or an open line.

    None where it is a function of neither.
    """
    n = law.n
    site = np.arange(n)
    for boundary in ("ring", "open"):
        apart = np.abs(site[:, None] - site[None, :])
        distance = apart if boundary == "open" else np.minimum(apart, n - apart)
        rows = [own.covariance[0, : n if boundary == "open" else n // 2 + 1] for own in found]
        off = [np.abs(own.covariance - row[distance]).max() for own, row in zip(found, rows, strict=True)]
        if all(error <= _ROUNDING * abs(row[0]) for error, row in zip(off, rows, strict=True)):
            return rows, boundary
    return None


def of_matrices(law: Law, found: list[InputStatistics]) -> Gaussian:
    """Return the law "gaussian" with these means and covariances, and the labels and probabilities of `law`."""
    matrices = np.stack([(own.covariance + own.covariance.T) / 2 for own in found])
    return Gaussian(law.labels, matrices, priors=priors_of(law), means=means_of(found), rows=rows_of(law))


def priors_of(law: Law) -> tuple[Fraction, ...]:
    """Return the probabilities of the classes over their sum, which may differ from 1 by the rounding of a table."""
    total = sum(law.probabilities, Fraction(0))
    return tuple(own / total for own in law.probabilities)


def rows_of(law: Law) -> int:
    """Return the number of rows of a grid, 0 for a law on a line."""
    shape = getattr(law, "shape", None)
    return 0 if shape is None else shape[0]


def means_of(found: list[InputStatistics]) -> tuple[tuple[Fraction, ...], ...]:
    """Return the mean of each class in decimals."""
    return tuple(tuple(map(shortest, own.mean.tolist())) for own in found)


def shortest(value: float) -> Fraction:
    """Return the shortest decimal that rounds to a float64 number.

    >>> shortest(0.1)
    Fraction(1, 10)
    """
    return Fraction(repr(float(value)))
