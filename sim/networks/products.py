"""Layers of stacks of networks: their products with the weights, and the gradients in these, by hand.

A layer takes z, (networks, B, *before), to q = Theta z, (networks, B, *after). Gradients in z are those of autograd;
from delta = dL/dq a layer gives dL/dTheta. A fully connected layer is one batched matrix product. A convolution is one
grouped convolution, a group for each network, which is faster than copied windows with a batched matrix product.
Convolutions keep their numbers example by example, so that neighbouring levels share them without a copy.
"""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from math import prod

import torch
from torch.nn import functional
from torch.nn.grad import conv2d_weight

Shape = tuple[int, ...]
Stack = torch.Tensor


@dataclass(frozen=True)
class Skip:
    """A level z that is added to a preactivation q: its channels, or units, to the first ones, at every s-th position.

    >>> q = torch.zeros(1, 1, 2, 2)
    >>> Skip(0, 1, 2).add(q, torch.tensor([[[[1.0, 2.0, 3.0]]]]))
    >>> q.tolist()
    [[[[1.0, 3.0], [0.0, 0.0]]]]
    """

    level: int
    channels: int
    stride: int

    def add(self, q: Stack, z: Stack) -> None:
        """Add the level z, (networks, B, *level), to q."""
        q.narrow(2, 0, self.channels).add_(z[(..., *[slice(None, None, self.stride)] * (z.ndim - 3))])


@dataclass(frozen=True)
class DenseLayer:
    """q = Theta r(z): r is the identity, the mean over positions ("mean") or all nodes of a grid ("flatten").

    `skip` says which level is added to q; None without a skip.

    >>> layer = DenseLayer((2, 3), (1,), None, "mean")
    >>> layer.through(torch.ones(1, 1, 2), torch.arange(6.0).view(1, 1, 2, 3)).tolist()  # 1 + 4
    [[[5.0]]]
    """

    before: Shape
    after: Shape
    skip: Skip | None
    reduction: str = ""

    @property
    def fan_in(self) -> int:
        """The number of terms of an entry of q."""
        return self.before[0] if self.reduction == "mean" else prod(self.before)

    @property
    def theta_shape(self) -> Shape:
        """The shape (target, source) of Theta of one network."""
        return (*self.after, self.fan_in)

    def through(self, theta: Stack, z: Stack) -> Stack:
        """Return Theta r(z)."""
        return torch.bmm(self.reduced(z), theta.mT)

    def gradient(self, delta: Stack, z: Stack) -> Stack:
        """Return dL/dTheta."""
        return torch.bmm(delta.mT, self.reduced(z))

    def add_gradient(self, theta: Stack, delta: Stack, z: Stack) -> None:
        """Add dL/dTheta to Theta, in one product."""
        theta.baddbmm_(delta.mT, self.reduced(z))

    def reduced(self, z: Stack) -> Stack:
        """Return r(z), (networks, B, fan-in)."""
        if self.reduction == "mean":
            return z.flatten(3).mean(dim=3)
        return z.flatten(2)


@dataclass(frozen=True)
class ConvolutionLayer:
    """The convolution that `sim.networks.layers.Convolution` defines, on a grid (channels, *sites) of one or two axes.

    >>> layer = ConvolutionLayer((1, 3), (1, 3), None, (2,), "circular", 1)
    >>> layer.through(torch.tensor([[[[1.0, 10.0]]]]), torch.tensor([[[[1.0, 2.0, 3.0]]]])).tolist()
    [[[[21.0, 32.0, 13.0]]]]
    """

    before: Shape
    after: Shape
    skip: Skip | None
    size: Shape
    padding: str
    stride: int

    @property
    def fan_in(self) -> int:
        """The number of terms of an entry of q."""
        return self.before[0] * prod(self.size)

    @property
    def theta_shape(self) -> Shape:
        """The shape (channels, channels before, *size) of Theta of one network."""
        return (self.after[0], self.before[0], *self.size)

    def through(self, theta: Stack, z: Stack) -> Stack:
        """Return Theta z."""
        grid, groups = self._grid(z)
        kernels = theta.reshape(-1, self.before[0], *_two(self.size))
        with _as_declared(theta):
            q = functional.conv2d(grid, kernels, groups=groups, **self._places())
        return q.view(len(q), len(theta), *self.after).transpose(0, 1)

    def gradient(self, delta: Stack, z: Stack) -> Stack:
        """Return dL/dTheta."""
        networks = len(delta)
        grid, groups = self._grid(z)
        shape = (networks * self.after[0], self.before[0], *_two(self.size))
        with _as_declared(delta):
            found = conv2d_weight(grid, shape, _by_example(delta), groups=groups, **self._places())
        return found.view(networks, *self.theta_shape)

    def add_gradient(self, theta: Stack, delta: Stack, z: Stack) -> None:
        """Add dL/dTheta to Theta."""
        theta.add_(self.gradient(delta, z))

    def gradients(self, delta: Stack, z: Stack) -> Stack:
        """Return dL/dTheta of each example apart, (networks, B, numbers of Theta)."""
        grid, groups = self._grid(z)
        windows = functional.unfold(grid, _two(self.size), **self._places()).unflatten(1, (groups, -1)).transpose(0, 1)
        return (delta.flatten(3) @ windows.mT).flatten(2)

    def _grid(self, z: Stack) -> tuple[Stack, int]:
        """Return z as (B, networks x channels, two axes), and its groups: one where all networks see the same x."""
        shared = z.stride(0) == 0
        grid = _by_example(z[:1] if shared else z)
        if self.padding == "circular":
            down, right = (size - 1 for size in _two(self.size))
            grid = functional.pad(grid, (0, right, 0, down), mode="circular")
        return grid, 1 if shared else len(z)

    def _places(self) -> dict[str, Shape]:
        centre = tuple(size // 2 if self.padding == "zero" else 0 for size in _two(self.size))
        return {"stride": _two((self.stride,) * len(self.size)), "padding": centre}


Layer = DenseLayer | ConvolutionLayer


def _as_declared(stack: Stack) -> AbstractContextManager[None]:
    """Compute convolutions on a GPU with all digits of their type, by algorithms whose sums have one order.

    By default its library may round float32 to 11 digits of base 2, and add in an order that differs between runs.
    """
    if not stack.is_cuda:
        return nullcontext()
    return torch.backends.cudnn.flags(enabled=True, benchmark=False, deterministic=True, allow_tf32=False)


def _by_example(z: Stack) -> Stack:
    """Return (networks, B, channels, *sites) as (B, networks x channels, two axes)."""
    sites = _two(tuple(z.shape[3:]))
    return z.transpose(0, 1).reshape(z.shape[1], -1, *sites)


def _two(lengths: Shape) -> Shape:
    """Return the lengths along two axes; one axis is the second of a grid with one row."""
    return lengths if len(lengths) == 2 else (1, *lengths)
