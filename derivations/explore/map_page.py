"""The map view as data: the parameters and quantities to choose from, the map, and the fields at a chosen place."""

from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import Any

from derivations.explore import phase_map
from derivations.explore.phase_map import (
    END,
    EXCESS,
    QUANTITIES,
    PhaseMap,
    Range,
    dots,
    parameters,
    problem_at,
    quantities,
    range_of,
    solved,
    value_at,
)
from derivations.explore.running import JOBS, Job
from derivations.explore.sites import grid
from derivations.explore.tables import python_code
from derivations.explore.wire import packed
from theory.problem import InputError, Problem, WorkbenchError, dumps
from theory.problem.sweep import Cell

SIZE = 24  # values along an axis at first
MOST_FIELDS = 4


def answer(problem: Problem, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the choices of the view, and the fields at the place settings["at"].

    The job `map` computes the map. The CSV has what the job settings["job"] has computed, and says what it has not.
    """
    match settings.get("want"):
        case "python":
            return {"text": python_code(problem, phase_map.python(*choices(problem, settings)))}
        case "csv":
            computed = None if settings.get("job") is None else JOBS.get(str(settings["job"])).state().value
            if computed is None:
                raise InputError("No part of the map is computed yet.", "Compute the map first.", "want")
            return {"text": phase_map.csv(computed)}
        case "latex":
            return {"text": phase_map.latex(*choices(problem, settings)[2:])}
    return page(problem, settings)


def question(problem: Problem, settings: Mapping[str, Any]) -> Hashable:
    """Return all that the map depends on. Raises OutOfReachError for a map that takes too long."""
    x, y, quantity, unit, time = choices(problem, settings)
    phase_map.refuse_long(problem, x, y, quantity)
    return problem, x, y, quantity, unit, time


def run(problem: Problem, settings: Mapping[str, Any], job: Job) -> None:
    """Compute the map that the settings ask for, and publish it after each row; the job keeps it."""

    def report(share: float, computed: PhaseMap | None) -> None:
        job.advance(share)
        if computed is not None:
            job.publish(drawn(computed), computed)

    phase_map.phase_map(problem, *choices(problem, settings), report)


def choices(problem: Problem, settings: Mapping[str, Any]) -> tuple[Range, Range, str, int, str]:
    """The axes, quantity, unit and time that the settings ask for; what they leave open is that of the problem."""
    known = parameters(problem)
    possible = quantities(problem)
    chosen = settings.get("quantity")
    axes = []
    for side in ("x", "y"):
        taken = {axis.field for axis in axes}
        free = [parameter for parameter in known if parameter.field not in taken]
        if not free:
            raise InputError("The problem has fewer than two numbers that a map could vary.", "Take another law.")
        field = settings.get(side)
        axes.append(_range(problem, {each.field: each for each in free}.get(field, free[0]), side, settings))
    unit = min(_whole(settings, "unit", 0), problem.network.units - 1)
    return *axes, chosen if chosen in possible else possible[0], unit, settings.get("time", END)


def _range(problem: Problem, parameter: Any, side: str, settings: Mapping[str, Any]) -> Range:
    """The range of an axis: typed ends replace its own as long as the axis shows the same parameter."""
    start = range_of(parameter, problem, _whole(settings, "size", SIZE))
    if settings.get(side, parameter.field) != parameter.field:
        return start
    low, high = (_number(settings, f"{side}.{end}", getattr(start, end)) for end in ("low", "high"))
    log = {"even": False, "log": True}.get(settings.get(f"{side}.spacing"), start.log)
    try:
        typed = replace(start, low=low, high=high, log=log)
    except InputError as error:
        raise InputError(error.message, error.hint, f"{side}.{error.kind}") from None
    return typed.counted if parameter.counts else typed


def _whole(settings: Mapping[str, Any], key: str, otherwise: int) -> int:
    return round(_number(settings, key, otherwise))


def _number(settings: Mapping[str, Any], key: str, otherwise: float) -> float:
    value = settings.get(key, otherwise)
    try:
        return float(value)
    except (TypeError, ValueError):
        raise InputError(f"{key} = {str(value)[:40]!r} is no number.", "Write one such as 0.5.", key) from None


def page(problem: Problem, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the choices of the view, trained networks of a store, and the fields at the place settings["at"]."""
    x, y, quantity, unit, time = choices(problem, settings)
    shown = QUANTITIES[quantity]
    answer = {
        "parameters": [[each.field, each.label] for each in parameters(problem)],
        "quantities": [[name, QUANTITIES[name].title] for name in quantities(problem)],
        "quantity": {
            "name": quantity,
            "title": shown.title,
            "symbol": shown.symbol,
            "signed": shown.signed,
            "ends": shown.ends,
            "means": shown.means,
        },
        "axes": {side: _axis(problem, axis) for side, axis in (("x", x), ("y", y))},
        "size": max(x.count, y.count),
        "unit": unit,
        "units": problem.network.units,
        "times": [END, *(f"{float(time):g}" for time in problem.training.times)],
        "time": time,
        "x": [float(value) for value in x.values],
        "y": [float(value) for value in y.values],
        "reversed": _reversed(problem, x, y) if quantity == EXCESS else None,
        "missing": [],
        "dots": [],
        "at": None,
    }
    if settings.get("store"):
        try:
            answer["dots"] = [vars(dot) for dot in dots(settings["store"], x.field, y.field, quantity, unit)]
        except WorkbenchError as error:
            answer["missing"].append(f"{error.message} {error.hint}")
    if settings.get("at"):
        answer |= _place(problem, x, y, quantity, unit, time, settings["at"])
    return answer


REVERSED = (
    "Where ξ (y = 1) is below ξ (y = 0), the flat field is unstable for Gaussian inputs of the same covariance too: "
    "this part of the map shows the order of the two lengths, not the effect of the marginal."
)


def _reversed(problem: Problem, x: Range, y: Range) -> str | None:
    """The sentence on the cells in which the class y = 1 has the shorter length; None for a map without such cells."""
    law = problem.data
    if law.law != "nlgp" or sorted(law.labels) != [0, 1]:
        return None
    on_map = {axis.field: [float(value) for value in axis.values] for axis in (x, y)}
    lengths = {float(label): on_map.get(f"data.xi.{c}", [float(law.xi[c])]) for c, label in enumerate(law.labels)}
    return REVERSED if min(lengths[1.0]) < max(lengths[0.0]) else None


def _axis(problem: Problem, axis: Range) -> dict[str, Any]:
    parameter = {each.field: each for each in parameters(problem)}[axis.field]
    ends = {"low": axis.low, "high": axis.high, "log": axis.log}
    return {"field": axis.field, "label": parameter.label, "now": parameter.value, "counts": parameter.counts, **ends}


def _place(
    problem: Problem, x: Range, y: Range, quantity: str, unit: int, time: str, at: Mapping[str, str]
) -> dict[str, Any]:
    """The problem at a place of the map, its value and, where there is an exact solution, its fields."""
    if set(at) != {x.field, y.field}:  # the axes have changed since
        return {}
    chosen = problem_at(problem, {field: str(value) for field, value in at.items()})
    cell = Cell((), dict(at), chosen)
    labels = [_axis(problem, axis)["label"] for axis in (x, y)]
    rows = [[label, float(at[axis.field])] for label, axis in zip(labels, (x, y), strict=True)]
    rows.append([QUANTITIES[quantity].symbol, value_at(cell, quantity, unit, time)])
    unsolved = quantity == EXCESS and "ratio" not in quantities(problem)
    fields = None if unsolved else solved(chosen, time)[0][:MOST_FIELDS]
    return {
        "at": {
            "x": float(at[x.field]),
            "y": float(at[y.field]),
            "fields": fields,
            "shape": grid(chosen.data),
            "toml": dumps(chosen),
        },
        "table": {"columns": [{"name": "quantity"}, {"name": "value"}], "rows": rows},
    }


def drawn(computed: PhaseMap) -> dict[str, Any]:
    """The map as far as it is computed, and why values are missing."""
    first = computed.refused[0] if computed.refused else None
    return {
        "values": packed(computed.values),
        "rows": computed.rows,
        "refused": len(computed.refused),
        "reason": None if first is None else f"{first.message} {first.hint}",
    }
