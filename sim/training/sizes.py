"""Sizes of a problem, as far as they are known without torch, and the groups of networks that fit the caches."""

from dataclasses import dataclass

from theory.problem import Problem

# Numbers per array that are worked on at once. One step of a group of replicates fits the second-level cache; a
# block of steps is long enough that the cost of a call vanishes against it and short enough for the memory.
_STEP_NUMBERS, _BLOCK_NUMBERS = 2**18, 2**15
GROUP_NUMBERS = 2**22
# From MANY examples a step on, matrix products beat the compiled loops that take one example after another; up to
# FEW_UNITS units loops over the examples of a step beat them again.
MANY, FEW_UNITS = 32, 4


@dataclass(frozen=True)
class Grouping:
    """Replicates trained side by side, and steps whose data are drawn at once."""

    replicates: int
    steps: int


def columns(problem: Problem) -> int:
    """Return the numbers that an example takes in the widest node of the network: max(n, K) for one hidden layer."""
    return max(node.dimension for node in problem.graph.nodes)


def grouping(examples_per_step: int, widest: int) -> Grouping:
    """Return how many replicates and steps go together; a function of the problem's sizes alone, so runs repeat.

    `widest` is the larger of n, the numbers of an input, and K, the pre-activations of the hidden units.
    """
    numbers = examples_per_step * widest
    steps = max(1, _BLOCK_NUMBERS // numbers)
    return Grouping(max(1, min(_STEP_NUMBERS // numbers, GROUP_NUMBERS // (steps * numbers))), steps)
