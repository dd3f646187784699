"""How many threads a command takes, and that the libraries obey."""

import json
import os
import subprocess
import sys

import pytest

from derivations import threads

LOADED = """
import json, sys
from derivations.threads import limit
limit(sys.argv[1:])
import numpy, scipy.linalg, torch
from threadpoolctl import threadpool_info
print(json.dumps(sorted({torch.get_num_threads(), *(pool["num_threads"] for pool in threadpool_info())})))
"""


def bare() -> dict[str, str]:
    """The environment without any number of threads."""
    return {name: value for name, value in os.environ.items() if name not in {*threads.COUNTS, *threads.SLEEPING}}


@pytest.mark.parametrize(
    ("words", "count"),
    [([], 1), (["validate"], 1), (["--json", "simulate", "solve"], 1), (["solve", "p.toml"], 6), (["explore"], 3)],
)
def test_each_verb_has_its_threads(words, count):
    environment: dict[str, str] = {}
    assert threads.threads_of(words, 6) == count
    threads.limit(words, environment)
    assert {environment[name] for name in threads.COUNTS} == {str(threads.threads_of(words, threads.cores()))}
    assert environment["OMP_WAIT_POLICY"] == "PASSIVE"


def test_what_the_user_sets_stays():
    environment = {"OMP_NUM_THREADS": "5", "MKL_NUM_THREADS": "2", "OMP_WAIT_POLICY": "ACTIVE"}
    threads.limit(["validate"], environment)
    assert environment["OPENBLAS_NUM_THREADS"] == "5"
    assert (environment["MKL_NUM_THREADS"], environment["OMP_WAIT_POLICY"]) == ("2", "ACTIVE")


@pytest.mark.slow
def test_the_libraries_obey():
    done = subprocess.run(
        [sys.executable, "-c", LOADED, "simulate"], env=bare(), capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == [1]


@pytest.mark.slow
def test_loaded_libraries_are_limited_and_restored(monkeypatch):
    import scipy.linalg  # noqa: F401 - it brings a BLAS, which would be new to the second list of numbers
    import torch
    from threadpoolctl import threadpool_info, threadpool_limits

    def numbers() -> list[int]:
        return [torch.get_num_threads(), *(pool["num_threads"] for pool in threadpool_info())]

    for name in ("OMP_NUM_THREADS", threads.SIDE_BY_SIDE):
        monkeypatch.delenv(name, raising=False)
    torch.set_num_threads(2)
    try:
        with threadpool_limits(2):
            before = numbers()
            with threads.one_each() as count:
                assert set(numbers()) == {1}
                assert count == threads.cores()
            assert numbers() == before
            monkeypatch.setenv("OMP_NUM_THREADS", "2")
            with threads.one_each() as count:
                assert (numbers(), count) == (before, 2)
    finally:
        torch.set_num_threads(1)


@pytest.mark.parametrize(("text", "expected"), [("200000 100000", 2), ("50000 100000", 1), ("max 100000", None)])
def test_the_quota_of_a_container_counts(tmp_path, monkeypatch, text, expected):
    file = tmp_path / "cpu.max"
    file.write_text(text)
    monkeypatch.setattr(threads, "_QUOTA", file)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(64)), raising=False)
    assert threads.cores() == (expected or 64)


def test_the_module_loads_no_library():
    """It must come before them: they read their settings when they are loaded."""
    code = "import sys, derivations.__main__; print(sorted({'numpy', 'scipy', 'torch', 'theory'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], env=bare(), capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.slow
def test_a_moment_loads_no_torch():
    """It takes seconds to load."""
    program = "import sys; from derivations.cli import main; main(['moment', 'z1', '--cov', '[[1]]']); "
    done = subprocess.run(
        [sys.executable, "-c", f"{program}sys.exit('torch' in sys.modules)"], capture_output=True, check=False
    )
    assert done.returncode == 0
