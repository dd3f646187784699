"""The reductions that `gdln flow` prints: those that apply, with formulas and conditions, and why the others do not."""

from collections.abc import Iterator, Mapping
from typing import Any

from derivations.markdown import plain
from derivations.publish.flows import conditions
from theory.flow.graph.conditions import Condition
from theory.flow.graph.reduction import NotReduced, Reduction

Reductions = Mapping[str, Reduction | NotReduced]


def json(reductions: Reductions) -> list[dict[str, Any]]:
    """The reductions as `gdln flow --json` prints them."""
    return [{"name": name, **_fields(each)} for name, each in reductions.items()]


def _fields(each: Reduction | NotReduced) -> dict[str, Any]:
    if isinstance(each, NotReduced):
        return {"applies": False, "why": str(each), "conditions": [_condition(c) for c in each.conditions]}
    return {
        "applies": True,
        "says": each.says,
        "conditions": [_condition(c) for c in each.conditions],
        "start": [_condition(c) for c in each.start],
        "parts": [
            {
                "says": part.says,
                "formulas": [formula.plain for formula in part.formulas],
                "latex": [formula.latex for formula in part.formulas],
            }
            for part in each.parts
        ],
        "code": each.code,
        "rounding": each.rounding,
    }


def _condition(condition: Condition) -> dict[str, Any]:
    return {"says": condition.says, "holds": condition.holds, "off": condition.off, "exact": condition.exact}


def text(reductions: Reductions) -> Iterator[str]:
    """Lines for a terminal."""
    width = max(map(len, reductions))
    for name, each in reductions.items():
        if isinstance(each, NotReduced):
            first, *others = str(each).split("; it needs")
            yield f"  {name:<{width}}  does not apply: {plain(first)}"
            yield from (f"    and it needs{plain(other)}" for other in others)
            continue
        yield f"  {name:<{width}}  applies: {plain(each.says)}"
        for line in conditions(each):
            yield f"    {plain(line)}"
        for part in each.parts:
            yield f"    {plain(part.says)}"
            yield from (f"      {formula.plain}" for formula in part.formulas)
        if each.rounding:
            yield f"    {each.rounding}"
