"""Numbers of the fields view: networks of any model, trained live, and beside them the theory where there is one."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from jaxtyping import Float

from derivations.answers.compare import FieldView, distance, field_view
from derivations.answers.relu_compare import relu_in_place
from derivations.answers.times import spaced_steps
from derivations.explore.flips import flipped, has_flips
from derivations.explore.limits import refuse_many_weights
from derivations.explore.shapes import CENTRE, of_the_mean, ratio_of_the_mean, shapes
from derivations.explore.training import Learned
from derivations.statistics.alignment import mean_and_error
from theory.problem import (
    GatedGraph,
    InputError,
    Network,
    NormalInitialisation,
    OutOfReachError,
    Problem,
    Simulation,
)
from theory.problem.simulation import INITIALISATIONS

SHOWN_TIMES = 24
EXAMPLES = 2048  # on which losses are measured
BATCHES = ("32", "64", "128", "256", "512", "1024")
FEWEST, MOST = 5, 32  # networks; a band about their distance needs five
RELU = "relu"
LOSS, LOSS_OF_MEAN = "loss (y²)", "loss of the mean network (y²)"
RATIO_OF_MEAN = "participation ratio of the mean field"
FLIPPED = "gates flipped since the first time"
DISTANCE = "distance to theory, 99 % band"
EVERY = "all"
_RATE = Fraction(1, 10)


def live(problem: Problem, batch: int, replicates: int, until: Fraction | None = None) -> Problem:
    """Return the problem as the view trains it: online, SHOWN_TIMES times spaced by their logarithm up to the last.

    The last time is `until`, or that of the problem. Optimiser, learning rate, initialisation and seed are those of its
    [simulation] table; without one the learning rate is 1/10, and each network of a model without theory draws a start
    of its own. Times are whole numbers of steps. Raises InputError where the last time is less than a step.
    """
    simulation = problem.simulation or _first_simulation(problem)
    step = problem.training.tau * simulation.learning_rate
    end = problem.training.times[-1] if until is None else until
    last = int(end / step)
    if last < 1:
        raise InputError(
            f"training.times ends at t = {float(end):g}, before the first step of tau * learning_rate = "
            f"{float(step):g}.",
            "Give a later time or a smaller learning rate.",
        )
    times = tuple(step * count for count in spaced_steps(last, SHOWN_TIMES))
    settings = replace(
        simulation, mode="online", samples=EXAMPLES, replicates=replicates, batch=batch, shared_stream=False
    )
    return replace(problem, training=replace(problem.training, times=times), simulation=settings)


def _first_simulation(problem: Problem) -> Simulation:
    gated = isinstance(problem.network, GatedGraph) or problem.network.model == Network.gated
    drawn = isinstance(problem.training.w0, NormalInitialisation) and not gated
    return Simulation("online", EXAMPLES, _RATE, FEWEST, 0, batch=1, initialisation=INITIALISATIONS[drawn])


def rivals(problem: Problem, with_relu: bool = True) -> dict[str, Problem]:
    """Return the networks trained side by side, by name: those of the problem and, where wanted, ReLU networks.

    They stand beside gated-linear networks alone, have as many units, the same readout and biases, and start from the
    same weights. There is none for labels of several numbers with a fixed readout: all of its outputs would be the
    same.
    """
    layer = problem.one_layer
    problems = {layer.model: problem}
    if with_relu and layer.model == Network.gated and (problem.data.outputs == 1 or layer.trains_readout):
        problems[RELU] = relu_in_place(problem, separate=False)
    return problems


def theory_of(problem: Problem) -> FieldView:
    """Return the exact prediction at the times of `live`. Raises OutOfReachError where there is none."""
    if problem.simulated().initialisation == INITIALISATIONS[1] and problem.network.model == Network.gated:
        raise OutOfReachError(
            "Each network starts from weights of its own; the prediction is for networks with one w0.",
            'Set initialisation = "shared" in [simulation] to see the theory beside them.',
        )
    refuse_many_weights(problem)
    return field_view(problem)


def unit_names(problem: Problem) -> list[str]:
    """Return the name of each field: its unit, and its output where a unit has a field for each.

    >>> from theory.problem import FiniteData, Training
    >>> data = FiniteData([[1, 0], [0, 1]], [1, -1])
    >>> unit_names(Problem(data, Network("relu", "mean", 2), Training("mse", 1, NormalInitialisation(1, 0), (1,))))
    ['0', '1']
    """
    shape = problem.graph.parameter("w").shape[:-1]
    return [str(unit) if not output else f"{unit}, output {output[0]}" for unit, *output in np.ndindex(*shape)]


def fields_at(learned: Learned, snapshot: int) -> Float[np.ndarray, "S K n"]:
    """Return the fields at one time; those of a unit with several outputs follow each other."""
    w = learned.weights[:, snapshot]
    return w.reshape(len(w), -1, w.shape[-1])


def reached(learned: Mapping[str, Learned], snapshot: int) -> dict[str, Learned]:
    """Return the networks that have reached a snapshot."""
    return {name: networks for name, networks in learned.items() if networks.weights.shape[1] > snapshot}


def rows(
    problem: Problem, snapshot: int, learned: Mapping[str, Learned], view: FieldView | None
) -> list[dict[str, Any]]:
    """Return the table at one snapshot: a quantity of one unit or of all, its theory, and means with standard errors.

    The mean over networks of a quantity is that of each network, averaged over its units where `unit` is "all"; the
    theory predicts the mean field, and stands beside what is computed from the mean of the networks. The distance to
    the theory is given by the ends of its band, one below the other.
    """
    present = reached(learned, snapshot)
    table = _Table(list(present))
    for name, networks in present.items():
        table.put(LOSS, "", name, *mean_and_error(networks.losses[:, snapshot]))
    if view is not None:
        _beside_theory(table, problem, snapshot, present, view)
    for name, networks in present.items():
        measured = shapes(fields_at(networks, snapshot), problem.data)
        if has_flips(_problem_of(problem, name)):
            measured[FLIPPED] = flipped(_problem_of(problem, name), networks, snapshot)
        for quantity, values in measured.items():
            if quantity != CENTRE:
                table.put(quantity, EVERY, name, *_over_units(values))
            if quantity != CENTRE or problem.data.boundary == "open":
                for unit, numbers in zip(unit_names(problem), zip(*mean_and_error(values), strict=True), strict=True):
                    table.put(quantity, unit, name, *numbers)
    return table.rows


def _over_units(values: Float[np.ndarray, "S K"]) -> tuple[float, float]:
    """The mean over networks of the mean over their units: units of one network are not independent."""
    return mean_and_error(mean_and_error(values.T)[0])


def _problem_of(problem: Problem, name: str) -> Problem:
    """The problem of the networks called `name`; replayed gates have a name that is no model, and no flips."""
    known = rivals(problem)
    if name in known:
        return known[name]
    return replace(problem, network=replace(problem.network, model="erf", gates=(), slope=None))


def _beside_theory(
    table: "_Table", problem: Problem, snapshot: int, present: Mapping[str, Learned], view: FieldView
) -> None:
    table.theory(LOSS_OF_MEAN, "", float(view.losses[snapshot]))
    if view.ratio is not None:
        for unit, ratio in enumerate(view.ratio[snapshot]):
            table.theory(RATIO_OF_MEAN, str(unit), float(ratio))
    for name, networks in present.items():
        if name == problem.network.model:
            table.put(LOSS_OF_MEAN, "", name, *_loss_of_the_mean(problem, networks, snapshot))
        for unit, numbers in enumerate(zip(*ratio_of_the_mean(fields_at(networks, snapshot)), strict=True)):
            table.put(RATIO_OF_MEAN, str(unit), name, *numbers)
        measured = distance(view, networks.weights)
        if measured is not None:
            table.put(f"{DISTANCE} from", "", name, measured.low[snapshot], np.nan)
            table.put(f"{DISTANCE} to", "", name, measured.high[snapshot], np.nan)


def _loss_of_the_mean(problem: Problem, networks: Learned, snapshot: int) -> tuple[float, float]:
    """The loss of the mean weights and biases, from the exact moments."""
    from theory.flow import mse_at
    from theory.flow.linear.convention import convention
    from theory.moments import gated_moments

    moments, scale = gated_moments(problem), float(convention(problem).s)
    w = networks.weights[:, snapshot]
    parameters = networks.parameters
    b = (
        np.concatenate([parameters["b"], parameters["b_out"]], axis=2)[:, snapshot]
        if "b" in parameters
        else w.reshape(len(w), -1)[:, :0]
    )

    def loss(flat: Float[np.ndarray, " numbers"]) -> Float[np.ndarray, ""]:
        weights, biases = flat[: w[0].size].reshape(1, *w.shape[1:]), flat[w[0].size :][None]
        return mse_at(moments, weights, scale, biases if biases.size else None)[0]

    estimate, error = of_the_mean(loss, np.concatenate([w.reshape(len(w), -1), b], axis=1))
    return float(estimate), float(error)


class _Table:
    """Rows in the order in which their quantities were first named, every one with the same keys."""

    def __init__(self, names: list[str]) -> None:
        self._names = names
        self._rows: dict[tuple[str, str], dict[str, Any]] = {}

    def theory(self, quantity: str, unit: str, value: float) -> None:
        self._row(quantity, unit)["theory"] = value

    def put(self, quantity: str, unit: str, name: str, value: float, error: float) -> None:
        row = self._row(quantity, unit)
        row[name], row[f"{name} ±"] = _number(value), _number(error)

    def _row(self, quantity: str, unit: str) -> dict[str, Any]:
        empty = {key: None for name in self._names for key in (name, f"{name} ±")}
        return self._rows.setdefault((quantity, unit), {"quantity": quantity, "unit": unit, "theory": None, **empty})

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The rows."""
        return list(self._rows.values())


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def python(snapshot: int, trained: bool, theory: bool, with_relu: bool, pieces: str | None) -> tuple[str, ...]:
    """Return lines that print the table of the page: of the theory alone, or after the same training."""
    names = ["rivals", "rows"] if trained else ["rows"]
    lines = [f"from derivations.explore.fields import {', '.join(names + ['theory_of'] * theory)}"]
    if trained and pieces:
        lines.append("from derivations.explore.pieces import name_of, replayed")
    if trained:
        lines.append("from derivations.explore.training import train_together")
        lines += ["", f"learned = train_together(rivals(problem, {with_relu}))"]
        if pieces:
            lines.append(f'learned[name_of("{pieces}")] = replayed(problem, "{pieces}", lambda share: None)')
    view = "theory_of(problem)" if theory else "None"
    return (
        *lines,
        f"for row in rows(problem, {snapshot}, {'learned' if trained else '{}'}, {view}):",
        "    print(row)",
    )
