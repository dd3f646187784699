"""A routing network of matrices with two modes, in fractions: its loss, and its velocities by exact differences.

Input domain i has its own rotation V_i, output domain o its own U_o, and the hidden units have two more, R and Q. All
rotations are rational. With diagonal B the aligned weights are E_i = R B_1 V_i', W = Q B_2 R', D_o = U_o B_1 Q'.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction

from theory.claims import finite_data

Matrix = tuple[tuple[Fraction, ...], ...]
_SECOND = {"b1": Fraction(1, 2), "b2": Fraction(2, 3), "s": Fraction(5, 4)}  # the other mode


def product(*factors: Matrix) -> Matrix:
    """Return the product of matrices.

    >>> product(((1, 2),), ((3,), (4,)))
    ((11,),)
    """
    first, *others = factors
    for other in others:
        columns = list(zip(*other, strict=True))
        first = tuple(
            tuple(sum(a * b for a, b in zip(row, column, strict=True)) for column in columns) for row in first
        )
    return first


def transposed(matrix: Matrix) -> Matrix:
    """Return the transpose.

    >>> transposed(((1, 2), (3, 4)))
    ((1, 3), (2, 4))
    """
    return tuple(zip(*matrix, strict=True))


def rotation(number: int) -> Matrix:
    """Return a rational rotation, a different one for each number: by twice the angle whose tangent is 1/(number + 2).

    >>> rotation(0)
    ((Fraction(3, 5), Fraction(-4, 5)), (Fraction(4, 5), Fraction(3, 5)))
    """
    size = (number + 2) ** 2 + 1
    cosine, sine = Fraction((number + 2) ** 2 - 1, size), Fraction(2 * (number + 2), size)
    return (cosine, -sine), (sine, cosine)


def _diagonal(first: Fraction, second: Fraction) -> Matrix:
    return (first, Fraction(0)), (Fraction(0), second)


def aligned_velocities(at: Mapping[str, Fraction]) -> dict[str, Matrix]:
    """Return -dL/dW of every weight of the aligned network, turned back by its rotations: "E0", ..., "W", "D0", ...

    `at` gives M, K, P and b1, b2, s of the first mode. Pair (i, o) has the target U_o S V_i' and inputs with
    <x x'> = I, so that its loss is |U_o S V_i' - D_o W E_i|^2/2.
    """
    domains, partners = int(at["M"]), int(at["K"])
    ends, shared, strengths = (_diagonal(at[name], _SECOND[name]) for name in ("b1", "b2", "s"))
    left, right = rotation(0), rotation(1)
    inputs, outputs = ([rotation(first + i) for i in range(domains)] for first in (2, 7))
    turns = {f"E{i}": (left, transposed(inputs[i])) for i in range(domains)}
    turns |= {"W": (right, transposed(left))}
    turns |= {f"D{o}": (outputs[o], transposed(right)) for o in range(domains)}
    start = {name: product(a, shared if name == "W" else ends, b) for name, (a, b) in turns.items()}
    names = list(start)

    def loss(entries: list[Fraction]) -> Fraction:
        weights = dict(zip(names, _matrices(entries), strict=True))
        total = Fraction(0)
        for i in range(domains):
            encoded = product(weights["W"], weights[f"E{i}"])
            for o in ((i + k) % domains for k in range(partners)):
                target = product(outputs[o], strengths, transposed(inputs[i]))
                found = product(weights[f"D{o}"], encoded)
                total += sum(
                    (t - f) ** 2
                    for row, other in zip(target, found, strict=True)
                    for t, f in zip(row, other, strict=True)
                )
        return at["P"] * total / 2

    flat = [entry for matrix in start.values() for row in matrix for entry in row]
    downhill = _matrices([-entry for entry in finite_data.gradient(loss, flat)])
    return {
        name: product(transposed(turns[name][0]), matrix, transposed(turns[name][1]))
        for name, matrix in zip(names, downhill, strict=True)
    }


def _matrices(entries: list[Fraction]) -> Iterator[Matrix]:
    for first in range(0, len(entries), 4):
        yield tuple(entries[first : first + 2]), tuple(entries[first + 2 : first + 4])
