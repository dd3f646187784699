"""The compiled descent of one network: draw a block of examples, then take all steps on it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import singledispatch

import numpy as np
import torch

from sim.data.gaussian import GaussianSampler
from sim.networks.examples import Examples
from sim.networks.losses import loss_named
from sim.networks.one_hidden_layer import leak, readout_scale
from sim.networks.parameters import Parameters
from sim.training.backends.compiled import descent, one_at_first
from sim.training.backends.compiled.draw import Block
from sim.training.backends.compiled.steps import Steps
from sim.training.memory import block_steps
from sim.training.optimisers import optimiser_of
from sim.training.sizes import MANY
from sim.training.state import Replicate, Report, State, largest_weight
from theory.problem import AlwaysGate, DirectionGate, InputError, OutOfReachError, Parameter, SiteGate, resolved


@dataclass(frozen=True)
class _Gate:
    """A gate on one site or along a vector (None: always open), its numbers in the dtype of the data."""

    along: int | np.ndarray | None
    latent: bool = False
    low: np.floating | None = None
    high: np.floating | None = None
    sharpness: np.floating | None = None

    def open(self, z: np.ndarray, x: np.ndarray, values: np.ndarray) -> None:
        """Write g(x) of every row into `values`."""
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
    """Return the gate in the form of the loops. OutOfReachError for one without a loop, as `support.of_gate` says."""
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
    """Scale the vector by its largest entry, as in `sim.gates.direction`."""
    unit, along = max(abs(number) for _, number in gate.v), np.zeros(n, kind)
    along[list(gate.sites)] = [float(number / unit) for _, number in gate.v]
    low, high = (kind(bound if isinstance(bound, float) else float(bound / unit)) for bound in (gate.lo, gate.hi))
    return _Gate(along, gate.on == "latent", low, high, kind(float(gate.sharpness * unit)))


class _Data:
    """The examples of one network, drawn block by block into memory that is reused."""

    def __init__(self, replicate: Replicate, sampler: GaussianSampler, dtype: np.dtype, by_site: bool) -> None:
        problem, n = replicate.problem, sampler.n
        self.batch = problem.simulated().batch
        self.stream = replicate.stream()
        kind = np.dtype(dtype).type
        self.gates = [_gate(gate, n, kind) for gate in resolved(problem.network.gates)]
        self.steps = block_steps(n, self.batch)
        rows = self.steps * self.batch
        self.block = Block(sampler, dtype, rows, by_site, latent=any(gate.latent for gate in self.gates))
        self.gate = np.empty((len(self.gates), rows), dtype)

    def draw(self, step: int, count: int, segment: int) -> tuple[np.ndarray, ...]:
        """Return the examples of `count` steps from `step` on: x, y and gates by row, and the row of each example.

        x and the gates have all rows of the block, so that their layout is always the same. The segments are in the
        order of the stream; within a segment the rows are sorted by class.
        """
        rows, block = count * self.batch, self.block
        block.draw(self.stream, step * self.batch, rows, segment)
        with one_at_first(("gates", self.gate.dtype, block.by_site)):
            for gate, values in zip(self.gates, self.gate[:, :rows], strict=True):
                gate.open(block.z[:rows], block.x[:rows], values)
        return block.x, block.y[:rows], self.gate, block.row[:rows]


def train_each(
    replicates: Sequence[Replicate], sampler: GaussianSampler, _sample: Examples | None, state: State, report: Report
) -> tuple[dict[str, torch.Tensor], State]:
    """Train networks on the fresh examples of one stream, block by block, with the results of `reference.train_group`.

    Raises InputError for several networks that do not share their stream: they are trained in separate calls.
    """
    if len(replicates) > 1 and not replicates[0].problem.simulated().shared_stream:
        raise InputError("Compiled networks with separate streams are trained one by one.", "Give one at a time.")
    many = replicates[0].problem.simulated().batch >= MANY
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
    """Return the dtype of the parameters."""
    return state.parameters["w"].numpy().dtype


class _Network:
    """One network in flat arrays: its concatenated parameters (theta), the optimiser's memory, its steps."""

    def __init__(self, replicate: Replicate, data: _Data, state: State) -> None:
        problem, network = replicate.problem, replicate.problem.network
        self.declared = problem.parameters
        self.theta = _flat(self.declared, state.parameters)
        kind = self.theta.dtype.type
        batch = problem.simulated().batch
        form = descent.Form(
            model=descent.MODELS[network.model],
            leak=kind(leak(network)),
            scale=kind(readout_scale(network)),
            share=kind(loss_named(problem.training.loss).gradient_factor / batch),
            entropy=descent.LOSSES[problem.training.loss],
            biased=network.has_biases,
            fixed=network.biases == "fixed",
        )
        chosen = optimiser_of(problem.simulated())
        self.plain = chosen.plain
        square = -1 if chosen.square is None else chosen.square
        held = (*map(kind, (chosen.keep, chosen.take, square, chosen.epsilon)), chosen.corrected)
        self.memory = [
            np.zeros_like(self.theta) if part is None else _flat(self.declared, part)
            for part in (state.first, state.second)
        ]
        rate, limit = kind(replicate.rate), kind(largest_weight(state.parameters["w"].dtype))
        optimiser, sizes = None if chosen.plain else held, (network.units, problem.data.n, batch)
        self.steps = Steps(form, self.theta, self.memory, optimiser, sizes, rate, limit)
        # A matrix product needs the rows of a step to be contiguous; otherwise the whole block is one segment.
        self.segment = batch if self.steps.many else data.steps * batch
        self.frozen = bool(state.frozen[0])

    def advance(self, step: int, count: int, drawn: tuple[np.ndarray, ...]) -> None:
        """Take `count` steps from `step` on, or those before divergence, on the examples `drawn` by `_Data.draw`."""
        self.frozen = not self.steps.advance(step, count, *drawn)

    def named(self, theta: np.ndarray) -> dict[str, torch.Tensor]:
        """Split rows that are laid out like theta (S, size) into the parameters, by name and in their shapes."""
        ends = np.cumsum([parameter.size for parameter in self.declared])[:-1]
        parts = np.split(theta, ends, axis=1)
        return {
            parameter.name: torch.from_numpy(np.ascontiguousarray(part)).view(-1, *parameter.shape)
            for parameter, part in zip(self.declared, parts, strict=True)
        }

    def trained(self, parameters: Parameters) -> dict[str, torch.Tensor]:
        """Return the parameters that are trained."""
        return {parameter.name: parameters[parameter.name] for parameter in self.declared if parameter.trained}


def _flat(declared: Sequence[Parameter], held: Parameters) -> np.ndarray:
    """Concatenate the parameters of one network in the declared order, with zeros for a missing one."""
    like = held["w"].numpy()
    parts = (
        held[own.name].flatten().numpy() if own.name in held else np.zeros(own.size, like.dtype) for own in declared
    )
    return np.concatenate(list(parts))
