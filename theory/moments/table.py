"""A table of examples through gates, in float64: sums over its rows, a few thousand at a time."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float

from theory.moments.arithmetic import FLOAT64, Arithmetic, Numbers
from theory.moments.basis import require_linear
from theory.moments.exact_moments import require_rows
from theory.moments.example_statistics import ExampleStatistics, of_class
from theory.moments.feature_moments import Block, FeatureMoments, Structure, law_moments, second_moments
from theory.moments.gate_events import open_on
from theory.moments.inputs import input_statistics_of
from theory.moments.symmetric import Dense
from theory.problem import Gate, Network, OutOfReachError, Table, resolved

_CHUNK = 4096  # rows of features that are processed at a time
MOST_NUMBERS = 10**8  # the most numbers in the second moments of all classes: 800 MB


def gate_table(law: Table, gates: tuple[Gate, ...]) -> Float[np.ndarray, "N K"]:
    """Return g_k of every example: 0 or 1, or a number between them for a soft gate.

    >>> from theory.problem import ContextGate, SiteGate
    >>> one = {"probability": "1/2", "xx": [[1]], "yx": [[0]], "yy": [[0]]}
    >>> law = Table(moments=[one, one])
    >>> gate_table(law, (ContextGate([1]), SiteGate(0, lo=1, on="input"))).sum(axis=0).tolist()
    [4.0, 2.0]
    """
    x, context = law.rows.x, law.rows.context
    opened = [open_on(gate, x, f"network.gates[{k}]", context) for k, gate in enumerate(resolved(gates))]
    return np.array(opened, dtype=float).T


@dataclass(frozen=True, eq=False)
class TableFeatures(FeatureMoments):
    """The moments of a gated-linear network on a table, and their one block: the features that are not always 0.

    >>> from theory.problem import AlwaysGate
    >>> law = Table(moments=[{"probability": 1, "xx": [[4]], "yx": [[2]], "yy": [[1]]}])
    >>> network = Network("gated-linear", "mean", 1, (AlwaysGate(),))
    >>> features = TableFeatures(law, network, gate_table(law, network.gates))
    >>> features.assembled().round(12).tolist(), features.b.round(12).tolist(), round(features.y2, 12)
    ([[4.0]], [2.0], 1.0)
    """

    law: Table
    network: Network
    opened: Float[np.ndarray, "N K"]
    arithmetic: Arithmetic = FLOAT64

    def _features(self) -> Iterator[tuple[np.ndarray, slice]]:
        """phi of a few thousand examples at a time: g_1 x, ..., g_K x and, with biases, g_1, ..., g_K and 1/s."""
        for first in range(0, len(self.opened), _CHUNK):
            part = slice(first, first + _CHUNK)
            x, gates = self.law.rows.x[part], self.opened[part]
            features = [(gates[:, :, None] * x[:, None, :]).reshape(len(x), -1)]
            if self.network.has_biases:
                features += [gates, np.full((len(x), 1), float(1 / self.network.scale))]
            yield np.concatenate(features, axis=1), part

    @cached_property
    def _sums(self) -> tuple[Float[np.ndarray, "P P"], Float[np.ndarray, "P m"]]:
        """<phi phi^T> and <phi y^T>."""
        rows, A, b = self.law.rows, 0.0, 0.0
        for features, part in self._features():
            weighed = features * rows.probabilities[part, None]
            A, b = A + weighed.T @ features, b + weighed.T @ rows.y[part]
        return A, b

    def assembled(self) -> Float[np.ndarray, "P P"]:
        """A as an array."""
        return self._sums[0]

    @property
    def b(self) -> Float[np.ndarray, "P *m"]:
        """<phi y>."""
        b = self._sums[1]
        return b[:, 0] if self.law.outputs == 1 else b

    @cached_property
    def y2(self) -> float:
        """<y.y>."""
        return float(self.law.rows.probabilities @ (self.law.rows.y**2).sum(axis=1))

    @cached_property
    def structure(self) -> Structure:
        """The numerical rank of A in float64."""
        rank = int(np.linalg.matrix_rank(self.assembled(), hermitian=True))
        size = len(self.b)
        note = (
            f"the table is kept in float64, and so is the rank of A: {rank} of its {size} eigenvalues exceed "
            f"{size * np.finfo(float).eps:.1e} times the largest."
        )
        return Structure(rank, size, False, (note,))

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """One block, of the features that some example has; weights of the others do not move."""
        A, b = self._sums
        seen = np.flatnonzero(A.diagonal())
        if not len(seen):
            raise OutOfReachError(
                "All inputs of the table are 0 wherever a gate is open: no weight moves.", "Open the gates for others."
            )
        rhs = b[seen].T
        return (
            Block(
                n=1,
                directions=np.eye(len(A))[seen][None],
                constants=np.empty((1, 0, 0)),
                scales=np.ones(1),
                kernel=Dense(A[np.ix_(seen, seen)]),
                rhs=rhs if self.law.outputs == 1 else rhs[:, None, :],
            ),
        )


@law_moments.register
def _(law: Table, network: Network, arithmetic: Arithmetic) -> FeatureMoments:
    _require_float64(arithmetic)
    require_linear(network)
    require_rows(network, law.n)
    return TableFeatures(law, network, gate_table(law, network.gates))


@second_moments.register
def _(law: Table, arithmetic: Arithmetic) -> Numbers:
    _require_float64(arithmetic)
    if law.classes * law.n**2 > MOST_NUMBERS:
        raise OutOfReachError(
            f"The table has {law.classes} different labels: the second moments of each, {law.n} x {law.n} numbers, "
            "fill the memory.",
            "Use fewer labels or sites.",
        )
    found = np.empty((law.classes, law.n, law.n))
    for c in range(law.classes):
        mine = law.category == c
        x, weights = law.rows.x[mine], law.rows.probabilities[mine]
        found[c] = (x * (weights / weights.sum())[:, None]).T @ x
    return found


def _require_float64(arithmetic: Arithmetic) -> None:
    if arithmetic.dtype is not float:
        raise OutOfReachError(
            "A table is kept in float64, and has no certified digits.",
            'Leave --digits out, or write the examples as a finite data set (data.law = "finite"), which is exact.',
        )


@input_statistics_of.register
def _(law: Table, c: int) -> ExampleStatistics:
    return of_class(law.rows.x, law.category, law.rows.probabilities, c)
