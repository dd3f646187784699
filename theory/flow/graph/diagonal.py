r"""Moments of paths that share singular vectors: Sigma^yx(a) = U S(a) V' and Sigma^xx(a, b) = V D(a, b) V'.

Orthogonal U (one for each output node) and V exist, with D diagonal and S with at most one entry in each row and
column, if and only if these products are symmetric (A_a = Sigma^yx(a) at one output node, D over pairs (a, b) that meet
at an output node):

    D D'      A_a' A_b      A_a A_b'      A_a' A_b D      and A_a' A_b (A_c' A_d) for two output nodes.

They are necessary, since diagonal matrices commute. They are sufficient. The D and the A_a'A_b are symmetric and
commute, so that R^n is a sum of joint eigenspaces; P is the projector onto one, on which A_a'A_b is the number c_ab.
The ranges of the A_a P for different P are orthogonal, so that A_a A_b' = A_b A_a' gives A_a P A_b' = A_b P A_a'. Hence
c_bc A_a P = A_a P A_b' A_c P = A_b P A_a' A_c P = c_ac A_b P: the A_a P are multiples of one isometry, and the images
of a basis are columns of U. Eckart and Young (1939) have the theorem for two matrices A.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement

import numpy as np
from jaxtyping import Float

from theory.flow.graph.conditions import Condition
from theory.flow.graph.gradient_flow import GraphFlow
from theory.flow.graph.known import EPSILON, Known, Moment, asymmetry
from theory.problem import OutOfReachError

MOST_WORK = 2e10  # multiplications of all products together: about a minute
TRIES = 8  # random combinations of the matrices whose eigenvectors are computed; the best are kept
# The error of an eigenvector is the rounding divided by the gap between eigenvalues. Eigenvalues closer than GAP are
# treated as equal; the resulting off-diagonal entries are measured and stored in `Modes.residual`.
GAP = 1e-7


@dataclass(frozen=True, eq=False)
class Modes:
    """The shared singular vectors and the diagonals, mode by mode, the strongest first.

    inputs: V, one column for each mode. outputs: U of each output node, with a column 0 for a mode that exceeds the
    node's dimension. S and D: by output and a, and by (a, b), one number for each mode. residual: the largest
    off-diagonal entry relative to the unit of its moment, or the departure of U from orthonormal columns. rounding: the
    error of the vectors, the rounding of float64 over the smallest gap between eigenvalues of the combination.
    """

    inputs: Float[np.ndarray, "n n"]
    outputs: Mapping[str, Float[np.ndarray, "m n"]]
    S: Mapping[tuple[str, int], Float[np.ndarray, " n"]]
    D: Mapping[tuple[int, int], Float[np.ndarray, " n"]]
    residual: float
    rounding: float


def products_at(flow: GraphFlow, output: str) -> list[int]:
    """The numbers a of the products of gates on paths that end at an output node."""
    return sorted({path.opening for path in flow.ending(output)})


def pairs_met(flow: GraphFlow) -> list[tuple[int, int]]:
    """The pairs (a, b), a <= b, of products of gates whose paths end at one output node."""
    met = {pair for o in flow.graph.outputs for pair in combinations_with_replacement(products_at(flow, o), 2)}
    return sorted(met)


def shared_vectors(known: Known) -> tuple[Condition, ...]:
    """The conditions for shared singular vectors, each with its worst product.

    Raises OutOfReachError where there are too many products to check.
    """
    flow = known.flow
    second = _different([known.input_input(a, b) for a, b in pairs_met(flow)])
    first = {o: _different([known.output_input(o, a) for a in products_at(flow, o)]) for o in flow.graph.outputs}
    squares = {o: list(combinations_with_replacement(matrices, 2)) for o, matrices in first.items()}
    _require_little(len(second), [len(pairs) for pairs in squares.values()], flow.inputs)
    groups = [
        ("the products of two `Sxx`", ([(D, False), (C, False)] for D, C in combinations(second, 2))),
        ("the products `Syx' Syx`", ([(A, True), (B, False)] for o in first for A, B in combinations(first[o], 2))),
        ("the products `Syx Syx'`", ([(A, False), (B, True)] for o in first for A, B in combinations(first[o], 2))),
        (
            "the products `Syx' Syx Sxx`",
            ([(A, True), (B, False), (D, False)] for o in first for A, B in squares[o] for D in second),
        ),
    ]
    if len(first) > 1:
        across = (
            [(A, True), (B, False), (C, True), (D, False)]
            for o, p in combinations(first, 2)
            for A, B in squares[o]
            for C, D in squares[p]
        )
        groups.append(("the products `Syx' Syx` of different outputs", across))
    found = (_condition(name, list(products), known.exact) for name, products in groups)
    return tuple(condition for condition in found if condition is not None)


def _condition(name: str, products: Sequence[Sequence[tuple[Moment, bool]]], exact: bool) -> Condition | None:
    """Return the condition that all products are symmetric, with the least symmetric one; None without products."""
    offs = [asymmetry(factors) for factors in products]
    if not offs:
        return None
    worst = max(range(len(offs)), key=lambda index: (not offs[index].zero, offs[index].size))
    if offs[worst].zero:
        return Condition(f"{name} are symmetric", True, str(offs[worst]), exact)
    named = " ".join(moment.name + "'" * flag for moment, flag in products[worst])
    return Condition(f"`{named}` is symmetric", False, str(offs[worst]), exact)


def _different(moments: Sequence[Moment]) -> list[Moment]:
    """Return the matrices that are neither 0 nor a multiple of an earlier one, whose products would be the same."""
    kept: dict[object, Moment] = {}
    for moment in moments:
        if moment.whole is None:
            key: object = moment.array.tobytes()
            zero = not moment.array.any()
        else:
            entries = [int(entry) for entry in moment.whole.entries()]
            first = next((entry for entry in entries if entry), 0)
            common = int(np.gcd.reduce(np.array(entries, dtype=object))) * (1 if first > 0 else -1)
            zero = first == 0
            key = zero or tuple(entry // common for entry in entries)
        if not zero:
            kept.setdefault(key, moment)
    return list(kept.values())


def _require_little(second: int, squares: Sequence[int], n: int) -> None:
    across = sum(one * other for one, other in combinations(squares, 2))
    count = second**2 / 2 + sum(squares) * (second + 2) + across
    if 2 * count * n**3 > MOST_WORK:
        raise OutOfReachError(
            f"There are about {count:.2g} products of moments on {n} inputs, which would take longer than minutes.",
            "Use fewer products of gates or inputs.",
        )


def modes_of(known: Known, beside: Sequence[Float[np.ndarray, "n n"]] = ()) -> Modes:
    """The shared singular vectors in float64, where `shared_vectors` holds.

    Where several modes have the same moments, their vectors are determined up to a rotation. It is chosen so that the
    symmetric matrices `beside` become as diagonal as possible.
    """
    flow = known.flow
    second = {pair: known.input_input(*pair) for pair in pairs_met(flow)}
    first = {key: known.output_input(*key) for key in flow.errors}
    family = [_direction(moment) for moment in second.values()]
    for output in flow.graph.outputs:
        own = [_direction(first[output, a]) for a in products_at(flow, output)]
        family += [(A.T @ B + B.T @ A) / 2 for A, B in combinations_with_replacement(own, 2)]
    rng = np.random.default_rng(0)
    tried = [_diagonals(flow, first, second, *_eigenvectors(family, beside, rng)) for _ in range(TRIES)]
    return min(tried, key=lambda modes: modes.residual)


def _eigenvectors(
    family: Sequence[np.ndarray], beside: Sequence[np.ndarray], rng: np.random.Generator
) -> tuple[np.ndarray, float]:
    """Return eigenvectors of a random combination, within equal eigenvalues those of `beside`, and their error."""
    values, vectors = np.linalg.eigh(_combined(family, rng))
    other = _combined(beside, rng) if len(beside) else None
    first = 0
    for last in range(1, len(values) + 1):
        if last == len(values) or values[last] - values[last - 1] > GAP:
            if other is not None and last - first > 1:
                block = vectors[:, first:last]
                vectors[:, first:last] = block @ np.linalg.eigh(block.T @ other @ block)[1]
            first = last
    gaps = np.diff(values)
    return vectors, float(len(values) * EPSILON / min(gaps[gaps > GAP], default=1.0))


def _combined(family: Sequence[np.ndarray], rng: np.random.Generator) -> np.ndarray:
    return sum(rng.normal() * matrix / (np.linalg.norm(matrix) or 1.0) for matrix in family)


def _direction(moment: Moment) -> np.ndarray:
    """Return a moment divided by its norm; 0 where it is within the rounding of its terms."""
    norm = float(np.linalg.norm(moment.array))
    return moment.array / norm if norm > 2 * moment.rounding * moment.unit else np.zeros_like(moment.array)


def _diagonals(
    flow: GraphFlow,
    first: Mapping[tuple[str, int], Moment],
    second: Mapping[tuple[int, int], Moment],
    V: np.ndarray,
    rounding: float,
) -> Modes:
    """Return U, S and D for given V, and the residual."""
    strength = sum(np.linalg.norm(_direction(moment) @ V, axis=0) ** 2 for moment in first.values())
    V = V[:, np.argsort(-strength, kind="stable")]
    V = V * np.where(V[abs(V).argmax(axis=0), range(len(V))] < 0, -1.0, 1.0)
    D = {pair: np.einsum("ia,ij,ja->a", V, moment.array, V) for pair, moment in second.items()}
    left = [_relative(V.T @ moment.array @ V - np.diag(D[pair]), moment) for pair, moment in second.items()]
    U, S = {}, {}
    for output in flow.graph.outputs:
        own = {a: first[output, a] for a in products_at(flow, output)}
        U[output] = _left_vectors([_direction(moment) for moment in own.values()], V)
        left.append(float(abs(U[output].T @ U[output] - np.diag(U[output].any(axis=0))).max()))
        for a, moment in own.items():
            S[output, a] = np.einsum("ia,ij,ja->a", U[output], moment.array, V)
            left.append(_relative(moment.array - (U[output] * S[output, a]) @ V.T, moment))
    return Modes(V, U, S, D, max(left), rounding)


def _left_vectors(own: Sequence[np.ndarray], V: np.ndarray) -> np.ndarray:
    """Return one column for each mode: the direction of the strongest A v, or one that completes the basis."""
    images = np.stack([direction @ V for direction in own])
    sizes = np.linalg.norm(images, axis=1)
    rows, n = images.shape[1:]
    U = np.zeros((rows, n))
    for mode in np.argsort(-sizes.max(axis=0), kind="stable")[:rows]:
        strongest = sizes[:, mode].argmax()
        if sizes[strongest, mode] > len(V) * 1e3 * EPSILON:
            U[:, mode] = images[strongest, :, mode] / sizes[strongest, mode]
    free = np.linalg.svd(U)[0][:, np.count_nonzero(U.any(axis=0)) :]
    empty = np.flatnonzero(~U.any(axis=0))[: free.shape[1]]
    U[:, empty] = free[:, : len(empty)]
    return U


def _relative(difference: np.ndarray, moment: Moment) -> float:
    return float(abs(difference).max() / (moment.unit or 1.0))
