"""Problems whose path moments share singular vectors, by construction: exact data in contexts, random gated graphs."""

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

import numpy as np
import sympy

from theory.problem import (
    ContextGate,
    Edge,
    FiniteData,
    GatedGraph,
    InputError,
    Node,
    NormalInitialisation,
    Problem,
    Training,
)

CONTEXTS = (0, 1, 2)


@dataclass(frozen=True)
class Shared:
    """A problem, and the orthogonal matrices and diagonals that it was made from."""

    problem: Problem
    V: np.ndarray
    U: dict[str, np.ndarray]


def orthogonal(rng, size):
    """A random orthogonal matrix of fractions: Cayley's (I - A)(I + A)^-1 of an antisymmetric A."""
    A = sympy.zeros(size)
    for i, j in product(range(size), repeat=2):
        if i < j:
            A[i, j] = sympy.Rational(int(rng.integers(-3, 4)), int(rng.integers(1, 4)))
            A[j, i] = -A[i, j]
    one = sympy.eye(size)
    return (one - A) * (one + A).inv()


def data(rng, V, U, whitened=False):
    """Examples +-V e_k in each context, sized by the mode, with y = sum of U_o M x, M a diagonal of the context.

    Gates of contexts pass whole contexts, so that all moments are sums of V diag V' and U diag V'.
    """
    n, rows, labels, contexts = V.shape[0], [], [], []
    for context in CONTEXTS:
        for mode in range(n):
            size = sympy.Integer(1) if whitened else sympy.Rational(int(rng.integers(1, 5)), 2)
            x = size * V[:, mode]
            y = []
            for basis in U.values():
                strength = sympy.Rational(int(rng.integers(-4, 5)), 2)
                y += (
                    list(strength * size * basis[:, mode])
                    if mode < basis.shape[1]
                    else [sympy.Integer(0)] * basis.shape[0]
                )
            for sign in (1, -1):
                rows.append([_fraction(sign * entry) for entry in x])
                labels.append([_fraction(sign * entry) for entry in y])
                contexts.append(context)
    return FiniteData(rows, labels, context=contexts)


def _fraction(number):
    return Fraction(int(number.p), int(number.q))


def graph(rng, n, outputs):
    """A random gated graph: up to two layers of hidden nodes, a path that is always open, sometimes shared weights."""
    layers = [["x"], *[[f"h{depth}{k}" for k in range(rng.integers(1, 3))] for depth in range(rng.integers(1, 3))]]
    size = {"x": n} | {name: int(rng.integers(2, 5)) for layer in layers[1:] for name in layer} | outputs
    edges = []
    for depth, layer in enumerate([*layers[1:], list(outputs)], start=1):
        for name in layer:
            earlier = [other for before in layers[1 : depth - 1] for other in before]
            for source in [*layers[depth - 1], *(other for other in earlier if rng.random() < 0.5)]:
                edges.append(Edge(source, name, f"W{len(edges)}", _gate(rng, 0.3)))
    if rng.random() < 0.5:
        edges.append(Edge("x", next(iter(outputs)), f"W{len(edges)}"))
    twins = [
        (i, j) for i, one in enumerate(edges) for j, two in enumerate(edges) if i < j and _may_share(one, two, size)
    ]
    if twins and rng.random() < 0.5:
        i, j = twins[int(rng.integers(len(twins)))]
        edges[j] = replace(edges[j], weight=edges[i].weight)
    gates = {name: _gate(rng, 0.6) for layer in layers[1:] for name in layer}
    nodes = [
        Node(name, dimension, (gates[name],) if gates.get(name) else (), scale=Fraction(1, int(rng.integers(1, 3))))
        if name != "x"
        else Node(name, dimension)
        for name, dimension in size.items()
    ]
    return GatedGraph(tuple(nodes), tuple(edges), ("x",), tuple(outputs))


def _may_share(one, two, size):
    """Two edges out of one node into hidden ones of one size, or from such into one node."""
    hidden = {name for name in size if name.startswith("h")}
    if one.source == two.source:
        return {one.target, two.target} <= hidden and size[one.target] == size[two.target]
    return one.target == two.target and {one.source, two.source} <= hidden and size[one.source] == size[two.source]


def _gate(rng, chance):
    if rng.random() >= chance:
        return None
    return ContextGate(sorted(rng.choice(CONTEXTS, size=int(rng.integers(1, 3)), replace=False).tolist()))


def shared(seed):
    """A problem of this kind; seeds whose gates close every path in a context are drawn again."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 4))
    outputs = {f"y{k}": int(rng.integers(1, 4)) for k in range(rng.integers(1, 3))}
    V = orthogonal(rng, n)
    U = {name: orthogonal(rng, size) for name, size in outputs.items()}
    law = data(rng, V, U, whitened=seed % 4 == 0)
    loss = ("half-mse", "mse")[seed % 2]
    training = Training(loss, 2, NormalInitialisation("1/2", seed), (0, 1, 4))
    while True:
        try:
            problem = Problem(law, graph(rng, n, outputs), training)
        except InputError:  # every path to the outputs is closed in some context
            continue
        return Shared(problem, _floats(V), {name: _floats(basis) for name, basis in U.items()})


def _floats(matrix):
    return np.array(matrix.tolist(), dtype=float)


def bent(problem, by=Fraction(1, 1000)):
    """The same problem with one number of one example moved a little."""
    law = problem.data
    rows = [list(row) for row in law.x]
    rows[0][0] += by
    return replace(problem, data=FiniteData(rows, law.y, context=law.context))
