"""The problem bar as data: a problem in words, its controls, and the problem that moved controls declare.

The name of a control is that of a field in a problem file: `data.gain`; `data.xi.0` is its first number, and
`data.correlation.parameters` what stands beside a word.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from html import escape
from typing import Any

from derivations.explore.controls import Choice, Control, Entry, Slider, controls, law_of, whole_of
from derivations.explore.kinds import Kind
from derivations.explore.laws import definition_of, legends, seen_in, title_of
from derivations.explore.limits import refuse_large
from derivations.explore.problems import carried, law_values, starting_values
from derivations.publish.mathml import mathml
from theory.problem import LAWS, AlwaysGate, GatedGraph, InputError, Law, Network, Problem, WorkbenchError, dumps
from theory.problem.distributions.own import OwnLaw
from theory.problem.network import MODELS, READOUTS

# The fields of a law that a reader changes first; the others are folded.
_FIRST = ("n", "shape", "xi", "beta", "gain", "dof", "scale", "widths", "counts", "categories", "kinds", "file", "path")
# What one is and several are; a field that is not here has no unit.
_UNITS = {"n": ("site", "sites"), "xi": ("site", "sites"), "shape": ("site", "sites")}
_UNITS |= {"widths": ("site", "sites"), "patch": ("pixel", "pixels")}
_MOST_UNITS = 64  # of the control: more are typed in the problem's text
_SLOPE = "0.01"  # at which the model leaky-relu starts
_MODELS = {
    "gated-linear": "gated-linear: fixed gates",
    "relu": "ReLU",
    "leaky-relu": "leaky ReLU",
    "erf": "erf",
    "sigmoid": "sigmoid",
}


def bar(problem: Problem, notes: Sequence[str] = ()) -> dict[str, Any]:
    """Return the problem bar: the problem as TOML and in words, its controls, and notes on what has changed."""
    return {
        "toml": dumps(problem),
        "notes": list(notes),
        "controls": [*_law_controls(problem.data), *_network_controls(problem.network)],
        "summary": summary(problem),
    }


def summary(problem: Problem) -> dict[str, Any]:
    """Return a problem in words: the law and its definition as HTML, what is seen, its classes and its network."""
    law = problem.data
    return {
        "law": law.law,
        "title": title_of(law.law),
        "definition": marked(definition_of(law)),
        "seen": marked(seen_in(law)),
        "classes": list(legends(law)),
        "labels": [[float(entry) for entry in label] for label in law.label_vectors],
        "sites": law.n,
        "shape": getattr(law, "shape", None),
        "ring": law.boundary in ("ring", "torus"),
        "network": _network_in_words(problem.network),
        "model": "graph" if isinstance(problem.network, GatedGraph) else problem.network.model,
        "units": 0 if isinstance(problem.network, GatedGraph) else problem.network.units,
    }


def marked(text: str) -> str:
    """Return a text in Markdown as HTML: `$...$` as MathML, code in its element, all else as it stands.

    >>> marked("of `nlgp` < 3")
    'of <code>nlgp</code> &lt; 3'
    """
    parts = re.split(r"(\$[^$]*\$|`[^`]*`)", text)
    shown = {"$": lambda part: mathml(part[1:-1]), "`": lambda part: f"<code>{escape(part[1:-1])}</code>"}
    return "".join(shown.get(part[:1], escape)(part) for part in parts)


def changed(problem: Problem, values: Mapping[str, str]) -> tuple[Problem, tuple[str, ...]]:
    """Return the problem that moved controls declare, by name, and the changes that this required, in words.

    Controls of the law and of the network are taken together, because one alone may not fit. Raises InputError, whose
    kind names the control where only one has moved.
    """
    try:
        return _changed(problem, values)
    except WorkbenchError as error:
        moved = list(values)
        raise type(error)(error.message, error.hint, moved[0] if len(moved) == 1 else error.kind) from error


def _changed(problem: Problem, values: Mapping[str, str]) -> tuple[Problem, tuple[str, ...]]:
    unknown = [name for name in values if name.partition(".")[0] not in ("data", "network")]
    if unknown:
        raise InputError(f"There is no control {unknown[0]!r}.", "Load the page again.")
    notes: tuple[str, ...] = ()
    law = _changed_law(problem.data, values)
    if law != problem.data:
        refuse_large(law)
        problem, notes = carried(problem, law)
    moved = {name.removeprefix("network."): value for name, value in values.items() if name.startswith("network.")}
    return (replace(problem, network=_changed_network(problem, moved)) if moved else problem), notes


def _changed_law(law: Law, values: Mapping[str, str]) -> Law:
    word = values.get("data.law", law.law)
    if word not in LAWS:
        raise InputError(f"There is no law {word!r}.", f"Known: {', '.join(LAWS)}.")
    if word != law.law:
        if issubclass(LAWS[word], OwnLaw):
            raise InputError(
                "A law of your own comes from a problem file, which allows its code to run.",
                'Start gdln explore FILE with a file that has law = "own".',
            )
        law = law_of(LAWS[word], _values(controls(LAWS[word], starting_values(LAWS[word], law)), {}))
    moved = {name.removeprefix("data."): value for name, value in values.items() if name.startswith("data.")}
    moved.pop("law", None)
    if not moved:
        return law
    present = controls(type(law), law_values(law))
    lacking = [name for name in moved if name.partition(".")[0] not in present]
    if lacking:
        raise InputError(f"The law {law.law} has no control {lacking[0]!r}.", "Load the page again.")
    fields = {name.partition(".")[0] for name in moved}
    return law_of(
        type(law), _values({name: present[name] for name in present if name in fields}, moved), law_values(law)
    )


def _values(known: Mapping[str, Control], moved: Mapping[str, str]) -> dict[str, Any]:
    """The value of each control as `law_of` takes it: that of a moved one, or the one at first."""
    values: dict[str, Any] = {}
    for name, control in known.items():
        if isinstance(control, Slider) and isinstance(control.start, tuple):
            values[name] = tuple(moved.get(f"{name}.{part}", start) for part, start in enumerate(control.start))
        elif isinstance(control, Kind):
            word = moved.get(name, control.word)
            values[name] = control.text(word, moved.get(f"{name}.parameters", control.parameters))
        else:
            values[name] = moved.get(name, control.start)
    return values


def _law_controls(law: Law) -> list[dict[str, Any]]:
    known = controls(type(law), law_values(law))
    options = [[word, title_of(word)] for word in LAWS]
    listed = [_choice("data.law", "data law", law.law, options, "law")]
    for name in sorted(known, key=lambda name: _FIRST.index(name) if name in _FIRST else len(_FIRST)):
        group = "law" if name in _FIRST else "more"
        listed += [
            {**item, "group": group, "unit": _UNITS.get(name)} for item in _described(f"data.{name}", known[name])
        ]
    return listed


def _described(name: str, control: Control) -> list[dict[str, Any]]:
    """The controls of one field as data: several for several numbers, two for a word with parameters."""
    if isinstance(control, Slider):
        if not isinstance(control.start, tuple):
            return [_slider(name, control.label, control.start, control.steps)]
        parts = zip(control.parts, control.start, strict=True)
        return [
            {**_slider(f"{name}.{index}", control.label, start, control.steps), "part": part}
            for index, (part, start) in enumerate(parts)
        ]
    if isinstance(control, Choice):
        return [_choice(name, control.label, control.start, [[word, word or "–"] for word in control.options])]
    if isinstance(control, Entry):
        return [_text(name, control.label, control.start)]
    chosen = _choice(name, control.label, control.word, [[word, word] for word in control.options])
    more = [_text(f"{name}.parameters", f"parameters of {control.word}", control.parameters)]
    return [chosen, *(more if control.parameters else [])]


def _slider(name: str, label: str, value: str, values: Sequence[str]) -> dict[str, Any]:
    return {"name": name, "label": label, "kind": "slider", "value": value, "values": list(values)}


def _choice(name: str, label: str, value: str, options: list[list[str]], group: str = "more") -> dict[str, Any]:
    return {"name": name, "label": label, "kind": "choice", "value": value, "options": options, "group": group}


def _text(name: str, label: str, value: str) -> dict[str, Any]:
    return {"name": name, "label": label, "kind": "text", "value": value}


def _network_controls(network: Network | GatedGraph) -> list[dict[str, Any]]:
    """Model, units and readout of one hidden layer; a graph is changed in the problem's text."""
    if isinstance(network, GatedGraph):
        return []
    models = [[word, _MODELS[word]] for word in MODELS]
    readouts = [[word, word] for word in READOUTS]
    steps = sorted({*range(1, _MOST_UNITS + 1), network.units})
    units = _slider("network.units", "hidden units K", str(network.units), [str(count) for count in steps])
    return [
        _choice("network.model", "model", network.model, models, "network"),
        {**units, "group": "network", "unit": ("unit", "units")},
        _choice("network.readout", "readout", network.readout, readouts, "network"),
    ]


def _changed_network(problem: Problem, moved: Mapping[str, str]) -> Network:
    """The network with another model, number of units or readout.

    A gated-linear network that gets more units gets open gates; one that is made of another model has one gate for
    each unit, all open.
    """
    layer = problem.one_layer
    model, units = moved.get("model", layer.model), whole_of(moved.get("units", layer.units), "network.units")
    gates: tuple[Any, ...] = ()
    if model == Network.gated:
        gates = (*layer.gates[:units], *[AlwaysGate()] * (units - len(layer.gates[:units])))
    slope = (layer.slope or _SLOPE) if model == "leaky-relu" else None
    return Network(model, moved.get("readout", layer.readout), units, gates, layer.biases, slope)


def model_in_words(model: str) -> str:
    """Return the name of a model in a sentence.

    >>> model_in_words("relu"), model_in_words("gated-linear")
    ('ReLU', 'gated-linear')
    """
    return _MODELS[model].partition(":")[0]


def networks_in_words(name: str) -> str:
    """Return what a sentence calls networks that a figure names by their model or by the gates that they replay.

    >>> networks_in_words("relu"), networks_in_words("gates of the start")
    ('ReLU networks', 'networks with the gates of the start')
    """
    if name in _MODELS:
        return f"{model_in_words(name)} networks"
    return f"networks with {name}" if "frozen" in name else f"networks with the {name}"


def _network_in_words(network: Network | GatedGraph) -> str:
    if isinstance(network, GatedGraph):
        return "a gated graph"
    return f"{model_in_words(network.model)} network, {network.units} unit{'s' * (network.units > 1)}"
