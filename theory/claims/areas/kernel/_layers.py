"""The second moment of K0 = sum_theta (dy/dtheta)^2, layer by layer: the definition, without paths and partitions.

With x = 1 and all gates open the activations h of a level, and the matrix D_ij = sum_theta dh_i/dtheta dh_j/dtheta over
the weights so far, obey h' = W h and D' = |h|^2 1 + W D W^T. W is independent of h and D, and its entries are
independent, so that the tensors E[h h h h], E[D h h] and E[D D] of a level follow from those of the level before. K0 is
D at the output. Weights have variance 1.
"""

from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import comb, factorial

Indices = tuple[int, int, int, int]
Tensor = dict[Indices, int]  # zeros are left out

SIGNS, GAUSSIAN = 1, 3  # the kurtosis of the weights


@lru_cache(maxsize=256)
def second_moment(width: int, depth: int, kurtosis: int) -> int:
    """Return E K0^2 for the input 1, with all gates open."""
    h4: Tensor = {(0, 0, 0, 0): 1}
    dh: Tensor = {}
    dd: Tensor = {}
    nodes = 1
    for following in (*[width] * (depth - 1), 1):
        h4, dh, dd = (
            _through(h4, nodes, following, kurtosis),
            _sum(_through(dh, nodes, following, kurtosis), _norm_first(h4, nodes, following)),
            _sum(_through(dd, nodes, following, kurtosis), *_norms(h4, dh, nodes, following)),
        )
        nodes = following
    return dd[0, 0, 0, 0]


def variance(width: int, depth: int, kurtosis: int) -> int:
    """Return Var K0 = E K0^2 - (d w^(d-1))^2."""
    return second_moment(width, depth, kurtosis) - (depth * width ** (depth - 1)) ** 2


def leading(depth: int) -> Fraction:
    """Return the limit of w Var K0 / w^(2(d-1)) for weights +-1 and w -> oo.

    K0^2 is a sum over paths with at most two different nodes at each level. So its mean is a polynomial in w of degree
    2(d - 1), whose coefficients follow from its values at 2d - 1 widths. The limit is the coefficient of w^(2d-3),
    where that of w^(2d-2) is 0. Raises ArithmeticError where it is not.
    """
    if depth == 1:
        return Fraction(0)
    degree = 2 * (depth - 1)
    values = [0, *(variance(width, depth, SIGNS) for width in range(1, degree + 1))]
    if _difference(values):
        raise ArithmeticError(f"the variance at the depth {depth} grows as the square of the mean")
    return Fraction(_difference(values[:-1]), factorial(degree - 1))


def cubic_coefficient() -> Fraction:
    """Return the limit of `leading`(d)/d^3 for d -> oo, from the depths 2 to 6.

    `leading` counts pairs of marked layers with a level at which paths meet, which gives a cubic polynomial in d: the
    fourth difference must be 0. Raises ArithmeticError where it is not.
    """
    values = [leading(depth) for depth in range(2, 7)]
    if _difference(values):
        raise ArithmeticError("the leading coefficients are not cubic in the depth")
    return Fraction(_difference(values[:-1]), 6)


def _difference(values: list) -> Fraction | int:
    """Return the difference of the highest order."""
    order = len(values) - 1
    return sum((-1) ** (order - k) * comb(order, k) * value for k, value in enumerate(values))


def _sum(*tensors: Tensor) -> Tensor:
    total: Tensor = {}
    for tensor in tensors:
        for place, value in tensor.items():
            total[place] = total.get(place, 0) + value
    return total


def _through(tensor: Tensor, nodes: int, following: int, kurtosis: int) -> Tensor:
    """Return sum_ijkl E[W_ai W_bj W_ck W_dl] X_ijkl: rows of W are independent, and within a row its entries are."""
    span = range(nodes)
    first, second, third = (
        sum(tensor.get(place(i, k), 0) for i in span for k in span)
        for place in (lambda i, k: (i, i, k, k), lambda i, k: (i, k, i, k), lambda i, k: (i, k, k, i))
    )
    same = sum(tensor.get((i, i, i, i), 0) for i in span)
    found: Tensor = {}
    for a, b, c, d in product(range(following), repeat=4):
        if a == b == c == d:
            found[a, b, c, d] = first + second + third + (kurtosis - 3) * same
        elif a == b and c == d:
            found[a, b, c, d] = first
        elif a == c and b == d:
            found[a, b, c, d] = second
        elif a == d and b == c:
            found[a, b, c, d] = third
    return found


def _norm_first(h4: Tensor, nodes: int, following: int) -> Tensor:
    """Return E[|h|^2 1_ab h'_c h'_d], which is 0 unless a = b and c = d."""
    value = sum(h4.get((i, i, k, k), 0) for i in range(nodes) for k in range(nodes))
    return {(a, a, c, c): value for a in range(following) for c in range(following)}


def _norms(h4: Tensor, dh: Tensor, nodes: int, following: int) -> list[Tensor]:
    """Return E[|h|^4 1_ab 1_cd] and twice E[|h|^2 1_ab (W D W^T)_cd], of which the other order is the mirror image."""
    mixed = sum(dh.get((i, i, k, k), 0) for i in range(nodes) for k in range(nodes))
    squared = _norm_first(h4, nodes, following)
    return [squared, {place: 2 * mixed for place in squared}]
