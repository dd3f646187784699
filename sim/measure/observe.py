"""Measuring the observables of a problem on trained networks and on fresh data, one value per replicate."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import singledispatch

import numpy as np
import torch
from jaxtyping import Float

from sim.data.sample import Draw, draw, prepare, scratch
from sim.gates.gating import gate_values, gates_of
from sim.measure import measures
from sim.networks.one_hidden_layer import Parameters, penalties, predict
from sim.random.streams import MEASUREMENT, Stream, stream
from sim.training.descent import examples_of
from sim.training.run import Run
from sim.training.schedule import device_named, refuse_endless_measurement, refuse_too_large
from sim.training.state import stream_number
from theory.problem import (
    BiasesAtTimes,
    FieldCentreAtTimes,
    FieldNormAtTimes,
    FieldWidthAtTimes,
    GateFlipsAtTimes,
    GateFlipsBetweenTimes,
    GateOverlapBetweenTimes,
    InputError,
    InputMoment,
    InputOutputMoment,
    LossAtTimes,
    LowFrequencyPowerAtTimes,
    NonlinearGP2D,
    Observable,
    OpenTogetherBetweenTimes,
    OutOfReachError,
    ParticipationRatioAtTimes,
    PreactivationKurtosisAtTimes,
    Problem,
    ReadoutAtTimes,
    SpectralPeakAtTimes,
    SpectralPeakShareAtTimes,
    WeightKurtosisAtTimes,
    WeightsAtTimes,
)

_CHUNK_NUMBERS = 2**18


@dataclass(frozen=True)
class Estimate:
    """An observable measured on R replicates: `values` (R, ...) in float64, one entry for each that did not diverge.

    `diverged` counts the replicates left out; means over the rest are conditional on not diverging.
    """

    observable: Observable
    problem: Problem
    values: Float[np.ndarray, "R ..."]
    seed: int
    diverged: int = 0

    @property
    def replicates(self) -> int:
        """R, the number of independent values."""
        return len(self.values)

    @property
    def mean(self) -> Float[np.ndarray, "..."]:
        """The mean over replicates."""
        return self.values.mean(axis=0)

    @property
    def one_cluster(self) -> bool:
        """Whether the replicates saw the same examples (`simulation.shared_stream`): then they are not independent."""
        return self.problem.simulated().shared_stream

    @property
    def standard_error(self) -> Float[np.ndarray, "..."]:
        """sd/sqrt(R), sd over replicates with R - 1 in the denominator. Raises InputError for one cluster."""
        refuse_one_cluster(self)
        # Taken from the first replicate, so that equal values have the spread 0 and not that of a rounded mean.
        return (self.values - self.values[:1]).std(axis=0, ddof=1) / np.sqrt(self.replicates)


def refuse_one_cluster(estimate: Estimate) -> None:
    """Raise InputError where replicates that share their data would be taken for independent ones."""
    if estimate.one_cluster:
        raise InputError(
            f"The {estimate.replicates} replicates share one stream of examples: they are one cluster, so that their "
            "scatter gives no standard error.",
            "Leave out simulation.shared_stream, or compare the networks with each other only.",
            "one-cluster",
        )


def measure(observable: object, source: Run | Problem, device: str = "auto") -> Estimate:
    """Measure `observable` on a run, or, where no training is needed, on a problem.

    Fresh examples come from streams apart from those of training, `samples` for each replicate in float64; every
    observable that needs them sees the same ones. Raises OutOfReachError for an observable without a measurement
    or a network without the gates it asks for; InputError where a run is needed; DivergedError where fewer than two
    replicates are left.
    """
    if isinstance(source, Run):
        kept = source.surviving()
        learned = (source.weights, source.biases, source.readout)
        numbers = tuple(source.replicates[s] for s in kept)
        measured = _Source(source.problem, numbers, device, *(None if x is None else x[kept] for x in learned))
        lost = len(source.diverged) - len(kept)
    else:
        measured, lost = _Source(source, tuple(range(source.simulated().replicates)), device), 0
    values = _values(observable, measured)
    return Estimate(observable, measured.problem, values, measured.problem.simulated().seed, lost)


@dataclass(frozen=True)
class _Source:
    problem: Problem
    replicates: tuple[int, ...]
    device: str
    weights: Float[np.ndarray, "R T K n"] | None = None
    biases: Float[np.ndarray, "R T C"] | None = None
    readout: Float[np.ndarray, "R T K"] | None = None

    def learned(self, observable: object) -> Iterator[Parameters]:
        """What each replicate learned, on the device; the T times stand in the place of networks."""
        tensors = [
            None if array is None else torch.from_numpy(array).to(device_named(self.device))
            for array in (self.trained(observable), self.biases, self.readout)
        ]
        for index in range(len(self.replicates)):
            yield Parameters(*(None if tensor is None else tensor[index] for tensor in tensors))

    def trained(self, observable: object) -> Float[np.ndarray, "R T K n"]:
        if self.weights is None:
            raise InputError(f"{type(observable).__name__} is measured on trained networks.", "Train: sim.train.train.")
        return self.weights

    def along_a_line(self, observable: object) -> Float[np.ndarray, "R T K n"]:
        """The weights where sites lie on a line or a ring; OutOfReachError on a grid."""
        if isinstance(self.problem.data, NonlinearGP2D):
            raise OutOfReachError(
                f"{observable.name} belongs to sites on a line or a ring; {self.problem.data.law} has a grid.",
                "Measure the participation ratio, or the weights and reshape them to data.shape.",
            )
        return self.trained(observable)


@singledispatch
def _values(observable: object, _source: _Source) -> Float[np.ndarray, "R ..."]:
    raise OutOfReachError(f"No measurement of {type(observable).__name__}.", "sim.measure.observe has those there are.")


@_values.register
def _(_observable: InputOutputMoment, source: _Source) -> Float[np.ndarray, "R K n"]:
    gates = gates_of(source.problem.network)
    values = []
    for chunks in _fresh(source):
        total = torch.zeros(len(gates), source.problem.data.n, dtype=torch.float64)
        for drawn in chunks:
            total += torch.matmul(gate_values(gates, drawn)[0] * drawn.y[0], drawn.x[0]).cpu()
        values.append(total.numpy() / source.problem.simulated().samples)
    return np.stack(values)


@_values.register
def _(_observable: InputMoment, source: _Source) -> Float[np.ndarray, "R K K n n"]:
    gates = gates_of(source.problem.network)
    units, n = len(gates), source.problem.data.n
    remedy = "Lower the number of units, sites or replicates."
    refuse_too_large("The second moments", (len(source.replicates) + 1) * (units * n) ** 2, 8, remedy)
    values = []
    for chunks in _fresh(source):
        total = torch.zeros(units * n, units * n, dtype=torch.float64)
        for drawn in chunks:
            gated = gate_values(gates, drawn)[0].T[:, :, None] * drawn.x[0][:, None, :]
            flat = gated.reshape(-1, units * n)
            total += (flat.T @ flat).cpu()
        blocks = total.numpy().reshape(units, n, units, n).transpose(0, 2, 1, 3)
        values.append(blocks / source.problem.simulated().samples)
    return np.stack(values)


@_values.register
def _(observable: WeightsAtTimes, source: _Source) -> Float[np.ndarray, "R T K n"]:
    return source.trained(observable)


@_values.register
def _(observable: BiasesAtTimes, source: _Source) -> Float[np.ndarray, "R T C"]:
    source.trained(observable)
    if source.biases is None:
        raise InputError("This network has no biases to measure.", 'Use network.biases = "trained".')
    return source.biases


@_values.register
def _(observable: ReadoutAtTimes, source: _Source) -> Float[np.ndarray, "R T K"]:
    source.trained(observable)
    if source.readout is None:
        raise InputError(
            "This network trains no readout weights to measure.",
            'Use network.readout = "trained-mean" or "trained-sum".',
        )
    return source.readout


@_values.register
def _(observable: ParticipationRatioAtTimes, source: _Source) -> Float[np.ndarray, "R T K"]:
    return participation_ratio(source.trained(observable))


@_values.register
def _(observable: LowFrequencyPowerAtTimes, source: _Source) -> Float[np.ndarray, "R T K"]:
    return low_frequency_power(source.along_a_line(observable))


@_values.register
def _(observable: LossAtTimes, source: _Source) -> Float[np.ndarray, "R T"]:
    problem, losses = source.problem, []
    for own, chunks in zip(source.learned(observable), _fresh(source), strict=True):
        total = torch.zeros(len(own.w), dtype=torch.float64)
        for drawn in chunks:
            examples = examples_of(problem, drawn)
            for index in range(len(total)):
                at_time = own.mapped(lambda tensor, index=index: tensor[index : index + 1])
                yhat = predict(problem.network, at_time, examples)
                total[index] += penalties(problem.training.loss, yhat, examples.y).sum().cpu()
        losses.append(total.numpy() / problem.simulated().samples)
    return np.stack(losses)


@_values.register
def _(observable: FieldNormAtTimes, source: _Source) -> Float[np.ndarray, "R T K"]:
    return np.linalg.norm(source.trained(observable), axis=-1)


@_values.register
def _(observable: GateFlipsAtTimes, source: _Source) -> Float[np.ndarray, "R T K"]:
    shares = []
    for own, chunks in zip(source.learned(observable), _fresh(source), strict=True):
        total = torch.zeros(own.w.shape[:2], dtype=torch.float64, device=own.w.device)
        for field in _fields(own, chunks):
            total += ((field >= 0) != (field[:1] >= 0)).sum(dim=2)
        shares.append(total.cpu().numpy() / source.problem.simulated().samples)
    return np.stack(shares)


@_values.register
def _(observable: GateFlipsBetweenTimes, source: _Source) -> Float[np.ndarray, "R K T T"]:
    return np.stack([found.flips() for found in _joint(observable, source)])


@_values.register
def _(observable: OpenTogetherBetweenTimes, source: _Source) -> Float[np.ndarray, "R K T T"]:
    return np.stack([found.together() for found in _joint(observable, source)])


@_values.register
def _(observable: GateOverlapBetweenTimes, source: _Source) -> Float[np.ndarray, "R K T T"]:
    return np.stack([found.overlap() for found in _joint(observable, source)])


@_values.register
def _(observable: FieldCentreAtTimes, source: _Source) -> Float[np.ndarray, "R T K"]:
    return measures.centre(source.along_a_line(observable), source.problem.data.boundary)


@_values.register
def _(observable: FieldWidthAtTimes, source: _Source) -> Float[np.ndarray, "R T K"]:
    return measures.centre_and_width(source.along_a_line(observable), source.problem.data.boundary)[1]


@_values.register
def _(observable: SpectralPeakAtTimes, source: _Source) -> Float[np.ndarray, "R T K"]:
    return measures.spectral_peak(source.along_a_line(observable))[0]


@_values.register
def _(observable: SpectralPeakShareAtTimes, source: _Source) -> Float[np.ndarray, "R T K"]:
    return measures.spectral_peak(source.along_a_line(observable))[1]


@_values.register
def _(observable: WeightKurtosisAtTimes, source: _Source) -> Float[np.ndarray, "R T K"]:
    return measures.site_kurtosis(source.trained(observable))


@_values.register
def _(observable: PreactivationKurtosisAtTimes, source: _Source) -> Float[np.ndarray, "R T K"]:
    found = []
    for own, chunks in zip(source.learned(observable), _fresh(source), strict=True):
        moments = measures.CentralMoments(tuple(own.w.shape[:2]), own.w.device)
        for drawn in chunks:
            x = drawn.x[0]
            if observable.category is not None:
                x = x[drawn.category[0] == bool(observable.category)]
            for field in measures.fields(own.w, None, x):
                moments.add(field)
        found.append(moments.excess_kurtosis())
    return np.stack(found)


def _joint(observable: object, source: _Source) -> Iterator[measures.JointOpenings]:
    """For each replicate on how many fresh examples each gate is open at any two of the times."""
    _, times, units, _ = source.trained(observable).shape
    numbers = (len(source.replicates) + 1) * units * times**2
    refuse_too_large("Gates at any two times", numbers, 8, "Lower the number of times, units or replicates.")
    for own, chunks in zip(source.learned(observable), _fresh(source), strict=True):
        joint = measures.JointOpenings(*own.w.shape[:2], own.w.device)
        for field in _fields(own, chunks):
            joint.add(field >= 0)
        yield joint


def _fields(own: Parameters, chunks: Iterator[Draw]) -> Iterator[Float[torch.Tensor, "T K b"]]:
    hidden = None if own.biases is None else own.biases[:, :-1]
    for drawn in chunks:
        yield from measures.fields(own.w, hidden, drawn.x[0])


def participation_ratio(w: Float[np.ndarray, "*any n"]) -> Float[np.ndarray, "*any"]:
    """sum_i w_i^4 / (sum_i w_i^2)^2 along the last axis. Raises InputError for a row of zeros.

    >>> participation_ratio(np.array([0.0, 3.0, 0.0, 0.0])).item()
    1.0
    """
    shares = measures.power_shares(w, "inverse participation ratio")
    return np.asarray(np.sum(shares**2, axis=-1))


def low_frequency_power(w: Float[np.ndarray, "*any n"]) -> Float[np.ndarray, "*any"]:
    """The share of sum_q |w^_q|^2 in |q| <= n/4, along the last axis. Raises InputError for a row of zeros.

    >>> low_frequency_power(np.array([1.0, -1.0, 1.0, -1.0])).item()
    0.0
    """
    n = w.shape[-1]
    shares = measures.power_shares(np.abs(np.fft.fft(w, axis=-1)), "share of low-frequency power")
    frequency = np.minimum(np.arange(n), n - np.arange(n))
    return np.asarray(shares[..., 4 * frequency <= n].sum(axis=-1))


def _fresh(source: _Source) -> Iterator[Iterator[Draw]]:
    """For each replicate its `samples` fresh examples, in chunks that live until the next."""
    refuse_endless_measurement(source.problem, len(source.replicates))
    settings, where = source.problem.simulated(), device_named(source.device)
    sampler = prepare(source.problem.data, where, torch.float64)
    columns = max(source.problem.data.n, source.problem.network.units)
    rows = min(settings.samples, max(1, _CHUNK_NUMBERS // columns))
    room = scratch(sampler, 1, rows)

    def chunks(own: Stream) -> Iterator[Draw]:
        for start in range(0, settings.samples, rows):
            count = min(rows, settings.samples - start)
            yield draw(sampler, [own], count, room if count == rows else None)

    for replicate in source.replicates:
        yield chunks(stream(settings.seed, stream_number(source.problem, replicate), MEASUREMENT))
