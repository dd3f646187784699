"""Data laws made ready to draw: what a sampler offers, what it draws, and one dispatch from a law to its sampler.

A law's sampler is registered in the file of `sim.data` that has the name of the law's declaration.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import singledispatch
from typing import Any, Protocol, runtime_checkable

import torch
from jaxtyping import Float, Int

from sim.random.streams import Stream
from theory.problem import OutOfReachError


@dataclass(frozen=True)
class Draw:
    """Independent examples of S replicates: latent z (None for a law without), input x, class c, label y.

    y is (S, B), or (S, B, m) where labels are vectors of m numbers. `gain` is that of x = erf(gain z)/Z + means[c],
    None where x is no such function of a latent; `means` is () where they are zero. `context` is that of each example,
    None for a law without contexts.
    """

    z: Float[torch.Tensor, "S B n"] | None
    x: Float[torch.Tensor, "S B n"]
    category: Int[torch.Tensor, "S B"]
    y: Float[torch.Tensor, "S B *m"]
    gain: float | None = None
    means: tuple[tuple[Fraction, ...], ...] = ()
    context: Int[torch.Tensor, "S B"] | None = None


@runtime_checkable
class Sampler(Protocol):
    """A law made ready to draw in one dtype on one device."""

    device: torch.device
    dtype: torch.dtype
    labels: Float[torch.Tensor, "C *m"]

    @property
    def n(self) -> int:
        """The number of sites."""

    def room(self, replicates: int, rows: int) -> Any:
        """Memory that successive draws of `rows` examples for each of `replicates` streams reuse; None for none."""

    def draw(self, streams: list[Stream], rows: int, room: Any = None) -> Draw:
        """Draw `rows` independent examples for each stream, and advance it by as many.

        A replicate's examples depend on its own stream alone. With `room` the draw lies in it until the next one there.
        """


@singledispatch
def sampler_of(law: object, _device: torch.device, _dtype: torch.dtype) -> Sampler:
    """The maker of a law's sampler; the law's file registers its own, and this one refuses by name."""
    known = ", ".join(sorted(kind.law for kind in sampler_of.registry if hasattr(kind, "law")))
    raise OutOfReachError(
        f"No sampler for the law {type(law).__name__}.",
        f"Write sim/data/{type(law).__module__.rpartition('.')[2]}.py, or register it there with "
        f"@sampler_of.register. Laws with one: {known}.",
    )


def prepare(law: object, device: torch.device, dtype: torch.dtype) -> Sampler:
    """Return the sampler of the law in `dtype` on `device`. Raises OutOfReachError for a law without one.

    A law that derives from another is not drawn as the other is: it needs a sampler of its own.

    >>> from sim.random.streams import TRAINING, stream
    >>> from theory.problem import NonlinearGP
    >>> law = NonlinearGP(4, (2, 1), 1, "open", "unit-variance", (1, 0))
    >>> sampler = prepare(law, torch.device("cpu"), torch.float64)
    >>> drawn = sampler.draw([stream(seed=0, network=0, purpose=TRAINING)], rows=3)
    >>> tuple(drawn.x.shape), drawn.y.tolist() == [[1.0 if c == 0 else 0.0 for c in drawn.category[0]]]
    ((1, 3, 4), True)
    """
    makers = sampler_of.registry
    return makers.get(type(law), makers[object])(law, device, dtype)


def label_table(law: Any, device: torch.device, dtype: torch.dtype) -> Float[torch.Tensor, "C *m"]:
    """Return the label of each class: (C,), or (C, m) where labels are vectors of m > 1 numbers."""
    table = torch.tensor([[float(entry) for entry in label] for label in law.label_vectors], dtype=dtype, device=device)
    return table[:, 0] if table.shape[1] == 1 else table


def mean_table(law: Any, device: torch.device, dtype: torch.dtype) -> Float[torch.Tensor, "C n"] | None:
    """Return the mean that each class adds to x, or None where all are zero."""
    if not law.means:
        return None
    return torch.tensor([[float(entry) for entry in mean] for mean in law.means], dtype=dtype, device=device)


def shifted(drawn: Draw, law: Any, table: Float[torch.Tensor, "C n"] | None) -> Draw:
    """Return the draw with the mean of each example's class added to its x; itself where `table` is None."""
    return drawn if table is None else replace(drawn, x=drawn.x + table[drawn.category], means=law.means)
