"""The overlap against loops over all paths, and the tiles in which kernels are computed."""

import pytest
import torch

from sim.kernels import overlap
from sim.kernels.products import sum_of_products
from tests.sim.kernels.networks import all_paths, hard_gates, points
from tests.tolerances_of_empirical_kernels import EMPIRICAL_KERNEL
from theory.problem import OutOfReachError

FACTORS = [points(13, 4, seed=seed) for seed in range(5)]


def by_loop(gates):
    """The number of hidden paths that are active for both inputs, by Definition 2.2 of the NPK paper."""
    rows = range(len(gates[0]))
    return [
        [
            sum(
                all(gate[s, i] and gate[t, i] for gate, i in zip(gates, path[1:], strict=True))
                for path in all_paths(1, gates)
            )
            for t in rows
        ]
        for s in rows
    ]


@pytest.mark.parametrize("widths", [(4,), (3, 4), (3, 2, 4)], ids=str)
def test_the_overlap_counts_paths(widths):
    gates = hard_gates(5, widths)
    assert overlap(gates).tolist() == by_loop(gates)
    assert overlap([g.float() for g in gates]).tolist() == by_loop(gates)
    for layer in range(len(widths) - 1):
        assert overlap(gates[:layer] + gates[layer + 1 :]).tolist() != by_loop(gates)


def test_paths_beyond_the_largest_number_are_named():
    with pytest.raises(OutOfReachError, match=r"up to about 1e42, is larger than 3.4e\+38"):
        overlap([torch.ones(2, 128) for _ in range(20)])


@pytest.mark.parametrize("block", [1, 5, None])
@pytest.mark.parametrize("order", [1, -1], ids=["sum first", "product first"])
def test_every_size_of_a_tile_gives_the_definition(block, order):
    """<a0, b0> + <a1, b1> <a2, b2> + <a0, b0> <a1, b1> <a4, b4>, entry by entry."""
    pairs = [(factor, factor) for factor in FACTORS]
    products = [[pairs[0]], [pairs[1], pairs[2]], [pairs[0], pairs[1], pairs[4]]]
    found = sum_of_products(products[::order], block)
    exact = torch.tensor(
        [
            [a[0] @ b[0] + (a[1] @ b[1]) * (a[2] @ b[2]) + (a[0] @ b[0]) * (a[1] @ b[1]) * (a[4] @ b[4]) for b in rows]
            for rows in [list(zip(*FACTORS, strict=True))]
            for a in rows
        ],
        dtype=torch.float64,
    )
    assert float((found - exact).abs().max()) <= EMPIRICAL_KERNEL * float(exact.abs().max())
    assert found.equal(found.T)


def test_a_kernel_that_is_too_large_is_refused_before_it_is_computed():
    with pytest.raises(OutOfReachError, match=r"100,000 x 100,000 numbers would take 37.3 GiB"):
        overlap([torch.ones(1, 3).expand(100_000, 3)])
