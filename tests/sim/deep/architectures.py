"""Layers of small networks as `sim.deep` declares them, and beside them their products in plain torch."""

from dataclasses import dataclass

import torch
from torch.nn import functional

from sim import deep
from tests.sim.deep.plain import linear


@dataclass(frozen=True)
class Case:
    """The declared layers; shapes of Theta_1, ..., Theta_(d-1), nodes of each level, and products, all by hand."""

    layers: deep.Layers
    shapes: tuple[tuple[int, ...], ...]
    nodes: tuple[int, ...]
    products: tuple


def convolved(padding=0, stride=1):
    """A convolution with zeros around its grid."""
    return lambda theta, levels: (functional.conv2d if theta.ndim == 4 else functional.conv1d)(
        levels[-1], theta, stride=stride, padding=padding
    )


def rolled(stride=1):
    """A circular convolution, window by window: sum_k Theta(., ., k) z(., i + k)."""

    def product(theta, levels):
        z, axes = levels[-1], tuple(range(2, levels[-1].ndim))
        total = 0
        for place in torch.cartesian_prod(*(torch.arange(size) for size in theta.shape[2:])).reshape(-1, len(axes)):
            kernel = theta[(slice(None), slice(None), *place.tolist())]
            shifted = torch.roll(z, [-int(k) for k in place], axes)
            total = total + torch.einsum("oc,bc...->bo...", kernel, shifted)
        return total[(..., *[slice(None, None, stride)] * len(axes))]

    return product


def after(change, product=linear):
    """A product that follows a change of the last level."""
    return lambda theta, levels: product(theta, [change(levels[-1])])


def pooled(z):
    return z.mean(dim=tuple(range(2, z.ndim)))


def flat(z):
    return torch.flatten(z, 1)


def skipping(product, level):
    """A product to which a level is added."""
    return lambda theta, levels: product(theta, levels) + levels[level]


def widened(product, level, stride=2):
    """A product to which every second position of a level is added, with zeros for the channels that it lacks."""

    def added(theta, levels):
        q, z = product(theta, levels), levels[level]
        seen = z[(..., *[slice(None, None, stride)] * (z.ndim - 2))]
        return q + torch.cat([seen, torch.zeros_like(q[:, seen.shape[1] :])], dim=1)

    return added


Convolution, Pooling, Flatten, Residual = (deep.Convolution, deep.GlobalAveragePooling, deep.Flatten, deep.Residual)
CASES = {
    "zeros": Case(
        deep.Layers((2, 4, 3), (Convolution(3, (3, 3)), Convolution(2, (3, 1), stride=2), Flatten(), 4)),
        ((3, 2, 3, 3), (2, 3, 3, 1), (4, 8)),
        (36, 8, 4),
        (convolved(1), convolved((1, 0), 2), after(flat), linear),
    ),
    "circular image": Case(
        deep.Layers(
            (1, 3, 4), (Convolution(2, (3, 2), "circular"), Convolution(3, (1, 3), "circular", 2), Pooling(), 2)
        ),
        ((2, 1, 3, 2), (3, 2, 1, 3), (2, 3)),
        (24, 12, 2),
        (rolled(), rolled(2), after(pooled), linear),
    ),
    "no padding": Case(
        deep.Layers((1, 6, 5), (Convolution(2, (2, 3), "none"), Convolution(3, (2, 2), "none", 2), Flatten())),
        ((2, 1, 2, 3), (3, 2, 2, 2)),
        (30, 6),
        (convolved(), convolved(stride=2), after(flat)),
    ),
    "residual": Case(
        deep.Layers(
            (2, 3, 4),
            (
                Residual((Convolution(2, (3, 3)),)),
                Residual((Convolution(3, (1, 3)), Convolution(2, (3, 1)))),
                Pooling(),
                3,
                Residual((5, 3)),
            ),
        ),
        ((2, 2, 3, 3), (3, 2, 1, 3), (2, 3, 3, 1), (3, 2), (5, 3), (3, 5)),
        (24, 36, 24, 3, 5, 3),
        (
            skipping(convolved(1), 0),
            convolved((0, 1)),
            skipping(convolved((1, 0)), 1),
            after(pooled),
            linear,
            skipping(linear, 4),
            linear,
        ),
    ),
    "widening residual": Case(
        deep.Layers(
            (1, 3, 5),
            (
                Convolution(2, (3, 3)),
                Residual((Convolution(3, (3, 3), stride=2), Convolution(3, (3, 3))), "padded"),
                Residual((Convolution(4, (1, 3)),), "padded"),
                Pooling(),
                3,
            ),
        ),
        ((2, 1, 3, 3), (3, 2, 3, 3), (3, 3, 3, 3), (4, 3, 1, 3), (3, 4)),
        (30, 18, 18, 24, 3),
        (
            convolved(1),
            convolved(1, 2),
            widened(convolved(1), 1),
            widened(convolved((0, 1)), 3, 1),
            after(pooled),
            linear,
        ),
    ),
}
