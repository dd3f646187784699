"""The steps of descent recorded once as a CUDA graph and replayed: one launch a step in place of some thirty.

What is recorded is `sim.descent.Rule.step`, the reference itself, on tensors that stay where they are: what a step
reads is copied there before, what it changes is copied back at its end.
"""

from collections.abc import Callable

import torch

from sim.descent import Moving, Rule
from sim.network import Examples

Work = Callable[[], None]
_WARM_UPS = 3  # libraries choose their kernels and take their memory before the recording


class Captured:
    """A rule's step on tensors of its own; `moving` is what the steps have come to."""

    def __init__(
        self, record: Callable[[Work, tuple[torch.Tensor, ...]], Work], rule: Rule, moving: Moving, examples: Examples
    ) -> None:
        """`record` makes, of a piece of work and the tensors that it changes, what does the work again."""
        self.moving = moving.mapped(torch.clone)
        self._rule, self._seen, self._examples = rule, examples, examples.mapped(torch.clone)
        self._corrections = (moving.rate.new_ones(()), moving.rate.new_ones(()))
        self._replay = record(self._step, self.moving.tensors())

    def step(self, examples: Examples, corrections: tuple[float, float]) -> None:
        """Take one step on the examples; where they are the object of the step before they are there already."""
        if examples is not self._seen:
            for own, given in zip(self._examples.tensors(), examples.tensors(), strict=True):
                own.copy_(given)
            self._seen = examples
        if self._rule.optimiser.corrected:
            for own, given in zip(self._corrections, corrections, strict=True):
                own.fill_(given)
        self._replay()

    def _step(self) -> None:
        after = self._rule.step(self.moving, self._examples, self._corrections)
        for own, new in zip(self.moving.tensors(), after.tensors(), strict=True):
            own.copy_(new)


def cuda_graph(work: Work, changed: tuple[torch.Tensor, ...]) -> Work:
    """`work` as a CUDA graph on the current device; what it changed before the recording is put back."""
    before = [tensor.clone() for tensor in changed]
    aside = torch.cuda.Stream()
    aside.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(aside):
        for _ in range(_WARM_UPS):
            work()
    torch.cuda.current_stream().wait_stream(aside)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        work()
    for tensor, value in zip(changed, before, strict=True):
        tensor.copy_(value)
    return graph.replay
