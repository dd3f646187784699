r"""Deep linear networks: the problems whose gradient flow has an exact solution, and that solution.

The network is a chain of N >= 2 trained layers without gates, yhat = k W_N ... W_1 x. Two families are solved:

* balanced and aligned, any N: W_{l+1}' W_{l+1} = W_l W_l' at the start, and one basis V of the inputs in which
  Sigma^xx, Sigma^yx' Sigma^yx, W_1' W_1 and (W_N ... W_1)' Sigma^yx are diagonal. Each mode then follows
  tau da/dt = c k N a^{2 - 2/N} (s - k d a), with d and s the entries of Sigma^xx and Sigma^yx (`balanced`);
* two layers, white and lambda-balanced: W_2' W_2 - W_1 W_1' = lambda 1 and Sigma^xx = d times a projection. The
  products are those of the Riccati flow (`two_layers`).

c = 2 for the loss "mse", 1 for "half-mse"; k is the product of the scales of the nodes.

A start is balanced and aligned where it is so up to rounding, and the solution is that of the start without rounding.
The flow leaves it exponentially fast while a mode with a target waits at a weak start, or at 0, behind modes that are
learned: it can be learned through their hidden units as well. With N >= 3 layers the wait grows as the power N - 2 of
the ratio of the strengths. Rounding in a start, or in the steps of an integrator, then ends it earlier.
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
from theory.flow.graph.solutions.resolved import resolved
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
    modes = _modes(chain)
    families = {"balanced": _balanced_conditions(chain, modes), "lambda-balanced": _riccati_conditions(chain)}
    held = next((name for name, conditions in families.items() if all(c.holds for c in conditions)), None)
    if held is None:
        failed = dict.fromkeys(next(c for c in conditions if not c.holds) for conditions in families.values())
        reasons = "; ".join(f"{condition.says} (fails by {condition.off})" for condition in failed)
        raise OutOfReachError(
            f"The deep linear network has no exact solution here: {reasons}.",
            "Start it balanced (see the book's page on deep linear networks), or integrate its flow.",
        )
    if held == "balanced":
        exact = _balanced(chain, modes, asked)
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


@dataclass(frozen=True)
class _Modes:
    """The start as W_l = R_l diag(a) R_{l-1}' + F_l for the modes that start, the strongest first.

    frames: R_0, ..., R_N, one orthonormal column a mode. strengths: a, of every layer the mean. left: F_1, ..., F_N.
    off: what R_0 and the other directions of the inputs leave beside the diagonals of the matrices of the inputs.
    """

    frames: Layers
    strengths: np.ndarray
    left: Layers
    off: np.ndarray


def _balanced_conditions(chain: _Chain, modes: _Modes) -> tuple[Condition, ...]:
    pairs = list(zip(chain.start[1:], chain.start[:-1], strict=True))
    apart = [(after.T @ after - before @ before.T).ravel() for after, before in pairs]
    norms = [float(np.linalg.norm(layer, 2)) for layer in chain.start]
    left = [rest.ravel() / (norm or 1.0) for rest, norm in zip(modes.left, norms, strict=True)]
    inputs, outputs, strengths = modes.frames[0], modes.frames[-1], modes.strengths
    learned = chain.target @ inputs
    turned = np.linalg.norm(learned - outputs * np.sum(outputs * learned, axis=0), axis=0)
    target = float(np.linalg.norm(chain.target, 2)) or 1.0
    # An angle between Sigma^yx v and the column of R_N is rounding where a change of Sigma^yx or one of W_N by rounding
    # closes it; a column of R_N turns by (a change of W_N) / a.
    sizes = np.linalg.norm(learned, axis=0)
    closed = turned * np.minimum(1 / target, strengths / (np.where(sizes > 0, sizes, target) * (norms[-1] or 1.0)))
    allowed = chain.allowed * len(chain.start)
    return (
        _condition(
            "$W_{l+1}^\\top W_{l+1} = W_l W_l^\\top$ at the start",
            np.concatenate(apart),
            max(norms) ** 2,
            chain.allowed,
        ),
        _condition(
            r"one basis of the inputs diagonalizes $\Sigma^{xx}$, $\Sigma^{yx}$ and the weights at the start",
            np.concatenate([modes.off, closed]),
            1.0,
            allowed,
        ),
        _condition(
            r"$W_l = R_l\, \mathrm{diag}(a)\, R_{l-1}^\top$ at the start, with orthonormal columns in each $R_l$",
            np.concatenate(left),
            1.0,
            allowed,
        ),
        resolved(
            strengths,
            zip(modes.left, modes.frames[:-1], modes.frames[1:], strict=True),
            float(turned.max(initial=0.0)) / target,
        ),
    )


def _input_modes(chain: _Chain) -> tuple[np.ndarray, np.ndarray]:
    """Return the common eigenvectors of the four matrices of the inputs, and their relative off-diagonal parts.

    W_1' W_1 is measured in W_1 V, by how much each column leaves the complement of the stronger ones: in the matrix
    itself weak modes lie below the rounding of strong ones. The parts exceed rounding if there are no common
    eigenvectors.
    """
    first, product = chain.start[0], chain.start[0]
    for layer in chain.start[1:]:
        product = layer @ product
    cross = product.T @ chain.target
    terms = [chain.second, chain.target.T @ chain.target, cross, first.T @ first]
    terms = [term / (float(np.linalg.norm(term, 2)) or 1.0) for term in terms]
    found = []
    for turn in range(len(terms)):
        total = sum(share * term for share, term in zip(np.roll(_GENERIC, turn), terms, strict=True))
        plain = np.linalg.eigh((total + total.T) / 2)[1]
        for basis in (plain, _turned_to_weights(chain, plain, terms[:2])):
            image = first @ basis
            sizes = np.linalg.norm(image, axis=0)
            inside = np.stack([*(basis.T @ term @ basis for term in terms[:3]), image.T @ image])
            inside[3] /= np.maximum(np.maximum.outer(sizes, sizes) * sizes.max(), np.finfo(float).tiny)
            found.append((basis, (inside * (1 - np.eye(len(basis)))).ravel()))
    return min(found, key=lambda each: abs(each[1]).max())


def _turned_to_weights(chain: _Chain, basis: np.ndarray, data: Layers) -> np.ndarray:
    """The basis with directions that have equal moments turned to the right singular vectors of W_1 among them.

    The eigenvectors of W_1' W_1 are known less well than these, as it squares the ratios of the strengths.
    """
    moments = sum(share * np.diag(basis.T @ term @ basis) for share, term in zip(_GENERIC, data, strict=False))
    order = np.argsort(moments)
    equal = np.diff(moments[order]) <= chain.allowed / len(basis)
    groups = np.split(basis[:, order], np.flatnonzero(~equal) + 1, axis=1)
    return np.concatenate([group @ np.linalg.svd(chain.start[0] @ group)[2].T for group in groups], axis=1)


def _modes(chain: _Chain) -> _Modes:
    """The modes of the start, read off layer by layer.

    R_l is the orthogonal factor of W_l R_{l-1}, the strongest column first. It is orthogonal to rounding however weak a
    mode is, and rounding of W_l is left in F_l at its own size. Images that are only divided by their lengths grow the
    rounding by the ratio of the strengths in each layer.
    """
    basis, off = _input_modes(chain)
    image = chain.start[0] @ basis
    order = np.argsort(-np.linalg.norm(image, axis=0), kind="stable")
    sizes = abs(np.diag(np.linalg.qr(image[:, order], mode="r")))
    started = order[: len(sizes)][sizes > chain.allowed * sizes.max()]
    frames, strengths = [basis[:, started[: min(map(len, chain.start))]]], []
    for layer in chain.start:
        factor, triangle = np.linalg.qr(layer @ frames[-1])
        sizes = np.diag(triangle)
        frames.append(factor * np.where(sizes < 0, -1.0, 1.0))
        strengths.append(abs(sizes))
    mean = np.mean(strengths, axis=0)
    ends = zip(chain.start, frames[:-1], frames[1:], strict=True)
    return _Modes(frames, mean, [layer - (after * mean) @ before.T for layer, before, after in ends], off)


def _balanced(chain: _Chain, modes: _Modes, times: tuple[float, ...]) -> Layers:
    """Every layer at the times: R_l diag(b) R_{l-1}', b the N-th root of the product of a mode, and F_l as it was."""
    depth, asked = len(chain.start), np.array(times)
    strengths = np.tile(modes.strengths, (len(times), 1))
    for mode, (into, out) in enumerate(zip(modes.frames[0].T, modes.frames[-1].T, strict=True)):
        d = float(into @ chain.second @ into)
        if d <= chain.allowed * np.linalg.norm(chain.second, 2):
            continue  # an input that never occurs
        s = float(out @ chain.target @ into)
        rate, start = chain.speed * chain.scale**2 * d, float(modes.strengths[mode]) ** depth
        strengths[:, mode] = layers(rate * asked, s / (chain.scale * d), start, depth) ** (1 / depth)
    ends = zip(modes.left, modes.frames[:-1], modes.frames[1:], strict=True)
    return [(after * strengths[:, None, :]) @ before.T + rest for rest, before, after in ends]


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
