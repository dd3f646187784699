"""What the gates view shows: moments through the gates, exact where they are known and measured in any case."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from derivations.explore.data import table_csv
from derivations.explore.drawing import canvas, image, label, legend, marks, style
from theory.moments import gated_moments
from theory.problem import AlwaysGate, Gate, Network, Problem, Simulation, SiteGate, WorkbenchError

MOST_GATES = 4
END = 3.0  # a bound drawn at the end of its slider is no bound
KINDS = ("site", "always")
KEPT = "as given"
REPLICATES = 8
EXAMPLES = 1024  # of each replicate


@dataclass(frozen=True)
class GateView:
    """Moments through K gates of a problem: sigma_yx (K, n) and sigma_xx (K, K, n, n).

    `exact` and `exact_xx` are None where no closed form is known; `refused` then says why, and why there is no exact
    solution: `condition` and `rank` of A, and `mse`, <(y - yhat)^2> at the optimum. `measured` and `errors` are as
    `exact`.
    """

    problem: Problem
    exact: Float[np.ndarray, "K n"] | None
    exact_xx: Float[np.ndarray, "K K n n"] | None
    measured: Float[np.ndarray, "K n"] | None
    errors: Float[np.ndarray, "K n"] | None
    measured_xx: Float[np.ndarray, "K K n n"] | None
    condition: float | None
    rank: int | None
    mse: float | None
    refused: WorkbenchError | None


def gate_of(kind: str, site: int, lo: float, hi: float, on: str, given: Gate | None) -> Gate:
    """The gate that the controls of a unit declare: 1[lo <= v_site < hi], bounds at -+END left out.

    >>> gate_of("site", 4, 0.0, END, "latent", None)
    SiteGate(site=4, lo=Fraction(0, 1), hi=inf, on='latent', sharpness=inf)
    """
    if kind == KEPT and given is not None:
        return given
    if kind == "always":
        return AlwaysGate()
    bounds = {"lo": -inf if lo <= -END else repr(lo), "hi": inf if hi >= END else repr(hi)}
    return SiteGate(site, on=on, **bounds)


def with_gates(problem: Problem, gates: Sequence[Gate]) -> Problem:
    """The problem with these gates, one a unit, in a gated-linear network with the same readout and biases."""
    given = problem.network
    network = Network(Network.gated, given.readout, len(gates), tuple(gates), given.biases)
    return replace(problem, network=network)


def gate_view(problem: Problem, measured: bool = True) -> GateView:
    """The moments of a gated-linear problem; `measured` also asks the simulator. InputError for other networks."""
    from theory.flow import solve

    exact = exact_xx = condition = rank = mse = refused = None
    try:
        moments = gated_moments(problem)
        exact, exact_xx = moments.sigma_yx, moments.sigma_xx
        solution = solve(problem)
        condition, rank, mse = float(solution.condition), solution.rank, float(solution.mse)
    except WorkbenchError as error:
        refused = error
    yx = errors = xx = None
    if measured:
        yx, errors, xx = _measured(problem)
    return GateView(problem, exact, exact_xx, yx, errors, xx, condition, rank, mse, refused)


def _measured(problem: Problem) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    from sim.observe import measure
    from theory.problem import InputMoment, InputOutputMoment

    settings = Simulation("full-batch", EXAMPLES, 1, REPLICATES, 0)
    sampled = replace(problem, simulation=settings)
    through = measure(InputOutputMoment(), sampled, "cpu")
    return through.mean, through.standard_error, measure(InputMoment(), sampled, "cpu").mean


def rows(view: GateView) -> list[dict[str, Any]]:
    """Rows of the table beside the figure."""
    size = view.problem.network.units * view.problem.data.n
    return [
        {"number": "condition of A", "value": view.condition},
        {"number": f"rank of A (of {size}, without biases)", "value": view.rank},
        {"number": "<(y - yhat)^2> at the optimum", "value": view.mse},
    ]


def gates_figure(view: GateView, p: int, q: int) -> Figure:
    """Sigma^xx(p, q) as images and a profile, Sigma^yx of all units."""
    figure = canvas(11.2, 5.6)
    top, bottom = figure.subplots(2, 3)
    known = [matrix for matrix in (view.exact_xx, view.measured_xx) if matrix is not None]
    limit = max(float(np.abs(matrix[p, q]).max()) for matrix in known) or 1.0
    for axis, matrix, how in ((top[0], view.exact_xx, "exact"), (top[1], view.measured_xx, "measured")):
        if matrix is None:
            axis.set_axis_off()
            continue
        label(axis, f"Σxx({p}, {q}), {how} (units of x²)", "site l", "site k")
        image(axis, matrix[p, q], limit)
    _profile(top[2], view, p, q)
    for axis, unit in zip(bottom, range(3), strict=True):
        if unit < view.problem.network.units:
            _through(axis, view, unit)
        else:
            axis.set_axis_off()
    return figure


def _profile(axis: Axes, view: GateView, p: int, q: int) -> None:
    site = view.problem.data.n // 2
    for index, (matrix, how) in enumerate(((view.exact_xx, "exact"), (view.measured_xx, "measured"))):
        if matrix is not None:
            sites = np.arange(matrix.shape[-1])
            look = style(0) if index == 0 else marks(0, len(sites))
            axis.plot(sites, matrix[p, q, site], **look, label=how)
    label(axis, f"its row of site {site}", "site l", "Σxx, units of x²")
    legend(axis)


def _through(axis: Axes, view: GateView, unit: int) -> None:
    sites = np.arange(view.problem.data.n)
    if view.measured is not None:
        axis.errorbar(sites, view.measured[unit], 2 * view.errors[unit], elinewidth=0.7, **_marks(unit, len(sites)))
    if view.exact is not None:
        axis.plot(sites, view.exact[unit], **style(unit))
    axis.axhline(0, color="black", lw=0.4)
    label(axis, f"Σyx({unit}): line exact, marks measured ± 2 errors", "site", "Σyx, units of x y")


def _marks(unit: int, points: int) -> dict[str, Any]:
    """Marks that an error bar takes: it has no `markevery`."""
    return {key: value for key, value in marks(unit, points).items() if key != "markevery"}


def csv(view: GateView, p: int, q: int) -> str:
    """Sigma^yx of every unit and the row of the middle site of Sigma^xx(p, q), as comma-separated values."""
    site = view.problem.data.n // 2
    columns: dict[str, np.ndarray] = {"site": np.arange(view.problem.data.n)}
    for how, yx, xx in (("exact", view.exact, view.exact_xx), ("measured", view.measured, view.measured_xx)):
        if yx is not None:
            columns |= {f"sigma_yx of unit {unit}, {how}": row for unit, row in enumerate(yx)}
            columns[f"sigma_xx({p}, {q}) in the row of site {site}, {how}"] = xx[p, q, site]
    return table_csv(columns)


PYTHON = (
    "from theory.flow import solve",
    "from theory.moments import gated_moments",
    "",
    "moments = gated_moments(problem)",
    "print(moments.sigma_yx)  # (K, n)",
    "print(moments.sigma_xx.shape)  # (K, K, n, n)",
    "print(solve(problem).condition)",
)


def latex(view: GateView) -> str:
    """Definitions of the moments and the numbers of the view."""
    lines = [f"{_escaped(row['number'])} & {row['value']:.10g} \\\\" for row in rows(view) if row["value"] is not None]
    table = "\n".join(["\\begin{tabular}{lr}", *lines, "\\end{tabular}"])
    return (
        "\\[ \\Sigma^{yx}(p) = \\langle g_p\\, y\\, x \\rangle, \\qquad "
        "\\Sigma^{xx}(p, q) = \\langle g_p\\, g_q\\, x x^\\top \\rangle \\]\n\n" + table
    )


def _escaped(text: str) -> str:
    return text.replace("^", "\\^{}").replace("<", "$\\langle$").replace(">", "$\\rangle$")
