"""Snapshots: the parameters of S networks at the steps that belong to the problem's times."""

from collections.abc import Sequence

import torch

from sim.networks.parameters import Parameters, mapped


class Snapshots:
    """The parameters at some steps, with the times as the second axis; they stay on the device until `on_host`.

    Neither a step nor a snapshot therefore synchronises a GPU with the host.

    >>> snapshots = Snapshots({"w": torch.zeros(1, 2)}, steps=(0, 5))
    >>> for index in (0, 1):
    ...     snapshots.take(index, {"w": torch.full((1, 2), float(index))})
    >>> snapshots.on_host()["w"].tolist()
    [[[0.0, 0.0], [1.0, 1.0]]]
    """

    def __init__(self, parameters: Parameters, steps: Sequence[int]) -> None:
        self.steps = tuple(steps)
        self._taken = mapped(lambda x: x.new_empty(len(x), len(self.steps), *x.shape[1:]), parameters)

    def take(self, index: int, parameters: Parameters) -> None:
        """Store the parameters as those at time number `index`."""
        for name, taken in self._taken.items():
            taken[:, index] = parameters[name]

    def on_host(self) -> dict[str, torch.Tensor]:
        """Return the snapshots in float64 on the host."""
        return mapped(lambda x: x.to("cpu", torch.float64), self._taken)
