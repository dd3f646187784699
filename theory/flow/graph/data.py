"""The path moments of a problem's data: by sums over examples if the law has finitely many, else from its moments.

For other laws the moments (`theory.moments`) are those of a gated-linear network whose units have the products of gates
of the paths, if each product is a single gate.
"""

from collections.abc import Mapping
from functools import singledispatch

import numpy as np
from jaxtyping import Float, Int, Shaped

from theory.flow.graph.gradient_flow import GraphFlow
from theory.flow.graph.moments import PathMoments, empirical
from theory.moments import gated_moments
from theory.moments.finite import contexts_of
from theory.moments.gate_events import Contexts, open_on
from theory.problem import (
    AlwaysGate,
    FiniteData,
    Gate,
    Law,
    Network,
    NormalInitialisation,
    OutOfReachError,
    Problem,
    Training,
)
from theory.problem.distributions.rows import RowsLaw


def flow_of(problem: Problem) -> GraphFlow:
    """The gradient flow of a problem's network by paths, a network with one hidden layer included.

    >>> from theory.problem import SiteGate
    >>> law = FiniteData([[1, 0], [0, 1]], [1, -1])
    >>> gates = SiteGate(0, lo=0, on="input"), SiteGate(1, lo=0, on="input")
    >>> training = Training("half-mse", 1, NormalInitialisation(1, 0), (1,))
    >>> [str(path) for path in flow_of(Problem(law, Network("gated-linear", "mean", 2, gates), training)).paths]
    ['x -> hidden.0 -> y', 'x -> hidden.1 -> y']
    """
    return GraphFlow(problem.graph, problem.training.loss)


def moments_of(problem: Problem, flow: GraphFlow) -> PathMoments:
    """Sigma^yx(a) and Sigma^xx(a, b) of the problem's data in float64.

    Raises OutOfReachError where a path passes several different gates and the law is neither finite data nor a table,
    and where the law has no moments through a gate.

    >>> law = FiniteData([[1, 0], [0, 2]], [1, 3])
    >>> network = Network("gated-linear", "mean", 1, (AlwaysGate(),))
    >>> problem = Problem(law, network, Training("half-mse", 1, NormalInitialisation(1, 0), (1,)))
    >>> moments_of(problem, flow_of(problem)).output_input["y", 1].tolist()
    [[0.5, 3.0]]
    """
    return _moments(problem.data, flow)


@singledispatch
def _moments(law: Law, flow: GraphFlow) -> PathMoments:
    gates = single_gates(flow)
    network = Network("gated-linear", "sum", len(gates), gates)
    training = Training("half-mse", 1, NormalInitialisation(0, 0), (0,))
    found = gated_moments(Problem(law, network, training))
    sigma_yx = found.sigma_yx.reshape(len(gates), -1, law.n)
    return PathMoments(
        {(name, a): sigma_yx[a - 1, rows] for name, rows in flow.label_rows.items() for a in flow.numbers},
        {(a, b): found.sigma_xx[a - 1, b - 1] for a, b in flow.pairs},
    )


@_moments.register
def _(law: FiniteData, flow: GraphFlow) -> PathMoments:
    exact = np.array(law.x, dtype=object)
    gates = opened_gates(flow, exact, contexts_of(law))
    labels = np.array([[float(entry) for entry in law.label_vectors[c]] for c in law.category])
    probabilities = np.array([float(share) for share in law.example_probabilities])
    return empirical(flow, exact.astype(float), _by_output(flow, labels), gates, probabilities)


@_moments.register
def _(law: RowsLaw, flow: GraphFlow) -> PathMoments:
    rows = law.rows
    gates, y = opened_gates(flow, rows.x, rows.context), _by_output(flow, rows.y)
    patterns, found = _patterns(flow, gates, len(rows.x))
    if len(patterns) >= len(flow.openings) ** 2:  # else each example enters one n x n sum, not one for every pair
        return empirical(flow, rows.x, y, gates, rows.probabilities)
    parts = [found == index for index in range(len(patterns))]
    second = [(rows.x[part] * rows.probabilities[part, None]).T @ rows.x[part] for part in parts]
    first = {
        name: [(labels[part] * rows.probabilities[part, None]).T @ rows.x[part] for part in parts]
        for name, labels in y.items()
    }
    return PathMoments(
        {(name, a): _sum(patterns[:, a - 1], sums) for name, sums in first.items() for a in flow.numbers},
        {(a, b): _sum(patterns[:, a - 1] * patterns[:, b - 1], second) for a, b in flow.pairs},
    )


def _patterns(
    flow: GraphFlow, gates: dict[int, Float[np.ndarray, " N"]], examples: int
) -> tuple[Float[np.ndarray, "G A"], Int[np.ndarray, " N"]]:
    """Return the different values of (g_1, ..., g_A) over the examples, and the index of the value of each example."""
    patterns, found = np.unique(gate_columns(flow, gates, examples), axis=0, return_inverse=True)
    return patterns, found.ravel()


def _sum(factors: Float[np.ndarray, " G"], sums: list[np.ndarray]) -> np.ndarray:
    """Return the sum over the patterns of a product of gates times the sum over the pattern's examples."""
    total = np.zeros_like(sums[0])
    for factor, part in zip(factors.tolist(), sums, strict=True):
        if factor:
            total += factor * part
    return total


def opened_gates(
    flow: GraphFlow, x: Shaped[np.ndarray, "N n"], context: Contexts
) -> dict[int, Float[np.ndarray, " N"]]:
    """Return g_a of every example, by the number a of a product of gates, without the product of no gates.

    >>> from theory.problem import SiteGate, one_hidden_layer
    >>> gates = SiteGate(0, lo=0, on="input"), AlwaysGate()
    >>> flow = GraphFlow(one_hidden_layer(Network("gated-linear", "mean", 2, gates), 1), "half-mse")
    >>> opened_gates(flow, np.array([[1.0], [-1.0]]), None)
    {1: array([1., 0.])}
    """
    return {
        a: np.prod([open_on(gate, x, "a gate of the graph", context) for gate in product], axis=0).astype(float)
        for a, product in enumerate(flow.openings, start=1)
        if product
    }


def gate_columns(
    flow: GraphFlow, gates: Mapping[int, Float[np.ndarray, " N"]], examples: int
) -> Float[np.ndarray, "N A"]:
    """Return g_a of every example, a column for each number a; `gates` may leave out the product of no gates, 1.

    >>> from theory.problem import one_hidden_layer
    >>> flow = GraphFlow(one_hidden_layer(Network("gated-linear", "mean", 1, (AlwaysGate(),)), 1), "half-mse")
    >>> gate_columns(flow, {}, 2).tolist()
    [[1.0], [1.0]]
    """
    return np.stack([gates.get(a, np.ones(examples)) for a in flow.numbers], axis=1)


def _by_output(flow: GraphFlow, labels: Float[np.ndarray, "N m"]) -> dict[str, Float[np.ndarray, "N d"]]:
    """The labels of each output node."""
    return {name: labels[:, rows] for name, rows in flow.label_rows.items()}


def single_gates(flow: GraphFlow) -> tuple[Gate, ...]:
    """The products of gates of a graph's paths as one gate each.

    Raises OutOfReachError where a path passes several different gates.

    >>> from theory.problem import one_hidden_layer
    >>> network = Network("gated-linear", "mean", 2, (AlwaysGate(), AlwaysGate()))
    >>> single_gates(GraphFlow(one_hidden_layer(network, 3), "half-mse"))
    (AlwaysGate(),)
    """
    return tuple(_single(product) for product in flow.openings)


def _single(product: tuple[Gate, ...]) -> Gate:
    """Return the single gate that equals a product of gates: a hard gate times itself is itself."""
    different = tuple(dict.fromkeys(product))
    soft = any(getattr(gate, "sharpness", np.inf) != np.inf for gate in product)
    if len(different) > 1 or (soft and len(product) > 1):
        raise OutOfReachError(
            "A path passes several gates, and the law has no exact moments through their product.",
            'Use one gate along each path, or examples (data.law = "finite" or "table").',
        )
    return different[0] if different else AlwaysGate()
