"""Peers of `gdln bench deep`: many ReLU networks in plain torch, one after the other or side by side by torch.func.

loop     a module and an optimiser for each network, gradients by autograd; the steps of a network follow each other
vmap     stacked weights, torch.func.vmap of torch.func.grad, and one optimiser of torch.optim for the stacks

All minimise half the mean squared error of one output.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

import torch

Weights = Sequence[torch.Tensor]  # Theta_1, ..., Theta_d, each (networks, target, source)
Make = Callable[[Sequence[torch.Tensor]], torch.optim.Optimizer]
Train = Callable[[int], None]


def loop(
    weights: Weights, x: torch.Tensor, y: torch.Tensor, rows: Iterator[torch.Tensor], make: Make
) -> tuple[Train, Callable[[], Weights]]:
    """Return a function that trains for some steps on the batches of `rows`, and one that returns the weights."""
    networks = [_module([theta[number] for theta in weights]) for number in range(len(weights[0]))]
    optimisers = [make(list(network.parameters())) for network in networks]

    def train(steps: int) -> None:
        batches = [(x[own], y[own]) for own in islice(rows, steps)]
        for network, optimiser in zip(networks, optimisers, strict=True):
            for inputs, labels in batches:
                optimiser.zero_grad()
                (0.5 * torch.nn.functional.mse_loss(network(inputs), labels)).backward()
                optimiser.step()

    def found() -> Weights:
        layers = zip(*(network.parameters() for network in networks), strict=True)
        return [torch.stack([theta.detach() for theta in layer]) for layer in layers]

    return train, found


def vmapped(
    weights: Weights, x: torch.Tensor, y: torch.Tensor, rows: Iterator[torch.Tensor], make: Make
) -> tuple[Train, Callable[[], Weights]]:
    """Return the same two functions for stacked weights."""
    stacks = [theta.clone() for theta in weights]
    optimiser = make(stacks)

    def loss(layers: Weights, inputs: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        for theta in layers[:-1]:
            inputs = torch.relu(inputs @ theta.T)
        return 0.5 * torch.nn.functional.mse_loss(inputs @ layers[-1].T, labels)

    gradient = torch.func.vmap(torch.func.grad(loss), (0, None, None))

    def train(steps: int) -> None:
        for own in islice(rows, steps):
            for theta, dx in zip(stacks, gradient(stacks, x[own], y[own]), strict=True):
                theta.grad = dx
            optimiser.step()

    return train, lambda: stacks


def _module(layers: Weights) -> torch.nn.Sequential:
    modules: list[torch.nn.Module] = []
    for theta in layers:
        linear = torch.nn.Linear(theta.shape[1], theta.shape[0], bias=False, device=theta.device)
        linear.weight.data.copy_(theta)
        modules += [linear, torch.nn.ReLU()]
    return torch.nn.Sequential(*modules[:-1])
