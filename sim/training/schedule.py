"""The schedule of a run: device, floating-point type, and limits of memory and time."""

from decimal import Decimal

import torch

from sim.training.device_names import DEVICES
from theory.problem import InputError, OutOfReachError, Problem

_DTYPES = {"float64": torch.float64, "float32": torch.float32}

_LARGEST_MEMORY = 4 * 2**30
# Limits of a run. One core trains about 6e6 examples a second at n = 4 and K = 2, so that 1e12 of them take two days,
# and more at larger sizes; a step of a small batch takes 5e-5 s, so that 1e9 steps in a row take half a day.
_MOST_EXAMPLES, _MOST_STEPS = 10**12, 10**9


def device_named(name: str) -> torch.device:
    """Return the device "cpu" or "cuda"; "auto" is cuda where there is one.

    Raises InputError for another name, OutOfReachError for cuda where there is none.
    """
    if name not in DEVICES:
        raise InputError(f"device = {name!r} is not known.", f"Choose one of: {', '.join(DEVICES)}.")
    available = torch.cuda.is_available()
    if name == "cuda" and not available:
        raise OutOfReachError(
            "There is no CUDA device here (or torch was built without CUDA).", "Use --device cpu or auto.", "device"
        )
    return torch.device("cuda" if available and name != "cpu" else "cpu")


def dtype_of(problem: Problem) -> torch.dtype:
    """Return the floating-point type that simulation.dtype names."""
    return _DTYPES[problem.simulated().dtype]


def name_of(dtype: torch.dtype) -> str:
    """Return the name of a floating-point type for simulation.dtype. Raises InputError for another type.

    >>> name_of(torch.float32)
    'float32'
    """
    for name, kind in _DTYPES.items():
        if kind == dtype:
            return name
    raise InputError(f"Networks are not trained in {dtype}.", f"Choose one of: {', '.join(_DTYPES)}.")


def refuse_too_large(what: str, numbers: int, itemsize: int, remedy: str) -> None:
    """Raise OutOfReachError where an array of `numbers` entries exceeds the memory limit of a run."""
    if numbers * itemsize > _LARGEST_MEMORY:
        raise OutOfReachError(
            f"{what} would take {numbers * itemsize / 2**30:.1f} GiB; the limit is {_LARGEST_MEMORY / 2**30:.0f} GiB.",
            remedy,
            "memory",
        )


def refuse_endless(steps: int, replicates: int, examples_per_step: int) -> None:
    """Raise OutOfReachError where training would exceed the limits on steps or examples."""
    examples = steps * replicates * examples_per_step
    if steps > _MOST_STEPS or examples > _MOST_EXAMPLES:
        raise OutOfReachError(
            f"Training would take {_short(steps * replicates)} network-steps ({_short(steps)} for each of {replicates} "
            f"replicates) and {_short(examples)} examples; the limits are {_short(_MOST_STEPS)} steps in a row and "
            f"{_short(_MOST_EXAMPLES)} examples.",
            "Use shorter times, a larger learning_rate, smaller batches (samples, if full-batch) or fewer replicates.",
            "time",
        )


def refuse_endless_measurement(problem: Problem, replicates: int) -> None:
    """Raise OutOfReachError where measuring would take too many fresh examples, at each time and once for moments."""
    samples, times = problem.simulated().samples, len(problem.training.times)
    examples = samples * replicates * (times + 1)
    if examples > _MOST_EXAMPLES:
        raise OutOfReachError(
            f"Measuring would take {_short(examples)} examples ({_short(samples)} for each of {replicates} replicates, "
            f"at {times} times and once more for moments); the limit is {_short(_MOST_EXAMPLES)}.",
            "Lower simulation.samples or replicates.",
            "time",
        )


def _short(count: int) -> str:
    """Return the count, to three digits where it is long; Decimal, because a float might overflow."""
    return str(count) if count < 10**6 else f"{Decimal(f'{Decimal(count):.3g}').normalize():e}"
