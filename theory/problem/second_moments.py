"""Second moments of inputs and labels in each context, and examples that have exactly these moments.

With S = [[xx, yx'], [yx, yy]] and the columns s_1, ..., s_d of its symmetric square root, the 2d examples
(x, y) = +- sqrt(d) s_k, equally likely, have the mean 0 and the second moments (1/d) sum_k d s_k s_k' = S.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np
from jaxtyping import Float

from theory.problem.errors import InputError
from theory.problem.numbers import exact, positive, shown
from theory.problem.table_files import Rows

MOST_ROWS = 1_000  # rows of S: a million exact numbers in each context take about 100 MB
# Relative to the largest eigenvalue, rounding of the entries moves one by at most d eps/2, the eigensolver by d eps.
ROUNDINGS = 4
_KEYS = ("probability", "xx", "yx", "yy")
_SHAPES = "Give xx (n x n), yx (m x n) and yy (m x m), the same n and m in all contexts."
Matrix = tuple[tuple[Fraction, ...], ...]


@dataclass(frozen=True)
class ContextMoments:
    """A context's probability and second moments: xx = <x x'> (n, n), yx = <y x'> (m, n), yy = <y y'> (m, m), exact.

    >>> ContextMoments.read({"probability": 1, "xx": [[1]], "yx": [["1/2"]], "yy": [[1]]}, "moments[0]").yx
    ((Fraction(1, 2),),)
    """

    probability: Fraction
    xx: Matrix
    yx: Matrix
    yy: Matrix

    @classmethod
    def read(cls, value: object, where: str) -> "ContextMoments":
        """Return the moments in a table with the keys probability, xx, yx and yy; `where` names it in errors.

        Raises InputError for other keys, other shapes, a probability <= 0, and xx or yy that are not symmetric.
        """
        value = vars(value) if isinstance(value, cls) else value
        if not isinstance(value, Mapping) or set(value) != set(_KEYS):
            keys = ", ".join(_KEYS)
            raise InputError(
                f"{where} = {shown(value)} must be a table with {keys}.", f"Give {keys}, and no other key."
            )
        probability = positive(value["probability"], f"{where}.probability", "it is a probability")
        moments = cls(probability, *(_matrix(value[name], f"{where}.{name}") for name in _KEYS[1:]))
        n, m = len(moments.xx), len(moments.yy)
        for name, matrix, rows, columns in (
            ("xx", moments.xx, n, n),
            ("yx", moments.yx, m, n),
            ("yy", moments.yy, m, m),
        ):
            if (len(matrix), len(matrix[0])) != (rows, columns):
                raise InputError(
                    f"{where}.{name} has {len(matrix)} x {len(matrix[0])} numbers, not {rows} x {columns}.", _SHAPES
                )
        for name, matrix in (("xx", moments.xx), ("yy", moments.yy)):
            for row, column in combinations(range(len(matrix)), 2):
                if matrix[row][column] != matrix[column][row]:
                    raise InputError(
                        f"{where}.{name} is not symmetric: {matrix[row][column]} at [{row}][{column}], "
                        f"{matrix[column][row]} at [{column}][{row}].",
                        "Give a matrix of second moments.",
                    )
        return moments

    def joint(self) -> Float[np.ndarray, "d d"]:
        """S = [[xx, yx'], [yx, yy]] in float64."""
        xx, yx, yy = (np.array(matrix, dtype=float) for matrix in (self.xx, self.yx, self.yy))
        return np.block([[xx, yx.T], [yx, yy]])


def read_moments(values: object, where: str) -> tuple[ContextMoments, ...]:
    """Return the moments of every context. Raises InputError where they are inconsistent in shape or probability.

    >>> one = {"probability": "1/2", "xx": [[1]], "yx": [[0]], "yy": [[1]]}
    >>> len(read_moments([one, one], "data.moments"))
    2
    """
    if not isinstance(values, list | tuple) or not values:
        raise InputError(f"{where} = {shown(values)} must be tables, one for each context.", f"Write [[{where}]].")
    moments = tuple(ContextMoments.read(value, f"{where}[{index}]") for index, value in enumerate(values))
    sizes = {(len(each.xx), len(each.yy)) for each in moments}
    if len(sizes) > 1:
        listed = " and ".join(f"n = {n}, m = {m}" for n, m in sorted(sizes))
        raise InputError(f"{where} have {listed}.", _SHAPES)
    total = sum(each.probability for each in moments)
    if total != 1:
        raise InputError(f"The probabilities of {where} add up to {total}, not to 1.", 'Write fractions such as "1/3".')
    return moments


def examples_with(moments: tuple[ContextMoments, ...], where: str) -> Rows:
    """Return examples whose second moments equal the given ones up to rounding in each context.

    Raises InputError, with the eigenvalue, where S of a context is not positive semidefinite. An eigenvalue within
    rounding of 0, 4 d eps of the largest, counts as 0.

    >>> given = {"probability": 1, "xx": [[1, 0], [0, 4]], "yx": [[0, 2]], "yy": [[1]]}
    >>> rows = examples_with(read_moments([given], "data.moments"), "data.moments")
    >>> (rows.y.T @ (rows.x * rows.probabilities[:, None])).round(12).tolist()
    [[0.0, 2.0]]
    """
    n, parts, probabilities = len(moments[0].xx), [], []
    for index, each in enumerate(moments):
        values, vectors = np.linalg.eigh(each.joint())
        d, zero = len(values), ROUNDINGS * len(values) * np.finfo(float).eps * abs(values).max()
        if values[0] < -zero:
            raise InputError(
                f"{where}[{index}]: the matrix [[xx, yx'], [yx, yy]] is not positive semidefinite: its smallest "
                f"eigenvalue is {values[0]:.6g}, so that no examples have these moments.",
                "Correct them: xx and yy are positive semidefinite, and yx stays in the range of both.",
            )
        root = (vectors * np.sqrt(np.where(values > zero, values, 0.0))) @ vectors.T
        parts.append(np.sqrt(d) * np.concatenate([root, -root]))
        probabilities.append(np.full(2 * d, float(each.probability) / (2 * d)))
    whole = np.concatenate(parts)
    context = np.repeat(np.arange(len(moments)), [len(part) for part in parts])
    return Rows(
        np.ascontiguousarray(whole[:, :n]), np.ascontiguousarray(whole[:, n:]), np.concatenate(probabilities), context
    )


def _matrix(rows: object, where: str) -> Matrix:
    if not isinstance(rows, list | tuple) or not rows or not all(isinstance(row, list | tuple) and row for row in rows):
        raise InputError(f"{where} = {shown(rows)} must be rows of numbers.", "Write [[...], ...].")
    if len({len(row) for row in rows}) > 1:
        raise InputError(f"{where} has rows of different lengths.", "Give every row the same number of entries.")
    if max(len(rows), len(rows[0])) > MOST_ROWS:
        raise InputError(f"{where} has more than {MOST_ROWS} rows or columns.", "Give the examples themselves.")
    return tuple(tuple(exact(entry, f"{where}[{i}][{j}]") for j, entry in enumerate(row)) for i, row in enumerate(rows))
