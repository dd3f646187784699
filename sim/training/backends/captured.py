"""The steps of descent recorded once as a CUDA graph and replayed: one launch per step instead of some thirty.

The recorded function is `sim.training.step.Rule.step`, the reference itself, on tensors at fixed addresses. The inputs
of a step are copied to these tensors before it, and its results are copied back at its end. The steps themselves are
tested on a CPU; a graph has not been run or timed on a GPU.
"""

from collections.abc import Callable

import torch

from sim.networks.examples import Examples
from sim.training.step import Rule, TrainingState

Work = Callable[[], None]
Record = Callable[[Work, tuple[torch.Tensor, ...]], Work]
_WARM_UPS = 3  # runs before the recording, in which libraries choose kernels and allocate memory


def cuda_graph(work: Work, changed: tuple[torch.Tensor, ...]) -> Work:
    """Record `work` as a CUDA graph on the current device; afterwards the `changed` tensors have their earlier values.

    Raises RuntimeError, torch's error, for operations that a graph cannot contain.
    """
    before = [tensor.clone() for tensor in changed]
    aside = torch.cuda.Stream()
    aside.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(aside):
        for _ in range(_WARM_UPS):
            work()
    torch.cuda.current_stream().wait_stream(aside)
    graph = torch.cuda.CUDAGraph()
    # Other threads may measure meanwhile: what they allocate is no part of the recording, and no error in it.
    with torch.cuda.graph(graph, capture_error_mode="thread_local"):
        work()
    for tensor, value in zip(changed, before, strict=True):
        tensor.copy_(value)
    return graph.replay


class Captured:
    """A rule's step recorded on fixed tensors; `state` is the current training state."""

    def __init__(self, rule: Rule, state: TrainingState, examples: Examples, record: Record = cuda_graph) -> None:
        """Record the step: `record` takes a function and the tensors that it changes, and returns the replay."""
        self.state = state.mapped(torch.clone)
        self._rule, self._seen, self._examples = rule, examples, examples.mapped(torch.clone)
        self._corrections = (examples.x.new_ones(()), examples.x.new_ones(()))
        self._replay = record(self._step, self.state.tensors())

    def step(self, examples: Examples, corrections: tuple[float, float]) -> None:
        """Take one step on the examples, which are copied unless they are the same object as in the previous step."""
        if examples is not self._seen:
            for fixed, fresh in zip(self._examples.tensors(), examples.tensors(), strict=True):
                fixed.copy_(fresh)
            self._seen = examples
        if self._rule.optimiser.corrected:
            for fixed, value in zip(self._corrections, corrections, strict=True):
                fixed.fill_(value)
        self._replay()

    def _step(self) -> None:
        after = self._rule.step(self.state, self._examples, self._corrections)
        for fixed, new in zip(self.state.tensors(), after.tensors(), strict=True):
            fixed.copy_(new)
