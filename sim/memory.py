"""The memory of a GPU that a cell of a sweep needs, known without torch: to train its networks, and to measure them.

Steps are those of the captured back end, which "auto" chooses on a GPU.
"""

from collections.abc import Sequence
from functools import singledispatch
from math import ceil

from sim.training.memory import (
    FRAGMENTED,
    bytes_of_one,
    example_numbers,
    learned_numbers,
    networks_at_once,
    step_numbers,
)
from sim.training.sizes import (
    CHUNK_NUMBERS,
    MOST_KEPT,
    PART_NUMBERS,
    PENALTY_NUMBERS,
    SAMPLE_ROWS,
    columns,
    grouping,
    units_in_all,
)
from sim.training.times import steps_at_times
from theory.problem import FiniteData, InputMoment, Law, Problem
from theory.problem.discovery import registered
from theory.problem.distributions.ising import Ising
from theory.problem.distributions.ising_2d import Ising2D
from theory.problem.distributions.mixture import Mixture
from theory.problem.distributions.rows import RowsLaw

_BYTES = {"float64": 8, "float32": 4}
_FLOAT64 = _BYTES["float64"]
# An example while it is drawn, beyond `bytes_of_one`, which counts an erf of a Gaussian: arrays of the size of x, for
# other nonlinearities and for integers of 64 bits beside float32, and numbers, for classes, scales and the generator.
# They bound the draws of all laws (tests/sim/test_memory.py counts).
_ARRAYS, _NUMBERS = 7, 64


def bytes_on_gpu(problem: Problem, observables: Sequence[str] = ()) -> int:
    r"""Return a bound on the bytes of a GPU that training a problem and measuring `observables` (names) allocate.

    The sum of both, since torch keeps for itself what it has freed. What a process needs before its first tensor is not
    in it. Raises InputError for a problem without a simulation.

    >>> from theory.problem import Network, NonlinearGP, NormalInitialisation, Simulation, Training
    >>> law = NonlinearGP(40, (2, 1), 1, "open", "unit-variance", (1, 0))
    >>> training = Training("half-mse", 1, NormalInitialisation(1, 0), times=(0, 1))
    >>> settings = Simulation("online", samples=1000, learning_rate="1/2", replicates=30, seed=0, batch=100)
    >>> bytes_on_gpu(Problem(law, Network("relu", "mean", units=2), training, settings), ("loss",)) // 2**20
    51
    """
    return _training(problem) + _measuring(problem, observables)


def _training(problem: Problem) -> int:
    """Return the bytes of training: a group of networks side by side, and what all networks have in common.

    Beyond `bytes_of_one`, a captured step has its examples and its state at fixed addresses, and a copy of the state
    before it; its temporaries are allocated twice, for the stream that warms up and for the graph, since torch gives
    freed memory back to the same one only.
    """
    settings, size = problem.simulated(), _BYTES[problem.simulated().dtype]
    per_step = settings.samples if settings.mode == "full-batch" else settings.batch
    at_once = min(settings.replicates, networks_at_once(problem, per_step, size, "cuda", None))
    example = problem.data.n + len(problem.network.gates) + problem.data.outputs
    drawn = example_numbers(problem) + further_numbers(problem.data)
    recorded = 2 * step_numbers(problem, per_step) + per_step * example
    if settings.mode == "online":
        steps = min(grouping(per_step, columns(problem)).steps, steps_at_times(problem)[-1])
        recorded += steps * per_step * further_numbers(problem.data)
    # The states of groups that have finished, one by one and together: parameters and up to two means.
    common = 6 * settings.replicates * learned_numbers(problem) + _tables(problem)
    if settings.mode == "full-batch":
        apart = 1 if settings.shared_stream else settings.replicates
        common += apart * settings.samples * example + min(settings.samples, SAMPLE_ROWS) * drawn
    own = ceil(FRAGMENTED * size * (at_once * recorded + common))
    return at_once * bytes_of_one(problem, per_step, size) + own


def _measuring(problem: Problem, observables: Sequence[str]) -> int:
    """Return the bytes of measuring in float64: parameters of all networks, a chunk of examples, or all that are kept.

    A loss has the temporaries of a step at several times at once, an observable of pre-activations eight arrays of them
    at all times, and second moments are a square matrix.
    """
    settings, n = problem.simulated(), problem.data.n
    rows = min(settings.samples, max(1, CHUNK_NUMBERS // columns(problem)))
    kept = settings.samples if settings.shared_stream and settings.samples * n <= MOST_KEPT else 0
    times, units = len(problem.training.times), units_in_all(problem)
    numbers = settings.replicates * times * learned_numbers(problem) + _tables(problem)
    numbers += (rows + kept) * (example_numbers(problem) + further_numbers(problem.data))
    numbers += rows * min(times, max(1, PENALTY_NUMBERS // (rows * columns(problem)))) * (8 * units + 4)
    numbers += 8 * times * units * min(rows, max(1, PART_NUMBERS // (times * units)))
    if InputMoment.name in observables:
        inputs = (len(problem.network.gates) or units) * n
        numbers += inputs**2 + 2 * rows * inputs
    return ceil(FRAGMENTED * _FLOAT64 * numbers)


def further_numbers(law: Law) -> int:
    """Return the numbers of an example while it is drawn that `example_numbers` does not count."""
    return _ARRAYS * law.n + _NUMBERS


def _tables(problem: Problem) -> int:
    """Return the numbers of the tables of the sampler, which is kept with another one in the types of both uses."""
    return 2 * registered(table_numbers, problem.data)(problem.data)


@singledispatch
def table_numbers(law: Law) -> int:
    """Return a bound on the numbers that the sampler of a law keeps: by default a square matrix for each class.

    >>> from theory.problem import NonlinearGP
    >>> table_numbers(NonlinearGP(4, (2, 1), 1, "open", "unit-variance", (1, 0)))
    52
    """
    return law.classes * (law.n**2 + 2 * (law.n + law.outputs))


@table_numbers.register
def _(law: FiniteData) -> int:
    return len(law.x) * (law.n + 2) + law.classes * law.outputs


@table_numbers.register
def _(law: RowsLaw) -> int:
    return len(law.category) * (law.n + 2) + law.classes * law.outputs


@table_numbers.register
def _(law: Ising) -> int:
    return law.classes * law.n * (4 if law.boundary == "ring" else 2) + law.classes * (law.n + law.outputs)


@table_numbers.register
def _(law: Ising2D) -> int:
    states = 2 ** (min(law.shape) * (2 if law.boundary == "torus" else 1))
    return law.classes * law.n * states + law.n + law.classes * (law.n + law.outputs)


@table_numbers.register
def _(law: Mixture) -> int:
    parts = sum(registered(table_numbers, part.law)(part.law) for part in law.components)
    return parts + law.classes * (law.n + law.outputs)
