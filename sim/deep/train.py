"""Training of families of deep gated networks on mini-batches of a fixed set, by hand-written gradients.

All members and replicates take each step together. Networks do not see each other: a network that diverges or stops
early leaves the numbers of the others as they are. A step asks the device for no number and makes no copy from it or to
it, so that the processor runs ahead of a GPU; both wait where networks are measured or recorded.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

import numpy as np
import torch
from jaxtyping import Bool, Float

from sim.deep.batches import ExampleSet, given_gates, rows_of_batches
from sim.deep.evaluation import set_means
from sim.deep.family import Family, Parameters
from sim.deep.losses import check_classes, check_labels, output_gradient
from sim.deep.optimisers import descend, moved_by_rate
from sim.deep.passes import backward, forward
from sim.deep.replay import Replay, recorder_on
from sim.deep.settings import Settings
from sim.deep.stopping import Best, Validation
from sim.networks.parameters import along, mapped, placed
from theory.problem import InputError
from theory.problem.numbers import whole


@dataclass(frozen=True, eq=False)
class FamilyState:
    """The state between two steps: parameters, the optimiser's means (None where it has none), and who has stopped.

    `best` is the record of the measurements on the validation set. `stopped` is the step at which each network of the
    stack of Theta stopped early, -1 for those that go on.
    """

    step: int
    parameters: Mapping[str, torch.Tensor]
    first: Mapping[str, torch.Tensor] | None
    second: Mapping[str, torch.Tensor] | None
    stopped: torch.Tensor
    best: Best

    def to(self, device: str, copy: bool = False) -> "FamilyState":
        """Return the state on a device; with `copy` it shares no memory with this one."""
        parts = (self.parameters, self.first, self.second)
        moved = (None if part is None else placed(part, device, copy) for part in parts)
        best = Best(self.best.values.to(device), self.best.steps.to(device))
        return FamilyState(self.step, *moved, self.stopped.to(device, copy=copy), best)


@dataclass(frozen=True, eq=False)
class FamilyRun:
    """A family after training: its state, and its parameters at the recorded steps, in the processor's memory.

    What is measured on them is computed on the device of the settings.
    """

    family: Family
    settings: Settings
    data: ExampleSet
    state: FamilyState
    stages: Mapping[int, Mapping[str, torch.Tensor]]
    validation: Validation | None = None

    def diverged(self, name: str) -> Bool[np.ndarray, " S"]:
        """Return which replicates of a member have parameters that are not finite."""
        own = self.family.of(name, self.state.parameters).values()
        return ~torch.stack([theta.isfinite().flatten(1).all(dim=1) for theta in own]).all(dim=0).numpy()

    def stopped(self, name: str) -> tuple[int | None, ...]:
        """Return the step at which each replicate of a member stopped early, None for those that did not."""
        steps = self.state.stopped[self.family.networks[name]].tolist()
        return tuple(None if step < 0 else step for step in steps)

    def losses(self, name: str, step: int) -> Float[np.ndarray, " S"]:
        """Return the loss of a member on the training set at a recorded step, a number for each replicate."""
        return self._mean(name, step, None, "loss")

    def errors(self, name: str, step: int, data: ExampleSet | None = None) -> Float[np.ndarray, " S"]:
        """Return the share of examples whose class a member gets wrong at a recorded step, by default of those trained.

        Raises InputError for labels without classes.
        """
        check_classes(self.settings.loss, (data or self.data).y)
        return self._mean(name, step, data, "error")

    def best(self, name: str) -> tuple[Float[np.ndarray, " S"], tuple[int, ...]]:
        """Return the smallest value of each replicate on the validation set, and the steps at which it was reached.

        Before the first measurement, and without validation, the values are infinite and the steps -1.
        """
        part = self.family.networks[name]
        return self.state.best.values[part].numpy(), tuple(self.state.best.steps[part].tolist())

    def at(self, step: int) -> Mapping[str, torch.Tensor]:
        """Return the parameters of the whole family at a recorded step. Raises InputError for another step."""
        if step == self.state.step:
            return self.state.parameters
        if step not in self.stages:
            known = ", ".join(map(str, sorted({*self.stages, self.state.step})))
            raise InputError(f"The parameters at step {step} are not recorded.", f"Recorded steps: {known}.")
        return self.stages[step]

    def _mean(self, name: str, step: int, data: ExampleSet | None, measure: str) -> Float[np.ndarray, " S"]:
        family, settings = self.family.alone(name), self.settings
        own = placed(self.family.of(name, self.at(step)), settings.device)
        examples = (self.data if data is None else data).to(settings.dtype, settings.device)
        given = given_gates(family, examples) if data is None else {}
        return set_means(family, own, examples, settings.loss, given, measure).cpu().numpy()


def train_family(
    family: Family,
    data: ExampleSet,
    settings: Settings,
    steps: int,
    *,
    state: FamilyState | None = None,
    validation: Validation | None = None,
    stages: Collection[int] = (),
) -> FamilyRun:
    """Train a family up to step number `steps`, from its start or from the state of an earlier run.

    With a `validation`, networks stop early by their values on its examples too. A run that is resumed from a state has
    bit for bit the numbers of one that was not interrupted, on one device; a state may go on on another one, whose
    rounding differs. The device is that of the settings, and what comes back lies on the processor. The parameters at
    the steps in `stages` are kept. Means of the optimiser and parameters are not shared with `state`. Raises InputError
    for labels, shapes and rates that do not fit, and for steps and stages before the state or stages after `steps`.

    >>> from sim.deep import SGD, Start, dln, relu
    >>> family = Family((relu((4,)), dln((4,))), 3, 2, 1, Start("normal", (0.5, 0.5), 0))
    >>> data = ExampleSet(torch.tensor([[1.0, 0.0], [0.0, 1.0]]), torch.tensor([[1.0], [-1.0]]))
    >>> run = train_family(family, data, Settings("half-mse", SGD, 0.1, batch=2, seed=0), 200, stages=(0,))
    >>> bool((run.losses("dln", 200) < run.losses("dln", 0)).all())
    True
    """
    data = data.to(settings.dtype)
    check_labels(settings.loss, data.y, len(data.x), family.outputs)
    settings.check_members([member.name for member in family.members])
    if validation is not None:
        validation = validation.checked(family, settings.loss, settings.dtype)
    begun = beginning(family, settings) if state is None else _copied(family, settings, state)
    whole(steps, "steps", least=begun.step)
    missed = sorted(stage for stage in stages if not begun.step <= whole(stage, "stage", least=0) <= steps)
    if missed:
        raise InputError(
            f"The stages {missed} are not among the steps {begun.step} to {steps} of this call.",
            "Record earlier stages in the run that gave the state.",
        )
    moving = _Moving(family, settings, begun, data, validation)
    kept = {}
    orders = 1 if settings.shared_batches else family.replicates
    batches = rows_of_batches(len(data.x), settings.batch, settings.seed, orders, begun.step, settings.device)
    for step in range(begun.step, steps + 1):
        if step in stages:
            kept[step] = placed(moving.parameters, "cpu", copy=True)
        if settings.stop_below is not None and step % settings.stop_every == 0:
            moving.stop(step, moving.losses() <= settings.stop_below)
        if validation is not None and step % validation.every == 0:
            moving.judge(step)
        if step == steps:
            break
        moving.take_step(next(batches))
    return FamilyRun(family, settings, data, moving.state(steps).to("cpu"), kept, validation)


def beginning(family: Family, settings: Settings) -> FamilyState:
    """Return the state before the first step, on the device of the settings."""
    parameters = family.starting(settings.dtype, settings.device)
    means = [None, None]
    if not settings.optimiser.plain:
        means = [
            {name: torch.zeros_like(parameters[name][:count]) for name, count in family.learned.items()} for _ in means
        ]
    networks = family.replicates * len(family.members)
    stopped = torch.full((networks,), -1, device=settings.device)
    return FamilyState(0, parameters, *means, stopped, Best.before(networks, settings.device))


class _Moving:
    """The tensors that the steps of one call change in place, and the examples, all on the device of the settings."""

    def __init__(
        self, family: Family, settings: Settings, begun: FamilyState, data: ExampleSet, validation: Validation | None
    ) -> None:
        self.family, self.settings = family, settings
        self.data = data.to(settings.dtype, settings.device)
        self.given = given_gates(family, self.data)
        self.validation = validation
        if validation is not None:
            self.validation = replace(validation, data=validation.data.to(settings.dtype, settings.device))
        self.parameters: Parameters = dict(begun.parameters)
        self.first, self.second = begun.first, begun.second
        self.stopped, self.best = begun.stopped, begun.best
        self.gradient = None if begun.first is None else mapped(torch.empty_like, begun.first)
        own = [settings.rate_of(member.name) for member in family.stacked]
        rates = torch.tensor(own, dtype=settings.dtype, device="cpu").repeat_interleave(family.replicates)
        self.rates = rates.to(settings.device)
        self.rates[self.stopped >= 0] = 0
        self._set_rates(begun.step)
        self._replay, record = None, recorder_on(settings.device)
        if record is not None:
            changed = self.parameters if self.gradient is None else self.gradient
            stacks = tuple(changed[name] for name in family.learned)
            self._replay = Replay(stacks, min(settings.batch, len(data.x)), record)

    def take_step(self, rows: torch.Tensor) -> None:
        """Take one step on the rows (S or 1, B) of the set."""
        optimiser = self.settings.optimiser
        if self._replay is None:
            self._pass(rows)
        else:
            self._replay(self._pass, rows)
        if optimiser.plain:
            return
        for rate, moved in self.moved.items():
            descend(optimiser, moved, rate)

    def _pass(self, rows: torch.Tensor) -> None:
        """Write the gradient of the rows, and take the step of plain descent, which needs none of its numbers."""
        family = self.family
        given = {name: [_rows(level, rows) for level in own] for name, own in self.given.items()}
        passed = forward(family, self.parameters, self.data.x[rows], given)
        delta = output_gradient(self.settings.loss, passed.output, self._for_each_network(self.data.y[rows]))
        if self.gradient is None:
            # The gradient is linear in delta. With the rate in it, a product adds the step to the weights at once.
            delta *= -along(self.rates, delta)
            for name, layer, own, source in backward(family, self.parameters, passed, delta):
                layer.add_gradient(self.parameters[name][: len(own)], own, source)
            return
        for name, layer, own, source in backward(family, self.parameters, passed, delta):
            layer.gradient(own, source, self.gradient[name])

    def losses(self) -> torch.Tensor:
        """Return the loss of each network on the whole set."""
        return set_means(self.family, self.parameters, self.data, self.settings.loss, self.given)

    def judge(self, step: int) -> None:
        """Measure the networks on the validation set, and stop those whose smallest value is too old."""
        validation = self.validation
        self.best = self.best.after(validation.measured(self.family, self.parameters, self.settings.loss), step)
        self.stop(step, step - self.best.steps.clamp(min=0) >= validation.patience * validation.every)

    def stop(self, step: int, ready: torch.Tensor) -> None:
        """Stop the networks that are ready to stop: their rate is 0 from now on."""
        newly = ready & (self.stopped < 0)
        self.stopped[newly] = step
        self.rates[newly] = 0
        if newly.any():
            self._set_rates(step)

    def state(self, step: int) -> FamilyState:
        return FamilyState(step, self.parameters, self.first, self.second, self.stopped, self.best)

    def _set_rates(self, step: int) -> None:
        """List what a step moves, by its rate."""
        if self.gradient is None:
            self.moved = {}
            return
        own = self.rates.tolist()
        gates = [rate for member in self.family.gated for rate in own[self.family.networks[member.name]]]
        stacks = [
            (
                own if name in self.family.names else gates,
                self.parameters[name],
                gradient,
                self.first[name],
                self.second[name],
            )
            for name, gradient in self.gradient.items()
        ]
        self.moved = moved_by_rate(stacks, self.settings.optimiser, step)

    def _for_each_network(self, y: torch.Tensor) -> torch.Tensor:
        family = self.family
        return y.expand(family.replicates, *y.shape[1:]).repeat(len(family.members), *[1] * (y.ndim - 1))


def _rows(level: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    """Return the gates (S, B, *level) of the rows (S or 1, B) of an array (S or 1, N, *level)."""
    if len(rows) == 1:
        return level[:, rows[0]]
    if len(level) == 1:
        return level[0][rows]
    return level[torch.arange(len(level), device=rows.device).unsqueeze(1), rows]


def _copied(family: Family, settings: Settings, state: FamilyState) -> FamilyState:
    """Return a copy of the state on the device of the settings.

    Raises InputError where it is not one of this family and these settings.
    """
    means = None
    if not settings.optimiser.plain:
        means = {name: (count, *family.shapes[name][1:]) for name, count in family.learned.items()}
    for part, shapes in (("parameters", family.shapes), ("first", means), ("second", means)):
        needed = None if shapes is None else {name: (*shape, settings.dtype) for name, shape in shapes.items()}
        tensors = getattr(state, part)
        given = None if tensors is None else {name: (*tensor.shape, tensor.dtype) for name, tensor in tensors.items()}
        if needed != given:
            raise InputError(
                f"The state has the {part} {given}; this family and its optimiser need {needed}.",
                "Resume with the family and the settings of the run that gave the state.",
            )
    return state.to(settings.device, copy=True)
