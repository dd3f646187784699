"""The small-bump problem and its controls: laws of the inputs that differ in one statistic, as a table and a figure."""

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from derivations.experiments.folders import problem_named
from derivations.experiments.model import Data
from derivations.markdown import table
from theory.flow import Solution, solve
from theory.moments import gated_moments
from theory.moments.controls import controls
from theory.moments.inputs import InputStatistics, input_statistics
from theory.problem import Problem

NAME = "small-bump"
CAPTION = (
    "The small-bump problem and its four controls. Left: the density of one input, that of class 1. Right: the field "
    r"$w(\infty)$ of the unit that is open for $z_i \geq 0$, around its site. The first three laws have the same "
    "covariance in both classes."
)
_BESIDE = 4  # sites shown on either side of the gate
_REACH, _POINTS = 4.0, 161  # of the densities
_TITLES = {
    "original": "erf",
    "gaussian": "Gaussian",
    "marginal": "Laplace",
    "copula": "exponential latent",
    "exchanged": "classes exchanged",
}


@dataclass(frozen=True)
class Matched:
    """One of the problems: its name, its exact solution, and the statistics of its first class."""

    name: str
    problem: Problem
    solution: Solution
    inputs: InputStatistics


@cache
def matched() -> tuple[Matched, ...]:
    """Return the original and its controls. Gates look at the sign of the input, which is that of the latent."""
    original = problem_named(NAME)
    gates = tuple(replace(gate, on="input") for gate in original.network.gates)
    network = replace(original.network, gates=gates)
    found = {control.name: control.law for control in controls(original.data) if control.name in _TITLES}
    laws = {"original": original.data} | found
    problems = {name: replace(original, data=law, network=network) for name, law in laws.items()}
    return tuple(
        Matched(name, problem, solve(problem), input_statistics(problem.data, 0)) for name, problem in problems.items()
    )


def control_table() -> str:
    """The table of the directive `{laws controls}`."""
    rows = []
    for one in matched():
        site = one.problem.network.gates[0].site
        field = one.solution.fixed_point[0]
        force = gated_moments(one.problem).sigma_yx[0]
        numbers = (
            one.inputs.kurtosis[site],
            one.inputs.covariance[site, site + 1],
            force[site],
            force[site + 1],
            one.solution.mse,
            field[site],
            field[site + 1],
            one.solution.rates.min(),
            one.solution.rates.max(),
        )
        rows.append([_TITLES[one.name], *(f"{float(number):.4f}".replace("-", "−") for number in numbers)])
    heads = ["law", "excess kurtosis", "covariance of neighbours", "$b$ at the site", "beside it", "least loss"]
    heads += [r"$w(\infty)$ at the site", "beside it", "slowest rate", "fastest rate"]
    return table(heads, rows)


def data() -> Data:
    """The densities of one input and the fields, by law."""
    import numpy as np

    x = np.linspace(-_REACH, _REACH, _POINTS)
    site = problem_named(NAME).network.gates[0].site
    window = slice(site - _BESIDE, site + _BESIDE + 1)
    densities, fields = {"x": x.round(12).tolist()}, {"site": list(range(window.start, window.stop))}
    for one in matched():
        title = _TITLES[one.name]
        densities[title] = one.inputs.marginal(site).density(x).round(12).tolist()
        fields[title] = one.solution.fixed_point[0, window].round(12).tolist()
    return {"densities": densities, "fields": fields}


def draw(panels: Data, path: Path, mark: str) -> None:
    """Write the image: densities and fields. Laws of one marginal share a line on the left."""
    from derivations import plots
    from derivations.plots import BLUE, GREEN, GREY, ORANGE, STYLE, plt

    looks = dict(zip(_TITLES.values(), zip((BLUE, ORANGE, GREEN, GREY, "black"), "os^vD", strict=True), strict=True))
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(1, 2, figsize=(8.4, 3.2))
        seen: list[list[float]] = []
        for title, (colour, shape) in looks.items():
            density, field = panels["densities"][title], panels["fields"][title]
            if density not in seen:
                axes[0].plot(panels["densities"]["x"], density, color=colour, lw=1.4, label=title)
                seen.append(density)
            axes[1].plot(panels["fields"]["site"], field, f"-{shape}", color=colour, ms=3.5, lw=1, label=title)
        axes[1].axhline(0, color="black", lw=0.5)
        axes[0].set(xlabel="input $x_i$", ylabel="density")
        axes[1].set(xlabel="site $j$", ylabel=r"weight $w_j(\infty)$")
        for axis in axes:
            axis.legend(fontsize=7, frameon=False)
    plots.save(figure, path, mark)
