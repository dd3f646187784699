"""The gates on the plane of a deep network that a problem declares: those of its own layers, or of a second network."""

from fractions import Fraction
from typing import Any

from theory.paths.evaluate import start_weights
from theory.paths.regions.gating import LinearGates, ReluGates
from theory.problem.deep.architecture import FullyConnected
from theory.problem.deep.gating import HardResponse, NetworkGates, OwnGates, Response
from theory.problem.distributions.finite import FiniteData
from theory.problem.errors import OutOfReachError
from theory.problem.problem import Problem

_DECIDED = 'Write kind = "own", or kind = "network" with network = "relu", "linear" or "gated".'


def declared_gates(problem: Problem) -> LinearGates | ReluGates:
    """Return the gates of a problem's deep network as functions of its input (x1, x2), with their exact weights.

    A third input that is the same number for all examples makes biases of its weights: the plane is then (x1, x2, c).
    A second network that is "gated" by hard gates is a ReLU network. Gates are strict, 1[q > 0], so that a network
    whose gates are open at q = 0 is refused: behind closed gates a pre-activation is 0 on whole regions. Raises
    OutOfReachError for this, for other x than these, for soft gates, gates that no pre-activation decides,
    convolutions, and more than 256 hidden nodes.

    >>> from theory.problem import DeepNetwork, FiniteData, InitialByName, Training
    >>> weights = InitialByName((("Theta_1", [[1, 1], [1, -1]]), ("Theta_2", [["1/2", 3]])))
    >>> network = DeepNetwork((2,), OwnGates(HardResponse("closed")))
    >>> problem = Problem(FiniteData([[1, 2]], [0]), network, Training("mse", 1, weights, (1,)))
    >>> declared_gates(problem).weights[0][1] == (1, -1)
    True
    """
    network, constant = problem.deep, third_input(problem)
    if problem.data.n != 2 and constant is None:
        raise OutOfReachError(
            f"The data have inputs of n = {problem.data.n} numbers, and regions are those of the plane, x = (x1, x2).",
            "Give inputs of 2 numbers, or a third one that is the same for all examples, or leave --regions out.",
        )
    if not isinstance(network.architecture, FullyConnected):
        raise OutOfReachError(
            f'network.architecture = "{network.architecture.kind}": regions are divided by fully connected levels.',
            'Write architecture = "fully-connected", or leave --regions out.',
        )
    kind, names = _deciding(network.gating, network)
    first, *later = start_weights(problem, names)
    if constant is None:
        return kind((first, *later))
    biases = tuple(row[2] * constant for row in first)
    others = tuple((Fraction(0),) * len(layer) for layer in later)
    return kind((tuple(row[:2] for row in first), *later), (biases, *others))


def third_input(problem: Problem) -> Fraction | None:
    """Return the third of three inputs where it is the same for all examples; else None.

    >>> from theory.problem import AllOpenGates, DeepNetwork, FiniteData, InitialByName, Training
    >>> weights = InitialByName((("Theta_1", [[1, 2, 3]]), ("Theta_2", [[1]])))
    >>> data = FiniteData([[5, 6, 1], [7, 8, 1]], [0, 1])
    >>> third_input(Problem(data, DeepNetwork((1,), AllOpenGates()), Training("mse", 1, weights, (1,))))
    Fraction(1, 1)
    """
    data = problem.data
    if data.n != 3 or not isinstance(data, FiniteData):
        return None
    values = {row[2] for row in data.x}
    return values.pop() if len(values) == 1 else None


def _deciding(gating: Any, network: Any) -> tuple[type[LinearGates | ReluGates], tuple[str, ...]]:
    """Return the kind of the gates, and the names of the weights that decide them."""
    match gating:
        case OwnGates(gate=response):
            kind, names = ReluGates, network.names[:-1]
        case NetworkGates(network=second, gate=response):
            kind, names = LinearGates if second == "linear" else ReluGates, network.gating_names
        case _:
            raise OutOfReachError(
                f'network.gating.kind = "{gating.kind}": these gates are no function of x, and divide no plane.',
                _DECIDED,
            )
    _check_response(response)
    return kind, names


def _check_response(response: Response) -> None:
    if not isinstance(response, HardResponse):
        raise OutOfReachError(
            "network.gating.gate is soft: a soft gate is open to some degree everywhere, and divides no plane.",
            'Write gate = { kind = "hard", at_zero = "closed" }.',
        )
    if response.at_zero != "closed":
        raise OutOfReachError(
            'network.gating.gate.at_zero = "open": regions are divided by the gates 1[q > 0]. Behind closed gates q is '
            "0 on whole regions, where the two kinds of gates differ.",
            'Write at_zero = "closed".',
        )
