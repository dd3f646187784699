"""The sets of inputs that a half-space v.x >= theta cuts out of finitely many, exactly.

By Farkas, a set S and the rest T are separated by a hyperplane unless an affine dependence sum_a c_a x_a = 0,
sum_a c_a = 0, has c_a >= 0 on S and c_a <= 0 on T. Every such dependence is a sum of minimal ones (circuits) with no
signs against it, so that it suffices to look at these: they involve at most rank + 1 inputs.
"""

from collections.abc import Iterator
from itertools import combinations

import numpy as np
from jaxtyping import Bool, Shaped

from theory.moments.exact_moments import whole_numbers
from theory.problem import OutOfReachError

MOST_SEPARATED = 16  # the 2^16 sets are marked together, 65 kB each time


def separable(x: Shaped[np.ndarray, "N n"]) -> Bool[np.ndarray, " sets"]:
    """Return for each of the 2^N sets of different inputs, as bits of its number, whether a half-space cuts it out.

    Raises OutOfReachError for more than 16 inputs.

    Of three points on a line the middle one alone, and the two outer ones, are no half-space:

    >>> [f"{number:03b}" for number in np.flatnonzero(~separable(np.array([[0], [1], [2]])))]
    ['010', '101']
    """
    if len(x) > MOST_SEPARATED:
        raise OutOfReachError(
            f"{len(x)} inputs have 2^{len(x)} subsets, of which those of half-spaces are found one by one up to "
            f"{MOST_SEPARATED} inputs.",
            "Use fewer inputs, or another kind of gates.",
        )
    sets = np.arange(2 ** len(x))
    separated = np.ones(len(sets), dtype=bool)
    for plus, minus in _circuits(x):
        separated &= ((sets & plus) != plus) | ((sets & minus) != 0)
        separated &= ((sets & minus) != minus) | ((sets & plus) != 0)
    return separated


def _circuits(x: Shaped[np.ndarray, "N n"]) -> Iterator[tuple[int, int]]:
    """Yield the minimal affine dependences as two sets of inputs, those of positive and of negative coefficients."""
    from flint import fmpz_mat

    rows = [[1, *row] for row in whole_numbers(np.array(x, dtype=object))[0].tolist()]
    rank = fmpz_mat(rows).rank() if rows else 0
    for size in range(2, rank + 2):
        for chosen in combinations(range(len(rows)), size):
            null, nullity = fmpz_mat([rows[a] for a in chosen]).transpose().nullspace()
            signs = [null[index, 0] for index in range(size)]
            if nullity == 1 and all(signs):
                yield tuple(sum(1 << a for a, c in zip(chosen, signs, strict=True) if (c > 0) == up) for up in (1, 0))
