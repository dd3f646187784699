"""The reductions that `gdln flow` prints: what applies, with formulas and conditions, and why the rest does not."""

from collections.abc import Iterator, Mapping
from typing import Any

from derivations.markdown import plain
from theory.flow.graph.conditions import Condition
from theory.flow.graph.reduction import NotReduced, Reduction

Found = Mapping[str, Reduction | NotReduced]
_SHOWN = 3  # conditions that the text lists; JSON has all


def json(found: Found) -> list[dict[str, Any]]:
    """The reductions as `gdln flow --json` prints them."""
    return [{"name": name, **_fields(each)} for name, each in found.items()]


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
    }


def _condition(condition: Condition) -> dict[str, Any]:
    return {"says": condition.says, "holds": condition.holds, "off": condition.off, "exact": condition.exact}


def text(found: Found) -> Iterator[str]:
    """Lines for a terminal."""
    width = max(map(len, found))
    for name, each in found.items():
        if isinstance(each, NotReduced):
            first, *others = str(each).split("; it needs")
            yield f"  {name:<{width}}  does not apply: {plain(first)}"
            yield from (f"    and it needs{plain(other)}" for other in others)
            continue
        yield f"  {name:<{width}}  applies: {plain(each.says)}"
        for line in _conditions(each):
            yield f"    {plain(line)}"
        for part in each.parts:
            yield f"    {plain(part.says)}"
            yield from (f"      {formula.plain}" for formula in part.formulas)


def _conditions(each: Reduction) -> Iterator[str]:
    """The conditions as sentences, those on the data first."""
    listed = "; ".join(condition.says for condition in each.conditions[:_SHOWN])
    more = len(each.conditions) - _SHOWN
    how = "exactly" if all(condition.exact for condition in each.conditions) else "in float64, within its rounding"
    yield f"checked {how}: {listed}{f'; and {more} more' if more > 0 else ''}"
    for condition in each.start:
        verdict = "holds" if condition.holds else f"does not hold, off by {condition.off}"
        yield f"it needs that {condition.says}: here this {verdict}"


def markdown(found: Found) -> Iterator[str]:
    """Lines of Markdown; formulas as display formulas."""
    for name, each in found.items():
        if isinstance(each, NotReduced):
            yield f"**{name}** does not apply: {each}.\n"
            continue
        yield f"**{name}** applies: {each.says}.\n"
        yield from (f"- {line}." for line in _conditions(each))
        for part in each.parts:
            yield f"- {part.says}{':' if part.formulas else '.'}"
            if part.formulas:
                lines = [formula.latex.replace(" = ", " &= ", 1) for formula in part.formulas]
                yield "\n$$\n\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}\n$$\n"
        yield ""
