"""Layers of stacks of networks: their products with the weights, forward and back, by hand.

A layer takes z, (networks, B, *before), to q = Theta z, (networks, B, *after). From delta = dL/dq it gives dL/dz and
dL/dTheta. A fully connected layer is one batched matrix product. A convolution is one grouped convolution, a group for
each network, which is faster than copied windows with a batched matrix product. Convolutions keep their numbers example
by example, so that neighbouring levels share them without a copy.
"""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from math import prod

import torch
from torch.nn import functional
from torch.nn.grad import conv2d_input, conv2d_weight

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
        self._first(q).add_(self._seen(z))

    def add_back(self, s: Stack, delta: Stack) -> None:
        """Add what reaches z through the skip to s = dL/dz; delta is dL/dq."""
        self._seen(s).add_(self._first(delta))

    def _first(self, q: Stack) -> Stack:
        return q.narrow(2, 0, self.channels)

    def _seen(self, z: Stack) -> Stack:
        return z[(..., *[slice(None, None, self.stride)] * (z.ndim - 3))]


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

    def back(self, theta: Stack, delta: Stack) -> Stack:
        """Return dL/dz, whose numbers the caller may change."""
        s = torch.bmm(delta, theta)
        if self.reduction == "mean":
            sites = self.before[1:]
            return s.div_(prod(sites))[(..., *[None] * len(sites))].expand(*s.shape, *sites).clone()
        return s.view(*s.shape[:2], *self.before)

    def gradient(self, delta: Stack, z: Stack, out: Stack) -> None:
        """Write dL/dTheta."""
        torch.bmm(delta.mT, self.reduced(z), out=out)

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
    """The convolution that `sim.deep.layers.Convolution` defines, on a grid (channels, *sites) with one or two axes.

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
        with _as_declared(theta):
            q = functional.conv2d(grid, self._kernels(theta), groups=groups, **self._places())
        return q.view(len(q), len(theta), *self.after).transpose(0, 1)

    def back(self, theta: Stack, delta: Stack) -> Stack:
        """Return dL/dz, whose numbers the caller may change."""
        networks, examples = delta.shape[:2]
        shape = (examples, networks * self.before[0], *self._padded_sites())
        with _as_declared(theta):
            s = conv2d_input(shape, self._kernels(theta), _by_example(delta), groups=networks, **self._places())
        if self.padding == "circular":
            s = self._unwrapped(s)
        return s.reshape(examples, networks, *self.before).transpose(0, 1)

    def gradient(self, delta: Stack, z: Stack, out: Stack) -> None:
        """Write dL/dTheta."""
        out.copy_(self._gradient(delta, z))

    def add_gradient(self, theta: Stack, delta: Stack, z: Stack) -> None:
        """Add dL/dTheta to Theta."""
        theta.add_(self._gradient(delta, z))

    def _gradient(self, delta: Stack, z: Stack) -> Stack:
        networks = len(delta)
        grid, groups = self._grid(z)
        shape = (networks * self.after[0], self.before[0], *_two(self.size))
        with _as_declared(delta):
            found = conv2d_weight(grid, shape, _by_example(delta), groups=groups, **self._places())
        return found.view(networks, *self.theta_shape)

    def _grid(self, z: Stack) -> tuple[Stack, int]:
        """Return z as (B, networks x channels, two axes), and its groups: one where all networks see the same x."""
        shared = z.stride(0) == 0
        grid = _by_example(z[:1] if shared else z)
        if self.padding == "circular":
            down, right = (size - 1 for size in _two(self.size))
            grid = functional.pad(grid, (0, right, 0, down), mode="circular")
        return grid, 1 if shared else len(z)

    def _kernels(self, theta: Stack) -> Stack:
        return theta.reshape(-1, self.before[0], *_two(self.size))

    def _places(self) -> dict[str, Shape | int]:
        centre = tuple(size // 2 if self.padding == "zero" else 0 for size in _two(self.size))
        return {"stride": _two((self.stride,) * len(self.size)), "padding": centre}

    def _padded_sites(self) -> Shape:
        beyond = [size - 1 if self.padding == "circular" else 0 for size in _two(self.size)]
        return tuple(n + more for n, more in zip(_two(self.before[1:]), beyond, strict=True))

    def _unwrapped(self, s: Stack) -> Stack:
        """Add what reached the repeated first sites to the sites that they repeat."""
        for axis, n in zip((2, 3), _two(self.before[1:]), strict=True):
            inside, beyond = s.narrow(axis, 0, n), s.narrow(axis, n, s.shape[axis] - n)
            inside.narrow(axis, 0, beyond.shape[axis]).add_(beyond)
            s = inside
        return s


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
