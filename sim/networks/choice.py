"""The choice of a computation: explicit gradients of one hidden layer or of a graph, autograd of deep networks."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import torch

from sim.networks import deep, graph, one_hidden_layer
from sim.networks.examples import Examples
from sim.networks.parameters import Parameters
from theory.problem import DeepNetwork, GatedGraph, Problem


@dataclass(frozen=True)
class Differentiable:
    """A network and its loss as functions of (parameters, examples): the outputs, and the gradient by name.

    The outputs are (S, B), or (S, B, m) for m > 1 of them; the gradient has the trained parameters alone.
    """

    predict: Callable[[Parameters, Examples], torch.Tensor]
    gradient: Callable[[Parameters, Examples], dict[str, torch.Tensor]]


def network_of(problem: Problem) -> Differentiable:
    """Return the fastest available way to compute the problem's network. Raises OutOfReachError as `deep`.

    >>> from theory.problem import Network, NonlinearGP, NormalInitialisation, Training
    >>> law = NonlinearGP(4, (2, 1), 1, "open", "unit-variance", (1, 0))
    >>> start = NormalInitialisation(1, 0)
    >>> problem = Problem(law, Network("relu", "mean", 3), Training("mse", 1, start, (1,)))
    >>> network_of(problem).gradient.func is one_hidden_layer.gradient
    True
    """
    if isinstance(problem.network, DeepNetwork):
        deep.refuse_untrained(problem.network)
        own = problem.network, problem.training.loss
        return Differentiable(partial(deep.predict, problem.network), partial(deep.gradient, *own))
    if problem.data.outputs > 1 or isinstance(problem.network, GatedGraph):
        return _of_graph(problem)
    network, kind = problem.network, problem.training.loss
    return Differentiable(partial(one_hidden_layer.predict, network), partial(one_hidden_layer.gradient, network, kind))


def _of_graph(problem: Problem) -> Differentiable:
    network, kind = problem.graph, problem.training.loss

    def predict(parameters: Parameters, examples: Examples) -> torch.Tensor:
        return graph.forward(network, parameters, examples.x, _gates(problem, examples))

    def gradient(parameters: Parameters, examples: Examples) -> dict[str, torch.Tensor]:
        return graph.gradient(network, kind, parameters, examples.x, examples.y, _gates(problem, examples))

    return Differentiable(predict, gradient)


def _gates(problem: Problem, examples: Examples) -> graph.GateValues:
    """Return the values of the gates; units of the hidden node that share a gate are consecutive."""
    if examples.gate is None:
        return {}
    if isinstance(problem.network, GatedGraph):
        return {owner: examples.gate[:, k : k + 1] for k, owner in enumerate(problem.network.gated)}
    copies = problem.graph.node("hidden").dimension // problem.network.units
    return {"hidden": examples.gate.repeat_interleave(copies, dim=1)}
