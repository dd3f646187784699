"""Gradient descent of S networks at once, in torch: the reference back end, on every device."""

from collections.abc import Callable, Iterator, Sequence
from itertools import repeat

import torch

from sim.data.sample import Sampler
from sim.networks.examples import Examples
from sim.training.backends.captured import Captured
from sim.training.batches import fresh_batches
from sim.training.snapshots import Snapshots
from sim.training.state import Replicate, Report, State
from sim.training.step import Rule, TrainingState, begin, ended, rule_of

Capture = Callable[[Rule, TrainingState, Examples], Captured]


def train_group(
    replicates: Sequence[Replicate],
    sampler: Sampler | None,
    sample: Examples | None,
    state: State,
    report: Report,
    capture: Capture | None = None,
) -> tuple[dict[str, torch.Tensor], State]:
    """Train replicates on fresh examples of the sampler, or on their fixed sample; see `descend`."""
    batches = repeat(sample) if sampler is None else fresh_batches(replicates, sampler, state.step)
    return descend(replicates, state, batches, report, capture)


def descend(
    replicates: Sequence[Replicate],
    state: State,
    batches: Iterator[Examples],
    report: Report,
    capture: Capture | None = None,
) -> tuple[dict[str, torch.Tensor], State]:
    """Return the parameters of each network at its times (second axis), in float64 on the host, and the last state.

    A network diverges if one of its numbers is not finite or exceeds `largest_weight`; it is frozen before that step.
    `capture` records a step, which is then replayed.
    """
    problem = replicates[0].problem
    rule = rule_of(problem, next(iter(state.parameters.values())).dtype)
    training, step, captured = begin(problem, state), state.step, None
    snapshots = Snapshots(state.parameters, replicates[0].snapshot_steps)
    for index, last in enumerate(snapshots.steps):
        while step < last:
            examples, corrections = next(batches), rule.optimiser.corrections(step)
            if capture is None:
                training = rule.step(training, examples, corrections)
            else:
                captured = captured or capture(rule, training, examples)
                captured.step(examples, corrections)
                training = captured.state
            step += 1
            report(step)
        snapshots.take(index, training.parameters)
    return snapshots.on_host(), ended(step, training)
