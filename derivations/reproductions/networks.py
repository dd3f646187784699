"""The networks with gates that several experiments share, one run each, and their tangent kernels at the start."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float

from sim.deep import (
    SGD,
    ExampleSet,
    Family,
    Member,
    Recorded,
    Settings,
    Start,
    recorded,
    scales_by_fan_in,
    train_family,
)
from sim.kernels import tangent_kernel
from theory.kernels import linearised_errors

DEPTHS = (2, 4, 6, 8, 12, 16, 20)
_APART = 0.05  # difference of the logarithms of two sizes of errors


@dataclass(frozen=True, eq=False)
class Network:
    """A network of one output before training, on its examples; float32 as in training."""

    family: Family
    data: ExampleSet

    def kernel(self) -> Float[np.ndarray, "n n"]:
        """Return K0 on the examples, in float64."""
        return self._kernel_at(next(self._recorded(1.0, (0,))))

    def open_gates(self) -> Float[np.ndarray, "levels n"]:
        """Return how many gates of each hidden level are open on each example before training."""
        return np.stack([level[0].sum(dim=1).numpy() for level in next(self._recorded(1.0, (0,))).gates])

    def errors(self, step: float, stages: tuple[int, ...]) -> Float[np.ndarray, "stages n"]:
        """Return e_t = yhat_t - y after gradient steps of the size `step` on 1/2 sum_s e_t(s)^2."""
        return np.stack([self._errors_at(at) for at in self._recorded(step, stages)])

    def course(self, kernel: Float[np.ndarray, "n n"], step: float, stages: tuple[int, ...]) -> "Course":
        """Train through the stages, of which the first is 0, beside the linearised training by K0 = `kernel`."""
        trained, linear, left, change = [], np.empty(0), -1, 0.0
        for place, at in enumerate(self._recorded(step, stages)):
            error = self._errors_at(at)
            trained.append(float(np.linalg.norm(error)))
            if place == 0:
                linear = np.linalg.norm(linearised_errors(kernel, error, step, stages), axis=1)
            leaving = left < 0 and bool(apart(np.array(trained[-1:]), linear[place : place + 1])[0])
            left = stages[place] if leaving else left
            if leaving or (left < 0 and place == len(stages) - 1):
                change = float(np.linalg.norm(self._kernel_at(at) - kernel) / np.linalg.norm(kernel))
        return Course(np.array(trained) / trained[0], linear / linear[0], left, change)

    def _recorded(self, step: float, stages: tuple[int, ...]) -> Iterator[Recorded]:
        """Yield the network at the stages; only one of them is in memory."""
        (member,) = self.family.members
        examples, state = len(self.data.x), None
        # The loss of `Settings` is a mean over the examples, that of the source a sum.
        settings = Settings("half-mse", SGD, step * examples, batch=examples, seed=0)
        for stage in stages:
            run = train_family(self.family, self.data, settings, stage, state=state)
            state = run.state
            yield recorded(run, member.name, stage)

    def _kernel_at(self, at: Recorded) -> Float[np.ndarray, "n n"]:
        weights = [at.parameters[name][0] for name in self.family.names]
        kernel = tangent_kernel(weights, self.data.x, gates=[level[0] for level in at.gates]).double().numpy()
        return (kernel + kernel.T) / 2

    def _errors_at(self, at: Recorded) -> Float[np.ndarray, " n"]:
        return (at.output[0, :, 0] - self.data.y[:, 0]).double().numpy()


@dataclass(frozen=True, eq=False)
class Course:
    """The training of a network beside the linearised one: |e_t|/|e_0| of both at the stages.

    `left` is the first stage at which they are `apart`, -1 if none is; `change` is |K_t - K_0|/|K_0| (Frobenius norms)
    at that stage, or at the last one.
    """

    trained: Float[np.ndarray, " stages"]
    linearised: Float[np.ndarray, " stages"]
    left: int
    change: float

    def numbers(self, name: str = "") -> dict[str, np.ndarray]:
        """Return the numbers of a cell with one run."""
        fields = {"trained": self.trained, "linearised": self.linearised, "left": self.left, "change": self.change}
        return {f"{name}{key}": np.array([value], dtype=float) for key, value in fields.items()}


def connected(
    members: tuple[Member, ...],
    networks: int,
    data: ExampleSet,
    outputs: int,
    seed: int,
    law: str = "normal",
    gain: float = 2,
) -> Family:
    """Return fully connected networks of each member for the examples; their weights have the variance gain/fan-in."""
    sizes = (data.x.shape[1], *members[0].network.widths, outputs)
    return Family(members, networks, sizes[0], outputs, Start(law, scales_by_fan_in(sizes, gain), seed))


def network(member: Member, data: Mapping[str, np.ndarray], seed: int) -> Network:
    """Return a network of this kind with weights +-sqrt(2/w) on the examples `x` (n, inputs) and `y` (n)."""
    depth = member.network.depth
    (width,) = set(member.network.widths)
    x, y = (torch.from_numpy(data[name]).float() for name in ("x", "y"))
    start = Start("signs", ((2 / width) ** 0.5,) * depth, seed)
    return Network(Family((member,), 1, x.shape[1], 1, start), ExampleSet(x, y[:, None]))


def apart(trained: Float[np.ndarray, "*S"], linear: Float[np.ndarray, "*S"]) -> Bool[np.ndarray, "*S"]:
    """Return where a size of errors has left the linearised one: where they differ by more than 5 %.

    Sizes that have grown out of range, inf and nan, differ from all others.

    >>> apart(np.array([1.0, 0.5, 0.5]), np.array([1.01, 0.6, np.nan])).tolist()
    [False, True, True]
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return ~(np.abs(np.log(trained / linear)) <= _APART)


def leaves(left: Float[np.ndarray, " S"], change: Float[np.ndarray, " S"] | None, last: int) -> str:
    """Return in words when runs leave the linearised training, and how far their kernels have moved by then.

    `left` is the first measured step at which a run has left, -1 for runs that do not; `change` is the relative change
    of its kernel at this step, or at the last one, None where it is not measured.

    >>> leaves(np.array([-1.0, 7.0, 9.0]), np.array([0.01, 0.3, 0.4]), 40)
    '2 of 3 runs leave it by more than 5 %, first at t = 7 to 9, where K has changed by 0.3 to 0.4'
    >>> leaves(np.array([-1.0, -1.0]), np.array([0.02, 0.03]), 40)
    'no run leaves it by more than 5 %; at t = 40 K has changed by 0.02 to 0.03'
    >>> leaves(np.array([7.0]), None, 40)
    '1 of 1 runs leaves it by more than 5 %, first at t = 7'
    """
    away = left >= 0
    if not away.any():
        text = "no run leaves it by more than 5 %"
        return text if change is None else f"{text}; at t = {last} K has changed by {_range(change)}"
    verb = "leaves" if away.sum() == 1 else "leave"
    text = f"{away.sum()} of {len(left)} runs {verb} it by more than 5 %, first at t = {_range(left[away], '.0f')}"
    return text if change is None else f"{text}, where K has changed by {_range(change[away])}"


def _range(values: Float[np.ndarray, " S"], form: str = ".2g") -> str:
    low, high = format(values.min(), form), format(values.max(), form)
    return low if low == high else f"{low} to {high}"
