"""`gdln bench deep`: 64 ReLU networks in training beside a plain torch loop over them and beside torch.func.vmap.

The networks have the sizes 784-100-100-100-100-100-1, those of MNIST, and take batches of 32 normal inputs in float32.
`sim.deep` and the peers begin from the same weights and see the same batches; the peers are a module and an optimiser
for each network, with gradients by autograd, and stacked weights with torch.func.vmap of torch.func.grad. All minimise
half the mean squared error by stochastic gradient descent.
"""

from collections.abc import Callable, Sequence
from typing import Any

import torch

from derivations.benchmarks.machine import UNIT, one_thread, row
from sim import deep
from sim.deep.batches import rows_of_batches

NETWORKS, SIZES, BATCH, EXAMPLES, RATE, STEPS = 64, (784, 100, 100, 100, 100, 100, 1), 32, 1024, 1e-3, 20
Weights = Sequence[torch.Tensor]  # Theta_1, ..., Theta_d, each (networks, target, source)


def measure(networks: int = NETWORKS, rounds: int = 5, steps: int = STEPS) -> dict[str, Any]:
    """Return seconds of a step of all networks, the ratios to sim's, and the distances of the weights."""
    with one_thread("gdln bench deep"):
        rows = [row("sgd", contenders(networks, steps), rounds, per=steps)]
    sizes = "-".join(map(str, SIZES))
    return {"what": f"a step of {networks} networks {sizes}, batch {BATCH}, float32", "unit": UNIT, "rows": rows}


def contenders(networks: int, steps: int) -> dict[str, Callable[[], torch.Tensor]]:
    """Return the contenders: each takes `steps` steps from the same weights and returns the weights of all layers."""
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(EXAMPLES, SIZES[0], generator=generator)
    y = torch.randn(EXAMPLES, 1, generator=generator).sign()
    start = deep.Start("normal", deep.scales_by_fan_in(SIZES, 2), seed=0)
    family = deep.Family((deep.relu(SIZES[1:-1]),), networks, SIZES[0], SIZES[-1], start)
    settings = deep.Settings("half-mse", deep.SGD, RATE, BATCH, seed=0, shared_batches=True)
    data = deep.ExampleSet(x, y)
    weights = [*deep.train_family(family, data, settings, 0).state.parameters.values()]
    rows = [own[0] for own, _ in zip(rows_of_batches(EXAMPLES, BATCH, 0, 1), range(steps), strict=False)]
    batches = [(x[own], y[own]) for own in rows]

    def sim() -> torch.Tensor:
        return _flat([*deep.train_family(family, data, settings, steps).state.parameters.values()])

    return {"sim": sim, "loop": lambda: loop(weights, batches), "vmap": lambda: vmapped(weights, batches)}


def loop(weights: Weights, batches: Sequence[tuple[torch.Tensor, torch.Tensor]]) -> torch.Tensor:
    """Return the weights after a step on each batch, one network after the other."""
    layers = []
    for number in range(len(weights[0])):
        network = _module([theta[number] for theta in weights])
        optimiser = torch.optim.SGD(network.parameters(), lr=RATE)
        for inputs, labels in batches:
            optimiser.zero_grad()
            (0.5 * torch.nn.functional.mse_loss(network(inputs), labels)).backward()
            optimiser.step()
        layers.append([theta.detach() for theta in network.parameters()])
    return _flat([torch.stack(own) for own in zip(*layers, strict=True)])


def vmapped(weights: Weights, batches: Sequence[tuple[torch.Tensor, torch.Tensor]]) -> torch.Tensor:
    """Return the weights after a step on each batch, all networks side by side."""
    stacks = [theta.clone() for theta in weights]
    optimiser = torch.optim.SGD(stacks, lr=RATE)

    def loss(layers: Weights, inputs: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        for theta in layers[:-1]:
            inputs = torch.relu(inputs @ theta.T)
        return 0.5 * torch.nn.functional.mse_loss(inputs @ layers[-1].T, labels)

    gradient = torch.func.vmap(torch.func.grad(loss), (0, None, None))
    for inputs, labels in batches:
        for theta, dx in zip(stacks, gradient(stacks, inputs, labels), strict=True):
            theta.grad = dx
        optimiser.step()
    return _flat(stacks)


def _module(layers: Weights) -> torch.nn.Sequential:
    modules: list[torch.nn.Module] = []
    for theta in layers:
        linear = torch.nn.Linear(theta.shape[1], theta.shape[0], bias=False)
        linear.weight.data.copy_(theta)
        modules += [linear, torch.nn.ReLU()]
    return torch.nn.Sequential(*modules[:-1])


def _flat(weights: Weights) -> torch.Tensor:
    return torch.cat([theta.flatten(1) for theta in weights], dim=1)
