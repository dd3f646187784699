r"""Deep linear networks: the problems whose gradient flow has an exact solution, and that solution.

The network is a chain of N >= 2 trained layers without gates, yhat = k W_N ... W_1 x. Two families are solved:

* balanced and aligned, any N: W_{l+1}' W_{l+1} = W_l W_l' at the start, and one basis V of the inputs in which
  Sigma^xx, Sigma^yx' Sigma^yx, W_1' W_1 and (W_N ... W_1)' Sigma^yx are diagonal. Each mode then follows
  tau da/dt = c k N a^{2 - 2/N} (s - k d a), with d and s the entries of Sigma^xx and Sigma^yx (`balanced`);
* two layers, white and lambda-balanced: W_2' W_2 - W_1 W_1' = lambda 1 and Sigma^xx = d times a projection. The
  products are those of the Riccati flow (`two_layers`).

c = 2 for the loss "mse", 1 for "half-mse"; k is the product of the scales of the nodes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import polar

from theory.flow.graph.conditions import Condition
from theory.flow.graph.data import flow_of, moments_of
from theory.flow.graph.gradient_flow import FACTORS, GraphFlow
from theory.flow.graph.integrate import GraphSolution, integrate, split
from theory.flow.graph.moments import loss_from
from theory.flow.graph.paths import Path
from theory.flow.graph.solutions.balanced import layers
from theory.flow.graph.solutions.two_layers import two_layer_weights
from theory.moments.feature_moments import squared_labels
from theory.problem import OutOfReachError, Problem

# Sums of as many products as the widest layer has units, and the rounding of the numbers that they are of.
_ROUNDINGS = 64
# Coefficients of a sum whose eigenvectors are the common eigenvectors of its terms. Several orders are tried, because
# two eigenvalues of the sum may be close by chance in one order.
_GENERIC = (1.0, np.sqrt(2) / 2, np.sqrt(3) / 3, np.sqrt(5) / 5)

Layers = list[np.ndarray]  # W_1 first; (..., rows, columns) each


@dataclass(frozen=True, repr=False)
class DeepLinearSolution(GraphSolution):
    """The exact weights and losses at the times, the family that they belong to, and the conditions that hold.

    For the family "lambda-balanced", W_2 W_1, W_1' W_1 and W_2 W_2' have closed forms; the rotation of the hidden units
    is taken from the integrated flow.
    """

    family: str
    conditions: tuple[Condition, ...]


@dataclass(frozen=True)
class _Chain:
    """The layers of a chain at the start, the moments of its data, its factor k, and c/tau."""

    flow: GraphFlow
    start: Layers
    second: np.ndarray
    target: np.ndarray
    scale: float
    speed: float

    @property
    def allowed(self) -> float:
        """The allowed rounding error of a comparison, relative to the size of its terms."""
        return _ROUNDINGS * max(max(layer.shape) for layer in self.start) * float(np.finfo(float).eps)


def solution(problem: Problem, times: Sequence[float] | None = None) -> DeepLinearSolution:
    """The exact flow of a deep linear network at the problem's times, or at `times` (t, in the unit of tau).

    Raises OutOfReachError where the network is no chain of linear layers, and where a condition of both families fails:
    the message names it and says by how much.

    >>> from theory.problem import Edge, FiniteData, GatedGraph, InitialByName, Node, Training
    >>> law = FiniteData([[1, 1], [1, -1]], [[3, 0], [-1, 0]])  # white inputs; y = x_1 + 2 x_2 is the first output
    >>> nodes, edges = (Node("x", 2), Node("h", 1), Node("y", 2)), (Edge("x", "h", "A"), Edge("h", "y", "B"))
    >>> start = InitialByName((("A", ((0.1, 0),)), ("B", ((0,), (0.1,)))))
    >>> deep = Problem(law, GatedGraph(nodes, edges, ("x",), ("y",)), Training("half-mse", 1, start, (0, 20)))
    >>> found = solution(deep)
    >>> found.family, (found.weights["B"] @ found.weights["A"])[-1].round(6).tolist()
    ('lambda-balanced', [[1.0, 2.0], [0.0, 0.0]])
    """
    chain = _chain(problem)
    asked = tuple(float(time) for time in (problem.training.times if times is None else times))
    families = {"balanced": _balanced_conditions(chain), "lambda-balanced": _riccati_conditions(chain)}
    held = next((name for name, conditions in families.items() if all(c.holds for c in conditions)), None)
    if held is None:
        failed = dict.fromkeys(next(c for c in conditions if not c.holds) for conditions in families.values())
        reasons = "; ".join(f"{condition.says} (fails by {condition.off})" for condition in failed)
        raise OutOfReachError(
            f"The deep linear network has no exact solution here: {reasons}.",
            "Start it balanced (see the book's page on deep linear networks), or integrate its flow.",
        )
    if held == "balanced":
        exact = _balanced(chain, asked)
    else:
        exact = _riccati(chain, asked, _stacked(chain.flow, integrate(problem, asked).weights))
    weights = _by_name(chain, exact)
    moments, squared = moments_of(problem, chain.flow), float(squared_labels(problem.data))
    parts = ({name: array[index] for name, array in weights.items()} for index in range(len(asked)))
    losses = np.array([loss_from(chain.flow, part, moments, squared) for part in parts])
    return DeepLinearSolution(chain.flow, asked, weights, losses, held, families[held])


def _chain(problem: Problem) -> _Chain:
    """Raises OutOfReachError where the network is no chain of at least two trained layers without gates."""
    flow = flow_of(problem)
    paths = flow.paths
    used = [edge.weight for path in paths for edge in path.edges]
    depth = len(paths[0].edges)
    if any(path.gates for path in paths):
        raise _no_chain("it has gates")
    if sorted(map(str, used)) != sorted(flow.weights):
        raise _no_chain("not each edge has trained weights of its own")
    if depth == 1 or (len(paths) > 1 and not _side_by_side(paths)):
        raise _no_chain(f"it has {len(paths)} paths of different kinds" if depth > 1 else "it has one layer")
    moments = moments_of(problem, flow)
    return _Chain(
        flow,
        _stacked(flow, split(problem, flow)),
        moments.input_input[1, 1],
        moments.output_input[paths[0].target, 1],
        float(paths[0].scale),
        float(2 * FACTORS[flow.loss]) / float(problem.training.tau),
    )


def _stacked(flow: GraphFlow, weights: Mapping[str, np.ndarray]) -> Layers:
    """The weights layer by layer, the units of hidden nodes side by side in one layer."""
    first, *others = zip(*([edge.weight for edge in path.edges] for path in flow.paths), strict=True)
    stacked = [np.concatenate([weights[name] for name in first], axis=-2)]
    return stacked + [np.concatenate([weights[name] for name in names], axis=-1) for names in others]


def _by_name(chain: _Chain, stacked: Layers) -> dict[str, np.ndarray]:
    """The weights by name, in the order of the flow; the inverse of `_stacked`."""
    found = {}
    by_layer = zip(*([edge.weight for edge in path.edges] for path in chain.flow.paths), strict=True)
    for depth, (names, layer) in enumerate(zip(by_layer, stacked, strict=True)):
        axis = -2 if depth == 0 else -1
        ends = np.cumsum([chain.flow.shape(name)[axis] for name in names])[:-1]
        found |= dict(zip(names, np.split(layer, ends, axis=axis), strict=True))
    return {name: found[name] for name in chain.flow.weights}


def _side_by_side(paths: tuple[Path, ...]) -> bool:
    """Whether the paths are two layers through hidden nodes of their own, as the units of one hidden layer are."""
    return all(len(path.edges) == 2 for path in paths) and len({(p.source, p.target, p.scale) for p in paths}) == 1


def _no_chain(why: str) -> OutOfReachError:
    return OutOfReachError(f"The network is no chain of linear layers: {why}.", "Its flow is integrated.")


def _condition(says: str, apart: np.ndarray, size: float, allowed: float) -> Condition:
    """A condition that a matrix vanishes, by its largest entry relative to `size`."""
    off = float(abs(apart).max(initial=0.0)) / size if size else 0.0
    text = "0" if off == 0 else f"{off:.2g} of the size of its terms, where {allowed:.0e} is rounding"
    return Condition(says, off <= allowed, text, exact=False)


# --- balanced and aligned, any depth ---------------------------------------------------------------------------------


def _balanced_conditions(chain: _Chain) -> tuple[Condition, ...]:
    pairs = list(zip(chain.start[1:], chain.start[:-1], strict=True))
    apart = [(after.T @ after - before @ before.T).ravel() for after, before in pairs]
    size = max(float(np.linalg.norm(layer, 2)) ** 2 for layer in chain.start)
    basis, off = _input_modes(chain)
    images, strengths = _images(chain, basis)
    present = strengths > 0
    outputs = images[-1][:, present]
    learned = chain.target @ basis[:, present]
    aligned = learned - outputs * np.sum(outputs * learned, axis=0)
    scale = float(np.linalg.norm(chain.target, 2)) or 1.0
    return (
        _condition("$W_{l+1}^\\top W_{l+1} = W_l W_l^\\top$ at the start", np.concatenate(apart), size, chain.allowed),
        _condition(
            r"one basis of the inputs diagonalizes $\Sigma^{xx}$, $\Sigma^{yx}$ and the weights at the start",
            np.concatenate([off, aligned.ravel() / scale]),
            1.0,
            chain.allowed * len(chain.start),
        ),
    )


def _input_modes(chain: _Chain) -> tuple[np.ndarray, np.ndarray]:
    """Return the common eigenvectors of the four matrices of the inputs, and their relative off-diagonal parts.

    These parts exceed rounding if the matrices have no common eigenvectors.
    """
    product = chain.start[0]
    for layer in chain.start[1:]:
        product = layer @ product
    cross = product.T @ chain.target
    terms = [chain.second, chain.target.T @ chain.target, chain.start[0].T @ chain.start[0], cross]
    terms = [term / (float(np.linalg.norm(term, 2)) or 1.0) for term in terms]
    found = []
    for turn in range(len(terms)):
        total = sum(share * term for share, term in zip(np.roll(_GENERIC, turn), terms, strict=True))
        basis = np.linalg.eigh((total + total.T) / 2)[1]
        inside = np.stack([basis.T @ term @ basis for term in terms])
        found.append((basis, (inside * (1 - np.eye(len(basis)))).ravel()))
    return min(found, key=lambda each: abs(each[1]).max())


def _images(chain: _Chain, basis: np.ndarray) -> tuple[Layers, np.ndarray]:
    """The directions of every mode before the first layer, between layers and behind the last, and |W_1 v|.

    A mode with the image 0 under the first layer has the strength 0 and no further directions.
    """
    strengths = np.linalg.norm(chain.start[0] @ basis, axis=0)
    strengths = np.where(strengths <= chain.allowed * strengths.max(), 0.0, strengths)
    images = [basis]
    for layer in chain.start:
        images.append(layer @ images[-1] / np.where(strengths > 0, strengths, np.inf))
    return images, strengths


def _balanced(chain: _Chain, times: tuple[float, ...]) -> list[np.ndarray]:
    """Every layer at the times: W_l(0) with each mode multiplied by b(t)/b(0), b the N-th root of its product."""
    basis, _ = _input_modes(chain)
    images, strengths = _images(chain, basis)
    depth, asked = len(chain.start), np.array(times)
    factors = np.ones((len(times), len(strengths)))
    for mode in np.flatnonzero(strengths):
        d = float(basis[:, mode] @ chain.second @ basis[:, mode])
        if d <= chain.allowed * np.linalg.norm(chain.second, 2):
            continue  # an input that never occurs
        s = float(images[-1][:, mode] @ chain.target @ basis[:, mode])
        rate, start = chain.speed * chain.scale**2 * d, float(strengths[mode]) ** depth
        product = layers(rate * asked, s / (chain.scale * d), start, depth)
        factors[:, mode] = (product / start) ** (1 / depth)
    return [
        layer @ (layer_in * factors[:, None, :]) @ layer_in.T
        for layer, layer_in in zip(chain.start, images[:-1], strict=True)
    ]


# --- two layers, white inputs, lambda-balanced -----------------------------------------------------------------------


def _riccati_conditions(chain: _Chain) -> tuple[Condition, ...]:
    if len(chain.start) != 2:
        more = len(chain.start) - 2
        return (Condition("the network has two layers", False, f"{more} layer{'s' * (more > 1)}", exact=True),)
    values = np.linalg.eigvalsh(chain.second)
    apart = np.minimum(abs(values), abs(values - values[-1]))
    first, second = chain.start[0] @ _seen(chain), chain.start[1]
    difference = second.T @ second - first @ first.T
    unequal = difference - np.trace(difference) / len(difference) * np.eye(len(difference))
    size = float(np.linalg.norm(second, 2)) ** 2 + float(np.linalg.norm(first, 2)) ** 2
    return (
        _condition(
            r"white inputs, $\Sigma^{xx} = d\, \mathbb{1}$ along all inputs that occur",
            apart,
            values[-1],
            chain.allowed,
        ),
        _condition(r"$W_2^\top W_2 - W_1 W_1^\top = \lambda\, \mathbb{1}$ at the start", unequal, size, chain.allowed),
    )


def _seen(chain: _Chain) -> np.ndarray:
    """An orthonormal basis of the inputs that occur: (n, r)."""
    values, basis = np.linalg.eigh(chain.second)
    return basis[:, values > chain.allowed * values[-1]]


def _riccati(chain: _Chain, times: tuple[float, ...], integrated: Layers) -> Layers:
    """W_1(t) and W_2(t): the closed form of the products, rotated to the hidden units of the integrated flow."""
    seen = _seen(chain)
    d = float(np.linalg.eigvalsh(chain.second)[-1])
    rate = chain.speed * chain.scale**2 * d
    start, unseen = chain.start[0] @ seen, chain.start[0] @ (np.eye(len(seen)) - seen @ seen.T)
    target = chain.target @ seen / (chain.scale * d)
    first, second = two_layer_weights(rate * np.array(times), target, start, chain.start[1])
    for index in range(len(times)):
        overlap = first[index] @ (integrated[0][index] @ seen).T + second[index].T @ integrated[1][index]
        rotation = polar(overlap)[0]
        first[index], second[index] = rotation.T @ first[index], second[index] @ rotation
    return [first @ seen.T + unseen, second]
