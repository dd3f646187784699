"""The figures of a validation: the arrays from which each is drawn, and its caption."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from derivations import plots
from derivations.validate.judged import Judged, Validation
from theory.claims.model import Level, Outcome
from theory.flow import solve
from theory.problem import Problem

WEIGHTS, YX, XX = "flow.descent.weights", "moment.site_gate.yx", "moment.site_gate.xx"
_OFFSETS = (0, 1, 2, 4)  # distances from the gate's site at which weights are shown over time
_CURVE_POINTS = 120
_BESIDE = 11  # sites shown on each side of the gate's; beyond them the weights vanish in print
# The outcomes of a level in the order of their gravity, with their colours.
_OUTCOMES = {
    "does not apply": "#e4e7eb",
    "passed": plots.GREEN,
    "undecided": plots.YELLOW,
    "failed": plots.ORANGE,
}
_CODES = {Outcome.SKIPPED: 0, Outcome.PASS: 1, Outcome.INCONCLUSIVE: 2, Outcome.FAIL: 3}


@dataclass(frozen=True)
class Drawing:
    """A figure before it is drawn: file name, caption, the arrays it shows, and how they are drawn."""

    name: str
    caption: str
    arrays: Mapping[str, np.ndarray]
    draw: Callable[[], Figure]


def overview(validation: Validation) -> Drawing:
    """The outcome of every level of every claim: levels as rows, claims as columns in the order of the table."""
    ids = [item.claim.id for item in validation.judged]
    codes = np.array([[_code(item, level) for item in validation.judged] for level in Level])
    return Drawing(
        "outcomes",
        "Every claim of this run (a column) at every level of checking (a row).",
        {"outcome": codes, "claim": np.array(ids)},
        lambda: _outcomes(codes, [name.split(".")[0] for name in ids]),
    )


def _code(item: Judged, level: Level) -> int:
    """The number of the outcome in the order of `_OUTCOMES`; the gravest where a level has several results."""
    return max((_CODES[result.outcome] for result in item.results if result.level is level), default=0)


def _outcomes(codes: np.ndarray, areas: list[str]) -> Figure:
    """Draw the outcomes as colours; a tick stands at the first claim of each area."""
    with plots.plt.rc_context(plots.STYLE):
        figure, axis = plots.plt.subplots(figsize=(10, 2.6))
        axis.imshow(
            codes,
            aspect="auto",
            interpolation="nearest",
            cmap=ListedColormap(list(_OUTCOMES.values())),
            vmin=0,
            vmax=len(_OUTCOMES) - 1,
        )
        first = [at for at, area in enumerate(areas) if at == 0 or areas[at - 1] != area]
        axis.set_xticks(first, [areas[at] for at in first], rotation=60, ha="right", fontsize=7)
        axis.set_yticks(range(len(Level)), [level.value for level in Level])
        axis.set_yticks(np.arange(len(Level) - 1) + 0.5, minor=True)
        axis.grid(which="minor", axis="y", color="white", lw=2)
        axis.tick_params(which="minor", length=0)
        named = [(name, colour) for code, (name, colour) in enumerate(_OUTCOMES.items()) if (codes == code).any()]
        patches = [Patch(color=colour, label=name) for name, colour in named]
        axis.legend(
            handles=patches, loc="lower left", bbox_to_anchor=(0, 1), ncols=len(patches), frameon=False, fontsize=8
        )
    return figure


def drawings(validation: Validation) -> Iterator[Drawing]:
    """Every figure whose data this run has measured."""
    estimates = validation.finding.estimates
    trained = {name.split("/")[1]: data for name, data in estimates.items() if name.startswith(f"{WEIGHTS}/")}
    if trained:
        yield _fields(trained, validation.finding.figures.get("relu_beside", {}))
    if "small-bump" in trained:
        yield _trajectories(trained["small-bump"])
    for name, data in estimates.items():
        if name.startswith(f"{YX}/"):
            yield _input_output(data)
        if name.startswith(f"{XX}/"):
            yield _second_moments(data)
    relu = validation.finding.figures.get("relu_order")
    if relu:
        yield Drawing(
            "relu_order",
            "Receptive fields of trained ReLU networks (two units of the first replicate, turned to the middle): "
            "low-frequency bumps where the class $y = 1$ has the longer correlation, short-range oscillation "
            "otherwise.",
            {f"{title}: {curve}": values for title, curves in relu.items() for curve, values in curves.items()},
            lambda: plots.profiles(relu, "weight"),
        )


def _fields(trained: Mapping[str, Mapping], relu: Mapping[str, np.ndarray]) -> Drawing:
    panels = {}
    site = next(iter(trained.values()))["source"].network.gates[0].site
    window = slice(max(0, site - _BESIDE), site + _BESIDE + 1)
    for name, data in trained.items():
        first, second = (float(xi) for xi in data["source"].data.xi)
        panel = {"theory": data["prediction"][-1], "mean": data["mean"][-1], "error": data["standard_error"][-1]}
        if name in relu:
            panel["relu"] = relu[name]
        panels[rf"$\xi_1 = {first:g}$, $\xi_2 = {second:g}$, $t = {data['times'][-1]:g}$"] = panel
    return Drawing(
        "receptive_fields",
        "Receptive fields of the small-bump problem: prediction (lines), trained gated linear networks (mean and 99 % "
        "interval over replicates), and ReLU networks of the same size trained from the same start (dotted).",
        {f"{title}: {key}": values for title, panel in panels.items() for key, values in panel.items()},
        lambda: plots.receptive_fields(panels, window),
    )


def _trajectories(data: Mapping) -> Drawing:
    times = np.asarray(data["times"])
    site = data["source"].network.gates[0].site
    shown = [site + offset for offset in _OFFSETS]
    curve_times, curves = _flow_curves(data["source"], times, shown)
    arrays = {
        "times": times,
        "curve_times": curve_times,
        "curves": curves,
        "steps": data["prediction"][:, 0, shown].T,
        "mean": data["mean"][:, 0, shown].T,
        "error": data["standard_error"][:, 0, shown].T,
    }
    return Drawing(
        "weight_trajectories",
        "Weights of unit 1 at and beside the gate's site: gradient flow (curves), the exact law of gradient descent in "
        "steps (bars), and trained networks (mean and 99 % interval over replicates).",
        arrays,
        lambda: plots.trajectories(**arrays, labels=[f"site {j}" for j in shown]),
    )


def _flow_curves(problem: Problem, times: np.ndarray, sites: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """The closed-form w(t) of unit 1 on a fine logarithmic grid."""
    grid = np.geomspace(times[0] / 2, times[-1], _CURVE_POINTS)
    exact = tuple(Fraction(float(time)) for time in grid)
    solution = solve(replace(problem, training=replace(problem.training, times=exact)))
    return grid, np.asarray(solution.weights)[:, 0, sites].T


def _input_output(data: Mapping) -> Drawing:
    panels = {
        r"$\Sigma^{yx}(p_1)$": {
            "theory": data["prediction"][0],
            "small-bump (7), without 1/(2 Z)": data["alternatives"]["small-bump (7) without $1/(2 Z)$"][0],
            "simulated mean": data["mean"][0],
        }
    }
    return Drawing(
        "input_output_moment",
        "Input-output correlation through the site gate: theory, the printed (7), and sampled data.",
        panels[r"$\Sigma^{yx}(p_1)$"],
        lambda: plots.profiles(panels, r"$\langle g_1 y x_k \rangle$"),
    )


def _second_moments(data: Mapping) -> Drawing:
    theory, mean = data["prediction"][0, 0], data["mean"][0, 0]
    panels = {
        r"theory $\Sigma^{xx}(p_1,p_1)$": theory,
        "simulated": mean,
        "difference, simulated - theory": mean - theory,
        "small-bump (8) as printed": data["alternatives"]["small-bump (8)"][0, 0],
    }
    return Drawing(
        "input_moment",
        "Second moment through the site gate: theory, sampled data, their difference (own scale), the printed (8).",
        panels,
        lambda: plots.moment_matrices(panels),
    )
