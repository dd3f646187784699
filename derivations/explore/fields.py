"""What the fields view shows: the fixed point and w(t), networks trained beside them, and how far these are off."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from derivations.explore.data import table_csv
from derivations.explore.drawing import COLOURS, GREY, canvas, label, legend, style
from derivations.explore.training import Learned
from derivations.validity import Meter, meter
from theory.flow import Solution, discrete, solve
from theory.moments.null_levels import flat_ratio, gaussian_ratio, one_site_ratio
from theory.problem import Network, Problem, Simulation, WorkbenchError

MARKS = 24  # of the grid of times
EXAMPLES = 2048  # on which losses are measured
BATCHES = ("32", "64", "128", "256", "512", "1024")
NETWORKS = {"gated-linear": ("o", 1), "relu": ("s", 2)}  # mark, and colour in the palette
_RATE = Fraction(1, 10)


@dataclass(frozen=True)
class FieldView:
    """The exact answer on the grid of times: flow and descent (T, K, n), the loss (T), the participation ratio (T, K).

    `descent` is the law of gradient descent at the learning rate of the training, `solution.weights` that of the flow.
    """

    problem: Problem
    solution: Solution
    descent: Float[np.ndarray, "T K n"]
    ratio: Float[np.ndarray, "T K"]

    @property
    def times(self) -> Float[np.ndarray, " T"]:
        """t at the marks."""
        return np.array([float(time) for time in self.problem.training.times])


def live(problem: Problem, batch: int, replicates: int) -> Problem:
    """The problem as the view trains it: online, MARKS times spaced by their logarithm up to the problem's last one.

    The learning rate is that of its [simulation] table, 1/10 without one; times are whole numbers of steps.
    """
    rate = problem.simulation.learning_rate if problem.simulation is not None else _RATE
    step = problem.training.tau * rate
    last = max(int(problem.training.times[-1] / step), 1)
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
    """The exact answer of a gated-linear problem made by `live`. Raises OutOfReachError as `solve` does."""
    from sim.observe import participation_ratio

    solution = solve(problem)
    return FieldView(problem, solution, discrete(problem).weights, participation_ratio(solution.weights))


def distance(view: FieldView, learned: Learned) -> Meter | None:
    """Distance of networks to the law of gradient descent, with its band; None before the first mark."""
    count = learned.weights.shape[1]
    return meter(view.times[:count], learned.weights, view.descent[:count]) if count else None


def rows(view: FieldView, mark: int, learned: dict[str, Learned]) -> list[dict[str, Any]]:
    """Rows of the table: loss, participation ratio of unit 0 and distance at the mark, exact and trained."""
    from sim.observe import participation_ratio

    found: dict[str, dict[str, Any]] = {
        "<(y - yhat)^2>": {"exact": float(view.solution.losses[mark])},
        "IPR of unit 0": {"exact": float(view.ratio[mark, 0])},
        "distance to theory": {"exact": 0.0},
    }
    for name in NETWORKS:
        trained = learned.get(name)
        reached = trained is not None and trained.weights.shape[1] > mark
        found["<(y - yhat)^2>"][name] = float(trained.losses[:, mark].mean()) if reached else None
        found["IPR of unit 0"][name] = (
            float(participation_ratio(trained.weights[:, mark, 0]).mean()) if reached else None
        )
        measured = _measured(view, trained) if reached else None
        found["distance to theory"][name] = None if measured is None else float(measured.distance[mark])
    return [{"number": what, **values} for what, values in found.items()]


def _measured(view: FieldView, learned: Learned) -> Meter | None:
    """The distance, or None where it is undefined, as for a prediction that is zero."""
    try:
        return distance(view, learned)
    except WorkbenchError:
        return None


def fields_figure(view: FieldView, mark: int, learned: dict[str, Learned]) -> Figure:
    """The fields at one time above; loss, participation ratio with its null levels, and distance against time below."""
    figure = canvas(11.2, 5.6)
    top, bottom = figure.subplots(2, 3)
    units = view.problem.network.units
    for unit, axis in enumerate(top):
        if unit < units:
            _field(axis, view, mark, unit, learned)
        else:
            axis.set_axis_off()
    _losses(bottom[0], view, learned)
    _ratios(bottom[1], view, learned)
    _distances(bottom[2], view, learned)
    for axis in bottom:
        axis.axvline(np.log10(view.times[mark]), color=GREY, lw=0.8)
    return figure


def _field(axis: Axes, view: FieldView, mark: int, unit: int, learned: dict[str, Learned]) -> None:
    sites = np.arange(view.problem.data.n)
    axis.plot(sites, view.solution.fixed_point[unit], color=GREY, lw=1.0, ls=":", label="w(∞)")
    axis.plot(sites, view.solution.weights[mark, unit], **style(0), label="w(t), flow")
    for name, trained in learned.items():
        if trained.weights.shape[1] > mark:
            axis.plot(sites, trained.weights[:, mark, unit].mean(axis=0), **_marked(name), label=f"{name}, trained")
    label(axis, f"field of unit {unit} at t = {view.times[mark]:.4g}", "site", "weight, 1/(units of x)")
    legend(axis)


def _marked(name: str) -> dict[str, Any]:
    mark, colour = NETWORKS[name]
    return {"ls": "", "marker": mark, "ms": 3.5, "mfc": "white", "mew": 0.9, "color": COLOURS[colour]}


def _losses(axis: Axes, view: FieldView, learned: dict[str, Learned]) -> None:
    x = np.log10(view.times)
    axis.axhline(float(view.solution.mse), color=GREY, lw=1.0, ls=":")
    axis.plot(x, view.solution.losses, **style(0))
    for name, trained in learned.items():
        axis.plot(x[: trained.losses.shape[1]], trained.losses.mean(axis=0), **_marked(name))
    label(axis, "loss ⟨(y − ŷ)²⟩; dotted: its least value", "log₁₀ t", "units of y²")


def _ratios(axis: Axes, view: FieldView, learned: dict[str, Learned]) -> None:
    from sim.observe import participation_ratio

    x, n = np.log10(view.times), view.problem.data.n
    levels = {"flat": flat_ratio(n), "random": gaussian_ratio(n), "one site": one_site_ratio()}
    for index, (name, level) in enumerate(levels.items()):
        axis.axhline(float(level), color=GREY, lw=0.9, ls=("-", "--", ":")[index], label=f"null level: {name}")
    axis.plot(x, view.ratio[:, 0], **style(0))
    for name, trained in learned.items():
        ratio = participation_ratio(trained.weights[:, :, 0]).mean(axis=0)
        axis.plot(x[: len(ratio)], ratio, **_marked(name))
    axis.set_ylim(0, 1.05)
    label(axis, "participation ratio of unit 0", "log₁₀ t", "IPR (no unit)")
    legend(axis)


def _distances(axis: Axes, view: FieldView, learned: dict[str, Learned]) -> None:
    for name, trained in learned.items():
        measured = _measured(view, trained)
        if measured is None:
            continue
        x = np.log10(measured.times)
        colour = COLOURS[NETWORKS[name][1]]
        axis.fill_between(x, measured.low, np.minimum(measured.high, _most(measured)), color=colour, alpha=0.2, lw=0)
        axis.plot(x, measured.distance, **_marked(name), label=name)
    axis.set_xlim(np.log10(view.times[0]), np.log10(view.times[-1]))
    axis.set_ylim(bottom=0)
    label(axis, "distance to theory, with its 99 % band", "log₁₀ t", "|E w − theory|/|theory|")
    if learned:
        legend(axis)


def _most(measured: Meter) -> float:
    """Where the band is drawn to: what is unbounded where noise hides the distance would leave no room for the rest."""
    return 2 * float(measured.plain.max())


def csv(view: FieldView, mark: int, learned: dict[str, Learned]) -> str:
    """The fields at one time: flow, fixed point and the trained means, as comma-separated values."""
    columns: dict[str, np.ndarray] = {"site": np.arange(view.problem.data.n)}
    for unit in range(view.problem.network.units):
        columns[f"w of unit {unit} at t = {view.times[mark]:.6g}"] = view.solution.weights[mark, unit]
        columns[f"w of unit {unit} at infinity"] = view.solution.fixed_point[unit]
        for name, trained in learned.items():
            if trained.weights.shape[1] > mark:
                columns[f"{name} unit {unit}, mean trained"] = trained.weights[:, mark, unit].mean(axis=0)
    return table_csv(columns)


PYTHON = (
    "from sim.train import train",
    "from theory.flow import solve",
    "",
    "solution = solve(problem)",
    "print(solution.losses, solution.mse)",
    'run = train(problem, "cpu")',
    "print(abs(run.weights.mean(axis=0) - solution.weights).max())",
)


def latex(view: FieldView, mark: int, learned: dict[str, Learned]) -> str:
    """The numbers of the table."""
    lines = []
    for row in rows(view, mark, learned):
        numbers = " & ".join("" if value is None else f"{value:.6g}" for key, value in row.items() if key != "number")
        name = row["number"].replace("<(y - yhat)^2>", "$\\langle (y - \\hat y)^2 \\rangle$")
        lines.append(f"{name} & {numbers} \\\\")
    head = " & exact & gated linear & ReLU \\\\"
    return "\n".join(["\\begin{tabular}{lrrr}", head, *lines, "\\end{tabular}"])
