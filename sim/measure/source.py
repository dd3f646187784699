"""The source of a measurement: trained networks and fresh examples; one dispatch from an observable to its values.

An observable's measurement is registered in the file of `sim.measure` that has the name of its declaration.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import singledispatch
from typing import Any, Protocol

import numpy as np
import torch
from jaxtyping import Float

from sim.data.sample import Draw, Sampler, prepare
from sim.networks.parameters import Parameters, mapped
from sim.random.streams import MEASUREMENT, Fill, Stream, stream
from sim.training.run import fields_of
from sim.training.schedule import device_named, refuse_endless_measurement
from sim.training.sizes import CHUNK_NUMBERS, MOST_KEPT, columns
from sim.training.state import stream_number
from theory.problem import InputError, Law, OutOfReachError, Problem

# A function of a problem, a device and a dtype that returns the sampler of the problem's law.
Prepare = Callable[[Problem, torch.device, torch.dtype], Sampler]


def prepare_in_torch(problem: Problem, device: torch.device, dtype: torch.dtype) -> Sampler:
    """Return the sampler of the problem's law."""
    return prepare(problem.data, device, dtype)


@dataclass(frozen=True)
class Source:
    """R replicates of a problem: their numbers, and if trained their parameters (R, T, ...) by name.

    `prepare` returns the sampler of fresh examples, and `fill` generates its normal numbers.
    """

    problem: Problem
    replicates: Sequence[int]
    device: str
    fill: Fill
    parameters: Mapping[str, np.ndarray] | None = None
    prepare: Prepare = prepare_in_torch

    def parts(self, count: int) -> list["Source"]:
        """Divide the replicates into `count` parts, or one part where they share their examples."""
        size = len(self.replicates) if self.problem.simulated().shared_stream else -(-len(self.replicates) // count)
        parts = [slice(start, start + size) for start in range(0, len(self.replicates), size)]
        return [
            replace(
                self,
                replicates=self.replicates[part],
                parameters=self.parameters and {name: array[part] for name, array in self.parameters.items()},
            )
            for part in parts
        ]

    def trained(self, observable: object) -> Mapping[str, np.ndarray]:
        """Return the parameters by name. Raises InputError where nothing was trained."""
        if self.parameters is None:
            raise InputError(f"{type(observable).__name__} is measured on trained networks.", "Train: sim.train.train.")
        return self.parameters

    def weights(self, observable: object) -> Float[np.ndarray, "R T K *m n"]:
        """Return the weights of the hidden units. Raises InputError where nothing was trained."""
        return fields_of(self.problem, self.trained(observable))

    def weights_along_a_line(self, observable: object) -> Float[np.ndarray, "R T K *m n"]:
        """Return the weights where sites lie on a line or a ring; OutOfReachError on a grid."""
        if not lies_on_a_line(self.problem.data):
            raise OutOfReachError(
                f"{observable.name} belongs to sites on a line or a ring; {self.problem.data.law} has a grid.",
                "Measure the participation ratio, or the weights and reshape them to data.shape.",
            )
        return self.weights(observable)

    def each(self) -> Iterator[Parameters]:
        """Yield each replicate's parameters on the device, with times in place of networks; {} where untrained."""
        where = device_named(self.device)
        tensors = {name: torch.from_numpy(array).to(where) for name, array in (self.parameters or {}).items()}
        for index in range(len(self.replicates)):
            yield mapped(lambda tensor, index=index: tensor[index], tensors)

    def fresh(self) -> Iterator[Iterator[Draw]]:
        """Yield for each replicate its `samples` fresh examples, in chunks that the next chunk overwrites.

        Replicates that share one stream have the same draws, which are drawn once and kept if they fit in a gibibyte.
        """
        refuse_endless_measurement(self.problem, len(self.replicates))
        settings, where = self.problem.simulated(), device_named(self.device)
        sampler = self.prepare(self.problem, where, torch.float64)
        rows = min(settings.samples, max(1, CHUNK_NUMBERS // columns(self.problem)))
        shared = settings.shared_stream and len(self.replicates) > 1
        if shared and settings.samples * sampler.n <= MOST_KEPT:
            own = self._stream(self.replicates[0])
            parts = range(0, settings.samples, rows)
            kept = [sampler.draw([own], min(rows, settings.samples - start)) for start in parts]
            for _ in self.replicates:
                yield iter(kept)
            return
        room = sampler.room(1, rows)
        for replicate in self.replicates:
            yield self._chunks(sampler, self._stream(replicate), rows, room)

    def _chunks(self, sampler: Sampler, own: Stream, rows: int, room: Any) -> Iterator[Draw]:
        samples = self.problem.simulated().samples
        for start in range(0, samples, rows):
            count = min(rows, samples - start)
            yield sampler.draw([own], count, room if count == rows else None)

    def _stream(self, replicate: int) -> Stream:
        number = stream_number(self.problem, replicate)
        return stream(self.problem.simulated().seed, number, MEASUREMENT, fill=self.fill)


def lies_on_a_line(law: Law) -> bool:
    """Return whether the sites of the law lie on a line or a ring, so that spectra and centres of fields are defined.

    >>> from theory.problem import NonlinearGP
    >>> lies_on_a_line(NonlinearGP(4, (2, 1), 1, "open", "unit-variance", (1, 0)))
    True
    """
    return getattr(law, "shape", None) is None


class Tally(Protocol):
    """A running sum over the fresh examples of one replicate, and the value computed from it."""

    def add(self, drawn: Draw) -> None:
        """Add a chunk of the examples."""

    def value(self) -> np.ndarray:
        """Return the value on all examples added."""


@dataclass(frozen=True)
class OnFresh:
    """A measurement on fresh examples: `begin` returns the tally of a replicate for its parameters.

    With `of_the_data` the values do not depend on the parameters, and replicates that share one stream have one value.
    """

    begin: Callable[[Parameters], Tally]
    of_the_data: bool = False


@singledispatch
def values_of(observable: object, _source: Source) -> Float[np.ndarray, "R ..."] | OnFresh:
    """Return the observable's value for each replicate, or the tally that measures it on fresh examples.

    Raises OutOfReachError for an observable without a measurement.
    """
    known = ", ".join(sorted(kind.name for kind in values_of.registry if hasattr(kind, "name")))
    raise OutOfReachError(
        f"No measurement of {type(observable).__name__}.",
        f"Register one in a file of sim/measure. There are: {known}.",
    )
