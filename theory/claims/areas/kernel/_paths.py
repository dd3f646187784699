"""Paths of a small network as tuples of nodes, their weights, and sums over them by enumeration."""

from collections import Counter
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, product
from math import prod

Path = tuple[int, ...]  # the node at each level, the input's first; the output node is the last
Edge = tuple[int, int, int]  # layer, and the nodes before and behind it


def paths(inputs: int, width: int, depth: int) -> list[Path]:
    """Return all paths of a network with `depth` layers of weights.

    >>> paths(1, 2, 2)
    [(0, 0, 0), (0, 1, 0)]
    """
    return [(*path, 0) for path in product(range(inputs), *[range(width)] * (depth - 1))]


def edges(path: Path) -> list[Edge]:
    """Return the weights of a path."""
    return [(layer, path[layer], path[layer + 1]) for layer in range(len(path) - 1)]


def through(own: list[Path], *fixed: Edge) -> list[Path]:
    """Return the paths that pass all these weights."""
    return [path for path in own if all(path[layer] == one and path[layer + 1] == two for layer, one, two in fixed)]


@lru_cache(maxsize=64)
def products(width: int, depth: int) -> tuple[Fraction, Fraction]:
    """Return sum_(p1 != p2) (E<phi_p1, phi_p2>)^2 and E<phi_p, phi_p>, over all signs, for weights +-1 and two inputs.

    Raises ArithmeticError unless <phi_p, phi_p> is the same for all paths and signs.
    """
    own = paths(2, width, depth)
    every = sorted({edge for path in own for edge in edges(path)})
    totals: Counter = Counter()
    squares = set()
    for signs in product((1, -1), repeat=len(every)):
        theta = dict(zip(every, signs, strict=True))
        slopes = [{edge: prod(theta[one] for one in edges(p) if one != edge) for edge in edges(p)} for p in own]
        squares |= {sum(value**2 for value in slope.values()) for slope in slopes}
        for (i, one), (j, other) in combinations(enumerate(slopes), 2):
            totals[i, j] += sum(value * other[edge] for edge, value in one.items() if edge in other)
    if len(squares) != 1:
        raise ArithmeticError("the squared sensitivity of a path depends on the path or on the signs")
    choices = 2 ** len(every)
    return 2 * sum((Fraction(total, choices) ** 2 for total in totals.values()), Fraction(0)), Fraction(*squares)


def assignments(one: Path, other: Path, marked: tuple[Edge, Edge]) -> int:
    """Return the number of (p1, p2, p3, p4) with the weights of both base paths twice each and the marks in place.

    p1 and p2 pass the first marked weight, p3 and p4 the second.
    """
    wanted = Counter(2 * (edges(one) + edges(other)))
    spliced = [p for p in product(*({a, b} for a, b in zip(one, other, strict=True))) if set(edges(p)) <= set(wanted)]
    first, second = (through(spliced, edge) for edge in marked)
    return sum(
        Counter(edge for path in four for edge in edges(path)) == wanted
        for four in product(first, first, second, second)
    )
