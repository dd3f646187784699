"""The parameters of trained networks at the problem's times."""

import numpy as np
from jaxtyping import Float

from sim.measure.source import Source, values_of
from sim.training.run import biases_of
from theory.problem import BiasesAtTimes, InputError, ReadoutAtTimes, WeightsAtTimes


@values_of.register
def _(observable: WeightsAtTimes, source: Source) -> Float[np.ndarray, "R T K *m n"]:
    return source.weights(observable)


@values_of.register
def _(observable: BiasesAtTimes, source: Source) -> Float[np.ndarray, "R T C"]:
    biases = biases_of(source.trained(observable))
    if biases is None:
        raise InputError("This network has no biases to measure.", 'Use network.biases = "trained".')
    return biases


@values_of.register
def _(observable: ReadoutAtTimes, source: Source) -> Float[np.ndarray, "R T *m K"]:
    readout = source.trained(observable).get("a")
    if readout is None:
        raise InputError(
            "This network trains no readout weights to measure.",
            'Use network.readout = "trained-mean" or "trained-sum".',
        )
    return readout
