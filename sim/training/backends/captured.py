"""The steps of descent recorded once as a CUDA graph and replayed: one launch a step in place of some thirty.

What is recorded is `sim.training.step.Rule.step`, the reference itself, on tensors that stay where they are: what a
step reads is copied there before, what it changes is copied back at its end.
"""

from collections.abc import Callable
from warnings import warn

import torch

from sim.networks.examples import Examples
from sim.training.step import Rule, TrainingState

Work = Callable[[], None]
Record = Callable[[Work, tuple[torch.Tensor, ...]], Work]
_CHECKED = 2  # steps: the second begins where the first has put its numbers
_WARM_UPS = 3  # libraries choose their kernels and take their memory before the recording


class Captured:
    """A rule's step on tensors of its own; `state` is the current training state."""

    def __init__(self, record: Record, rule: Rule, state: TrainingState, examples: Examples) -> None:
        """Record the step: `record` takes a function and the tensors that it changes, and returns its replay."""
        self.state = state.mapped(torch.clone)
        self._rule, self._seen, self._examples = rule, examples, examples.mapped(torch.clone)
        self._corrections = (examples.x.new_ones(()), examples.x.new_ones(()))
        self._replay = record(self._step, self.state.tensors())

    def step(self, examples: Examples, corrections: tuple[float, float]) -> None:
        """Take one step on the examples, which are copied unless they are the object of the previous step."""
        if examples is not self._seen:
            for own, given in zip(self._examples.tensors(), examples.tensors(), strict=True):
                own.copy_(given)
            self._seen = examples
        if self._rule.optimiser.corrected:
            for own, given in zip(self._corrections, corrections, strict=True):
                own.fill_(given)
        self._replay()

    def _step(self) -> None:
        after = self._rule.step(self.state, self._examples, self._corrections)
        for own, new in zip(self.state.tensors(), after.tensors(), strict=True):
            own.copy_(new)


def cuda_graph(work: Work, changed: tuple[torch.Tensor, ...]) -> Work:
    """Return `work` as a CUDA graph on the current device; the tensors get back their earlier values."""
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
    _put_back(changed, before)
    return graph.replay


def checked(record: Record) -> Record:
    """Return `record` where its first steps are those of the work itself; elsewhere the work itself, with a warning."""

    def recorded(work: Work, changed: tuple[torch.Tensor, ...]) -> Work:
        before = [tensor.clone() for tensor in changed]
        expected = _after(work, changed, before)
        try:
            again = record(work, changed)
            reason = "they gave other numbers"
            if all(map(_same, _after(again, changed, before), expected)):
                return again
        except RuntimeError as error:  # so torch reports what a graph cannot hold
            reason = str(error).splitlines()[0]
            _put_back(changed, before)
        warn(f"Recorded steps are not used, and each is launched anew, which is slower: {reason}.", stacklevel=2)
        return work

    return recorded


def _after(work: Work, changed: tuple[torch.Tensor, ...], before: list[torch.Tensor]) -> list[torch.Tensor]:
    """`changed` after the work, which then is put back."""
    for _ in range(_CHECKED):
        work()
    made = [tensor.clone() for tensor in changed]
    _put_back(changed, before)
    return made


def _put_back(changed: tuple[torch.Tensor, ...], before: list[torch.Tensor]) -> None:
    for tensor, value in zip(changed, before, strict=True):
        tensor.copy_(value)


def _same(found: torch.Tensor, expected: torch.Tensor) -> bool:
    """Equal, NaN included, to what a library may round otherwise in a graph: half of the digits are kept."""
    if not expected.is_floating_point():
        return torch.equal(found, expected)
    largest = expected.nan_to_num(0, 0, 0).abs().max() if expected.numel() else 0
    near = (found - expected).abs() <= torch.finfo(expected.dtype).eps ** 0.5 * largest
    return bool((near | (found == expected) | (found.isnan() & expected.isnan())).all())
