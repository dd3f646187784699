r"""Layered networks from a symmetric start: the problems whose modes have an exact solution, and that solution.

Every path passes one weight of each of N layers. In one basis V of the inputs, and one at each other node, all moments
and the weights at the start are diagonal (the race, `theory.flow.graph.reductions.race`). Where the weights of a layer
start with equal strengths, and each sees the same sums over the paths through it,

    sum_p s_p S(a_p)   and   sum_p s_p sum_j s_j D(a_j, a_p),   p through the weight, j to the same output,

they stay equal. Each mode then has N strengths, and one quadrature (`symmetric`). Examples are routing networks, whose
layers have M, 1 and M weights, pathways that share a layer, and aligned deep linear networks that are not balanced.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import pairwise
from math import lcm
from operator import add
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Bool, Float, Int

from theory.flow.graph.alignment import Alignment
from theory.flow.graph.conditions import Condition
from theory.flow.graph.data import flow_of
from theory.flow.graph.diagonal import pairs_met, shared_vectors
from theory.flow.graph.gradient_flow import FACTORS, GraphFlow
from theory.flow.graph.integrate import GraphSolution, split
from theory.flow.graph.known import EPSILON, Known, Moment, relative_off
from theory.flow.graph.moments import loss_from
from theory.flow.graph.paths import Path
from theory.flow.graph.reduction import NotReduced
from theory.flow.graph.reductions.race import Race, race
from theory.flow.graph.solutions.resolved import resolved
from theory.flow.graph.solutions.symmetric import SymmetricMode
from theory.moments.feature_moments import squared_labels
from theory.problem import OutOfReachError, Problem

# Products and norms of the initial weights: sums of as many products as the widest node has units.
_ROUNDINGS = 64
_NAMED = 2  # conditions that a refusal names

Layers = tuple[tuple[str, ...], ...]  # the names of the weights of each layer, the first at the inputs


@dataclass(frozen=True, repr=False)
class LayeredSolution(GraphSolution):
    """The exact weights and losses at the times and at infinity, and the conditions that hold.

    layers: the names of the weights of each layer. modes: those that move, each with its numbers. start, limit: the
    strength of each layer in each of these modes, at t = 0 and at infinity; limit_weights and limit_loss likewise.
    """

    conditions: tuple[Condition, ...]
    layers: Layers
    modes: tuple[SymmetricMode, ...]
    start: Float[np.ndarray, "modes N"]
    limit: Float[np.ndarray, "modes N"]
    limit_weights: dict[str, Float[np.ndarray, "rows columns"]]
    limit_loss: float
    family: ClassVar[str] = "layered"

    @property
    def conserved(self) -> Float[np.ndarray, "modes pairs"]:
        """M_{l+1} b_{l+1}^2 - M_l b_l^2 of successive layers, which the flow keeps in each mode."""
        found = [mode.conserved(start) for mode, start in zip(self.modes, self.start, strict=True)]
        return np.array(found).reshape(len(self.modes), len(self.layers) - 1)


def solution(problem: Problem, times: Sequence[float] | None = None) -> LayeredSolution:
    """The exact flow of a layered network from a symmetric start, at the times of the problem or at `times`.

    Raises OutOfReachError where the paths do not pass one weight of each layer, where a condition fails (the message
    names it and says by how much), and where the moments are out of reach.

    Two contexts share the encoder A; each decoder alone sees half of the examples:

    >>> from theory.problem import ContextGate, Edge, FiniteData, GatedGraph, InitialByName, Node, Training
    >>> law = FiniteData([[1], [-1], [1], [-1]], [2, -2, 2, -2], context=[0, 0, 1, 1])
    >>> nodes = Node("x", 1), Node("h", 1), Node("y", 1)
    >>> decoders = (Edge("h", "y", name, ContextGate([context])) for context, name in enumerate("BC"))
    >>> start = InitialByName((("A", ((0.1,),)), ("B", ((0.3,),)), ("C", ((0.3,),))))
    >>> network = GatedGraph(nodes, (Edge("x", "h", "A"), *decoders), ("x",), ("y",))
    >>> found = solution(Problem(law, network, Training("half-mse", 1, start, (0, 30))))
    >>> found.layers, (found.weights["A"] * found.weights["C"])[-1].round(9).tolist()
    ((('A',), ('B', 'C')), [[2.0]])
    >>> found.conserved.round(12).tolist(), (2 * found.limit[:, 1] ** 2 - found.limit[:, 0] ** 2).round(12).tolist()
    ([[0.17]], [0.17])
    """
    flow = flow_of(problem)
    layers, start = _layers(flow), split(problem, flow)
    _require(_seen_in_the_weights(flow, layers, start))
    # A failure beyond the rounding of float64 is certain, and exact products of many moments take up to a minute.
    _require(shared_vectors(Known(problem, flow, exactly=False)))
    known = Known(problem, flow)
    reduced = race(problem, flow, known)
    if isinstance(reduced, NotReduced):
        raise _refusal(reduced.conditions)
    aligned = reduced.align(start)
    unseen = {name: start[name] - seen for name, seen in reduced.lift(aligned.strengths, aligned.bases).items()}
    moving = _moving(layers, aligned)
    conditions = (
        *reduced.conditions,
        _aligned(reduced, aligned, start, unseen),
        *_equal_strengths(layers, aligned),
        *_equal_sums(reduced, known, layers, moving, aligned.rounding),
    )
    _require(conditions)
    # Of a start that is not aligned more than rounding is left, and float64 is not the reason.
    conditions += (_resolved(reduced, aligned, unseen, moving),)
    _require(conditions)
    asked = tuple(float(time) for time in (problem.training.times if times is None else times))
    modes, kept = _modes(problem, reduced, layers, moving, aligned.rounding)
    begin = np.array([[aligned.strengths[names[0]][mode] for names in layers] for mode in kept])
    begin = begin.reshape(len(kept), len(layers))
    at = np.array(asked)
    courses = [mode.strengths(own, at) for mode, own in zip(modes, begin, strict=True)]
    ends = [mode.limit(own) for mode, own in zip(modes, begin, strict=True)]

    def weights(found: Sequence[Float[np.ndarray, " N"]]) -> dict[str, np.ndarray]:
        """The weights with these strengths of the layers in the moving modes."""
        strengths = {name: values.copy() for name, values in aligned.strengths.items()}
        for mode, own in zip(kept, found, strict=True):
            for names, strength in zip(layers, own, strict=True):
                for name in names:
                    strengths[name][mode] = strength
        return {name: seen + unseen[name] for name, seen in reduced.lift(strengths, aligned.bases).items()}

    def loss(own: Mapping[str, np.ndarray]) -> float:
        return float(loss_from(flow, own, known.moments, float(squared_labels(problem.data))))

    along = [weights([course[index] for course in courses]) for index in range(len(asked))]
    end = weights(ends)
    return LayeredSolution(
        flow,
        asked,
        {name: np.stack([own[name] for own in along]) for name in flow.weights},
        np.array([loss(own) for own in along]),
        conditions,
        layers,
        modes,
        begin,
        np.array(ends).reshape(begin.shape),
        end,
        loss(end),
    )


def _layers(flow: GraphFlow) -> Layers:
    """The weights by their place along the paths. Raises OutOfReachError where they have no layers."""
    along = [[edge.weight for edge in path.edges if edge.weight is not None] for path in flow.paths]
    depths = sorted({len(names) for names in along})
    if len(depths) > 1 or depths == [0]:
        raise _no_layers(f"paths pass {' and '.join(map(str, depths))} weights")
    layers = tuple(tuple(dict.fromkeys(names)) for names in zip(*along, strict=True))
    for index, names in enumerate(layers):
        for other in range(index):
            shared = [name for name in names if name in layers[other]]
            if shared:
                raise _no_layers(f"the weight {shared[0]} stands in the layers {other + 1} and {index + 1}")
    return layers


def _no_layers(why: str) -> OutOfReachError:
    return OutOfReachError(f"The paths do not pass one weight of each layer: {why}.", "Its flow is integrated.")


def _several(layers: Layers) -> Layers:
    """The layers with more than one weight."""
    return tuple(names for names in layers if len(names) > 1)


def _require(conditions: Sequence[Condition]) -> None:
    failed = [condition for condition in conditions if not condition.holds]
    if failed:
        raise _refusal(failed)


def _refusal(failed: Sequence[Condition]) -> OutOfReachError:
    reasons = "; ".join(f"{condition.says} (fails by {condition.off})" for condition in failed[:_NAMED])
    more = f"; {len(failed) - _NAMED} more conditions fail" if len(failed) > _NAMED else ""
    return OutOfReachError(
        f"The layered network has no exact solution here: it needs that {reasons}{more}.",
        "Start it from weights that are aligned and equal in each layer, or integrate its flow.",
    )


def _seen_in_the_weights(flow: GraphFlow, layers: Layers, start: Mapping[str, np.ndarray]) -> tuple[Condition, ...]:
    """The conditions on a symmetric start that the weights alone decide, before the moments, which may be large."""
    found = []
    for names in _several(layers):
        norms = [float(np.linalg.norm(start[name])) for name in names]
        off = max(norms) - min(norms)
        allowed = _ROUNDINGS * max(start[names[0]].shape) * EPSILON * max(norms)
        found.append(_close(f"the norms of {_listed(names)} are equal at the start", off, max(norms), allowed))
    joints = {
        pair: None
        for path in flow.paths
        for pair in pairwise(edge.weight for edge in path.edges if edge.weight is not None)
    }
    for before, after in joints:
        left, right = start[after].T @ start[after], start[before] @ start[before].T
        off = float(np.linalg.norm(left @ right - right @ left))
        norm = float(np.linalg.norm(left) * np.linalg.norm(right))
        allowed = _ROUNDINGS * len(left) * EPSILON * norm
        says = f"$W^{{\\top}} W$ of `{after}` and $W W^{{\\top}}$ of `{before}` commute at the start"
        found.append(_close(says, off, norm, allowed))
    return tuple(found)


def _moving(layers: Layers, aligned: Alignment) -> Bool[np.ndarray, " n"]:
    """Whether each mode can leave its start: its strength is 0 in at most one layer."""
    strengths = np.array([aligned.strengths[names[0]] for names in layers])
    largest = abs(strengths).max(initial=0.0)
    return (abs(strengths) <= aligned.rounding * largest).sum(axis=0) <= 1


def _aligned(
    reduced: Race, aligned: Alignment, start: Mapping[str, np.ndarray], unseen: Mapping[str, np.ndarray]
) -> Condition:
    """The condition on the start. A part of a weight that no mode reaches is allowed: it acts on no mode and stays."""
    bases, off = aligned.bases, 0.0
    for basis in bases.values():
        off = max(off, float(abs(basis.T @ basis - np.diag(basis.any(axis=0))).max()))
    for edge in reduced.flow.graph.edges:
        if edge.weight is not None and start[edge.weight].any():
            rest = unseen[edge.weight] / np.linalg.norm(start[edge.weight])
            off = max(
                off, *(float(np.linalg.norm(R)) for R in (bases[edge.target].T @ rest, rest @ bases[edge.source]))
            )
    says = "the initial weights are aligned, $W = R_t B R_s^{\\top}$, but for parts that no mode reaches"
    return _close(says, off, 1.0, aligned.rounding)


def _resolved(
    reduced: Race, aligned: Alignment, unseen: Mapping[str, np.ndarray], moving: Bool[np.ndarray, " n"]
) -> Condition:
    strengths = abs(np.array(list(aligned.strengths.values()))).max(axis=0)[moving]
    bases = {name: basis[:, moving] for name, basis in aligned.bases.items()}
    edges = [edge for edge in reduced.flow.graph.edges if edge.weight is not None]
    return resolved(strengths, [(unseen[edge.weight], bases[edge.source], bases[edge.target]) for edge in edges])


def _equal_strengths(layers: Layers, aligned: Alignment) -> tuple[Condition, ...]:
    """The weights of each layer start with the same strength in each mode."""
    found = []
    for names in _several(layers):
        strengths = np.array([aligned.strengths[name] for name in names])
        largest = float(abs(strengths).max(initial=0.0))
        off = float(np.ptp(strengths, axis=0).max(initial=0.0))
        says = f"{_listed(names)} start with equal strengths in each mode"
        found.append(_close(says, off, largest, 2 * aligned.rounding * largest))
    return tuple(found)


def _equal_sums(
    reduced: Race, known: Known, layers: Layers, moving: Bool[np.ndarray, " n"], rounding: float
) -> tuple[Condition, ...]:
    """The paths through each weight of a layer have the same sums of moments: exactly, or else in the moving modes."""
    flow, modes = reduced.flow, reduced.modes
    first = {key: known.output_input(*key) for key in flow.errors}
    second = {pair: known.input_input(*pair) for pair in pairs_met(flow)}
    exact = known.exact and len(flow.graph.outputs) == 1
    found = []
    for names in _several(layers):
        through = [[flow.paths[place.path] for place in flow.places(name)] for name in names]
        units = [_sums(flow, paths, _units(first), _units(second), lambda s: abs(float(s))) for paths in through]
        largest = np.max(units, axis=0)
        diagonals = [np.array(_sums(flow, paths, modes.S, modes.D, float))[:, moving] for paths in through]
        whole = (
            [_sums(flow, paths, _whole(first), _whole(second), _cleared(flow)) for paths in through] if exact else []
        )
        for index, kind in enumerate(("Syx", "Sxx")):
            says = f"the paths through each of {_listed(names)} have the same sums of `{kind}`"
            if exact and all(own[index] == whole[0][index] for own in whole):
                found.append(Condition(says, True, "0", True))
                continue
            rows = np.array([own[index] for own in diagonals])
            off = float(np.ptp(rows, axis=0).max(initial=0.0))
            allowed = 2 * len(flow.paths) * (rounding + modes.residual) * float(largest[index])
            size = float(abs(rows).max(initial=0.0))
            found.append(_close(f"{says} in each mode that moves", off, size, allowed))
    return tuple(found)


def _sums(flow: GraphFlow, paths: Sequence[Path], first: Mapping, second: Mapping, number: Callable) -> tuple[Any, Any]:
    """Return sum_p s_p S(a_p) and sum_p s_p sum_j s_j D(a_j, a_p) over some paths p, in arrays or exact matrices."""
    beside = {
        (o, a): reduce(add, [second[min(a, j.opening), max(a, j.opening)] * number(j.scale) for j in flow.ending(o)])
        for o, a in {(path.target, path.opening) for path in paths}
    }
    ends = [((path.target, path.opening), number(path.scale)) for path in paths]
    return reduce(add, [first[key] * s for key, s in ends]), reduce(add, [beside[key] * s for key, s in ends])


def _cleared(flow: GraphFlow) -> Callable[[Fraction], int]:
    """Scales as whole numbers: all times their common denominator."""
    common = lcm(*(path.scale.denominator for path in flow.paths))
    return lambda scale: int(scale * common)


def _units(moments: Mapping[Any, Moment]) -> dict[Any, float]:
    return {key: moment.unit for key, moment in moments.items()}


def _whole(moments: Mapping[Any, Moment]) -> dict[Any, Any]:
    return {key: moment.whole for key, moment in moments.items()}


def _modes(
    problem: Problem, reduced: Race, layers: Layers, moving: Bool[np.ndarray, " n"], rounding: float
) -> tuple[tuple[SymmetricMode, ...], Int[np.ndarray, " modes"]]:
    """The modes that move, with their place among all; a mode of an input that never occurs does not."""
    flow = reduced.flow
    s, d = _sums(flow, flow.paths, reduced.modes.S, reduced.modes.D, float)
    kept = np.flatnonzero(moving & (d > rounding * d.max(initial=0.0)))
    speed = float(2 * FACTORS[flow.loss]) / float(problem.training.tau)
    counts = tuple(len(names) for names in layers)
    return tuple(SymmetricMode(counts, float(s[mode]), float(d[mode]), speed) for mode in kept), kept


def _close(says: str, off: float, size: float, allowed: float) -> Condition:
    found = relative_off(off, size, allowed, "the largest")
    return Condition(says, found.zero, str(found) if off else "0", exact=False)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
