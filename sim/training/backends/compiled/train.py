"""The compiled descent of one network: blocks of examples, one matrix product for each class, then all their steps."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import singledispatch
from weakref import WeakKeyDictionary

import numpy as np
import torch

from sim.data.factors import Dense, Factor
from sim.data.gaussian import GaussianSampler
from sim.networks.examples import Examples
from sim.networks.losses import loss_named
from sim.networks.one_hidden_layer import leak, readout_scale
from sim.networks.parameters import Parameters
from sim.random.streams import WORDS, key_of
from sim.training.backends.compiled import colour, descent, error_function, numbers
from sim.training.optimisers import optimiser_of
from sim.training.schedule import block_rows
from sim.training.state import Replicate, Report, State
from sim.training.step import largest_weight
from theory.problem import AlwaysGate, DirectionGate, InputError, OutOfReachError, Parameter, SiteGate, resolved

MODELS = {
    "gated-linear": descent.GATED,
    "relu": descent.LEAKY,
    "leaky-relu": descent.LEAKY,
    "erf": descent.ERF,
    "sigmoid": descent.SIGMOID,
}
# Whether the residual is that of the cross-entropy.
LOSSES = {"half-mse": False, "mse": False, "cross-entropy": True}
# From this many examples a step on, matrix products beat the loops of `descent.steps`.
_MANY = 32
# Up to so many units the loops of `descent.wide_steps` beat them again.
_FEW_UNITS = 4


@dataclass(frozen=True)
class _Gate:
    """A gate on one site or along a vector (None: always open), its numbers in the dtype of the data."""

    along: int | np.ndarray | None
    latent: bool = False
    low: np.floating | None = None
    high: np.floating | None = None
    sharpness: np.floating | None = None

    def open(self, z: np.ndarray, x: np.ndarray, values: np.ndarray) -> None:
        """g(x) of every row into `values`."""
        if self.along is None:
            values[:] = 1
            return
        seen = z if self.latent else x
        v = seen[:, self.along] if isinstance(self.along, int) else seen @ self.along
        if self.sharpness == np.inf:
            descent.open_gates(v, self.low, self.high, values)
        else:
            descent.soften_gates(v, self.low, self.high, self.sharpness, values)


@singledispatch
def _gate(gate: object, _n: int, _kind: type[np.floating]) -> _Gate:
    """The gate made ready. Raises OutOfReachError for one without a loop; `support.of_gate` says so beforehand."""
    raise OutOfReachError(
        f"No compiled loop for the gate {type(gate).__name__}.", 'Use backend="reference".', "backend"
    )


@_gate.register
def _(_always: AlwaysGate, _n: int, _kind: type[np.floating]) -> _Gate:
    return _Gate(None)


@_gate.register
def _(gate: SiteGate, _n: int, kind: type[np.floating]) -> _Gate:
    low, high = (kind(float(bound)) for bound in (gate.lo, gate.hi))
    return _Gate(gate.site, gate.on == "latent", low, high, kind(float(gate.sharpness)))


@_gate.register
def _(gate: DirectionGate, n: int, kind: type[np.floating]) -> _Gate:
    """In units of the largest entry, as in `sim.gates.direction`."""
    unit, along = max(abs(number) for _, number in gate.v), np.zeros(n, kind)
    along[list(gate.sites)] = [float(number / unit) for _, number in gate.v]
    low, high = (kind(bound if isinstance(bound, float) else float(bound / unit)) for bound in (gate.lo, gate.hi))
    return _Gate(along, gate.on == "latent", low, high, kind(float(gate.sharpness * unit)))


_MAKERS: WeakKeyDictionary[GaussianSampler, tuple[tuple, ...] | None] = WeakKeyDictionary()


def _makers(sampler: GaussianSampler) -> tuple[tuple, ...] | None:
    """The Makers of the factors, made once for each sampler; None where one has none."""
    if sampler not in _MAKERS:
        makers = [colour.maker(factor) for factor in sampler.factors]
        _MAKERS[sampler] = None if None in makers else tuple(map(tuple, makers))  # plain tuples are handed over faster
    return _MAKERS[sampler]


class _Data:
    """The examples of one network, drawn block by block into memory that stays."""

    def __init__(self, replicate: Replicate, sampler: GaussianSampler, dtype: np.dtype, by_site: bool) -> None:
        problem, n = replicate.problem, sampler.n
        self.batch = problem.simulated().batch
        self.stream = replicate.stream()
        self.key = tuple(np.uint64(part) for part in key_of(self.stream.seed))
        self.factors, self.by_site = sampler.factors, by_site
        self.labels = sampler.labels.numpy().astype(dtype)
        self.gain, self.normaliser = sampler.gain, sampler.normaliser
        kind = np.dtype(dtype).type
        self.gates = [_gate(gate, n, kind) for gate in resolved(problem.network.gates)]
        self.makers = _makers(sampler)
        if self.makers:
            self.ways, self.scratch = colour.ways(self.makers), colour.room_for(self.makers)
        latent = any(gate.latent for gate in self.gates)
        self.at_once = None  # gain and Z where x is made without z, which then nobody reads
        self.curve = None if self.gain is None else (kind(self.gain), kind(self.normaliser))
        if self.makers and self.gain is not None and not latent:
            self.at_once = self.curve
        self.steps = max(1, block_rows(n) // self.batch)
        rows = self.steps * self.batch
        calls = max(-(-factor.rank // WORDS) for factor in self.factors)
        self.noise = np.empty((WORDS * calls, 0 if self.makers else rows), dtype)
        self.z = _room(n, rows, dtype, by_site)
        self.x = self.z if self.gain is None or self.at_once else _room(n, rows, dtype, by_site)
        self.gate = np.empty((len(self.gates), rows), dtype)
        self.y, self.example, self.row = (np.empty(rows, kind) for kind in (dtype, np.uint64, np.int64))
        self.middle, self.part = np.empty(rows, np.int64), np.empty((WORDS, numbers.TILE), np.uint32)

    def draw(self, step: int, count: int, segment: int):
        """The examples of `count` steps from `step` on: x, y and gates by row, and the row of each example.

        Rows stand in the order of the examples from segment to segment, sorted by class inside one.
        """
        rows = count * self.batch
        y, example, row = (part[:rows] for part in (self.y, self.example, self.row))
        word = np.uint64(self.stream.word + 1)
        numbers.arrange(self.key, word, step * self.batch, segment, self.labels, y, example, row, self.middle)
        if self.makers:
            held = (self.key, np.uint64(self.stream.word), self.makers, self.ways, example, segment, self.middle)
            colour.fill_coloured(*held, self.at_once, self.scratch, self.z.T)
        else:
            for index, start in enumerate(range(0, rows, segment)):
                middle, stop = self.middle[index], min(start + segment, rows)
                self._gaussian(0, start, middle)
                self._gaussian(1, middle, stop)
        z, x = self.z[:rows], self.x[:rows]
        if self.gain is not None and not self.at_once:
            self._input(z, x)
        for gate, values in zip(self.gates, self.gate[:, :rows], strict=True):
            gate.open(z, x, values)
        return x, y, self.gate, row

    def _gaussian(self, c: int, low: int, high: int) -> None:
        """z of the rows from `low` to `high`, which are of class c."""
        example, factor = self.example[low:high], self.factors[c]
        calls = -(-factor.rank // WORDS)
        numbers.fill(self.key, np.uint64(self.stream.word), calls, example, self.noise, low, self.part)
        _colour(factor, self.noise[: factor.rank, low:high].T, self.z[low:high])

    def _input(self, z: np.ndarray, x: np.ndarray) -> None:
        z, x, count = (self.z.T, self.x.T, len(z)) if self.by_site else (z, x, self.z.shape[1])
        error_function.inputs(z, count, *self.curve, x)


def _room(n: int, rows: int, dtype: np.dtype, by_site: bool) -> np.ndarray:
    """An array (rows, n) in which the numbers of a site, or else those of an example, lie together."""
    return np.empty((n, rows), dtype).T if by_site else np.empty((rows, n), dtype)


def _colour(factor: Factor, noise: np.ndarray, z: np.ndarray) -> None:
    if isinstance(factor, Dense):
        np.matmul(noise, factor.matrix.numpy(), out=z)
    else:
        z[:] = factor.coloured(torch.from_numpy(noise)).numpy()


def train_each(
    replicates: Sequence[Replicate], sampler: GaussianSampler, _sample: Examples | None, state: State, report: Report
) -> tuple[dict[str, torch.Tensor], State]:
    """Train networks on the fresh examples of one stream, block by block, as `reference.train_group` does a group.

    Raises InputError for several networks that do not share their stream: each then is a group.
    """
    if len(replicates) > 1 and not replicates[0].problem.simulated().shared_stream:
        raise InputError("Compiled networks with streams of their own are trained one by one.", "Give one at a time.")
    many = replicates[0].problem.simulated().batch >= _MANY
    data = _Data(replicates[0], sampler, _kind(state), by_site=many)
    crew = [_Network(one, data, state.part(slice(s, s + 1))) for s, one in enumerate(replicates)]
    step, seen = state.step, []
    for last in replicates[0].snapshot_steps:
        while step < last:
            count = min(last - step, data.steps)
            moving = [own for own in crew if not own.frozen]
            if moving:
                drawn = data.draw(step, count, moving[0].segment)
                for own in moving:
                    own.advance(step, count, drawn)
            step += count
            report(step)
        seen.append([own.theta.astype(np.float64) for own in crew])
    one = crew[0]
    snapshots = {
        name: tensor.view(len(crew), len(seen), *tensor.shape[1:])
        for name, tensor in one.named(np.stack(seen, axis=1).reshape(len(crew) * len(seen), -1)).items()
    }
    memory = [np.stack(parts) for parts in zip(*(own.memory for own in crew), strict=True)]
    first, second = (None if one.plain else one.trained(one.named(part)) for part in memory)
    frozen = np.array([own.frozen for own in crew])
    return snapshots, State(step, one.named(np.stack([own.theta for own in crew])), frozen, first, second)


def _kind(state: State) -> np.dtype:
    """The dtype of the parameters."""
    return state.parameters["w"].numpy().dtype


class _Network:
    """One network in flat arrays: its parameters after one another (theta), the optimiser's memory, its scratch."""

    def __init__(self, replicate: Replicate, data: _Data, state: State) -> None:
        problem, network = replicate.problem, replicate.problem.network
        self.declared = problem.parameters
        self.theta = _flat(self.declared, state.parameters)
        kind = self.theta.dtype.type
        self.units, self.n, self.batch = network.units, problem.data.n, problem.simulated().batch
        self.many, self.data = self.batch >= _MANY, data
        # A matrix product needs the rows of a step in one piece; otherwise a block is sorted as a whole.
        self.segment = self.batch if self.many else self.data.steps * self.batch
        self.form = descent.Form(
            model=MODELS[network.model],
            leak=kind(leak(network)),
            scale=kind(readout_scale(network)),
            share=kind(loss_named(problem.training.loss).gradient_factor / self.batch),
            entropy=LOSSES[problem.training.loss],
            biased=network.has_biases,
            fixed=network.biases == "fixed",
        )
        self.typed = self.form.typed()
        chosen = optimiser_of(problem.simulated())
        self.plain = chosen.plain
        square = -1 if chosen.square is None else chosen.square
        held = (*map(kind, (chosen.keep, chosen.take, square, chosen.epsilon)), chosen.corrected)
        self.optimiser = None if chosen.plain else held
        self.memory = [
            np.zeros_like(self.theta) if part is None else _flat(self.declared, part)
            for part in (state.first, state.second)
        ]
        self.rate, self.limit = kind(replicate.rate), kind(largest_weight(state.parameters["w"].dtype))
        self.gradient, self.moved = np.empty_like(self.theta), np.empty_like(self.theta)
        self.frozen = bool(state.frozen[0])
        if self.many:
            self.pre = np.empty((self.units, self.batch), kind)
            self.residual, self.value = np.empty((2, self.batch), kind)
        self.values, self.steepness = np.empty(self.units, kind), np.empty(self.units, kind)

    def advance(self, step: int, count: int, drawn: tuple[np.ndarray, ...]) -> None:
        """Take `count` steps from `step` on, or those before it diverges, on what `_Data.draw` gives."""
        x, y, gate, row = drawn
        if self.many and self.units <= _FEW_UNITS:
            room = (self.pre, self.residual, self.value, self.gradient, *self.memory, self.moved)
            held = (self.typed, self.theta, self.units, self.data.x.T, y, gate, self.batch)
            self.frozen = descent.wide_steps(*held, room, self.optimiser, self.rate, step, self.limit) < count
            return
        if self.many:
            for index in range(count):
                if not self._step(x, y, gate, index * self.batch, step + index):
                    self.frozen = True
                    return
            return
        held = (self.form, self.theta, self.units, x, y, gate, row)
        if self.batch == 1 and self.plain:
            taken = descent.single_steps(*held, (self.moved, self.values, self.steepness), self.rate, self.limit)
        else:
            room = (self.gradient, *self.memory, self.moved, self.values, self.steepness)
            taken = descent.steps(*held, self.batch, room, self.optimiser, self.rate, step, self.limit)
        self.frozen = taken < count

    def _step(self, x: np.ndarray, y: np.ndarray, gate: np.ndarray, at: int, step: int) -> bool:
        size, shape = self.units * self.n, (self.units, self.n)
        own = x[at : at + self.batch]
        np.matmul(self.theta[:size].reshape(shape), own.T, out=self.pre)
        room = self.residual, self.value
        descent.pulls(self.typed, self.theta, self.gradient, self.n, self.pre, gate, y, at, *room)
        np.matmul(self.pre, own, out=self.gradient[:size].reshape(shape))
        return descent.move(
            self.theta, self.gradient, *self.memory, self.moved, self.optimiser, self.rate, step, self.limit
        )

    def named(self, theta: np.ndarray) -> dict[str, torch.Tensor]:
        """Return what lies in rows like theta (S, ...) by the names of the parameters, each in its shape."""
        ends = np.cumsum([parameter.size for parameter in self.declared])[:-1]
        parts = np.split(theta, ends, axis=1)
        return {
            parameter.name: torch.from_numpy(np.ascontiguousarray(part)).view(-1, *parameter.shape)
            for parameter, part in zip(self.declared, parts, strict=True)
        }

    def trained(self, parameters: Parameters) -> dict[str, torch.Tensor]:
        """Return those of the parameters that are trained."""
        return {parameter.name: parameters[parameter.name] for parameter in self.declared if parameter.trained}


def _flat(declared: Sequence[Parameter], held: Parameters) -> np.ndarray:
    """The numbers of one network after one another, as declared; zeros for a parameter that is not held."""
    like = held["w"].numpy()
    parts = (
        held[own.name].flatten().numpy() if own.name in held else np.zeros(own.size, like.dtype) for own in declared
    )
    return np.concatenate(list(parts))
