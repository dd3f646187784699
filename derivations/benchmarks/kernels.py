"""`gdln bench kernels`: empirical tangent kernels and path kernels beside torch.func and neural-tangents.

The tangent kernel of POINTS inputs of dimension WIDTH through a ReLU network of LAYERS weight matrices, 4 hidden layers
of WIDTH units and one output, in float32: `sim.kernels.tangent_kernel` and the peers of `peers/tangents.py`, all with
the same weights and inputs. The path kernel of its gates: `sim.kernels.path_kernel` and the product of whole Gram
matrices. The tangent kernel of the infinitely wide network: `theory.kernels.infinite.gram_kernels` and the recursion of
neural-tangents, both from the inputs on. The rounds of all contenders of a kernel are interleaved in one process and on
one thread; each is called once before, which compiles. Entries are compared with those in float64 for the same weights,
inputs and gates.
"""

import resource
import sys
import time
from collections.abc import Callable
from functools import partial
from statistics import median
from typing import Any

import numpy as np
import torch

from derivations.benchmarks.machine import one_thread
from derivations.benchmarks.peers import tangents
from sim.kernels import gates_of, path_kernel, tangent_kernel
from sim.training.schedule import refuse_too_large
from theory.problem.numbers import whole

POINTS, WIDTH, LAYERS, ROUNDS = 1000, 128, 5, 15
SLOW_ROUNDS = 3  # of contenders that take longer than SLOW seconds
SLOW = 0.5
LARGER = 4  # times as many inputs, for the growth of time and memory
GOALS = {"jacobian": 40.0, "neural-tangents": 1.0}
RECURSION_GOAL, RECURSION_ERROR = 4.0, 1e-6
NOT_INSTALLED = "neural-tangents is not installed"

Contender = Callable[[], Any]


def measure(points: int = POINTS, rounds: int | None = None) -> dict[str, Any]:
    """Seconds of processor time of every contender, the ratios to sim's, and the errors of float32.

    Raises InputError for fewer than 2 points, OutOfReachError for kernels that are too large for the memory of a run.
    """
    points, rounds = whole(points, "points", least=2), rounds or ROUNDS
    largest = LARGER * points
    what = f"The kernel of {LARGER} times {points} points"
    refuse_too_large(what, largest**2, torch.float32.itemsize, "Give fewer --points.")
    with one_thread("gdln bench kernels"):
        weights, inputs = _network(points)
        gates = gates_of(weights[:-1], inputs, gate=_step, activation=torch.relu)
        larger = _larger(weights, points)  # first, while no contender has raised the peak of the memory
        seconds, spread, found = _timed(_tangent_contenders(weights, inputs), rounds)
        path_seconds, path_spread, path_found = _timed(
            {"sim": partial(path_kernel, inputs, gates), "whole matrices": partial(_whole, inputs, gates)}, rounds
        )
        recursion = _recursion(inputs, rounds)
        errors = _errors(weights, inputs, gates)
    ratios = {name: seconds[name] / seconds["sim"] for name in seconds if name != "sim"}
    best = min((name for name in ratios if name in tangents.NEURAL_TANGENTS), key=ratios.__getitem__, default=None)
    goals = {"jacobian": ratios["jacobian"], "neural-tangents": None if best is None else ratios[best]}
    return {
        "unit": "seconds of processor time, one thread, float32: medians of interleaved rounds",
        "points": points,
        "width": WIDTH,
        "layers": LAYERS,
        "rounds": rounds,
        "tangent": {
            "seconds": {**seconds, **({} if best else dict.fromkeys(tangents.NEURAL_TANGENTS, NOT_INSTALLED))},
            "range": spread,
            "apart": _apart(found),
            "ratios": ratios,
            "goals": [
                {"beside": name, "goal": goal, "ratio": goals[name], "reached": _reached(goals[name], goal)}
                for name, goal in GOALS.items()
            ],
            "best of neural-tangents": best,
            "version of neural-tangents": tangents.installed() or "not installed",
        },
        "path": {
            "seconds": path_seconds,
            "range": path_spread,
            "apart": _apart(path_found),
            "ratios": {"whole matrices": path_seconds["whole matrices"] / path_seconds["sim"]},
        },
        "recursion": recursion,
        "larger": larger,
        "errors": errors,
    }


def _network(points: int, seed: int = 0) -> tuple[list[torch.Tensor], torch.Tensor]:
    """Return weights of variance 2/WIDTH, 1/WIDTH in the last layer, and standard normal inputs."""
    generator = torch.Generator().manual_seed(seed)
    hidden = [torch.randn(WIDTH, WIDTH, generator=generator) * (2 / WIDTH) ** 0.5 for _ in range(LAYERS - 1)]
    last = torch.randn(1, WIDTH, generator=generator) * (1 / WIDTH) ** 0.5
    return [*hidden, last], torch.randn(points, WIDTH, generator=generator)


def _tangent_contenders(weights: list[torch.Tensor], inputs: torch.Tensor) -> dict[str, Contender]:
    found: dict[str, Contender] = {
        "sim": partial(tangent_kernel, weights, inputs, activation=torch.relu),
        "layerwise": tangents.layerwise(weights, inputs),
        "jacobian": tangents.by_jacobian(weights, inputs),
        "vector": tangents.by_vector_products(weights, inputs),
    }
    if tangents.installed() is not None:
        arrays = [matrix.numpy() for matrix in weights]
        found |= {name: tangents.neural_tangents(name, arrays, inputs.numpy()) for name in tangents.NEURAL_TANGENTS}
    return found


def _timed(
    contenders: dict[str, Contender], rounds: int
) -> tuple[dict[str, float], dict[str, list[float]], dict[str, torch.Tensor]]:
    """Return medians and ranges of the seconds of each contender, and the kernel of its first call.

    A contender that takes longer than SLOW seconds has SLOW_ROUNDS rounds, spread evenly among those of the others.
    Each round begins with another contender, so that none always finds the caches as the same other one leaves them.
    """
    results, seen = {}, {}
    for name, run in contenders.items():
        made = run()
        results[name] = made if isinstance(made, torch.Tensor) else torch.as_tensor(np.array(made))
        seen[name] = [_seconds(run)]
    every = {name: -(-rounds // SLOW_ROUNDS) if first > SLOW else 1 for name, (first,) in seen.items()}
    names = list(contenders)
    for number in range(1, rounds):
        turn = number % len(names)
        for name in names[turn:] + names[:turn]:
            if number % every[name] == 0:
                seen[name].append(_seconds(contenders[name]))
    return (
        {name: median(values) for name, values in seen.items()},
        {name: [min(values), max(values)] for name, values in seen.items()},
        results,
    )


def _seconds(run: Contender) -> float:
    begin = time.process_time()
    run()
    return time.process_time() - begin


def _apart(found: dict[str, torch.Tensor]) -> dict[str, float]:
    """Return the largest difference of each contender's entries from sim's, over the largest entry."""
    own = found["sim"].double()
    return {
        name: float((kernel.double() - own).abs().max() / own.abs().max())
        for name, kernel in found.items()
        if name != "sim"
    }


def _recursion(inputs: torch.Tensor, rounds: int) -> dict[str, Any]:
    """Return seconds and errors of the kernel of the infinitely wide network, from the inputs on.

    An error is the largest difference from float64, over the largest entry; the goal is judged for the fastest way of
    the workbench whose error is at most RECURSION_ERROR.
    """
    from theory.kernels.infinite import WideNetwork, gram_kernels

    network, single = WideNetwork("relu", LAYERS), inputs.numpy()

    def own(x: np.ndarray) -> np.ndarray:
        return gram_kernels(x @ x.T / np.asarray(x.shape[1], x.dtype), network).ntk

    double = single.astype(float)
    contenders: dict[str, Contender] = {"theory float32": partial(own, single), "theory float64": partial(own, double)}
    if tangents.installed() is not None:
        contenders["neural-tangents"] = tangents.recursion(LAYERS, single)
    seconds, spread, found = _timed(contenders, rounds)
    exact = own(double)
    errors = {name: float(np.abs(kernel.numpy() - exact).max() / exact.max()) for name, kernel in found.items()}
    fit = [name for name in contenders if name.startswith("theory") and errors[name] <= RECURSION_ERROR]
    chosen = min(fit, key=seconds.__getitem__)
    ratios = {
        name: seconds["neural-tangents"] / seconds[name]
        for name in contenders
        if name.startswith("theory") and "neural-tangents" in seconds
    }
    ratio = ratios.get(chosen)
    return {
        "seconds": seconds if "neural-tangents" in seconds else {**seconds, "neural-tangents": NOT_INSTALLED},
        "range": spread,
        "errors": errors,
        "ratios": ratios,
        "goal": {
            "largest error": RECURSION_ERROR,
            "way": chosen,
            "goal": RECURSION_GOAL,
            "ratio": ratio,
            "reached": _reached(ratio, RECURSION_GOAL),
        },
    }


def _larger(weights: list[torch.Tensor], points: int) -> dict[str, float]:
    """Return the seconds of the kernel of LARGER times as many inputs, and the growth of the peak memory by it."""
    inputs = torch.randn(LARGER * points, WIDTH, generator=torch.Generator().manual_seed(1))
    before = _peak()
    seconds = min(_seconds(partial(tangent_kernel, weights, inputs, activation=torch.relu)) for _ in range(2))
    return {
        "points": LARGER * points,
        "seconds": seconds,
        "megabytes of the kernel": (LARGER * points) ** 2 * 4 / 1e6,
        "megabytes of growth": max(0.0, _peak() - before),
    }


def _peak() -> float:
    """Return the largest memory of this process so far, in megabytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak / 1e3


def _errors(weights: list[torch.Tensor], inputs: torch.Tensor, gates: list[torch.Tensor]) -> dict[str, float]:
    """Return the largest errors of float32, over the geometric mean of the two diagonal entries, by kernel."""
    double = [matrix.double() for matrix in weights]
    x, g = inputs.double(), [gate.double() for gate in gates]
    pairs = {
        "tangent": (tangent_kernel(weights, inputs, gates=gates), tangent_kernel(double, x, gates=g)),
        "path": (path_kernel(inputs, gates), path_kernel(x, g)),
    }
    found = {}
    for name, (single, exact) in pairs.items():
        size = exact.diagonal().sqrt()
        found[name] = float(((single.double() - exact).abs() / torch.outer(size, size)).max())
    own = gates_of(double[:-1], x, gate=_step, activation=torch.relu)
    found["gates that differ"] = int(sum((a != b).sum() for a, b in zip(own, g, strict=True)))
    return found


def _whole(inputs: torch.Tensor, gates: list[torch.Tensor]) -> torch.Tensor:
    """Return the path kernel as the product of whole Gram matrices."""
    kernel = inputs @ inputs.T
    for gate in gates:
        kernel *= gate @ gate.T
    return kernel


def _step(q: torch.Tensor) -> torch.Tensor:
    return q > 0


def _reached(ratio: float | None, goal: float) -> bool | None:
    return None if ratio is None else ratio >= goal


def _outcome(reached: bool | None) -> str:
    return "not measured" if reached is None else "reached" if reached else "missed"


def text(found: dict[str, Any]) -> str:
    """A table for a reader."""
    lines = [f"{found['unit']}; {found['points']} inputs, {found['layers']} layers, width {found['width']}"]
    for kind in ("tangent", "path"):
        part = found[kind]
        lines.append(f"{kind} kernel")
        for name, took in part["seconds"].items():
            if isinstance(took, str):
                lines.append(f"  {name:<16} {took}")
                continue
            beside = f"   sim is {part['ratios'][name]:.1f} x, apart {part['apart'][name]:.0e}" if name != "sim" else ""
            lines.append(f"  {name:<16} {1e3 * took:>10.1f} ms{beside}")
    for goal in found["tangent"]["goals"]:
        lines.append(f"goal {goal['goal']:g} x {goal['beside']}: {_outcome(goal['reached'])}")
    recursion = found["recursion"]
    lines.append("tangent kernel of the infinitely wide network")
    for name, took in recursion["seconds"].items():
        if isinstance(took, str):
            lines.append(f"  {name:<16} {took}")
            continue
        beside = f", {recursion['ratios'][name]:.1f} x neural-tangents" if name in recursion["ratios"] else ""
        lines.append(f"  {name:<16} {1e3 * took:>10.1f} ms   error {recursion['errors'][name]:.0e}{beside}")
    lines.append(f"goal {recursion['goal']['goal']:g} x neural-tangents: {_outcome(recursion['goal']['reached'])}")
    larger, errors = found["larger"], found["errors"]
    lines.append(
        f"{larger['points']} inputs: {larger['seconds']:.3g} s, peak memory + {larger['megabytes of growth']:.0f} MB"
    )
    lines.append(
        f"error of float32: tangent {errors['tangent']:.1e}, path {errors['path']:.1e}; "
        f"{errors['gates that differ']} gates differ"
    )
    return "\n".join(lines)
