"""Numbers of the gates view: moments through the gates, exact where they are known and measured in any case."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

from derivations.answers.compare import require_one_output
from derivations.answers.examples import drawn
from derivations.explore.limits import WEIGHTS, refuse_many_weights
from derivations.explore.sites import grid, panels, sites_of
from derivations.explore.tables import table_csv
from derivations.statistics.alignment import middle
from theory.moments import gated_moments
from theory.problem import AlwaysGate, Gate, Law, Network, Problem, SiteGate, WorkbenchError
from theory.problem.gates import resolved
from theory.problem.gates.base import looks_on
from theory.problem.gates.base import sites_of as looked_sites

if TYPE_CHECKING:
    import torch

    from sim.data.sample import Draw

MOST_GATES = 4
MOST_ADOPTED = 12  # the most units taken over from a network without gates
END = 3.0  # a bound drawn at the end of its slider is no bound
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
        """Sigma^xx(p, q), exact and measured, as far as they are known."""
        moments = {} if self.exact_xx is None else {"exact": self.exact_xx[p, q]}
        return moments if self.measured is None else moments | {"measured": _measured_xx(self.problem, p, q)}


def gate_of(kind: str, site: int, lo: float, hi: float, on: str, current: Gate | None) -> Gate:
    """The gate that the controls of a unit declare: 1[lo <= v_site < hi], bounds at -+END left out.

    >>> gate_of("site", 4, 0.0, END, "latent", None)
    SiteGate(site=4, lo=Fraction(0, 1), hi=inf, on='latent', sharpness=inf)
    """
    if kind == KEPT and current is not None:
        return current
    if kind == "always":
        return AlwaysGate()
    bounds = {"lo": -inf if lo <= -END else repr(lo), "hi": inf if hi >= END else repr(hi)}
    return SiteGate(site, on=on, **bounds)


def has_controls(gate: Gate) -> bool:
    """Whether kind, site and bounds declare the gate; a gate of another kind is kept as it is given."""
    return isinstance(gate, AlwaysGate) or (isinstance(gate, SiteGate) and gate.sharpness == inf)


def with_gates(problem: Problem, gates: Sequence[Gate]) -> Problem:
    """The problem with these gates, one a unit, in a gated-linear network with the same readout and biases."""
    layer = problem.one_layer
    network = Network(Network.gated, layer.readout, len(gates), tuple(gates), layer.biases)
    return replace(problem, network=network)


def gate_view(problem: Problem, measured: bool = True) -> GateView:
    """The moments of a gated-linear problem; `measured` also asks the simulator. InputError for other networks."""
    from theory.flow import solve

    require_one_output(problem, "The gates view draws")
    exact = exact_xx = condition = rank = mse = refused = None
    try:
        refuse_many_weights(problem)
        moments = gated_moments(problem)
        exact, exact_xx = moments.sigma_yx, moments.sigma_xx
        solution = solve(problem)
        condition, rank, mse = float(solution.condition), solution.rank, float(solution.mse)
    except WorkbenchError as error:
        refused = error
    yx, errors = _measured_yx(problem) if measured else (None, None)
    return GateView(problem, exact, exact_xx, yx, errors, condition, rank, mse, refused)


@lru_cache(maxsize=1)
def examples(law: Law) -> "Draw":
    """Examples of each replicate, the same as in `measure`, so that moved gates are measured on equal examples."""
    return drawn(law, EXAMPLES, networks=REPLICATES)


def _measured_yx(problem: Problem) -> tuple[np.ndarray, np.ndarray]:
    """The mean over replicates of <g_k y x>, and its standard error."""
    replicates = [((values * y) @ x).numpy() / EXAMPLES for values, x, y in _through_gates(problem)]
    return np.mean(replicates, axis=0), np.std(replicates, axis=0, ddof=1) / np.sqrt(REPLICATES)


def _measured_xx(problem: Problem, p: int, q: int) -> Float[np.ndarray, "n n"]:
    """The mean over replicates of <g_p g_q x x^T>."""
    replicates = []
    for values, x, _ in _through_gates(problem):
        left, right = (values[unit][:, None] * x for unit in (p, q))
        replicates.append((left.T @ right).numpy() / EXAMPLES)
    return np.mean(replicates, axis=0)


def _measured_conditioning(problem: Problem) -> tuple[float, int]:
    """Largest over smallest eigenvalue of the measured A above rounding, and the number of these eigenvalues."""
    gated = [(values[:, :, None] * x).numpy() for values, x, _ in _through_gates(problem)]
    inputs = np.concatenate(gated, axis=1).transpose(1, 0, 2).reshape(REPLICATES * EXAMPLES, -1)
    lam = np.linalg.eigvalsh(inputs.T @ inputs / len(inputs))
    lam = lam[lam > len(lam) * np.finfo(float).eps * lam[-1]]
    return float(lam[-1] / lam[0]) if len(lam) else np.inf, len(lam)


def _through_gates(problem: Problem) -> "Iterator[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]":
    """Yield gates (K, B), inputs (B, n) and labels (B) of each replicate."""
    from sim.gates.gating import gate_values, gates_of

    sample = examples(problem.data)
    yield from zip(gate_values(gates_of(problem.one_layer), sample), sample.x, sample.y, strict=True)


def rows(view: GateView) -> list[dict[str, Any]]:
    """Rows of the table beside the figure; where nothing is exact, condition and rank of the measured A."""
    size = view.problem.network.units * view.problem.data.n
    how, condition, rank = "", view.condition, view.rank
    if condition is None and view.measured is not None and size <= WEIGHTS:
        how, (condition, rank) = f", measured on {REPLICATES * EXAMPLES} examples", _measured_conditioning(view.problem)
    return [
        {"quantity": f"condition of A{how}", "value": condition},
        {"quantity": f"rank of A (of {size}, without biases){how}", "value": rank},
        {"quantity": "<(y - yhat)^2> at the optimum", "value": view.mse},
    ]


def looked_at(problem: Problem, unit: int) -> int:
    """Return the first site on which the gate of a unit depends, or the middle site if it depends on none."""
    return next(iter(looked_sites(resolved(problem.network.gates)[unit])), middle(problem.data))


def remarks(view: GateView, p: int) -> tuple[str, ...]:
    """Notes on facts that the figure does not show, where unit `p` is chosen."""
    problem = view.problem
    law, gates, shape = problem.data, problem.network.gates, grid(problem.data)
    notes = []
    sites = {unit: gate.site for unit, gate in enumerate(gates) if isinstance(gate, SiteGate)}
    if shape is not None and sites:
        places = (f"gate {unit} at row {site // shape[1]}, column {site % shape[1]}" for unit, site in sites.items())
        notes.append(f"Sites on the grid of {shape[0]} rows and {shape[1]} columns: {'; '.join(places)}.")
    units = panels(len(gates), p) if shape is None else range(p, p + 1)
    if len(units) < len(gates):
        which = f"units {units[0]} to {units[-1]}" if len(units) > 1 else f"unit {p}"
        notes.append(f"Σyx is drawn for {which} of the units 0 to {len(gates) - 1}; choose p to see others.")
    outside = [unit for unit, gate in enumerate(gates) if has_controls(gate) and looks_on(gate) == "input"]
    if law.latent and outside:
        notes.append(
            f"{_units('Gate', outside)} on the input x, although the law {law.law} has a latent z. A gate whose "
            "controls are moved here is on z."
        )
    shut = never_open(view)
    return (*notes, f"{_units('Gate', shut)} closed for every input of this law.") if shut else tuple(notes)


def _units(what: str, units: Sequence[int]) -> str:
    return f"{what} {units[0]} is" if len(units) == 1 else f"{what}s {', '.join(map(str, units))} are"


def never_open(view: GateView) -> list[int]:
    """The units whose gates never open, by their exact moments: <g_k x_j^2> = 0 and <g_k y x_j> = 0 at all sites."""
    if view.exact is None:
        return []
    units = range(len(view.exact))
    return [unit for unit in units if not view.exact[unit].any() and not np.diagonal(view.exact_xx[unit, unit]).any()]


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
    "from derivations.explore.gates import gate_view, rows",
    "",
    "view = gate_view(problem)",
    "print(view.exact)  # <g_k y x>, (K, n); None where no closed form is known",
    "print(view.measured)  # the same of examples, with the standard errors view.errors",
    "for row in rows(view):",
    "    print(row)",
)


def latex(view: GateView) -> str:
    """Definitions of the moments and the numbers of the view."""
    lines = [
        f"{_escaped(row['quantity'])} & {row['value']:.10g} \\\\" for row in rows(view) if row["value"] is not None
    ]
    table = "\n".join(["\\begin{tabular}{lr}", *lines, "\\end{tabular}"])
    return (
        "\\[ \\Sigma^{yx}(p) = \\langle g_p\\, y\\, x \\rangle, \\qquad "
        "\\Sigma^{xx}(p, q) = \\langle g_p\\, g_q\\, x x^\\top \\rangle \\]\n\n" + table
    )


def _escaped(text: str) -> str:
    return text.replace("^", "\\^{}").replace("<", "$\\langle$").replace(">", "$\\rangle$")
