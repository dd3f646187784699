"""The fields of laws that hold one of several kinds with parameters: correlations, nonlinearities, scales."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from theory.problem.correlations import CORRELATIONS, correlation_of
from theory.problem.nonlinearities import NONLINEARITIES, nonlinearity_of
from theory.problem.scales import KINDS, read_scale
from theory.problem.toml import tables_of, toml_value

# The parameters at which a kind starts, in the language of problem files; a kind that is not here has none.
_PARAMETERS = {
    "correlation": {
        "matern": "smoothness = 1.5",
        "damped-cosine": "wavelength = 8",
        "table": "values = [1, 0.5, 0.2]",
        "formula": 'formula = "1/(1 + (d/xi)**2)"',
    },
    "nonlinearity": {
        "cubic": "c = 1",
        "algebraic": "k = 5",
        "quantile": "p = [0.5, 0.75, 1], x = [0, 1, 3]",
    },
    "scale": {
        "student-t": "dof = 5",
        "gamma": "shape = 1.5",
        "contaminated": "share = 0.1, ratio = 3",
        "discrete": "values = [1, 2], probabilities = [0.5, 0.5]",
    },
}
_WORDS = {"correlation": tuple(CORRELATIONS), "nonlinearity": tuple(NONLINEARITIES), "scale": KINDS}
_READ: dict[str, Callable[[object, str], Any]] = {
    "correlation": correlation_of,
    "nonlinearity": nonlinearity_of,
    "scale": read_scale,
}


@dataclass(frozen=True)
class Kind:
    """One of some words, each with the parameters at which it starts, as in a problem file: `c = 1`; "" for none.

    `word` is the one at first, `parameters` are its own.

    >>> control = Kind("f", "erf", "", {"erf": "", "cubic": "c = 1"})
    >>> control.start, control.text("cubic", "")
    ('"erf"', '{ kind = "cubic", c = 1 }')
    """

    label: str
    word: str
    parameters: str
    options: Mapping[str, str]

    @property
    def start(self) -> str:
        """The value at first, as in a problem file."""
        return self.text(self.word, self.parameters)

    def text(self, word: str, parameters: str) -> str:
        """Return the value of a word as in a problem file; a word that was just chosen has parameters of its own."""
        chosen = parameters if word == self.word else self.options[word]
        return f'{{ kind = "{word}", {chosen} }}' if chosen else f'"{word}"'


def kind_of(name: str, label: str, value: Any, axis: int, boundary: str) -> Kind | None:
    """Return the control of the field `name` at `value`; None for a field without kinds, and for one of several.

    `axis` is the number of sites along an axis, on which the number of values of a spectrum depends.

    >>> from theory.problem import Cubic
    >>> kind_of("nonlinearity", "f", Cubic(2), 40, "open").parameters
    'c = 2.0'
    >>> kind_of("gain", "g", 1, 40, "open") is None
    True
    """
    if name not in _READ:
        return None
    each = value if isinstance(value, tuple | list) else (value,)
    read = {_READ[name](one, name) for one in each}
    if len(read) != 1:
        return None
    (now,) = read
    options = {word: _PARAMETERS[name].get(word, "") for word in _WORDS[name]}
    if name == "correlation":
        options["spectrum"] = _spectrum(axis, boundary)
    control = Kind(label, "", "", options)
    for word, parameters in options.items():
        if _READ[name](_table(control.text(word, parameters)), name) == now:
            return Kind(label, word, parameters, options)
    return Kind(label, now.kind, _parameters(now), options)


def _table(text: str) -> Any:
    return tables_of(f"value = {text}", "value")["value"]


def _parameters(value: Any) -> str:
    """The fields of a kind as in a problem file."""
    return ", ".join(f"{field.name} = {toml_value(getattr(value, field.name))}" for field in fields(value))


def _spectrum(axis: int, boundary: str) -> str:
    """Three long waves: on a ring one number for each mode, on a line one for each of n frequencies."""
    modes = axis if boundary == "open" else axis // 2 + 1
    return f"values = [{', '.join((['4', '2', '1'] + ['0'] * modes)[: max(modes, 2)])}]"
