"""`gdln bench gates`: `solve` in float64 through slabs, on lines of 100 sites with four units.

Slabs that tile one site, at four sites, two at each of two sites, and soft ones at four sites, on the nonlinear
Gaussian process and on its clone, with short and long correlation lengths. With long ones the condition number leaves
float64 fewer than ten digits; `solve` then takes balls where those are affordable.
"""

import time
from dataclasses import replace
from fractions import Fraction
from math import inf
from typing import Any

from derivations.benchmarks.machine import one_thread
from theory.problem import (
    GaussianClone,
    Network,
    NonlinearGP,
    NormalInitialisation,
    Problem,
    SiteGate,
    Training,
)

SITES, GOAL = 100, 2.0
LENGTHS = ((2, 1), (10, 5))
HALF = Fraction(1, 2)
ROUNDS = 3


def gates_of(on: str, sites: int = SITES) -> dict[str, tuple[SiteGate, ...]]:
    """Four gates of each kind, on a line of so many sites.

    >>> [len(gates) for gates in gates_of("latent").values()]
    [4, 4, 4, 4]
    """
    places = {
        "tiling of one site": ((50, -inf, -1), (50, -1, 0), (50, 0, 1), (50, 1, inf)),
        "slabs at two sites": ((40, -HALF, 1), (40, 1, 2), (60, -1, HALF), (60, HALF, inf)),
        "slabs at four sites": ((20, -HALF, 1), (40, -HALF, 1), (60, HALF, Fraction(3, 2)), (80, -1, HALF)),
    }
    made = {
        name: tuple(SiteGate(percent * sites // 100, lo, hi, on) for percent, lo, hi in rows)
        for name, rows in places.items()
    }
    return made | {
        "soft slabs at four sites": tuple(replace(gate, sharpness=4) for gate in made["slabs at four sites"])
    }


def measure(sites: int = SITES, rounds: int = ROUNDS) -> dict[str, Any]:
    """Seconds of processor time of `solve`, the best of some rounds, and what it solved."""
    from theory.flow import solve

    rows = []
    with one_thread("gdln bench gates"):
        for kind in (NonlinearGP, GaussianClone):
            for xi in LENGTHS:
                law = kind(sites, xi, 1, "open", "unit-variance", (1, 0))
                for name, gates in gates_of("latent" if law.latent else "input", sites).items():
                    training = Training("half-mse", 1, NormalInitialisation(Fraction(1, 1000), 0), (1, 10, 100))
                    problem = Problem(law, Network("gated-linear", "mean", len(gates), gates), training)
                    took, solution = min(
                        (_timed(lambda problem=problem: solve(problem)) for _ in range(rounds)), key=_first
                    )
                    rows.append(
                        {
                            "law": law.law,
                            "xi": list(xi),
                            "gates": name,
                            "seconds": took,
                            "reached": took <= GOAL,
                            "condition": float(solution.condition),
                            "held": solution.near_null.modes if solution.near_null else 0,
                        }
                    )
    return {"unit": "seconds of processor time, one thread", "sites": sites, "goal": GOAL, "rows": rows}


def text(found: dict[str, Any]) -> str:
    """A table for a reader."""
    lines = [f"{found['unit']}; n = {found['sites']}, K = 4, the goal is {found['goal']:g} s"]
    for row in found["rows"]:
        name = f"{row['law']}, xi = {row['xi'][0]}, {row['xi'][1]}, {row['gates']}"
        lines.append(f"  {name:<58} {row['seconds']:.3g} s   condition {row['condition']:.3g}, held {row['held']}")
    return "\n".join(lines)


def _timed(run: Any) -> tuple[float, Any]:
    begin = time.process_time()
    found = run()
    return time.process_time() - begin, found


def _first(pair: tuple[float, Any]) -> float:
    return pair[0]
