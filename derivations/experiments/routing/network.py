"""The routing network as a problem: pairs of domains are contexts, and gates open one encoder and one decoder."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import numpy as np
import torch
from jaxtyping import Float
from scipy.linalg import hadamard

from sim.data.sample import Draw, label_table
from sim.networks.examples import Examples, examples_of
from sim.training.run import Run
from theory.problem import (
    ContextGate,
    Edge,
    FiniteData,
    GatedGraph,
    NormalInitialisation,
    Problem,
    Simulation,
    Training,
)
from theory.problem.graph import Node
from theory.problem.parameters import Initial

Pairs = tuple[tuple[int, int], ...]  # (input domain, output domain)


def ring(domains: int) -> Pairs:
    """Each input with two outputs, its own and the next one: a connected graph.

    >>> ring(3)
    ((0, 0), (0, 1), (1, 1), (1, 2), (2, 2), (2, 0))
    """
    return tuple((i, (i + k) % domains) for i in range(domains) for k in range(2))


def blocks(domains: int) -> Pairs:
    """Each input with two outputs, in blocks of two domains by two: a graph of domains/2 parts.

    >>> blocks(4)
    ((0, 0), (0, 1), (1, 0), (1, 1), (2, 2), (2, 3), (3, 2), (3, 3))
    """
    return tuple((i, 2 * (i // 2) + k) for i in range(domains) for k in range(2))


def routing_problem(
    pairs: Pairs,
    domains: int,
    strengths: Sequence[Fraction],
    hidden: int,
    start: Initial,
    times: Sequence[Fraction],
    rate: Fraction,
    networks: int = 2,
) -> Problem:
    """The problem of M input and M output domains whose inputs and outputs have one number for each strength.

    In each trained pair the examples are the rows of a Hadamard matrix with the labels s x, so that <x x'> = I and
    <y x'> = diag(s); n must be a power of 2. Context i M + o is the pair of input i and output o; only trained pairs
    are drawn, each as often. Encoders are E0, E1, ..., the shared weights W, decoders D0, D1, ...

    >>> problem = routing_problem(ring(2), 2, [2], 3, NormalInitialisation(1, 0), [1], Fraction(1, 10))
    >>> [(parameter.name, parameter.shape) for parameter in problem.parameters]
    [('E0', (3, 1)), ('E1', (3, 1)), ('W', (3, 3)), ('D0', (1, 3)), ('D1', (1, 3))]
    """
    n = len(strengths)
    rows = [tuple(int(entry) for entry in row) for row in hadamard(n)]
    labels = [tuple(Fraction(s) * entry for s, entry in zip(strengths, row, strict=True)) for row in rows]
    examples = list(product(pairs, range(n)))
    law = FiniteData(
        tuple(rows[k] for _, k in examples),
        tuple(labels[k] if n > 1 else labels[k][0] for _, k in examples),
        context=tuple(i * domains + o for (i, o), _ in examples),
    )

    def gate(which: int, domain: int) -> ContextGate:
        return ContextGate(tuple(pair[0] * domains + pair[1] for pair in pairs if pair[which] == domain))

    every = range(domains)
    nodes = (
        Node("x", n),
        *(Node(f"in{i}", hidden, gates=(gate(0, i),)) for i in every),
        Node("joined", hidden),
        Node("h", hidden),
        Node("y", n),
    )
    edges = (
        *(Edge("x", f"in{i}", f"E{i}") for i in every),
        *(Edge(f"in{i}", "joined") for i in every),
        Edge("joined", "h", "W"),
        *(Edge("h", "y", f"D{o}", gate=gate(1, o)) for o in every),
    )
    drawn = isinstance(start, NormalInitialisation)
    simulation = Simulation(
        "full-batch",
        samples=len(examples),
        learning_rate=rate,
        replicates=networks,
        seed=0,
        initialisation="per-replicate" if drawn else "shared",
    )
    network = GatedGraph(nodes, edges, ("x",), ("y",))
    return Problem(law, network, Training("half-mse", 1, start, tuple(times)), simulation)


def every_example(problem: Problem) -> Examples:
    """All examples of a finite data set, each once, for every network: the sample on which averages are exact."""
    law, device, dtype = problem.data, torch.device("cpu"), torch.float64
    category = torch.tensor(law.category)[None]
    x = torch.tensor([[float(entry) for entry in row] for row in law.x], dtype=dtype)[None]
    context = torch.tensor(law.context)[None]
    drawn = Draw(None, x, category, label_table(law, device, dtype)[category], context=context)
    return examples_of(problem, drawn).shared_by(problem.simulated().replicates)


def outputs_of(run: Run, domains: int) -> Float[np.ndarray, "S T M M n n"]:
    """The matrix D_o W E_i of every pair (i, o), trained or not."""
    weights = run.parameters
    encoded = np.stack([weights["W"] @ weights[f"E{i}"] for i in range(domains)], axis=2)
    decoders = np.stack([weights[f"D{o}"] for o in range(domains)], axis=2)
    return np.einsum("stoab,stibc->stioac", decoders, encoded)


def errors_of(
    run: Run, pairs: Pairs, domains: int, strengths: Sequence[Fraction]
) -> tuple[Float[np.ndarray, "S T"], Float[np.ndarray, "S T"]]:
    """The relative errors |Y - D_o W E_i|^2/|Y|^2, averaged over trained and over untrained pairs."""
    target = np.diag([float(s) for s in strengths])
    errors = ((outputs_of(run, domains) - target) ** 2).sum(axis=(-2, -1)) / (target**2).sum()
    trained = np.zeros((domains, domains), dtype=bool)
    trained[tuple(np.array(pairs).T)] = True
    return errors[:, :, trained].mean(axis=-1), errors[:, :, ~trained].mean(axis=-1)
