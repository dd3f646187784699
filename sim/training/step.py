"""One step of descent for S networks at once, in torch, and the state that it changes."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Bool

from sim.networks.choice import network_of
from sim.networks.examples import Examples
from sim.networks.parameters import Parameters, along, mapped
from sim.training.optimisers import Corrections, Means, Optimiser, optimiser_of
from sim.training.state import State
from theory.problem import Problem

_MEMORY = ("first", "second")


@dataclass(frozen=True)
class TrainingState:
    """The tensors that a step changes: parameters, the optimiser's means (or None), and which networks are alive."""

    parameters: Parameters
    first: Means
    second: Means
    alive: Bool[torch.Tensor, " S"]

    def mapped(self, function: Callable[[torch.Tensor], torch.Tensor]) -> "TrainingState":
        """Apply `function` to each tensor."""
        held = (self.parameters, self.first, self.second)
        parts = (None if part is None else mapped(function, part) for part in held)
        return TrainingState(*parts, function(self.alive))

    def tensors(self) -> tuple[torch.Tensor, ...]:
        """Return all tensors of the state, always in the same order."""
        parts = (self.parameters, self.first, self.second)
        return (*(tensor for part in parts if part is not None for tensor in part.values()), self.alive)


@dataclass(frozen=True)
class Rule:
    """One step of descent: the gradient, the optimiser, its rate, and the limit beyond which a network has diverged."""

    gradient: Callable[[Parameters, Examples], dict[str, torch.Tensor]]
    optimiser: Optimiser
    rate: float
    limit: float

    def step(self, state: TrainingState, examples: Examples, corrections: Corrections) -> TrainingState:
        """Return the state after a step on the examples; a network that would exceed the limit is frozen.

        `corrections` are the result of `Optimiser.corrections` for this step.
        """
        gradient = self.gradient(state.parameters, examples)
        direction, first, second = self.optimiser.direction(gradient, state.first, state.second, corrections)
        moved = {name: state.parameters[name] - self.rate * dx for name, dx in direction.items()}
        kept, alive = _guarded(state.parameters, moved, state.alive, self.limit)
        return TrainingState({**state.parameters, **kept}, first, second, alive)


def rule_of(problem: Problem, dtype: torch.dtype) -> Rule:
    """Return the problem's rule. Raises OutOfReachError for a loss, model or optimiser that is not implemented."""
    settings = problem.simulated()
    return Rule(
        network_of(problem).gradient, optimiser_of(settings), float(settings.learning_rate), largest_weight(dtype)
    )


def begin(problem: Problem, state: State) -> TrainingState:
    """Return the training state of S networks; missing means of the optimiser start at zero."""
    w = next(iter(state.parameters.values()))
    alive = torch.from_numpy(~state.frozen).to(w.device)
    if optimiser_of(problem.simulated()).plain:
        return TrainingState(state.parameters, None, None, alive)
    trained = {
        parameter.name: state.parameters[parameter.name] for parameter in problem.parameters if parameter.trained
    }
    means = (getattr(state, name) or mapped(torch.zeros_like, trained) for name in _MEMORY)
    return TrainingState(state.parameters, *means, alive)


def ended(step: int, state: TrainingState) -> State:
    """Return the state from which a run resumes after `step` steps."""
    return State(step, state.parameters, ~state.alive.cpu().numpy(), state.first, state.second)


def largest_weight(dtype: torch.dtype) -> float:
    """Return max^(1/5), where max is the largest number of the dtype; a network with larger weights has diverged.

    For larger weights the fourth powers of the participation ratio may overflow.
    """
    return torch.finfo(dtype).max ** 0.2


def _guarded(
    parameters: Parameters, moved: Parameters, alive: torch.Tensor, limit: float
) -> tuple[Parameters, torch.Tensor]:
    """Return the parameters after a step, which only networks take that remain below the limit, and who is alive."""
    # A NaN makes the maximum NaN, which is not below the limit. On a GPU this test would wait for the device.
    if alive.device.type == "cpu" and alive.all() and _largest(moved) < limit:
        return moved, alive
    for tensor in moved.values():
        alive = alive & (tensor.abs() < limit).flatten(1).all(dim=1)
    return mapped(lambda new, old: torch.where(along(alive, new), new, old), moved, parameters), alive


def _largest(parameters: Parameters) -> torch.Tensor:
    """Return the largest absolute value, NaN if any number is; concatenation makes it one call for all parameters."""
    parts = [tensor.flatten() for tensor in parameters.values()]
    return (torch.cat(parts) if len(parts) > 1 else parts[0]).abs().max()
