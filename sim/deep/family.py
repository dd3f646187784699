"""Families of deep networks: members of one shape, each with the same number of replicates, in one stack of weights.

Theta_l is (networks, target, source), of a convolution (networks, channels, channels before, *size). Replicate s of a
member is one network, and the replicates of a member lie side by side. So one batched product serves all members and
replicates. Members whose values learn are first in the stack of Theta, members whose gates learn are first in the stack
of Theta_g; what learns is thus a leading part.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
import torch

from sim.deep.layers import Layers, fully_connected
from sim.deep.members import Member
from sim.deep.products import Layer, Shape
from theory.problem import InputError, NetworkGates
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
    scales: tuple[float, ...]
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


def scales_by_fan_in(sizes: tuple[int, ...], gain: float) -> tuple[float, ...]:
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
    >>> {name: tuple(theta.shape) for name, theta in family.starting(torch.float64).items()}
    {'Theta_1': (10, 3, 2), 'Theta_2': (10, 1, 3)}
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

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Theta_1, ..., Theta_d."""
        return self.members[0].network.names

    @cached_property
    def gating_names(self) -> tuple[str, ...]:
        """Theta_g_1, ..., Theta_g_(d-1); () where no member has a second network."""
        return next((each.network.gating_names for each in self.members if each.network.gating_names), ())

    @cached_property
    def stacked(self) -> tuple[Member, ...]:
        """The members in the order of the stack of Theta."""
        return tuple(sorted(self.members, key=lambda member: not member.values_learn))

    @cached_property
    def gated(self) -> tuple[Member, ...]:
        """The members with a second network, in the order of the stack of Theta_g."""
        gated = [member for member in self.members if isinstance(member.network.gating, NetworkGates)]
        return tuple(sorted(gated, key=lambda member: not member.gates_learn))

    @cached_property
    def networks(self) -> Mapping[str, slice]:
        """The networks of each member in the stack of Theta."""
        return self._slices(self.stacked)

    @cached_property
    def second_networks(self) -> Mapping[str, slice]:
        """The networks of each member in the stack of Theta_g."""
        return self._slices(self.gated)

    @cached_property
    def learned(self) -> Mapping[str, int]:
        """The number of leading networks that learn, by the name of each parameter of which some do."""
        values = self.replicates * sum(member.values_learn for member in self.members)
        gates = self.replicates * sum(member.gates_learn for member in self.members)
        counts = {**dict.fromkeys(self.names, values), **dict.fromkeys(self.gating_names, gates)}
        return {name: count for name, count in counts.items() if count}

    @cached_property
    def shapes(self) -> Mapping[str, Shape]:
        """The shape (networks, *theta_shape of the layer) of each stack of parameters."""
        layers = [layer.theta_shape for layer in self.plan]
        stacks = ((self.names, self.stacked), (self.gating_names, self.gated))
        return {
            name: (self.replicates * len(members), *shape)
            for names, members in stacks
            for name, shape in zip(names, layers, strict=False)
        }

    def starting(self, dtype: torch.dtype, device: str = "cpu") -> Parameters:
        """Return the initial parameters, in stacks on a device; they are drawn on the processor, in float64."""
        own = {}
        for level, name in enumerate(self.names):
            values = self._drawn(False, level, self.shapes[name][1:])
            own[name] = [values] * len(self.stacked)
            if level < len(self.gating_names):
                drawn = self._drawn(True, level, self.shapes[name][1:])
                own[self.gating_names[level]] = [_second_start(member, level, values, drawn) for member in self.gated]
        return {name: torch.cat([part.to(device, dtype) for part in parts]).contiguous() for name, parts in own.items()}

    def of(self, name: str, parameters: Mapping[str, torch.Tensor]) -> Parameters:
        """Return the parameters of a member, stacks of its replicates. Raises InputError for an unknown name."""
        self.member(name)
        found = {theta: parameters[theta][self.networks[name]] for theta in self.names}
        if name in self.second_networks:
            found |= {theta: parameters[theta][self.second_networks[name]] for theta in self.gating_names}
        return found

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

    def _slices(self, members: tuple[Member, ...]) -> Mapping[str, slice]:
        count = self.replicates
        return {member.name: slice(place * count, (place + 1) * count) for place, member in enumerate(members)}

    def _drawn(self, second: bool, level: int, shape: Shape) -> torch.Tensor:
        rows = [self.start.draw(replicate, second, level, shape) for replicate in range(self.replicates)]
        return torch.from_numpy(np.stack(rows))


def _second_start(member: Member, level: int, values: torch.Tensor, drawn: torch.Tensor) -> torch.Tensor:
    """Return where Theta_g of a layer starts: stored, equal to Theta, or drawn."""
    if member.features is not None:
        return member.features[level]
    return values if member.network.gating.start == "same" else drawn
