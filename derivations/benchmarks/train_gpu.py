"""The GPU rows of `gdln bench train`: network-steps a second of `captured` and `fused`, beside goals and rooflines.

As many networks as fill a GPU are trained in float32, each on data of its own. Rates are by the clock, set-up included,
after a first short run, which compiles; medians of rounds. They are compared with a bound on paper from the published
rates of an H200, and the measured rates of products and copies in float32 say how fast this GPU is.
"""

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from statistics import median
from typing import Any

import torch

from derivations.benchmarks.fused_roofline import bound, operations_of_a_step
from derivations.benchmarks.roofline import measured_peaks
from sim.train import train
from theory.problem import OutOfReachError, Problem

ROUNDS = 3
BACKENDS = ("captured", "fused")


@dataclass(frozen=True)
class GpuCase:
    """A problem of many steps, the normal numbers that a tile of it needs, and the goal in network-steps a second."""

    name: str
    problem: Problem
    modes: int
    goal: float


def measure(
    cases: Sequence[GpuCase], device: str = "cuda", backends: Sequence[str] = BACKENDS
) -> dict[str, Any] | None:
    """Return the rates of each case by each back end, or None for a device that is absent."""
    if device == "cuda" and not torch.cuda.is_available():
        return None
    name = torch.cuda.get_device_name() if device == "cuda" else device
    rows = [_row(case, device, backends) for case in cases]
    return {"device": name, "unit": "network-steps per second", "peaks": asdict(measured_peaks(device)), "rows": rows}


def text(found: dict[str, Any] | None) -> str:
    """Return the rows for a reader."""
    if found is None:
        return "GPU: none here, nothing measured."
    lines = [f"GPU: {found['device']}, {found['unit']}, float32"]
    for row in found["rows"]:
        lines.append(
            f"{row['name']}: goal {row['goal']:,.0f}; on paper {row['estimate']['rate']:,.0f}, limited by "
            f"{row['estimate']['limit']}"
        )
        for backend, rate in row["rates"].items():
            said = (
                rate
                if isinstance(rate, str)
                else f"{rate:>15,.0f}   {100 * row['shares'][backend]:.1f} % of the estimate"
            )
            lines.append(f"  {backend:<10} {said}")
    return "\n".join(lines)


def _row(case: GpuCase, device: str, backends: Sequence[str]) -> dict[str, Any]:
    network, settings = case.problem.network, case.problem.simulated()
    work = operations_of_a_step(case.problem.data.n, network.units, settings.batch, case.modes, settings.replicates)
    most, limit = bound(work)
    rates: dict[str, Any] = {}
    for backend in backends:
        try:
            rates[backend] = _rate(case.problem, device, backend)
        except OutOfReachError as refused:
            rates[backend] = refused.message
    shares = {backend: rate / most for backend, rate in rates.items() if not isinstance(rate, str)}
    reached = any(rates[backend] >= case.goal for backend in shares)
    estimate = {"rate": most, "limit": limit, "of": "H200, published rates, on paper"}
    return {
        "name": case.name,
        "goal": case.goal,
        "reached": reached,
        "rates": rates,
        "shares": shares,
        "estimate": estimate,
    }


def _rate(problem: Problem, device: str, backend: str) -> float:
    def seconds(question: Problem) -> float:
        begin = time.perf_counter()
        train(question, device, dtype=torch.float32, backend=backend)
        return time.perf_counter() - begin

    rate, times = problem.simulated().learning_rate, problem.training.times
    seconds(replace(problem, training=replace(problem.training, times=(problem.training.tau * rate,))))
    steps = times[-1] / (problem.training.tau * rate)
    return float(problem.simulated().replicates * steps / median(seconds(problem) for _ in range(ROUNDS)))
