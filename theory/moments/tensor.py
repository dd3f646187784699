"""Four-point moments through two half-spaces, E[1(v_i >= 0) 1(v_j >= 0) x_k x_l]: one block, all blocks, or by lags.

    E[1_i 1_j x_k x_l] = (E[x_k x_l] + E[s_i s_j x_k x_l])/4,  s = sign(v);  E[1_i x_k x_l] = E[x_k x_l]/2 for i = j.

(The terms with one sign vanish by parity.) Every distinct value is computed once. Source: notes, eq. (7), corrected.
"""

from collections.abc import Iterator

import numpy as np
from jaxtyping import Float

from theory.moments.arithmetic import FLOAT64
from theory.moments.statistics import Stationary, all_lags, class_statistics, require_centred, two_site_block
from theory.problem import InputError


def four_point_block(law: Stationary, c: int, i: int, j: int) -> Float[np.ndarray, "n n"]:
    """E[1_i 1_j x_k x_l] of class `c` for all k, l; absolute error below 1e-12/Z^2.

    Raises InputError for a site outside, OutOfReachError where the classes have means.

    >>> from theory.problem import NonlinearGP
    >>> law = NonlinearGP(4, (2, 1), 1, "open", "unit-variance", (1, 0))
    >>> bool((four_point_block(law, 0, 1, 2) == four_point_block(law, 0, 2, 1)).all())
    True
    """
    require_centred(law, "The four-point moment")
    for site in (i, j):
        if not 0 <= site < law.n:
            raise InputError(f"site {site} lies outside the line of n = {law.n} sites.", "Sites count from 0.")
    statistics = class_statistics(law, c, FLOAT64)
    covariance = statistics.covariance(all_lags(law))
    if i == j:
        return covariance / 2
    return (covariance + two_site_block(statistics, i, j)) / 4


def four_point_blocks(law: Stationary, c: int) -> Iterator[tuple[int, int, Float[np.ndarray, "n n"]]]:
    """Yield (i, j, block) for all i <= j, with one block in memory at a time; the full tensor has n^4 entries.

    >>> from theory.problem import NonlinearGP
    >>> law = NonlinearGP(4, (2, 1), 1, "open", "unit-variance", (1, 0))
    >>> [(i, j) for i, j, _ in four_point_blocks(law, 0)][:5]
    [(0, 0), (0, 1), (0, 2), (0, 3), (1, 1)]
    """
    for i in range(law.n):
        for j in range(i, law.n):
            yield i, j, four_point_block(law, c, i, j)


def four_point_by_lags(law: Stationary, c: int) -> Float[np.ndarray, "n n n"]:
    """T[a, b, d] = E[1_i 1_(i+a) x_(i+b) x_(i+d)] on the ring, which is the same for every i (sites modulo n).

    The whole tensor in n^3 numbers; T[n - a] is T[a] moved by a sites, so that half of the blocks are computed.
    Raises InputError for a law on the open line, where translations change the distances.

    >>> from theory.problem import NonlinearGP
    >>> law = NonlinearGP(4, (1, 1), 1, "ring", "unit-variance", (1, 0))
    >>> bool((four_point_by_lags(law, 0)[1] == four_point_block(law, 0, 2, 3)[[2, 3, 0, 1]][:, [2, 3, 0, 1]]).all())
    True
    """
    if law.boundary != "ring":
        raise InputError('four_point_by_lags needs boundary = "ring".', "On the line use four_point_blocks.")
    n = law.n
    table = np.empty((n, n, n))
    for a in range(n // 2 + 1):
        table[a] = four_point_block(law, c, 0, a)
        if a:
            # Sites 0 and n - a are sites a and 0 moved by n - a: T[n - a][b, d] = T[a][b + a, d + a].
            table[n - a] = np.roll(table[a], (-a, -a), axis=(0, 1))
    return table
