"""Networks with one hidden layer, S at once: yhat = s sum_k a_k f_k(x) + b_out, the loss and its gradient, by hand.

w is (S, K, n); biases (S, K + 1), first b_1, ..., b_K, then b_out; readout weights a (S, K), all 1 where they are not
trained; x (S, B, n); y (S, B); gates (S, K, B). h_k = w_k.x + b_k has the shape (S, K, B).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Float

from theory.problem import Network

# What multiplies the mean of `penalties` in the loss, and what multiplies `residuals` in its slope dL/dyhat.
LOSS_FACTOR = {"half-mse": 0.5, "mse": 1.0, "cross-entropy": 1.0}
SLOPE_FACTOR = {"half-mse": 1.0, "mse": 2.0, "cross-entropy": 1.0}


@dataclass(frozen=True)
class Parameters:
    """The numbers of S networks, or the loss's gradient in them; what a network does not have is None.

    They are the weights, C = K + 1 biases (whose gradient is 0 where they are fixed), and trained readout weights.
    """

    w: Float[torch.Tensor, "*any K n"]
    biases: Float[torch.Tensor, "*any C"] | None = None
    readout: Float[torch.Tensor, "*any K"] | None = None

    def mapped(self, function: Callable[..., torch.Tensor], *others: "Parameters") -> "Parameters":
        """`function` of each tensor and of the same one of the others; what is None stays None."""
        groups = zip(self._parts(), *(other._parts() for other in others), strict=True)
        return Parameters(*(None if group[0] is None else function(*group) for group in groups))

    def tensors(self) -> tuple[torch.Tensor, ...]:
        """The tensors that are there."""
        return tuple(part for part in self._parts() if part is not None)

    def _parts(self) -> tuple[torch.Tensor | None, ...]:
        return self.w, self.biases, self.readout


@dataclass(frozen=True)
class Examples:
    """What a network sees of S replicates' data: inputs, labels and, for a gated-linear network, its gates."""

    x: Float[torch.Tensor, "S B n"]
    y: Float[torch.Tensor, "S B"]
    gate: Float[torch.Tensor, "S K B"] | None = None

    def mapped(self, function: Callable[..., torch.Tensor], *others: "Examples") -> "Examples":
        """`function` of each tensor and of the same one of the others; no gates stay none."""
        groups = zip(*((one.x, one.y, one.gate) for one in (self, *others)), strict=True)
        return Examples(*(None if group[0] is None else function(*group) for group in groups))

    def tensors(self) -> tuple[torch.Tensor, ...]:
        """The tensors that are there."""
        return (self.x, self.y) if self.gate is None else (self.x, self.y, self.gate)

    def part(self, replicates: slice, rows: slice) -> "Examples":
        """The examples `rows` of the replicates `replicates`, without a copy."""
        gate = None if self.gate is None else self.gate[replicates, :, rows]
        return Examples(self.x[replicates, rows], self.y[replicates, rows], gate)


def readout_scale(network: Network) -> float:
    """s: 1/K for the mean readouts, 1 for the sums."""
    return 1.0 / network.units if network.readout.endswith("mean") else 1.0


def leak(network: Network) -> float:
    """The slope of ReLU (0) and leaky ReLU where h <= 0."""
    return 0.0 if network.slope is None else float(network.slope)


def predict(network: Network, learned: Parameters, examples: Examples) -> Float[torch.Tensor, "S B"]:
    """yhat(x) = s sum_k a_k f_k(x) + b_out."""
    value, _ = _units(network, _fields(learned, examples), examples)
    return _read(network, learned, value)


def penalties(
    kind: str, yhat: Float[torch.Tensor, "*any B"], y: Float[torch.Tensor, "*any B"]
) -> Float[torch.Tensor, "*any B"]:
    """(y - yhat)^2 of each example for both mean squared errors, log(1 + exp(-y yhat)) for the cross-entropy."""
    if kind == "cross-entropy":
        return -torch.nn.functional.logsigmoid(y * yhat)
    return (yhat - y).square()


def residuals(
    kind: str, yhat: Float[torch.Tensor, "*any B"], y: Float[torch.Tensor, "*any B"]
) -> Float[torch.Tensor, "*any B"]:
    """What pulls at each output: yhat - y for both mean squared errors, -y/(1 + exp(y yhat)) for the cross-entropy."""
    return -y * torch.sigmoid(-y * yhat) if kind == "cross-entropy" else yhat - y


def loss(network: Network, kind: str, learned: Parameters, examples: Examples) -> Float[torch.Tensor, " S"]:
    """L, averaged over the examples: 1/2 <(y - yhat)^2> for "half-mse", <(y - yhat)^2> for "mse".

    For "cross-entropy" it is <log(1 + exp(-y yhat))>, with labels y = +-1.
    """
    return LOSS_FACTOR[kind] * penalties(kind, predict(network, learned, examples), examples.y).mean(dim=1)


def gradient(network: Network, kind: str, learned: Parameters, examples: Examples) -> Parameters:
    """dL/dw_k = c s <r a_k f_k'(h_k) x>, r the residual of an example, c the loss's factor, f' the slope in h.

    dL/db_k = c s <r a_k f_k'(h_k)>, dL/db_out = c <r>, both 0 for fixed biases, and dL/da_k = c s <r f_k(h_k)>.
    """
    value, slope = _units(network, _fields(learned, examples), examples)
    scale, share = readout_scale(network), SLOPE_FACTOR[kind] / examples.x.shape[1]
    residual = residuals(kind, _read(network, learned, value), examples.y)
    pull = slope * residual[:, None, :]
    readout = None
    if learned.readout is not None:
        readout = torch.bmm(value, residual[:, :, None]).squeeze(2).mul_(scale * share)
        pull.mul_(learned.readout[:, :, None])
    w = torch.bmm(pull, examples.x).mul_(scale * share)
    if learned.biases is None:
        return Parameters(w, None, readout)
    if network.biases == "fixed":
        return Parameters(w, torch.zeros_like(learned.biases), readout)
    hidden, output = pull.sum(dim=2).mul_(scale * share), residual.sum(dim=1, keepdim=True).mul_(share)
    return Parameters(w, torch.cat([hidden, output], dim=1), readout)


def _fields(learned: Parameters, examples: Examples) -> torch.Tensor:
    inputs = examples.x.transpose(1, 2)
    if learned.biases is None:
        return torch.bmm(learned.w, inputs)
    return torch.baddbmm(learned.biases[:, :-1, None], learned.w, inputs)


def _read(network: Network, learned: Parameters, value: torch.Tensor) -> torch.Tensor:
    total = value.sum(dim=1) if learned.readout is None else torch.bmm(learned.readout[:, None, :], value).squeeze(1)
    yhat = total.mul_(readout_scale(network))
    return yhat if learned.biases is None else yhat.add_(learned.biases[:, -1:])


def _units(network: Network, h: torch.Tensor, examples: Examples) -> tuple[torch.Tensor, torch.Tensor]:
    """f_k(h) and its slope df_k/dh; at h = 0 that of ReLU is 0, that of leaky ReLU the one of h < 0."""
    if network.model == "gated-linear":
        return h * examples.gate, examples.gate
    if network.model in ("relu", "leaky-relu"):
        slope = torch.full_like(h, leak(network)).masked_fill_(h > 0, 1.0)
        return h * slope, slope
    if network.model == "erf":
        return torch.erf(h / math.sqrt(2)), torch.exp(-h.square() / 2).mul_(math.sqrt(2 / math.pi))
    value = torch.sigmoid(h)
    return value, value * (1 - value)
