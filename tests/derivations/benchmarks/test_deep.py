"""`gdln bench deep`: every contender trains the same networks on the same batches; ratios judge the goals."""

import pytest

from derivations.benchmarks import deep as bench
from derivations.benchmarks.roofline import Peaks, Roofline, Work, work_of_a_step
from tests.tolerances_of_deep_training import DEEP_BENCH, DEEP_BENCH_ADAM

ALLOWED = {"sgd": DEEP_BENCH, "adam": DEEP_BENCH_ADAM}


@pytest.fixture(scope="module")
def measured():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OMP_NUM_THREADS", "1")
        patch.setattr(bench, "STEPS", 3)
        return bench.measure(networks=3, rounds=2)


@pytest.mark.slow
@pytest.mark.parametrize("optimiser", bench.OPTIMISERS)
def test_every_contender_trains_the_same_networks(measured, optimiser):
    part = measured["optimisers"][optimiser]
    assert set(part["apart"]) == {"loop", "loop, fused optimiser", "vmap"}
    assert max(part["apart"].values()) <= ALLOWED[optimiser]
    assert set(part["seconds"]) == {"sim", "products", *part["apart"]}
    assert all(low <= part["seconds"][name] <= high for name, (low, high) in part["range"].items())


def test_the_work_of_a_step_is_that_of_its_products_and_passes():
    """Counted layer by layer in plain loops: forward, onto the weights, and back to all levels but the inputs."""
    sizes, networks, batch = (5, 4, 3, 1), 7, 2
    operations = passes = 0
    for level in range(3):
        entries = sizes[level] * sizes[level + 1]
        for product in ("forward", "onto the weights", "back"):
            if product != "back" or level > 0:
                operations += 2 * batch * entries  # a product and a sum for each entry and example
        passes += entries * (2 + 1 + (level > 0))  # the step reads and writes, the products read
    plain = work_of_a_step(sizes, networks, batch, 4, plain=True)
    assert plain == Work(networks * operations, 4 * networks * passes)
    assert work_of_a_step(sizes, networks, batch, 4, plain=False).bytes == plain.bytes + 4 * networks * 6 * 35


def test_the_roofline_is_bound_by_the_slower_of_products_and_memory():
    peaks = Peaks("cuda", 100.0, 10.0)
    assert Roofline.of(Work(200.0, 10.0), peaks, 4.0) == Roofline(2.0, "products", 0.5)
    assert Roofline.of(Work(200.0, 50.0), peaks, 5.0) == Roofline(5.0, "memory", 1.0)
