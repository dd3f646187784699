"""A list of examples through gates, in float64: sums over its rows, a few thousand at a time."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float

from theory.moments.arithmetic import FLOAT64, Arithmetic
from theory.moments.basis import require_linear
from theory.moments.exact_moments import require_rows
from theory.moments.example_statistics import ExampleStatistics, of_class
from theory.moments.feature_moments import Block, FeatureMoments, Structure, law_moments
from theory.moments.gate_events import open_on
from theory.moments.inputs import input_statistics_of
from theory.moments.symmetric import Dense
from theory.problem import Gate, Network, OutOfReachError, resolved
from theory.problem.distributions.rows import RowsLaw

_CHUNK = 4096  # rows of features that are processed at a time


def gate_table(law: RowsLaw, gates: tuple[Gate, ...]) -> Float[np.ndarray, "N K"]:
    """Return g_k of every example: 0 or 1, or a number between them for a soft gate.

    >>> from theory.problem import ContextGate, SiteGate, Table
    >>> one = {"probability": "1/2", "xx": [[1]], "yx": [[0]], "yy": [[0]]}
    >>> law = Table(moments=[one, one])
    >>> gate_table(law, (ContextGate([1]), SiteGate(0, lo=1, on="input"))).sum(axis=0).tolist()
    [4.0, 2.0]
    """
    x, context = law.rows.x, law.rows.context
    opened = [open_on(gate, x, f"network.gates[{k}]", context) for k, gate in enumerate(resolved(gates))]
    return np.array(opened, dtype=float).T


def features_of(
    x: Float[np.ndarray, "N n"], opened: Float[np.ndarray, "N K"], network: Network
) -> Float[np.ndarray, "N P"]:
    """Return phi of each example: g_1 x, ..., g_K x and, with biases, g_1, ..., g_K and 1/s.

    >>> network = Network("relu", "mean", 2)
    >>> features_of(np.array([[3.0, 5.0]]), np.array([[1.0, 0.0]]), network).tolist()
    [[3.0, 5.0, 0.0, 0.0]]
    """
    features = [(opened[:, :, None] * x[:, None, :]).reshape(len(x), -1)]
    if network.has_biases:
        features += [opened, np.full((len(x), 1), float(1 / network.scale))]
    return np.concatenate(features, axis=1)


def one_block(A: Float[np.ndarray, "P P"], b: Float[np.ndarray, "P m"]) -> Block:
    """Return A and b as one block, of the features that some example has; weights of the others do not move.

    Raises OutOfReachError where no example has any.

    >>> one_block(np.diag([0.0, 2.0]), np.array([[0.0], [3.0]])).rhs.tolist()
    [[3.0]]
    """
    seen = np.flatnonzero(A.diagonal())
    if not len(seen):
        raise OutOfReachError(
            "All inputs are 0 wherever a gate is open: no weight moves.", "Open the gates for others."
        )
    rhs = b[seen].T
    return Block(
        n=1,
        directions=np.eye(len(A))[seen][None],
        constants=np.empty((1, 0, 0)),
        scales=np.ones(1),
        kernel=Dense(A[np.ix_(seen, seen)]),
        rhs=rhs if len(rhs) == 1 else rhs[:, None, :],
    )


@dataclass(frozen=True, eq=False)
class SampleMoments(FeatureMoments):
    """The moments of N examples, <phi phi^T>, <phi y^T> and <y.y>, as one block: the features that are not always 0.

    `said` is a reason, in words, why the rank is that of float64.

    >>> moments = SampleMoments(np.diag([2.0, 0.0]), np.array([[3.0], [0.0]]), 5.0)
    >>> moments.structure.rank, moments.b.tolist(), moments.blocks[0].rhs.tolist()
    (1, [3.0, 0.0], [[3.0]])
    """

    second: Float[np.ndarray, "P P"]
    first: Float[np.ndarray, "P m"]
    squares: float
    said: str = ""
    arithmetic: Arithmetic = FLOAT64

    def assembled(self) -> Float[np.ndarray, "P P"]:
        """A as an array."""
        return self.second

    @property
    def b(self) -> Float[np.ndarray, "P *m"]:
        """<phi y>."""
        return self.first[:, 0] if self.first.shape[1] == 1 else self.first

    @property
    def y2(self) -> float:
        """<y.y>."""
        return self.squares

    @cached_property
    def structure(self) -> Structure:
        """The numerical rank of A in float64."""
        rank, size = int(np.linalg.matrix_rank(self.second, hermitian=True)), len(self.second)
        note = (
            f"{self.said}: {rank} of its {size} eigenvalues exceed {size * np.finfo(float).eps:.1e} times the largest."
        )
        return Structure(rank, size, False, (note,) if self.said else ())

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """One block, of the features that some example has; weights of the others do not move."""
        return (one_block(self.second, self.first),)


def rows_moments(law: RowsLaw, network: Network, arithmetic: Arithmetic) -> SampleMoments:
    """Return the moments of a gated-linear network on a list of examples, in float64.

    Raises OutOfReachError for other numbers and other networks.

    >>> from theory.problem import AlwaysGate, Table
    >>> law = Table(moments=[{"probability": 1, "xx": [[4]], "yx": [[2]], "yy": [[1]]}])
    >>> rows_moments(law, Network("gated-linear", "mean", 1, (AlwaysGate(),)), FLOAT64).b.round(12).tolist()
    [2.0]
    """
    _require_float64(arithmetic)
    require_linear(network)
    require_rows(network, law.n)
    rows, opened, A, b = law.rows, gate_table(law, network.gates), 0.0, 0.0
    for first in range(0, len(opened), _CHUNK):
        part = slice(first, first + _CHUNK)
        features = features_of(rows.x[part], opened[part], network)
        weighed = features * rows.probabilities[part, None]
        A, b = A + weighed.T @ features, b + weighed.T @ rows.y[part]
    y2 = float(rows.probabilities @ (rows.y**2).sum(axis=1))
    return SampleMoments(A, b, y2, "the examples are kept in float64, and so is the rank of A")


def _require_float64(arithmetic: Arithmetic) -> None:
    if arithmetic.dtype is not float:
        raise OutOfReachError(
            "The examples are kept in float64, and have no certified digits.",
            'Leave --digits out, or write the examples as a finite data set (data.law = "finite"), which is exact.',
        )


@law_moments.register
def _(law: RowsLaw, network: Network, arithmetic: Arithmetic) -> FeatureMoments:
    return rows_moments(law, network, arithmetic)


@input_statistics_of.register
def _(law: RowsLaw, c: int) -> ExampleStatistics:
    return of_class(law.rows.x, law.category, law.rows.probabilities, c)
