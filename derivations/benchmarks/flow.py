"""`gdln bench flow`: gradient flows by their structure, and many networks at once.

w(t) at 200 times of K n = 4,000 weights from the moments of a law, by what `solve` does with them: blocks, eigenbases,
w(t). The contender has A assembled before the clock runs and takes NumPy's `eigh` of it. 64 networks of the race at
once by the workbench's Dormand-Prince pair, and one after another by SciPy's DOP853.
"""

from fractions import Fraction
from typing import Any

import numpy as np

from derivations.benchmarks.machine import UNIT, one_thread, row
from derivations.benchmarks.solve import by_dense_matrix
from derivations.experiments.folders import problem_named
from theory.problem import (
    AlwaysGate,
    ContextGate,
    FiniteData,
    Network,
    NonlinearGP,
    NormalInitialisation,
    Problem,
    SiteGate,
    Training,
)

NETWORKS = 64
_TIMES = tuple(Fraction(t, 2) for t in range(1, 201))
_TRAINING = Training("half-mse", 1, NormalInitialisation(Fraction(1, 100), 0), _TIMES)


def ring(weights: int) -> Problem:
    """Return two complementary gates on a ring: every kernel is circulant."""
    law = NonlinearGP(weights // 2, (Fraction(3, 2), 1), 1, "ring", "unit-variance", (1, 0))
    return Problem(law, Network("gated-linear", "mean", 2, (SiteGate(0, lo=0), SiteGate(0, hi=0))), _TRAINING)


def contexts(units: int, sites: int, examples: int) -> Problem:
    """Return the problem of gates that open in one context each, with `examples` examples of small integers."""
    random = np.random.default_rng(0)
    x = random.integers(-3, 4, size=(units * examples, sites)).tolist()
    y = random.integers(0, 2, size=units * examples).tolist()
    law = FiniteData(x, y, context=[c for c in range(units) for _ in range(examples)])
    return Problem(
        law, Network("gated-linear", "mean", units, tuple(ContextGate((c,)) for c in range(units))), _TRAINING
    )


def few_examples(units: int, sites: int, examples: int) -> Problem:
    """Return gates at sites and one that is always open, on few examples: A has their number as its rank."""
    random = np.random.default_rng(0)
    x = random.integers(-3, 4, size=(examples, sites)).tolist()
    law = FiniteData(x, random.integers(0, 2, size=examples).tolist())
    gates = (*(SiteGate(site, lo=0, on="input") for site in range(units - 1)), AlwaysGate())
    return Problem(law, Network("gated-linear", "mean", units, gates), _TRAINING)


def measure(weights: int = 4000, rounds: int = 1) -> dict[str, Any]:
    """Return seconds of each structure and of the races, with those of the contenders."""
    problems = {
        "circulant": ring(weights),
        "exclusive blocks": contexts(weights // 40, 40, 60),
        "low rank": few_examples(10, weights // 10, 100),
    }
    with one_thread("gdln bench flow"):
        rows = [solution(name, problem, rounds) for name, problem in problems.items()]
        rows.append(races(NETWORKS, rounds))
    return {"what": f"w(t) at {len(_TIMES)} times, K n = {weights}; {NETWORKS} races", "unit": UNIT, "rows": rows}


def solution(name: str, problem: Problem, rounds: int) -> dict[str, Any]:
    """Return the row of a problem: its moments' structure beside the dense matrix."""
    from theory.flow.linear.convention import convention
    from theory.flow.linear.parameters import initial
    from theory.flow.linear.relaxation import relax
    from theory.moments import feature_moments

    moments, times = feature_moments(problem.data, problem.network), [float(t) for t in problem.training.elapsed]
    A = moments.A.dense()

    def by_structure() -> np.ndarray:
        fresh = feature_moments(problem.data, problem.network)
        return relax(fresh, initial(problem), convention(problem), times).path

    contenders = {"structure": by_structure, "dense": lambda: by_dense_matrix(problem, A, moments.b)}
    return {**row(name, contenders, rounds), "rank": moments.structure.rank}


def races(networks: int, rounds: int) -> dict[str, Any]:
    """Return the row of the race from several random starts to its last time."""
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

    def joined(weights: Any) -> np.ndarray:
        return np.concatenate([weights[name].reshape(networks, -1) for name in shapes], axis=1)

    def at_once() -> np.ndarray:
        path = dormand_prince(
            lambda _time, weights: velocities(flow, weights, moments), starts, times, relative=1e-10, absolute=1e-12
        )
        return joined(path[-1])

    def rate(_time: float, theta: np.ndarray) -> np.ndarray:
        parts = zip(shapes.items(), np.split(theta, ends), strict=True)
        moved = velocities(flow, {name: part.reshape(shape) for (name, shape), part in parts}, moments)
        return np.concatenate([moved[name].ravel() for name in shapes])

    def one_by_one() -> np.ndarray:
        span, allowed = (0, times[-1]), {"rtol": 1e-10, "atol": 1e-12}
        return np.stack([solve_ivp(rate, span, start, "DOP853", **allowed).y[:, -1] for start in joined(starts)])

    return row(f"{networks} races", {"Dormand-Prince, at once": at_once, "DOP853, one by one": one_by_one}, rounds)
