"""Sizes of a problem that are known without torch, and the groups of networks that fit the caches."""

from dataclasses import dataclass

from theory.problem import DeepNetwork, Problem

# Numbers per array that are processed at once. One step of a group of replicates fits in the second-level cache; a
# block of steps is long enough that the overhead of a call is negligible, and short enough for the memory.
_STEP_NUMBERS, _BLOCK_NUMBERS = 2**18, 2**15
GROUP_NUMBERS = 2**22
SAMPLE_ROWS = 4096  # examples of a fixed sample that are drawn at once
# Of a measurement: numbers of x in a chunk of fresh examples, and in all that are kept for several networks (z and
# scratch take three times as many more); numbers of the examples of a loss, counted once for each time that is taken
# with others; pre-activations of a part of the examples.
CHUNK_NUMBERS, MOST_KEPT, PENALTY_NUMBERS, PART_NUMBERS = 2**18, 2**25, 2**21, 2**18
# For at least MANY examples per step, matrix products are faster than compiled loops over single examples; for at most
# FEW_UNITS units, loops over all examples of a step are faster still.
MANY, FEW_UNITS = 32, 4


@dataclass(frozen=True)
class Grouping:
    """Replicates trained side by side, and steps whose data are drawn at once."""

    replicates: int
    steps: int


def columns(problem: Problem) -> int:
    """Return the dimension of the widest node of the network: max(n, K) for one hidden layer, the widest deep level."""
    return max(problem.data.n, *_dimensions(problem))


def units_in_all(problem: Problem) -> int:
    """Return the sum of the dimensions of all nodes but the inputs; a second network that gives gates counts, too."""
    return sum(_dimensions(problem))


def _dimensions(problem: Problem) -> list[int]:
    """Return the dimensions of all nodes but the inputs; those of a deep network are its levels and its output."""
    network = problem.network
    if isinstance(network, DeepNetwork):
        networks = 2 if network.gating_names else 1
        return [*network.nodes(problem.data) * networks, problem.data.outputs]
    return [node.dimension for node in problem.graph.nodes if node.name not in problem.graph.inputs]


def grouping(examples_per_step: int, widest: int) -> Grouping:
    """Return how many replicates and steps are grouped. It depends on the problem's sizes only, so that runs repeat.

    `widest` is the larger of the number n of inputs and the number K of hidden units; see `columns`.
    """
    numbers = examples_per_step * widest
    steps = max(1, _BLOCK_NUMBERS // numbers)
    return Grouping(max(1, min(_STEP_NUMBERS // numbers, GROUP_NUMBERS // (steps * numbers))), steps)
