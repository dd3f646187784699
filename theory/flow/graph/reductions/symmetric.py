"""Symmetry: weights that begin equal stay equal, where equal weights would have equal velocities.

The coarsest such pattern of equal weights is found by refinement. Weights of one shape begin in one class; classes are
split by the velocities that weights have when the weights of each class are equal, until nothing splits. Every pattern
that the flow preserves for these moments is as fine as the one that is left.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping

import numpy as np
import sympy
from sympy.matrices.expressions import MatAdd, MatMul, MatrixSymbol, ZeroMatrix

from theory.flow.graph.conditions import Condition
from theory.flow.graph.export import symbol
from theory.flow.graph.gradient_flow import TAU, GraphFlow
from theory.flow.graph.integrate import split
from theory.flow.graph.known import Known, Moment, Off, exact_off, relative_off
from theory.flow.graph.paths import Path
from theory.flow.graph.reduction import Formula, NotReduced, Part, Reduction
from theory.problem import Problem
from theory.problem.graph import Edge
from theory.proof.derivation import Derivation, Step
from theory.proof.rules import matrices  # noqa: F401 - it registers the rules that the derivation names

Classes = dict[str, str]  # from a weight to the first of its class
Same = Callable[[object], object]  # from a moment's number to the first of those that are equal to it


def reduce(problem: Problem, flow: GraphFlow, known: Known) -> Reduction | NotReduced:
    """The classes of weights that stay equal, the moments that this needs to be equal, and the start that it needs."""
    moments = _moments(flow, known)
    first = {key: next(other for other in moments if _equal(moments, key, other).zero) for key in moments}
    classes = coarsest(flow, lambda key: first[key])
    together = _classes(classes)
    if not together:
        by_place = coarsest(flow, lambda key: len(key) == 3 and key[1] == key[2])
        return _missed(flow, by_place, moments)
    start = split(problem, flow)
    used = [(key, other) for key, other in first.items() if key != other]
    conditions = tuple(_equality(moments, key, other) for key, other in used)
    formulas = tuple(Formula(" = ".join(names), " = ".join(map(symbol, names))) for names in together)
    return Reduction(
        "weights that take the same place in the graph stay equal where they begin equal",
        conditions or (Condition("these weights lie behind the same products of gates", True, "0", True),),
        (Part("equal for ever, from an equal start", formulas),),
        tuple(_derive(flow, classes, first, names[0], name) for names in together for name in names[1:]),
        tuple(_equal_start(start, names) for names in together),
    )


def coarsest(flow: GraphFlow, same: Same) -> Classes:
    """The coarsest classes of weights that stay equal.

    `same` gives equal values for equal moments; it is asked for ("yx", o, a) and ("xx", a, b).

    >>> from theory.problem import AlwaysGate, Network, one_hidden_layer
    >>> network = Network("gated-linear", "mean", 2, (AlwaysGate(), AlwaysGate()))
    >>> coarsest(GraphFlow(one_hidden_layer(network, 3), "half-mse"), lambda key: key)
    {'w.0': 'w.0', 'w.1': 'w.0'}
    """
    keys: Mapping[str, object] = {name: flow.shape(name) for name in flow.weights}
    while True:
        first: dict[object, str] = {}
        classes = {name: first.setdefault(keys[name], name) for name in flow.weights}
        errors = {key: _error(flow, classes, same, *key) for key in flow.errors}
        finer = {name: (classes[name], _velocity(flow, classes, errors, name)) for name in flow.weights}
        if len(set(finer.values())) == len(first):
            return classes
        keys = finer


def _word(flow: GraphFlow, classes: Classes, edges: tuple[Edge, ...]) -> tuple[object, ...]:
    """A product of weights in which each weight stands for its class; an edge without weights for its shape."""
    sizes = [(flow.graph.node(edge.target).dimension, flow.graph.node(edge.source).dimension) for edge in edges]
    letters = [classes.get(edge.weight, edge.weight) or size for edge, size in zip(edges, sizes, strict=True)]
    return tuple(letter for letter in letters if isinstance(letter, str) or letter[0] != letter[1])


def _error(flow: GraphFlow, classes: Classes, same: Same, output: str, a: int) -> object:
    """What E(a) is where the weights of each class are equal."""
    terms: Counter = Counter()
    for path in flow.ending(output):
        pair = sorted((flow.opening(path), a))
        terms[_word(flow, classes, path.edges), same(("xx", *pair))] += path.scale
    return same(("yx", output, a)), frozenset(terms.items())


def _velocity(flow: GraphFlow, classes: Classes, errors: Mapping, weight: str) -> object:
    """What tau dW/dt is where the weights of each class are equal."""
    terms: Counter = Counter()
    for place in flow.places(weight):
        path: Path = flow.paths[place.path]
        around = (path.edges[: place.index], path.edges[place.index + 1 :])
        before, after = (_word(flow, classes, edges) for edges in around)
        terms[after, errors[path.target, flow.opening(path)], before] += path.scale
    return frozenset(terms.items())


def _classes(classes: Classes) -> list[list[str]]:
    """The classes with more than one weight."""
    listed = ([name for name in classes if classes[name] == first] for first in dict.fromkeys(classes.values()))
    return [names for names in listed if len(names) > 1]


def _moments(flow: GraphFlow, known: Known) -> dict[tuple, Moment]:
    numbers = range(1, len(flow.openings) + 1)
    found: dict[tuple, Moment] = {("yx", o, a): known.output_input(o, a) for o in flow.graph.outputs for a in numbers}
    return found | {("xx", a, b): known.input_input(a, b) for a in numbers for b in numbers if a <= b}


def _equal(moments: Mapping[tuple, Moment], key: tuple, other: tuple) -> Off:
    """By how much two moments differ; of different shapes or kinds, by all."""
    one, two = moments[key], moments[other]
    if key[0] != other[0] or one.array.shape != two.array.shape:
        return Off(False, 1.0, "themselves", True)
    if one.whole is not None and two.whole is not None:
        return exact_off(one.whole - two.whole, [one.whole if one.array.any() else two.whole], "their norm")
    size, norm = float(np.linalg.norm(one.array - two.array)), float(np.linalg.norm(one.array))
    allowed = one.rounding * one.unit + two.rounding * two.unit
    return relative_off(size, norm or float(np.linalg.norm(two.array)), allowed, "their norm")


def _equality(moments: Mapping[tuple, Moment], key: tuple, other: tuple) -> Condition:
    off = _equal(moments, key, other)
    return Condition(f"`{moments[other].name} = {moments[key].name}`", off.zero, str(off), off.exact)


def _missed(flow: GraphFlow, by_place: Classes, moments: Mapping[tuple, Moment]) -> NotReduced:
    """The reason why no weights stay equal: their places in the graph differ, or the moments of their paths do."""
    for names in _classes(by_place):
        for one, other in zip(flow.places(names[0]), flow.places(names[1]), strict=True):
            path, twin = flow.paths[one.path], flow.paths[other.path]
            a, b = flow.opening(path), flow.opening(twin)
            for key, match in ((("yx", path.target, a), ("yx", twin.target, b)), (("xx", a, a), ("xx", b, b))):
                needed = _equality(moments, match, key)
                if not needed.holds:
                    return NotReduced((needed,))
    return NotReduced(why="no two weights of one shape take the same place in the graph")


def _equal_start(start: Mapping[str, np.ndarray], names: list[str]) -> Condition:
    size = max(float(np.linalg.norm(start[name] - start[names[0]])) for name in names)
    norm = max(float(np.linalg.norm(start[name])) for name in names)
    says = f"`{' = '.join(names)}` at the start"
    return Condition(says, size == 0, f"{size / norm:.2g} of the larger norm" if size else "0", False)


def _derive(flow: GraphFlow, classes: Classes, first: Mapping[tuple, tuple], one: str, other: str) -> Derivation:
    """tau d(W - V)/dt = 0 where the weights of each class are equal."""
    shape = flow.shape(one)
    change = TAU * MatrixSymbol(f"d({other} - {one})/dt", *shape)
    difference = MatAdd(*_terms(flow, other, 1), *_terms(flow, one, -1), evaluate=False)
    equal = [
        (MatrixSymbol(name, *flow.shape(name)), MatrixSymbol(root, *flow.shape(root)))
        for name, root in classes.items()
        if name != root
    ]
    letters = _letters(flow)
    equal += [(letters[key], letters[root]) for key, root in first.items() if key != root]
    pairs = tuple(sympy.Tuple(*pair) for pair in equal)
    numbers = range(1, len(flow.openings) + 1)
    symmetric = tuple(flow.input_input(a, b) for a in numbers for b in numbers if a <= b)
    proved = sympy.Eq(change, ZeroMatrix(*shape), evaluate=False)
    cites = (f"flow.graph.{other}", f"flow.graph.{one}")
    steps = (
        Step(sympy.Eq(change, difference, evaluate=False), "the flows of both weights", "definition", (), cites),
        Step(
            sympy.Eq(change, difference.xreplace(dict(equal)), evaluate=False),
            "equal weights and equal moments",
            "matrix-substitute",
            pairs,
        ),
        Step(proved, "the same products with opposite signs", "matrix-algebra", symmetric),
    )
    return Derivation(f"flow.graph.symmetric.{other}", proved, steps)


def _letters(flow: GraphFlow) -> dict[tuple, MatrixSymbol]:
    numbers = range(1, len(flow.openings) + 1)
    outputs = flow.graph.outputs
    found: dict[tuple, MatrixSymbol] = {("yx", o, a): flow.output_input(o, a) for o in outputs for a in numbers}
    return found | {("xx", a, b): flow.input_input(a, b) for a in numbers for b in numbers if a <= b}


def _terms(flow: GraphFlow, weight: str, sign: int) -> Iterator[sympy.Basic]:
    velocity = flow.velocity(weight)
    for term in velocity.args if isinstance(velocity, MatAdd) else (velocity,):
        yield term if sign == 1 else MatMul(sign, term, evaluate=False)
