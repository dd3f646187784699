"""Families of deep networks: members of one shape, each with the same number of replicates, in stacks of weights.

Theta_l of a member is (replicates, target, source), of a convolution (replicates, channels, channels before, *size), so
that one batched product serves all replicates. The parameters of a family are those of its members, "relu.Theta_1".
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
import torch
from jaxtyping import Float

from sim.deep.batches import ExampleSet
from sim.deep.members import Member
from sim.networks.deep import DeepPass, forward, given_gates
from sim.networks.layers import Layers, fully_connected
from sim.networks.products import Layer, Shape
from theory.problem import BernoulliGates, FixedGates, InputError
from theory.problem.numbers import one_of, positive, whole

Parameters = dict[str, torch.Tensor]

LAWS = ("normal", "signs")
_WEIGHTS = 0  # parts of the key of the draws


@dataclass(frozen=True)
class Start:
    """Initial weights: entries of layer l are N(0, scales[l - 1]^2), or +-scales[l - 1] with the law "signs".

    All entries are independent. Theta and Theta_g have the same scales. The draw of a replicate depends on the seed,
    on its number and on the layer alone: all members begin from the same Theta, which makes comparisons between them
    paired, and adding a member does not change the others.
    Raises InputError for another law, and scales that are not positive.
    """

    law: str
    scales: tuple[float | int, ...]
    seed: int

    def __post_init__(self) -> None:
        one_of(self.law, "law", LAWS)
        whole(self.seed, "seed", least=0)
        object.__setattr__(self, "scales", tuple(self.scales))
        for layer, scale in enumerate(self.scales):
            positive(scale, f"scales[{layer}]", "it is a standard deviation")

    def draw(self, replicate: int, second: bool, level: int, shape: Shape) -> np.ndarray:
        """Return Theta_(level + 1) of a replicate, or Theta_g_(level + 1) of its second network, in float64."""
        key = (replicate, _WEIGHTS, int(second), level)
        rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=key))
        if self.law == "signs":
            return self.scales[level] * (2.0 * rng.integers(0, 2, shape) - 1.0)
        return rng.normal(0.0, self.scales[level], shape)


def scales_by_fan_in(sizes: tuple[int, ...], gain: float | int) -> tuple[float, ...]:
    """Return sqrt(gain / source) for each layer: gain = 2 is He's initialisation; `sizes` are n, widths, outputs.

    For other than fully connected layers, `sizes` are the `fan_ins` of `Layers`, then the outputs.

    >>> scales_by_fan_in((8, 2, 1), 2)
    (0.5, 1.0)
    """
    return tuple((gain / source) ** 0.5 for source in sizes[:-1])


@dataclass(frozen=True, eq=False)
class Family:
    """Members of one shape with `replicates` networks each, for inputs of n numbers and m outputs.

    `layers` says which weights join the levels of all members; without it they are fully connected. The members then
    have the widths `layers.widths`. Raises InputError for members of different widths or of one name, and for layers,
    a number of scales or stored features that do not fit.

    >>> from sim.deep.members import dln, relu
    >>> family = Family((relu((3,)), dln((3,))), 5, 2, 1, Start("normal", (1.0, 1.0), 0))
    >>> {name: tuple(theta.shape) for name, theta in family.starting(torch.float64).items() if "relu" in name}
    {'relu.Theta_1': (5, 3, 2), 'relu.Theta_2': (5, 1, 3)}
    """

    members: tuple[Member, ...]
    replicates: int
    inputs: int
    outputs: int
    start: Start
    layers: Layers | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "members", tuple(self.members))
        for name in ("replicates", "inputs", "outputs"):
            whole(getattr(self, name), name, least=1)
        names = [member.name for member in self.members]
        if not names or len(set(names)) < len(names):
            raise InputError(f"The members {names} must be one or more, each with a name of its own.", "Rename them.")
        widths = {member.network.widths for member in self.members}
        if len(widths) > 1:
            raise InputError(
                f"The members have the widths {sorted(widths)}; one product serves networks of one shape.",
                "Train other widths in a family of their own.",
            )
        if self.layers is None:
            object.__setattr__(self, "layers", fully_connected(self.inputs, *widths))
        if (prod(self.layers.shape), self.layers.widths) != (self.inputs, *widths):
            raise InputError(
                f"The layers take {prod(self.layers.shape)} inputs to the widths {self.layers.widths}; the family has "
                f"{self.inputs} inputs and members of the widths {self.members[0].network.widths}.",
                "Give the members layers.widths, and the family as many inputs as `layers.shape` has numbers.",
            )
        if len(self.start.scales) != self.depth:
            raise InputError(
                f"start.scales has {len(self.start.scales)} numbers; the networks have {self.depth} layers.",
                "Give a standard deviation for each layer.",
            )
        for member in self.members:
            for theta in member.features or ():
                if len(theta) != self.replicates:
                    raise InputError(
                        f"{member.name}: features of {len(theta)} replicates are stored; the family has "
                        f"{self.replicates}.",
                        "Train as many replicates as are stored.",
                    )
            shapes = [tuple(theta.shape[1:]) for theta in member.features or ()]
            if shapes and shapes != [layer.theta_shape for layer in self.plan[:-1]]:
                raise InputError(
                    f"{member.name}: the stored features have the shapes {shapes}; the family has "
                    f"{[layer.theta_shape for layer in self.plan[:-1]]}.",
                    "Give features of networks with the same layers.",
                )

    @property
    def depth(self) -> int:
        """d, the number of layers of Theta."""
        return self.members[0].network.depth

    @cached_property
    def plan(self) -> tuple[Layer, ...]:
        """The layers of Theta_1, ..., Theta_d; a second network has all but the last one."""
        return self.layers.plan(self.outputs)

    @property
    def names(self) -> tuple[str, ...]:
        """Theta_1, ..., Theta_d."""
        return self.members[0].network.names

    @cached_property
    def networks(self) -> Mapping[str, slice]:
        """The networks of each member among all, the replicates of one member after those of another."""
        count = self.replicates
        return {member.name: slice(place * count, (place + 1) * count) for place, member in enumerate(self.members)}

    @cached_property
    def shapes(self) -> Mapping[str, Shape]:
        """The shape (replicates, *theta_shape of the layer) of each parameter."""
        return {
            f"{member.name}.{theta}": (self.replicates, *layer.theta_shape)
            for member in self.members
            for names in (self.names, member.network.gating_names)
            for theta, layer in zip(names, self.plan, strict=False)
        }

    @cached_property
    def learned(self) -> tuple[str, ...]:
        """The parameters that learn."""
        return tuple(f"{member.name}.{theta}" for member in self.members for theta in member.learned)

    def starting(self, dtype: torch.dtype, device: str = "cpu") -> Parameters:
        """Return the initial parameters on a device; they are drawn on the processor, in float64."""
        start = {}
        for level, name in enumerate(self.names):
            values = self._drawn(False, level)
            for member in self.members:
                start[f"{member.name}.{name}"] = values
                if level < len(member.network.gating_names):
                    second = f"{member.name}.{member.network.gating_names[level]}"
                    if member.features is not None:
                        start[second] = member.features[level]
                    else:
                        start[second] = values if member.network.gating.start == "same" else self._drawn(True, level)
        return {name: start[name].to(device, dtype, copy=True) for name in self.shapes}

    def of(self, name: str, parameters: Mapping[str, torch.Tensor]) -> Parameters:
        """Return the parameters of a member by the names of its network. Raises InputError for an unknown name."""
        network = self.member(name).network
        return {theta: parameters[f"{name}.{theta}"] for theta in (*network.names, *network.gating_names)}

    def alone(self, name: str) -> "Family":
        """Return the family of one member."""
        return Family((self.member(name),), self.replicates, self.inputs, self.outputs, self.start, self.layers)

    def member(self, name: str) -> Member:
        """Return the member of that name. Raises InputError for an unknown one."""
        for member in self.members:
            if member.name == name:
                return member
        known = ", ".join(member.name for member in self.members)
        raise InputError(f"The family has no member {name!r}.", f"Its members are: {known}.")

    def given_gates(self, name: str, data: ExampleSet) -> tuple[torch.Tensor, ...]:
        """Return the gates of the examples that the declaration of a member fixes; see `sim.networks.deep`."""
        levels = [layer.after for layer in self.plan[:-1]]
        return given_gates(self.member(name).network, levels, data.x, self.replicates)

    def forward(
        self,
        name: str,
        weights: Mapping[str, torch.Tensor],
        x: Float[torch.Tensor, "S B n"],
        given: Sequence[torch.Tensor] = (),
        learned: Collection[str] = (),
    ) -> DeepPass:
        """Return a pass of a member with these parameters; see `sim.networks.deep.forward`.

        Raises InputError for inputs of another size, and where gates that belong to the training examples are missing.
        """
        if x.shape[2] != self.inputs:
            raise InputError(
                f"The examples have {x.shape[2]} inputs, the family {self.inputs}.", "Give as many to both."
            )
        network = self.member(name).network
        if isinstance(network.gating, BernoulliGates | FixedGates) and not given:
            raise InputError(
                f"{name}: its gates are defined on the training examples alone.",
                "Evaluate it on the set on which it is trained.",
            )
        return forward(network, self.plan, weights, x.reshape(*x.shape[:2], *self.layers.shape), given, learned)

    def _drawn(self, second: bool, level: int) -> torch.Tensor:
        shape = self.plan[level].theta_shape
        rows = [self.start.draw(replicate, second, level, shape) for replicate in range(self.replicates)]
        return torch.from_numpy(np.stack(rows))
