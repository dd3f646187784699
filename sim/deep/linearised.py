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
from sim.deep.members import Member
from sim.deep.settings import Settings
from sim.networks.deep import DeepPass
from sim.networks.parameters import placed
from sim.training.optimisers import descend
from theory.problem import BernoulliGates, FixedGates, InputError, OutOfReachError
from theory.problem.numbers import whole


@dataclass(frozen=True, eq=False)
class LinearisedRun:
    """Linearised networks after training: the initial parameters, and theta_t - theta_0 at the recorded steps.

    `moves` has the parameters that learn.
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
        family, member, outputs = self.family, self.family.member(name), []
        inputs = self.data.x if x is None else x.to(self.settings.dtype)
        for part in parts_of(family, inputs):
            passed, moved = _expanded(family, member, self.start, self.moves[step], inputs[part].unsqueeze(0))
            outputs.append(passed.output.detach() + moved)
        return torch.cat(outputs, dim=1)

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
    moves, first, second = ({name: torch.zeros_like(start[name]) for name in family.learned} for _ in range(3))
    replicates = 1 if settings.shared_batches else family.replicates
    batches = rows_of_batches(len(data.x), settings.batch, settings.seed, replicates, device=device)
    kept = {}
    for step in range(steps + 1):
        if step in stages or step == steps:
            kept[step] = placed(moves, "cpu", copy=True)
        if step == steps:
            break
        rows = next(batches)
        x, y = examples.x[rows], examples.y[rows]
        y = y.expand(family.replicates, *y.shape[1:])
        for member in family.members:
            passed, moved = _expanded(family, member, start, moves, x)
            with torch.no_grad():
                delta = output_gradient(settings.loss, passed.output + moved, y)
                gradients = [layer.gradient(*pair) for _, layer, *pair in passed.backward(delta, member.learned)]
            thetas, *means = (
                [part[f"{member.name}.{theta}"] for theta in member.learned] for part in (moves, first, second)
            )
            descend(settings.optimiser, thetas, gradients, *means, step, settings.rate_of(member.name))
    return LinearisedRun(family, settings, data, placed(start, "cpu"), kept)


def _expanded(
    family: Family, member: Member, start: Parameters, moves: Mapping[str, torch.Tensor], x: torch.Tensor
) -> tuple[DeepPass, torch.Tensor]:
    """Return the pass of a member at the start, and sum_theta dyhat/dtheta times the move of theta, by autograd.

    A pass back takes u to delta_l(u) = sum u dyhat/dq_l, which is linear in u: the derivative by u of
    sum_l delta_l(u) Theta_l' z_(l-1), with Theta' the move of Theta, is the moved output.
    """
    with torch.enable_grad():
        passed = family.forward(member.name, family.of(member.name, start), x, (), member.learned)
        u = torch.zeros_like(passed.output).requires_grad_()
        parts = [
            (delta * layer.through(moves[f"{member.name}.{theta}"], source.detach())).sum()
            for theta, layer, delta, source in passed.backward(u, member.learned, create_graph=True)
        ]
        (moved,) = torch.autograd.grad(sum(parts), u)
    return passed, moved
