"""Training of families of deep gated networks on mini-batches of a fixed set.

All replicates of a member take each step together. Networks do not see each other: a network that diverges or stops
early leaves the numbers of the others as they are. A step asks the device for no number, so that the processor runs
ahead of a GPU; both wait where networks are measured or recorded.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float

from sim.deep.batches import ExampleSet, rows_of_batches
from sim.deep.evaluation import set_means
from sim.deep.family import Family, Parameters
from sim.deep.losses import check_classes, check_labels, output_gradient
from sim.deep.members import Member
from sim.deep.settings import Settings
from sim.deep.stopping import Best, Validation
from sim.networks.parameters import placed
from sim.training.optimisers import descend
from theory.problem import InputError
from theory.problem.numbers import whole


@dataclass(frozen=True, eq=False)
class FamilyState:
    """The state between two steps: parameters, the optimiser's means (None where it has none), and who has stopped.

    `best` is the record of the measurements on the validation set. `stopped` is the step at which each network
    stopped early, -1 for those that go on.
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
        weights = self.family.of(name, self.state.parameters).values()
        return ~torch.stack([theta.isfinite().flatten(1).all(dim=1) for theta in weights]).all(dim=0).numpy()

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
        family, settings = self.family, self.settings
        weights = placed(family.of(name, self.at(step)), settings.device)
        examples = (self.data if data is None else data).to(settings.dtype, settings.device)
        given = family.given_gates(name, examples) if data is None else ()
        return set_means(family, name, weights, examples, settings.loss, given, measure).cpu().numpy()


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
    moving = _Moving(family, settings, begun, data)
    held_out = None if validation is None else validation.data.to(settings.dtype, settings.device)
    kept = {}
    orders = 1 if settings.shared_batches else family.replicates
    batches = rows_of_batches(len(data.x), settings.batch, settings.seed, orders, begun.step, settings.device)
    for step in range(begun.step, steps + 1):
        if step in stages:
            kept[step] = placed(moving.parameters, "cpu", copy=True)
        if settings.stop_below is not None and step % settings.stop_every == 0:
            moving.stop(step, moving.losses() <= settings.stop_below)
        if validation is not None and step % validation.every == 0:
            moving.judge(step, validation, held_out)
        if step == steps:
            break
        moving.take_step(next(batches))
    return FamilyRun(family, settings, data, moving.state(steps).to("cpu"), kept, validation)


def beginning(family: Family, settings: Settings) -> FamilyState:
    """Return the state before the first step, on the device of the settings."""
    parameters = family.starting(settings.dtype, settings.device)
    means = [None, None]
    if not settings.optimiser.plain:
        means = [{name: torch.zeros_like(parameters[name]) for name in family.learned} for _ in means]
    networks = family.replicates * len(family.members)
    stopped = torch.full((networks,), -1, device=settings.device)
    return FamilyState(0, parameters, *means, stopped, Best.before(networks, settings.device))


class _Moving:
    """The tensors that the steps of one call change in place, and the examples, all on the device of the settings."""

    def __init__(self, family: Family, settings: Settings, begun: FamilyState, data: ExampleSet) -> None:
        self.family, self.settings = family, settings
        self.data = data.to(settings.dtype, settings.device)
        self.given = {member.name: family.given_gates(member.name, self.data) for member in family.members}
        self.parameters: Parameters = dict(begun.parameters)
        self.first, self.second = begun.first, begun.second
        self.stopped, self.best, self.steps = begun.stopped, begun.best, begun.step
        self.rates = {member.name: settings.rate_of(member.name) for member in family.members}
        self._keep_stopped()

    def take_step(self, rows: torch.Tensor) -> None:
        """Take one step on the rows (S or 1, B) of the set."""
        x, y = self.data.x[rows], self.data.y[rows]
        y = y.expand(self.family.replicates, *y.shape[1:])
        for member in self.family.members:
            stopped, numbers = self.kept[member.name]
            if len(stopped) < self.family.replicates:
                given = [_rows(level, rows) for level in self.given[member.name]]
                self._descend(member, x, y, given)
                for theta, values in numbers.items():
                    self.parameters[f"{member.name}.{theta}"][stopped] = values
        self.steps += 1

    def _descend(self, member: Member, x: torch.Tensor, y: torch.Tensor, given: list[torch.Tensor]) -> None:
        """Move all networks of a member."""
        settings, rate, name = self.settings, self.rates[member.name], member.name
        weights = self.family.of(name, self.parameters)
        with torch.enable_grad():
            passed = self.family.forward(name, weights, x, given, member.learned)
        with torch.no_grad():
            delta = output_gradient(settings.loss, passed.output, y)
            if settings.optimiser.plain:
                # The gradient is linear in delta. With the rate in it, a product adds the step to the weights at once.
                for theta, layer, *pair in passed.backward(delta.mul_(-rate), member.learned):
                    layer.add_gradient(weights[theta], *pair)
                return
            gradients = [layer.gradient(*pair) for _, layer, *pair in passed.backward(delta, member.learned)]
        means = ([part[f"{name}.{theta}"] for theta in member.learned] for part in (self.first, self.second))
        descend(settings.optimiser, [weights[theta] for theta in member.learned], gradients, *means, self.steps, rate)

    def losses(self) -> torch.Tensor:
        """Return the loss of each network on the whole set."""
        family, data, loss = self.family, self.data, self.settings.loss
        return self._each(lambda name, weights: set_means(family, name, weights, data, loss, self.given[name]))

    def judge(self, step: int, validation: Validation, data: ExampleSet) -> None:
        """Measure the networks on the validation set, and stop those whose smallest value is too old."""
        family, loss, measure = self.family, self.settings.loss, validation.measure
        values = self._each(lambda name, weights: set_means(family, name, weights, data, loss, (), measure))
        self.best = self.best.after(values, step)
        self.stop(step, step - self.best.steps.clamp(min=0) >= validation.patience * validation.every)

    def stop(self, step: int, ready: torch.Tensor) -> None:
        """Stop the networks that are ready to stop: they keep their numbers from now on."""
        newly = ready & (self.stopped < 0)
        self.stopped[newly] = step
        if newly.any():
            self._keep_stopped()

    def state(self, step: int) -> FamilyState:
        return FamilyState(step, self.parameters, self.first, self.second, self.stopped, self.best)

    def _each(self, measured: Callable[[str, Parameters], torch.Tensor]) -> torch.Tensor:
        """Return a value of each network, member by member."""
        names = [member.name for member in self.family.members]
        return torch.cat([measured(name, self.family.of(name, self.parameters)) for name in names])

    def _keep_stopped(self) -> None:
        """List the networks of each member that have stopped, with the numbers that they keep."""
        self.kept = {}
        for member in self.family.members:
            stopped = (self.stopped[self.family.networks[member.name]] >= 0).nonzero().flatten()
            weights = self.family.of(member.name, self.parameters)
            numbers = {theta: weights[theta][stopped] for theta in member.learned} if len(stopped) else {}
            self.kept[member.name] = stopped, numbers


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
        means = {name: family.shapes[name] for name in family.learned}
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
