"""Reading and writing of problem files in TOML, exactly in both directions; unknown or missing keys are errors."""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from math import inf, isinf
from pathlib import Path
from typing import Any

from theory.problem.deep.network import DeepNetwork
from theory.problem.deep.tables import deep_network
from theory.problem.distributions import LAWS, Law
from theory.problem.distributions.latent_fields import without_length
from theory.problem.errors import InputError
from theory.problem.fields import check_field, refuse_misplaced, replaced
from theory.problem.gated_graph import GatedGraph
from theory.problem.gates import GATES, Gate, resolved
from theory.problem.graph import Edge, Node
from theory.problem.keys import check_keys, choose, keys_of, kind_of
from theory.problem.network import MODELS, Network
from theory.problem.numbers import one_of, positive, shown
from theory.problem.parameters import InitialByName, NormalInitialisation
from theory.problem.paths import placed
from theory.problem.problem import Problem
from theory.problem.shared import Shared
from theory.problem.simulation import DTYPES, Simulation
from theory.problem.training import InitialWeights, Training
from theory.problem.training_tables import training_of, weights_of
from theory.problem.user_code import allow
from theory.problem.user_files import read_text

_OPTIONAL = ("batch", "initialisation", "shared_stream", "optimizer", "momentum", "decay", "epsilon", "dtype")
DATA = (".npy", ".npz", ".csv", ".mat")  # endings of files that hold data
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,31}")
# A dotted key of d parts takes the parser d^2 time and memory. A pattern that begins with a literal is fast to find.
_DEEPEST, _MOST_KEYS, _MOST_DIGITS = 8, 2**18, 2**14
_DIGITS = "0123456789abcdefABCDEF_"
_DEEP_KEY = re.compile(rf"""\.[ \t]*+(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){{{_DEEPEST - 1}}}""")
_HEADER = re.compile(r"\n[ \t]*+\[")


def load(path: str | Path, settings: Sequence[str] | None = None) -> Problem:
    r"""Return the problem in a TOML file. Raises InputError with place and remedy, OSError where it cannot be read.

    `settings` such as "data.gain=3" replace a value of the file each; their paths begin at the current folder.

    >>> from tempfile import TemporaryDirectory
    >>> problem = loads(
    ...     "[data]\nlaw = 'finite'\nx = [[1, 0], [0, 1]]\ny = [1, -1]\n"
    ...     "[network]\nmodel = 'relu'\nreadout = 'mean'\nunits = 1\n"
    ...     "[training]\nloss = 'half-mse'\ntau = 1\nw0 = [[0, 0]]\ntimes = [1]"
    ... )
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "problem.toml"
    ...     _ = path.write_text(dumps(problem))
    ...     load(path) == problem
    True
    """
    tables = placed(tables_of(text_of(path), str(path)), Path(path).parent)
    for words in settings or ():
        field, values = values_of(words, "data.gain=3")
        if len(values) != 1:
            message = f"--set {shown(words)} has {len(values)} values; one problem takes one."
            raise InputError(message, f"Write a list as {field}=[...]; gdln sweep takes several values.", "usage")
        check_field(field, f"--set {shown(words)}")
        tables = replaced(tables, field, values[0], "--set ")
    tables = placed(tables, "")
    allow(tables.get("data"))
    return _declared(tables, str(path), "")


def loads(text: str, name: str = "problem", folder: str | Path = "") -> Problem:
    r"""Return the problem in TOML `text`; `name` stands for the file in errors; paths begin at `folder`.

    Code of the user runs only if a file named it before (`load`). Raises InputError with the place and the remedy.

    >>> problem = loads(
    ...     "[data]\nlaw = 'finite'\nx = [[1, 0], [0, 1]]\ny = [1, -1]\n"
    ...     "[network]\nmodel = 'relu'\nreadout = 'mean'\nunits = 2\n"
    ...     "[training]\nloss = 'half-mse'\ntau = 1\nw0 = [[0.1, 0], [0, 0.1]]\ntimes = [1, 2]"
    ... )
    >>> problem.data.n, problem.network.units, problem.training.w0[0][0]
    (2, 2, Fraction(1, 10))
    >>> loads("[data]\nlaw = 'nglp'\n[network]\n[training]")
    Traceback (most recent call last):
    ...
    theory.problem.errors.InputError: problem: data.law = 'nglp' is not known. ...
    """
    return _declared(tables_of(text, name), name, folder)


def _declared(tables: Mapping[str, Any], name: str, folder: str | Path) -> Problem:
    """Return the problem that tables declare; `name` stands before each error."""
    try:
        return problem_of(placed(tables, folder))
    except InputError as error:
        raise InputError(f"{name}: {error.message}", error.hint, error.kind) from None


def text_of(path: str | Path) -> str:
    """Return the text of a TOML file of at most 16 MiB. Raises InputError for any other file, and for data."""
    if Path(path).suffix.lower() in DATA:
        raise InputError(
            f"{path} holds data, and no problem.", f"gdln new NAME --data {path} writes a problem on it.", "file"
        )
    return read_text(path, remedy="Draw w0 by a law instead of writing it out.")


def tables_of(text: str, name: str) -> dict[str, Any]:
    """Return the tables in TOML `text`, decimals exact; `name` stands for the file in errors.

    Raises InputError, before the parser runs, for more than 8 parts of a dotted key, 2^18 keys and tables, or 2^14
    digits of a number.

    >>> tables_of("a.b = 0.5", "file")
    {'a': {'b': Decimal('0.5')}}
    >>> tables_of("a." * 8 + "a = 1", "file")
    Traceback (most recent call last):
    ...
    theory.problem.errors.InputError: file: line 1 has a key of more than 8 parts. ...
    """
    _refuse_costly(text, name)
    try:
        return tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{name}: not valid TOML: {error}.", _where_broken(text, str(error))) from None
    except RecursionError:
        raise InputError(f"{name}: its tables are nested too deeply.", "A problem file nests three deep.") from None
    except (ValueError, InvalidOperation):  # Python's own limits: 4300 digits of an integer, exponents of a decimal
        raise InputError(f"{name}: a number is too long to be read.", "Rescale the problem.") from None


def _refuse_costly(text: str, name: str) -> None:
    """Raise InputError for a text that is small, and takes minutes or gigabytes to parse."""
    if deep := _DEEP_KEY.search(text):
        line = text.count("\n", 0, deep.start()) + 1
        raise InputError(
            f"{name}: line {line} has a key of more than {_DEEPEST} parts.", "A problem file nests three deep."
        )
    if (keys := text.count("=") + sum(1 for _ in _HEADER.finditer(text))) > _MOST_KEYS:
        raise InputError(
            f"{name}: it has {keys} keys and tables, more than {_MOST_KEYS}.",
            "Draw what is written out by a law, or declare fewer units.",
        )
    half = _MOST_DIGITS // 2  # a longer number fills one of these pieces, in any of the four bases
    if any(not text[at : at + half].strip(_DIGITS) for at in range(0, len(text) - half, half)):
        raise InputError(f"{name}: a number is too long to be read.", "Rescale the problem.")


def value_of(text: str, name: str) -> Any:
    """Return the value of an option: an inline table as in a problem file, or the word itself. InputError names `name`.

    >>> value_of("laplace", "--marginal"), value_of("{ kind = 'algebraic', k = 5 }", "--marginal")
    ('laplace', {'kind': 'algebraic', 'k': 5})
    """
    return tables_of(f"value = {text}", name)["value"] if text.lstrip().startswith("{") else text


def values_of(words: str, example: str) -> tuple[str, list[Any]]:
    """Return the dotted key and the values of an option --set; words without quotes are text. `example` is in the hint.

    >>> values_of("data.law=nlgp", "data.gain=3"), values_of("data.xi=[2,1],[3,1]", "data.gain=3")
    (('data.law', ['nlgp']), ('data.xi', [[2, 1], [3, 1]]))
    """
    field, equals, values = (part.strip() for part in words.partition("="))
    if not equals or not values:
        raise InputError(f"--set {shown(words)} sets no value.", f"Write for example --set {example}.", "usage")
    try:
        return field, tables_of(f"values = [{values}]", "--set")["values"]
    except InputError:
        return field, [word.strip() for word in values.split(",")]


def _where_broken(text: str, said: str) -> str:
    """Return a hint for invalid TOML: the parser names no line where the text ends too early."""
    if "end of document" in said:
        return f"The text ends with line {len(text.splitlines())}; a bracket, a quotation mark or a value is missing."
    return "Check that line and the one before it."


def problem_of(tables: Mapping[str, Any], shared: Shared | None = None) -> Problem:
    """Return the problem that the tables of a problem file declare; numbers may also be given as fractions.

    Problems that are declared with one `shared` have the same parts where they have the same tables.

    >>> data = {"law": "finite", "x": [[1, 0], [0, 1]], "y": [1, -1]}
    >>> network = {"model": "relu", "readout": "sum", "units": 1}
    >>> training = {"loss": "mse", "tau": 1, "w0": [["1/3", 0]], "times": [1]}
    >>> problem_of({"data": data, "network": network, "training": training}).training.w0[0][0]
    Fraction(1, 3)
    """
    if "axes" in tables:
        raise InputError("the file has [axes]: it is a sweep, not one problem.", "Run it with gdln sweep.")
    refuse_misplaced(tables)
    start = _start_named(tables)
    check_keys(tables, "the file", required=("data", "network", start), optional=("simulation",))
    for key, table in tables.items():
        if not isinstance(table, Mapping):
            raise InputError(f"{key} must be a table.", f"Write [{key}] and its keys below.")
    once = (Shared() if shared is None else shared).once
    law, network, training = tables["data"], tables["network"], tables[start]
    data = once("data", (law,), lambda: law_of(law))
    parts = (
        data,
        once("network", (network, data), lambda: _network(network, data)),
        once(start, (training,), lambda: (weights_of if start == "weights" else training_of)(training)),
    )
    if "simulation" not in tables:
        return once("problem", parts, lambda: Problem(*parts))
    simulation = once("simulation", (tables["simulation"],), lambda: _simulation(tables["simulation"]))
    return once("simulated problem", parts, lambda: Problem(*parts, simulation)).with_simulation(simulation)


def _start_named(tables: Mapping[str, Any]) -> str:
    """Return the table with the initial weights: [training], or [weights] of a deep network without a training."""
    network = tables.get("network")
    deep = isinstance(network, Mapping) and network.get("model") == DeepNetwork.model
    if deep and ("weights" in tables) == ("training" in tables):
        said = "both [weights] and [training]" if "weights" in tables else "neither [weights] nor [training]"
        raise InputError(
            f"the file has {said}.",
            "The weights of a deep network stand in [weights], or in w0 of [training] with loss, tau and times.",
        )
    return "weights" if deep and "weights" in tables else "training"


def law_of(table: Mapping[str, Any], where: str = "data", **given: Any) -> Law:
    """Return the law that a table declares; `given` are fields that the table leaves out, and `where` names it.

    >>> law_of({"law": "gaussian-clone", "n": 4, "xi": [2], "gain": 1, "boundary": "open", "normaliser": "none"},
    ...     "data.components[0]", labels=(1,)).classes
    1
    """
    kind = choose(table, where, "law", LAWS, "A new law is a file in theory/problem/distributions/.")
    table = without_length(table, kind)
    required, optional = (tuple(key for key in keys if key not in given) for keys in keys_of(kind))
    check_keys(table, f"[{where}]", required=("law", *required), optional=optional)
    return kind(**{name: value for name, value in table.items() if name != "law"}, **given)


def _network(table: Mapping[str, Any], data: Law) -> Network | GatedGraph | DeepNetwork:
    if "model" in table:
        one_of(table["model"], "network.model", (*MODELS, GatedGraph.model, DeepNetwork.model))
    if table.get("model") == DeepNetwork.model:
        return deep_network(table)
    if table.get("model") == GatedGraph.model:
        return _graph(table, data)
    check_keys(table, "[network]", required=("model", "readout"), optional=("units", "gates", "biases", "slope"))
    rows = _rows(table.get("gates", []), "network.gates", "unit")
    gates = tuple(_gate(row, f"network.gates[{index}]", data) for index, row in enumerate(rows))
    units = table.get("units", len(gates) if table["model"] == Network.gated else None)
    if units is None:
        raise InputError("[network] lacks the key `units`.", "Give the number of hidden units.")
    if table["model"] == Network.gated and not gates:
        raise InputError("A gated-linear network needs gates.", "Write one [[network.gates]] table per unit.")
    return Network(table["model"], table["readout"], units, gates, table.get("biases", "none"), table.get("slope"))


def _rows(rows: Any, where: str, what: str) -> list[Mapping[str, Any]]:
    if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows):
        raise InputError(f"{where} must be tables, one for each {what}.", f"Write [[{where}]] for each.")
    return rows


def _graph(table: Mapping[str, Any], data: Law) -> GatedGraph:
    check_keys(table, "[network]", required=("model", "nodes", "edges", "inputs", "outputs"))
    nodes, edges = [], []
    for index, row in enumerate(_rows(table["nodes"], "network.nodes", "node")):
        where = f"network.nodes[{index}]"
        check_keys(row, where, required=("name", "dimension"), optional=("gate", "scale"))
        scale = positive(row.get("scale", 1), f"{where}.scale", "it multiplies the sum over the edges")
        nodes.append(Node(_name(row, where, "name"), row["dimension"], _one_gate(row, where, data), scale=scale))
    for index, row in enumerate(_rows(table["edges"], "network.edges", "edge")):
        where = f"network.edges[{index}]"
        check_keys(row, where, required=("from", "to"), optional=("weight", "gate"))
        weight = _name(row, where, "weight") if "weight" in row else None
        gate = next(iter(_one_gate(row, where, data)), None)
        edges.append(Edge(_name(row, where, "from"), _name(row, where, "to"), weight, gate))
    ends = {}
    for key in ("inputs", "outputs"):
        if not isinstance(table[key], list) or not table[key] or not all(isinstance(end, str) for end in table[key]):
            raise InputError(f"network.{key} must be a list of names of nodes.", f'Write {key} = ["..."].')
        ends[key] = tuple(table[key])
    return GatedGraph(tuple(nodes), tuple(edges), ends["inputs"], ends["outputs"])


def _name(row: Mapping[str, Any], where: str, key: str) -> str:
    name = row[key]
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise InputError(
            f"{where}.{key} = {shown(name)} is no name.", "Write a letter, then letters, digits and underscores."
        )
    return name


def _one_gate(row: Mapping[str, Any], where: str, data: Law) -> tuple[Gate, ...]:
    if "gate" not in row:
        return ()
    if not isinstance(row["gate"], Mapping):
        raise InputError(f"{where}.gate must be a table.", 'Write gate = { kind = "site", site = 0, lo = 0.0 }.')
    return (_gate(row["gate"], f"{where}.gate", data),)


def _gate(table: Mapping[str, Any], where: str, data: Law) -> Gate:
    kind, given = kind_of(table, where, GATES, "A new gate is a file in theory/problem/gates/.")
    if "on" in keys_of(kind)[1]:
        given.setdefault("on", "latent" if data.latent else "input")
    return kind(**given)


def _simulation(table: Mapping[str, Any]) -> Simulation:
    required = ("mode", "samples", "learning_rate", "replicates", "seed")
    check_keys(table, "[simulation]", required=required, optional=_OPTIONAL)
    return Simulation(**table)


def dumps(problem: Problem, shared: Shared | None = None) -> str:
    r"""Return the problem as TOML text: loads(dumps(p)) == p. Raises OutOfReachError for recorded gates.

    The text of a part that problems have in common is written once by calls with one `shared`.

    >>> problem = loads(
    ...     "[data]\nlaw = 'finite'\nx = [[1, 0], [0, 1]]\ny = [1, -1]\n"
    ...     "[network]\nmodel = 'relu'\nreadout = 'mean'\nunits = 1\n"
    ...     "[training]\nloss = 'half-mse'\ntau = 1\nw0 = [['1/3', 0.5]]\ntimes = [1]"
    ... )
    >>> print(dumps(problem).split("[training]")[1].strip())
    loss = "half-mse"
    tau = 1.0
    w0 = [
      ["1/3", 0.5],
    ]
    times = [1.0]
    >>> loads(dumps(problem)) == problem
    True
    """
    once = (Shared() if shared is None else shared).once
    data, network, training, simulation = problem.data, problem.network, problem.training, problem.simulation
    texts = [
        once("text", (data,), lambda: "\n".join(_data_lines(data))),
        once(
            "text", (network,), lambda: "\n".join(["[network]", f'model = "{network.model}"', *_network_lines(network)])
        ),
        once("text", (training,), lambda: "\n".join(_training_lines(training))),
    ]
    if simulation is not None:
        texts.append(once("text", (simulation,), lambda: "\n".join(_simulation_lines(simulation))))
    return "\n\n".join(texts) + "\n"


def _data_lines(data: Law) -> list[str]:
    said = [f"{field.name} = {toml_value(getattr(data, field.name))}" for field in _said(data)]
    return ["[data]", f'law = "{data.law}"', *said]


def _simulation_lines(simulation: Simulation) -> list[str]:
    settings = {field.name: getattr(simulation, field.name) for field in fields(Simulation)}
    plain = {"shared_stream": False, "optimizer": "sgd", "dtype": DTYPES[0]}
    left_out = {key for key, value in settings.items() if value is None or plain.get(key) == value}
    return ["[simulation]", *(f"{key} = {toml_value(value)}" for key, value in settings.items() if key not in left_out)]


def _training_lines(training: Training | InitialWeights) -> list[str]:
    if isinstance(training, InitialWeights):
        w0 = training.w0
        drawn = isinstance(w0, NormalInitialisation)
        named = (("law", w0.law), ("scale", w0.scale), ("seed", w0.seed)) if drawn else w0.starts
        return ["[weights]", *(f"{name} = {_one_line(value)}" for name, value in named)]
    lines = ["[training]", f'loss = "{training.loss}"', f"tau = {number_text(training.tau)}"]
    lines += [f"w0 = {_initial(training.w0)}", f"times = {_list(training.times)}"]
    if training.hidden_bias0 is not None:
        lines += [f"hidden_bias0 = {_initial(training.hidden_bias0)}"]
        lines += [f"output_bias0 = {toml_value(training.output_bias0)}"]
    lines += [] if training.readout0 is None else [f"readout0 = {_initial(training.readout0)}"]
    return lines


def _network_lines(network: Network | GatedGraph | DeepNetwork) -> list[str]:
    if isinstance(network, DeepNetwork):
        return [f"{field.name} = {toml_value(getattr(network, field.name))}" for field in _said(network)]
    resolved(network.gates)  # raises for recorded gates
    if isinstance(network, GatedGraph):
        return _graph_lines(network)
    lines = [f'readout = "{network.readout}"']
    lines += [] if network.gates else [f"units = {network.units}"]
    lines += [f'biases = "{network.biases}"'] if network.has_biases else []
    lines += [f"slope = {number_text(network.slope)}"] if network.slope is not None else []
    for gate in network.gates:
        lines += ["[[network.gates]]", *(f"{key} = {value}" for key, value in _gate_items(gate))]
    return lines


def _graph_lines(network: GatedGraph) -> list[str]:
    lines = [
        f"{key} = {toml_value(ends)}" for key, ends in (("inputs", network.inputs), ("outputs", network.outputs_at))
    ]
    for node in network.nodes:
        lines += ["[[network.nodes]]", f'name = "{node.name}"', f"dimension = {node.dimension}"]
        lines += [f"gate = {gate_text(gate)}" for gate in node.gates]
        lines += [f"scale = {number_text(node.scale)}"] if node.scale != 1 else []
    for edge in network.edges:
        lines += ["[[network.edges]]", f'from = "{edge.source}"', f'to = "{edge.target}"']
        lines += [f'weight = "{edge.weight}"'] if edge.weight is not None else []
        lines += [f"gate = {gate_text(edge.gate)}"] if edge.gate is not None else []
    return lines


def _gate_items(gate: Gate) -> list[tuple[str, str]]:
    names = [field.name for field in fields(gate) if field.init]
    hard = [] if getattr(gate, "sharpness", 0) != inf else ["sharpness"]
    items = [(name, _gate_value(getattr(gate, name))) for name in names if name not in hard]
    return [("kind", f'"{gate.kind}"'), *items]


def gate_text(gate: Gate) -> str:
    """Return a gate as an inline table of a problem file.

    >>> from theory.problem import SiteGate
    >>> gate_text(SiteGate(3, lo=0, on="input"))
    '{ kind = "site", site = 3, lo = 0.0, hi = inf, on = "input" }'
    """
    return f"{{ {', '.join(f'{key} = {value}' for key, value in _gate_items(gate))} }}"


def _said(data: Law | DeepNetwork) -> list[Any]:
    """Return the fields that the text of a law or deep network states: not empty, and no default."""
    given = [field for field in fields(data) if field.init]
    return [field for field in given if getattr(data, field.name) not in (_default(field), (), None)]


def _default(field: Any) -> Any:
    return field.default if field.default_factory is MISSING else field.default_factory()


def _gate_value(value: Any) -> str:
    """Return a field of a gate as text; the entries of a direction as a table of sites."""
    if isinstance(value, tuple) and all(isinstance(entry, tuple) for entry in value):
        return f"{{ {', '.join(f'{site} = {number_text(number)}' for site, number in value)} }}"
    return toml_value(value)


def toml_value(value: Any) -> str:
    """Return a word, a number, a tuple or a table of them or a dataclass as it is written in a problem file.

    >>> toml_value(("ring", Fraction(1, 3), 2))
    '["ring", "1/3", 2]'
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and isinf(value):
        return "inf" if value > 0 else "-inf"
    if isinstance(value, Fraction):
        return number_text(value)
    if isinstance(value, tuple):
        return f"[{', '.join(map(toml_value, value))}]"
    if hasattr(value, "table"):
        return toml_value(value.table())
    if is_dataclass(value):
        said = {field.name: getattr(value, field.name) for field in fields(value)}
        if kind := getattr(value, "kind", None):  # a class of a room, named by its word
            said = {"kind": kind, **said}
        return toml_value(kind if list(said) == ["kind"] else said)
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{_key(name)} = {toml_value(entry)}' for name, entry in value.items())} }}"
    # TOML reads the escapes of JSON; in addition it requires DEL to be escaped.
    return str(value) if isinstance(value, int) else json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _key(name: str) -> str:
    """Return a key of a table, in quotes where it is no bare word."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else toml_value(name)


def number_text(value: Fraction) -> str:
    """Return a decimal where it is exact and short, otherwise a string with the fraction.

    >>> number_text(Fraction(1, 4)), number_text(Fraction(1, 3))
    ('0.25', '"1/3"')
    """
    shortest = repr(float(value)) if abs(value) < Fraction(10) ** 16 else ""
    return shortest if shortest and Fraction(shortest) == value else f'"{value}"'


def _list(values: tuple[Fraction, ...]) -> str:
    return f"[{', '.join(number_text(value) for value in values)}]"


def _initial(start: tuple[Any, ...] | NormalInitialisation | InitialByName) -> str:
    """Return a law, a list of numbers, rows of numbers, or a table of these by name, as text."""
    if isinstance(start, InitialByName):
        return f"{{ {', '.join(f'{name} = {_one_line(each)}' for name, each in start.starts)} }}"
    if isinstance(start, NormalInitialisation):
        return f'{{ law = "normal", scale = {number_text(start.scale)}, seed = {start.seed} }}'
    if all(isinstance(entry, Fraction) for entry in start):
        return _list(start)
    return "[\n" + "".join(f"  {_list(row)},\n" for row in start) + "]"


def _one_line(start: Any) -> str:
    """Return the same in one line, as an inline table requires."""
    return _initial(start) if isinstance(start, NormalInitialisation) else toml_value(start)
