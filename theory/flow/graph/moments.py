"""Path moments of data, and the gradient flow in numbers: the same sums over paths as the symbolic flow.

Sigma^yx(a) = <g_a y x'>,   Sigma^xx(a, b) = <g_a g_b x x'>,   a, b the different products of gates of the paths.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from theory.flow.graph.gradient_flow import FACTORS, GraphFlow
from theory.flow.graph.paths import Path
from theory.problem.graph import Edge


@dataclass(frozen=True)
class PathMoments:
    """Moments in the numbering of a `GraphFlow`, each an array of one namespace (NumPy, torch, ...).

    output_input: (d_o, n) by (output node, a); input_input: (n, n) by (a, b), for a <= b.
    """

    output_input: Mapping[tuple[str, int], Any]
    input_input: Mapping[tuple[int, int], Any]

    def beside(self, one: int, other: int) -> Any:
        """Sigma^xx(a, b), which is the same for (b, a)."""
        return self.input_input[min(one, other), max(one, other)]


def empirical(flow: GraphFlow, x: Any, y: Mapping[str, Any], gates: Mapping[int, Any], weights: Any) -> PathMoments:
    """The moments of N examples: x (N, n), y (N, d_o) by output node, g_a (N) by number, probabilities (N).

    `gates` may leave out the product of no gates, which is 1.

    >>> import numpy as np
    >>> from theory.problem import Network, one_hidden_layer, AlwaysGate
    >>> flow = GraphFlow(one_hidden_layer(Network("gated-linear", "mean", 1, (AlwaysGate(),)), 2), "half-mse")
    >>> x, half = np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([0.5, 0.5])
    >>> empirical(flow, x, {"y": np.array([[1.0], [3.0]])}, {}, half).output_input["y", 1].tolist()
    [[0.5, 3.0]]
    """
    shares = {a: weights * gates[a] if flow.openings[a - 1] else weights for a in flow.numbers}
    return PathMoments(
        {(name, a): (y[name] * shares[a][:, None]).T @ x for name in flow.graph.outputs for a in flow.numbers},
        {
            (a, b): (x * (shares[a] * gates[b] if flow.openings[b - 1] else shares[a])[:, None]).T @ x
            for a, b in flow.pairs
        },
    )


def velocities(flow: GraphFlow, weights: Mapping[str, Any], moments: PathMoments) -> dict[str, Any]:
    """tau dW/dt of every trained weight at the given weights, W as (..., target, source) matrices.

    Axes before the last two, of weights or of moments, stand for several networks or data sets at once. Edges
    without weights add up blocks of their source, as in `theory.problem.graph.Edge`.

    >>> import numpy as np
    >>> from theory.problem import Network, one_hidden_layer, AlwaysGate
    >>> flow = GraphFlow(one_hidden_layer(Network("gated-linear", "mean", 1, (AlwaysGate(),)), 1), "half-mse")
    >>> moments = PathMoments({("y", 1): np.array([[3.0]])}, {(1, 1): np.array([[2.0]])})
    >>> velocities(flow, {"w": np.array([[0.5]])}, moments)["w"].tolist()
    [[2.0]]
    """
    errors = _errors(flow, weights, moments)
    factor, found = float(2 * FACTORS[flow.loss]), {}
    for name in flow.weights:
        for place in flow.places(name):
            path = flow.paths[place.path]
            term = factor * float(path.scale) * errors[path.target, path.opening]
            term = _backward(flow, path, place.index, weights, term)
            found[name] = found[name] + term if name in found else term
    return found


def loss_from(flow: GraphFlow, weights: Mapping[str, Any], moments: PathMoments, label_moment: float) -> Any:
    """<|y - yhat|^2> = <|y|^2> - sum_p s_p tr((Sigma^yx(p) + E(p)) W_p'), E(p) the correlation of the error.

    >>> import numpy as np
    >>> from theory.problem import Network, one_hidden_layer, AlwaysGate
    >>> flow = GraphFlow(one_hidden_layer(Network("gated-linear", "mean", 1, (AlwaysGate(),)), 1), "half-mse")
    >>> moments = PathMoments({("y", 1): np.array([[3.0]])}, {(1, 1): np.array([[2.0]])})
    >>> float(loss_from(flow, {"w": np.array([[1.5]])}, moments, 5.0))  # the optimum, 5 - 3^2/2
    0.5
    """
    errors, total = _errors(flow, weights, moments), label_moment
    for path in flow.paths:
        key = path.target, path.opening
        both = moments.output_input[key] + errors[key]
        product = forward(flow, path.edges, weights, _transposed(both))
        total = total - float(path.scale) * sum(product[..., i, i] for i in range(product.shape[-1]))
    return total


def _errors(flow: GraphFlow, weights: Mapping[str, Any], moments: PathMoments) -> dict[tuple[str, int], Any]:
    """E(a) = Sigma^yx(a) - sum_j s_j W_j Sigma^xx(a_j, a) at each output node."""
    errors = {}
    for output, a in flow.errors:
        total = moments.output_input[output, a]
        for path in flow.ending(output):
            before = moments.beside(path.opening, a)
            total = total - float(path.scale) * forward(flow, path.edges, weights, before)
        errors[output, a] = total
    return errors


def forward(flow: GraphFlow, edges: tuple[Edge, ...], weights: Mapping[str, Any], array: Any) -> Any:
    """Return (product of the edges' weights) array."""
    for edge in edges:
        array = _blocks(flow, edge, array) if edge.weight is None else weights[edge.weight] @ array
    return array


def _backward(flow: GraphFlow, path: Path, index: int, weights: Mapping[str, Any], array: Any) -> Any:
    """(product after the place)' array (product before it)'."""
    for edge in reversed(path.edges[index + 1 :]):
        array = _spread(flow, edge, array) if edge.weight is None else _transposed(weights[edge.weight]) @ array
    return _transposed(forward(flow, path.edges[:index], weights, _transposed(array)))


def _blocks(flow: GraphFlow, edge: Edge, array: Any) -> Any:
    """(I ... I) array: the sum over blocks of the target's dimension."""
    rows = flow.graph.node(edge.target).dimension
    return sum(array[..., first : first + rows, :] for first in range(0, array.shape[-2], rows))


def _spread(flow: GraphFlow, edge: Edge, array: Any) -> Any:
    """(I ... I)' array: the array once for each block of the source."""
    rows, columns = flow.graph.node(edge.target).dimension, flow.graph.node(edge.source).dimension
    return array[..., [row % rows for row in range(columns)], :]


def _transposed(array: Any) -> Any:
    return array.swapaxes(-1, -2)
