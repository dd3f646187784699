"""The stored evidence and runs, read as JSON without the code of the project, and the forms in which numbers stand."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from mpmath import mp, mpf

from tests.paths import ROOT
from tests.tolerances import PAGES_HALF_UNIT

TIMES_TEN = " cdot 10^"  # as plain text has a power of ten that is set in TeX
LOST = 5  # digits that a value loses at most on its way from the quadrature
EVIDENCE = ROOT / "derivations" / "evidence"
EXPERIMENTS = ROOT / "derivations" / "experiments"
BENCHMARKS = ROOT / "derivations" / "benchmarks" / "results"


@cache
def evidence() -> dict[str, dict[str, Any]]:
    """The stored evidence by the id of the claim."""
    return {file.stem: json.loads(file.read_text("utf-8")) for file in sorted(EVIDENCE.glob("*.json"))}


@cache
def run(folder: str, name: str) -> Any:
    """A stored run of an experiment."""
    return json.loads((EXPERIMENTS / folder / f"{name}.json").read_text("utf-8"))


@cache
def benchmark(name: str) -> Any:
    """A stored measurement."""
    return json.loads((BENCHMARKS / f"{name}.json").read_text("utf-8"))


def values(entry: str, key: str) -> np.ndarray:
    """Return what `trained.py` stored of each network of an entry."""
    return np.array(_trained()["entries"][entry]["values"][key])


@cache
def _trained() -> dict[str, Any]:
    return json.loads((Path(__file__).with_name("trained.json")).read_text("utf-8"))


def number(text: str) -> mpf:
    """Return a decimal or a fraction, such as 0.5, -1/3, 1e-30 or 1 cdot 10^-30."""
    text = text.replace(TIMES_TEN, "e")
    top, _, bottom = text.replace(",", "").partition("/")
    return mpf(top) / mpf(bottom or 1)


def unit(text: str, significant: int | None = None) -> mpf:
    """Return one unit of the last digit that is printed, or of so many significant digits; 0 for a fraction."""
    if "/" in text:
        return mpf(0)
    if significant is not None and number(text):
        return mpf(10) ** (int(mp.floor(mp.log10(abs(number(text))))) - significant + 1)
    mantissa, _, power = text.replace(TIMES_TEN, "e").partition("e")
    return mpf(10) ** (int(power or 0) - len(mantissa.partition(".")[2]))


def printed_as(text: str, value: Any, significant: int | None = None) -> bool:
    """Whether the text is the value rounded to the digits that it shows; the value of a fraction is that fraction."""
    exact = mpf(value.numerator) / value.denominator if hasattr(value, "denominator") else mpf(value)
    lost = mpf(10) ** (LOST - mp.dps) * max(1, abs(exact))
    return abs(number(text) - exact) <= PAGES_HALF_UNIT * unit(text, significant) + lost
