"""The steps of descent recorded once as a CUDA graph and replayed: one launch per step instead of some thirty.

The recorded function is `sim.training.step.Rule.step`, the reference itself, on tensors at fixed addresses. The inputs
of a step are copied to these tensors before it, and its results are copied back at its end.
"""

from collections.abc import Callable
from warnings import warn

import torch

from sim.networks.examples import Examples
from sim.training.step import Rule, TrainingState

Work = Callable[[], None]
Record = Callable[[Work, tuple[torch.Tensor, ...]], Work]
_CHECKED = 2  # steps that are compared: the second starts from the result of the first
_WARM_UPS = 3  # runs before the recording, in which libraries choose kernels and allocate memory


class Captured:
    """A rule's step recorded on fixed tensors; `state` is the current training state."""

    def __init__(self, record: Record, rule: Rule, state: TrainingState, examples: Examples) -> None:
        """Record the step: `record` takes a function and the tensors that it changes, and returns the replay."""
        self.state = state.mapped(torch.clone)
        self._rule, self._seen, self._examples = rule, examples, examples.mapped(torch.clone)
        self._corrections = (examples.x.new_ones(()), examples.x.new_ones(()))
        self._replay = record(self._step, self.state.tensors())

    def step(self, examples: Examples, corrections: tuple[float, float]) -> None:
        """Take one step on the examples, which are copied unless they are the same object as in the previous step."""
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
    """Record `work` as a CUDA graph on the current device; afterwards the tensors have their earlier values."""
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
    _put_back(changed, before)
    return graph.replay


def checked(record: Record) -> Record:
    """Wrap `record`: return the work itself, with a warning, where the first steps of its replay differ from it."""

    def recorded(work: Work, changed: tuple[torch.Tensor, ...]) -> Work:
        before = [tensor.clone() for tensor in changed]
        expected = _after(work, changed, before)
        try:
            again = record(work, changed)
            reason = "their numbers differ from those of the step itself"
            if all(map(_same, _after(again, changed, before), expected)):
                return again
        except RuntimeError as error:  # torch's error for operations that a graph cannot contain
            reason = str(error).splitlines()[0]
            _put_back(changed, before)
        warn(f"Steps are launched one by one, which is slower; recorded steps are not used: {reason}.", stacklevel=2)
        return work

    return recorded


def _after(work: Work, changed: tuple[torch.Tensor, ...], before: list[torch.Tensor]) -> list[torch.Tensor]:
    """Return copies of the `changed` tensors after the work, and restore the tensors."""
    for _ in range(_CHECKED):
        work()
    made = [tensor.clone() for tensor in changed]
    _put_back(changed, before)
    return made


def _put_back(changed: tuple[torch.Tensor, ...], before: list[torch.Tensor]) -> None:
    for tensor, value in zip(changed, before, strict=True):
        tensor.copy_(value)


def _same(found: torch.Tensor, expected: torch.Tensor) -> bool:
    """Whether two tensors agree to half of the digits, NaN included: a library may round differently in a graph."""
    if not expected.is_floating_point():
        return torch.equal(found, expected)
    largest = expected.nan_to_num(0, 0, 0).abs().max() if expected.numel() else 0
    near = (found - expected).abs() <= torch.finfo(expected.dtype).eps ** 0.5 * largest
    return bool((near | (found == expected) | (found.isnan() & expected.isnan())).all())
