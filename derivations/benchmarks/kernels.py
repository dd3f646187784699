"""`gdln bench kernels`: empirical tangent kernels beside torch.func and neural-tangents.

The tangent kernel of POINTS inputs of dimension WIDTH through a ReLU network of LAYERS weight matrices, WIDTH units a
level and one output, in float32: `sim.kernels.tangent_kernel` beside the peers of `peers/tangents.py` with the same
weights and inputs. The tangent kernel of the infinitely wide network beside the recursion of neural-tangents, both from
the inputs on.
"""

from functools import partial
from typing import Any

import numpy as np
import torch

from derivations.benchmarks.machine import UNIT, one_thread, row
from derivations.benchmarks.peers import tangents
from sim.kernels import tangent_kernel
from sim.training.schedule import refuse_too_large
from theory.problem.numbers import whole

POINTS, WIDTH, LAYERS = 1000, 128, 5


def measure(points: int = POINTS, rounds: int = 5) -> dict[str, Any]:
    """Return seconds of every contender, the ratios to ours, and the distances of the entries.

    Raises InputError for fewer than 2 points, OutOfReachError for kernels that are too large for the memory of a run.
    """
    from theory.kernels.infinite import WideNetwork, gram_kernels

    points = whole(points, "points", least=2)
    refuse_too_large(f"The kernel of {points} points", points**2, torch.float32.itemsize, "Give fewer --points.")
    generator = torch.Generator().manual_seed(0)
    weights = [torch.randn(WIDTH, WIDTH, generator=generator) * (2 / WIDTH) ** 0.5 for _ in range(LAYERS - 1)]
    weights.append(torch.randn(1, WIDTH, generator=generator) * (1 / WIDTH) ** 0.5)
    inputs = torch.randn(points, WIDTH, generator=generator)
    x, wide = inputs.numpy(), WideNetwork("relu", LAYERS)
    contenders = {
        "sim": partial(tangent_kernel, weights, inputs, activation=torch.relu),
        "torch.func": tangents.by_jacobian(weights, inputs),
    }
    limits = {"theory": lambda: gram_kernels(x @ x.T / np.float32(WIDTH), wide).ntk}
    if tangents.installed() is not None:
        contenders["neural-tangents"] = tangents.neural_tangents(weights, inputs)
        limits["neural-tangents"] = tangents.recursion(LAYERS, x)
    with one_thread("gdln bench kernels"):
        rows = [
            row("tangent kernel", contenders, rounds),
            row("tangent kernel, infinitely wide", limits, rounds),
        ]
    return {
        "what": f"{points} inputs, {LAYERS} layers, width {WIDTH}, float32",
        "unit": UNIT,
        "neural-tangents": tangents.installed() or "not installed",
        "rows": rows,
    }
