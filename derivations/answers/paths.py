"""The answer of `gdln paths`: the paths of a deep network, which of them are active, its outputs and its kernels."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import theory.paths
from derivations.answers.exact_numbers import decimal_text, exact_text
from derivations.output import columns
from theory.paths import MOST_PATHS, WeightedNetwork, convolution, evaluated
from theory.paths.convolution import ConvolutionalNetwork
from theory.paths.network import Rows
from theory.problem import (
    AllOpenGates,
    BernoulliGates,
    DeepNetwork,
    FixedGates,
    InputError,
    NetworkGates,
    OutOfReachError,
    OwnGates,
    Problem,
    SoftResponse,
)
from theory.problem.deep.gating import Response
from theory.problem.numbers import shown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_INPUTS = 100
_LISTED, _LISTED_IN_JSON = 12, 1000  # active paths of an input
_ROWS, _NODES = 12, 24  # of a matrix and of a level, in the text
_LONGEST = 20  # characters of a fraction; a decimal stands in its place


@dataclass(frozen=True)
class PathTerm:
    """One active path with its feature phi(x, p) and its value v(p); the output is the sum of phi v."""

    path: tuple[int, ...]
    feature: Fraction
    value: Fraction


@dataclass(frozen=True)
class InputPaths:
    """One input x, z_0 that the values see, its gates, its number of active paths, and the output level by level.

    `terms` are its active paths and `over_paths` is the output as the sum over all paths; both are None where the
    paths are too many to be enumerated.
    """

    number: int
    x: tuple[Fraction, ...]
    seen: tuple[Fraction, ...]
    gates: Rows
    active: int
    output: Fraction
    terms: tuple[PathTerm, ...] | None
    over_paths: Fraction | None


@dataclass(frozen=True)
class InTorch:
    """The same network in PyTorch in float64: the largest difference of an output, and the gates that differ by 0.5."""

    difference: float
    gates: int


@dataclass(frozen=True)
class PathsAnswer:
    """The paths of a deep network on some of its examples.

    `overlap` is Lambda between fully connected levels; between convolutional ones, whose paths start at a position, it
    is the number of paths that are active for both inputs, and `bundles` is the kernel of paths that share their value.
    `tangent` is the tangent kernel with the gates fixed.
    """

    declared: DeepNetwork
    network: WeightedNetwork | ConvolutionalNetwork
    inputs: tuple[InputPaths, ...]
    overlap: Rows
    kernel: Rows
    tangent: Rows
    bundles: Rows | None
    in_torch: InTorch | None

    @property
    def convolutional(self) -> bool:
        """True for shared weights."""
        return isinstance(self.network, ConvolutionalNetwork)

    def named(self, path: Sequence[int]) -> str:
        """The nodes of a path in words; a node of a convolutional level is channel.position."""
        nodes = map(str, path[1:])
        if isinstance(self.network, ConvolutionalNetwork):
            nodes = (f"{node // self.network.n}.{node % self.network.n}" for node in path[1:])
        return "-".join((str(path[0]), *nodes))

    def figure(self) -> "Figure":
        """The network with the active paths of the first inputs."""
        from derivations.answers.paths_figure import paths_figure

        return paths_figure(self)

    def json(self) -> dict[str, Any]:
        """The object that `gdln paths --json` prints; exact numbers are fractions in strings."""
        return {
            "depth": self.declared.depth,
            "nodes": [*self.network.widths, 1],
            "gating": self.declared.gating.kind,
            "architecture": self.declared.architecture.kind,
            "value_input": self.declared.value_input,
            "paths": str(self.network.number_of_paths),
            "inputs": [self._input(one) for one in self.inputs],
            "overlap": _matrix(self.overlap),
            "path_kernel": _matrix(self.kernel),
            "tangent_kernel": _matrix(self.tangent),
            "bundle_kernel": None if self.bundles is None else _matrix(self.bundles),
            "torch": None
            if self.in_torch is None
            else {"difference": self.in_torch.difference, "gates": self.in_torch.gates},
        }

    def _input(self, one: InputPaths) -> dict[str, Any]:
        few = one.terms is not None and one.active <= _LISTED_IN_JSON
        return {
            "number": one.number,
            "x": list(map(exact_text, one.x)),
            "gates": [list(map(exact_text, level)) for level in one.gates],
            "active": str(one.active),
            "active_paths": [
                {"path": list(term.path), "feature": exact_text(term.feature), "value": exact_text(term.value)}
                for term in one.terms
            ]
            if few
            else None,
            "output": exact_text(one.output),
            "output_over_paths": None if one.over_paths is None else exact_text(one.over_paths),
        }

    def text(self) -> str:
        """The network, then each input with its gates, active paths and output, then the kernels, for a reader."""
        count = self.network.number_of_paths
        nodes = ", ".join(map(str, (*self.network.widths, 1)))
        lines = [
            f"{'network':<10}{self.declared.depth} layers of weights, {self.declared.architecture.kind}",
            f"{'gates':<10}{gates_in_words(self.declared)}",
            f"{'nodes':<10}{nodes}, from the inputs to the output",
            f"{'paths':<10}{count}, from an input node to the output",
        ]
        if self.declared.value_input == "ones":
            lines.append(f"{'values':<10}of ones in place of x")
        if self.inputs[0].over_paths is None:
            lines.append(f"{'':<10}they are counted; at most {MOST_PATHS}, for all inputs together, are listed")
        for one in self.inputs:
            lines += ["", *self._lines(one, count)]
        lines += ["", *self._kernels()]
        if self.in_torch is not None:
            lines += [
                "",
                f"PyTorch in float64: outputs differ by at most {self.in_torch.difference:.1e}; "
                f"{self.in_torch.gates} gates differ",
            ]
        return "\n".join(lines)

    def _lines(self, one: InputPaths, count: int) -> Iterator[str]:
        yield f"input {one.number}   x = {' '.join(map(number_text, one.x[:_NODES]))}"
        yield f"{'  gates':<12}{' | '.join(_gates_text(level) for level in one.gates)}"
        yield f"{'  active':<12}{one.active} of {count} paths"
        if one.terms is not None and one.active <= _LISTED:
            for term in one.terms:
                feature, value = number_text(term.feature), number_text(term.value)
                yield f"{'':<12}{self.named(term.path):<14} phi = {feature:<14} v = {value}"
        said = number_text(one.output)
        if one.over_paths is not None:
            said += f", and <phi, v> = {number_text(one.over_paths)}"
        yield f"{'  output':<12}{said}"

    def _kernels(self) -> Iterator[str]:
        if self.convolutional:
            yield "paths that are active for both inputs"
        else:
            yield "overlap Lambda(s, t) = prod_l <G_l(x_s), G_l(x_t)>"
        yield from _table(self.overlap)
        same = "" if self.convolutional else " = Sigma o Lambda"
        yield f"neural path kernel H(s, t) = <phi(x_s), phi(x_t)>{same}"
        yield from _table(self.kernel)
        if self.bundles is not None:
            yield "kernel of bundles: the mean of y(x_s) y(x_t) over weights of variance 1, independent of these gates"
            yield from _table(self.bundles)
        yield "tangent kernel K(s, t), gates fixed"
        yield from _table(self.tangent)


def answer(problem: Problem, inputs: Sequence[int] | None = None, in_torch: bool = False) -> PathsAnswer:
    """Return the paths of the deep network of a problem on its examples, or on those with the numbers `inputs`.

    With `in_torch` the network is evaluated in PyTorch as well. Raises InputError for a number that no example has, and
    OutOfReachError as `theory.paths.evaluate` and for more than MOST_INPUTS inputs. Too many paths are counted and not
    listed.

    >>> from theory.problem import DeepNetwork, FiniteData, HardResponse, InitialByName, OwnGates, Training
    >>> weights = InitialByName((("Theta_1", [[1, 1], [1, -1]]), ("Theta_2", [["1/2", 3]])))
    >>> network = DeepNetwork((2,), OwnGates(HardResponse("closed")))
    >>> problem = Problem(FiniteData([[1, 2], [2, 1]], [0, 1]), network, Training("mse", 1, weights, (1,)))
    >>> [(one.active, str(one.output)) for one in answer(problem).inputs]
    [(2, '3/2'), (4, '9/2')]
    """
    declared = problem.deep
    chosen = _chosen(problem, inputs)
    network = evaluated(problem, chosen)
    shared = isinstance(network, ConvolutionalNetwork)
    sums = convolution if shared else theory.paths
    few = network.number_of_paths * len(chosen) <= MOST_PATHS
    paths, values = (sums.paths(network), sums.values(network)) if few else ((), ())
    by_input = []
    for s, number in enumerate(chosen):
        active = sums.number_active(network, s)
        terms = over_paths = None
        if few:
            along = zip(paths, sums.features(network, s), values, strict=True)
            opened = set(sums.active_paths(network, s))
            terms = tuple(PathTerm(*term) for term in along if term[0] in opened)
            over_paths = sums.output_over_paths(network, s)
        x, seen, output = problem.data.x[number], network.inputs[s], sums.output(network, s)
        by_input.append(InputPaths(number, x, seen, network.gates(s), active, output, terms, over_paths))
    return PathsAnswer(
        declared,
        network,
        tuple(by_input),
        _common(network) if shared else theory.paths.overlap(network),
        sums.path_kernel(network),
        sums.tangent_kernel(network),
        convolution.bundle_kernel(network) if shared else None,
        _in_torch(problem, by_input) if in_torch else None,
    )


def numbers_in(text: str) -> tuple[int, ...]:
    """Return the whole numbers of a list as 0,2. Raises InputError for anything else.

    >>> numbers_in("0, 2")
    (0, 2)
    """
    words = [word.strip() for word in text.split(",")]
    if not all(word.isascii() and word.isdecimal() and len(word) < 10 for word in words):
        raise InputError(f"--inputs {shown(text)} is no list of numbers.", "Write --inputs 0,2.", "inputs")
    return tuple(map(int, words))


def _chosen(problem: Problem, inputs: Sequence[int] | None) -> tuple[int, ...]:
    """Return the numbers of the examples that are looked at."""
    examples = getattr(problem.data, "x", ())
    chosen = tuple(range(len(examples))) if inputs is None else tuple(inputs)
    for number in chosen:
        if not 0 <= number < len(examples):
            raise InputError(
                f"--inputs {number}: the data have {len(examples)} examples.", "Examples count from 0.", "inputs"
            )
    if len(set(chosen)) < len(chosen):
        raise InputError(f"--inputs {shown(list(chosen))} names an example twice.", "Name each once.", "inputs")
    if len(chosen) > MOST_INPUTS:
        raise OutOfReachError(
            f"{len(chosen)} inputs have kernels of {len(chosen) ** 2} exact entries; at most {MOST_INPUTS} inputs are "
            "answered at once.",
            "Choose some with --inputs 0,1,2.",
        )
    return chosen


def _common(network: ConvolutionalNetwork) -> Rows:
    size = range(len(network.inputs))
    return tuple(tuple(Fraction(convolution.number_common(network, s, t)) for t in size) for s in size)


def _in_torch(problem: Problem, by_input: Sequence[InputPaths]) -> InTorch:
    from sim.networks.deep import at_start

    simulated = at_start(problem)
    difference, gates = 0.0, 0
    for one in by_input:
        difference = max(difference, abs(simulated.output[0, one.number, 0].item() - float(one.output)))
        for level, exact in zip(simulated.gates, one.gates, strict=True):
            pairs = zip(level[0, one.number].flatten().tolist(), exact, strict=True)
            gates += sum(abs(value - float(gate)) >= 0.5 for value, gate in pairs)
    return InTorch(difference, gates)


def number_text(value: Fraction) -> str:
    """The fraction where it is short, otherwise ten digits of it.

    >>> number_text(Fraction(-3, 2)), number_text(Fraction(10**30, 3))
    ('-3/2', '3.333333333e+29')
    """
    if max(abs(value.numerator), value.denominator) < 10**_LONGEST and len(str(value)) <= _LONGEST:
        return str(value)
    return decimal_text(value)


def gates_in_words(network: DeepNetwork) -> str:
    """Where the gates of a deep network come from.

    >>> from theory.problem import SoftResponse
    >>> gates_in_words(DeepNetwork((2,), OwnGates(SoftResponse(4, 0))))
    'decided by its own preactivations, soft with beta = 4 and epsilon = 0'
    """
    match network.gating:
        case AllOpenGates():
            return "all open"
        case FixedGates():
            return "given"
        case BernoulliGates(mu=mu, seed=seed):
            return f"open with probability {mu}, drawn with the seed {seed}"
        case OwnGates(gate=response):
            return f"decided by its own preactivations, {_response_in_words(response)}"
        case NetworkGates(network=second, gate=response, frozen=frozen):
            kept = "frozen" if frozen else "learned"
            return f"decided by a second network ({second}, {kept}), {_response_in_words(response)}"
    raise OutOfReachError(f"Gates {network.gating!r} have no description.", "Choose another kind of gates.")


def _response_in_words(response: Response) -> str:
    if isinstance(response, SoftResponse):
        return f"soft with beta = {response.beta} and epsilon = {response.epsilon}"
    return f"hard, {response.at_zero} at 0"


def _gates_text(level: Sequence[Fraction]) -> str:
    """The gates of a level; those beyond the first are counted."""
    hard = set(level) <= {0, 1}
    said = " ".join(str(gate) if hard else f"{float(gate):.3g}" for gate in level[:_NODES])
    if len(level) <= _NODES:
        return said
    return f"{said} ... ({sum(gate != 0 for gate in level)} of {len(level)} open)"


def _matrix(rows: Rows) -> list[list[str]]:
    return [list(map(exact_text, row)) for row in rows]


def _table(rows: Rows) -> Iterator[str]:
    """The rows of a matrix in columns; those beyond the first are left to JSON."""
    cells = [list(map(number_text, row[:_ROWS])) for row in rows[:_ROWS]]
    yield from (f"  {line}" for line in columns(cells))
    if len(rows) > _ROWS:
        yield f"  ... {len(rows)} rows, all of them with --json"
