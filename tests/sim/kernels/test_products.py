"""Tiles: their size changes no entry by more than rounding, results may lie on disk, and sizes are checked first."""

import pytest
import torch

from sim.kernels import overlap, tangent_kernel
from sim.kernels.products import sum_of_products
from tests.sim.kernels.networks import drawn, hard_gates, points
from tests.tolerances_of_empirical_kernels import EMPIRICAL_KERNEL
from theory.problem import InputError, OutOfReachError

FACTORS = [points(13, 4, seed=seed) for seed in range(5)]
OTHERS = [points(9, 4, seed=seed) for seed in range(5, 10)]


def by_definition(rows, columns):
    """<a, b> + <a', b'> <a'', b''> + <a, b> <a', b'> <a'''', b''''>, entry by entry."""
    return torch.stack(
        [
            torch.stack(
                [
                    a[0] @ b[0] + (a[1] @ b[1]) * (a[2] @ b[2]) + (a[0] @ b[0]) * (a[1] @ b[1]) * (a[4] @ b[4])
                    for b in zip(*columns, strict=True)
                ]
            )
            for a in zip(*rows, strict=True)
        ]
    )


def products(rows, columns):
    pairs = list(zip(rows, columns, strict=True))
    return [[pairs[0]], [pairs[1], pairs[2]], [pairs[0], pairs[1], pairs[4]]]


@pytest.mark.parametrize("block", [1, 5, None])
@pytest.mark.parametrize("symmetric", [True, False], ids=["one set", "two sets"])
@pytest.mark.parametrize("order", [1, -1], ids=["sum first", "product first"])
def test_every_size_of_a_tile_gives_the_definition(block, symmetric, order):
    columns = FACTORS if symmetric else OTHERS
    counted = []
    found = sum_of_products(
        products(FACTORS, columns)[::order],
        symmetric,
        block=block,
        progress=lambda done, total: counted.append((done, total)),
    )
    exact = by_definition(FACTORS, columns)
    assert float((found - exact).abs().max()) <= EMPIRICAL_KERNEL * float(exact.abs().max())
    assert not symmetric or found.equal(found.T)
    assert counted == sorted(counted)
    assert counted[-1] == (found.numel(), found.numel())
    assert block != 1 or len(counted) > 13


def test_a_kernel_that_is_too_large_is_refused_before_it_is_computed():
    gates = [torch.ones(1, 3).expand(100_000, 3)]
    with pytest.raises(OutOfReachError, match=r"100,000 x 100,000 numbers would take 37.3 GiB; .* give `out`, mapped"):
        overlap(gates)


def test_arguments_that_do_not_fit_are_named():
    for call, message in [
        (lambda w, x, g: tangent_kernel([], x, activation=torch.relu), "weights is empty"),
        (lambda w, x, g: tangent_kernel(w, x), "either `gates` or an `activation`"),
        (lambda w, x, g: tangent_kernel(w[::-1], x, gates=g), r"weights\[0\] has 5 columns, but 4 inputs feed it"),
        (lambda w, x, g: tangent_kernel(w, x[:, :3], gates=g), r"weights\[0\] has 4 columns, but 3 inputs feed it"),
        (lambda w, x, g: tangent_kernel(w, x, gates=g[:1]), "gates has 1 entries, but the network has 2 hidden layers"),
        (lambda w, x, g: tangent_kernel(w, x, gates=g[::-1]), r"gates\[0\] has shape \(3, 5\); .* need \(3, 6\)"),
        (lambda w, x, g: tangent_kernel(w, x, x[:2], gates=g), "The inputs in `other` have gates too"),
        (lambda w, x, g: tangent_kernel(w, x, gates=g, other_gates=g), "Give `other` and `gates` too"),
        (
            lambda w, x, g: tangent_kernel(w, x.float(), gates=g),
            r"weights\[0\] is torch.float64 on cpu, the others are",
        ),
        (
            lambda w, x, g: tangent_kernel(w, x.long(), gates=g),
            "inputs is of type torch.int64; kernels take tensors of",
        ),
        (lambda w, x, g: tangent_kernel([w[0][None], w[1], w[2]], x, gates=g), r"weights\[1\] has the networks \(\)"),
    ]:
        with pytest.raises(InputError, match=message):
            call(drawn((4, 6, 5, 1)), points(3, 4), hard_gates(3, (6, 5)))
