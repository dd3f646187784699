"""What the fields view shows: the fixed point and w(t), networks trained beside them, and how far these are off."""

from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes

from derivations.explore.data import rows_csv
from derivations.explore.drawing import COLOURS, GREY, canvas, label, legend, on_grid, panels, style, through
from derivations.explore.gates import MOST_GATES, looked_at
from derivations.explore.paper import Sheet
from derivations.explore.training import Learned
from derivations.statistics.validity import Meter, meter
from theory.flow import Solution, discrete, mse_at, solve
from theory.flow.linear.convention import convention
from theory.moments import gated_moments
from theory.moments.null_levels import flat_ratio, gaussian_ratio, one_site_ratio, sinusoid_ratio
from theory.problem import InputError, Network, Problem, Simulation, WorkbenchError

MARKS = 24  # of the grid of times
EXAMPLES = 2048  # on which losses are measured
BATCHES = ("32", "64", "128", "256", "512", "1024")
NETWORKS = {"gated-linear": ("o", 1, "///"), "relu": ("s", 2, "...")}  # mark, colour in the palette, hatch of a band
NUMBER = "number"
LOSS = "<(y - yhat)^2>"
LAW = "theory: gradient descent"
_RATE = Fraction(1, 10)


_LEVELS = ("-", "-.", "--", ":")
_ABOVE = 0.7  # of the height of the curves: room for five names above them
_RISE = 2.0  # how far above the largest plain distance the axis goes: a band may have no upper end


@dataclass(frozen=True)
class FieldView:
    """The exact answer on the grid of times: gradient descent (T, K, n), its loss (T), participation ratio (T, K).

    `descent` is the mean of networks trained at the learning rate of the training; loss and ratio are those of this
    mean. `solution` is that of the flow: its weights, and what both come to.
    """

    problem: Problem
    solution: Solution
    descent: Float[np.ndarray, "T K n"]
    losses: Float[np.ndarray, " T"]
    ratio: Float[np.ndarray, "T K"]

    @property
    def times(self) -> Float[np.ndarray, " T"]:
        """t at the marks."""
        return np.array([float(time) for time in self.problem.training.times])


def live(problem: Problem, batch: int, replicates: int) -> Problem:
    """The problem as the view trains it: online, MARKS times spaced by their logarithm up to the problem's last one.

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
    counts = np.unique(np.round(np.geomspace(1, last, MARKS)).astype(int)).tolist()
    training = replace(problem.training, times=tuple(step * count for count in counts))
    settings = Simulation("online", EXAMPLES, rate, replicates, 0, batch=batch)
    return replace(problem, training=training, simulation=settings)


def rivals(problem: Problem) -> dict[str, Problem]:
    """The networks trained side by side: the gated-linear one, and the ReLU network of as many units and biases."""
    given = problem.network
    relu = Network("relu", given.readout, given.units, (), given.biases)
    return {"gated-linear": problem, "relu": replace(problem, network=relu)}


def field_view(problem: Problem) -> FieldView:
    """The exact answer of a gated-linear problem made by `live`.

    Raises OutOfReachError as `solve` does, InputError where steps of this rate overflow.
    """
    from sim.measure.receptive_fields import participation_ratio

    solution, mean = solve(problem), discrete(problem)
    losses = mse_at(gated_moments(problem), mean.weights, float(convention(problem).s), mean.biases)
    return FieldView(problem, solution, mean.weights, losses, participation_ratio(mean.weights))


def distance(view: FieldView, learned: Learned) -> Meter | None:
    """Distance of networks to the law of gradient descent, with its band; None before the first mark."""
    count = learned.weights.shape[1]
    return meter(view.times[:count], learned.weights, view.descent[:count]) if count else None


def null_levels(n: int) -> dict[str, float]:
    """The ratio of fields that have not localized, and of one site alone, by name; see `theory.moments.null_levels`.

    The sinusoid has one period along the sites. On four sites its ratio depends on the phase: there it has no level.
    """
    levels = {"flat": flat_ratio(n), "random": gaussian_ratio(n), "one site": one_site_ratio()}
    with suppress(InputError):
        levels["sinusoid"] = sinusoid_ratio(n, 1)
    return {name: float(level) for name, level in sorted(levels.items(), key=lambda item: item[1])}


def behind(view: FieldView, mark: int, learned: dict[str, Learned]) -> str | None:
    """A sentence for networks that have not reached the time that is shown; None where all have."""
    reached = min((trained.weights.shape[1] for trained in learned.values()), default=0)
    if reached > mark:
        return None
    upto = f"up to t = {view.times[reached - 1]:.4g} (mark {reached - 1})" if reached else "before the first mark"
    return f"Networks are trained {upto}; the time slider stands at t = {view.times[mark]:.4g}."


def rows(view: FieldView, mark: int, learned: dict[str, Learned], unit: int = 0) -> list[dict[str, Any]]:
    """Rows of the table: loss, participation ratio of each unit and distance at the mark, of the law and trained.

    The distance is its band, from its lower to its upper end. Of many units those beside the chosen one are shown.
    """
    from sim.measure.receptive_fields import participation_ratio

    units = panels(view.problem.network.units, unit, MOST_GATES)
    found: dict[str, dict[str, Any]] = {LOSS: {LAW: float(view.losses[mark])}}
    found |= {f"IPR of unit {unit}": {LAW: float(view.ratio[mark, unit])} for unit in units}
    found |= {f"distance to theory, {end}": {LAW: None} for end in ("from", "to")}
    for name in NETWORKS:
        trained = learned.get(name)
        numbers: list[float | None] = [None] * len(found)
        if trained is not None and trained.weights.shape[1] > mark:
            ratios = participation_ratio(trained.weights[:, mark]).mean(axis=0)[list(units)]
            measured = _measured(view, trained)
            band = (None, None) if measured is None else (float(measured.low[mark]), float(measured.high[mark]))
            numbers = [float(trained.losses[:, mark].mean()), *ratios.tolist(), *band]
        for row, number in zip(found.values(), numbers, strict=True):
            row[name] = number
    return [{NUMBER: what, **values} for what, values in found.items()]


def _measured(view: FieldView, learned: Learned) -> Meter | None:
    """The distance, or None where it is undefined, as for a prediction that is zero."""
    try:
        return distance(view, learned)
    except WorkbenchError:
        return None


def fields_figure(view: FieldView, mark: int, learned: dict[str, Learned], unit: int = 0) -> Sheet:
    """The fields at one time above; loss, participation ratio with its null levels, and distance against time below.

    Units beside the chosen one are shown where sites lie on a line; on a grid its field is an image over it.
    """
    figure = canvas(11.2, 5.6, 2, 3)
    top, bottom = figure.grid
    shape = getattr(view.problem.data, "shape", None)
    if shape is None:
        units = panels(view.problem.network.units, unit)
        for axis, one in zip(top, units, strict=False):
            _field(axis, view, mark, one, learned)
        for axis in top[len(units) :]:
            axis.set_axis_off()
        if len(units) < len(top):  # beside the curves nothing is hidden
            top[len(units)].legend(*top[0].get_legend_handles_labels(), loc="center left", frameon=False, fontsize=8)
        else:
            legend(top[0])
    else:
        _images(top, view, mark, unit, learned, shape)
        low, high = top[2].get_ylim()
        top[2].set_ylim(low, high + _ABOVE * (high - low))
        legend(top[2], "upper right")
    _losses(bottom[0], view, learned)
    _ratios(bottom[1], view, learned, unit)
    _distances(bottom[2], view, learned)
    for axis in bottom:
        axis.axvline(np.log10(view.times[mark]), color=GREY, lw=0.8)
    return figure


def _images(
    top: np.ndarray, view: FieldView, mark: int, unit: int, learned: dict[str, Learned], shape: tuple[int, int]
) -> None:
    """w(t) of gradient descent over the grid, beside it what was learned or else w(infinity), and one row of all."""
    site = looked_at(view.problem, unit)
    trained = _means(learned, mark, unit).get("gated-linear")
    other = view.solution.fixed_point[unit] if trained is None else trained
    name = "w(∞)" if trained is None else "gated-linear, trained"
    theory = view.descent[mark, unit]
    limit = max(float(np.abs(theory).max()), float(np.abs(other).max())) or 1.0
    on_grid(top[0], f"w(t) of unit {unit} at t = {view.times[mark]:.4g}, 1/(units of x)", theory, shape, limit)
    on_grid(top[1], f"{name}, unit {unit}, 1/(units of x)", other, shape, limit)
    _field(top[2], view, mark, unit, learned, through(site, shape), f", row {site // shape[1]}")


def _means(learned: dict[str, Learned], mark: int, unit: int) -> dict[str, np.ndarray]:
    """The mean trained field of a unit, of the networks that have reached the mark."""
    reached = {name: trained.weights for name, trained in learned.items() if trained.weights.shape[1] > mark}
    return {name: weights[:, mark, unit].mean(axis=0) for name, weights in reached.items()}


def _field(
    axis: Axes,
    view: FieldView,
    mark: int,
    unit: int,
    learned: dict[str, Learned],
    kept: slice = slice(None),
    where: str = "",
) -> None:
    """The field of a unit at the sites that are kept."""
    theory = view.descent[mark, unit, kept]
    sites = np.arange(len(theory))
    axis.plot(sites, view.solution.fixed_point[unit, kept], color=GREY, lw=1.0, ls=":", label="w(∞)")
    axis.plot(sites, view.solution.weights[mark, unit, kept], color=GREY, lw=1.0, ls="-.", label="gradient flow")
    axis.plot(sites, theory, **style(0), label="gradient descent")
    for name, mean in _means(learned, mark, unit).items():
        axis.plot(sites, mean[kept], **_marked(name), label=f"{name}, mean of networks")
    title = f"field of unit {unit}{where} at t = {view.times[mark]:.4g}"
    label(axis, title, "column" if where else "site", "weight, 1/(units of x)")


def _marked(name: str) -> dict[str, Any]:
    mark, colour, _ = NETWORKS[name]
    return {"ls": "", "marker": mark, "ms": 3.5, "mfc": "white", "mew": 0.9, "color": COLOURS[colour]}


def _losses(axis: Axes, view: FieldView, learned: dict[str, Learned]) -> None:
    x = np.log10(view.times)
    axis.axhline(float(view.solution.mse), color=GREY, lw=1.0, ls=":")
    axis.plot(x, view.losses, **style(0))
    for name, trained in learned.items():
        axis.plot(x[: trained.losses.shape[1]], trained.losses.mean(axis=0), **_marked(name))
    label(axis, "loss ⟨(y − ŷ)²⟩; line: of E w, dotted: least", "log₁₀ t", "units of y²")


def _ratios(axis: Axes, view: FieldView, learned: dict[str, Learned], unit: int) -> None:
    from sim.measure.receptive_fields import participation_ratio

    x = np.log10(view.times)
    for (name, level), dash in zip(null_levels(view.problem.data.n).items(), _LEVELS, strict=False):
        axis.axhline(np.log10(level), color=GREY, lw=0.9, ls=dash)
        where = {"ha": "left", "va": "center", "transform": axis.get_yaxis_transform()}
        behind = {"fc": "white", "ec": "none", "pad": 0.6}  # lines and curves pass under the name
        axis.text(0.01, np.log10(level), name, fontsize=7, zorder=4, bbox=behind, **where)
    axis.plot(x, np.log10(view.ratio[:, unit]), **style(0))
    for name, trained in learned.items():
        ratio = participation_ratio(trained.weights[:, :, unit]).mean(axis=0)
        axis.plot(x[: len(ratio)], np.log10(ratio), **_marked(name), zorder=5)  # over the names of the levels
    axis.set_ylim(top=0.2)  # room for the name of the highest level, log10 1
    label(axis, f"IPR of unit {unit}; line: of E w; null levels", "log₁₀ t", "log₁₀ IPR (no unit)")


def _distances(axis: Axes, view: FieldView, learned: dict[str, Learned]) -> None:
    """The band, hatched; a mark where the unbiased square is positive, and none where noise hides the distance."""
    found = {name: measured for name, trained in learned.items() if (measured := _measured(view, trained)) is not None}
    top = max((_RISE * float(measured.plain.max()) for measured in found.values()), default=1.0)
    cut = False
    for name, measured in found.items():
        _, colour, hatch = NETWORKS[name]
        x = np.log10(measured.times)
        look = {"fc": "none", "ec": COLOURS[colour], "hatch": hatch, "lw": 0.6, "alpha": 0.55}
        axis.fill_between(x, measured.low, np.minimum(measured.high, 2 * top), **look)
        estimated = np.where(measured.distance > 0, measured.distance, np.nan)
        axis.plot(x, estimated, **_marked(name), label=name)
        cut = cut or bool((measured.high > top).any())
    axis.plot(np.log10(view.times[[0, -1]]), [0, 0], color=GREY, lw=0.8)
    axis.set_ylim(0, top)
    if not found:
        axis.text(0.5, 0.5, "Train shows it here", ha="center", transform=axis.transAxes, fontsize=8)
    ends = "; goes on above" if cut else ""
    label(axis, f"distance to theory, 99 % band (hatched{ends})", "log₁₀ t", "|E w − theory|/|theory|")
    if any((measured.distance == 0).any() for measured in found.values()):
        axis.plot([], [], ls="", label="no mark: estimate of the\nsquare below 0")
    if found:
        legend(axis)


def csv(view: FieldView, mark: int, learned: dict[str, Learned]) -> str:
    """What the figure shows as comma-separated values, one number a row.

    The fields of every unit at one time; loss, participation ratios and distances at every time. A standard error
    where a mean over networks was taken; of the distance, the ends of its band.
    """
    found = [_row("w", LAW, view.times[mark], *place) for place in _places(view.descent[mark])]
    flow, end = view.solution.weights[mark], view.solution.fixed_point
    found += [_row("w", "gradient flow", view.times[mark], *place) for place in _places(flow)]
    found += [_row("w", "at infinity", np.inf, *place) for place in _places(end)]
    found += _curves(view, LAW, view.losses, view.ratio)
    for name, trained in learned.items():
        found += _trained_rows(view, name, trained, mark)
    shape = getattr(view.problem.data, "shape", None)
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


def _trained_rows(view: FieldView, name: str, trained: Learned, mark: int) -> list[dict[str, Any]]:
    from sim.measure.receptive_fields import participation_ratio

    def mean(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return values.mean(axis=0), values.std(axis=0, ddof=1) / np.sqrt(len(values))

    found = []
    if trained.weights.shape[1] > mark:
        fields, errors = mean(trained.weights[:, mark])
        found = [_row("w", name, view.times[mark], *place, errors[place[:2]]) for place in _places(fields)]
    ratios, losses = mean(participation_ratio(trained.weights)), mean(trained.losses)
    curves = _curves(view, name, losses[0], ratios[0])
    for row, error in zip(curves, [*losses[1], *ratios[1].ravel()], strict=True):
        row["standard error"] = float(error)
    measured = _measured(view, trained)
    if measured is not None:
        ends = zip(measured.times, measured.distance, measured.low, measured.high, strict=True)
        curves += [_row("distance", name, t, "", "", d) | {"from": low, "to": high} for t, d, low, high in ends]
    return found + curves


def python(mark: int, unit: int, trained: bool) -> tuple[str, ...]:
    """Lines that print the numbers of the table: of the theory, or after the same training of the networks too."""
    learned = ["from derivations.explore.training import Training"] if trained else []
    run = ["training = Training(rivals(problem))", "training.wait()"] if trained else []
    return (
        f"from derivations.explore.fields import field_view, {'rivals, ' if trained else ''}rows",
        *learned,
        "",
        "view = field_view(problem)  # gradient descent, the flow, losses and participation ratios at every time",
        *run,
        f"for row in rows(view, {mark}, {'training.progress.learned' if trained else '{}'}, {unit}):",
        "    print(row)",
    )


def latex(view: FieldView, mark: int, learned: dict[str, Learned], unit: int = 0) -> str:
    """The numbers of the table."""
    lines = []
    for row in rows(view, mark, learned, unit):
        numbers = " & ".join("" if value is None else f"{value:.6g}" for key, value in row.items() if key != NUMBER)
        name = row[NUMBER].replace(LOSS, "$\\langle (y - \\hat y)^2 \\rangle$")
        lines.append(f"{name} & {numbers} \\\\")
    head = " & gradient descent & gated linear & ReLU \\\\"
    return "\n".join(["\\begin{tabular}{lrrr}", head, *lines, "\\end{tabular}"])
