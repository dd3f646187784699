"""What the gates view shows: moments through the gates, exact where they are known and measured in any case."""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import lru_cache
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes

from derivations.explore.data import middle, sites_of, table_csv
from derivations.explore.drawing import canvas, image, label, legend, marks, on_grid, panels, style, through
from derivations.explore.paper import Sheet
from theory.moments import gated_moments
from theory.problem import AlwaysGate, Gate, Law, Network, Problem, SiteGate, WorkbenchError
from theory.problem.gates import resolved

if TYPE_CHECKING:
    import torch

    from sim.data.sample import Draw

MOST_GATES = 4
MOST_ADOPTED = 12  # of the units of a network that gates itself
END = 3.0  # a bound drawn at the end of its slider is no bound
KINDS = ("site", "always")
KEPT = "as given"
HOW = ("exact", "measured")
REPLICATES = 8
EXAMPLES = 1024  # of each replicate


@dataclass(frozen=True)
class GateView:
    """Moments through K gates of a problem: sigma_yx (K, n) and sigma_xx (K, K, n, n).

    `exact` and `exact_xx` are None where no closed form is known; `refused` then says why, and why there is no exact
    solution: `condition` and `rank` of A, and `mse`, <(y - yhat)^2> at the optimum. `measured` and `errors` are as
    `exact`, None where the simulator was not asked.
    """

    problem: Problem
    exact: Float[np.ndarray, "K n"] | None
    exact_xx: Float[np.ndarray, "K K n n"] | None
    measured: Float[np.ndarray, "K n"] | None
    errors: Float[np.ndarray, "K n"] | None
    condition: float | None
    rank: int | None
    mse: float | None
    refused: WorkbenchError | None

    def second_moments(self, p: int, q: int) -> dict[str, Float[np.ndarray, "n n"]]:
        """Sigma^xx(p, q), exact and measured as far as they are there."""
        found = {} if self.exact_xx is None else {"exact": self.exact_xx[p, q]}
        return found if self.measured is None else found | {"measured": _measured_xx(self.problem, p, q)}


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


def gates_of(problem: Problem, values: Mapping[str, Any], moved: Set[str]) -> list[Gate]:
    """The gates that the controls declare; a unit none of whose controls has moved keeps the gate that it has."""
    on = "latent" if problem.data.latent else "input"
    given = problem.network.gates
    gates: list[Gate] = []
    for unit in range(values["units"]):
        kind, site, ends = (values[f"{what}.{unit}"] for what in ("kind", "site", "range"))
        old = given[unit] if unit < len(given) else None
        still = old is not None and not {f"kind.{unit}", f"site.{unit}", f"range.{unit}"} & moved
        gates.append(old if still else gate_of(kind, site, *ends, on, old))
    return gates


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
    yx, errors = _measured_yx(problem) if measured else (None, None)
    return GateView(problem, exact, exact_xx, yx, errors, condition, rank, mse, refused)


@lru_cache(maxsize=1)
def _examples(law: Law) -> "tuple[Draw, ...]":
    """Examples of each replicate, the ones that `measure` draws; a gate that moves meets the same."""
    import torch

    from sim.data.sample import prepare
    from sim.random.streams import MEASUREMENT, stream
    from sim.training.backends.choice import fastest_normals

    cpu = torch.device("cpu")
    sampler, fill = prepare(law, cpu, torch.float64), fastest_normals(cpu)
    streams = (stream(0, replicate, MEASUREMENT, fill=fill) for replicate in range(REPLICATES))
    return tuple(sampler.draw([own], EXAMPLES) for own in streams)


def _measured_yx(problem: Problem) -> tuple[np.ndarray, np.ndarray]:
    """The mean over replicates of <g_k y x>, and its standard error."""
    found = []
    for values, drawn in _through_gates(problem):
        found.append(((values * drawn.y[0]) @ drawn.x[0]).numpy() / EXAMPLES)
    return np.mean(found, axis=0), np.std(found, axis=0, ddof=1) / np.sqrt(REPLICATES)


def _measured_xx(problem: Problem, p: int, q: int) -> Float[np.ndarray, "n n"]:
    """The mean over replicates of <g_p g_q x x^T>."""
    found = []
    for values, drawn in _through_gates(problem):
        left, right = (values[unit][:, None] * drawn.x[0] for unit in (p, q))
        found.append((left.T @ right).numpy() / EXAMPLES)
    return np.mean(found, axis=0)


def _measured_conditioning(problem: Problem) -> tuple[float, int]:
    """Largest over smallest eigenvalue of the measured A that rounding tells from 0, and how many these are."""
    gated = [(values[:, :, None] * drawn.x[0]).numpy() for values, drawn in _through_gates(problem)]
    inputs = np.concatenate(gated, axis=1).transpose(1, 0, 2).reshape(REPLICATES * EXAMPLES, -1)
    lam = np.linalg.eigvalsh(inputs.T @ inputs / len(inputs))
    lam = lam[lam > len(lam) * np.finfo(float).eps * lam[-1]]
    return float(lam[-1] / lam[0]) if len(lam) else np.inf, len(lam)


def _through_gates(problem: Problem) -> "Iterator[tuple[torch.Tensor, Draw]]":
    from sim.gates.gating import gate_values, gates_of

    for drawn in _examples(problem.data):
        yield gate_values(gates_of(problem.network), drawn)[0], drawn


def rows(view: GateView) -> list[dict[str, Any]]:
    """Rows of the table beside the figure; where nothing is exact, condition and rank of the measured A."""
    size = view.problem.network.units * view.problem.data.n
    how, condition, rank = "", view.condition, view.rank
    if condition is None and view.measured is not None:
        how, (condition, rank) = f", measured on {REPLICATES * EXAMPLES} examples", _measured_conditioning(view.problem)
    return [
        {"number": f"condition of A{how}", "value": condition},
        {"number": f"rank of A (of {size}, without biases){how}", "value": rank},
        {"number": "<(y - yhat)^2> at the optimum", "value": view.mse},
    ]


def looked_at(problem: Problem, unit: int) -> int:
    """The first site that the gate of a unit looks at; the middle one where it looks at none."""
    sites = getattr(resolved(problem.network.gates)[unit], "sites", ())
    return sites[0] if sites else middle(problem.data)


def remarks(view: GateView, p: int) -> tuple[str, ...]:
    """What is not to be seen in the figure, where unit `p` is chosen: a note each, in words."""
    problem = view.problem
    law, gates, shape = problem.data, problem.network.gates, getattr(problem.data, "shape", None)
    found = []
    sites = {unit: gate.site for unit, gate in enumerate(gates) if isinstance(gate, SiteGate)}
    if shape is not None and sites:
        places = (f"gate {unit} at row {site // shape[1]}, column {site % shape[1]}" for unit, site in sites.items())
        found.append(f"On the grid of {shape[0]} rows and {shape[1]} columns these look: {'; '.join(places)}.")
    drawn = panels(len(gates), p) if shape is None else range(p, p + 1)
    if len(drawn) < len(gates):
        which = f"units {drawn[0]} to {drawn[-1]}" if len(drawn) > 1 else f"unit {p}"
        found.append(f"Σyx is drawn of {which} of the units 0 to {len(gates) - 1}; p chooses.")
    outside = [unit for unit, gate in enumerate(gates) if isinstance(gate, SiteGate) and gate.on == "input"]
    if law.latent and outside:
        found.append(
            f"{_units('Gate', outside)} on the input, although the law {law.law} has a latent, at which a gate looks "
            "again once one of its controls moves."
        )
    shut = never_open(view)
    return (*found, f"{_units('Gate', shut)} shut for every input of this law.") if shut else tuple(found)


def _units(what: str, units: Sequence[int]) -> str:
    return f"{what} {units[0]} is" if len(units) == 1 else f"{what}s {', '.join(map(str, units))} are"


def never_open(view: GateView) -> list[int]:
    """The units whose exact moments say that no input passes: <g_k x_j^2> = 0 and <g_k y x_j> = 0 at all sites."""
    if view.exact is None:
        return []
    units = range(len(view.exact))
    return [unit for unit in units if not view.exact[unit].any() and not np.diagonal(view.exact_xx[unit, unit]).any()]


def gates_figure(view: GateView, p: int, q: int) -> Sheet:
    """Sigma^xx(p, q) as images and a profile, Sigma^yx; on a grid both as images over it, and along a row."""
    figure = canvas(11.2, 5.6, 2, 3)
    top, bottom = figure.grid
    shape = getattr(view.problem.data, "shape", None)
    if shape is not None:
        _grid_figure(top, bottom, view, p, q, shape)
        return figure
    matrices = view.second_moments(p, q)
    limit = _limit(matrices)
    for axis, how in zip(top, HOW, strict=False):
        if how in matrices:
            label(axis, f"Σxx({p}, {q}), {how} (units of x²)", "site l", "site k")
            image(axis, matrices[how], limit)
        else:
            axis.set_axis_off()
    site = view.problem.data.n // 2
    _profile(top[2], f"its row of site {site}", "site l", {how: matrix[site] for how, matrix in matrices.items()})
    units = panels(view.problem.network.units, p)
    for axis, unit in zip(bottom, units, strict=False):
        _through(axis, view, unit)
    for axis in bottom[len(units) :]:
        axis.set_axis_off()
    return figure


def _limit(known: Mapping[str, np.ndarray]) -> float:
    return max(float(np.abs(matrix).max()) for matrix in known.values()) or 1.0


def _grid_figure(top: np.ndarray, bottom: np.ndarray, view: GateView, p: int, q: int, shape: tuple[int, int]) -> None:
    site = looked_at(view.problem, p)
    row, kept = site // shape[1], through(site, shape)
    xx = {how: matrix[site] for how, matrix in view.second_moments(p, q).items()}
    yx = {how: rows[p] for how, rows in zip(HOW, (view.exact, view.measured), strict=True) if rows is not None}
    title = f"Σxx({p}, {q}) with site {site}"
    for axes, name, fields, units in ((top, title, xx, "x²"), (bottom, f"Σyx({p})", yx, "x y")):
        limit = _limit(fields)
        for axis, how in zip(axes, HOW, strict=False):
            if how in fields:
                on_grid(axis, f"{name}, {how} (units of {units})", fields[how], shape, limit)
            else:
                axis.set_axis_off()
    _profile(top[2], f"{title}, along row {row}", "column", {how: field[kept] for how, field in xx.items()})
    _through(bottom[2], view, p, kept, f" along row {row}")


def _profile(axis: Axes, title: str, along: str, known: Mapping[str, np.ndarray]) -> None:
    for how, field in known.items():
        look = style(0) if how == "exact" else marks(0, len(field))
        axis.plot(np.arange(len(field)), field, **look, label=how)
    label(axis, title, along, "Σxx, units of x²")
    legend(axis)


def _through(axis: Axes, view: GateView, unit: int, kept: slice = slice(None), along: str = "") -> None:
    """Sigma^yx of a unit at the sites that are kept."""
    sites = np.arange(view.problem.data.n)[kept]
    sites = sites - sites[0]
    if view.measured is not None:
        error = 2 * view.errors[unit, kept]
        axis.errorbar(sites, view.measured[unit, kept], error, elinewidth=0.7, **_marks(unit, len(sites)))
    if view.exact is not None:
        axis.plot(sites, view.exact[unit, kept], **style(unit))
    axis.axhline(0, color="black", lw=0.4)
    label(axis, f"Σyx({unit}){along}: line exact, marks ± 2 errors", "column" if along else "site", "Σyx, units of x y")


def _marks(unit: int, points: int) -> dict[str, Any]:
    """Marks that an error bar takes: it has no `markevery`."""
    return {key: value for key, value in marks(unit, points).items() if key != "markevery"}


def csv(view: GateView, p: int, q: int) -> str:
    """Sigma^yx of every unit and the rows of Sigma^xx(p, q), a column each, as comma-separated values."""
    columns = sites_of(view.problem.data)
    matrices = view.second_moments(p, q)
    for how, yx in zip(HOW, (view.exact, view.measured), strict=True):
        if yx is not None:
            columns |= {f"sigma_yx of unit {unit}, {how}": row for unit, row in enumerate(yx)}
            columns |= {f"sigma_xx({p}, {q}) with site {site}, {how}": row for site, row in enumerate(matrices[how])}
    return table_csv(columns)


PYTHON = (
    "from theory.flow import solve",
    "from theory.moments import gated_moments",
    "",
    "moments = gated_moments(problem)",
    "print(moments.sigma_yx)  # (K, n)",
    "print(moments.sigma_xx.shape)  # (K, K, n, n)",
    "solution = solve(problem)",
    "print(solution.condition, solution.rank, solution.mse)",
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
