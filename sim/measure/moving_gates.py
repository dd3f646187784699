"""Gates 1[w_k.x + b_k >= 0] of trained networks at different times, on fresh examples."""

import math
from collections.abc import Callable
from functools import partial

import numpy as np
import torch
from jaxtyping import Bool, Float

from sim.data.sample import Draw
from sim.measure.preactivations import preactivations
from sim.measure.source import OnFresh, Source, values_of
from sim.networks.parameters import Parameters
from sim.training.schedule import refuse_too_large
from theory.problem import (
    GateFlipsAtTimes,
    GateFlipsBetweenTimes,
    GateOverlapBetweenTimes,
    InputError,
    OpenTogetherBetweenTimes,
)


@values_of.register
def _(observable: GateFlipsAtTimes, source: Source) -> OnFresh:
    source.weights(observable)
    return OnFresh(Flips)


@values_of.register
def _(observable: GateFlipsBetweenTimes, source: Source) -> OnFresh:
    return _joint(observable, source, JointOpenings.flips)


@values_of.register
def _(observable: OpenTogetherBetweenTimes, source: Source) -> OnFresh:
    return _joint(observable, source, JointOpenings.together)


@values_of.register
def _(observable: GateOverlapBetweenTimes, source: Source) -> OnFresh:
    return _joint(observable, source, JointOpenings.overlap)


def _joint(observable: object, source: Source, value: Callable[["JointOpenings"], np.ndarray]) -> OnFresh:
    """Return the measurement of a function of how often each gate is open at both of two times."""
    _, times, *units, _ = source.weights(observable).shape
    numbers = (len(source.replicates) + 1) * math.prod(units) * times**2
    refuse_too_large("Gates at any two times", numbers, 8, "Lower the number of times, units or replicates.")
    return OnFresh(partial(PairsOfTimes, value))


def _units(own: Parameters) -> tuple[int, int]:
    """The numbers of times and of hidden units."""
    return len(own["w"]), own["w"][0, ..., 0].numel()


class Flips:
    """Counts of examples on which the gate of unit k differs from the gate at the first time, for one replicate."""

    def __init__(self, own: Parameters) -> None:
        self._own, self._count = own, 0
        self._total = torch.zeros(_units(own), dtype=torch.float64, device=own["w"].device)

    def add(self, drawn: Draw) -> None:
        """Take in the examples of a draw."""
        for h in preactivations(self._own["w"], self._own.get("b"), drawn.x[0]):
            self._total += ((h >= 0) != (h[:1] >= 0)).sum(dim=2)
            self._count += h.shape[2]

    def value(self) -> Float[np.ndarray, "T K"]:
        """Return the share of the examples."""
        return self._total.cpu().numpy() / self._count


class PairsOfTimes:
    """The gates of one replicate at any two times."""

    def __init__(self, value: Callable[["JointOpenings"], np.ndarray], own: Parameters) -> None:
        self._value, self._own = value, own
        self._joint = JointOpenings(*_units(own), own["w"].device)

    def add(self, drawn: Draw) -> None:
        """Take in the examples of a draw."""
        for h in preactivations(self._own["w"], self._own.get("b"), drawn.x[0]):
            self._joint.add(h >= 0)

    def value(self) -> Float[np.ndarray, "K T T"]:
        """Return the value on all examples. Raises InputError where it is undefined."""
        return self._value(self._joint)


class JointOpenings:
    """Counts of examples on which the gate of unit k is open at both of two times: (K, T, T), exact integers."""

    def __init__(self, times: int, units: int, device: torch.device) -> None:
        self.count = 0
        self.both = torch.zeros(units, times, times, dtype=torch.float64, device=device)

    def add(self, opened: Bool[torch.Tensor, "T K B"]) -> None:
        """Take in the B examples of a block."""
        gate = opened.permute(1, 0, 2).to(torch.float64)
        self.both.baddbmm_(gate, gate.transpose(1, 2))
        self.count += opened.shape[-1]

    def together(self) -> Float[np.ndarray, "K T T"]:
        """Return <g(t) g(t')>."""
        return (self.both / self.count).cpu().numpy()

    def flips(self) -> Float[np.ndarray, "K T T"]:
        """Return <|g(t) - g(t')|> = <g(t)> + <g(t')> - 2 <g(t) g(t')>."""
        alone = self.both.diagonal(dim1=1, dim2=2)
        return ((alone[:, :, None] + alone[:, None, :] - 2 * self.both) / self.count).cpu().numpy()

    def overlap(self) -> Float[np.ndarray, "K T T"]:
        """Return <g(t) g(t')> / sqrt(<g(t)> <g(t')>). Raises InputError for a gate that was never open."""
        both = self.both.cpu().numpy()
        alone = np.diagonal(both, axis1=1, axis2=2)
        if not alone.all():
            unit, time = (int(index[0]) for index in np.nonzero(alone == 0))
            raise InputError(
                f"The overlap of gates is undefined: that of unit {unit} at time number {time} opened for none of "
                f"{self.count} examples.",
                "Measure OpenTogetherBetweenTimes, which is defined for every gate.",
                "undefined",
            )
        return both / np.sqrt(alone[:, :, None] * alone[:, None, :])
