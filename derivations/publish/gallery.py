"""The gallery of expectations as Markdown, from the stored run of `gdln bench expectations`; nothing is computed."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from derivations.publish.blocks import formula
from derivations.publish.prose import prose
from theory.problem import InputError

STORED = Path(__file__).parents[1] / "benchmarks" / "results" / "expectations.json"
_DIGITS = 25  # of a value in print


def stored(path: Path = STORED) -> dict[str, Any]:
    """The stored run."""
    return json.loads(path.read_text(encoding="utf-8"))


def gallery(group: str, here: str) -> str:
    """The cases of the groups whose names begin so; `summary` is a table of all. InputError for an unknown group."""
    run = stored()
    if group == "summary":
        return _summary(run)
    rows = [row for row in run["rows"] if row["group"].startswith(group)]
    if not rows:
        known = sorted({row["group"] for row in run["rows"]})
        raise InputError(f"{here}: no group of expectations begins with {group!r}.", f"Known: {'; '.join(known)}.")
    return "\n".join(_case(row) for row in rows)


def _summary(run: Mapping[str, Any]) -> str:
    rows = run["rows"]
    closed = [row for row in rows if row["sympy"]["outcome"] == "closed form"]
    slowest = max(row["seconds"] for row in rows)
    machine = run["machine"]
    lines = [
        f"SymPy {machine['sympy']} alone gives a closed form for {len(closed)} of the {len(rows)} within "
        f"{run['limit']} seconds of processor time; the engine derives all of them, the slowest in {slowest:.2g} s.",
        "",
        "| class | expectations | median time of the engine |",
        "|---|---|---|",
    ]
    for kind in ("elementary", "special", "integral"):
        times = sorted(row["seconds"] for row in rows if row["kind"] == kind)
        lines.append(f"| {kind} | {len(times)} | {times[len(times) // 2]:.3f} s |")
    return "\n".join(lines) + "\n"


def _case(row: Mapping[str, Any]) -> str:
    kind = row["kind"]
    if row["left_to_integrate"]:
        kind = f"one integral of {row['left_to_integrate']} functions"
    parts = [f"**{prose(row['name'])}**\n", formula(row["tex"])]
    if row["legend"]:
        parts.append(_listed(row["legend"]) + ".\n")
    at = f" at {row['point']}" if row["point"] else ""
    parts.append(
        f"Class: {kind}. Derived in {row['seconds']:.2g} s. Value{at}: `{row['value'][:_DIGITS]}`. "
        f"SymPy alone: {_plain(row['sympy'])}.\n"
    )
    return "\n".join(parts)


def _plain(answer: Mapping[str, Any]) -> str:
    seconds = f"{answer['seconds']:.2g} s"
    if answer["outcome"] == "no answer":
        return f"no answer within {seconds}"
    if answer["outcome"] == "closed form":
        return f"a closed form after {seconds}, {answer['agreement']}"
    return f"{answer['outcome']} after {seconds}"


def _listed(items: Sequence[str]) -> str:
    return "Here " + (items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}")
