"""Covariances and means given by a user, made exact: real numbers and symbols, covariances positive semidefinite."""

from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

import numpy as np
import sympy

from theory.expressions.algebra import is_zero
from theory.expressions.balls.known_sign import known_sign
from theory.gaussian.expectation import variables
from theory.problem.errors import InputError, OutOfReachError


def exact(number: object) -> sympy.Expr:
    """Return an exact SymPy number or expression; a float or Decimal means the decimal it prints (0.7 is 7/10).

    >>> exact(0.7)
    7/10
    """
    if isinstance(number, sympy.Float):
        number = float(number)
    if isinstance(number, sympy.Expr):
        if number.atoms(sympy.Float):
            raise InputError(f"{number} contains a rounded number.", "Write it as a fraction, such as 7/10.")
        return number
    if isinstance(number, bool) or not isinstance(number, int | float | Fraction | Decimal | np.number | str):
        raise InputError(f"{number!r} is not a number or a formula.", "Give integers, fractions or SymPy expressions.")
    try:
        fraction = Fraction(number if isinstance(number, Fraction | int) else str(number))
    except (ValueError, ZeroDivisionError) as error:
        raise InputError(f"{number!r} is not a finite number.", "Give a decimal or a fraction such as 3/5.") from error
    return sympy.Rational(fraction.numerator, fraction.denominator)


def covariance(cov: object) -> sympy.ImmutableDenseMatrix:
    """Return the covariance matrix with exact entries; InputError unless it is square, real, symmetric and PSD.

    >>> covariance([[1, 0.5], [0.5, 1]])
    Matrix([
    [  1, 1/2],
    [1/2,   1]])
    """
    rows = cov.tolist() if hasattr(cov, "tolist") else cov
    listed = isinstance(rows, list | tuple) and all(isinstance(row, list | tuple) for row in rows)
    if not listed or not rows:
        raise InputError("The covariance is not a matrix.", "Give rows, such as [[1, 1/2], [1/2, 1]].")
    lengths = {len(row) for row in rows}
    if lengths != {len(rows)}:
        counts = ", ".join(map(str, sorted(lengths)))
        raise InputError(
            f"The covariance has {len(rows)} rows of {counts} entries; it must be square.",
            "Give rows, such as [[1, 1/2], [1/2, 1]].",
        )
    matrix = sympy.ImmutableDenseMatrix([[exact(entry) for entry in row] for row in rows])
    for entry in matrix:
        _require_real(entry)
    _require_symmetric(matrix)
    _require_psd(matrix)
    return matrix


def is_real(value: sympy.Expr) -> bool:
    """Whether this is a finite real number or a formula in real symbols, without Gaussian variables.

    >>> is_real(sympy.Symbol("m", real=True)), is_real(sympy.Symbol("z1", real=True)), is_real(sympy.oo)
    (True, False, False)
    """
    real = all(symbol.is_extended_real for symbol in value.free_symbols)
    return real and not variables(value) and not value.has(sympy.I, sympy.zoo, sympy.nan, sympy.oo, -sympy.oo)


def means(mean: object, size: int) -> sympy.ImmutableDenseMatrix:
    """Return a mean as a column of exact entries; zero for None. InputError unless they are `size` real entries.

    >>> list(means([0, 0.5], 2))
    [0, 1/2]
    """
    if mean is None:
        return sympy.ImmutableDenseMatrix.zeros(size, 1)
    entries = [exact(entry) for entry in (mean.tolist() if hasattr(mean, "tolist") else mean)]
    if len(entries) != size:
        raise InputError(f"The mean has {len(entries)} entries for {size} variables.", "Give one entry a variable.")
    for entry in entries:
        if not is_real(entry):
            raise InputError(f"The mean {entry} is not a real number.", "Means are finite numbers or real symbols.")
    return sympy.ImmutableDenseMatrix(size, 1, entries)


def _require_real(entry: sympy.Expr) -> None:
    if variables(entry):
        raise InputError(f"The covariance entry {entry} contains a Gaussian variable.", "Rename that parameter.")
    if entry.has(sympy.I, sympy.zoo, sympy.nan, sympy.oo, -sympy.oo) or entry.is_extended_real is False:
        raise InputError(f"The covariance entry {entry} is not a real number.", "Covariances are real and finite.")
    unknown = [symbol for symbol in entry.free_symbols if not symbol.is_extended_real]
    if unknown:
        raise InputError(
            f"The symbol {unknown[0]} is not declared real.",
            f'Use Symbol("{unknown[0]}", real=True) or give it a domain (--where on the command line).',
        )


def _require_symmetric(matrix: sympy.ImmutableDenseMatrix) -> None:
    for i in range(matrix.rows):
        for j in range(i):
            if matrix[i, j] != matrix[j, i] and is_zero(matrix[i, j] - matrix[j, i]) is not True:
                raise InputError(
                    f"The covariance is not symmetric: entry ({i + 1}, {j + 1}) is {matrix[i, j]} "
                    f"and entry ({j + 1}, {i + 1}) is {matrix[j, i]}.",
                    "Give the same number twice.",
                )


@lru_cache(maxsize=4096)  # every point of an equation asks again
def _require_psd(matrix: sympy.ImmutableDenseMatrix) -> None:
    """Raise InputError unless the matrix, or each numeric block of one or two rows of a symbolic one, is PSD."""
    size = matrix.rows
    blocks = [list(range(size))] if not matrix.free_symbols else [[i, j] for i in range(size) for j in range(i + 1)]
    for rows in blocks:
        block = matrix.extract(sorted(set(rows)), sorted(set(rows)))
        if block.free_symbols or is_psd(block):
            continue
        smallest = float(np.linalg.eigvalsh(np.array(block.evalf(30).tolist(), dtype=float)).min())
        names = ", ".join(f"z{index + 1}" for index in sorted(set(rows)))
        raise InputError(
            f"The covariance of {names} is not positive semidefinite (smallest eigenvalue {smallest:.6g}).",
            "No Gaussian has these covariances; a correlation lies between -1 and 1. Nothing is clipped for you.",
        )


def sign(number: sympy.Expr) -> int:
    """Return the sign of a real number without symbols: nonzero by balls, zero by algebra; else OutOfReachError.

    >>> sign(sympy.sqrt(2) + sympy.sqrt(3) - sympy.sqrt(5 + 2 * sympy.sqrt(6))), sign(sympy.pi - 4)
    (0, -1)
    """
    known = known_sign(number)
    if known is None:
        raise OutOfReachError(f"The sign of {number} is not decided.", "Write the number in a simpler form.")
    return known


def _radsimp(number: sympy.Expr) -> sympy.Expr:
    """Rationalise the denominator; `sympy.radsimp` takes a hundred times as long to leave a fraction as it is."""
    return number if number.is_Rational else sympy.radsimp(number)


def is_psd(matrix: sympy.MatrixBase) -> bool:
    """Whether a symmetric matrix of exact numbers is positive semidefinite, by exact elimination.

    Each step eliminates by a positive diagonal entry; when all of these are zero, the remaining matrix must be zero.

    >>> is_psd(sympy.Matrix([[1, 2], [2, 4]])), is_psd(sympy.Matrix([[1, 2], [2, 3]]))
    (True, False)
    """
    left = sympy.Matrix(matrix)
    while left.rows:
        signs = [sign(left[i, i]) for i in range(left.rows)]
        if min(signs) < 0:
            return False
        if max(signs) == 0:
            return all(sign(entry) == 0 for entry in left)
        pivot = signs.index(1)
        rest = [i for i in range(left.rows) if i != pivot]
        column = left.extract(rest, [pivot])
        left = (left.extract(rest, rest) - column * column.T / left[pivot, pivot]).applyfunc(_radsimp)
    return True
