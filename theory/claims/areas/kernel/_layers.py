"""The second moment of K0 = sum_theta (dy/dtheta)^2, layer by layer: the definition, without paths and partitions.

With x = 1 and all gates open the activations h of a level, and the matrix D_ij = sum_theta dh_i/dtheta dh_j/dtheta over
the weights so far, obey h' = W h and D' = |h|^2 1 + W D W^T. W is independent of h and D, and its entries are
independent, so that the tensors E[h h h h], E[D h h] and E[D D] of a level follow from those of the level before. K0 is
D at the output. Weights have variance 1.

Bernoulli(mu) gates multiply h_i and D_ij by the gates of their nodes. Gates are 0 or 1 and independent for each node
and input, so that an entry of a tensor is multiplied by mu for each different pair of a node and an input. For two
inputs x = x' = 1 the tensors are E[h h' h h'], E[D h h'] and E[D D] with D_ij = sum_theta dh_i/dtheta dh'_j/dtheta.
"""

from fractions import Fraction
from functools import lru_cache
from itertools import pairwise, product
from math import comb, factorial, prod

Indices = tuple[int, int, int, int]
Tensor = dict[Indices, Fraction | int]  # zeros are left out

SIGNS, GAUSSIAN = 1, 3  # the kurtosis of the weights


@lru_cache(maxsize=512)
def second_moment(
    width: int,
    depth: int,
    kurtosis: int,
    share: Fraction | int = 1,
    cross: bool = False,
    x: tuple[int, ...] = (1,),
) -> Fraction | int:
    """Return E K0(x, x)^2, or E K0(x, x')^2 for x = x', with Bernoulli(mu) gates.

    `share` is the probability that a node is open for the inputs of the entry: mu for one input, mu^2 for two.
    """
    h4: Tensor = {place: prod(x[node] for node in place) for place in product(range(len(x)), repeat=4)}
    dh: Tensor = {}
    dd: Tensor = {}
    nodes = len(x)
    for level, following in enumerate((*[width] * (depth - 1), 1), start=1):
        h4, dh, dd = (
            through(h4, nodes, following, kurtosis),
            added(through(dh, nodes, following, kurtosis), norm_first(h4, nodes, following)),
            added(through(dd, nodes, following, kurtosis), *norms(h4, dh, nodes, following)),
        )
        nodes = following
        if share != 1 and level < depth:
            h4, dh, dd = (_gated(tensor, share, cross) for tensor in (h4, dh, dd))
    return dd[0, 0, 0, 0]


def variance(width: int, depth: int, kurtosis: int, share: Fraction | int = 1, cross: bool = False) -> Fraction | int:
    """Return Var K0 = E K0^2 - (d (share w)^(d-1))^2."""
    middle = depth * (width * share) ** (depth - 1)
    return second_moment(width, depth, kurtosis, share, cross) - middle**2


@lru_cache(maxsize=256)
def leading(depth: int, share: Fraction | int = 1, cross: bool = False) -> Fraction:
    """Return the limit of w Var K0 / (mu w)^(2(d-1)) for weights +-1 and w -> oo.

    K0^2 is a sum over paths with at most two different nodes at each level. So its mean is a polynomial in w of degree
    2(d - 1), whose coefficients follow from its values at 2d - 1 widths. The limit is the coefficient of w^(2d-3),
    where that of w^(2d-2) is 0. Raises ArithmeticError where it is not.
    """
    if depth == 1:
        return Fraction(0)
    degree = 2 * (depth - 1)
    values = [0, *(variance(width, depth, SIGNS, share, cross) for width in range(1, degree + 1))]
    if difference(values):
        raise ArithmeticError(f"the variance at the depth {depth} grows as the square of the mean")
    return (
        Fraction(difference(values[:-1])) / factorial(degree - 1) / Fraction(share) ** (degree // (2 if cross else 1))
    )


@lru_cache(maxsize=64)
def floor(share: Fraction) -> Fraction:
    """Return the limit of `leading`(d, share, cross=True) for d -> oo, from the depths 2 to 7.

    `leading` counts the paths by the level at which they meet: it is a constant plus a cubic polynomial in d times
    share^d. The operator E - share, E f(d) = f(d + 1), applied four times leaves (1 - share)^4 times the constant, the
    same at each depth. Raises ArithmeticError where it is not.
    """
    values = [leading(depth, share, True) for depth in range(2, 8)]
    for _ in range(4):
        values = [after - share * before for before, after in pairwise(values)]
    if values[0] != values[1]:
        raise ArithmeticError("the leading coefficients are not a constant plus a cubic times share^d")
    return values[0] / (1 - share) ** 4


def cubic_coefficient() -> Fraction:
    """Return the limit of `leading`(d)/d^3 for d -> oo, from the depths 2 to 6.

    `leading` counts pairs of marked layers with a level at which paths meet, which gives a cubic polynomial in d: the
    fourth difference must be 0. Raises ArithmeticError where it is not.
    """
    values = [leading(depth) for depth in range(2, 7)]
    if difference(values):
        raise ArithmeticError("the leading coefficients are not cubic in the depth")
    return Fraction(difference(values[:-1]), 6)


def difference(values: list) -> Fraction | int:
    """Return the difference of the highest order."""
    order = len(values) - 1
    return sum((-1) ** (order - k) * comb(order, k) * value for k, value in enumerate(values))


def _gated(tensor: Tensor, share: Fraction | int, cross: bool) -> Tensor:
    """Return the tensor behind the gates of a level.

    For two inputs the number of different pairs is even: each pair state has two or four, and mu^2 is `share`.
    """
    inputs, each = ((0, 1, 0, 1), 2) if cross else ((0, 0, 0, 0), 1)
    return {
        place: value * share ** (len(set(zip(place, inputs, strict=True))) // each) for place, value in tensor.items()
    }


def added(*tensors: Tensor) -> Tensor:
    """Return the sum of the tensors, entry by entry."""
    total: Tensor = {}
    for tensor in tensors:
        for place, value in tensor.items():
            total[place] = total.get(place, 0) + value
    return total


def through(tensor: Tensor, nodes: int, following: int, kurtosis: int) -> Tensor:
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


def norm_first(h4: Tensor, nodes: int, following: int) -> Tensor:
    """Return E[|h|^2 1_ab h'_c h'_d], which is 0 unless a = b and c = d."""
    value = sum(h4.get((i, i, k, k), 0) for i in range(nodes) for k in range(nodes))
    return {(a, a, c, c): value for a in range(following) for c in range(following)}


def norms(h4: Tensor, dh: Tensor, nodes: int, following: int) -> list[Tensor]:
    """Return E[|h|^4 1_ab 1_cd] and twice E[|h|^2 1_ab (W D W^T)_cd], of which the other order is the mirror image."""
    mixed = sum(dh.get((i, i, k, k), 0) for i in range(nodes) for k in range(nodes))
    squared = norm_first(h4, nodes, following)
    return [squared, {place: 2 * mixed for place in squared}]
