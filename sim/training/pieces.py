"""Training in pieces, with a state between two of them from which it continues bit for bit.

Examples are drawn in blocks of steps, and the rounding of a draw may depend on its number of rows. A piece therefore
ends where a block of the unbroken run does.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float

from sim.networks.parameters import Parameters, mapped
from sim.training.memory import block_steps
from sim.training.sizes import columns, grouping
from sim.training.state import State
from theory.problem import InputError, Problem

# Seconds of a step and of each number of its examples in torch, roughly: they give the first piece, and the clock the
# others. To begin a piece takes about 20 ms, measured in compiled loops at n = 5: 0.4 % of PIECE.
_OF_A_STEP, _OF_A_NUMBER, _GROWTH = 1e-4, 5e-8, 8.0
PIECE = 5.0  # seconds


@dataclass(frozen=True)
class Part:
    """The first part of a run: its state, the snapshots (S, T', ...) at the times up to there, and its seconds."""

    state: State
    snapshots: Mapping[str, Float[torch.Tensor, "S T ..."]]
    seconds: float


@dataclass(frozen=True)
class Pauses:
    """Pauses of a run, about `seconds` apart, in which `keep` receives what is done; what it raises ends the run.

    The run continues with `begun`, an earlier part of the same run. The seconds change no number.
    """

    keep: Callable[[Part], None]
    begun: Part | None = None
    seconds: float = PIECE


@dataclass(frozen=True)
class Blocks:
    """The steps at which a run with snapshots `at` can be broken: each `length` steps.

    They are counted from its start or, in compiled loops, from the last snapshot. A rest that is shorter than `rest`
    belongs to the last piece.

    >>> Blocks((0, 10), 4, from_snapshots=False, rest=4).after(0, 5.0), Blocks((0, 10), 4, False, 4).after(4, 1.0)
    (4, 10)
    """

    at: tuple[int, ...]
    length: int
    from_snapshots: bool
    rest: int

    def after(self, step: int, wanted: float) -> int:
        """Return the end of a piece that begins at `step`: the last one within `wanted` steps, else the next one."""
        before = max([0, *(one for one in self.at if one <= step)])
        origin = before if self.from_snapshots else 0
        blocks = max(1, int(step - origin + wanted) // self.length - (step - origin) // self.length)
        end = origin + ((step - origin) // self.length + blocks) * self.length
        if self.from_snapshots:
            end = min([end, *(one for one in self.at if one > step)])
        return self.at[-1] if self.at[-1] - end < self.rest else end


def blocks_of(problem: Problem, snapshots: tuple[int, ...], compiled: bool) -> Blocks:
    """Return where a run with these snapshots can be broken, in compiled loops of all steps or in torch.

    Each step of a full-batch run sees the same examples, so that it can be broken anywhere.
    """
    batch = problem.simulated().batch
    if problem.simulated().mode == "full-batch":
        return Blocks(snapshots, 1, from_snapshots=False, rest=1)
    if compiled:
        return Blocks(snapshots, block_steps(problem.data.n, batch), from_snapshots=True, rest=1)
    # A draw is no longer than what remains, so that a rest of less than a block would be drawn in another size.
    length = grouping(batch, columns(problem)).steps
    return Blocks(snapshots, length, from_snapshots=False, rest=length)


def first_length(problem: Problem, replicates: int, examples_per_step: int, wanted: float) -> float:
    """Return the steps of about `wanted` seconds, from the sizes of the problem alone."""
    return wanted / (_OF_A_STEP + _OF_A_NUMBER * replicates * examples_per_step * columns(problem))


def next_length(steps: int, took: float, wanted: float) -> float:
    """Return the steps of about `wanted` seconds, where `steps` steps took `took` seconds; not many times more at once.

    >>> next_length(100, took=2.0, wanted=4.0), next_length(100, took=0.0, wanted=4.0)
    (200.0, 800.0)
    """
    return steps * (_GROWTH if took * _GROWTH <= wanted else wanted / took)


def in_pieces(
    advance: Callable[[State, tuple[int, ...]], tuple[Parameters, State]],
    state: State,
    blocks: Blocks,
    pauses: Pauses,
    length: float,
) -> tuple[Parameters, State]:
    """Return the snapshots of a run and its last state, piece by piece.

    `advance` takes a state to the last of some steps and gives the parameters at each of them; the first piece has
    about `length` steps.
    """
    begun, begin = pauses.begun, time.perf_counter()
    before, taken = (0.0, []) if begun is None else (begun.seconds, [begun.snapshots])
    done = 0 if begun is None else sum(step <= state.step for step in blocks.at)
    while True:
        end, started = blocks.after(state.step, length), time.perf_counter()
        inside = [step for step in blocks.at[done:] if step <= end]
        found, after = advance(state, (*inside, *({end} - {*inside})))
        taken.append({name: tensor[:, : len(inside)] for name, tensor in found.items()})
        done += len(inside)
        length = next_length(end - state.step, time.perf_counter() - started, pauses.seconds)
        state, snapshots = after, mapped(lambda *tensors: torch.cat(tensors, dim=1), *taken)
        if end == blocks.at[-1]:
            return snapshots, state
        taken = [snapshots]
        pauses.keep(Part(state, snapshots, before + time.perf_counter() - begin))


def part_of(part: Part, shapes: Mapping[str, tuple[int, ...]], at: Sequence[int]) -> Part:
    """Return the part; InputError unless it is one of a run with parameters of these shapes and snapshots at `at`."""
    taken = sum(step <= part.state.step for step in at)
    needed = {name: (shape[0], taken, *shape[1:]) for name, shape in shapes.items()}
    found = {name: tuple(tensor.shape) for name, tensor in part.snapshots.items()}
    started = {name: tuple(tensor.shape) for name, tensor in part.state.parameters.items()}
    if (found, started) != (needed, dict(shapes)) or not 0 < part.state.step < at[-1]:
        raise InputError(
            f"The part of a run has taken {part.state.step} of {at[-1]} steps, with snapshots of the shapes {found} "
            f"and parameters of the shapes {started}; this run {needed} and {dict(shapes)}.",
            "Continue the same problem and replicates.",
        )
    return part
