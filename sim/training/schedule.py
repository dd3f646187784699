"""The schedule of a run: device, floating-point type, networks trained side by side, and limits of memory and time."""

from decimal import Decimal
from math import ceil

import torch

from sim.training.device_names import DEVICES
from sim.training.sizes import GROUP_NUMBERS, columns, grouping, units_in_all
from sim.training.times import steps_at_times
from theory.problem import DeepNetwork, InputError, OutOfReachError, Problem

_DTYPES = {"float64": torch.float64, "float32": torch.float32}

_BLOCK_ENTRIES = 2**18
_TILE_ROWS = 24
_FLOAT64_BYTES = 8
# The C library keeps freed arrays of up to 32 MB between those in use. In 60 processes, whose addresses are random, the
# peak was .57 to 1.07 of the sum of the arrays.
_FRAGMENTED = 1.5
TILE = 1024  # examples that the compiled loops colour in one pass; a power of two is faster than its neighbours
_LARGEST_MEMORY = 4 * 2**30
_DEVICE_MEMORY = 2 * 2**30  # default bound on a GPU, which is busy long before its memory is full
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


def bytes_of_one(problem: Problem, examples_per_step: int, itemsize: int, compiled: bool = False) -> int:
    """Return a bound on the bytes of memory that training takes for one network, in torch or compiled.

    A block of fresh examples has noise, z and x, and copies of them while they are sorted by class (5 n in all), gates
    twice (2 K) and labels. A step has pre-activations, values, derivatives and gradients by them (8 K) and residuals.
    Parameters are stored about twelve times, including the optimiser's means and the temporaries of a step, and for
    each time once as they are taken and twice in float64, by group and joined. A tile of the compiled loops has a row
    for each mode, and a few more.
    """
    n = problem.data.n
    units = units_in_all(problem)
    steps = min(grouping(examples_per_step, columns(problem)).steps, steps_at_times(problem)[-1])
    if compiled:
        steps = block_steps(n, examples_per_step)
    rows = examples_per_step * steps if problem.simulated().mode == "online" else 0
    learned = sum(parameter.size for parameter in problem.parameters)
    numbers = rows * (5 * n + 2 * units + 4) + examples_per_step * (8 * units + 4)
    if compiled:
        numbers += TILE * (n + _TILE_ROWS)
    times = len(problem.training.times)
    arrays = itemsize * (numbers + (12 + times) * learned) + _FLOAT64_BYTES * 2 * times * learned
    return ceil(_FRAGMENTED * arrays)


def networks_at_once(
    problem: Problem,
    examples_per_step: int,
    itemsize: int,
    device: torch.device,
    memory: int | None,
    compiled: bool = False,
) -> int:
    """Return how many networks are trained side by side: on a CPU as many as fit the caches, within `memory` bytes.

    The compiled loops train one after another. Networks that share one stream are grouped as far as the size of their
    pre-activations allows, so that their examples are drawn once. With `memory` = None there is no bound on a CPU and a
    bound of 2 GiB on a GPU. Raises InputError for a bound below 1, and OutOfReachError where one network exceeds it.
    """
    if memory is not None and memory < 1:
        raise InputError(f"memory = {memory} bytes holds nothing.", "Give a positive number of bytes, or leave it out.")
    at_once = 1 if compiled else grouping(examples_per_step, columns(problem)).replicates
    if problem.simulated().shared_stream:
        at_once = max(at_once, GROUP_NUMBERS // (examples_per_step * _widest(problem)))
    if memory is None and device.type == "cpu":
        return at_once
    one, budget = bytes_of_one(problem, examples_per_step, itemsize, compiled), memory or _DEVICE_MEMORY
    if memory is not None and one > memory:
        raise OutOfReachError(
            f"Training one network takes up to {one / 2**20:.3g} MiB; the memory allowed is {memory / 2**20:.3g} MiB.",
            "Allow more, or use smaller batches, fewer units or fewer times.",
            "memory",
        )
    fitting = max(1, budget // one)
    return min(at_once, fitting) if device.type == "cpu" else fitting


def _widest(problem: Problem) -> int:
    """Return the number of units of a network, or of the widest level of a deep one."""
    return columns(problem) if isinstance(problem.network, DeepNetwork) else problem.network.units


def block_rows(n: int) -> int:
    """Return the number of examples of n sites in a block of the compiled loops."""
    return max(1, _BLOCK_ENTRIES // n)


def block_steps(n: int, batch: int) -> int:
    """Return the number of steps on a block of the compiled loops."""
    return max(1, block_rows(n) // batch)


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
