"""The gallery of expectations as Markdown, from the stored run of `gdln bench expectations`, and its equations."""

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from statistics import median
from typing import Any

import sympy

from derivations.publish.blocks import formula
from derivations.publish.notation import Notation
from theory.gaussian import Expectation
from theory.problem import InputError

STORED = Path(__file__).parents[1] / "benchmarks" / "results" / "expectations.json"
WIDEST = 900  # the most characters of TeX; longer integrals are shown by `gdln moment` only
_PLACES = Decimal("1e-23")  # of a value in print, of which 30 digits are certain


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


def displayed(expr: sympy.Expr, cov: sympy.Matrix, closed_form: sympy.Expr) -> tuple[str, list[str]]:
    """Return the equation as display TeX with what its letters stand for; very long integrals are only named."""
    left = Expectation(expr, cov)
    tex, legend = Notation(normaliser=False).display(sympy.Eq(left, closed_form, evaluate=False))
    integrals = sorted(closed_form.atoms(sympy.Integral), key=sympy.default_sort_key)
    if len(tex) <= WIDEST or not integrals:
        return tex, legend
    several = len(integrals) > 1
    names = [sympy.Symbol(f"I{k + 1}" if several else "I") for k in range(len(integrals))]
    short = closed_form.xreplace(dict(zip(integrals, names, strict=True)))
    tex, legend = Notation(normaliser=False).display(sympy.Eq(left, short, evaluate=False))
    what = f"$I_1$ to $I_{len(integrals)}$ are the integrals" if several else "$I$ is the integral"
    return tex, [
        *legend,
        f"{what} over $t$ that Price's theorem leaves (`gdln moment` prints {'them' if several else 'it'})",
    ]


def _summary(run: Mapping[str, Any]) -> str:
    rows = run["rows"]
    closed = [row for row in rows if row["sympy"]["outcome"] == "closed form"]
    slowest = max(rows, key=lambda row: row["first"])
    machine = run["machine"]
    lines = [
        f"SymPy {machine['sympy']} alone gives a closed form for {len(closed)} of the {len(rows)} within "
        f"{run['limit']} seconds of processor time; the engine derives all of them, the slowest "
        f"({slowest['name']}) in {_seconds(slowest['first'])}. *First* is the first derivation in a fresh "
        f"process, after the {_seconds(run['imports'])} in which the engine and SymPy are loaded; *repeated* is the "
        "same derivation again in that process, which finds the caches of SymPy and of the engine filled. All are "
        "processor time, measured while other jobs ran on the machine.",
        "",
        "| class | expectations | first, median | first, slowest | repeated, median |",
        "|---|---|---|---|---|",
    ]
    for kind in ("elementary", "special", "integral"):
        own = [row for row in rows if row["kind"] == kind]
        first, repeated = ([row[name] for row in own] for name in ("first", "repeated"))
        shown = (_seconds(seconds) for seconds in (median(first), max(first), median(repeated)))
        lines.append(f"| {kind} | {len(own)} | {' | '.join(shown)} |")
    return "\n".join(lines) + "\n"


def _rounded(value: str) -> str:
    number = Decimal(value)
    return str(number if number.as_tuple().exponent >= _PLACES.as_tuple().exponent else number.quantize(_PLACES))


def _seconds(value: float) -> str:
    return f"{value:.2g} s" if value >= 0.1 else f"{1000 * value:.2g} ms"


def _case(row: Mapping[str, Any]) -> str:
    kind = row["kind"]
    if row["left_to_integrate"]:
        kind = f"one integral of {row['left_to_integrate']} functions"
    parts = [f"**{row['name']}**\n", formula(row["tex"])]
    if row["legend"]:
        parts.append(_listed(row["legend"]) + ".\n")
    at = f" at {row['point']}" if row["point"] else ""
    parts.append(
        f"Class: {kind}. Derived in {_seconds(row['first'])} first, {_seconds(row['repeated'])} repeated. "
        f"Value{at}: `{_rounded(row['value'])}`. "
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
