"""The roofline of a training step: which of a device's matrix products and memory binds it, and the share reached.

A step of F operations that moves B bytes takes at least max(F/P, B/M) seconds on a device that multiplies matrices at P
operations a second and copies memory at M bytes a second. Both are measured on the device, not taken from its data
sheet. B counts the weights, and the optimiser's numbers for them, once for each pass over them, and neither the levels
nor arrays in between. A share above 1 means that a cache held the weights from one pass to the next.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

import torch

_SIDES = {"cpu": 1024, "cuda": 8192}  # of the matrices of the product
_NUMBERS = {"cpu": 2**25, "cuda": 2**28}  # of a copy, which no cache holds
_REPEATS = 5


@dataclass(frozen=True)
class Work:
    """The floating-point operations and the bytes of a step of all networks."""

    operations: float
    bytes: float


@dataclass(frozen=True)
class Peaks:
    """Rates that a device reaches: operations a second in a product of large matrices, bytes a second in a copy."""

    device: str
    operations: float
    bytes: float


@dataclass(frozen=True)
class Roofline:
    """The shortest time of a step by the peaks, in seconds, what binds it, and the share of it that a step reached.

    >>> Roofline.of(Work(2e9, 1e9), Peaks("cpu", 1e10, 1e10), seconds=0.5)
    Roofline(least=0.2, binds='products', share=0.4)
    """

    least: float
    binds: str
    share: float

    @classmethod
    def of(cls, work: Work, peaks: Peaks, seconds: float) -> "Roofline":
        """Return the roofline of a step that took `seconds`."""
        products, memory = work.operations / peaks.operations, work.bytes / peaks.bytes
        least = max(products, memory)
        return cls(least, "products" if products >= memory else "memory", least / seconds)


def work_of_a_step(sizes: Sequence[int], networks: int, batch: int, itemsize: int, plain: bool) -> Work:
    """Return the work of a step of fully connected networks with the given numbers of nodes, inputs first.

    Each layer has a product forward, one onto its weights, and one back to its source, which the first layer leaves
    out. Plain descent reads the weights in each pass forward and back, and reads and writes them in the step; another
    optimiser also writes and reads the gradient, and reads and writes two means.

    >>> work_of_a_step((2, 3, 1), 1, 10, 4, plain=True)  # 2 x 10 x (2 x 6 + 3 x 3), and 4 x (3 x 6 + 4 x 3)
    Work(operations=420.0, bytes=120.0)
    """
    layers = [before * after for before, after in pairwise(sizes)]
    products = 2 * layers[0] + 3 * sum(layers[1:])
    passes = 3 * layers[0] + 4 * sum(layers[1:]) + (0 if plain else 6 * sum(layers))
    return Work(2.0 * networks * batch * products, float(networks * itemsize * passes))


def measured_peaks(device: str = "cpu", repeats: int = _REPEATS) -> Peaks:
    """Return the rates of a device in float32, medians of `repeats` after a first run."""
    side, numbers = _SIDES[device], _NUMBERS[device]
    a, b = (torch.randn(side, side, device=device) for _ in range(2))
    out, source = torch.empty_like(a), torch.zeros(numbers, device=device)
    target = torch.empty_like(source)
    product = seconds_of(lambda: torch.mm(a, b, out=out), device, repeats)
    copy = seconds_of(lambda: target.copy_(source), device, repeats)
    return Peaks(device, 2.0 * side**3 / product, 2.0 * source.nbytes / copy)


def seconds_of(run: Callable[[], object], device: str, repeats: int = _REPEATS) -> float:
    """Return the median time of a call after a first one: of the processor, or of the clock for a device beside it.

    >>> 0 <= seconds_of(lambda: None, "cpu") < 1
    True
    """
    seen = []
    for _ in range(repeats + 1):
        begin = now(device)
        run()
        seen.append(now(device) - begin)
    return median(seen[1:])


def now(device: str) -> float:
    """Return the time in seconds: of the processor, or of the clock once a device beside it has done its work.

    >>> now("cpu") <= now("cpu")
    True
    """
    if device == "cuda":
        torch.cuda.synchronize()
    return time.process_time() if device == "cpu" else time.perf_counter()
