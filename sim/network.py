"""Networks with one hidden layer, S at once: yhat = s sum_k f_k(x) + b_out, the loss and its gradient, by hand.

w is (S, K, n); biases (S, K + 1), first b_1, ..., b_K, then b_out; x (S, B, n); y (S, B); gates (S, K, B).
h_k = w_k.x + b_k has the shape (S, K, B).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Float

from theory.problem import Network

LOSS_FACTOR = {"half-mse": 0.5, "mse": 1.0}


@dataclass(frozen=True)
class Parameters:
    """What S networks learn, or its gradient: weights and, where the network trains them, C = K + 1 biases."""

    w: Float[torch.Tensor, "*any K n"]
    biases: Float[torch.Tensor, "*any C"] | None = None

    def mapped(self, function: Callable[..., torch.Tensor], *others: "Parameters") -> "Parameters":
        """`function` of each tensor and of the same one of the others; no biases stay none."""
        w = function(self.w, *(other.w for other in others))
        if self.biases is None:
            return Parameters(w)
        return Parameters(w, function(self.biases, *(other.biases for other in others)))

    def tensors(self) -> tuple[torch.Tensor, ...]:
        """The tensors that are there."""
        return (self.w,) if self.biases is None else (self.w, self.biases)


@dataclass(frozen=True)
class Examples:
    """What a network sees of S replicates' data: inputs, labels and, for a gated-linear network, its gates."""

    x: Float[torch.Tensor, "S B n"]
    y: Float[torch.Tensor, "S B"]
    gate: Float[torch.Tensor, "S K B"] | None = None

    def part(self, replicates: slice, rows: slice) -> "Examples":
        """The examples `rows` of the replicates `replicates`, without a copy."""
        gate = None if self.gate is None else self.gate[replicates, :, rows]
        return Examples(self.x[replicates, rows], self.y[replicates, rows], gate)


def readout_scale(network: Network) -> float:
    """s: 1/K for the mean readout, 1 for the sum."""
    return 1.0 / network.units if network.readout == "mean" else 1.0


def predict(network: Network, learned: Parameters, examples: Examples) -> Float[torch.Tensor, "S B"]:
    """yhat(x) = s sum_k f_k(x) + b_out."""
    value, _ = _units(network, _fields(learned, examples), examples)
    return _read(network, learned, value)


def loss(network: Network, kind: str, learned: Parameters, examples: Examples) -> Float[torch.Tensor, " S"]:
    """L = 1/2 <(y - yhat)^2> for "half-mse", without the 1/2 for "mse", averaged over the examples."""
    return LOSS_FACTOR[kind] * (predict(network, learned, examples) - examples.y).square().mean(dim=1)


def gradient(network: Network, kind: str, learned: Parameters, examples: Examples) -> Parameters:
    """dL/dw_k = 2 c s <(yhat - y) f_k'(h_k) x>, c the factor of the loss, with f' the slope in h.

    dL/db_k = 2 c s <(yhat - y) f_k'(h_k)> and dL/db_out = 2 c <(yhat - y)>.
    """
    value, slope = _units(network, _fields(learned, examples), examples)
    scale, share = readout_scale(network), 2 * LOSS_FACTOR[kind] / examples.x.shape[1]
    residual = _read(network, learned, value).sub_(examples.y)
    pull = slope * residual[:, None, :]
    w = torch.bmm(pull, examples.x).mul_(scale * share)
    if learned.biases is None:
        return Parameters(w)
    hidden, output = pull.sum(dim=2).mul_(scale * share), residual.sum(dim=1, keepdim=True).mul_(share)
    return Parameters(w, torch.cat([hidden, output], dim=1))


def _fields(learned: Parameters, examples: Examples) -> torch.Tensor:
    inputs = examples.x.transpose(1, 2)
    if learned.biases is None:
        return torch.bmm(learned.w, inputs)
    return torch.baddbmm(learned.biases[:, :-1, None], learned.w, inputs)


def _read(network: Network, learned: Parameters, value: torch.Tensor) -> torch.Tensor:
    yhat = value.sum(dim=1).mul_(readout_scale(network))
    return yhat if learned.biases is None else yhat.add_(learned.biases[:, -1:])


def _units(network: Network, h: torch.Tensor, examples: Examples) -> tuple[torch.Tensor, torch.Tensor]:
    """f_k(h) and its slope df_k/dh; the slope of ReLU at 0 is 0."""
    if network.model == "gated-linear":
        return h * examples.gate, examples.gate
    if network.model == "relu":
        slope = (h > 0).to(h.dtype)
        return h * slope, slope
    if network.model == "erf":
        return torch.erf(h / math.sqrt(2)), torch.exp(-h.square() / 2).mul_(math.sqrt(2 / math.pi))
    value = torch.sigmoid(h)
    return value, value * (1 - value)
