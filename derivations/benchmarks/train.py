"""Training beside the best peers that we could write in torch and in JAX, in network-steps per CPU-second.

Every contender draws fresh data of the same law for every network, in float32, and descends the same half squared
error. Each peer is written in several variants (`_variants`); all are tried, and the fastest of each kind on this
machine is the peer:

* `torch`: a Python loop with its gradient written out;
* `jax`: steps under `lax.scan`, normal numbers of jax.random, matrix products;
* `jax-own`: the same with normal numbers or colouring written for it. This is where JAX gains most: jax.random.normal
  takes 3.1 ns, of which 1.5 are the random bits; Box and Muller by polynomials 2.0 in all.

On an AMD EPYC with AVX-512, network-steps per CPU-second of the variants that decided (all are in the JSON, `tried`):

* n = 40, batch 1000: one network at a time 8,100; four side by side 5,600, as their inputs leave the second-level
  cache. Examples sorted by class 8,100, both products for each 7,300, the 9 diagonals of the band 6,100.
* n = 100, K = 100, batch 1000: the band 1,720, sorted 1,570; at xi = 20, 10 only 29 modes matter, and sorted is
  fastest, 2,250.
* n = 400, batch 1: 64 steps of 16 networks drawn at once, with the band 550,000, with two products of all modes
  218,000; at xi = 40, 20 (54 modes) 256 steps of four networks, sorted, 700,000. One torch call a step of 64 networks
  reaches 157,000 and 404,000.

Tried and left out, as slower: XLA's generator rbg (10 ns a word beside 1.4), threefry with one word a call
(`jax_threefry_partitionable`, 4.5 ns a normal number), vectors of 256 bits (erf in 2 ns instead of 0.5), inputs with
the sites in rows, NumPy's generators (8 ns). Not tried: torch.compile, which needs a C++ compiler.

Rounds are interleaved in one process, so that other work on the machine slows all alike; ratios are taken within a
round. Sim's set-up (Z, factors: 20 to 50 ms a run) is counted, in runs long enough that it is below 7 %; that of the
peers and their compilation is not.
"""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from statistics import median
from typing import Any

import torch

from derivations.benchmarks.machine import machine, one_thread
from derivations.benchmarks.peers import jax_scan
from derivations.benchmarks.peers.jax_scan import Variant
from derivations.benchmarks.peers.law import Peer, bands
from derivations.benchmarks.peers.torch_loop import torch_loop
from sim.train import train
from theory.problem import Network, NonlinearGP, NormalInitialisation, Problem, Simulation, Training

ROUNDS, TRIALS = 7, 3
PEERS = ("torch", "jax", "jax-own")
_RATE = Fraction(1, 100)
_QUICK = 20  # the factor by which quick runs have fewer steps


@dataclass(frozen=True)
class Case:
    """One size: the law's lengths, the networks and steps of sim in a round, a peer's network-steps, and the goal."""

    n: int
    units: int
    batch: int
    xi: tuple[int, int]
    networks: int
    steps: int
    peer_steps: int
    goal: float

    @property
    def name(self) -> str:
        """Its sizes in words."""
        return f"n={self.n} K={self.units} batch={self.batch} xi={self.xi[0]},{self.xi[1]}"


CASES = (
    Case(40, 2, 1000, (2, 1), 8, 2000, 500, 5.0),
    Case(40, 2, 1000, (8, 4), 8, 2000, 500, 5.0),
    Case(100, 100, 1000, (2, 1), 2, 800, 100, 2.0),
    Case(100, 100, 1000, (20, 10), 2, 800, 100, 2.0),
    Case(400, 8, 1, (2, 1), 16, 60000, 32768, 15.0),
    Case(400, 8, 1, (40, 20), 16, 60000, 32768, 15.0),
)


def measure(quick: bool = False) -> dict[str, Any]:
    """Every case measured: rates and ratios as medians over the rounds, with all of their values.

    Raises InputError where BLAS was loaded with several threads: their waiting would be counted as work.
    """
    with one_thread("gdln bench train"):
        cases = [_case(case, quick) for case in (CASES[:1] if quick else CASES)]
    environment = {
        name: os.environ.get(name, "unset")
        for name in ("OPENBLAS_CORETYPE", "OMP_NUM_THREADS", "OMP_WAIT_POLICY", "XLA_FLAGS")
    }
    return {
        "unit": "network-steps per CPU-second",
        "dtype": "float32",
        "conditions": "one thread on one core, rounds interleaved in one process; other jobs may have run beside it, "
        "so only ratios of one file compare",
        "cases": cases,
        "machine": {**machine(), "vectors": torch.backends.cpu.get_cpu_capability(), "environment": environment},
    }


def text(found: dict[str, Any]) -> str:
    """A table for a reader."""
    lines = [f"{found['unit']}, {found['dtype']}, one thread: medians of interleaved rounds (lowest to highest)", ""]
    for case in found["cases"]:
        outcome = "reached" if case["reached"] else "missed"
        lines.append(
            f"{case['name']}: {case['ratios'][case['best']]:.2f} x the best peer, goal {case['goal']:g} {outcome}"
        )
        for name, rate in case["rates"].items():
            if isinstance(rate, str):
                lines.append(f"  {name:<10} {rate}")
                continue
            low, high = min(case["rounds"][name]), max(case["rounds"][name])
            ratio = f"   sim is {case['ratios'][name]:.2f} x" if name in case["ratios"] else ""
            variant = f"   {case['peers'][name]}" if name in case["peers"] else ""
            lines.append(f"  {name:<10} {rate:>12,.0f} ({low:,.0f} to {high:,.0f}){ratio}{variant}")
    lines += ["", str(found["machine"]["processor"])]
    return "\n".join(lines)


def _case(case: Case, quick: bool) -> dict[str, Any]:
    share = _QUICK if quick else 1
    tried = {kind: _tried(peers, quick) for kind, peers in _variants(case, share).items()}
    chosen = {kind: max(rates, key=lambda peer: rates[peer]) for kind, rates in tried.items()}
    contenders = {**_own(case, share), **{kind: _timed(peer) for kind, peer in chosen.items()}}
    seen: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(1 if quick else ROUNDS):
        for name, rate in contenders.items():
            seen[name].append(rate())
    ratios = {
        name: median(own / other for own, other in zip(seen["sim"], values, strict=True))
        for name, values in seen.items()
        if name != "sim"
    }
    best = min(chosen, key=lambda kind: ratios[kind])
    rates: dict[str, Any] = {name: median(values) for name, values in seen.items()}
    return {
        "name": case.name,
        "rates": {**rates, **{kind: "jax is not installed" for kind in PEERS if kind not in chosen}},
        "ratios": ratios,
        "best": best,
        "goal": case.goal,
        "reached": ratios[best] >= case.goal,
        "peers": {kind: peer.name for kind, peer in chosen.items()},
        "tried": {kind: {peer.name: rate for peer, rate in rates.items()} for kind, rates in tried.items()},
        "rounds": seen,
    }


def _tried(peers: list[Peer], quick: bool) -> dict[Peer, float]:
    """The median rate of each variant; the first run, which compiles, is not counted."""
    found = {}
    for peer in peers:
        rate = _timed(peer)
        rate()
        found[peer] = median(rate() for _ in range(1 if quick else TRIALS))
    return found


def _timed(peer: Peer) -> Callable[[], float]:
    return lambda: _rate(peer.network_steps, peer.run)


def _rate(network_steps: int, run: Callable[[], Any]) -> float:
    begin = time.process_time()
    run()
    return network_steps / (time.process_time() - begin)


def _own(case: Case, share: int) -> dict[str, Callable[[], float]]:
    """Sim's fastest way and its reference, each run once before it is timed."""
    steps = max(1, case.steps // share)
    problems = {"sim": ("auto", problem_of(case, steps), steps)}
    few = max(1, steps // 25)
    problems["reference"] = ("reference", problem_of(case, few), few)

    def contender(backend: str, problem: Problem, steps: int) -> Callable[[], float]:
        def run() -> None:
            train(problem, "cpu", dtype=torch.float32, backend=backend)

        run()
        return lambda: _rate(case.networks * steps, run)

    return {name: contender(*chosen) for name, chosen in problems.items()}


def _variants(case: Case, share: int) -> dict[str, list[Peer]]:
    """The ways in which each kind of peer is written; those of JAX only where it is installed."""
    problem = problem_of(case, 1)
    total = max(1, case.peer_steps // share)
    several = case.batch > 1
    shapes = ((1, 1), (4, 1), (1, 4)) if several else ((1, 512), (64, 32), (256, 16))
    found = {"torch": [torch_loop(problem, m, block, -(-total // m)) for m, block in shapes]}
    if not jax_scan.installed():
        return found
    # (networks side by side, steps drawn at once): for large batches the first one matters.
    shapes = ((1, 1), (4, 1), (1, 4)) if several else ((4, 256), (1, 256), (16, 64), (64, 1))
    colours = [name for name in jax_scan.COLOURS if name != "band" or bands(problem) is not None]
    dense = [Variant(*shape, "library", name) for shape in shapes for name in colours if name != "band"]
    own = [Variant(*shape, "polynomial", name) for shape in shapes for name in colours]
    for kind, variants in (("jax", dense), ("jax-own", own)):
        found[kind] = [jax_scan.jax_scan(problem, variant, -(-total // variant.networks)) for variant in variants]
    return found


def problem_of(case: Case, steps: int) -> Problem:
    """The problem of a case, trained for `steps` steps."""
    law = NonlinearGP(case.n, case.xi, 1, "open", "unit-variance", (1, 0))
    start = NormalInitialisation(Fraction(1, 100), 0)
    simulation = Simulation("online", 1, _RATE, max(2, case.networks), 0, case.batch)
    return Problem(
        law, Network("relu", "mean", case.units), Training("half-mse", 1, start, (steps * _RATE,)), simulation
    )
