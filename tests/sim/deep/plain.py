"""One deep gated network in plain torch, by the papers' definitions, with autograd and torch.optim, one step at a time.

Nothing here is code of sim: it is what the batched training is compared with.
"""

from dataclasses import dataclass

import numpy as np
import torch


@dataclass(frozen=True)
class Kind:
    """Where gates are from ("own", "open", "coins", or the words of a second network), their response, what learns."""

    gates: str
    beta: float | None = None
    epsilon: float = 0.0
    closed_at_zero: bool = True
    ones: bool = False
    values_learn: bool = True
    gates_learn: bool = False


BETA, EPSILON, MU, GATES_SEED = 3.0, 0.25, "1/2", 5
KINDS = {
    "relu": Kind("relu itself"),
    "soft-relu": Kind("own", BETA, EPSILON),
    "dln": Kind("open"),
    "frg": Kind("coins"),
    "galu": Kind("relu"),
    "frnpf-own": Kind("relu"),
    "frnpf-same": Kind("relu"),
    "flnpf": Kind("relu"),
    "dnpfl": Kind("relu", BETA, gates_learn=True),
    "soft-galu": Kind("gated", BETA, EPSILON, gates_learn=True),
    "gates-only": Kind("gated", BETA, EPSILON, values_learn=False, gates_learn=True),
    "dlgn": Kind("linear", BETA, gates_learn=True),
    "dlgn-pwc": Kind("linear", BETA, ones=True, gates_learn=True),
    "fixed-dlgn": Kind("linear", closed_at_zero=False),
}


def linear(theta, levels):
    """Theta z of a fully connected layer; `levels` are z_0, ..., z_(l-1)."""
    return torch.nn.functional.linear(levels[-1], theta)


class Plain(torch.nn.Module):
    """The network of a kind with given weights, and coins (level, example, node) where its gates are coins.

    `products` gives the preactivations of each layer from its weights and the levels before it; an input has `shape`.
    """

    def __init__(self, kind, theta, second, coins=None, products=None, shape=(-1,)):
        super().__init__()
        self.kind, self.coins, self.shape = kind, coins, shape
        self.products = products or [linear] * len(theta)
        self.theta = torch.nn.ParameterList(torch.nn.Parameter(t.clone(), kind.values_learn) for t in theta)
        self.second = torch.nn.ParameterList(torch.nn.Parameter(t.clone(), kind.gates_learn) for t in second)

    def forward(self, x, rows):
        x = x.reshape(len(x), *self.shape)
        z, u = [torch.ones_like(x) if self.kind.ones else x], [x]
        for level, theta in enumerate(self.theta[:-1]):
            q = self.products[level](theta, z)
            if self.kind.gates == "relu itself":
                z.append(torch.relu(q))
                continue
            if self.kind.gates in ("relu", "linear", "gated"):
                p = self.products[level](self.second[level], u)
                gate = self.gate(p)
                u.append({"relu": torch.relu(p), "linear": p, "gated": p * gate}[self.kind.gates])
            elif self.kind.gates == "own":
                gate = self.gate(q)
            else:
                gate = torch.ones_like(q) if self.coins is None else self.coins[level][rows].reshape(q.shape)
            z.append(q * gate)
        return self.products[-1](self.theta[-1], z)

    def gate(self, q):
        if self.kind.beta is not None:
            return (1 + self.kind.epsilon) / (1 + torch.exp(-self.kind.beta * q))
        return (q > 0 if self.kind.closed_at_zero else q >= 0).to(q.dtype)


def loss(kind, yhat, y):
    """The loss of one network by torch's functions."""
    if kind == "softmax-cross-entropy":
        return torch.nn.functional.cross_entropy(yhat, y)
    if kind == "cross-entropy":
        return torch.nn.functional.soft_margin_loss(yhat, y, reduction="sum") / len(y)
    squares = (yhat - y).square().sum(dim=1).mean()
    return squares / 2 if kind == "half-mse" else squares


def jacobian(network, x, own):
    """The gradients of the outputs of a plain network in the parameters given, (N, outputs, parameters)."""
    yhat = network(x, torch.arange(len(x)))
    found = []
    for output in yhat.flatten():
        parts = torch.autograd.grad(output, own, retain_graph=True, allow_unused=True)
        parts = [torch.zeros_like(o) if g is None else g for g, o in zip(parts, own, strict=True)]
        found.append(torch.cat([part.flatten() for part in parts]))
    return torch.stack(found).unflatten(0, yhat.shape)


def batches(examples, batch, seed, replicate, steps):
    """The rows of each step: epochs in the order that NumPy's generator of (seed, replicate, epoch) gives."""
    if batch >= examples:
        return [torch.arange(examples)] * steps
    found, epoch = [], 0
    while len(found) < steps:
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(replicate, 2, epoch)))
        order = torch.from_numpy(rng.permutation(examples))
        found += [order[start : start + batch] for start in range(0, examples, batch)]
        epoch += 1
    return found[:steps]


def descend(network, x, y, kind, optimiser, rows_of_steps):
    """Yield the weights before each step and after the last one."""
    moving = optimiser([p for p in network.parameters() if p.requires_grad])
    for rows in rows_of_steps:
        yield [p.detach().clone() for p in network.parameters()]
        moving.zero_grad()
        loss(kind, network(x[rows], rows), y[rows]).backward()
        moving.step()
    yield [p.detach().clone() for p in network.parameters()]
