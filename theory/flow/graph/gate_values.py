"""Products of gates of a graph as random variables: their joint probabilities and linear dependences.

Each product g_a is a rational combination of linearly independent functions of the example: of the indicators of the
patterns that finite data have, or of 1 and the signs of directions (`theory.moments.basis`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import singledispatch
from math import inf
from typing import NoReturn

import numpy as np
from jaxtyping import Bool, Shaped

from theory.flow.graph.data import gate_columns, opened_gates, single_gates
from theory.flow.graph.gradient_flow import GraphFlow
from theory.moments.arithmetic import FLOAT64
from theory.moments.exact_moments import Examples
from theory.moments.feature_moments import feature_moments
from theory.moments.finite import contexts_of
from theory.moments.gate_events import Contexts
from theory.moments.lit_sites import examples as all_pulses
from theory.moments.nonlinearities.gates import basis_of
from theory.problem import AlwaysGate, Bars, FiniteData, Law, Network, OutOfReachError, Pulses, SinglePulse
from theory.problem.distributions.rows import RowsLaw

Row = tuple[Fraction, ...]
MOST_ROWS = 5_000  # the most rows of the matrix that contains the Gram matrix of a process's gates: 200 MB


@dataclass(frozen=True)
class GateValues:
    """The products of gates a = 1, 2, ...: `rows[a - 1]` has the coefficients of g_a over independent functions.

    together[a, b], for a <= b, is E[g_a g_b]: a fraction, or a float where it is irrational; 0 is exact in both.

    >>> zero, half, one = Fraction(0), Fraction(1, 2), Fraction(1)
    >>> gates = GateValues(((one, one), (one, zero), (zero, one)), {(1, 1): one, (1, 2): half, (2, 3): zero})
    >>> gates.exclusive(2, 3), gates.exclusive(1, 2), gates.dependencies()
    (True, False, {3: {1: Fraction(1, 1), 2: Fraction(-1, 1)}})
    """

    rows: tuple[Row, ...]
    together: dict[tuple[int, int], Fraction | float]

    def exclusive(self, one: int, other: int) -> bool:
        """Whether g_a g_b = 0 with probability 1."""
        return self.together[min(one, other), max(one, other)] == 0

    def dependencies(self) -> dict[int, dict[int, Fraction]]:
        """The products that are combinations of earlier ones, g_a = sum_b c_b g_b: c by b, by a."""
        found = null_combinations(self.rows)
        return {a + 1: {b + 1: share for b, share in shares.items()} for a, shares in found.items()}


def null_combinations(rows: Sequence[Sequence[Fraction]]) -> dict[int, dict[int, Fraction]]:
    """The rows that are combinations of earlier ones, row_i = sum_j c_j row_j: c by j, by i.

    >>> null_combinations([[Fraction(entry) for entry in row] for row in ((1, 0), (2, 0), (0, 1), (1, 1))])
    {1: {0: Fraction(2, 1)}, 3: {0: Fraction(1, 1), 2: Fraction(1, 1)}}
    """
    from flint import fmpq, fmpq_mat

    columns = list(zip(*rows, strict=True))
    entries = [fmpq(*Fraction(entry).as_integer_ratio()) for column in columns for entry in column]
    reduced, rank = fmpq_mat(len(columns), len(rows), entries).rref()
    pivots = [next(i for i in range(len(rows)) if reduced[row, i]) for row in range(rank)]
    found = {}
    for i in sorted(set(range(len(rows))) - set(pivots)):
        shares = {pivots[row]: reduced[row, i] for row in range(rank) if reduced[row, i]}
        found[i] = {j: Fraction(int(share.p), int(share.q)) for j, share in shares.items()}
    return found


def gate_values(law: Law, flow: GraphFlow) -> GateValues:
    """Return the products of gates of a graph's paths under a law.

    Raises OutOfReachError for gates without exact moments under the law, and for several gates on a path of a law
    without a list of examples.

    >>> from theory.problem import SiteGate, one_hidden_layer
    >>> gates = SiteGate(0, lo=0, on="input"), SiteGate(0, hi=0, on="input"), AlwaysGate()
    >>> flow = GraphFlow(one_hidden_layer(Network("gated-linear", "mean", 3, gates), 1), "half-mse")
    >>> gate_values(FiniteData([[1], [-1]], [1, 0]), flow).together[1, 2]
    Fraction(0, 1)
    """
    if isinstance(law, RowsLaw):
        return _of_patterns(opened(flow, law.rows.x, law.rows.context), law.rows.probabilities.tolist())
    listed = examples_of(law)
    if listed is None:
        return _of_signs(law, flow)
    return _of_patterns(opened(flow, listed.x, listed.context), listed.probabilities)


@singledispatch
def examples_of(law: Law) -> Examples | None:
    """All examples of a law with finitely many of them, in exact numbers; None for another law.

    Raises OutOfReachError for more pulses than can be listed.

    >>> examples_of(FiniteData([[1], [-1]], [1, 0])).x.tolist()
    [[Fraction(1, 1)], [Fraction(-1, 1)]]
    """
    del law
    return None


@examples_of.register
def _(law: FiniteData) -> Examples:
    labels = tuple(law.label_vectors[c] for c in law.category)
    return Examples(np.array(law.x, dtype=object), law.example_probabilities, labels, contexts_of(law))


@examples_of.register(SinglePulse)
@examples_of.register(Pulses)
@examples_of.register(Bars)
def _(law: SinglePulse | Pulses | Bars) -> Examples:
    return all_pulses(law, Network("gated-linear", "sum", 1, (AlwaysGate(),)))


def opened(flow: GraphFlow, x: Shaped[np.ndarray, "N n"], context: Contexts) -> Bool[np.ndarray, "N A"]:
    """Return which products of gates are open on which examples. Raises OutOfReachError for soft gates."""
    found = gate_columns(flow, opened_gates(flow, x, context), len(x))
    if not np.isin(found, (0, 1)).all():
        _refuse_soft()
    return found.astype(bool)


def _refuse_soft() -> NoReturn:
    raise OutOfReachError(
        "Soft gates are partly open, and these questions are about gates that are open or closed.",
        "Use hard gates: leave the sharpness out.",
    )


def _of_patterns(opens: Bool[np.ndarray, "N A"], probabilities: Sequence[Fraction | float]) -> GateValues:
    patterns: dict[tuple[bool, ...], Fraction | float] = {}
    for pattern, share in zip(map(tuple, opens.tolist()), probabilities, strict=True):
        patterns[pattern] = patterns.get(pattern, Fraction(0)) + share
    rows = tuple(tuple(Fraction(int(value)) for value in row) for row in zip(*patterns, strict=True))
    numbers = range(len(rows))
    together = {
        (a + 1, b + 1): sum((share for pattern, share in patterns.items() if pattern[a] and pattern[b]), Fraction(0))
        for a in numbers
        for b in numbers
        if a <= b
    }
    return GateValues(rows, together)


def _of_signs(law: Law, flow: GraphFlow) -> GateValues:
    """Half-spaces and slabs: two of them exclude each other where their product is exactly 0."""
    gates = single_gates(flow)
    if any(getattr(gate, "sharpness", inf) != inf for gate in gates):
        _refuse_soft()
    if len(gates) * law.n > MOST_ROWS:
        raise OutOfReachError(
            f"How often gates are open together is read from {len(gates) * law.n} features, more than {MOST_ROWS}.",
            "Use fewer sites or gates.",
        )
    network = Network("gated-linear", "sum", len(gates), gates, biases="trained")
    basis = basis_of(law, Network("gated-linear", "sum", len(gates), gates))
    rows = basis.coefficients
    gram = feature_moments(law, network, FLOAT64).A.dense()[-len(gates) - 1 : -1, -len(gates) - 1 : -1]
    numbers = range(len(rows))
    together = {
        (a + 1, b + 1): float(gram[a, b]) if basis.product(rows[a], rows[b]) else Fraction(0)
        for a in numbers
        for b in numbers
        if a <= b
    }
    return GateValues(rows, together)
