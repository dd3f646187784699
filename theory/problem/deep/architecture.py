"""Which weights a deep network has: between all nodes of two levels, or shared by circular convolution."""

from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

from theory.problem.errors import InputError
from theory.problem.numbers import whole

Shape = tuple[int, ...]


@dataclass(frozen=True)
class FullyConnected:
    """Theta_l is a matrix of target x source numbers; a level has as many nodes as its width.

    >>> FullyConnected().shapes(2, (3, 4), 1), FullyConnected().nodes(2, (3, 4))
    (((3, 2), (4, 3), (1, 4)), (3, 4))
    """

    kind: ClassVar[str] = "fully-connected"

    def shapes(self, n: int, widths: tuple[int, ...], outputs: int) -> tuple[Shape, ...]:
        """Return the shapes of Theta_1, ..., Theta_d for inputs of n sites."""
        sizes = (n, *widths, outputs)
        return tuple((after, before) for before, after in pairwise(sizes))

    def nodes(self, _n: int, widths: tuple[int, ...]) -> tuple[int, ...]:
        """Return the number of nodes of each hidden level."""
        return widths

    def check_sites(self, _n: int) -> None:
        """Return None: any number of sites has fully connected levels."""


@dataclass(frozen=True)
class CircularConvolution:
    """Circular convolution over the n sites of x, then the mean over positions (global average pooling) and Theta_d.

    A hidden level has widths[l - 1] channels of n positions, and x is one channel; with i + k taken modulo n,

        q_l(c, i) = sum_c' sum_(k=0)^(window-1) Theta_l(c, c', k) z_(l-1)(c', i + k),
        yhat = sum_c Theta_d(c) (1/n) sum_i z_(d-1)(c, i).

    One channel and Theta_d = 1 is the network of Deep Gated Networks, section 4 and Figure 9. Raises InputError for a
    window below 1; a window larger than x is an error of the problem.

    >>> layers = CircularConvolution(2)
    >>> layers.shapes(5, (3, 4), 1), layers.nodes(5, (3, 4))
    (((3, 1, 2), (4, 3, 2), (1, 4)), (15, 20))
    """

    window: int

    kind: ClassVar[str] = "circular-convolution"

    def __post_init__(self) -> None:
        whole(self.window, "network.architecture.window", least=1)

    def shapes(self, _n: int, widths: tuple[int, ...], outputs: int) -> tuple[Shape, ...]:
        """Return the shapes of Theta_1, ..., Theta_d: (channels, channels before, window), then (outputs, channels)."""
        channels = (1, *widths)
        hidden = ((after, before, self.window) for before, after in zip(channels, widths, strict=False))
        return (*hidden, (outputs, channels[-1]))

    def nodes(self, n: int, widths: tuple[int, ...]) -> tuple[int, ...]:
        """Return the number of nodes of each hidden level: channels times positions."""
        return tuple(width * n for width in widths)

    def check_sites(self, n: int) -> None:
        """Raise InputError where the window is larger than x: a site would count twice."""
        if self.window > n:
            raise InputError(
                f"network.architecture.window = {self.window} is larger than the n = {n} sites of x.",
                f"Give a window from 1 to {n}.",
            )


FULLY_CONNECTED = FullyConnected()
Architecture = FullyConnected | CircularConvolution
ARCHITECTURES = {each.kind: each for each in (FullyConnected, CircularConvolution)}
