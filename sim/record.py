"""Recording the gates of trained ReLU networks, and replaying them in gated-linear networks on the same stream.

ReLU(h) = 1[h > 0] h, and its slope is 1[h > 0]: a gated-linear network with the gates g_k(x) = 1[w_k.x + b_k > 0] of a
ReLU network has at the same weights the same output and the same gradient. Replayed from the same start with the
gates of every step it is the ReLU network; with fewer pieces, or frozen, it says what the moving gates are worth.
"""

import time as clock
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import repeat
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float

from sim.data.sample import draw, prepare
from sim.measure.observe import Estimate
from sim.networks.one_hidden_layer import Examples, Parameters, penalties, predict
from sim.random.streams import MEASUREMENT, stream
from sim.train import Progress, shifted, train
from sim.training.descent import descend, fresh_batches
from sim.training.run import Run
from sim.training.schedule import device_named, grouping, refuse_endless, refuse_endless_measurement, steps_at_times
from sim.training.state import Member, beginning, joined, stream_number
from theory.problem import InputError, LossAtTimes, Network, OutOfReachError, Problem, RecordedGate

MODES = ("frozen", "piecewise")
_CHUNK_NUMBERS = 2**18


@dataclass(frozen=True)
class Gates:
    """The gates g_k(x) = 1[w_k.x + b_k > 0] of S networks at T times, by the weights and biases that define them.

    Entry s belongs to replicate number replicates[s]. `biases` (S, T, K) is None where the network had none.
    """

    replicates: tuple[int, ...]
    times: tuple[Fraction, ...]
    weights: Float[np.ndarray, "S T K n"]
    biases: Float[np.ndarray, "S T K"] | None = None

    def at(self, *times: Fraction | float | int | str) -> "Gates":
        """The gates at some of the recorded times, in their order. Raises InputError for a time that is not there."""
        chosen = sorted({self._index(Fraction(time)) for time in times})
        biases = None if self.biases is None else self.biases[:, chosen]
        return Gates(self.replicates, tuple(self.times[i] for i in chosen), self.weights[:, chosen], biases)

    def save(self, path: Path) -> None:
        """Write an .npz file; times are written as exact fractions."""
        arrays = {} if self.biases is None else {"biases": self.biases}
        times = np.array([str(time) for time in self.times])
        with Path(path).open("wb") as file:  # a name would get an ending
            np.savez(file, replicates=np.array(self.replicates), times=times, weights=self.weights, **arrays)

    def _index(self, time: Fraction) -> int:
        if time not in self.times:
            raise InputError(
                f"No gates were recorded at t = {float(time):g}.",
                f"Recorded: {', '.join(f'{float(t):g}' for t in self.times[:12])}{' ...' if self.times[12:] else ''}.",
            )
        return self.times.index(time)


def load(path: Path) -> Gates:
    """The gates that `Gates.save` wrote. Raises InputError for a file that does not hold them."""
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        replicates = tuple(int(number) for number in arrays["replicates"])
        times = tuple(Fraction(str(text)) for text in arrays["times"])
        gates = Gates(replicates, times, arrays["weights"], arrays.get("biases"))
        fitting = gates.weights.ndim == 4 and gates.weights.shape[:2] == (len(replicates), len(times))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path} holds no recorded gates: {error}", "Give a file written by Gates.save.") from error
    if not fitting or (gates.biases is not None and gates.biases.shape != gates.weights.shape[:3]):
        raise InputError(f"{path}: the recorded arrays do not fit each other.", "Give a file written by Gates.save.")
    return gates


def record(run: Run) -> Gates:
    """The gates of the run's networks at its problem's times; replicates that diverged are left out.

    Raises OutOfReachError for a network whose units are no gate times their field: for erf and sigmoid no g(x) gives
    both the value and the gradient.
    """
    network = run.problem.network
    if network.model != "relu":
        raise OutOfReachError(
            f'The units of a "{network.model}" network have no recordable gates: f(h) = f\'(h) h holds for ReLU alone.',
            'Train model = "relu"; the gates of a gated-linear network are given in its problem.',
        )
    kept = np.flatnonzero(~run.diverged)
    biases = None if run.biases is None else run.biases[kept, :, :-1]
    numbers = tuple(run.replicates[s] for s in kept)
    return Gates(numbers, run.problem.training.times, run.weights[kept], biases)


def replay(
    problem: Problem,
    gates: Gates,
    mode: str = "frozen",
    *,
    device: str = "auto",
    dtype: torch.dtype = torch.float64,
    sample: Examples | None = None,
    progress: Progress | None = None,
) -> Run:
    """Train gated-linear networks with recorded gates from the problem's initial weights, on the problem's stream.

    "frozen": the gates of one recorded time at all steps. "piecewise": in [t_i, t_(i+1)) those recorded at t_i, the
    first at t = 0. Every recorded replicate is trained; `problem` is that of the recorded networks or another with the
    same K and n, and its network's model and gates are not looked at. `sample` gives the examples of a full-batch run
    as for `train`, gates left out. The Run's problem is the gated-linear one. Raises InputError for times or sizes that
    do not fit.
    """
    begin = clock.perf_counter()
    _check(problem, gates, mode)
    where, settings = device_named(device), problem.simulated()
    bare = replace(problem, network=replace(problem.network, model="relu", gates=()))
    network = replace(bare.network, model=Network.gated, gates=tuple(map(RecordedGate, range(bare.network.units))))
    question = replace(problem, network=network)
    switches = steps_at_times(_at_times(bare, gates.times)) if mode == "piecewise" else (0,)
    untrained = _at_times(bare, (Fraction(0),))
    start = train(untrained, device, dtype=dtype, replicates=gates.replicates, sample=sample, backend="reference")
    members, sources = (tuple(Member(of, number) for number in gates.replicates) for of in (question, bare))
    last, state = members[0].marks[-1], beginning(sources)
    per_step = settings.batch if start.sample is None else start.sample.x.shape[1]
    refuse_endless(last, len(members), per_step)
    size = grouping(per_step, max(problem.data.n, network.units)).replicates
    seen, states = [], []
    for first in range(0, len(members), size):
        part = slice(first, min(first + size, len(members)))
        if start.sample is None:
            law = prepare(problem.data, where, dtype)
            batches = fresh_batches(sources[part], [law] * (part.stop - first), 0)
        else:
            batches = repeat(start.sample.part(part, slice(None)))
        gated = _Pieces(gates, part, where, dtype).gated(batches, switches)
        report = shifted(progress, first * last, 0, part.stop - first, len(members) * last)
        learned, held = descend(members[part], state.part(part).to(where, dtype), gated, report)
        seen.append(learned)
        states.append(held)
    learned, state = seen[0].mapped(lambda *tensors: torch.cat(tensors), *seen[1:]), joined(states)
    return replace(
        start,
        problem=question,
        times=np.array([float(t) for t in problem.training.times]),
        weights=learned.w.numpy(),
        biases=None if learned.biases is None else learned.biases.numpy(),
        readout=None if learned.readout is None else learned.readout.numpy(),
        diverged=state.frozen,
        state=state,
        steps=last,
        wall_time=clock.perf_counter() - begin,
    )


def loss(run: Run, gates: Gates, device: str = "auto") -> Estimate:
    """<(y - yhat)^2>, or the cross-entropy, of a replay at its times, each with the gates in use from then on: (R, T).

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
    rows = min(settings.samples, max(1, _CHUNK_NUMBERS // max(problem.data.n, problem.network.units)))
    sampler = prepare(problem.data, where, torch.float64)
    values = np.zeros((len(kept), len(pieces)))
    for index, s in enumerate(kept):
        alone = slice(s, s + 1)
        recorded = _Pieces(gates, alone, where, torch.float64)
        own = [stream(settings.seed, stream_number(problem, run.replicates[s]), MEASUREMENT)]
        for start in range(0, settings.samples, rows):
            drawn = draw(sampler, own, min(rows, settings.samples - start))
            for time, piece in enumerate(pieces):
                arrays = (None if array is None else array[:, time] for array in (run.weights, run.biases, run.readout))
                learned = Parameters(*(_tensor(array, alone, where, torch.float64) for array in arrays))
                examples = Examples(drawn.x, drawn.y, recorded.opens(piece, drawn.x))
                yhat = predict(problem.network, learned, examples)
                values[index, time] += float(penalties(problem.training.loss, yhat, drawn.y).sum())
    lost = len(run.diverged) - len(kept)
    return Estimate(LossAtTimes(), problem, values / settings.samples, settings.seed, lost)


class _Pieces:
    """The recorded gates of some replicates on one device."""

    def __init__(self, gates: Gates, part: slice, device: torch.device, dtype: torch.dtype) -> None:
        self.w, self.b = (_tensor(array, part, device, dtype) for array in (gates.weights, gates.biases))

    def opens(self, time: int, x: Float[torch.Tensor, "S B n"]) -> Float[torch.Tensor, "S K B"]:
        w, inputs = self.w[:, time], x.transpose(1, 2)
        field = torch.bmm(w, inputs) if self.b is None else torch.baddbmm(self.b[:, time, :, None], w, inputs)
        return (field > 0).to(x.dtype)

    def gated(self, batches: Iterator[Examples], switches: tuple[int, ...]) -> Iterator[Examples]:
        """The batches of one step after another with the gates in use at it: piece i from step switches[i] on."""
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
