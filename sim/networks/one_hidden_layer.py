"""Networks with one hidden layer and one output, S at once: yhat = s sum_k a_k f_k(x) + b_out, and their gradient.

This module needs fewer operations than `sim.networks.graph`. w is (S, K, n); biases
b (S, K) and b_out (S, 1); readout weights a (S, K), all 1 where they are not trained; x (S, B, n); y (S, B); gates
(S, K, B). The pre-activations h_k = w_k.x + b_k have the shape (S, K, B).
"""

import torch
from jaxtyping import Float

from sim.networks.activations import activation_named
from sim.networks.examples import Examples
from sim.networks.losses import loss_named
from sim.networks.parameters import Parameters
from theory.problem import Network


def readout_scale(network: Network) -> float:
    """Return s: 1/K for the mean readouts, 1 for the sums."""
    return float(network.scale)


def leak(network: Network) -> float:
    """Return the slope of ReLU (0) and leaky ReLU where h <= 0."""
    return 0.0 if network.slope is None else float(network.slope)


def predict(network: Network, parameters: Parameters, examples: Examples) -> Float[torch.Tensor, "S B"]:
    """Return yhat(x) = s sum_k a_k f_k(x) + b_out. Raises OutOfReachError for a model without a simulation.

    >>> network = Network("relu", "sum", 2)
    >>> examples = Examples(torch.tensor([[[1.0, 2.0]]]), torch.zeros(1, 1))
    >>> predict(network, {"w": torch.tensor([[[1.0, 1.0], [0.0, -1.0]]])}, examples).tolist()
    [[3.0]]
    """
    value, _ = _units(network, _preactivations(parameters, examples), examples)
    return _read(network, parameters, value)


def gradient(network: Network, kind: str, parameters: Parameters, examples: Examples) -> dict[str, torch.Tensor]:
    """Return the gradient of L in the trained parameters, by name.

    dL/dw_k = c s <r a_k f_k'(h_k) x>, r the residual of an example, c the loss's factor; dL/db_k =
    c s <r a_k f_k'(h_k)> and dL/db_out = c <r> where the biases are trained; dL/da_k = c s <r f_k(h_k)>.

    >>> examples = Examples(torch.tensor([[[1.0], [2.0]]]), torch.zeros(1, 2))
    >>> gradient(Network("relu", "sum", 1), "half-mse", {"w": torch.ones(1, 1, 1)}, examples)["w"].tolist()
    [[[2.5]]]
    """
    value, slope = _units(network, _preactivations(parameters, examples), examples)
    named = loss_named(kind)
    scale, share = readout_scale(network), named.gradient_factor / examples.x.shape[1]
    residual = named.residual(_read(network, parameters, value), examples.y)
    pull = slope * residual[:, None, :]
    readout = {}
    if "a" in parameters:
        readout["a"] = torch.bmm(value, residual[:, :, None]).squeeze(2).mul_(scale * share)
        pull.mul_(parameters["a"][:, :, None])
    found = {"w": torch.bmm(pull, examples.x).mul_(scale * share)}
    if network.biases == "trained":
        found["b"] = pull.sum(dim=2).mul_(scale * share)
        found["b_out"] = residual.sum(dim=1, keepdim=True).mul_(share)
    return found | readout


def _preactivations(parameters: Parameters, examples: Examples) -> torch.Tensor:
    inputs = examples.x.transpose(1, 2)
    if "b" not in parameters:
        return torch.bmm(parameters["w"], inputs)
    return torch.baddbmm(parameters["b"][:, :, None], parameters["w"], inputs)


def _read(network: Network, parameters: Parameters, value: torch.Tensor) -> torch.Tensor:
    a = parameters.get("a")
    total = value.sum(dim=1) if a is None else torch.bmm(a[:, None, :], value).squeeze(1)
    yhat = total.mul_(readout_scale(network))
    return yhat.add_(parameters["b_out"]) if "b_out" in parameters else yhat


def _units(network: Network, h: torch.Tensor, examples: Examples) -> tuple[torch.Tensor, torch.Tensor]:
    """Return f_k(h) and its derivative df_k/dh."""
    if network.model == Network.gated:
        return h * examples.gate, examples.gate
    return activation_named(network.model).with_slope(h, leak(network))
