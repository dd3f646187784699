"""The networks with gates that several experiments share, one run each, and their tangent kernels at the start."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float

from sim.deep import SGD, ExampleSet, Family, Member, Settings, Start, recorded, train_family
from sim.kernels import tangent_kernel

DEPTHS = (2, 4, 6, 8, 12, 16, 20)
_APART = 0.05  # difference of logarithms from which two errors count as different


@dataclass(frozen=True, eq=False)
class Network:
    """A network of one output before training, on its examples; float32 as in training."""

    family: Family
    data: ExampleSet

    def kernel(self) -> Float[np.ndarray, "n n"]:
        """Return K0 on the examples, in float64."""
        (member,) = self.family.members
        start = train_family(self.family, self.data, _settings(1.0, len(self.data.x)), 0)
        own = recorded(start, member.name, 0)
        weights = [own.parameters[name][0] for name in self.family.names]
        return tangent_kernel(weights, self.data.x, gates=[level[0] for level in own.gates]).double().numpy()

    def errors(self, step: float, stages: tuple[int, ...]) -> Float[np.ndarray, "stages n"]:
        """Return e_t = yhat_t - y after gradient steps of the size `step` on 1/2 sum_s e_t(s)^2."""
        (member,) = self.family.members
        examples = len(self.data.x)
        # The loss of `Settings` is a mean over the examples, that of the source a sum.
        run = train_family(self.family, self.data, _settings(step * examples, examples), stages[-1], stages=stages)
        found = [recorded(run, member.name, stage).output[0, :, 0] - self.data.y[:, 0] for stage in stages]
        return torch.stack(found).double().numpy()


def network(member: Member, data: Mapping[str, np.ndarray], seed: int) -> Network:
    """Return a network of this kind with weights +-sqrt(2/w) on the examples `x` (n, inputs) and `y` (n)."""
    depth = member.network.depth
    (width,) = set(member.network.widths)
    x, y = (torch.from_numpy(data[name]).float() for name in ("x", "y"))
    start = Start("signs", ((2 / width) ** 0.5,) * depth, seed)
    return Network(Family((member,), 1, x.shape[1], 1, start), ExampleSet(x, y[:, None]))


def linearised(
    kernel: Float[np.ndarray, "n n"], error: Float[np.ndarray, " n"], step: float, stages: tuple[int, ...]
) -> Float[np.ndarray, "stages n"]:
    """Return (1 - step K)^t e_0 at the stages: the errors of training if K kept its initial value.

    >>> linearised(np.array([[2.0]]), np.array([3.0]), 0.25, (0, 1, 2)).tolist()
    [[3.0], [1.5], [0.75]]
    """
    values, vectors = np.linalg.eigh(kernel)
    first = vectors.T @ error
    return np.stack([vectors @ ((1 - step * values) ** stage * first) for stage in stages])


def leaves(trained: Float[np.ndarray, "S T"], linear: Float[np.ndarray, "S T"], stages: tuple[int, ...]) -> str:
    """Return in words from which stage on the mean errors of training and of the linearised network differ by 5 %.

    >>> leaves(np.array([[1.0, 0.5]]), np.array([[1.0, 0.6]]), (0, 10))
    'from t = 10 on they differ by more than 5 %'
    """
    apart = np.abs(np.log(trained.mean(axis=0) / linear.mean(axis=0))) > _APART
    if not apart[-1]:
        return f"at t = {stages[-1]} they differ by less than 5 %"
    last_near = int(np.flatnonzero(~apart)[-1])  # at t = 0 they are equal
    return f"from t = {stages[last_near + 1]} on they differ by more than 5 %"


def _settings(rate: float, examples: int) -> Settings:
    return Settings("half-mse", SGD, rate, batch=examples, seed=0)
