"""Excess kurtosis of weights across sites and of pre-activations over examples."""

from functools import partial

import numpy as np
import torch
from jaxtyping import Float

from sim.data.sample import Draw
from sim.measure.preactivations import preactivations
from sim.measure.source import OnFresh, Source, values_of
from sim.networks.parameters import Parameters
from theory.problem import InputError, PreactivationKurtosisAtTimes, WeightKurtosisAtTimes


@values_of.register
def _(observable: WeightKurtosisAtTimes, source: Source) -> Float[np.ndarray, "R T K *m"]:
    return site_kurtosis(source.weights(observable))


@values_of.register
def _(observable: PreactivationKurtosisAtTimes, source: Source) -> OnFresh:
    if observable.category is not None and observable.category >= source.problem.data.classes:
        raise InputError(
            f"category = {observable.category}: the law has the classes 0 to {source.problem.data.classes - 1}.",
            "Give one of them, or None for all.",
        )
    source.weights(observable)
    return OnFresh(partial(Preactivations, observable.category))


class Preactivations:
    """The moments of w_k(t).x of one replicate, over the examples of a class, or over all if `category` is None."""

    def __init__(self, category: int | None, own: Parameters) -> None:
        self._category, self._w = category, own["w"]
        self._moments = CentralMoments((len(self._w), self._w[0, ..., 0].numel()), self._w.device)

    def add(self, drawn: Draw) -> None:
        """Take in the examples of a draw."""
        x = drawn.x[0] if self._category is None else drawn.x[0][drawn.category[0] == self._category]
        for h in preactivations(self._w, None, x):
            self._moments.add(h)

    def value(self) -> Float[np.ndarray, "T K *m"]:
        """Return the excess kurtosis. Raises InputError where it is undefined."""
        return self._moments.excess_kurtosis().reshape(self._w.shape[:-1])


def site_kurtosis(w: Float[np.ndarray, "*any n"]) -> Float[np.ndarray, "*any"]:
    """Return m_4/m_2^2 - 3, m_r = (1/n) sum_j (w_j - mean)^r, along the last axis. Raises InputError for a flat row.

    >>> site_kurtosis(np.array([1.0, -1.0, 1.0, -1.0])).item()
    -2.0
    """
    # The first weight is subtracted before the mean, so that equal weights give exactly zero.
    shifted = w - w[..., :1]
    centred = shifted - shifted.mean(axis=-1, keepdims=True)
    scale = np.max(np.abs(centred), axis=-1, keepdims=True)
    if not scale.all():
        raise InputError(
            "The kurtosis of the weights is undefined: a unit has equal weights at all sites.",
            "Start from weights that differ, or leave out the time 0.",
            "undefined",
        )
    square = (centred / scale) ** 2
    return np.asarray((square**2).mean(axis=-1) / square.mean(axis=-1) ** 2 - 3)


class CentralMoments:
    """Count, mean and sums of the powers 2, 3, 4 of deviations from the mean, of many variables over a stream.

    Blocks are combined by the exact shift of central sums (Pebay 2008), so that a large mean costs no digits:
    with d = mean_b - mean_a, S_2 = S_2a + S_2b + d^2 n_a n_b/n, and similar formulas for the powers 3 and 4.
    """

    def __init__(self, shape: tuple[int, ...], device: torch.device) -> None:
        self.count = 0
        self.mean, self.s2, self.s3, self.s4 = torch.zeros(4, *shape, dtype=torch.float64, device=device)

    def add(self, values: Float[torch.Tensor, "*any B"]) -> None:
        """Add the B examples of a block, which may be empty."""
        rows = values.shape[-1]
        if rows == 0:
            return
        mean = values.mean(dim=-1)
        centred = values - mean[..., None]
        square = centred.square()
        s2, s3, s4 = square.sum(dim=-1), (square * centred).sum(dim=-1), square.square().sum(dim=-1)
        a, b, n, d = self.count, rows, self.count + rows, mean - self.mean
        self.s4 = (
            self.s4
            + s4
            + d**4 * (a * b * (a * a - a * b + b * b) / n**3)
            + 6 * d**2 * (a * a * s2 + b * b * self.s2) / n**2
            + 4 * d * (a * s3 - b * self.s3) / n
        )
        self.s3 = self.s3 + s3 + d**3 * (a * b * (a - b) / n**2) + 3 * d * (a * s2 - b * self.s2) / n
        self.s2 = self.s2 + s2 + d**2 * (a * b / n)
        self.mean, self.count = self.mean + d * (b / n), n

    def excess_kurtosis(self) -> Float[np.ndarray, "*any"]:
        """Return n S_4/S_2^2 - 3. Raises InputError where a variable is constant."""
        if self.count == 0 or not bool((self.s2 > 0).all()):
            raise InputError(
                f"The kurtosis of w.x is undefined: w.x has one value on all {self.count} examples.",
                "Start from nonzero w0, leave out the time 0, or take more simulation.samples.",
                "undefined",
            )
        return (self.count * self.s4 / self.s2.square() - 3).cpu().numpy()
