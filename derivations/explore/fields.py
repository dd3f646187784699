"""Numbers of the fields view: the fixed point and w(t), trained networks, and their distance from the prediction."""

from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from jaxtyping import Float

from derivations.answers.compare import LAW, FieldView, distance
from derivations.answers.times import spaced_steps
from derivations.explore.gates import MOST_GATES
from derivations.explore.sites import grid, panels
from derivations.explore.tables import rows_csv
from derivations.explore.training import Learned
from theory.moments.null_levels import flat_ratio, gaussian_ratio, one_site_ratio, sinusoid_ratio
from theory.problem import InputError, Network, Problem, Simulation

SHOWN_TIMES = 24
EXAMPLES = 2048  # on which losses are measured
BATCHES = ("32", "64", "128", "256", "512", "1024")
NETWORKS = ("gated-linear", "relu")
QUANTITY = "quantity"
LOSS = "<(y - yhat)^2>"
_RATE = Fraction(1, 10)


def live(problem: Problem, batch: int, replicates: int) -> Problem:
    """The problem as the view trains it: online, SHOWN_TIMES times spaced by their logarithm up to its last.

    The learning rate is that of its [simulation] table, 1/10 without one; times are whole numbers of steps. Raises
    InputError where the last time is less than a step.
    """
    rate = problem.simulation.learning_rate if problem.simulation is not None else _RATE
    step = problem.training.tau * rate
    last = int(problem.training.times[-1] / step)
    if last < 1:
        raise InputError(
            f"training.times ends at t = {problem.training.times[-1]}, before the first step of tau * learning_rate = "
            f"{step}.",
            "Give a later time or a smaller learning rate.",
        )
    counts = spaced_steps(last, SHOWN_TIMES)
    training = replace(problem.training, times=tuple(step * count for count in counts))
    settings = Simulation("online", EXAMPLES, rate, replicates, 0, batch=batch)
    return replace(problem, training=training, simulation=settings)


def rivals(problem: Problem) -> dict[str, Problem]:
    """The networks trained side by side: the gated-linear one, and the ReLU network with equal units and biases."""
    given = problem.one_layer
    relu = Network("relu", given.readout, given.units, (), given.biases)
    return {"gated-linear": problem, "relu": replace(problem, network=relu)}


def null_levels(n: int) -> dict[str, float]:
    """The ratio of fields that have not localized, and of one site alone, by name; see `theory.moments.null_levels`.

    The sinusoid has one period along the sites. On four sites its ratio depends on the phase: there it has no level.
    """
    levels = {"flat": flat_ratio(n), "random": gaussian_ratio(n), "one site": one_site_ratio()}
    with suppress(InputError):
        levels["sinusoid"] = sinusoid_ratio(n, 1)
    return {name: float(level) for name, level in sorted(levels.items(), key=lambda item: item[1])}


def behind(view: FieldView, snapshot: int, learned: dict[str, Learned]) -> str | None:
    """A sentence on the networks that have not reached the time shown; None where all have reached it."""
    reached = min((trained.weights.shape[1] for trained in learned.values()), default=0)
    if reached > snapshot:
        return None
    upto = (
        f"up to t = {view.times[reached - 1]:.4g} (snapshot {reached - 1})" if reached else "before the first snapshot"
    )
    return f"Networks are trained {upto}; the time slider stands at t = {view.times[snapshot]:.4g}."


def rows(view: FieldView, snapshot: int, learned: dict[str, Learned], unit: int = 0) -> list[dict[str, Any]]:
    """Rows of the table: loss, participation ratio of each unit and distance at the snapshot, predicted and trained.

    The distance is its band, from its lower to its upper end. Of many units those near the chosen one are shown.
    """
    from sim.measure.receptive_fields import participation_ratio

    units = panels(view.problem.network.units, unit, MOST_GATES)
    found: dict[str, dict[str, Any]] = {LOSS: {LAW: float(view.losses[snapshot])}}
    found |= {f"IPR of unit {unit}": {LAW: float(view.ratio[snapshot, unit])} for unit in units}
    found |= {f"distance to theory, 99 % band {end}": {LAW: None} for end in ("from", "to")}
    for name in NETWORKS:
        trained = learned.get(name)
        numbers: list[float | None] = [None] * len(found)
        if trained is not None and trained.weights.shape[1] > snapshot:
            ratios = participation_ratio(trained.weights[:, snapshot]).mean(axis=0)[list(units)]
            measured = distance(view, trained.weights)
            band = (None, None) if measured is None else (float(measured.low[snapshot]), float(measured.high[snapshot]))
            numbers = [float(trained.losses[:, snapshot].mean()), *ratios.tolist(), *band]
        for row, number in zip(found.values(), numbers, strict=True):
            row[name] = number
    return [{QUANTITY: what, **values} for what, values in found.items()]


def csv(view: FieldView, snapshot: int, learned: dict[str, Learned]) -> str:
    """The figure's numbers as comma-separated values, one number a row.

    The fields of every unit at one time; loss, participation ratios and distances at every time. A standard error
    where a mean over networks was taken; of the distance, the ends of its band.
    """
    found = [_row("w", LAW, view.times[snapshot], *place) for place in _places(view.descent[snapshot])]
    flow, end = view.solution.weights[snapshot], view.solution.fixed_point
    found += [_row("w", "gradient flow", view.times[snapshot], *place) for place in _places(flow)]
    found += [_row("w", "at infinity", np.inf, *place) for place in _places(end)]
    found += _curves(view, LAW, view.losses, view.ratio)
    for name, trained in learned.items():
        found += _trained_rows(view, name, trained, snapshot)
    shape = grid(view.problem.data)
    if shape is not None:
        for row in found:
            row["row"], row["column"] = ("", "") if row["site"] == "" else divmod(row["site"], shape[1])
    return rows_csv(found)


def _row(
    quantity: str, of: str, time: float, unit: int | str, site: int | str, value: float, error: float | str = ""
) -> dict[str, Any]:
    return {
        "quantity": quantity,
        "of": of,
        "t": float(time),
        "unit": unit,
        "site": site,
        "value": float(value),
        "standard error": error,
        "from": "",
        "to": "",
    }


def _places(field: Float[np.ndarray, "K n"]) -> list[tuple[int, int, float]]:
    return [(unit, site, float(field[unit, site])) for unit, site in np.ndindex(field.shape)]


def _curves(view: FieldView, of: str, losses: np.ndarray, ratio: np.ndarray) -> list[dict[str, Any]]:
    found = [_row(LOSS, of, time, "", "", loss) for time, loss in zip(view.times, losses, strict=False)]
    for time, units in zip(view.times, ratio, strict=False):
        found += [_row("IPR", of, time, unit, "", value) for unit, value in enumerate(units)]
    return found


def _trained_rows(view: FieldView, name: str, trained: Learned, snapshot: int) -> list[dict[str, Any]]:
    from sim.measure.receptive_fields import participation_ratio

    def mean(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return values.mean(axis=0), values.std(axis=0, ddof=1) / np.sqrt(len(values))

    found = []
    if trained.weights.shape[1] > snapshot:
        fields, errors = mean(trained.weights[:, snapshot])
        found = [_row("w", name, view.times[snapshot], *place, errors[place[:2]]) for place in _places(fields)]
    ratios, losses = mean(participation_ratio(trained.weights)), mean(trained.losses)
    curves = _curves(view, name, losses[0], ratios[0])
    for row, error in zip(curves, [*losses[1], *ratios[1].ravel()], strict=True):
        row["standard error"] = float(error)
    measured = distance(view, trained.weights)
    if measured is not None:
        ends = zip(measured.times, measured.distance, measured.low, measured.high, strict=True)
        curves += [_row("distance", name, t, "", "", d) | {"from": low, "to": high} for t, d, low, high in ends]
    return found + curves


def python(snapshot: int, unit: int, trained: bool) -> tuple[str, ...]:
    """Lines that print the numbers of the table: of the theory, or after the same training of the networks too."""
    learned = ["from derivations.explore.training import Training"] if trained else []
    run = ["training = Training(rivals(problem))", "training.wait()"] if trained else []
    return (
        "from derivations.answers.compare import field_view",
        f"from derivations.explore.fields import {'rivals, ' if trained else ''}rows",
        *learned,
        "",
        "view = field_view(problem)  # gradient descent, the flow, losses and participation ratios at every time",
        *run,
        f"for row in rows(view, {snapshot}, {'training.progress.learned' if trained else '{}'}, {unit}):",
        "    print(row)",
    )


def latex(view: FieldView, snapshot: int, learned: dict[str, Learned], unit: int = 0) -> str:
    """The numbers of the table."""
    lines = []
    for row in rows(view, snapshot, learned, unit):
        numbers = " & ".join("" if value is None else f"{value:.6g}" for key, value in row.items() if key != QUANTITY)
        name = row[QUANTITY].replace(LOSS, "$\\langle (y - \\hat y)^2 \\rangle$")
        lines.append(f"{name} & {numbers} \\\\")
    head = " & gradient descent & gated linear & ReLU \\\\"
    return "\n".join(["\\begin{tabular}{lrrr}", head, *lines, "\\end{tabular}"])
