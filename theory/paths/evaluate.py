"""A deep network that a problem declares, as exact data: its inputs, the gates of each example, its weights.

Drawn weights are the float64 numbers of the draw, taken as the fractions that they are; hard gates are then decided by
the exact sign of the preactivation. The values of soft gates are float64 numbers, again taken exactly.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import exp, prod
from typing import Any

from theory.kernels.network import GivenValues
from theory.paths.convolution import ConvolutionalNetwork, convolved
from theory.paths.network import Rows, WeightedNetwork, inner, weighted
from theory.problem.deep.architecture import CircularConvolution
from theory.problem.deep.gating import (
    AllOpenGates,
    BernoulliGates,
    FixedGates,
    HardResponse,
    NetworkGates,
    OwnGates,
    Response,
)
from theory.problem.deep.network import DeepNetwork
from theory.problem.distributions.finite import FiniteData
from theory.problem.errors import OutOfReachError
from theory.problem.parameters import NormalInitialisation
from theory.problem.problem import Problem

MOST_PRODUCTS = 10**6
SMALLEST_GATE = 1e-100  # GivenValues refuses smaller numbers
_FAR = Fraction(1000)
_ONE, _ZERO = Fraction(1), Fraction(0)


def evaluated(problem: Problem, examples: Sequence[int] | None = None) -> WeightedNetwork | ConvolutionalNetwork:
    """Return the deep network of a problem on its examples, or on some of them, by their numbers from 0.

    Raises OutOfReachError for a network that is not deep, a law without a list of examples, labels of several numbers,
    more than MOST_PRODUCTS products of weights and nodes, and soft gates below SMALLEST_GATE.

    >>> from theory.paths import output, overlap
    >>> from theory.problem import DeepNetwork, FiniteData, HardResponse, InitialByName, OwnGates, Problem, Training
    >>> weights = InitialByName((("Theta_1", [[1, 1], [1, -1]]), ("Theta_2", [["1/2", 3]])))
    >>> network = DeepNetwork((2,), OwnGates(HardResponse("closed")))
    >>> problem = Problem(FiniteData([[1, 2], [2, 1]], [0, 1]), network, Training("mse", 1, weights, (1,)))
    >>> net = evaluated(problem)
    >>> str(output(net, 0)), str(output(net, 1))  # relu(3)/2, and relu(3)/2 + 3 relu(1)
    ('3/2', '9/2')
    >>> [[int(value) for value in row] for row in overlap(net)]
    [[1, 1], [1, 2]]
    """
    network, data = problem.deep, _finite(problem)
    chosen = range(len(data.x)) if examples is None else examples
    _check_size(problem, len(chosen))
    weights = start_weights(problem, network.names)
    x = [data.x[number] for number in chosen]
    levels = _gates(problem, chosen, x, weights)
    seen = x if network.value_input == "x" else [(_ONE,) * data.n for _ in x]
    if isinstance(network.architecture, CircularConvolution):
        return ConvolutionalNetwork(seen, levels, tuple(weights[:-1]), weights[-1][0])
    return weighted(seen, levels, weights)


def start_weights(problem: Problem, names: Sequence[str]) -> list[Any]:
    """Return the initial weights of these names as nested fractions: the numbers given, or those drawn.

    >>> from theory.problem import AllOpenGates, DeepNetwork, FiniteData, InitialByName, Training
    >>> weights = InitialByName((("Theta_1", [["1/2"]]), ("Theta_2", [[3]])))
    >>> problem = Problem(FiniteData([[1]], [0]), DeepNetwork((1,), AllOpenGates()), Training("mse", 1, weights, (1,)))
    >>> start_weights(problem, ["Theta_1"])
    [((Fraction(1, 2),),)]
    """
    drawn = problem.start()
    starts = {name: problem.training.initial(problem.deep.starts_as(name)) for name in names}
    return [
        _fractions(drawn[name].tolist()) if isinstance(start, NormalInitialisation) else start
        for name, start in starts.items()
    ]


def _fractions(values: Any) -> Any:
    return tuple(map(_fractions, values)) if isinstance(values, list) else Fraction(values)


def _gates(
    problem: Problem, chosen: Sequence[int], x: Sequence[Sequence[Fraction]], weights: Sequence[Any]
) -> list[Rows]:
    """Return the gates of each hidden level, a row for each of the chosen examples."""
    network, gating = problem.deep, problem.deep.gating
    nodes = network.nodes(problem.data)
    match gating:
        case AllOpenGates():
            return [((_ONE,) * width,) * len(x) for width in nodes]
        case FixedGates():
            return [tuple(level[number] for number in chosen) for level in gating.values]
        case BernoulliGates():
            drawn = [gating.drawn(level, len(problem.data.x), width) for level, width in enumerate(nodes, 1)]
            return [_fractions(level[list(chosen)].tolist()) for level in drawn]
        case OwnGates():
            return _decided(network, x, weights[:-1], gating.gate, lambda gate, q: gate * q)
        case NetworkGates():
            second = start_weights(problem, network.gating_names)
            return _decided(network, x, second, gating.gate, _ONWARDS[gating.network])
    raise OutOfReachError(f"Gates {gating!r} have no values here.", "Choose another kind of gates.")


_ONWARDS: dict[str, Callable[[Fraction, Fraction], Fraction]] = {
    "relu": lambda _, q: max(q, _ZERO),
    "linear": lambda _, q: q,
    "gated": lambda gate, q: gate * q,
}


def _decided(
    network: DeepNetwork,
    x: Sequence[Sequence[Fraction]],
    layers: Sequence[Any],
    response: Response,
    onwards: Callable[[Fraction, Fraction], Fraction],
) -> list[Rows]:
    """Return chi(q_l) level by level; `onwards` gives the value of a node from its gate and its preactivation."""
    convolution = isinstance(network.architecture, CircularConvolution)
    apply = convolved if convolution else _applied
    levels: list[Rows] = []
    values = [tuple(row) for row in x]
    for number, layer in enumerate(layers, 1):
        drives = [apply(layer, z) for z in values]
        gates = tuple(tuple(_response(response, q, number) for q in row) for row in drives)
        values = [tuple(map(onwards, opened, row)) for opened, row in zip(gates, drives, strict=True)]
        levels.append(GivenValues(gates).rows)
    return levels


def _applied(layer: Rows, z: Sequence[Fraction]) -> tuple[Fraction, ...]:
    return tuple(inner(row, z) for row in layer)


def _response(response: Response, q: Fraction, level: int) -> Fraction:
    """Return chi(q): decided exactly for a hard gate, in float64 for a soft one."""
    if isinstance(response, HardResponse):
        return Fraction(q > 0 or (q == 0 and response.at_zero == "open"))
    # Beyond +-1000 the exponential is 0 or the gate is refused, and larger fractions may be no float64.
    exponent = float(max(-_FAR, min(response.beta * q, _FAR)))
    share = 1 / (1 + exp(-exponent)) if exponent >= 0 else exp(exponent) / (1 + exp(exponent))
    value = float(1 + response.epsilon) * share
    if value < SMALLEST_GATE:
        raise OutOfReachError(
            f"A soft gate of level {level} is {value:.1e}, below the {SMALLEST_GATE:.0e} that products of gates bear: "
            f"beta q = {exponent:.3g}.",
            "Give a smaller beta, smaller weights, or hard gates.",
        )
    return Fraction(value)


def _finite(problem: Problem) -> FiniteData:
    data = problem.data
    if not isinstance(data, FiniteData):
        raise OutOfReachError(
            f'Gates are evaluated on a list of examples, and the law "{data.law}" has none.',
            'Write law = "finite" with the inputs that you want to see.',
        )
    if data.outputs > 1:
        raise OutOfReachError(
            f"The labels have {data.outputs} numbers each, and paths are followed to one output.",
            "Give labels of one number.",
        )
    return data


def _check_size(problem: Problem, examples: int) -> None:
    """Raise OutOfReachError where the products of one pass through the network are too many for fractions."""
    network = problem.deep
    shared = problem.data.n if isinstance(network.architecture, CircularConvolution) else 1
    products = examples * shared * sum(prod(each.shape) for each in problem.parameters)
    if products > MOST_PRODUCTS:
        raise OutOfReachError(
            f"{examples} examples need {products} products of a weight and a node, more than the {MOST_PRODUCTS} that "
            "are formed in fractions.",
            "Choose fewer examples, or smaller widths.",
        )
