"""The controls of the fields of a data law in the browser, and the law that their values declare."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from theory.problem import Erf, Law
from theory.problem.correlations import GAUSSIAN
from theory.problem.distributions.images import WHITENINGS
from theory.problem.distributions.mnist import PARTS
from theory.problem.distributions.nonlinear_gp import BOUNDARIES, NORMALISERS, POSITIVE_PARTS
from theory.problem.distributions.nonlinear_gp_2d import GRIDS
from theory.problem.distributions.pulses import FORMS, OVERLAPS
from theory.problem.distributions.sampled import Estimate
from theory.problem.distributions.single_pulse import FLIPS, SUPPORTS
from theory.problem.second_moments import ContextMoments
from theory.problem.toml import tables_of, toml_value

MOST_SITES = 200  # beyond it drawing a view takes longer than moving a slider
MOST_SIDE = 20
GAINS = tuple(f"{value:.3g}" for value in np.geomspace(0.01, 100, 41))


@dataclass(frozen=True)
class Slider:
    """One number, or several called `parts` where `start` is a tuple; `steps` are exact decimals as text."""

    label: str
    start: Any
    steps: tuple[str, ...]
    parts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Choice:
    """One of some words."""

    label: str
    start: str
    options: tuple[str, ...]


@dataclass(frozen=True)
class Entry:
    """A value typed as in a problem file."""

    label: str
    start: str


Control = Slider | Choice | Entry
_LINE = {"boundary": "open", "normaliser": "unit-variance"}
# The initial values of the fields of a law other than that of the shared problem.
STARTS: dict[str, Any] = {
    "n": 40,
    "shape": (12, 12),
    "xi": (2, 1),
    "gain": 1,
    "boundary": "open",
    "normaliser": "unit-variance",
    "positive_part": "refuse",
    "correlation": GAUSSIAN,
    "nonlinearity": Erf(),
    "labels": (1, 0),
    "priors": (),
    "means": (),
    "x": ((1, 0), (0, 1), (1, 1), (0, 0)),
    "y": (1, 1, 0, 0),
    "weights": (),
    "context": (),
    "file": "",
    "sha256": "",
    "moments": (ContextMoments(Fraction(1), ((1, 0), (0, 1)), ((1, 0),), ((2,),)),),
    "dof": (5, 5),
    "scale": ("laplace", "laplace"),
    "components": (
        {"class": 0, "law": "elliptical", "n": 40, "xi": [2], "scale": "laplace"} | _LINE,
        {"class": 1, "law": "gaussian-clone", "n": 40, "xi": [1], "gain": 1} | _LINE,
    ),
    "widths": ((3, 4), (9, 10)),
    "support": "plus-minus",
    "flip": "none",
    "categories": ((3,), (8,)),
    "part": "train",
    "downsample": 2,
    "patch": 8,
    "photographs": (("scenes",), ("scenes",)),
    "kinds": ("patch", "gaussian"),
    "centring": "mean",
    "whitening": "zca",
    "floor": Fraction(1, 1000),
    "path": "",
    "sampler": "",
    "folder": "",
    "parameters": {},
    "estimate": Estimate(),
    "counts": ((2, 3), (1, 1)),
    "heights": (1,),
    "overlap": "max",
    "form": "block",
    "rows": ((1, 1), (3, 4)),
    "columns": ((3, 4), (1, 1)),
    "beta": (),
    "h": (),
    "couplings": ((Fraction("0.4"), Fraction("0.2")), Fraction("0.1")),
}
LABELS = {
    "n": "sites n",
    "shape": "grid",
    "xi": "correlation length ξ (sites)",
    "gain": "gain g",
    "labels": "labels y",
    "nonlinearity": "nonlinearity f in x = f(gain z)/Z",
    "positive_part": "if the covariance has negative eigenvalues",
    "correlation": "correlation of the latent",
    "grid": "correlation on the grid (empty: Gaussian)",
    "priors": "class probabilities (empty: all equal)",
    "means": "class means (added to x)",
    "x": "examples x",
    "y": "labels y",
    "weights": "weights of the examples",
    "context": "contexts of the examples (empty: none)",
    "file": "file of the examples (in place of moments)",
    "sha256": "sha256 of the file (empty: any content)",
    "moments": "second moments of each context (in place of a file)",
    "dof": "degrees of freedom",
    "scale": "law of the scale r",
    "components": "components of the mixture, each of one class",
    "widths": "pulse widths (sites)",
    "categories": "categories of each class (0 to 9)",
    "part": "part of the data set",
    "downsample": "rows and columns of pixels averaged (divides 28)",
    "patch": "rows and columns of a patch",
    "photographs": "photographs of each class",
    "kinds": "patches, or a Gaussian of their covariance",
    "floor": "floor of whitening (share of the largest eigenvalue; 0 without it)",
    "path": "file and function, as file.py:function",
    "sampler": "entry point of a package (in place of a file)",
    "folder": "folder of arrays (in place of a function)",
    "parameters": "parameters of the function",
    "estimate": "examples for estimated moments",
    "counts": "number of pulses",
    "heights": "heights of a pulse",
    "overlap": "where pulses overlap",
    "form": "form of a pulse",
    "rows": "rows of the bar",
    "columns": "columns of the bar",
    "beta": "couplings β (in place of ξ)",
    "h": "fields h (empty: none)",
    "couplings": "couplings of columns and rows",
}
_TENTHS = tuple(f"{tenth / 10:g}" for tenth in range(1, 201))
_STEPS = {
    "n": tuple(str(n) for n in range(2, MOST_SITES + 1)),
    "shape": tuple(str(n) for n in range(2, MOST_SIDE + 1)),
    "xi": _TENTHS,
    "gain": GAINS,
}


def controls(kind: type[Law], present: Mapping[str, Any]) -> dict[str, Control]:
    """Return the control of each field of a law, starting at the `present` values where they fit.

    >>> from theory.problem import LAWS
    >>> controls(LAWS["nlgp"], {"n": 30})["n"].start
    '30'
    """
    return {field.name: _control(kind, field.name, present) for field in fields(kind) if field.init}


def _control(kind: type[Law], name: str, present: Mapping[str, Any]) -> Control:
    start = present.get(name, STARTS.get(name))
    label = LABELS.get(name, name)
    if name in _STEPS:
        steps = _STEPS[name]
        if not isinstance(start, tuple | list):
            return Slider(label, _text(start), _with(steps, (_text(start),)))
        shown = tuple(_text(number) for number in start)
        parts = ("rows", "columns") if name == "shape" else tuple(f"class {c}" for c in range(len(shown)))
        return Slider(label, shown, _with(steps, shown), parts)
    options = _options(kind).get(name)
    if options is not None:
        return Choice(label, start if start in options else options[0], options)
    return Entry(label, "" if start is None else _typed(start))


def _options(kind: type[Law]) -> dict[str, tuple[str, ...]]:
    boundaries = getattr(kind, "boundaries", BOUNDARIES)
    words = {"normaliser": NORMALISERS, "positive_part": POSITIVE_PARTS, "support": SUPPORTS, "flip": FLIPS}
    images = {"part": tuple(PARTS), "centring": getattr(kind, "centrings", ()), "whitening": WHITENINGS}
    pulses = {"overlap": OVERLAPS, "form": FORMS}
    return {"boundary": boundaries, "grid": ("", *GRIDS)} | words | images | pulses


def _with(steps: tuple[str, ...], starts: tuple[str, ...]) -> tuple[str, ...]:
    """The steps with the starts among them, ascending."""
    return tuple(sorted({*steps, *starts}, key=Decimal))


def _text(number: Any) -> str:
    """An exact number as a decimal, to 12 digits where it does not terminate."""
    return f"{float(number):.12g}"


def _typed(value: Any) -> str:
    if isinstance(value, tuple | list):
        return f"[{', '.join(_typed(entry) for entry in value)}]"
    return _text(value) if isinstance(value, int | float | Fraction) else toml_value(value)


def law_of(kind: type[Law], values: Mapping[str, Any], present: Mapping[str, Any] | None = None) -> Law:
    """The law that the controls declare: decimals as text, words, and entries in the language of problem files.

    A field without a value keeps the `present` one. Raises InputError as the law does.

    >>> from theory.problem import LAWS
    >>> law_of(LAWS["nlgp"], {"n": "4", "xi": ("2", "0.3"), "gain": "1", "boundary": "open", "normaliser": "none",
    ...     "labels": "[1.0, 0.0]"}).xi[1]
    Fraction(3, 10)
    """
    given = controls(kind, {})
    return kind(**{**(present or {}), **{name: _value(given[name], value, name) for name, value in values.items()}})


def _value(control: Control, value: Any, name: str) -> Any:
    if isinstance(control, Choice):
        return value
    if isinstance(control, Entry):
        return tables_of(f"value = {value}", f"data.{name}")["value"]
    return [_number(entry) for entry in value] if isinstance(value, tuple | list) else _number(value)


def _number(text: str) -> int | Decimal:
    number = Decimal(text)
    return int(number) if number == number.to_integral_value() else number
