"""The fused kernels compile for a GPU, and fit into its registers and shared memory; no GPU is needed for that."""

import json
import subprocess
import sys
from importlib.metadata import version

import pytest

from sim.training.backends.fused.sizes import PROGRAMS_OF_A_MULTIPROCESSOR
from sim.training.backends.names import triton_is_installed
from tests.derivations.benchmarks import tables
from tests.paths import ROOT

README = ROOT / "derivations" / "benchmarks" / "README.md"
SHARED_OF_A_PROGRAM = 227 * 1024  # bytes, at compute capability 9.0
REGISTERS_OF_A_THREAD = 255
REGISTERS, ALLOCATED = 2**16, 256  # of a multiprocessor, and the unit in which a warp gets them

pytestmark = pytest.mark.skipif(not triton_is_installed(), reason="Triton is not installed (extra `gpu`)")


@pytest.mark.xdist_group("fused kernels")
def test_every_form_compiles():
    command = [sys.executable, "-m", "tests.sim.training.for_cuda"]
    found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    taken = {name: one for name, one in found.items() if one is not None}
    assert len(taken) == 8
    assert len(found) == 19
    if version("triton") == "3.7.1":  # that of the README
        assert tables.fused_kernels(found) in README.read_text(encoding="utf-8"), (
            f"paste this:\n{tables.fused_kernels(found)}"
        )
    for one in taken.values():
        assert one["shared"] <= SHARED_OF_A_PROGRAM
        assert one["registers"] <= REGISTERS_OF_A_THREAD
    packed = [one for name, one in taken.items() if name.endswith("batch=1 float32")]
    assert len(packed) == 2
    for one in packed:
        assert one["spilled"] == 0
        of_a_warp = -(-one["registers"] * 32 // ALLOCATED) * ALLOCATED
        assert REGISTERS // (one["warps"] * of_a_warp) == PROGRAMS_OF_A_MULTIPROCESSOR
