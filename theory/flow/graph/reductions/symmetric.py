"""Symmetry: weights that start equal stay equal if equal weights have equal velocities.

The coarsest such pattern of equal weights is found by refinement. Weights of one shape start in one class. Classes are
split by the velocities that their weights have when the weights of each class are equal, until no class splits. Only
two properties of the moments matter: which are equal, and which are 0.
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
from theory.flow.graph.known import Known, Moment, exact_off, relative_off
from theory.flow.graph.paths import Path
from theory.flow.graph.reduction import Formula, NotReduced, Part, Reduction
from theory.problem import Problem
from theory.problem.graph import Edge
from theory.proof.derivation import Derivation, Step
from theory.proof.rules import matrices  # noqa: F401 - it registers the rules that the derivation names

Classes = dict[str, str]  # from a weight to the first of its class
Key = tuple[object, ...]  # ("yx", output, a) or ("xx", a, b)
Same = Callable[[Key], Key | None]  # the first of the moments that are equal to one; None where it is 0


def reduce(problem: Problem, flow: GraphFlow, known: Known) -> Reduction | NotReduced:
    """Return the classes of weights that stay equal, the equal moments and the equal start that this requires."""
    moments = moments_by_key(flow, known)
    first = representatives(moments)
    classes = coarsest(flow, first.__getitem__)
    together = _classes(classes)
    if not together:
        return _missed(flow, coarsest(flow, _kind), moments)
    start = split(problem, flow)
    conditions = tuple(_equality(moments, key, other) for key, other in first.items() if key != other)
    formulas = tuple(Formula(" = ".join(names), " = ".join(map(symbol, names))) for names in together)
    return Reduction(
        "weights that take the same place in the graph stay equal where they begin equal",
        conditions or (Condition("these weights lie behind the same products of gates", True, "0", True),),
        (Part("equal for ever, from an equal start", formulas),),
        tuple(_derive(flow, classes, first, names[0], name) for names in together for name in names[1:]),
        tuple(_equal_start(start, names) for names in together),
    )


def coarsest(flow: GraphFlow, same: Same) -> Classes:
    """The coarsest classes of weights that stay equal, by which moments are the same.

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
    """Return a product of weights with each weight replaced by its class, an edge without weights by its shape."""
    sizes = [(flow.graph.node(edge.target).dimension, flow.graph.node(edge.source).dimension) for edge in edges]
    letters = [classes.get(edge.weight, edge.weight) or size for edge, size in zip(edges, sizes, strict=True)]
    return tuple(letter for letter in letters if isinstance(letter, str) or letter[0] != letter[1])


def _error(flow: GraphFlow, classes: Classes, same: Same, output: str, a: int) -> object:
    """Return E(a) where the weights of each class are equal; None where it is 0."""
    terms: Counter = Counter()
    for path in flow.ending(output):
        moment = same(("xx", *sorted((path.opening, a))))
        if moment is not None:
            terms[_word(flow, classes, path.edges), moment] += path.scale
    first = same(("yx", output, a))
    return (first, frozenset(terms.items())) if first is not None or terms else None


def _velocity(flow: GraphFlow, classes: Classes, errors: Mapping, weight: str) -> object:
    """Return tau dW/dt where the weights of each class are equal."""
    terms: Counter = Counter()
    for place in flow.places(weight):
        path: Path = flow.paths[place.path]
        around = (path.edges[: place.index], path.edges[place.index + 1 :])
        before, after = (_word(flow, classes, edges) for edges in around)
        error = errors[path.target, path.opening]
        if error is not None:
            terms[after, error, before] += path.scale
    return frozenset(terms.items())


def _classes(classes: Classes) -> list[list[str]]:
    """The classes with more than one weight."""
    listed = ([name for name in classes if classes[name] == first] for first in dict.fromkeys(classes.values()))
    return [names for names in listed if len(names) > 1]


def representatives(moments: Mapping[Key, Moment]) -> dict[Key, Key | None]:
    """For each moment the first that is equal to it; None for a moment that is 0."""
    return {
        key: None
        if _equality(moments, key, None).holds
        else next(other for other in moments if _equality(moments, key, other).holds)
        for key in moments
    }


def moments_by_key(flow: GraphFlow, known: Known) -> dict[Key, Moment]:
    """All moments of the paths of a flow."""
    numbers = flow.numbers
    found: dict[Key, Moment] = {("yx", o, a): known.output_input(o, a) for o in flow.graph.outputs for a in numbers}
    return found | {("xx", a, b): known.input_input(a, b) for a in numbers for b in numbers if a <= b}


def _equality(moments: Mapping[Key, Moment], key: Key, other: Key | None) -> Condition:
    """Whether a moment is equal to another one of its kind, or for None to 0."""
    one, two = moments[key], None if other is None else moments[other]
    if two is not None and (key[0] != other[0] or one.array.shape != two.array.shape):
        return Condition(f"`{two.name} = {one.name}`", False, "their shapes", True)
    norm = "its norm" if two is None else "their norm"
    if one.whole is not None:
        difference = one.whole if two is None else one.whole - two.whole
        off = exact_off(difference, [one.whole if one.array.any() or two is None else two.whole], norm)
    else:
        difference = one.array if two is None else one.array - two.array
        largest = max(float(np.linalg.norm(each.array)) for each in (one, two) if each is not None)
        allowed = sum(each.rounding * each.unit for each in (one, two) if each is not None)
        off = relative_off(float(np.linalg.norm(difference)), largest, allowed, norm)
    return Condition(f"`{'0' if two is None else two.name} = {one.name}`", off.zero, str(off), off.exact)


def _kind(key: Key) -> Key:
    """Return the kind of a moment: of one product of gates at an output, or of two products."""
    return key[:1] if key[0] == "yx" else ("xx", key[1] == key[2])


def _missed(flow: GraphFlow, by_place: Classes, moments: Mapping[Key, Moment]) -> NotReduced:
    """Return the reason why no weights stay equal: their places in the graph, or the moments of their paths, differ."""
    for names in _classes(by_place):
        for one, other in zip(flow.places(names[0]), flow.places(names[1]), strict=True):
            path, twin = flow.paths[one.path], flow.paths[other.path]
            a, b = path.opening, twin.opening
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


def _derive(flow: GraphFlow, classes: Classes, first: Mapping[Key, Key | None], one: str, other: str) -> Derivation:
    """Derive tau d(W - V)/dt = 0 where the weights of each class are equal."""
    shape = flow.shape(one)
    change = TAU * MatrixSymbol(f"d({other} - {one})/dt", *shape)
    difference = MatAdd(*_terms(flow, other, 1), *_terms(flow, one, -1), evaluate=False)
    equal = [
        (MatrixSymbol(name, *flow.shape(name)), MatrixSymbol(root, *flow.shape(root)))
        for name, root in classes.items()
        if name != root
    ]
    letters = _letters(flow)
    equal += [
        (letters[key], ZeroMatrix(*letters[key].shape) if root is None else letters[root])
        for key, root in first.items()
        if key != root
    ]
    pairs = tuple(sympy.Tuple(*pair) for pair in equal)
    numbers = flow.numbers
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


def _letters(flow: GraphFlow) -> dict[Key, MatrixSymbol]:
    numbers = flow.numbers
    outputs = flow.graph.outputs
    found: dict[Key, MatrixSymbol] = {("yx", o, a): flow.output_input(o, a) for o in outputs for a in numbers}
    return found | {("xx", a, b): flow.input_input(a, b) for a in numbers for b in numbers if a <= b}


def _terms(flow: GraphFlow, weight: str, sign: int) -> Iterator[sympy.Basic]:
    velocity = flow.velocity(weight)
    for term in velocity.args if isinstance(velocity, MatAdd) else (velocity,):
        yield term if sign == 1 else MatMul(sign, term, evaluate=False)
