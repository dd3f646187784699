"""Training of linearised networks: each network of a family in the place of its expansion at its initial weights.

    yhat_t(x) = yhat_0(x) + sum_theta dyhat_0(x)/dtheta (theta_t - theta_0)

Gates are those of the initial weights, and their slopes, where they have any, too. So the tangent kernel stays K_0, and
gradient descent moves the errors as the linear map of K_0 does. The weights of the expansion have a gradient of their
own, so that optimisers that divide by its squares, as Adam, and all losses train it as they train the network itself,
with the same mini-batches.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float

from sim.deep.batches import ExampleSet, rows_of_batches
from sim.deep.evaluation import parts_of
from sim.deep.family import Family, Parameters
from sim.deep.losses import check_classes, check_labels, mistakes, output_gradient, penalties
from sim.deep.optimisers import descend, moved_by_rate
from sim.deep.passes import FamilyPass, backward, forward
from sim.deep.products import Layer
from sim.deep.settings import Settings
from sim.networks.parameters import mapped
from theory.problem import BernoulliGates, FixedGates, InputError, OutOfReachError
from theory.problem.numbers import whole

Levels = list[torch.Tensor | None]


@dataclass(frozen=True, eq=False)
class LinearisedRun:
    """Linearised networks after training: the initial parameters, and theta_t - theta_0 at the recorded steps.

    `moves` has the networks that learn, the leading ones of each stack.
    """

    family: Family
    settings: Settings
    data: ExampleSet
    start: Parameters
    moves: Mapping[int, Parameters]

    def outputs(
        self, name: str, step: int, x: Float[torch.Tensor, "N n"] | None = None
    ) -> Float[torch.Tensor, "S N m"]:
        """Return yhat of a member at a recorded step, by default on the training set.

        Raises InputError for a step that is not recorded, and for inputs of another size.
        """
        if step not in self.moves:
            known = ", ".join(map(str, sorted(self.moves)))
            raise InputError(f"The parameters at step {step} are not recorded.", f"Recorded steps: {known}.")
        alone = self.family.alone(name)
        inputs = self.data.x if x is None else x.to(self.settings.dtype)
        start, moves, found = self.family.of(name, self.start), self._moves_of(name, step), []
        for part in parts_of(alone, inputs):
            passed = forward(alone, start, inputs[part].unsqueeze(0), {})
            found.append(passed.output + moved_output(alone, start, passed, moves))
        return torch.cat(found, dim=1)

    def _moves_of(self, name: str, step: int) -> Parameters:
        """Return the moves of a member; a stack of which it learns nothing is left out."""
        second = self.family.second_networks.get(name, slice(0, 0))
        own = {
            theta: stack[self.family.networks[name] if theta in self.family.names else second]
            for theta, stack in self.moves[step].items()
        }
        return {theta: stack for theta, stack in own.items() if len(stack)}

    def losses(self, name: str, step: int) -> Float[np.ndarray, " S"]:
        """Return the loss of a member on the training set at a recorded step."""
        return self._mean(name, step, self.data, penalties)

    def errors(self, name: str, step: int, data: ExampleSet | None = None) -> Float[np.ndarray, " S"]:
        """Return the share of examples whose class a member gets wrong, by default of those trained.

        Raises InputError for labels without classes.
        """
        check_classes(self.settings.loss, (data or self.data).y)
        return self._mean(name, step, data or self.data, mistakes)

    def _mean(
        self, name: str, step: int, data: ExampleSet, measure: Callable[..., torch.Tensor]
    ) -> Float[np.ndarray, " S"]:
        data = data.to(self.settings.dtype)
        yhat = self.outputs(name, step, None if data.x is self.data.x else data.x)
        y = data.y.expand(len(yhat), *data.y.shape)
        return measure(self.settings.loss, yhat, y).double().mean(dim=1).numpy()


def train_linearised(
    family: Family, data: ExampleSet, settings: Settings, steps: int, *, stages: Collection[int] = ()
) -> LinearisedRun:
    """Train the expansions of a family from its start up to step number `steps`, with the batches of `train_family`.

    The last step and those in `stages` are recorded. Raises InputError for labels and shapes that do not fit, for
    stages after `steps`, and for settings that stop networks early; OutOfReachError for members whose gates belong to
    the training examples, which `theory.kernels.linearised_training` trains from their kernel.

    >>> from sim.deep import SGD, Start, dln, train_family
    >>> family = Family((dln((4,)),), 3, 2, 1, Start("normal", (0.5, 0.5), 0))
    >>> data = ExampleSet(torch.tensor([[1.0, 0.0], [0.0, 1.0]]), torch.tensor([[1.0], [-1.0]]))
    >>> run = train_linearised(family, data, Settings("half-mse", SGD, 0.1, batch=2, seed=0), 200, stages=(0,))
    >>> bool((run.losses("dln", 200) < run.losses("dln", 0)).all())
    True
    """
    data, device = data.to(settings.dtype), settings.device
    check_labels(settings.loss, data.y, len(data.x), family.outputs)
    settings.check_members([member.name for member in family.members])
    if settings.stop_below is not None:
        raise InputError(
            f"stop_below = {settings.stop_below}: linearised networks do not stop early.",
            "Leave stop_below out, and record stages.",
        )
    tied = [each.name for each in family.members if isinstance(each.network.gating, BernoulliGates | FixedGates)]
    if tied:
        raise OutOfReachError(
            f"The gates of {', '.join(tied)} are defined on the training examples alone.",
            "Give theory.kernels.linearised_training their tangent kernel.",
        )
    whole(steps, "steps", least=0)
    if missed := sorted(stage for stage in stages if whole(stage, "stage", least=0) > steps):
        raise InputError(f"The stages {missed} are not among the steps 0 to {steps}.", "Train on, or leave them out.")
    start, examples = family.starting(settings.dtype, device), data.to(settings.dtype, device)
    moves, gradient, first, second = (
        {name: torch.zeros_like(start[name][:count]) for name, count in family.learned.items()} for _ in range(4)
    )
    rates = {
        stack: [settings.rate_of(each.name) for each in members for _ in range(family.replicates)]
        for stack, members in (("values", family.stacked), ("gates", family.gated))
    }
    stacks = [
        (rates["values" if name in family.names else "gates"], move, gradient[name], first[name], second[name])
        for name, move in moves.items()
    ]
    moved = moved_by_rate(stacks, settings.optimiser, 0)
    replicates = 1 if settings.shared_batches else family.replicates
    batches = rows_of_batches(len(data.x), settings.batch, settings.seed, replicates, device=device)
    kept = {}
    for step in range(steps + 1):
        if step in stages or step == steps:
            kept[step] = mapped(lambda move: move.to("cpu", copy=True), moves)
        if step == steps:
            break
        rows = next(batches)
        passed = forward(family, start, examples.x[rows], {})
        yhat = passed.output + moved_output(family, start, passed, moves)
        y = examples.y[rows]
        y = y.expand(family.replicates, *y.shape[1:]).repeat(len(family.members), *[1] * (y.ndim - 1))
        delta = output_gradient(settings.loss, yhat, y)
        for name, layer, own_delta, source in backward(family, start, passed, delta):
            layer.gradient(own_delta, source, gradient[name])
        for rate, some in moved.items():
            descend(settings.optimiser, some, rate)
    return LinearisedRun(family, settings, data, mapped(torch.Tensor.cpu, start), kept)


def moved_output(
    family: Family, parameters: Mapping[str, torch.Tensor], passed: FamilyPass, moves: Mapping[str, torch.Tensor]
) -> Float[torch.Tensor, "R B m"]:
    """Return sum_theta dyhat/dtheta times the move of theta, at the parameters and inputs of a pass.

    A dash for the derivative along the moves: q_l' = Theta_l' z_(l-1) + Theta_l z_(l-1)', z_l' = (dz_l/dq_l) q_l' +
    q_l G_l', with G_l' = chi'(p_l) p_l' where gates learn.
    """
    gates = _moved_gates(family, parameters, passed, moves)
    learners = [member for member in family.gated if member.gates_learn]
    zs: Levels = [None]
    for level, (name, layer) in enumerate(zip(family.names[:-1], family.plan, strict=False)):
        q = _moved_preactivation(layer, parameters[name], moves.get(name), passed.sources[level], zs)
        z = None if q is None else passed.slopes[level] * q
        if learners:
            z = torch.zeros_like(passed.preactivations[level]) if z is None else z
            for place, member in enumerate(learners):
                rows = family.networks[member.name]
                own = gates[level][place * family.replicates : (place + 1) * family.replicates]
                z[rows] += passed.preactivations[level][rows] * own
        zs.append(z)
    name = family.names[-1]
    found = _moved_preactivation(family.plan[-1], parameters[name], moves.get(name), passed.sources[-1], zs)
    return torch.zeros_like(passed.output) if found is None else found


def _moved_gates(
    family: Family, parameters: Mapping[str, torch.Tensor], passed: FamilyPass, moves: Mapping[str, torch.Tensor]
) -> list[torch.Tensor]:
    """Return G_l' of the second networks that learn."""
    us: Levels = [None]
    found = []
    second = passed.second
    for level, (name, layer) in enumerate(zip(family.gating_names, family.plan, strict=False)):
        if name not in moves:
            return []
        count = len(moves[name])
        p = _moved_preactivation(layer, parameters[name][:count], moves[name], second.sources[level][:count], us)
        found.append(second.gate_slopes[level][:count] * p)
        us.append(second.slopes[level][:count] * p)
    return found


def _moved_preactivation(
    layer: Layer, theta: torch.Tensor, move: torch.Tensor | None, source: torch.Tensor, levels: Levels
) -> torch.Tensor | None:
    """Return Theta' z_(l-1) + Theta z_(l-1)', and z_k' more of a skip; `levels` are z_0', ..., z_(l-1)', None for 0."""
    q = None if levels[-1] is None else layer.through(theta, levels[-1])
    if move is not None:
        own = layer.through(move, source[: len(move)])
        if q is None:
            q = own.new_zeros(len(theta), *own.shape[1:])
        q[: len(move)] += own
    if layer.skip is not None and levels[layer.skip.level] is not None:
        layer.skip.add(q, levels[layer.skip.level])
    return q
