"""The gates view as data: a gate on weights that the reader draws, or the moments through the gates of the problem."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Float

from derivations.answers.compare import require_one_output
from derivations.explore import gates, inspector
from derivations.explore.controls import whole_of
from derivations.explore.laws import legends
from derivations.explore.problems import carried, read
from derivations.explore.sites import grid, panels, through
from derivations.explore.tables import page_table, python_code
from derivations.explore.wire import packed
from derivations.statistics.alignment import middle
from theory.problem import AlwaysGate, GatedGraph, InputError, Network, OutOfReachError, Problem, dumps
from theory.problem.gates.base import sites_of as looked_sites

WEIGHTS, GATES = "weights", "gates"
_SHOWN = 3  # units whose moments stand side by side


def answer(problem: Problem, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part settings["part"]: the inspector of a gate, or the moments through all gates.

    With settings["sample"] samples stand beside the formulas. Raises OutOfReachError for graphs, and for labels of
    several numbers.
    """
    if isinstance(problem.network, GatedGraph):
        raise OutOfReachError("The network of the problem is a gated graph.", "The view Graph shows its gates.")
    require_one_output(problem, "The gates view draws")
    inspects = settings.get("part", WEIGHTS) == WEIGHTS
    if "want" in settings:
        return {"text": _text(problem, settings, inspects, settings["want"])}
    return (inspector_page if inspects else gates_page)(problem, settings)


def inspected(problem: Problem, settings: Mapping[str, Any], sample: bool) -> inspector.Inspection:
    """The gate on the weights of the settings; weights of another number of sites give way to those of the start."""
    law = problem.data
    c = min(whole_of(settings.get("class", 0), "class"), law.classes - 1)
    drawn = settings.get("w")
    if isinstance(drawn, list) and len(drawn) == law.n:
        return inspector.inspect(law, c, np.asarray(drawn, float), sample)
    return inspector.inspect(law, c, inspector.preset(settings.get("preset", inspector.PRESETS[0]), law), sample)


def inspector_page(problem: Problem, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the weights, the moments by formula and from samples, and why a formula is missing."""
    view = inspected(problem, settings, bool(settings.get("sample")))
    reasons = dict.fromkeys(f"{error.message} {error.hint}" for error in view.refused.values())
    return {
        "part": WEIGHTS,
        "classes": list(legends(view.law)),
        "class": view.c,
        "shape": grid(view.law),
        "presets": list(inspector.PRESETS),
        "w": view.w,
        "moments": [
            {"name": name, "values": moment.value, "exact": moment.exact, "regime": moment.regime}
            for name, moment in view.moments.items()
        ],
        "measured": view.measured,
        "errors": view.errors,
        "opened": view.opened,
        "missing": list(reasons),
        "table": page_table(
            inspector.rows(view), {"from samples": {"unit": "x", "digits": 3}, "in standard errors": {"digits": 3}}
        ),
    }


def gated(problem: Problem, settings: Mapping[str, Any]) -> Problem:
    """The gated-linear problem that the view shows: the present one, or that of the gates chosen for its data.

    settings["moved"] = {"unit", "what", "value"} moves one control of one gate, or with "what" = "units" their number.
    """
    is_gated = problem.one_layer.model == Network.gated
    if is_gated:
        shown = problem
    elif settings.get("chosen"):
        shown, _ = carried(read(settings["chosen"]), problem.data)
    else:
        count = min(problem.network.units, gates.MOST_ADOPTED)
        shown = gates.with_gates(problem, [AlwaysGate()] * count)
    moved = settings.get("moved")
    return _moved(shown, moved) if moved else shown


def _moved(problem: Problem, moved: Mapping[str, Any]) -> Problem:
    what, value, now = moved.get("what"), moved.get("value"), list(problem.network.gates)
    if what == "units":
        count = whole_of(value, "units")
        return gates.with_gates(problem, [*now[:count], *[AlwaysGate()] * (count - len(now))])
    unit = whole_of(moved.get("unit"), "unit")
    if not 0 <= unit < len(now):
        raise InputError(f"There is no gate {unit}.", "Load the page again.", "unit")
    parts = controls_of(problem, unit) | {what: value}
    on = "latent" if problem.data.latent else "input"
    ends = (float(parts[end]) for end in ("lo", "hi"))
    now[unit] = gates.gate_of(parts["kind"], int(parts["site"]), *ends, on, now[unit])
    return gates.with_gates(problem, now)


def controls_of(problem: Problem, unit: int) -> dict[str, Any]:
    """Kind, site and bounds at which the controls of a gate stand; an unbounded end is at its slider's end."""
    gate = problem.network.gates[unit]
    low, high = (min(gates.END, max(-gates.END, float(getattr(gate, end, 0)))) for end in ("lo", "hi"))
    bounds = (low, high) if low < high else (0.0, gates.END)
    return {
        "kind": gate.kind if gates.has_controls(gate) else gates.KEPT,
        "site": next(iter(looked_sites(gate)), problem.data.n // 2),
        "lo": bounds[0],
        "hi": bounds[1],
    }


def gates_page(problem: Problem, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return second moments of two units, moments of units with the label, and the gates with their controls."""
    shown = gated(problem, settings)
    view = gates.gate_view(shown, measured=bool(settings.get("sample")))
    units = len(shown.network.gates)
    p, q = (min(whole_of(settings.get(key, 0), key), units - 1) for key in ("p", "q"))
    is_gated = problem.one_layer.model == Network.gated
    said = [] if is_gated else [_keeps_its_network(problem)]
    refused = [] if view.refused is None else [f"{view.refused.message} {view.refused.hint}"]
    return {
        "part": GATES,
        "toml": dumps(shown),
        "own": is_gated,
        "p": p,
        "q": q,
        "gates": [
            controls_of(shown, unit) | {"simple": gates.has_controls(shown.network.gates[unit])}
            for unit in range(units)
        ],
        "most": max(gates.MOST_GATES, units),
        "end": gates.END,
        "sites": shown.data.n,
        **_moments(view, p, q),
        "missing": [*said, *gates.remarks(view, p), *refused],
        "table": page_table(gates.rows(view)),
    }


def _moments(view: gates.GateView, p: int, q: int) -> dict[str, Any]:
    """Return the data of the figures: matrices on a line; on a grid the second moments of a site with the rest."""
    law, shape = view.problem.data, grid(view.problem.data)
    site = middle(law) if shape is None else gates.looked_at(view.problem, p)
    kept = slice(None) if shape is None else through(site, shape)
    matrices = view.second_moments(p, q)
    units = panels(view.problem.network.units, p, _SHOWN) if shape is None else range(p, p + 1)
    return {
        "shape": shape,
        "site": site,
        "row": None if shape is None else site // shape[1],
        "xx": {how: packed(_drawn(matrix, site, shape)) for how, matrix in matrices.items()},
        "profile": {how: matrix[site, kept] for how, matrix in matrices.items()},
        "yx": [{"unit": unit, **_through(view, unit, kept)} for unit in units],
        "images": {}
        if shape is None
        else {
            how: packed(rows[p].reshape(shape))
            for how, rows in zip(gates.HOW, (view.exact, view.measured), strict=True)
            if rows is not None
        },
    }


def _drawn(matrix: Float[np.ndarray, "n n"], site: int, shape: tuple[int, int] | None) -> Float[np.ndarray, "r c"]:
    return matrix if shape is None else matrix[site].reshape(shape)


def _through(view: gates.GateView, unit: int, kept: slice) -> dict[str, Any]:
    arrays = {"exact": view.exact, "measured": view.measured, "errors": view.errors}
    return {name: None if array is None else array[unit, kept] for name, array in arrays.items()}


def _keeps_its_network(problem: Problem) -> str:
    return (
        f'The problem has a network of the model "{problem.network.model}", whose gates depend on its weights. These '
        "are the moments of a gated-linear network on the same data, with the gates chosen here; the problem keeps its "
        "network until you make it gated-linear."
    )


def _text(problem: Problem, settings: Mapping[str, Any], inspects: bool, want: str) -> str:
    """The numbers as comma-separated values, Python that prints them, or LaTeX."""
    if inspects:
        if want == "latex":
            return inspector.LATEX
        view = inspected(problem, settings, sample=want == "csv")
        if want == "csv":
            return inspector.csv(view)
        return python_code(problem, inspector.python(view.c, view.w))
    shown = gated(problem, settings)
    if want == "python":
        return python_code(shown, gates.PYTHON)
    view = gates.gate_view(shown)
    if want == "latex":
        return gates.latex(view)
    return gates.csv(
        view, *(min(whole_of(settings.get(key, 0), key), len(shown.network.gates) - 1) for key in ("p", "q"))
    )
