"""The part of a sweep's plan that says how many cells run at once on the GPUs of this machine, and why."""

from collections.abc import Iterator
from typing import Any

from derivations.output import counted
from derivations.sweeps.gpus import PROCESS, AtOnce, at_once, mps_runs, needed
from derivations.sweeps.looking import Look
from derivations.sweeps.running import Swept, absent, kind_of
from derivations.sweeps.workers import visible_gpus
from theory.problem import Problem

_COUNTED = 256  # cells of a large sweep, whose problems are declared one after the other


def planned(found: Swept | Look, device: str, workers: int) -> AtOnce | None:
    """Return how many of the missing cells run at once on GPUs; None on a CPU, and where nothing is missing.

    Of a large sweep the first 256 cells stand for those that are missing. Raises OutOfReachError as `visible_gpus`.
    """
    if (kind := kind_of(device)) != "cuda" or not found.to_make["cells"]:
        return None
    sweep = found.sweep
    needs = [needed(problem, sweep.observables, kind) for problem in _problems(found)]
    return at_once(needs, visible_gpus(kind), workers)


def content(answer: AtOnce) -> dict[str, Any]:
    """Return the object of `--json`."""
    return {
        "cells": answer.cells,
        "bound": answer.bound,
        "bytes": [answer.least, answer.most],
        "alone": answer.above,
        "gpus": [vars(gpu) for gpu in answer.gpus],
        "mps": mps_runs() if answer.gpus else None,
    }


def lines(answer: AtOnce) -> list[str]:
    """Return sentences for a reader.

    >>> print(*lines(AtOnce(None, "gpu", 2**31, 2**32, 0, ())))
    At once: unknown, because there is no GPU here. A cell needs 2 to 4 GiB by an estimate, 1 GiB of it for its process.
    """
    least, most = (f"{bytes_ / 2**30:.3g}" for bytes_ in (answer.least, answer.most))
    each = least if least == most else f"{least} to {most}"
    needs = f"A cell needs {each} GiB by an estimate, {PROCESS / 2**30:.3g} GiB of it for its process."
    if answer.bound == "gpu":
        return [f"At once: unknown, because there is no GPU here. {needs}"]
    free = ", ".join(f"{gpu.free / 2**30:.3g}" for gpu in answer.gpus)
    why = {
        "memory": "no further one fits into the memory",
        "workers": "no more processes are allowed (--workers)",
        "cells": "no other is missing",
    }[answer.bound]
    said = [
        f"At once: {counted(answer.cells, 'cell')} on {counted(len(answer.gpus), 'GPU')} with {free} GiB free, because "
        f"{why}. {needs}"
    ]
    if answer.above:
        said += [f"{counted(answer.above, 'cell')} of these may need more than there is, and will be tried alone."]
    if answer.cells > len(answer.gpus):
        with_mps = "NVIDIA MPS runs here, so that kernels of several processes run side by side."
        without = "NVIDIA MPS does not run here: processes take turns on a GPU. nvidia-cuda-mps-control -d starts it."
        said += [with_mps if mps_runs() else without]
    return said


def _problems(found: Swept | Look) -> Iterator[Problem]:
    if isinstance(found, Swept):
        yield from (outcome.cell.problem for outcome in absent(found.outcomes))
        return
    declared = (found.sweep.cell(found.sweep.index(place)).problem for place in range(min(found.sweep.size, _COUNTED)))
    yield from (problem for problem in declared if problem is not None)
