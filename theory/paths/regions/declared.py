"""The gates on the plane of a deep network that a problem declares: those of its own layers, or of a second network."""

from typing import Any

from theory.paths.evaluate import start_weights
from theory.paths.regions.gating import LinearGates, ReluGates
from theory.problem.deep.architecture import FullyConnected
from theory.problem.deep.gating import HardResponse, NetworkGates, OwnGates, Response
from theory.problem.errors import OutOfReachError
from theory.problem.problem import Problem

_DECIDED = 'Write kind = "own", or kind = "network" with network = "relu", "linear" or "gated".'


def declared_gates(problem: Problem) -> LinearGates | ReluGates:
    """Return the gates of a problem's deep network as functions of its input (x1, x2), with their exact weights.

    A second network that is "gated" by hard gates is a ReLU network. Gates are strict, 1[q > 0], so that a network
    whose gates are open at q = 0 is refused: behind closed gates a pre-activation is 0 on whole regions. Raises
    OutOfReachError for this, for x of another dimension than two, for soft gates, gates that no pre-activation decides,
    convolutions, and more than 256 hidden nodes.

    >>> from theory.problem import DeepNetwork, FiniteData, InitialByName, Training
    >>> weights = InitialByName((("Theta_1", [[1, 1], [1, -1]]), ("Theta_2", [["1/2", 3]])))
    >>> network = DeepNetwork((2,), OwnGates(HardResponse("closed")))
    >>> problem = Problem(FiniteData([[1, 2]], [0]), network, Training("mse", 1, weights, (1,)))
    >>> declared_gates(problem).weights[0][1] == (1, -1)
    True
    """
    network = problem.deep
    if problem.data.n != 2:
        raise OutOfReachError(
            f"The data have inputs of n = {problem.data.n} numbers, and regions are those of the plane, x = (x1, x2).",
            "Give inputs of 2 numbers, or leave --regions out.",
        )
    if not isinstance(network.architecture, FullyConnected):
        raise OutOfReachError(
            f'network.architecture = "{network.architecture.kind}": regions are divided by fully connected levels.',
            'Write architecture = "fully-connected", or leave --regions out.',
        )
    kind, names = _deciding(network.gating, network)
    return kind(start_weights(problem, names))


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
