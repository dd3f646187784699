"""The tables [training] and [weights] of a problem file, read and written: loss, times, and initial numbers."""

from collections.abc import Mapping
from fractions import Fraction
from math import floor
from typing import Any

from theory.problem.errors import InputError
from theory.problem.keys import check_keys, choose
from theory.problem.numbers import RANGES, positive, spaced
from theory.problem.parameters import InitialByName, NormalInitialisation
from theory.problem.training import InitialWeights, Training

MOST_TIMES = 10_000
_HALF = Fraction(1, 2)


def training_of(table: Mapping[str, Any]) -> Training:
    """Return what a table [training] declares.

    >>> training_of({"loss": "mse", "tau": 1, "w0": [[0]], "times": {"linspace": [0, 2, 3], "step": 1}}).times[2]
    Fraction(2, 1)
    """
    required = ("loss", "tau", "w0", "times")
    check_keys(table, "[training]", required=required, optional=("hidden_bias0", "output_bias0", "readout0"))
    start = {name: _start(table.get(name), f"training.{name}") for name in ("w0", "hidden_bias0", "readout0")}
    times = _times(table["times"])
    return Training(table["loss"], table["tau"], times=times, output_bias0=table.get("output_bias0"), **start)


def weights_of(table: Mapping[str, Any]) -> InitialWeights:
    """Return what a table [weights] declares: one law for all weights of a deep network, or each by its name.

    >>> weights_of({"law": "normal", "scale": 1, "seed": 0}).w0.seed
    0
    """
    if not table:
        raise InputError("[weights] is empty.", 'Write Theta_1 = [[...], ...] and so on, or law = "normal".')
    return InitialWeights(_start(table, InitialWeights.where))


def _times(value: Any) -> Any:
    """Return the times of a list, whose tables are ranges of times, or of one such table."""
    entries = [value] if isinstance(value, Mapping) else value
    if not isinstance(entries, list | tuple):
        return value
    return tuple(time for entry in entries for time in (_range(entry) if isinstance(entry, Mapping) else [entry]))


def _range(table: Mapping[str, Any]) -> list[Fraction]:
    """Return times spaced evenly on a linear or a log scale, rounded to multiples of `step`, without repetitions."""
    where = "training.times"
    check_keys(table, where, required=("step",), optional=RANGES)
    kinds = [kind for kind in RANGES if kind in table]
    if len(kinds) != 1:
        raise InputError(
            f"{where} needs one of: {', '.join(RANGES)}.", "Write { geomspace = [1, 1000, 10], step = 1 }."
        )
    step = positive(table["step"], f"{where}.step", "the times are its multiples")
    values = spaced(kinds[0], table[kinds[0]], f"{where}.{kinds[0]}", MOST_TIMES, "each of them is kept")
    return list(dict.fromkeys(step * floor(value / step + _HALF) for value in values))


def _start(value: Any, where: str) -> Any:
    """Return numbers unchanged, and a table as the law it names or as the starts of a graph's weights by name."""
    if not isinstance(value, Mapping):
        return value
    if where in (Training.where, InitialWeights.where) and "law" not in value and value:
        return InitialByName(tuple((name, _start(each, f"{where}.{name}")) for name, each in value.items()), where)
    choose(value, where, "law", {NormalInitialisation.law: NormalInitialisation})
    check_keys(value, where, required=("law", "scale", "seed"))
    return NormalInitialisation(value["scale"], value["seed"], where)
