"""`gdln bench deep`: every contender trains the same networks on the same batches; ratios judge the goals."""

from dataclasses import asdict

import pytest
import torch

from derivations.benchmarks import deep as bench
from derivations.benchmarks.roofline import Peaks, Roofline, Work, work_of_a_step
from tests.derivations.benchmarks import tables
from tests.tolerances_of_deep_training import DEEP_BENCH, DEEP_BENCH_ADAM

ALLOWED = {"sgd": DEEP_BENCH, "adam": DEEP_BENCH_ADAM}


@pytest.fixture(scope="module")
def measured():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OMP_NUM_THREADS", "1")
        patch.setattr(bench, "STEPS", 3)
        return bench.measure(networks=3, rounds=2)


@pytest.mark.parametrize("optimiser", bench.OPTIMISERS)
def test_every_contender_trains_the_same_networks(measured, optimiser):
    part = measured["optimisers"][optimiser]
    assert set(part["apart"]) == {"loop", "loop, fused optimiser", "vmap"}
    assert max(part["apart"].values()) <= ALLOWED[optimiser]
    assert set(part["seconds"]) == {"sim", "products", *part["apart"]}
    assert all(low <= part["seconds"][name] <= high for name, (low, high) in part["range"].items())


@pytest.mark.parametrize("optimiser", bench.OPTIMISERS)
def test_another_rate_other_batches_and_other_weights_would_be_noticed(optimiser, monkeypatch):
    """Each moves the weights of the loop by more than the tolerance."""
    trained = {}
    for change in ("none", "rate", "batches"):
        with monkeypatch.context() as patch:
            if change == "rate":
                patch.setattr(bench, "RATE", 1.5 * bench.RATE)
            if change == "batches":
                patch.setattr(bench, "_rows", lambda _device: iter([torch.arange(bench.BATCH)] * 3))
            loop = bench._contenders(optimiser, 2)["loop"]
            loop.train(3)
            trained[change] = loop.found()
    assert bench._apart(trained["none"], trained["rate"]) > 10 * ALLOWED[optimiser]
    assert bench._apart(trained["none"], trained["batches"]) > 10 * ALLOWED[optimiser]
    assert bench._apart(trained["none"], [theta.flip(0) for theta in trained["none"]]) > 10 * ALLOWED[optimiser]


def test_a_round_trains_on(monkeypatch):
    """Successive calls of every contender are one training, on the batches that follow each other."""
    once, twice = (bench._contenders("sgd", 2) for _ in range(2))
    for name in ("sim", "loop", "vmap"):
        once[name].train(6)
        twice[name].train(3)
        twice[name].train(3)
        for a, b in zip(once[name].found(), twice[name].found(), strict=True):
            assert torch.equal(a, b)


def test_the_products_alone_are_computed():
    """BLAS leaves out a product that is multiplied by 0; then the weights would stay as they are."""
    products = bench._contenders("sgd", 2)["products"]
    before = [theta.clone() for theta in products.found()]
    products.train(1)
    assert not any(torch.equal(a, b) for a, b in zip(before, products.found(), strict=True))


def test_goals_are_judged_by_the_ratios_to_the_fastest_peer(measured):
    for part in measured["optimisers"].values():
        first, second = part["goals"]
        ratios = [part["ratios"][name] for name in ("loop", "loop, fused optimiser")]
        assert first["ratio"] == min(ratios)
        assert first["reached"] == (min(ratios) >= first["goal"] == 8)
        assert second["ratio"] == part["ratios"]["vmap"]
        assert second["reached"] == (second["ratio"] >= second["goal"] == 2)
        possible = part["largest possible ratio to the loop"]
        assert possible == part["seconds"][first["peer"]] / part["seconds"]["products"]
    assert "goal 8 x loop" in bench.text(measured)
    assert "no GPU" in bench.text(measured | {"gpu": None})


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


def test_the_roofline_of_a_run_follows_from_its_seconds(measured):
    peaks = Peaks(**measured["peaks"])
    for name, part in measured["optimisers"].items():
        work = work_of_a_step(bench.SIZES, 3, bench.BATCH, 4, plain=name == "sgd")
        assert part["roofline"] == asdict(Roofline.of(work, peaks, part["seconds"]["sim"]))
        assert part["work"] == asdict(work)
        assert part["roofline"]["share"] > 0
    assert measured["optimisers"]["adam"]["work"]["bytes"] > 2 * measured["optimisers"]["sgd"]["work"]["bytes"]


def test_a_gpu_is_measured_like_the_processor(measured, monkeypatch):
    """The code for a GPU, run on the processor: every contender, and the share of the roofline as the goal."""
    monkeypatch.setattr(bench, "STEPS", 2)
    monkeypatch.setattr(bench, "GPU_GOAL", 0.0)
    found = bench.on_device("cpu", 2, 1)
    for name, part in found["optimisers"].items():
        assert set(part["seconds"]) == set(measured["optimisers"][name]["seconds"])
        work = work_of_a_step(bench.SIZES, 2, bench.BATCH, 4, plain=name == "sgd")
        assert part["roofline"] == asdict(Roofline.of(work, Peaks(**found["peaks"]), part["seconds"]["sim"]))
        assert part["goals"] == [{"goal": 0.0, "reached": True}]
        assert max(part["apart"].values()) <= ALLOWED[name]
    share = found["optimisers"]["adam"]["roofline"]["share"]
    text = bench.text(measured | {"gpu": found})
    assert "goal 0 % of the roofline: reached" in text
    assert f"sim reaches {100 * share:.0f} %" in text.partition("GPU; ")[2]
    monkeypatch.setattr(bench, "GPU_GOAL", 2.0 * share + 1e9)
    assert not bench.on_device("cpu", 1, 1)["optimisers"]["adam"]["goals"][0]["reached"]


def test_the_time_of_sim_is_that_of_its_steps_and_it_trains_on(monkeypatch):
    """By a clock that counts how often it is read: at the first and the last of the steps that are timed."""
    ticks = iter(range(100))
    monkeypatch.setattr(bench, "now", lambda _device: 10.0 * next(ticks))
    own = bench._contenders("sgd", 2)["sim"]
    assert own.timed(5) == 10 / 5
    twice = bench._contenders("sgd", 2)["sim"]
    twice.train(bench.WARM + 5)
    assert all(torch.equal(a, b) for a, b in zip(own.found(), twice.found(), strict=True))


def test_the_table_has_every_optimiser(measured):
    assert "| sgd | sim |" in tables.deep(measured)
