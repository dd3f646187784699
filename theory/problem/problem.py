"""The whole problem: data law, network, training and, if it is simulated, the settings of the simulation."""

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from typing import Any

import numpy as np
from jaxtyping import Float

from theory.problem.contexts import check_contexts
from theory.problem.deep.network import DeepNetwork
from theory.problem.discovery import file_of
from theory.problem.distributions import Law
from theory.problem.errors import InputError, OutOfReachError
from theory.problem.fields import check_field, replaced
from theory.problem.gated_graph import GatedGraph
from theory.problem.gates import Gate
from theory.problem.gates.base import looks_on, sites_of
from theory.problem.graph import Graph, one_hidden_layer
from theory.problem.network import Network
from theory.problem.numbers import shown
from theory.problem.parameters import InitialByName, NormalInitialisation, Parameter, has_shape, initial_numbers
from theory.problem.simulation import Simulation
from theory.problem.training import INITIAL, InitialWeights, Training

# Appended to a replicate's number in the key of its draws, so that parameters with equal seeds draw independently.
_KEYS = {"w": (), "b": (0, 0), "a": (0, 1), "b_out": (0, 2)}
_GRAPH = 3  # the weights of a graph or a deep network: (0, 3), (0, 4), ...
_NOT_DEEP = (
    "For a deep network, gdln paths gives its paths, gates, outputs and kernels. gdln simulate trains it, and sim.deep "
    "trains families of deep networks in Python."
)

_SHOWN = 6000  # characters of a problem in a notebook; listed examples may be millions


@dataclass(frozen=True)
class Problem:
    """A problem: the law of the data, the network, its training, and the settings of its simulation.

    A deep network without a training has its `InitialWeights` in the place of a training, and no simulation.
    Raises InputError where the parts do not fit each other: a site outside the line, a direction of another length, a
    gate with `on` and without `sites`, one on a latent or a context that the law does not have, a context in which all
    paths are closed, initial numbers of another shape, biases or initial readout weights that are missing or that the
    network does not have, labels of several numbers for a network with one output, the cross-entropy of labels other
    than +-1.

    >>> from theory.problem import FiniteData, Network, SiteGate, Training
    >>> data = FiniteData([[1, 0], [0, 1]], [1, -1])
    >>> gates = SiteGate(0, lo=0, on="input"), SiteGate(1, lo=0, on="input")
    >>> network, training = Network("gated-linear", "mean", 2, gates), Training("half-mse", 1, [[0, 0], [1, 2]], [1])
    >>> problem = Problem(data, network, training)
    >>> problem.parameters[0].shape, problem.w0().tolist()
    ((2, 2), [[0.0, 0.0], [1.0, 2.0]])
    """

    data: Law
    network: Network | GatedGraph | DeepNetwork
    training: Training | InitialWeights
    simulation: Simulation | None = None

    def __post_init__(self) -> None:
        if isinstance(self.training, InitialWeights):
            self._check_untrained()
        if isinstance(self.network, DeepNetwork):
            self.network.check_data(self.data)
            self._check_weights_by_name()
            if isinstance(self.training, Training):
                self._check_further_starts()
                self._check_labels()
            return
        for index, gate in enumerate(self.network.gates):
            self._check_sites(index, gate)
        check_contexts(self.data, self.graph, [(self._place(k), gate) for k, gate in enumerate(self.network.gates)])
        self._check_initial_weights()
        self._check_further_starts()
        self._check_labels()

    @cached_property
    def graph(self) -> Graph:
        """The network as a graph of named parameters. Raises OutOfReachError for a deep network."""
        self.refuse_deep("This needs the graph of a network, and a deep network is declared by levels.")
        if isinstance(self.network, GatedGraph):
            self.network.check_data(self.data.n, self.data.outputs)
            return self.network.graph
        return one_hidden_layer(self.network, self.data.n, self.data.outputs)

    def replace(self, values: Mapping[str, Any]) -> "Problem":
        """Return the problem with fields set by their dotted keys, checked like a file. Raises InputError.

        >>> from theory.problem import FiniteData, Network, NormalInitialisation, Training
        >>> training = Training("half-mse", 1, NormalInitialisation(1, 0), (1,))
        >>> problem = Problem(FiniteData([[1, 0], [0, 1]], [1, -1]), Network("relu", "mean", 2), training)
        >>> problem.replace({"network.units": 3}).network.units
        3
        """
        from theory.problem import toml  # which declares problems

        tables: Any = toml.tables_of(toml.dumps(self), "problem")
        for field, value in values.items():
            check_field(field, field)
            tables = replaced(tables, field, value, "")
        return toml.problem_of(tables)

    def _repr_html_(self) -> str | None:
        """The problem as a file, for a notebook; None for recorded gates, which no file has."""
        from theory.problem import toml  # which declares problems

        try:
            text = toml.dumps(self)
        except OutOfReachError:
            return None
        cut = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
        return f'<pre style="font-family: monospace; white-space: pre-wrap">{escape(cut)}</pre>'

    def with_simulation(self, simulation: Simulation) -> "Problem":
        """Return the problem with other settings of its simulation; only what depends on them is checked again."""
        before = self.simulation
        if before is None or before.initialisation != simulation.initialisation:  # `_check_drawn` depends on it
            return replace(self, simulation=simulation)
        other = copy(self)
        object.__setattr__(other, "simulation", simulation)
        return other

    @property
    def one_layer(self) -> Network:
        """The network, where it has one hidden layer. Raises OutOfReachError for others."""
        self.refuse_deep("This needs a network with one hidden layer, and the network is deep.")
        if isinstance(self.network, GatedGraph):
            raise OutOfReachError(
                "This needs a network with one hidden layer, and the network is a graph.",
                "For a graph, gdln flow derives the equations, gdln solve integrates them, gdln compare trains it too.",
            )
        return self.network

    def refuse_deep(self, message: str) -> None:
        """Raise OutOfReachError with `message` for a deep network, and with the commands that read one."""
        if isinstance(self.network, DeepNetwork):
            raise OutOfReachError(message, _NOT_DEEP)

    @property
    def deep(self) -> DeepNetwork:
        """The network, where it is a deep gated network. Raises OutOfReachError for others."""
        if not isinstance(self.network, DeepNetwork):
            raise OutOfReachError(
                f'This needs a deep network, and network.model = "{self.network.model}".',
                'Write model = "deep" with widths and gating; gdln new --network deep writes an example.',
            )
        return self.network

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters: "w", and "b", "b_out" and "a" where it has them; the weights of a graph or a deep network."""
        return self.network.parameters(self.data) if isinstance(self.network, DeepNetwork) else self.graph.parameters

    def start(self, replicate: int | None = None) -> dict[str, np.ndarray]:
        """The initial numbers of every parameter in float64, the same for theory and simulation.

        With `replicate` a law draws the numbers of that replicate, which are independent of those of the others.
        """
        key = () if replicate is None else (replicate,)
        by_name = isinstance(self.network, GatedGraph | DeepNetwork)
        keys = {each.name: (0, _GRAPH + index) for index, each in enumerate(self.parameters)} if by_name else _KEYS
        return {
            parameter.name: initial_numbers(self.training.initial(source), parameter.shape, (*key, *keys[source]))
            for parameter in self.parameters
            for source in (self._starts_as(parameter.name),)
        }

    def _starts_as(self, name: str) -> str:
        """Return the parameter whose initial numbers the parameter `name` has."""
        return self.network.starts_as(name) if isinstance(self.network, DeepNetwork) else name

    def _check_untrained(self) -> None:
        """Raise InputError where initial weights stand in the place of the training of what needs one."""
        if not isinstance(self.network, DeepNetwork):
            raise InputError(
                f'[weights] are those of a deep network, and network.model = "{self.network.model}".',
                "Write [training] with loss, tau, w0 and times.",
            )
        if self.simulation is not None:
            raise InputError(
                "[simulation] without [training]: there are no times and no loss.",
                "Remove [simulation], or write [training] with loss, tau, w0 and times in the place of [weights].",
            )

    def _check_sites(self, index: int, gate: Gate) -> None:
        n, where, sites = self.data.n, self._place(index), sites_of(gate)
        if looks_on(gate) is not None and not hasattr(gate, "sites"):
            raise InputError(
                f"{where}: {type(gate).__name__} has `on` but no `sites`, so that its sites cannot be checked.",
                f"Add `sites` in {file_of(type(gate))}; a gate with one `site` gives (self.site,) as a property.",
            )
        if getattr(gate, "size", None) not in (None, n):
            raise InputError(
                f"{where}.v has {gate.size} numbers; the data have n = {n} sites.",
                "Give one number for each site, or a table { site = number }.",
            )
        if sites and max(sites) >= n:
            written = "v: site" if len(sites) > 1 or hasattr(gate, "v") else "site ="
            named = f"{where}{': ' if isinstance(self.network, GatedGraph) else '.'}{written} {max(sites)}"
            raise InputError(
                f"{named} lies outside the line of n = {n} sites.", f"Sites count from 0: choose 0 to {n - 1}."
            )
        if looks_on(gate) == "latent" and not self.data.latent:
            raise InputError(
                f'{where} is on the latent, but the law "{self.data.law}" has no latent variable.',
                'Leave `on` out or write on = "input".',
            )

    def _place(self, index: int) -> str:
        """Return the place of a gate in a problem file, for error messages."""
        if not isinstance(self.network, GatedGraph):
            return f"network.gates[{index}]"
        owner = self.network.gated[index]
        return (
            f"the gate of node {owner}" if isinstance(owner, str) else f"the gate from {owner.source} to {owner.target}"
        )

    def _check_weights_by_name(self) -> None:
        """Raise InputError unless the weights start from one law, or each from its own law or numbers."""
        parameters = [each for each in self.parameters if self._starts_as(each.name) == each.name]
        w0, names = self.training.w0, [parameter.name for parameter in parameters]
        here = self.training.where
        what, where = ("a deep network", "levels") if isinstance(self.network, DeepNetwork) else ("a graph", "edges")
        if isinstance(w0, NormalInitialisation):
            return
        if not isinstance(w0, InitialByName):
            raise InputError(
                f"training.w0 is one array, but {what} has weights of several names.",
                f"Write [training.w0] with {', '.join(names)}, or one law for all.",
            )
        for name in w0.names:
            if name not in names:
                first = self._starts_as(name)
                why = f"{what} with these {where} does not have" if first == name else f"starts as {first} does"
                raise InputError(f"{here} names {name}, which {why}.", f"Name {', '.join(names)}.")
        for parameter in parameters:
            if parameter.name not in w0.names:
                raise InputError(f"{here} lacks {parameter.name}.", "Give its numbers or a law.")
            given = w0.of(parameter.name)
            if not isinstance(given, NormalInitialisation) and not has_shape(given, parameter.shape):
                raise InputError(
                    f"{here}.{parameter.name} is no array of {' x '.join(map(str, parameter.shape))} numbers.",
                    _rows_needed(parameter.shape),
                )
        self._check_drawn(all(isinstance(w0.of(name), NormalInitialisation) for name in names))

    def _check_drawn(self, drawn: bool) -> None:
        if not drawn and self.simulation and self.simulation.initialisation == "per-replicate":
            raise InputError(
                'simulation.initialisation = "per-replicate" needs a law for w0, but w0 is given as numbers.',
                'Write w0 = { law = "normal", scale = ..., seed = ... }, or initialisation = "shared".',
            )

    def _check_initial_weights(self) -> None:
        if isinstance(self.network, GatedGraph):
            self._check_weights_by_name()
            return
        w0, units, n = self.training.w0, self.network.units, self.data.n
        if isinstance(w0, NormalInitialisation):
            return
        if isinstance(w0, InitialByName):
            raise InputError(
                "training.w0 is a table of weights by name, which belongs to a graph.",
                'Give K rows of n numbers or a law, or write network.model = "gated-graph".',
            )
        if not has_shape(w0, self.graph.parameter("w").shape):
            lengths = sorted({len(row) for row in w0})
            rows = (
                f"K = {units} rows of n = {n}"
                if self.data.outputs == 1 or self.network.trains_readout
                else (f"K = {units} times m = {self.data.outputs} rows of n = {n}")
            )
            raise InputError(
                f"training.w0 has {len(w0)} rows of length {shown(lengths)}; the network needs {rows}.",
                "Give one row of n numbers for each unit.",
            )
        self._check_drawn(drawn=False)

    def _check_further_starts(self) -> None:
        """Check that hidden_bias0, output_bias0 and readout0 are given exactly where the network has them."""
        network, training = self.network, self.training
        if isinstance(network, DeepNetwork):
            given = [
                name for name in ("hidden_bias0", "output_bias0", "readout0") if getattr(training, name) is not None
            ]
            if given:
                raise InputError(
                    f"training.{given[0]} is given, but a deep network has no biases, and its readout is Theta_d.",
                    "Remove it; the weights start from training.w0.",
                )
            return
        has, otherwise = f'network.biases = "{network.biases}"', 'network.biases = "fixed" or "trained"'
        self._check_given(("hidden_bias0", "output_bias0"), network.has_biases, has, "no biases", otherwise)
        has, otherwise = f'network.readout = "{network.readout}"', 'network.readout = "trained-mean" or "trained-sum"'
        self._check_given(("readout0",), network.trains_readout, has, "readout weights that are all 1", otherwise)
        for parameter in () if isinstance(network, GatedGraph) else self.parameters:
            given = training.initial(parameter.name)
            if parameter.name == "w" or not isinstance(given, tuple) or has_shape(given, parameter.shape):
                continue
            where = f"training.{INITIAL[parameter.name]}"
            if len(parameter.shape) == 1 and parameter.name != "b_out":
                raise InputError(
                    f"{where} has {len(given)} numbers; the network has K = {network.units} units.",
                    "Give one number for each unit.",
                )
            raise InputError(
                f"{where} is no array of the shape {list(parameter.shape)}, which this network needs.",
                "Give an array of this shape, or a law.",
            )

    def _check_given(self, names: tuple[str, ...], needed: bool, setting: str, has: str, otherwise: str) -> None:
        missing = [name for name in names if getattr(self.training, name) is None]
        if needed and missing:
            listed = ", ".join(f"`{name}`" for name in missing)
            raise InputError(
                f"{setting}, but training lacks {listed}.",
                "State where they start: output_bias0 = one number, hidden_bias0 and readout0 = K numbers or a law.",
            )
        for name in names:
            if not needed and name not in missing:
                raise InputError(
                    f"training.{name} is given, but {setting}: this network has {has}.",
                    f"Remove it, or write {otherwise}.",
                )

    def _check_labels(self) -> None:
        if self.training.loss == "cross-entropy" and not set(self.data.labels) <= {-1, 1}:
            listed = ", ".join(str(label) for label in self.data.labels)
            raise InputError(
                f'training.loss = "cross-entropy" is <log(1 + exp(-y yhat))> for labels y = 1 and -1, but data.labels '
                f"= [{listed}].",
                "Write labels = [1.0, -1.0], or choose another loss.",
            )

    def w0(self, replicate: int | None = None) -> Float[np.ndarray, "K *m n"]:
        """The initial weights (K, n), entry (k, j) of unit k and site j."""
        return self.start(replicate)["w"]

    def biases0(self, replicate: int | None = None) -> Float[np.ndarray, " C"] | None:
        """The C = K + 1 initial biases b_1, ..., b_K, b_out; None where the network has none."""
        start = self.start(replicate)
        return np.concatenate([start["b"].ravel(), start["b_out"]]) if self.network.has_biases else None

    def readout0(self, replicate: int | None = None) -> Float[np.ndarray, "*m K"] | None:
        """The K initial readout weights a_1, ..., a_K; None where the network trains none: then all are 1."""
        return self.start(replicate).get("a")

    def simulated(self) -> Simulation:
        """The simulation settings. Raises InputError where the problem has none."""
        if self.simulation is None:
            untrained = isinstance(self.training, InitialWeights)
            before = "Write [training] with loss, tau, w0 and times in the place of [weights], and [simulation]"
            raise InputError(
                "The problem has no [simulation] table.",
                f"{before if untrained else 'Add one'}: mode, samples, batch, learning_rate, replicates, seed.",
            )
        return self.simulation


def _rows_needed(shape: tuple[int, ...]) -> str:
    """Return a hint with the rows of an array of weights."""
    if len(shape) == 2:
        return f"Give {shape[0]} rows of {shape[1]} numbers: a row for each unit that the edge leads to."
    return f"Give {shape[0]} channels with {shape[1]} rows of {shape[2]} numbers: a row for each channel before."
