"""The GPU rows of `gdln bench train`, on a CPU: what is measured and refused, and the roofline on paper by hand."""

from dataclasses import replace

import pytest

from derivations.benchmarks.fused_roofline import H200, bound, operations_of_a_step


def test_the_operations_of_a_step_by_hand():
    """32 tiles of 32 examples: 48 modes for 64 padded sites, 13 calls of ten rounds of eight, 24 pairs."""
    result = operations_of_a_step(40, 2, 1000, 40, 2048)
    assert result.integer == 1024 * (13 * 10 * 8 + 24 * 17)
    assert result.products == 1024 * 2 * 48 * 64 * 3
    assert result.special == 1024 * (24 * 3 + 64)
    assert result.bytes == 2 * 4 * 80 / 131  # of float32, in launches of 131 steps
    # 13 chunks of 32 sites with 48 modes each; 16 rows a tile, 16 columns of two networks, a step for each row.
    small = operations_of_a_step(400, 8, 1, 48, 8192)
    assert small.integer == (156 + 1) * 80 + 312 * 17
    assert small.products == 3 * (2 * 48 * 416 + (2 * 16 + 16) * 416)
    drawn = 312 * 32 + 416 * 20 + 16 * 8
    assert small.floating == drawn + (16 * 16 * 8 + 15 * 16 * 3) / 2
    # Of batches above 8 a tile has one step, which changes nothing after it.
    assert operations_of_a_step(400, 8, 9, 48, 8192).floating == 9 * drawn + 16 * 16 * 8


@pytest.mark.parametrize("limit", ["integer", "floating", "special", "products", "issued"])
def test_the_slowest_rate_is_the_limit(limit):
    work = operations_of_a_step(40, 2, 1000, 40, 2048)
    rate, _ = bound(work)
    slower, result = bound(work, replace(H200, **{limit: getattr(H200, limit) / 100}))
    assert result == limit
    assert slower < rate
    assert bound(work, replace(H200, bytes=1.0)) == (1 / work.bytes, "memory")
