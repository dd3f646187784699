"""The controls of the fields of a data law in the browser, and the law that their values declare."""

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from derivations.answers.new import data_table
from derivations.explore.kinds import Kind, kind_of
from derivations.explore.laws import class_names
from theory.problem import InputError, Law
from theory.problem.correlations import GAUSSIAN, correlation_of
from theory.problem.distributions.images import WHITENINGS
from theory.problem.distributions.mnist import PARTS
from theory.problem.distributions.nonlinear_gp import BOUNDARIES, NORMALISERS, POSITIVE_PARTS
from theory.problem.distributions.nonlinear_gp_2d import GRIDS
from theory.problem.distributions.pulses import FORMS, OVERLAPS
from theory.problem.distributions.single_pulse import FLIPS, SUPPORTS
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


Control = Slider | Choice | Entry | Kind
LABELS = {
    "n": "number of sites n",
    "shape": "grid",
    "xi": "correlation length ξ",
    "gain": "gain g",
    "labels": "labels y",
    "nonlinearity": "nonlinearity f in x = f(g z)/Z",
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
    "scale": "law of the scale r in x = r z/Z",
    "components": "components of the mixture, each of one class",
    "widths": "pulse widths",
    "categories": "categories of each class (0 to 9)",
    "part": "part of the data set",
    "downsample": "rows and columns of pixels averaged (divides 28)",
    "patch": "rows and columns of a patch",
    "photographs": "photographs of each class",
    "kinds": "patches, or a Gaussian of their covariance",
    "floor": "floor of whitening (share of the largest eigenvalue; 0 without it)",
    "path": "file and function, as file.py:function",
    "sampler": "entry point of a package (in place of a file)",
    "folder": "folder of pictures (empty: the data set)",
    "parameters": "parameters of the function",
    "estimate": "examples for estimated moments",
    "counts": "number of pulses",
    "heights": "heights of a pulse",
    "overlap": "where pulses overlap",
    "form": "form of a pulse",
    "rows": "rows of the bar",
    "columns": "columns of the bar",
    "beta": "couplings β ([]: given by ξ)",
    "h": "field h",
    "couplings": "couplings within columns and within rows",
}
_DECIMAL = re.compile(r"[+-]?(\d{1,40}(\.\d{0,40})?|\.\d{1,40})([eE][+-]?\d{1,2})?")
_FRACTION = re.compile(r"[+-]?\d{1,40}/\d{1,40}")
_TENTHS = tuple(f"{tenth / 10:g}" for tenth in range(1, 201))
_STEPS = {
    "n": tuple(str(n) for n in range(2, MOST_SITES + 1)),
    "shape": tuple(str(n) for n in range(2, MOST_SIDE + 1)),
    "xi": _TENTHS,
    "gain": GAINS,
    "dof": tuple(map(str, range(1, 31))),
    "h": tuple(f"{tenth / 10:g}" for tenth in range(-20, 21)),
    "patch": tuple(map(str, range(2, 17))),
    "downsample": ("1", "2", "4", "7", "14"),  # the divisors of 28
}


def controls(kind: type[Law], present: Mapping[str, Any]) -> dict[str, Control]:
    """Return the control of each field of a law, starting at the `present` values where they fit.

    >>> from theory.problem import LAWS
    >>> controls(LAWS["nlgp"], {"n": 30})["n"].start
    '30'
    """
    values = starts(kind, present)
    return {name: _control(kind, name, values) for name in values}


def starts(kind: type[Law], present: Mapping[str, Any]) -> dict[str, Any]:
    """Return the value of each field of a law at first: the present one, that of a new problem file, or the default.

    >>> from theory.problem import LAWS
    >>> found = starts(LAWS["ising"], {"n": 30})
    >>> found["n"], found["boundary"], found["beta"]
    (30, 'ring', ())
    """
    new = data_table(kind.law)
    return {
        field.name: new.get(field.name, _default(field)) if present.get(field.name) is None else present[field.name]
        for field in fields(kind)
        if field.init
    }


def _default(field: Any) -> Any:
    """The default of a field of a law, or None."""
    if field.default_factory is not MISSING:
        return field.default_factory()
    return None if field.default is MISSING else field.default


def _control(kind: type[Law], name: str, values: Mapping[str, Any]) -> Control:
    start, label = values[name], LABELS.get(name, name)
    if name in _STEPS and start is not None and (name, start) != ("shape", ()):
        steps = _STEPS[name]
        if not isinstance(start, tuple | list):
            return Slider(label, _text(start), _with(steps, (_text(start),)))
        shown = tuple(_text(number) for number in start)
        parts = ("rows", "columns") if name == "shape" else _class_parts(len(shown), values.get("labels", ()))
        return Slider(label, shown, _with(steps, shown), parts)
    options = _options(kind).get(name)
    if options is not None:
        return Choice(label, start if start in options else options[0], options)
    axis = max(values.get("shape") or (values.get("n") or 2,))
    chosen = None if start is None else kind_of(name, label, start, int(axis), values.get("boundary", "open"))
    return chosen or Entry(label, "" if start is None else _typed(start))


def _class_parts(count: int, labels: Sequence[Any]) -> tuple[str, ...]:
    """The class to which each of several numbers belongs, by its label: "y = 1"."""
    return class_names(labels) if len(labels) == count else tuple(f"number {c + 1}" for c in range(count))


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
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{name} = {_typed(entry)}' for name, entry in value.items())} }}"
    return _text(value) if isinstance(value, int | float | Fraction) else toml_value(value)


def law_of(kind: type[Law], values: Mapping[str, Any], present: Mapping[str, Any] | None = None) -> Law:
    """The law that the controls declare: decimals as text, words, and entries in the language of problem files.

    A field without a value keeps the `present` one. Raises InputError as the law does.

    >>> from theory.problem import LAWS
    >>> law_of(LAWS["nlgp"], {"n": "4", "xi": ("2", "0.3"), "gain": "1", "boundary": "open", "normaliser": "none",
    ...     "labels": "[1.0, 0.0]"}).xi[1]
    Fraction(3, 10)
    """
    known = controls(kind, {})
    entries = {name: _value(known[name], value, name) for name, value in values.items()}
    return kind(**_with_lengths(kind, {**(present or {}), **entries}))


def _with_lengths(kind: type[Law], values: dict[str, Any]) -> dict[str, Any]:
    """The values without `xi` where couplings or correlations without a length are given, else with one.

    No control could take the lengths away: a slider has always a value.
    """
    if "xi" not in values or not {"beta", "correlation"} & values.keys():
        return values
    declared = values.get("correlation", GAUSSIAN)
    kinds = declared if isinstance(declared, tuple | list) else (declared,)
    if values.get("beta") or not any(correlation_of(each, "data.correlation").needs_length for each in kinds):
        return values | {"xi": ()}
    return values if values["xi"] else values | {"xi": starts(kind, {})["xi"]}


def _value(control: Control, value: Any, name: str) -> Any:
    if isinstance(control, Choice):
        return value
    if isinstance(control, Entry | Kind):
        return tables_of(f"value = {value}", f"data.{name}")["value"]
    return [_number(entry) for entry in value] if isinstance(value, tuple | list) else _number(value)


def _number(text: str) -> int | Decimal | str:
    """A number as it is typed: a whole number, a decimal or a fraction, which stays a text as in problem files."""
    if _FRACTION.fullmatch(text):
        return text
    if not _DECIMAL.fullmatch(text):
        raise InputError(f"{text!r} is not a number.", "Write a decimal or a fraction, such as 0.5 or 1/2.")
    number = Decimal(text)
    return int(number) if number == number.to_integral_value() else number


def whole_of(value: Any, name: str, least: int = 0, most: int = sys.maxsize) -> int:
    """The whole number that a setting of the page gives. Raises InputError, whose kind is the setting."""
    text = str(value).strip()
    if not text.isdecimal() or not least <= int(text) <= most:
        span = "" if most == sys.maxsize else f" from {least} to {most}"
        raise InputError(f"{name}: {text[:40]!r} is not a whole number{span}.", "Choose another.", name)
    return int(text)
