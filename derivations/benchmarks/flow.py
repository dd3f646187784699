"""`gdln bench flow`: gradient flows by their structure, many networks at once, derivations, and graphs in training.

Solutions: w(t) at 200 times of K n = 4,000 weights from the moments of a law, by what `solve` does with them: blocks,
eigenbases, w(t). The contender has A assembled before the clock runs, takes NumPy's `eigh` of it and gives the same
w(t); it runs once, the solutions by structure several times in the same process. `solve` itself also finds the gates'
components and exact ranks, and is timed once. Memory: the peak of what NumPy allocates while a ring is solved.
Integration: 64 networks of the race at once by the workbench's Dormand-Prince pair, and one after another by SciPy's
DOP853. Derivation: the flow of a graph with 50 paths, every step checked by its rule. Training: the small-bump problem
with a hidden layer and as a graph, both through the verb `simulate`; a gradient of the race by hand and by autograd.
"""

import time
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from statistics import median
from typing import Any

import numpy as np

from derivations.benchmarks.machine import one_thread
from derivations.experiments.folders import problem_named
from theory.problem import (
    AlwaysGate,
    ContextGate,
    Edge,
    FiniteData,
    GatedGraph,
    Graph,
    Network,
    Node,
    NonlinearGP,
    NormalInitialisation,
    Parameter,
    Problem,
    SiteGate,
    Training,
)

TIMES = tuple(Fraction(t, 2) for t in range(1, 201))
GOALS = {"circulant": 1000, "exclusive blocks": 300}
ROUNDS, NETWORKS, PATHS, STEPS = 5, 64, (5, 10), 500
TOLERANCES = {"relative": 1e-10, "absolute": 1e-12}
_START = NormalInitialisation(Fraction(1, 100), 0)
_HALVES = (SiteGate(0, lo=0), SiteGate(0, hi=0))


def ring(weights: int) -> Problem:
    """Two complementary gates on a ring: every kernel is circulant."""
    law = NonlinearGP(weights // 2, (Fraction(3, 2), 1), 1, "ring", "unit-variance", (1, 0))
    return Problem(law, Network("gated-linear", "mean", 2, _HALVES), Training("half-mse", 1, _START, TIMES))


def contexts(units: int, sites: int, examples: int) -> Problem:
    """Return the problem of gates that open in one context each, with `examples` examples of small integers."""
    random = np.random.default_rng(0)
    x = random.integers(-3, 4, size=(units * examples, sites)).tolist()
    y = random.integers(0, 2, size=units * examples).tolist()
    law = FiniteData(x, y, context=[c for c in range(units) for _ in range(examples)])
    gates = tuple(ContextGate((c,)) for c in range(units))
    return Problem(law, Network("gated-linear", "mean", units, gates), Training("half-mse", 1, _START, TIMES))


def few_examples(units: int, sites: int, examples: int) -> Problem:
    """Gates at sites, each open for half of a few examples, and one that is always open: A has their number as rank."""
    random = np.random.default_rng(0)
    x = random.integers(-3, 4, size=(examples, sites)).tolist()
    law = FiniteData(x, random.integers(0, 2, size=examples).tolist())
    gates = (*(SiteGate(site, lo=0, on="input") for site in range(units - 1)), AlwaysGate())
    return Problem(law, Network("gated-linear", "mean", units, gates), Training("half-mse", 1, _START, TIMES))


def problems(weights: int) -> dict[str, Problem]:
    """The problems of `weights` weights, by the structure that solves them."""
    return {
        "circulant": ring(weights),
        "exclusive blocks": contexts(weights // 40, 40, 60),
        "low rank": few_examples(10, weights // 10, 100),
    }


def measure(weights: int = 4000, rounds: int = ROUNDS) -> dict[str, Any]:
    """All measurements, in processor time. Raises InputError where BLAS was loaded with several threads."""
    with one_thread("gdln bench flow"):
        return {
            "unit": "seconds of processor time, one thread",
            "weights": weights,
            "times": len(TIMES),
            "solutions": [solution(name, problem, rounds) for name, problem in problems(weights).items()],
            "memory": [memory(size) for size in (weights, 4 * weights)],
            "integration": integration(NETWORKS),
            "derivation": derivation(),
            "training": training(rounds),
            "steps": steps(rounds),
        }


def solution(name: str, problem: Problem, rounds: int) -> dict[str, Any]:
    """Seconds by structure and by the dense matrix, and the distance of the two solutions."""
    from theory.flow import solve
    from theory.moments import feature_moments

    moments = feature_moments(problem.data, problem.network)
    A, b = moments.A.dense(), moments.b
    seconds = []
    for _ in range(rounds):
        fresh = feature_moments(problem.data, problem.network)
        took, found = _seconds(lambda fresh=fresh: by_structure(problem, fresh))
        seconds.append(took)
    whole, _ = _seconds(lambda: solve(problem))
    dense, expected = _seconds(lambda: by_dense_matrix(problem, A, b))
    row = {
        "name": name,
        "rank": moments.structure.rank,
        "seconds": median(seconds),
        "rounds": seconds,
        "solve_seconds": whole,
        "dense_seconds": dense,
        "ratio": dense / median(seconds),
        "apart": float(np.abs(found - expected).max() / np.abs(expected).max()),
    }
    return row | ({"goal": GOALS[name], "reached": row["ratio"] >= GOALS[name]} if name in GOALS else {})


def by_structure(problem: Problem, moments: Any) -> np.ndarray:
    """w(t) from the blocks of the moments, (T, K n)."""
    from theory.flow.linear.convention import convention
    from theory.flow.linear.parameters import initial
    from theory.flow.linear.relaxation import relax

    times = [float(t) for t in problem.training.elapsed]
    return relax(moments, initial(problem), convention(problem), times).path


def by_dense_matrix(problem: Problem, A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """w(t) by the eigenvectors of the whole matrix: tau dw/dt = b/K - A w/K^2 from w(0), (T, K n)."""
    units = problem.network.units
    start = problem.start()["w"].ravel()
    rates, vectors = np.linalg.eigh(A / units**2)
    force, begin = vectors.T @ (b / units), vectors.T @ start
    times = np.array([float(t) for t in problem.training.elapsed])[:, None]
    null = rates <= 1e-12 * rates.max()
    integral = np.where(null, times, -np.expm1(-rates * times) / np.where(null, 1.0, rates))
    # The force on a null mode is rounding only, and is left out because it would accumulate.
    return (np.exp(-np.where(null, 0.0, rates) * times) * begin + integral * np.where(null, 0.0, force)) @ vectors.T


def memory(weights: int) -> dict[str, float]:
    """The peak of NumPy's arrays while the ring is solved, and its ratio to the T x K n numbers of w(t)."""
    from theory.moments import feature_moments

    problem = ring(weights)
    by_structure(problem, feature_moments(problem.data, problem.network))
    tracemalloc.start()
    by_structure(problem, feature_moments(problem.data, problem.network))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    result = 8 * len(TIMES) * weights
    return {"weights": weights, "megabytes": peak / 1e6, "of_the_result": peak / result}


def integration(networks: int) -> dict[str, float]:
    """Time the race from several random starts to its last time: all at once, and one after another."""
    from scipy.integrate import solve_ivp

    from theory.flow.graph.data import flow_of, moments_of
    from theory.flow.graph.moments import velocities
    from theory.flow.integrators import dormand_prince

    problem = problem_named("race")
    flow = flow_of(problem)
    moments, random = moments_of(problem, flow), np.random.default_rng(0)
    shapes = {name: flow.shape(name) for name in flow.weights}
    starts = {name: 0.5 * random.normal(size=(networks, *shape)) for name, shape in shapes.items()}
    times = [float(t) for t in problem.training.times if t > 0]
    ends = np.cumsum([rows * columns for rows, columns in shapes.values()])[:-1]
    evaluations = [0, 0]

    def at_once() -> np.ndarray:
        def rate(_time: float, weights: Any) -> Any:
            evaluations[0] += 1
            return velocities(flow, weights, moments)

        state = dormand_prince(rate, starts, times, **TOLERANCES)[-1]
        return np.concatenate([state[name].reshape(networks, -1) for name in shapes], axis=1)

    def one_by_one() -> np.ndarray:
        def rate(_time: float, theta: np.ndarray) -> np.ndarray:
            evaluations[1] += 1
            parts = zip(shapes.items(), np.split(theta, ends), strict=True)
            moved = velocities(flow, {name: part.reshape(shape) for (name, shape), part in parts}, moments)
            return np.concatenate([moved[name].ravel() for name in shapes])

        rows = np.concatenate([starts[name].reshape(networks, -1) for name in shapes], axis=1)
        allowed = {"rtol": TOLERANCES["relative"], "atol": TOLERANCES["absolute"]}
        return np.stack([solve_ivp(rate, (0, times[-1]), row, "DOP853", times, **allowed).y[:, -1] for row in rows])

    together, found = _seconds(at_once)
    apart, expected = _seconds(one_by_one)
    return {
        "networks": networks,
        "seconds": together,
        "evaluations": evaluations[0],
        "dop853_seconds": apart,
        "dop853_evaluations": evaluations[1],
        "ratio": apart / together,
        "apart": float(np.abs(found - expected).max()),
    }


def many_paths(first: int, second: int) -> Graph:
    """From x through one of the first nodes, a node that all share, and one of the second: first x second paths."""
    names = [f"a{index}" for index in range(first)], [f"b{index}" for index in range(second)]
    gated = [Node(name, 3, (SiteGate(site, lo=0),)) for site, name in enumerate((*names[0], *names[1]))]
    edges = [edge for name in names[0] for edge in (Edge("x", name, f"A{name}"), Edge(name, "h", f"B{name}"))]
    edges += [edge for name in names[1] for edge in (Edge("h", name, f"C{name}"), Edge(name, "y", f"D{name}"))]
    dimension = {"x": 20, "h": 3, "y": 2} | {name: 3 for name in (*names[0], *names[1])}
    weights = [Parameter(edge.weight, (dimension[edge.target], dimension[edge.source])) for edge in edges]
    nodes = (Node("x", 20), *gated, Node("h", 3), Node("y", 2))
    return Graph(nodes, tuple(edges), tuple(weights), ("x",), ("y",))


def derivation() -> dict[str, Any]:
    """Seconds of deriving the flow of a graph with 50 paths and of checking its steps; the goal is their sum."""
    from theory.flow.graph.gradient_flow import GraphFlow

    graph = many_paths(*PATHS)
    derived, proofs = _seconds(lambda: _proofs(GraphFlow(graph, "half-mse")))
    checked, passed = _seconds(lambda: all(check.passed for proof in proofs for check in proof.check()))
    return {
        "paths": PATHS[0] * PATHS[1],
        "weights": len(graph.parameters),
        "seconds": derived,
        "checking_seconds": checked,
        "passed": passed,
        "goal": 5,
        "reached": passed and derived + checked <= 5,
    }


def _proofs(flow: Any) -> list[Any]:
    return [flow.loss_derivation, *(flow.derivation(name) for name in flow.weights)]


def as_graph(problem: Problem) -> Problem:
    """The problem's network of gated units with a fixed readout, written as a graph: a node for each unit."""
    network, n = problem.network, problem.data.n
    hidden = [Node(f"h{k}", 1, (gate,)) for k, gate in enumerate(network.gates)]
    edges = [edge for k in range(network.units) for edge in (Edge("x", f"h{k}", f"W{k}"), Edge(f"h{k}", "y"))]
    nodes = (Node("x", n), *hidden, Node("y", 1, scale=network.scale))
    return replace(problem, network=GatedGraph(nodes, tuple(edges), ("x",), ("y",)))


def training(rounds: int) -> dict[str, Any]:
    """Seconds of `simulate` for the small-bump problem with a hidden layer and as a graph, one after the other."""
    from derivations.answers import simulate

    shallow = problem_named("small-bump")
    shallow = replace(shallow, training=replace(shallow.training, w0=_START))
    contenders = {"hidden layer": shallow, "graph": as_graph(shallow)}
    seen: dict[str, list[float]] = {name: [] for name in contenders}
    backends = {}
    for _ in range(rounds + 1):
        for name, problem in contenders.items():
            took, found = _seconds(lambda problem=problem: simulate.answer(problem, "cpu"))
            seen[name].append(took)
            backends[name] = found.run.backend
    # The first round loads and compiles.
    kept = {name: values[1:] for name, values in seen.items()}
    speed = median(a / b for a, b in zip(*kept.values(), strict=True))
    return {"seconds": {name: median(v) for name, v in kept.items()}, "rounds": kept, "backends": backends} | {
        "speed": speed,
        "goal": 0.5,
        "reached": speed >= 0.5,
    }


def steps(rounds: int) -> dict[str, float]:
    """Microseconds of a step of the race, four networks side by side: gradient by hand, by autograd."""
    import torch

    from sim.networks.choice import by_graph, network_of
    from sim.networks.examples import Examples
    from sim.training.state import Replicate, beginning

    problem = problem_named("race")
    parameters = beginning(tuple(Replicate(problem, number) for number in range(4))).parameters
    x = torch.randn(4, 200, problem.data.n, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    gate = torch.stack([x[..., 0] >= 0, x[..., 0] < 0], dim=1).to(x.dtype)
    examples = Examples(x, x.sum(dim=2), gate)
    seen: dict[str, list[float]] = {"by hand": [], "autograd": []}
    for _ in range(rounds):
        for name, network in (("by hand", network_of(problem)), ("autograd", by_graph(problem))):
            took, _found = _seconds(lambda own=network: [own.gradient(parameters, examples) for _ in range(STEPS)])
            seen[name].append(1e6 * took / STEPS)
    return {name: median(values) for name, values in seen.items()}


def text(found: dict[str, Any]) -> str:
    """The measurements for a reader."""
    lines = [f"{found['unit']}; w(t) at {found['times']} times, K n = {found['weights']}"]
    for row in found["solutions"]:
        goal = f"   goal {row['goal']}: {'reached' if row['reached'] else 'missed'}" if "goal" in row else ""
        lines.append(
            f"  {row['name']:<18} {row['seconds']:.3g} s   dense {row['dense_seconds']:.3g} s   "
            f"{row['ratio']:,.0f} x{goal}   whole solve {row['solve_seconds']:.3g} s"
        )
    lines += [
        f"  peak memory of {row['weights']:,} weights on a ring   {row['megabytes']:.0f} MB, "
        f"{row['of_the_result']:.1f} times w(t)"
        for row in found["memory"]
    ]
    many, proof, train = found["integration"], found["derivation"], found["training"]
    hand, automatic = found["steps"]["by hand"], found["steps"]["autograd"]
    lines += [
        f"{many['networks']} races at once {many['seconds']:.3g} s, by DOP853 {many['dop853_seconds']:.3g} s: "
        f"{many['ratio']:.1f} x",
        f"{proof['paths']} paths derived in {proof['seconds']:.3g} s, checked in {proof['checking_seconds']:.3g} s",
        f"small-bump: hidden layer {train['seconds']['hidden layer']:.3g} s, graph {train['seconds']['graph']:.3g} s, "
        f"{train['speed']:.2f} of the speed",
        f"a gradient of the race: {hand:.0f} us by hand, {automatic:.0f} us by autograd",
    ]
    return "\n".join(lines)


def _seconds(run: Callable[[], Any]) -> tuple[float, Any]:
    begin = time.process_time()
    found = run()
    return time.process_time() - begin, found
