"""Recording the gates of trained ReLU networks, and replaying them in gated-linear networks on the same stream.

ReLU(h) = 1[h > 0] h, and its slope is 1[h > 0]: a gated-linear network with the gates g_k(x) = 1[w_k.x + b_k > 0] of a
ReLU network has at the same weights the same output and the same gradient. Replayed from the same start with the gates
of every step, it is the ReLU network; with fewer recorded times, or frozen gates, it measures the effect of the moving
gates.
"""

import time as clock
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import repeat

import numpy as np
import torch
from jaxtyping import Float

from sim.data.sample import Sampler, prepare
from sim.measure.estimate import Estimate
from sim.networks.choice import network_of
from sim.networks.examples import Examples
from sim.networks.losses import loss_named
from sim.networks.parameters import Parameters
from sim.random.streams import MEASUREMENT, reference_normals, stream
from sim.train import Progress, descended, train
from sim.training.backends.choice import Backend, fastest_normals
from sim.training.backends.reference import descend
from sim.training.batches import fresh_batches
from sim.training.run import Run
from sim.training.schedule import (
    device_named,
    dtype_of,
    refuse_endless_measurement,
)
from sim.training.sizes import columns
from sim.training.state import Replicate, Report, State, beginning, stream_number
from sim.training.times import steps_at_times
from theory.problem import InputError, LossAtTimes, Network, OutOfReachError, Problem, RecordedGate

MODES = ("frozen", "piecewise")
_CHUNK_NUMBERS = 2**18


@dataclass(frozen=True)
class Gates:
    """The gates g_k(x) = 1[w_k.x + b_k > 0] of S networks at T times, by the parameters that define them.

    `parameters` are "w" (S, T, K, n) and, where the network had biases, "b" (S, T, K). Entry s belongs to replicate
    number replicates[s].
    """

    replicates: tuple[int, ...]
    times: tuple[Fraction, ...]
    parameters: Mapping[str, Float[np.ndarray, "S T K ..."]]

    @property
    def weights(self) -> Float[np.ndarray, "S T K n"]:
        """The weights w_k."""
        return self.parameters["w"]

    @property
    def biases(self) -> Float[np.ndarray, "S T K"] | None:
        """The hidden biases b_k; None where the network had none."""
        return self.parameters.get("b")

    def at(self, *times: Fraction | float | int | str) -> "Gates":
        """Return the gates at some recorded times, in their order. Raises InputError for another time."""
        chosen = sorted({self._index(Fraction(time)) for time in times})
        parameters = {name: array[:, chosen] for name, array in self.parameters.items()}
        return Gates(self.replicates, tuple(self.times[i] for i in chosen), parameters)

    def _index(self, time: Fraction) -> int:
        if time not in self.times:
            raise InputError(
                f"No gates were recorded at t = {float(time):g}.",
                f"Recorded: {', '.join(f'{float(t):g}' for t in self.times[:12])}{' ...' if self.times[12:] else ''}.",
            )
        return self.times.index(time)


def record(run: Run) -> Gates:
    """Return the gates of the run's networks at its problem's times; replicates that diverged are omitted.

    Raises OutOfReachError for a network whose units are no gate times their pre-activation: for erf and sigmoid no g(x)
    gives both the value and the gradient.
    """
    network = run.problem.network
    if network.model != "relu":
        raise OutOfReachError(
            f'The units of a "{network.model}" network have no recordable gates: f(h) = f\'(h) h holds for ReLU alone.',
            'Train model = "relu"; the gates of a gated-linear network are given in its problem.',
        )
    kept = np.flatnonzero(~run.diverged)
    numbers = tuple(run.replicates[s] for s in kept)
    own = {name: run.parameters[name][kept] for name in ("w", "b") if name in run.parameters}
    return Gates(numbers, run.problem.training.times, own)


def replay(
    problem: Problem,
    gates: Gates,
    mode: str = "frozen",
    *,
    device: str = "auto",
    dtype: torch.dtype | None = None,
    sample: Examples | None = None,
    progress: Progress | None = None,
) -> Run:
    """Train gated-linear networks with recorded gates from the problem's initial weights, on the problem's stream.

    With mode "frozen" the gates of one recorded time are used at all steps, with "piecewise" those recorded at t_i in
    [t_i, t_(i+1)), the first at t = 0. Every recorded replicate is trained. `problem` is that of the recorded networks
    or another with the same K and n; the model and gates of its network are ignored. `sample` gives the examples of a
    full-batch run as for `train`, without gates. The problem of the returned Run is gated-linear. Raises InputError for
    times or sizes that do not fit.

    >>> from theory.problem import Network, NonlinearGP, NormalInitialisation, Simulation, Training
    >>> law = NonlinearGP(4, (2, 1), 1, "open", "unit-variance", (1, 0))
    >>> training = Training("half-mse", 1, NormalInitialisation(1, 0), times=(0, 1))
    >>> settings = Simulation("online", samples=100, learning_rate="1/2", replicates=3, seed=0, batch=8)
    >>> run = train(Problem(law, Network("relu", "mean", units=2), training, settings), "cpu")
    >>> frozen = replay(run.problem, record(run).at(0), "frozen", device="cpu")
    >>> bool((frozen.weights[:, 0] == run.weights[:, 0]).all()), loss(frozen, record(run).at(0), "cpu").values.shape
    (True, (3, 2))
    """
    begin = clock.perf_counter()
    _check(problem, gates, mode)
    where, kind = device_named(device), dtype_of(problem) if dtype is None else dtype
    bare = replace(problem, network=replace(problem.network, model="relu", gates=()))
    network = replace(bare.network, model=Network.gated, gates=tuple(map(RecordedGate, range(bare.network.units))))
    question = replace(problem, network=network)
    switches = steps_at_times(_at_times(bare, gates.times)) if mode == "piecewise" else (0,)
    untrained = _at_times(bare, (Fraction(0),))
    start = train(untrained, device, dtype=kind, replicates=gates.replicates, sample=sample, compile_steps=False)
    fill = fastest_normals(where)
    gated, sources = (tuple(Replicate(of, number, fill) for number in gates.replicates) for of in (question, bare))

    def train_group(
        group: Sequence[Replicate], sampler: Sampler | None, fixed: Examples | None, state: State, report: Report
    ) -> tuple[Parameters, State]:
        first = gates.replicates.index(group[0].number)
        part = slice(first, first + len(group))
        batches = repeat(fixed) if sampler is None else fresh_batches(sources[part], sampler, state.step)
        return descend(group, state, _Pieces(gates, part, where, kind).gated(batches, switches), report)

    backend = Backend("reference", train_group, fill)
    snapshots, state = descended(gated, beginning(sources), start.sample, where, kind, backend, progress)
    return replace(
        start,
        problem=question,
        times=np.array([float(t) for t in problem.training.times]),
        parameters={name: tensor.numpy() for name, tensor in snapshots.items()},
        diverged=state.frozen,
        state=state,
        steps=state.step,
        wall_time=clock.perf_counter() - begin,
    )


def loss(run: Run, gates: Gates, device: str = "auto") -> Estimate:
    """Measure <(y - yhat)^2>, or the cross-entropy, of a replay, each time with the gates in use from then on: (R, T).

    The examples are those on which `measure` takes the loss of the recorded run. With several recorded times the gates
    at t are those of the last one that is not after t; with one they are frozen.
    """
    problem, where = run.problem, device_named(device)
    if run.replicates != gates.replicates:
        raise InputError(
            f"The run has the replicates {run.replicates}, the gates {gates.replicates}.",
            "Give the gates that were replayed.",
        )
    refuse_endless_measurement(problem, len(run.replicates))
    kept, settings = run.surviving(), problem.simulated()
    pieces = [_piece(gates, time) for time in problem.training.times]
    rows = min(settings.samples, max(1, _CHUNK_NUMBERS // columns(problem)))
    network, named = network_of(problem), loss_named(problem.training.loss)
    fill = reference_normals if run.backend == "reference" else fastest_normals(where)
    sampler = prepare(problem.data, where, torch.float64)
    values = np.zeros((len(kept), len(pieces)))
    for index, s in enumerate(kept):
        alone = slice(s, s + 1)
        recorded = _Pieces(gates, alone, where, torch.float64)
        own = [stream(settings.seed, stream_number(problem, run.replicates[s]), MEASUREMENT, fill=fill)]
        for start in range(0, settings.samples, rows):
            drawn = sampler.draw(own, min(rows, settings.samples - start))
            for time, piece in enumerate(pieces):
                parameters: Parameters = {
                    name: _tensor(array[:, time], alone, where, torch.float64) for name, array in run.parameters.items()
                }
                examples = Examples(drawn.x, drawn.y, recorded.opens(piece, drawn.x))
                yhat = network.predict(parameters, examples)
                values[index, time] += float(named.penalty(yhat, drawn.y).sum())
    lost = len(run.diverged) - len(kept)
    return Estimate(LossAtTimes(), problem, values / settings.samples, settings.seed, lost)


class _Pieces:
    """The recorded gates of some replicates on one device."""

    def __init__(self, gates: Gates, part: slice, device: torch.device, dtype: torch.dtype) -> None:
        self.w, self.b = (_tensor(array, part, device, dtype) for array in (gates.weights, gates.biases))

    def opens(self, time: int, x: Float[torch.Tensor, "S B n"]) -> Float[torch.Tensor, "S K B"]:
        w, inputs = self.w[:, time], x.transpose(1, 2)
        h = torch.bmm(w, inputs) if self.b is None else torch.baddbmm(self.b[:, time, :, None], w, inputs)
        return (h > 0).to(x.dtype)

    def gated(self, batches: Iterator[Examples], switches: tuple[int, ...]) -> Iterator[Examples]:
        """Yield the batches of successive steps with the gates in use: piece i from step switches[i] on."""
        piece = 0
        for step, batch in enumerate(batches):
            if piece + 1 < len(switches) and step >= switches[piece + 1]:
                piece += 1
            yield Examples(batch.x, batch.y, self.opens(piece, batch.x))


def _tensor(array: np.ndarray | None, part: slice, device: torch.device, dtype: torch.dtype) -> torch.Tensor | None:
    return None if array is None else torch.from_numpy(np.ascontiguousarray(array[part])).to(device, dtype)


def _at_times(problem: Problem, times: tuple[Fraction, ...]) -> Problem:
    return replace(problem, training=replace(problem.training, times=times))


def _piece(gates: Gates, time: Fraction) -> int:
    return max((i for i, recorded in enumerate(gates.times) if recorded <= time), default=0)


def _check(problem: Problem, gates: Gates, mode: str) -> None:
    units, n = problem.network.units, problem.data.n
    if mode not in MODES:
        raise InputError(f"mode = {mode!r} is not known.", f"Choose one of: {', '.join(MODES)}.")
    if gates.weights.shape[2:] != (units, n):
        raise InputError(
            f"The gates are those of {gates.weights.shape[2]} units on {gates.weights.shape[3]} sites; this problem "
            f"has K = {units} and n = {n}.",
            "Replay in a network of the same size.",
        )
    if not gates.replicates or not gates.times:
        raise InputError("No gates are recorded.", "Record a run in which a replicate did not diverge.")
    if mode == "frozen" and len(gates.times) > 1:
        raise InputError(
            f"Gates of {len(gates.times)} times are recorded; frozen gates are those of one.",
            'Choose it: gates.at(0), or mode = "piecewise".',
        )
    if mode == "piecewise" and gates.times[0] != 0:
        raise InputError(
            f"The first recorded time is {float(gates.times[0]):g}; training from t = 0 has no gates before it.",
            'Record t = 0 too, or use mode = "frozen".',
        )
