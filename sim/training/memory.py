"""The memory that training takes, known without torch, and how many networks are trained side by side within it."""

from math import ceil

from sim.training.sizes import GROUP_NUMBERS, columns, grouping, units_in_all
from sim.training.times import steps_at_times
from theory.problem import DeepNetwork, InputError, OutOfReachError, Problem

_BLOCK_ENTRIES = 2**18
_TILE_ROWS = 24
_FLOAT64_BYTES = 8
# The C library keeps freed arrays of up to 32 MB between those in use. In 60 processes, whose addresses are random, the
# peak was .57 to 1.07 of the sum of the arrays.
FRAGMENTED = 1.5
TILE = 1024  # examples that the compiled loops colour in one pass; a power of two is faster than its neighbours
_DEVICE_MEMORY = 2 * 2**30  # default bound on a GPU, which is busy long before its memory is full


def bytes_of_one(problem: Problem, examples_per_step: int, itemsize: int, compiled: bool = False) -> int:
    """Return a bound on the bytes of memory that training takes for one network, in torch or compiled.

    A block of fresh examples has noise, z and x, and copies of them while they are sorted by class (5 n in all), gates
    twice (2 K) and labels. A step has pre-activations, values, derivatives and gradients by them (8 K) and residuals.
    Parameters are stored about twelve times, including the optimiser's means and the temporaries of a step, and for
    each time once as they are taken and twice in float64, by group and joined. A tile of the compiled loops has a row
    for each mode, and a few more.
    """
    n = problem.data.n
    steps = min(grouping(examples_per_step, columns(problem)).steps, steps_at_times(problem)[-1])
    if compiled:
        steps = block_steps(n, examples_per_step)
    rows = examples_per_step * steps if problem.simulated().mode == "online" else 0
    numbers = rows * example_numbers(problem) + step_numbers(problem, examples_per_step)
    if compiled:
        numbers += TILE * (n + _TILE_ROWS)
    times, learned = len(problem.training.times), learned_numbers(problem)
    arrays = itemsize * (numbers + times * learned) + _FLOAT64_BYTES * 2 * times * learned
    return ceil(FRAGMENTED * arrays)


def example_numbers(problem: Problem) -> int:
    """Return the numbers of a fresh example while it is drawn; see `bytes_of_one`."""
    return 5 * problem.data.n + 2 * units_in_all(problem) + 4


def step_numbers(problem: Problem, examples: int) -> int:
    """Return the numbers of a step of one network, with its parameters; see `bytes_of_one`."""
    return examples * (8 * units_in_all(problem) + 4) + 12 * learned_numbers(problem)


def learned_numbers(problem: Problem) -> int:
    """Return the number of parameters of a network."""
    return sum(parameter.size for parameter in problem.parameters)


def networks_at_once(
    problem: Problem,
    examples_per_step: int,
    itemsize: int,
    device: str,
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
    if memory is None and device == "cpu":
        return at_once
    one, budget = bytes_of_one(problem, examples_per_step, itemsize, compiled), memory or _DEVICE_MEMORY
    if memory is not None and one > memory:
        raise OutOfReachError(
            f"Training one network takes up to {one / 2**20:.3g} MiB; the memory allowed is {memory / 2**20:.3g} MiB.",
            "Allow more, or use smaller batches, fewer units or fewer times.",
            "memory",
        )
    fitting = max(1, budget // one)
    return min(at_once, fitting) if device == "cpu" else fitting


def _widest(problem: Problem) -> int:
    """Return the number of units of a network, or of the widest level of a deep one."""
    return columns(problem) if isinstance(problem.network, DeepNetwork) else problem.network.units


def block_rows(n: int) -> int:
    """Return the number of examples of n sites in a block of the compiled loops."""
    return max(1, _BLOCK_ENTRIES // n)


def block_steps(n: int, batch: int) -> int:
    """Return the number of steps on a block of the compiled loops."""
    return max(1, block_rows(n) // batch)
