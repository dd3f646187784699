"""`gdln bench train`: training beside the best peers that we could write in torch and in JAX.

Every contender draws fresh data of the same law for every network, in float32, and descends the same half squared
error. The peers are written in the variants that were fastest among many (`peers/`): in torch a Python loop with its
gradient written out; in JAX a compiled scan with normal numbers and colouring written for it, which are where JAX gains
most. Slower, and left out: jax.random's normal numbers, both classes' products for every example, other numbers of
networks side by side. Sim's set-up (Z, factors) is counted; that of the peers and compilation is not.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import torch

from derivations.benchmarks.machine import UNIT, one_thread, row
from derivations.benchmarks.peers import jax_scan
from derivations.benchmarks.peers.law import Train, bands
from derivations.benchmarks.peers.torch_loop import torch_loop
from sim.train import train
from theory.problem import Network, NonlinearGP, NormalInitialisation, Problem, Simulation, Training

_RATE = Fraction(1, 100)


@dataclass(frozen=True)
class Case:
    """One size: the law's lengths, and the networks and steps of a round."""

    n: int
    units: int
    batch: int
    xi: tuple[int, int]
    networks: int
    steps: int

    @property
    def name(self) -> str:
        """Its sizes in words."""
        return f"n={self.n} K={self.units} batch={self.batch} xi={self.xi[0]},{self.xi[1]}"


CASES = (
    Case(40, 2, 1000, (2, 1), 8, 500),
    Case(40, 2, 1000, (8, 4), 8, 500),
    Case(100, 100, 1000, (2, 1), 2, 200),
    Case(100, 100, 1000, (20, 10), 2, 200),
    Case(400, 8, 1, (2, 1), 16, 20000),
    Case(400, 8, 1, (40, 20), 16, 20000),
)


def measure(cases: tuple[Case, ...] = CASES, rounds: int = 5) -> dict[str, Any]:
    """Return seconds of a network-step of each contender, and their ratios to sim's.

    Raises InputError where BLAS was loaded with several threads: their waiting would be counted as work.
    """
    with one_thread("gdln bench train"):
        rows = [_row(case, rounds) for case in cases]
    jax = "jax" if jax_scan.installed() else "jax is not installed"
    return {"what": f"a step of a network, float32, beside torch and {jax}", "unit": UNIT, "rows": rows}


def _row(case: Case, rounds: int) -> dict[str, Any]:
    problem = problem_of(case, case.steps)
    contenders = {"sim": lambda: train(problem, "cpu", dtype=torch.float32), **_peers(case)}
    return row(case.name, contenders, rounds, per=case.networks * case.steps, same=False)


def _peers(case: Case) -> dict[str, Train]:
    """Return the peers of a case by name; for small batches many networks draw the data of many steps at once."""
    problem, steps = problem_of(case, 1), case.networks * case.steps
    networks, block = (1, 1) if case.batch > 1 else (64, 32)
    peers = {"torch loop": torch_loop(problem, networks, block, -(-steps // networks))}
    if jax_scan.installed():
        networks, block = (1, 1) if case.batch > 1 else (16, 64)
        steps = -(-steps // networks)
        peers["JAX scan, sorted"] = jax_scan.jax_scan(problem, networks, block, steps, banded=False)
        if bands(problem) is not None:
            peers["JAX scan, band"] = jax_scan.jax_scan(problem, networks, block, steps, banded=True)
    return peers


def problem_of(case: Case, steps: int) -> Problem:
    """Return the problem of a case, trained for `steps` steps."""
    law = NonlinearGP(case.n, case.xi, 1, "open", "unit-variance", (1, 0))
    start = NormalInitialisation(Fraction(1, 100), 0)
    simulation = Simulation("online", 1, _RATE, max(2, case.networks), 0, case.batch)
    return Problem(
        law, Network("relu", "mean", case.units), Training("half-mse", 1, start, (steps * _RATE,)), simulation
    )
