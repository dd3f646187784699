"""Measuring a family while it trains: in a thread of its own, on copies of the parameters."""

from collections.abc import Callable, Collection, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, TypeVar

import torch

from sim.networks.parameters import placed
from theory.problem import InputError
from theory.problem.numbers import whole

T = TypeVar("T")
Measure = Callable[[int, Mapping[str, torch.Tensor]], T]


class Watch(Generic[T]):
    """Calls measure(step, parameters) at the given steps of a training, which does not wait for it.

    The parameters are copies in the memory of the processor. Measures are taken one after the other; a copy is held
    until its measure is taken. Raises InputError for steps that are not whole numbers.

    >>> from sim.deep import ExampleSet, Family, SGD, Settings, Start, relu, train_family
    >>> family = Family((relu((4,)),), 3, 2, 1, Start("normal", (0.5, 0.5), 0))
    >>> data = ExampleSet(torch.tensor([[1.0, 0.0], [0.0, 1.0]]), torch.tensor([[1.0], [-1.0]]))
    >>> watch = Watch(lambda step, parameters: float(parameters["Theta_1"].square().sum()), steps=(0, 5))
    >>> _ = train_family(family, data, Settings("half-mse", SGD, 0.1, batch=2, seed=0), 5, watch=watch)
    >>> list(watch.results())
    [0, 5]
    """

    def __init__(self, measure: Measure[T], steps: Collection[int]) -> None:
        self.steps = frozenset(whole(step, "step", least=0) for step in steps)
        self._measure = measure
        self._read = False
        self._taken: dict[int, Future[T]] = {}
        self._thread = ThreadPoolExecutor(1)

    def see(self, step: int, parameters: Mapping[str, torch.Tensor]) -> None:
        """Measure a copy of the parameters, as soon as the measures before it are taken.

        Raises InputError once the results were read.
        """
        if self._read:
            raise InputError("The results of this watch were read already.", "Make a new Watch for another training.")
        self._taken[step] = self._thread.submit(self._measure, step, placed(parameters, "cpu", copy=True))

    def results(self) -> dict[int, T]:
        """Wait for the measures and return them by step. Raises what a measure raised, with its step as a note."""
        self._read = True
        self._thread.shutdown(wait=True)
        found = {}
        for step, taken in self._taken.items():
            try:
                found[step] = taken.result()
            except Exception as fault:
                fault.add_note(f"raised by the measure at step {step}")
                raise
        return found
