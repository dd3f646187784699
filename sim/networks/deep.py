"""Deep gated networks in torch, batched over inputs: preactivations, gates and outputs of one forward pass.

z_0 = x, q_l = Theta_l z_(l-1), z_l = q_l * G_l, yhat = Theta_d z_(d-1); between convolutional levels Theta_l is a
circular convolution, and the last level is averaged over positions before Theta_d.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float

from theory.problem import (
    AllOpenGates,
    BernoulliGates,
    CircularConvolution,
    DeepNetwork,
    FiniteData,
    FixedGates,
    HardResponse,
    NetworkGates,
    OutOfReachError,
    OwnGates,
    Problem,
    SoftResponse,
)

Numbers = Mapping[str, torch.Tensor]


@dataclass(frozen=True)
class DeepPass:
    """q_l and G_l of each hidden level, (B, nodes), and yhat, (B, m); convolutional nodes are channel by channel."""

    preactivations: tuple[torch.Tensor, ...]
    gates: tuple[torch.Tensor, ...]
    output: torch.Tensor


def forward(
    network: DeepNetwork, parameters: Numbers, x: Float[torch.Tensor, "B n"], given: Sequence[torch.Tensor] = ()
) -> DeepPass:
    """Return one pass of the inputs x through the network; the dtype is that of x and the parameters.

    `given` are the gates of each level, (B, nodes), where no preactivation decides them: fixed and Bernoulli gates.

    >>> from theory.problem import HardResponse
    >>> network = DeepNetwork((2,), OwnGates(HardResponse("closed")))
    >>> weights = {"Theta_1": torch.tensor([[1.0, 1.0], [1.0, -1.0]]), "Theta_2": torch.tensor([[0.5, 3.0]])}
    >>> found = forward(network, weights, torch.tensor([[1.0, 2.0], [2.0, 1.0]]))
    >>> found.output.tolist(), found.gates[0].tolist()
    ([[1.5], [4.5]], [[1.0, 0.0], [1.0, 1.0]])
    """
    if isinstance(network.gating, NetworkGates):
        given = _second_network(network, parameters, x)
    z = x if network.value_input == "x" else torch.ones_like(x)
    drives, gates = [], []
    for level, name in enumerate(network.names[:-1]):
        q = _through(network, parameters[name], z, x.shape[1])
        gate = _gate(network, q, given, level)
        drives.append(q)
        gates.append(gate)
        z = q * gate
    if isinstance(network.architecture, CircularConvolution):
        z = z.reshape(len(z), -1, x.shape[1]).mean(dim=2)
    return DeepPass(tuple(drives), tuple(gates), z @ parameters[network.names[-1]].T)


def at_start(problem: Problem, dtype: torch.dtype = torch.float64) -> DeepPass:
    """Return the pass of the examples of a problem through its deep network at the initial weights.

    Raises OutOfReachError for a network that is not deep and a law without a list of examples.
    """
    network, data = problem.deep, problem.data
    if not isinstance(data, FiniteData):
        raise OutOfReachError(f'The law "{data.law}" has no list of examples.', 'Write law = "finite".')
    x = torch.tensor([[float(value) for value in row] for row in data.x], dtype=dtype)
    parameters = {name: torch.as_tensor(numbers, dtype=dtype) for name, numbers in problem.start().items()}
    return forward(network, parameters, x, gates_given(network, data, dtype))


def gates_given(network: DeepNetwork, data: FiniteData, dtype: torch.dtype) -> tuple[torch.Tensor, ...]:
    """Return the gates of each level that the declaration fixes; () where preactivations decide them.

    >>> network = DeepNetwork((2,), FixedGates([[[1, 0], ["1/2", 1]]]))
    >>> gates_given(network, FiniteData([[1], [2]], [0, 1]), torch.float64)[0].tolist()
    [[1.0, 0.0], [0.5, 1.0]]
    """
    gating = network.gating
    if isinstance(gating, FixedGates):
        values = ([[float(value) for value in row] for row in level] for level in gating.values)
        return tuple(torch.tensor(level, dtype=dtype) for level in values)
    if isinstance(gating, BernoulliGates):
        drawn = (gating.drawn(level, len(data.x), nodes) for level, nodes in enumerate(network.nodes(data), 1))
        return tuple(torch.as_tensor(level, dtype=dtype) for level in drawn)
    return ()


def _second_network(network: DeepNetwork, parameters: Numbers, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Return the gates that the second network gives."""
    gating, gates, z = network.gating, [], x
    for name in network.gating_names:
        q = _through(network, parameters[name], z, x.shape[1])
        gate = gate_response(gating.gate, q)
        gates.append(gate)
        z = {"relu": q.clamp(min=0), "linear": q, "gated": q * gate}[gating.network]
    return tuple(gates)


def _through(network: DeepNetwork, theta: torch.Tensor, z: torch.Tensor, n: int) -> torch.Tensor:
    """Return Theta z of a level, (B, nodes)."""
    if not isinstance(network.architecture, CircularConvolution):
        return z @ theta.T
    channels = z.reshape(len(z), -1, n)
    window = theta.shape[2]
    around = torch.cat([channels, channels[:, :, : window - 1]], dim=2)
    return torch.nn.functional.conv1d(around, theta).flatten(1)


def _gate(network: DeepNetwork, q: torch.Tensor, given: Sequence[torch.Tensor], level: int) -> torch.Tensor:
    match network.gating:
        case OwnGates(gate=response):
            return gate_response(response, q)
        case AllOpenGates():
            return torch.ones_like(q)
        case FixedGates() | BernoulliGates() | NetworkGates():
            return given[level]
    raise OutOfReachError(f"Gates {network.gating!r} are not simulated.", "Choose another kind of gates.")


def gate_response(response: HardResponse | SoftResponse, q: torch.Tensor) -> torch.Tensor:
    """Return chi(q): (1 + epsilon)/(1 + exp(-beta q)) for soft gates; 1 where q > 0, or where q >= 0, for hard ones.

    >>> gate_response(HardResponse("closed"), torch.tensor([-1.0, 0.0, 2.0])).tolist()
    [0.0, 0.0, 1.0]
    """
    if isinstance(response, SoftResponse):
        return float(1 + response.epsilon) * torch.sigmoid(float(response.beta) * q)
    return (q >= 0 if response.at_zero == "open" else q > 0).to(q.dtype)
