"""The GPU rows of `gdln bench train`, on a CPU: what is measured and refused, and the roofline on paper by hand."""

from dataclasses import replace

import pytest
import torch

from derivations.benchmarks import fused_roofline, train, train_gpu
from derivations.benchmarks.fused_roofline import H200, bound, operations_of_a_step
from tests.derivations.benchmarks import tables
from tests.paths import ROOT
from tests.sim.cases import problem
from tests.tolerances import UNIT_ROUNDOFF

SMALL = train_gpu.GpuCase("small", problem(times=(0, 5)), 4, 1.0)


def test_without_a_gpu_there_are_no_rows(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert train_gpu.measure([SMALL]) is None
    assert "nothing measured" in train_gpu.text(None)


def test_rows_have_rates_shares_and_refusals(monkeypatch):
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)
    found = train_gpu.measure([SMALL], "cpu", ("reference", "fused"))
    (row,) = found["rows"]
    assert row["rates"]["fused"] == "The fused back end runs on a CUDA device, not on cpu."
    assert row["rates"]["reference"] > 0
    assert row["shares"] == {"reference": row["rates"]["reference"] / row["estimate"]["rate"]}
    assert row["reached"] == (row["rates"]["reference"] >= 1.0)
    assert min(found["peaks"][name] for name in ("operations", "bytes")) > 0
    assert "on paper" in train_gpu.text(found)
    assert "runs on a CUDA device" in train_gpu.text(found)


def test_the_cases_have_the_goals_of_one_gpu():
    cases = [train._on_a_gpu(*one, 1) for one in train._ON_A_GPU]
    assert [case.goal for case in cases] == [4e6, 200e6]
    for case in cases:
        settings = case.problem.simulated()
        rate, _ = bound(
            operations_of_a_step(
                case.problem.data.n, case.problem.network.units, settings.batch, case.modes, settings.replicates
            )
        )
        assert rate > case.goal


def test_the_operations_of_a_step_by_hand():
    """32 tiles of 32 examples: 48 modes for 64 padded sites, 13 calls of ten rounds of eight, 24 pairs."""
    found = operations_of_a_step(40, 2, 1000, 40, 2048)
    assert found.integer == 1024 * (13 * 10 * 8 + 24 * 17)
    assert found.products == 1024 * 2 * 48 * 64 * 3
    assert found.special == 1024 * (24 * 3 + 64)
    assert found.bytes == 2 * 4 * 80 / 131  # of float32, in launches of 131 steps
    # 13 chunks of 32 sites with 48 modes each; 16 rows a tile, 16 columns of two networks, a step for each row.
    small = operations_of_a_step(400, 8, 1, 48, 8192)
    assert small.integer == (156 + 1) * 80 + 312 * 17
    assert small.products == 3 * (2 * 48 * 416 + (2 * 16 + 16) * 416)
    drawn = 312 * 32 + 416 * 20 + 16 * 8
    assert small.floating == drawn + (16 * 16 * 8 + 15 * 16 * 3) / 2
    # Few networks do not share a program; of batches above 8 a tile has one step, which changes nothing after it.
    assert operations_of_a_step(400, 8, 1, 48, 32).floating == drawn + 16 * 16 * 8 + 15 * 16 * 3
    assert operations_of_a_step(400, 8, 9, 48, 8192).floating == 9 * drawn + 16 * 16 * 8


@pytest.mark.parametrize("limit", ["integer", "floating", "special", "products", "issued"])
def test_the_slowest_rate_is_the_limit(limit):
    work = operations_of_a_step(40, 2, 1000, 40, 2048)
    rate, _ = bound(work)
    slower, found = bound(work, replace(H200, **{limit: getattr(H200, limit) / 100}))
    assert found == limit
    assert slower < rate
    assert bound(work, replace(H200, bytes=1.0)) == (1 / work.bytes, "memory")


def test_the_modes_of_a_case_are_those_of_its_sampler():
    pytest.importorskip("triton", reason="Triton is not installed (extra `gpu`)")
    from sim.data.sample import prepare
    from sim.training.backends.fused.sizes import CHUNK, MODES, whole
    from tests.sim.training.interpreted import train as kernels_train

    wide, narrow = (train._on_a_gpu(*one, 1) for one in train._ON_A_GPU)
    assert wide.modes == prepare(wide.problem.data, torch.device("cpu"), torch.float32).rank
    sampler = prepare(narrow.problem.data, torch.device("cpu"), torch.float32)
    assert narrow.modes == CHUNK + kernels_train.back_of(sampler, whole(sampler.rank, MODES))


def test_published_rates_are_those_of_the_data_sheet():
    """67 TFLOP/s in float32 and 495 in TF32 at two operations a product with its sum, to the digits printed."""
    clocks = H200.processors * H200.clock
    assert round(2 * H200.floating * clocks / 1e12) == 67
    assert round(2 * H200.products * clocks / 1e12) in (494, 495)
    assert fused_roofline._TF32 == 3
    assert abs(H200.issued - H200.floating) < UNIT_ROUNDOFF


def test_the_readme_shows_the_estimates():
    text = (ROOT / "derivations" / "benchmarks" / "README.md").read_text(encoding="utf-8")
    assert tables.fused_estimates() in text, f"paste this:\n{tables.fused_estimates()}"
