"""Gates of trained families on any inputs, and the weights that replay them as fixed learned features."""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from jaxtyping import Float

from sim.deep.train import FamilyRun
from sim.networks.parameters import placed
from theory.problem import HardResponse, InputError, OwnGates


@dataclass(frozen=True, eq=False)
class Recorded:
    """A member at a recorded step: its parameters, its gates on N inputs, and its outputs.

    `parameters` are (S, target, source), `gates` (S, N, width) for each hidden level, `output` (S, N, m). The first
    two are what `sim.kernels` takes: overlap(gates), tangent_kernel(weights, x, gates=gates). Of a convolution they are
    (S, channels, channels before, *size) and (S, N, channels, *sites).
    """

    parameters: Mapping[str, torch.Tensor]
    gates: tuple[Float[torch.Tensor, "S N ..."], ...]
    output: Float[torch.Tensor, "S N m"]


def recorded(run: FamilyRun, name: str, step: int, x: Float[torch.Tensor, "N n"] | None = None) -> Recorded:
    """Return a member at a recorded step on the inputs x, by default those of the training set.

    Raises InputError for a step that is not recorded, and for other inputs where the gates belong to the training
    examples.

    >>> from sim.deep import Family, ExampleSet, Settings, Start, relu, train_family
    >>> from sim.training.optimisers import Optimiser
    >>> family = Family((relu((4,)),), 3, 2, 1, Start("normal", (0.5, 0.5), 0))
    >>> data = ExampleSet(torch.tensor([[1.0, 0.0], [0.0, 1.0]]), torch.tensor([[1.0], [-1.0]]))
    >>> run = train_family(family, data, Settings("half-mse", Optimiser(), 0.1, batch=2, seed=0), 5)
    >>> recorded(run, "relu", 5, torch.ones(7, 2)).gates[0].shape
    torch.Size([3, 7, 4])
    """
    family, settings, weights = run.family, run.settings, run.family.of(name, run.at(step))
    given = family.given_gates(name, run.data.to(settings.dtype, settings.device)) if x is None else ()
    inputs = (run.data.x if x is None else x).to(settings.device, settings.dtype)
    passed = family.forward(name, placed(weights, settings.device), inputs.unsqueeze(0), given)
    return Recorded(weights, tuple(gate.cpu() for gate in passed.gates), passed.output.cpu())


def features_of(run: FamilyRun, name: str, step: int) -> tuple[torch.Tensor, ...]:
    """Return Theta_1, ..., Theta_(d-1) of a ReLU member at a recorded step, as `flnpf` takes them.

    A second ReLU network with these weights has the gates of that member at that step, on all inputs. Raises
    InputError for a member that is no ReLU network.

    >>> from sim.deep import Family, ExampleSet, Settings, Start, relu, train_family
    >>> from sim.training.optimisers import Optimiser
    >>> family = Family((relu((4,)),), 3, 2, 1, Start("normal", (0.5, 0.5), 0))
    >>> data = ExampleSet(torch.tensor([[1.0, 0.0], [0.0, 1.0]]), torch.tensor([[1.0], [-1.0]]))
    >>> run = train_family(family, data, Settings("half-mse", Optimiser(), 0.1, batch=2, seed=0), 5)
    >>> [theta.shape for theta in features_of(run, "relu", 5)]
    [torch.Size([3, 4, 2])]
    """
    gating = run.family.member(name).network.gating
    if gating != OwnGates(HardResponse("closed")):
        raise InputError(
            f"{name} is no ReLU network, whose gates a second ReLU network would replay.", "Record a member `relu`."
        )
    own = run.family.of(name, run.at(step))
    return tuple(own[theta].clone() for theta in run.family.names[:-1])
