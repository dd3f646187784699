"""`gdln solve` beside dense linear algebra: lines and rings up to n = 4,000, short and long correlation lengths.

The network is the small-bump problem's: two complementary gates in the middle. `solve` keeps the covariance of a line
or a ring as the few numbers that define it. The contender assembles the (2n, 2n) matrix A of the same feature moments
and takes NumPy's `eigh` of it, as one would without that structure; both give w at the same times. A ring with a long
correlation length has no such process: there the law is the one that the public codes draw from, with negative
eigenvalues set to 0.

Each entry runs in a process of its own, so that its largest resident memory is its own. That of the same process
after it has solved a problem with eight sites is taken off.
"""

import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from theory.problem import Network, NonlinearGP, NormalInitialisation, Problem, SiteGate, Training

SIZES = (40, 100, 400, 1000, 4000)
MOST_DENSE = 1000  # at n = 4,000 the dense matrix takes 512 MB, and its eigenvectors minutes
TIMES = (1, 10, 100)


@dataclass(frozen=True)
class Case:
    """One law: its boundary, its number of sites, and whether the correlation lengths grow with it."""

    boundary: str
    n: int
    long: bool

    @property
    def name(self) -> str:
        """Boundary, sites and correlation lengths in words."""
        return f"{self.boundary} n={self.n} xi={', '.join(f'{float(x):g}' for x in self.xi)}"

    @property
    def xi(self) -> tuple[Fraction, Fraction]:
        """n/10 and n/20; or 2 and 1, on a ring 3/2 and 1 (a ring's process needs xi < 1.72)."""
        if self.long:
            return Fraction(self.n, 10), Fraction(self.n, 20)
        return Fraction(3, 2) if self.boundary == "ring" else Fraction(2), Fraction(1)


CASES = tuple(Case(boundary, n, long) for boundary in ("open", "ring") for long in (False, True) for n in SIZES)


def problem_of(case: Case) -> Problem:
    """The two complementary half-space gates of the small-bump note on the case's law."""
    law = NonlinearGP(
        case.n,
        case.xi,
        1,
        case.boundary,
        "unit-variance",
        (1, 0),
        positive_part="clipped" if case.boundary == "ring" and case.long else "refuse",
    )
    gates = (SiteGate(case.n // 2, lo=Fraction(0)), SiteGate(case.n // 2, hi=Fraction(0)))
    start = NormalInitialisation(Fraction(1, 1000), 0)
    return Problem(law, Network("gated-linear", "mean", 2, gates), Training("half-mse", 1, start, TIMES))


def measure(cases: tuple[Case, ...] = CASES) -> dict[str, Any]:
    """Seconds of processor time and MB of memory for each case, by `solve` and by dense matrices."""
    found = []
    for case in cases:
        row = {"name": case.name, **asdict(case), "solve": _apart(case, "solve"), "dense": "not run"}
        if case.n <= MOST_DENSE:
            row["dense"] = _apart(case, "dense")
            row["ratio"] = row["dense"]["seconds"] / row["solve"]["seconds"]
        found.append(row)
    return {"unit": "seconds of processor time, MB of resident memory", "cases": found}


def text(found: dict[str, Any]) -> str:
    """A table for a reader."""
    return "\n".join([f"{found['unit']}; the better of two runs", *(_line(row) for row in found["cases"])])


def _line(row: dict[str, Any]) -> str:
    ratio = f"{row['ratio']:6.1f} x" if "ratio" in row else ""
    return f"  {row['name']:<24} solve {cell(row['solve']):>18}   dense {cell(row['dense']):>18} {ratio}"


def cell(value: dict[str, float] | str) -> str:
    """Time and memory in words."""
    return value if isinstance(value, str) else f"{value['seconds']:.3g} s, {value['megabytes']:.0f} MB"


def _apart(case: Case, way: str) -> dict[str, float]:
    """Measure in a new process."""
    words = [sys.executable, "-m", "derivations.benchmarks.solve", way, case.boundary, str(case.n), str(int(case.long))]
    return json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


def _one(way: str, boundary: str, n: str, long: str) -> dict[str, float]:
    run = {"solve": by_structure, "dense": by_dense_matrices}[way]
    run(problem_of(Case("open", 8, False)))
    before = _megabytes()
    problem = problem_of(Case(boundary, int(n), bool(int(long))))
    seconds = min(_seconds(run, problem) for _ in range(2))
    return {"seconds": seconds, "megabytes": max(0.0, _megabytes() - before)}


def _seconds(run: Callable[[Problem], Any], problem: Problem) -> float:
    begin = time.process_time()
    run(problem)
    return time.process_time() - begin


def _megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)


def by_structure(problem: Problem) -> np.ndarray:
    """w(t) by `solve`, (T, K, n)."""
    from theory.flow import solve

    return solve(problem).weights


def by_dense_matrices(problem: Problem) -> np.ndarray:
    """w(t) by the eigenvectors of the whole matrix: tau dw/dt = b/K - A w/K^2 from w(0); (T, K n)."""
    from theory.flow.linear.parameters import initial
    from theory.moments import feature_moments

    moments = feature_moments(problem.data, problem.network)
    start = np.asarray(initial(problem), dtype=float).reshape(-1)
    rates, vectors = np.linalg.eigh(moments.A.dense() / problem.network.units**2)
    force = vectors.T @ (np.asarray(moments.b).reshape(-1) / problem.network.units)
    begin = vectors.T @ start
    times = np.array([float(t) for t in problem.training.times])[:, None]
    decay = np.exp(-rates * times)
    integral = np.where(rates * times > 1e-12, -np.expm1(-rates * times) / np.where(rates > 0, rates, 1.0), times)
    return (decay * begin + integral * force) @ vectors.T


if __name__ == "__main__":
    json.dump(_one(*sys.argv[1:]), sys.stdout)
