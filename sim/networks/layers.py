"""The layers of deep networks as declarations: fully connected, convolution, pooling, flattening, residual blocks.

A hidden level has a gate for each of its nodes: for each unit of a `Dense` level, and for each channel and position of
a `Convolution`. `GlobalAveragePooling` and `Flatten` have no weights and no gates; they turn a grid into a vector.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

from sim.networks.products import ConvolutionLayer, DenseLayer, Layer, Shape, Skip
from theory.problem import CircularConvolution, DeepNetwork, InputError
from theory.problem.numbers import one_of, shown, whole

PADDINGS = ("zero", "circular", "none")
SHORTCUTS = ("identity", "padded")


@dataclass(frozen=True)
class Dense:
    """A level whose nodes see all nodes of the level before.

    >>> Dense(256)
    Dense(width=256)
    """

    width: int

    def __post_init__(self) -> None:
        whole(self.width, "width", least=1)


@dataclass(frozen=True)
class Convolution:
    """q(c, i) = sum_c' sum_k Theta(c, c', k) z(c', stride i + k - offset), k = 0, ..., size - 1 along each axis.

    `padding` says what z is outside of its grid, and so which positions i there are; n positions along an axis become

        "zero"       0; offset = (size - 1)/2, an odd size                   ceil(n / stride)
        "circular"   z is periodic; offset = 0                               ceil(n / stride)
        "none"       outside does not occur; offset = 0                      floor((n - size) / stride) + 1

    Raises InputError for numbers below 1, another word, and even sizes with zeros, which have no centre.
    Source: Deep Gated Networks, section 4 ("circular"); the papers do not say how their networks for images are padded.

    >>> Convolution(64, (3, 3)).padding
    'zero'
    """

    channels: int
    size: tuple[int, ...]
    padding: str = PADDINGS[0]
    stride: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", tuple(self.size))
        whole(self.channels, "channels", least=1)
        whole(self.stride, "stride", least=1)
        one_of(self.padding, "padding", PADDINGS)
        for length in self.size:
            whole(length, "size", least=1)
        if self.padding == "zero" and not all(length % 2 for length in self.size):
            raise InputError(
                f'size = {self.size} with padding "zero": a window of even size has no centre.',
                'Give odd sizes, or write padding = "circular" or "none".',
            )


@dataclass(frozen=True)
class GlobalAveragePooling:
    """The mean of each channel over the positions: (channels, *sites) becomes (channels,).

    >>> Layers((2, 5), (GlobalAveragePooling(),)).plan(1)[0].theta_shape
    (1, 2)
    """


@dataclass(frozen=True)
class Flatten:
    """All nodes of a grid as a vector, channel by channel, position by position.

    >>> Layers((2, 5), (Flatten(),)).plan(1)[0].theta_shape
    (1, 10)
    """


@dataclass(frozen=True)
class Residual:
    """Levels with a skip: the input z of the block is added to the preactivation q of its last level.

    With the shortcut "identity" z and q have one shape. With "padded" z is taken at every s-th position, where s is the
    product of the block's strides, and the channels that it lacks are zeros, the last ones. So a block of a ReLU
    network is relu(Theta_2 relu(Theta_1 z) + z) (He et al. 2016, "Deep residual learning for image recognition",
    without biases and batch normalisation; "padded" is their option A). In a network with a second network both have
    the skip: the preactivations, and so the gates, of a DLGN stay linear in x. Raises InputError for no level, or one
    without weights.

    >>> Layers((4,), (Dense(3), Residual((Dense(5), Dense(3))))).plan(1)[2].skip  # from z_1
    Skip(level=1, channels=3, stride=1)
    """

    levels: tuple[Dense | Convolution, ...]
    shortcut: str = SHORTCUTS[0]

    def __post_init__(self) -> None:
        object.__setattr__(self, "levels", _with_dense(self.levels))
        if not self.levels or not all(isinstance(level, Dense | Convolution) for level in self.levels):
            raise InputError(
                f"A residual block of the levels {shown(self.levels)} is not known.",
                "Give one or more levels Dense or Convolution; pool and flatten after the block.",
            )
        one_of(self.shortcut, "shortcut", SHORTCUTS)


Level = Dense | Convolution | GlobalAveragePooling | Flatten | Residual


@dataclass(frozen=True)
class Layers:
    """The shape of an input and the levels that follow it; the output layer, m numbers without a gate, comes last.

    `shape` is (n,), or (channels, *sites) of a grid with one or two axes, whose numbers an example lists channel by
    channel and row by row. `levels` may give a `Dense` level as its width. Raises InputError where a level does not fit
    what is before it.

    >>> small = Layers((1, 28, 28), (Convolution(8, (3, 3)), Convolution(8, (3, 3)), GlobalAveragePooling(), 16))
    >>> small.widths, [layer.theta_shape for layer in small.plan(10)]
    ((8, 8, 16), [(8, 1, 3, 3), (8, 8, 3, 3), (16, 8), (10, 16)])
    """

    shape: Shape
    levels: tuple[Level, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "shape", tuple(self.shape))
        object.__setattr__(self, "levels", _with_dense(self.levels))
        for length in self.shape:
            whole(length, "shape", least=1)
        if not 1 <= len(self.shape) <= 3:
            raise InputError(
                f"shape = {self.shape} is no vector and no grid.", "Write (n,), (channels, n) or (channels, n, n')."
            )
        self.plan(1)

    @property
    def widths(self) -> tuple[int, ...]:
        """The nodes of each Dense level and the channels of each convolution: what a member takes as its widths."""
        return tuple(layer.after[0] for layer in self.plan(1)[:-1])

    @property
    def fan_ins(self) -> tuple[int, ...]:
        """The number of terms of a preactivation of each layer: `scales_by_fan_in((*fan_ins, outputs), gain)`."""
        return tuple(layer.fan_in for layer in self.plan(1))

    def plan(self, outputs: int) -> tuple[Layer, ...]:
        """Return the layers of weights, Theta_1, ..., Theta_d, each with the shapes before and after it."""
        found: list[Layer] = []
        shape, reduction = self._followed(found, self.shape, "", self.levels)
        found.append(_dense(Dense(outputs), shape, reduction))
        return tuple(found)

    def _followed(self, found: list[Layer], shape: Shape, reduction: str, levels: Sequence[Level]) -> tuple[Shape, str]:
        """Append the layers of the levels; return the shape after them and what reduces it to a vector."""
        for level in levels:
            match level:
                case Residual(levels=inner):
                    entry, before = len(found), shape
                    shape, _ = self._followed(found, shape, reduction, inner)
                    found[-1] = replace(found[-1], skip=_skip(level, entry, before, reduction, shape))
                    reduction = ""
                case Dense():
                    found.append(_dense(level, shape, reduction))
                    shape, reduction = found[-1].after, ""
                case Convolution():
                    found.append(_convolution(level, shape, reduction))
                    shape = found[-1].after
                case GlobalAveragePooling() | Flatten():
                    if len(shape) == 1 or reduction:
                        raise InputError(f"{level} follows a vector; it reduces a grid.", "Leave it out.")
                    reduction = "mean" if isinstance(level, GlobalAveragePooling) else "flatten"
                case _:
                    raise InputError(f"The level {shown(level)} is not known.", "Give one of sim.networks.layers.")
        return shape, reduction


def fully_connected(inputs: int, widths: Sequence[int]) -> Layers:
    """Return the layers of a fully connected network.

    >>> [layer.theta_shape for layer in fully_connected(4, (3, 2)).plan(1)]
    [(3, 4), (2, 3), (1, 2)]
    """
    return Layers((inputs,), tuple(widths))


def layers_of(network: DeepNetwork, inputs: int) -> Layers:
    """Return the layers of the network of a problem file; circular convolutions are pooled before the last one.

    >>> from theory.problem import AllOpenGates
    >>> layers_of(DeepNetwork((2,), AllOpenGates(), CircularConvolution(3)), 5).plan(1)[0].theta_shape
    (2, 1, 3)
    """
    if not isinstance(network.architecture, CircularConvolution):
        return fully_connected(inputs, network.widths)
    levels = [Convolution(width, (network.architecture.window,), "circular") for width in network.widths]
    return Layers((1, inputs), (*levels, GlobalAveragePooling()))


def _with_dense(levels: Sequence[object]) -> tuple[object, ...]:
    return tuple(Dense(level) if isinstance(level, int) else level for level in levels)


def _dense(level: Dense, shape: Shape, reduction: str) -> DenseLayer:
    if len(shape) > 1 and not reduction:
        raise InputError(
            f"A fully connected level follows the grid {shape} (channels, *sites).",
            "Put GlobalAveragePooling() or Flatten() before it.",
        )
    return DenseLayer(shape, (level.width,), None, reduction)


def _convolution(level: Convolution, shape: Shape, reduction: str) -> ConvolutionLayer:
    sites = shape[1:]
    if reduction or len(sites) != len(level.size):
        what = "a vector" if reduction or not sites else f"a grid with {len(sites)} axes"
        raise InputError(
            f"{level} follows {what}.", "Give it a size for each axis, and put it before pooling and flattening."
        )
    if level.padding != "zero" and any(size > n for size, n in zip(level.size, sites, strict=True)):
        raise InputError(
            f"{level} has a window larger than the grid {sites} before it.", "Give a smaller size, or fewer strides."
        )
    inside = [n - size + 1 if level.padding == "none" else n for size, n in zip(level.size, sites, strict=True)]
    after = (level.channels, *(-(-n // level.stride) for n in inside))
    return ConvolutionLayer(shape, after, None, level.size, level.padding, level.stride)


def _skip(block: Residual, entry: int, before: Shape, reduction: str, after: Shape) -> Skip:
    """Return the skip of a block from the level `entry`, whose shape is `before`."""
    if reduction:
        raise InputError(f"{block} reduces its input to a vector, which it cannot add.", "Put a Dense level before it.")
    if block.shortcut == "identity" and before != after:
        raise InputError(
            f"{block}: its input has the shape {before} and its output {after}; an identity adds equal shapes.",
            'Change channels and strides outside of the block, or write shortcut = "padded".',
        )
    stride = prod(level.stride for level in block.levels if isinstance(level, Convolution))
    if before[0] > after[0] or after[1:] != tuple(-(-n // stride) for n in before[1:]):
        raise InputError(
            f"{block}: its input has the shape {before} and its output {after}, which is not that of the input with "
            "more channels at every s-th position.",
            'Give convolutions with as many channels or more and a padding other than "none".',
        )
    return Skip(entry, before[0], stride)
