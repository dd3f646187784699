"""`gdln bench solve`: `gdln solve` beside dense linear algebra.

Lines and rings up to n = 1,000, with short and long correlation lengths, under the two complementary gates of the
small-bump problem, of whose covariance `solve` keeps the few numbers that define it; and gates that open in one context
each, whose A falls into blocks. The contender assembles the (K n, K n) matrix A of the same feature moments and takes
NumPy's `eigh` of it. A ring with a long correlation length has no such process: there the law is the one that the
public codes draw from, with negative eigenvalues set to 0.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from jaxtyping import Float

from derivations.benchmarks.machine import UNIT, one_thread, row
from theory.problem import (
    ContextGate,
    FiniteData,
    Network,
    NonlinearGP,
    NormalInitialisation,
    Problem,
    SiteGate,
    Training,
)

SIZES = (40, 100, 400, 1000)
CONTEXTS = 100
_TRAINING = Training("half-mse", 1, NormalInitialisation(Fraction(1, 1000), 0), (1, 10, 100))


@dataclass(frozen=True)
class Case:
    """One law: its boundary, its number of sites, and whether the correlation lengths grow with it."""

    boundary: str
    n: int
    long: bool

    @property
    def xi(self) -> tuple[Fraction, Fraction]:
        """n/10 and n/20; or 2 and 1, on a ring 3/2 and 1 (a ring's process needs xi < 1.72)."""
        if self.long:
            return Fraction(self.n, 10), Fraction(self.n, 20)
        return Fraction(3, 2) if self.boundary == "ring" else Fraction(2), Fraction(1)

    @property
    def name(self) -> str:
        """The law in words."""
        return f"{self.boundary} n={self.n} xi={', '.join(f'{float(x):g}' for x in self.xi)}"


CASES = tuple(Case(boundary, n, long) for boundary in ("open", "ring") for long in (False, True) for n in SIZES)


def problem_of(case: Case) -> Problem:
    """Return the two complementary half-space gates of the small-bump note on the case's law."""
    clipped = "clipped" if case.boundary == "ring" and case.long else "refuse"
    law = NonlinearGP(case.n, case.xi, 1, case.boundary, "unit-variance", (1, 0), positive_part=clipped)
    gates = (SiteGate(case.n // 2, lo=Fraction(0)), SiteGate(case.n // 2, hi=Fraction(0)))
    return Problem(law, Network("gated-linear", "mean", 2, gates), _TRAINING)


def exclusive(contexts: int, sites: int = 40, examples: int = 60) -> Problem:
    """Return gates that open in one context each, with so many examples of small integers in every context."""
    random = np.random.default_rng(0)
    x = random.integers(-3, 4, size=(contexts * examples, sites)).tolist()
    y = random.integers(0, 2, size=contexts * examples).tolist()
    law = FiniteData(x, y, context=[context for context in range(contexts) for _ in range(examples)])
    gates = tuple(ContextGate((context,)) for context in range(contexts))
    return Problem(law, Network("gated-linear", "mean", contexts, gates), _TRAINING)


def measure(cases: tuple[Case, ...] = CASES, contexts: int = CONTEXTS, rounds: int = 2) -> dict[str, Any]:
    """Return seconds of w(t) for each case and for the contexts, by `solve` and by dense matrices."""
    problems = {case.name: problem_of(case) for case in cases} | {f"{contexts} contexts": exclusive(contexts)}
    with one_thread("gdln bench solve"):
        rows = [_row(name, problem, rounds) for name, problem in problems.items()]
    return {"what": "gdln solve beside eigh of the assembled matrix", "unit": UNIT, "rows": rows}


def _row(name: str, problem: Problem, rounds: int) -> dict[str, Any]:
    from theory.flow import solve
    from theory.moments import feature_moments

    def dense() -> np.ndarray:
        moments = feature_moments(problem.data, problem.network)
        return by_dense_matrix(problem, moments.A.dense(), moments.b)

    def structured() -> np.ndarray:
        weights = solve(problem).weights
        return weights.reshape(len(weights), -1)

    return row(name, {"solve": structured, "dense": dense}, rounds)


def by_dense_matrix(
    problem: Problem, A: Float[np.ndarray, "Kn Kn"], b: Float[np.ndarray, "..."]
) -> Float[np.ndarray, "T Kn"]:
    """Return w(t) by the eigenvectors of the whole matrix: tau dw/dt = b/K - A w/K^2 from w(0)."""
    units = problem.network.units
    rates, vectors = np.linalg.eigh(A / units**2)
    force, begin = vectors.T @ (np.asarray(b).reshape(-1) / units), vectors.T @ problem.start()["w"].ravel()
    times = np.array([float(t) for t in problem.training.elapsed])[:, None]
    null = rates <= 1e-12 * rates.max()
    integral = np.where(null, times, -np.expm1(-rates * times) / np.where(null, 1.0, rates))
    # The force on a null mode is rounding only, and is left out because it would accumulate.
    return (np.exp(-np.where(null, 0.0, rates) * times) * begin + integral * np.where(null, 0.0, force)) @ vectors.T
