"""`gdln bench sample`: the samplers beside NumPy's way to draw a Gaussian process.

The law is x = erf(z)/Z on a line, a ring and a torus, with short and long correlation lengths; both ways draw ROWS
examples at a time and apply erf: `sim` is the sampler that a run takes, by compiled loops where numba is installed,
`cholesky` is NumPy with the covariance factored before the clock runs, then a matrix product for each draw. A ring's
covariance has a jitter of JITTER on the diagonal for NumPy's Cholesky factor, which rounding would stop.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from derivations.benchmarks.machine import UNIT, one_thread, row
from theory.problem import (
    AlwaysGate,
    Network,
    NonlinearGP,
    NonlinearGP2D,
    NormalInitialisation,
    Problem,
    Simulation,
    Training,
    latent_correlation,
)

ROWS, JITTER = 1000, 1e-9


def laws(sites: int = 400, side: int = 64) -> dict[str, NonlinearGP]:
    """Return the laws by shape and correlation length, equal in both classes.

    >>> [law.n for law in laws().values()]
    [400, 400, 400, 4096, 4096]
    """
    line = {xi: NonlinearGP(sites, (xi, xi), 1, "open", "unit-variance", (1, 0)) for xi in (2, max(3, sites // 10))}
    ring = NonlinearGP(sites, (1, 1), 1, "ring", "unit-variance", (1, 0))
    grid = {
        boundary: NonlinearGP2D((1, 1), 1, boundary, "unit-variance", (1, 0), shape=(side, side))
        for boundary in ("open", "torus")
    }
    named = {f"line xi={xi}": law for xi, law in line.items()} | {"ring xi=1": ring}
    return named | {f"{boundary} grid xi=1": law for boundary, law in grid.items()}


def measure(sites: int = 400, side: int = 64, rounds: int = 5) -> dict[str, Any]:
    """Return processor seconds an example of every way for every law."""
    with one_thread("gdln bench sample"):
        rows = [
            row(f"{name}, n = {law.n}", ways(law), rounds, per=ROWS, same=False)
            for name, law in laws(sites, side).items()
        ]
    return {"what": "one example of x = erf(z)/Z, float64 unless it says float32", "unit": UNIT, "rows": rows}


def ways(law: NonlinearGP) -> dict[str, Callable[[], Any]]:
    """Return the ways to draw ROWS examples of a law."""
    import torch
    from scipy.special import erf

    from sim.random.streams import MEASUREMENT, stream
    from sim.training.backends.choice import compiled_sampler, fastest_normals

    always = Network("gated-linear", "mean", 1, (AlwaysGate(),))
    training = Training("half-mse", 1, NormalInitialisation(0, 0), (1,))
    problem = Problem(law, always, training, Simulation("online", ROWS, Fraction(1, 100), 2, 0, ROWS))
    cpu, rng, n = torch.device("cpu"), np.random.default_rng(0), law.n

    def sim(dtype: torch.dtype) -> Callable[[], Any]:
        sampler = compiled_sampler(problem, cpu, dtype)
        source, room = stream(0, 0, MEASUREMENT, fill=fastest_normals(cpu)), sampler.room(1, ROWS)
        return lambda: sampler.draw([source], ROWS, room)

    covariance = latent_correlation(law, 0) + JITTER * np.eye(n)
    upper = np.linalg.cholesky(covariance).T
    single = upper.astype(np.float32)
    return {
        "sim": sim(torch.float64),
        "sim float32": sim(torch.float32),
        "cholesky": lambda: erf(rng.standard_normal((ROWS, n)) @ upper),
        "cholesky float32": lambda: erf(rng.standard_normal((ROWS, n), dtype=np.float32) @ single),
    }
