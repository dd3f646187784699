"""The GPUs of this machine and the cells of a sweep that run on them at once: as many as fit into the free memory.

Each cell in work on a GPU has a process of its own, which ends with it, so that all its memory is free again. A bound
on the bytes of a cell is known beforehand (`sim.memory`); free memory is asked when a sweep begins.
"""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import inf
from pathlib import Path

from theory.problem import Problem, WorkbenchError

# A process with a CUDA context, the kernels that torch loads, the workspaces of cuBLAS for three streams, 32 MiB each,
# and the rests of the blocks of 2 and 20 MiB in which torch takes memory. An estimate, not measured on a GPU.
PROCESS = 2**30
MOST_CLIENTS = 48  # processes that NVIDIA's MPS serves on one GPU
ALONE = inf  # the bytes of a cell that must not run beside others


@dataclass(frozen=True)
class Gpu:
    """A GPU: its name in CUDA_VISIBLE_DEVICES, and the bytes of its memory that are free."""

    name: str
    free: int


@dataclass(frozen=True)
class _Held:
    gpu: Gpu
    needs: float


@dataclass
class Room:
    """The memory of the GPUs and the cells in work on them.

    A cell is begun where its bytes fit beside those in work. One that fits on no GPU, even an empty one, is begun alone
    on the largest: its bytes are a bound, not a fact.

    >>> room = Room((Gpu("0", 10), Gpu("1", 7)))
    >>> [room.take(cell, needs) for cell, needs in (("a", 6), ("b", 6), ("c", 4), ("d", 20))]
    ['0', '1', '0', None]
    >>> room.leave("a"), room.leave("c"), room.take("d", 20), room.take("e", 1)  # d waited for an empty GPU
    (True, True, '0', '1')
    """

    gpus: tuple[Gpu, ...]
    _held: dict[str, _Held] = field(default_factory=dict)
    _crowded: set[str] = field(default_factory=set)

    def take(self, cell: str, needs: float) -> str | None:
        """Return the name of the GPU on which the cell begins, that with most memory left; None if it has to wait."""
        largest = max(self.gpus, key=lambda gpu: gpu.free)
        if needs > largest.free:
            chosen = None if self._on(largest) else largest
        else:
            roomy = max(self.gpus, key=self._left)
            chosen = roomy if needs <= self._left(roomy) else None
        if chosen is None:
            return None
        if others := self._on(chosen):
            self._crowded |= {cell, *others}
        self._held[cell] = _Held(chosen, needs)
        return chosen.name

    def leave(self, cell: str) -> bool:
        """Free the memory of a cell; return whether another cell was in work on its GPU at some time."""
        del self._held[cell]
        crowded = cell in self._crowded
        self._crowded.discard(cell)
        return crowded

    def _on(self, gpu: Gpu) -> list[str]:
        return [cell for cell, held in self._held.items() if held.gpu == gpu]

    def _left(self, gpu: Gpu) -> float:
        return gpu.free - sum(held.needs for held in self._held.values() if held.gpu == gpu)


def needed(problem: Problem, observables: Sequence[str], kind: str) -> int:
    """Return a bound on the bytes of a GPU that a cell needs with its process; 0 where `kind` is not "cuda"."""
    if kind != "cuda":
        return 0
    from sim.memory import bytes_on_gpu

    try:
        return PROCESS + bytes_on_gpu(problem, observables)
    except WorkbenchError:  # such as a data set that is not here: the cell itself says so
        return PROCESS


def visible() -> tuple[Gpu, ...]:
    """Return the GPUs that this process sees and can use, with their free memory; it then holds a context on each.

    Raises RuntimeError, torch's error, where it sees some and can use none.
    """
    import torch

    names = [name for name in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",") if name]
    found, errors = [], []
    for index in range(torch.cuda.device_count()):
        try:
            free, _ = torch.cuda.mem_get_info(index)
        except RuntimeError as error:  # such as one that others have filled, or that takes one process at a time
            errors.append(error)
        else:
            found.append(Gpu(names[index].strip() if names else str(index), free))
    if errors and not found:
        raise errors[0]
    return tuple(found)


def mps_runs() -> bool:
    """Return whether NVIDIA's Multi-Process Service seems to run: its control daemon has a pipe of this name."""
    return Path(os.environ.get("CUDA_MPS_PIPE_DIRECTORY", "/tmp/nvidia-mps"), "control").exists()


@dataclass(frozen=True)
class AtOnce:
    """The first `cells` of a sweep, which run at once, and why no more.

    `bound` is "memory" where a further cell does not fit, "workers" where no further process is allowed, "cells" where
    there is no further cell, and "gpu" where no GPU is here, so that `cells` is None. `least` and `most` are the bytes
    of a cell, `above` the number of cells that need more than any GPU has.
    """

    cells: int | None
    bound: str
    least: int
    most: int
    above: int
    gpus: tuple[Gpu, ...]


def at_once(needs: Iterable[int], gpus: tuple[Gpu, ...], workers: int) -> AtOnce | None:
    """Return how many cells are begun before one ends, for cells of `needs` bytes in their order; None for no cell.

    >>> at_once([6, 3, 3, 8], (Gpu("0", 10),), workers=16).cells, at_once([6, 3], (), workers=1).bound
    (2, 'gpu')
    """
    needs = list(needs)
    if not needs:
        return None
    if not gpus:
        return AtOnce(None, "gpu", min(needs), max(needs), 0, ())
    room, begun = Room(gpus), 0
    while begun < min(len(needs), workers) and room.take(str(begun), needs[begun]) is not None:
        begun += 1
    bound = "cells" if begun == len(needs) else "workers" if begun == workers else "memory"
    above = sum(one > max(gpu.free for gpu in gpus) for one in needs)
    return AtOnce(begun, bound, min(needs), max(needs), above, gpus)
