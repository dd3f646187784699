"""Training beside a plain torch loop and a JAX vmap + scan, in network-steps per CPU-second.

Every contender draws fresh data of the same law for every network, in float32, and descends the same half squared
error. The peers are written as people write them: one network at a time with a hand-written gradient (loop); all
networks under vmap, all steps under scan, compiled (vmap). They draw with a full square factor of each class.
Rounds are interleaved, so that what else the machine does falls on all of them; ratios are taken within a round.
"""

import os
import platform
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from statistics import median
from typing import Any

import torch

from derivations.benchmarks.peers import jax_scan, torch_loop
from sim.train import train
from theory.problem import InputError, Network, NonlinearGP, NormalInitialisation, Problem, Simulation, Training

ROUNDS = 7
_RATE = Fraction(1, 100)


@dataclass(frozen=True)
class Case:
    """One size: the law's lengths, how many networks and steps each contender takes in a round, and the goals."""

    n: int
    units: int
    batch: int
    xi: tuple[int, int]
    networks: int
    steps: int
    loop_steps: int
    scan_steps: int
    goals: tuple[tuple[str, float], ...] = ()

    @property
    def name(self) -> str:
        """Its sizes in words."""
        return f"n={self.n} K={self.units} batch={self.batch} xi={self.xi[0]},{self.xi[1]}"


BOTH_5, BOTH_2 = (("loop", 5.0), ("vmap", 5.0)), (("loop", 2.0), ("vmap", 2.0))
SINGLE = (("loop", 50.0), ("vmap", 25.0))
CASES = (
    Case(40, 2, 1000, (2, 1), 8, 200, 200, 4, BOTH_5),
    Case(40, 2, 1000, (8, 4), 8, 200, 200, 4, BOTH_5),
    Case(100, 100, 1000, (2, 1), 2, 100, 50, 1, BOTH_2),
    Case(100, 100, 1000, (20, 10), 2, 100, 50, 1, BOTH_2),
    Case(400, 8, 1, (2, 1), 16, 20000, 1000, 20, SINGLE),
    Case(400, 8, 1, (40, 20), 16, 20000, 1000, 20, SINGLE),
)


def measure(quick: bool = False) -> dict[str, Any]:
    """Every case measured: rates and ratios as medians over the rounds, with all of their values.

    Raises InputError where BLAS was loaded with several threads: their waiting would be counted as work.
    """
    if os.environ.get("OMP_NUM_THREADS") != "1":
        raise InputError(
            "OMP_NUM_THREADS is not 1: BLAS has several threads, and CPU time would count their waiting.",
            "Run OMP_NUM_THREADS=1 gdln bench train.",
        )
    with _one_thread():
        cases = [_case(case, 1 if quick else ROUNDS, quick) for case in (CASES[:1] if quick else CASES)]
    return {"unit": "network-steps per CPU-second", "dtype": "float32", "cases": cases, "machine": _machine()}


def text(found: dict[str, Any]) -> str:
    """A table for a reader."""
    lines = [f"{found['unit']}, {found['dtype']}, one thread: medians of interleaved rounds", ""]
    for case in found["cases"]:
        lines.append(case["name"])
        for name, rate in case["rates"].items():
            shown = rate if isinstance(rate, str) else f"{rate:,.0f}"
            ratio = case["ratios"].get(name)
            goal = f" (goal {case['goals'][name]:g})" if name in case["goals"] else ""
            lines.append(f"  {name:<10} {shown:>12}" + (f"   sim is {ratio:.1f} x{goal}" if ratio else ""))
    lines += ["", f"{found['machine']['processor']}; {found['machine']['versions']}"]
    return "\n".join(lines)


def _case(case: Case, rounds: int, quick: bool) -> dict[str, Any]:
    contenders = _contenders(case, quick)
    for run in contenders.values():
        run()  # compiles and fills caches
    seen: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, run in contenders.items():
            begin = time.process_time()
            count = run()
            seen[name].append(count / (time.process_time() - begin))
    rates: dict[str, Any] = {name: median(values) for name, values in seen.items()}
    best = seen["sim"]
    ratios = {
        name: median(own / other for own, other in zip(best, values, strict=True))
        for name, values in seen.items()
        if name != "sim"
    }
    if find_spec("jax") is None:
        rates["vmap"] = "not installed"
    goals = dict(case.goals)
    return {"name": case.name, "rates": rates, "ratios": ratios, "goals": goals, "rounds": seen}


def _contenders(case: Case, quick: bool) -> dict[str, Callable[[], int]]:
    """What is timed: each runs some steps and returns how many network-steps these were."""
    share = 20 if quick else 1
    steps = max(1, case.steps // share)
    problem = _problem(case, steps)
    few = max(1, steps // 10)
    slow = _problem(case, few)

    def ours(backend: str, question: Problem, count: int) -> int:
        train(question, "cpu", dtype=torch.float32, backend=backend)
        return case.networks * count

    chosen = {
        "sim": lambda: ours("auto", problem, steps),
        "reference": lambda: ours("reference", slow, few),
        "loop": torch_loop(problem, max(1, case.loop_steps // share)),
    }
    if find_spec("numba") is not None:
        chosen["torch steps"] = lambda: ours("compiled-normals", slow, few)
    if find_spec("jax") is not None:
        chosen["vmap"] = jax_scan(problem, 64, max(1, case.scan_steps // share))
    return chosen


def _problem(case: Case, steps: int) -> Problem:
    law = NonlinearGP(case.n, case.xi, 1, "open", "unit-variance", (1, 0))
    start = NormalInitialisation(Fraction(1, 100), 0)
    simulation = Simulation("online", 1, _RATE, max(2, case.networks), 0, case.batch)
    return Problem(
        law, Network("relu", "mean", case.units), Training("half-mse", 1, start, (steps * _RATE,)), simulation
    )


@contextmanager
def _one_thread() -> Iterator[None]:
    """One thread of torch, and where the system allows it one processor for everything."""
    threads = torch.get_num_threads()
    allowed = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else None
    torch.set_num_threads(1)
    if allowed:
        os.sched_setaffinity(0, {max(allowed)})
    try:
        yield
    finally:
        torch.set_num_threads(threads)
        if allowed:
            os.sched_setaffinity(0, allowed)


def _machine() -> dict[str, Any]:
    versions = {}
    for name in ("torch", "numpy", "numba", "jax"):
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = "not installed"
    processor = platform.processor() or platform.machine()
    if os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
        processor = names[0] if names else processor
    blas = {name: os.environ.get(name, "unset") for name in ("OPENBLAS_CORETYPE", "OMP_NUM_THREADS")}
    return {
        "processor": processor,
        "system": platform.system(),
        "python": platform.python_version(),
        "vectors": torch.backends.cpu.get_cpu_capability(),
        "environment": blas,
        "versions": versions,
    }
