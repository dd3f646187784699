"""The interface of samplers, the examples that they draw, and one dispatch from a law to its sampler.

A law's sampler is registered in the file of `sim.data` that has the name of the law's declaration.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import singledispatch
from typing import Any, Protocol, runtime_checkable

import numpy as np
import torch
from jaxtyping import Float, Int

from sim.random.streams import Stream
from theory.problem import OutOfReachError
from theory.problem.discovery import registered


@dataclass(frozen=True)
class Draw:
    """Independent examples of S replicates: latent z (None for a law without), input x, class c, label y.

    y is (S, B), or (S, B, m) where labels are vectors of m numbers. `gain` is that of x = erf(gain z)/Z + means[c], or
    that of each example's class, and None where x is no such function of a latent; `means` is () where they are zero.
    `context` is that of each example, None for a law without contexts.
    """

    z: Float[torch.Tensor, "S B n"] | None
    x: Float[torch.Tensor, "S B n"]
    category: Int[torch.Tensor, "S B"]
    y: Float[torch.Tensor, "S B *m"]
    gain: float | Float[torch.Tensor, "S B 1"] | None = None
    means: tuple[tuple[Fraction, ...], ...] = ()
    context: Int[torch.Tensor, "S B"] | None = None


@runtime_checkable
class Sampler(Protocol):
    """A sampler of a law in one dtype on one device."""

    device: torch.device
    dtype: torch.dtype
    labels: Float[torch.Tensor, "C *m"]

    @property
    def n(self) -> int:
        """The number of sites."""

    def room(self, replicates: int, rows: int) -> Any:
        """Return memory that successive draws of `rows` examples for `replicates` streams reuse, or None."""

    def draw(self, streams: list[Stream], rows: int, room: Any = None) -> Draw:
        """Draw `rows` independent examples for each stream, and advance it by as many.

        A replicate's examples depend on its own stream only. With `room`, the next draw overwrites the arrays of this.
        """


@dataclass(frozen=True, eq=False)
class DeviceSampler(ABC):
    """A sampler of a law on one device, with the labels of the classes and what their means add to x."""

    law: Any
    device: torch.device
    dtype: torch.dtype
    labels: Float[torch.Tensor, "C *m"] = field(init=False)
    shift: Float[torch.Tensor, "C n"] | None = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "labels", label_table(self.law, self.device, self.dtype))
        object.__setattr__(self, "shift", mean_table(self.law, self.device, self.dtype))

    @property
    def n(self) -> int:
        """The number of sites."""
        return self.law.n

    def room(self, _replicates: int, _rows: int) -> Any:  # noqa: B027 - nothing to reuse
        """Return None: every draw allocates its memory."""

    @abstractmethod
    def draw(self, streams: list[Stream], rows: int, room: Any = None) -> Draw:
        """Draw `rows` examples for each stream, and advance it by as many."""

    def shifted(self, drawn: Draw) -> Draw:
        """Return the draw with the mean of each example's class added to its x; unchanged where all are zero."""
        if self.shift is None:
            return drawn
        return replace(drawn, x=drawn.x + self.shift[drawn.category], means=self.law.means)


class PlainSampler(DeviceSampler):
    """A sampler without a latent: `inputs` draws x and the classes; labels and class means are added to them."""

    def draw(self, streams: list[Stream], rows: int, room: None = None) -> Draw:  # noqa: ARG002 - the protocol's
        """Draw `rows` examples for each stream."""
        x, classes = self.inputs(streams, rows)
        for own in streams:
            own.advance(rows)
        category = torch.from_numpy(classes).to(self.device)
        return self.shifted(Draw(None, x, category, self.labels[category]))

    @abstractmethod
    def inputs(self, streams: list[Stream], rows: int) -> tuple[Float[torch.Tensor, "S B n"], Int[np.ndarray, "S B"]]:
        """Return x and the class of the next `rows` examples of each stream, which this need not advance."""


@singledispatch
def sampler_of(law: object, _device: torch.device, _dtype: torch.dtype) -> Sampler:
    """Return a law's sampler; each law's file registers its function, and this default raises OutOfReachError."""
    known = ", ".join(sorted(kind.law for kind in sampler_of.registry if hasattr(kind, "law")))
    raise OutOfReachError(
        f"No sampler for the law {type(law).__name__}.",
        f"Write sim/data/{type(law).__module__.rpartition('.')[2]}.py, or register it there with "
        f"@sampler_of.register. Laws with one: {known}.",
    )


def prepare(law: object, device: torch.device, dtype: torch.dtype) -> Sampler:
    """Return the sampler of the law in `dtype` on `device`. Raises OutOfReachError for a law without one.

    A law that derives from another law does not inherit its sampler; it shares that of an abstract class, such as
    `SampledLaw`.

    >>> from sim.random.streams import TRAINING, stream
    >>> from theory.problem import NonlinearGP
    >>> law = NonlinearGP(4, (2, 1), 1, "open", "unit-variance", (1, 0))
    >>> sampler = prepare(law, torch.device("cpu"), torch.float64)
    >>> drawn = sampler.draw([stream(seed=0, network=0, purpose=TRAINING)], rows=3)
    >>> tuple(drawn.x.shape), drawn.y.tolist() == [[1.0 if c == 0 else 0.0 for c in drawn.category[0]]]
    ((1, 3, 4), True)
    """
    return registered(sampler_of, law)(law, device, dtype)


def label_table(law: Any, device: torch.device, dtype: torch.dtype) -> Float[torch.Tensor, "C *m"]:
    """Return the label of each class: (C,), or (C, m) where labels are vectors of m > 1 numbers."""
    table = torch.tensor([[float(entry) for entry in label] for label in law.label_vectors], dtype=dtype, device=device)
    return table[:, 0] if table.shape[1] == 1 else table


def mean_table(law: Any, device: torch.device, dtype: torch.dtype) -> Float[torch.Tensor, "C n"] | None:
    """Return the mean that each class adds to x, or None where all are zero."""
    if not law.means:
        return None
    return torch.tensor([[float(entry) for entry in mean] for mean in law.means], dtype=dtype, device=device)
