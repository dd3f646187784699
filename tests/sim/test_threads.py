"""Networks side by side on threads: the same numbers, errors and interruptions that end all of them."""

import subprocess
import sys
import threading
from dataclasses import replace
from fractions import Fraction
from importlib import import_module

import numpy as np
import pytest

from sim.measure import measure_each
from sim.threads import StoppedError, in_threads
from sim.train import train
from sim.training.backends import ahead, compiling
from sim.training.backends.names import numba_is_installed
from sim.training.memory import bytes_of_one
from tests.sim.cases import line, problem
from tests.tolerances import SIM_SUMS
from theory.problem import (
    InputError,
    InputOutputMoment,
    LossAtTimes,
    Network,
    ParticipationRatioAtTimes,
    PreactivationKurtosisAtTimes,
    SinglePulse,
    SiteGate,
)

BACKENDS = ["reference", *(["compiled-normals", "compiled-examples", "compiled"] if numba_is_installed() else [])]
NEEDS_NUMBA = pytest.mark.skipif(not numba_is_installed(), reason="numba is not installed (extra `speed`)")
OBSERVABLES = (LossAtTimes(), InputOutputMoment(), ParticipationRatioAtTimes())


def test_an_error_ends_the_other_tasks():
    begun = threading.Barrier(2, timeout=60)
    ended = []

    def work(task, check):
        begun.wait()
        if task == "fails":
            raise ValueError("planted")
        try:
            while True:
                check()
        except StoppedError:
            ended.append(task)
            raise

    with pytest.raises(ValueError, match="planted"):
        in_threads(work, ["endless", "fails", "never begun"], 2)
    assert ended == ["endless"]


def test_tasks_of_one_thread_stay_in_it():
    here = threading.current_thread()
    assert in_threads(lambda task, check: threading.current_thread(), [1, 2], 1) == [here, here]
    assert here not in in_threads(lambda task, check: threading.current_thread(), [1, 2], 2)


@pytest.mark.parametrize("backend", BACKENDS)
def test_threads_change_no_number(backend, monkeypatch):
    monkeypatch.setattr("sim.training.sizes._STEP_NUMBERS", 40)  # groups of one network in torch too
    question = problem(replicates=5)
    seen = []
    alone, beside = (train(question, "cpu", backend=backend, threads=threads) for threads in (1, 3))
    train(question, "cpu", backend=backend, threads=3, progress=lambda done, total: seen.append((done, total)))
    assert (alone.weights == beside.weights).all()
    assert seen == sorted(seen)
    assert seen[-1] == (50, 50)
    for found, expected in zip(
        measure_each(OBSERVABLES, beside, "cpu", threads=3), measure_each(OBSERVABLES, alone, "cpu"), strict=True
    ):
        assert (found.values == expected.values).all()


def test_replicates_of_one_stream_are_measured_together():
    question = problem(shared_stream=True)
    run = train(question, "cpu", threads=2)
    for found, expected in zip(
        measure_each(OBSERVABLES, run, "cpu", threads=2), measure_each(OBSERVABLES, run, "cpu"), strict=True
    ):
        assert (found.values == expected.values).all()


def test_an_undefined_value_of_one_replicate_is_that_of_all():
    question = problem(samples=1)  # the kurtosis over one example
    run = train(question, "cpu")
    found = measure_each([PreactivationKurtosisAtTimes(), LossAtTimes()], run, "cpu", threads=3)
    assert isinstance(found[0], InputError)
    assert found[1].values.shape == (3, 3)


def test_memory_bounds_the_threads(monkeypatch):
    asked = []
    monkeypatch.setattr("sim.train.in_threads", lambda *given: asked.append(given[2]) or in_threads(*given))
    question = problem(replicates=5)
    for networks, threads in ((1, 1), (2, 2), (9, 4)):
        monkeypatch.setattr("sim.training.memory.grouping", lambda *_: type("One", (), {"replicates": 1, "steps": 1}))
        train(question, "cpu", backend="reference", memory=networks * bytes_of_one(question, 8, 8), threads=4)
        assert asked[-1] == threads


@NEEDS_NUMBA
@pytest.mark.parametrize(
    ("data", "network", "changes"),
    [
        (line(n=9), None, {}),
        (line(n=9), None, {"batch": 50}),
        (line(n=30), Network("relu", "mean", 2), {"batch": 50}),
        (line(n=9, priors=("1/4", "3/4")), None, {}),
    ],
    ids=["modes", "modes by site", "band without the latent", "priors, which loops do not draw"],
)
def test_measuring_on_examples_of_compiled_loops(data, network, changes):
    """They are the same examples, sorted by class: sums of the same terms, up to the roundings of erf."""
    run = train(problem(data, network, **changes), "cpu", backend="compiled-normals")
    wanted = [LossAtTimes(), PreactivationKurtosisAtTimes(category=1)]
    wanted += [InputOutputMoment()] if network is None else []
    loops, torch_alone = (measure_each(wanted, run, "cpu", backend=backend) for backend in ("compiled", "auto"))
    for found, expected in zip(loops, torch_alone, strict=True):
        assert np.abs(found.values - expected.values).max() < SIM_SUMS


@NEEDS_NUMBA
@pytest.mark.xdist_group("compiled loops")
@pytest.mark.parametrize("units", [2, 5])
@pytest.mark.parametrize("batch", [1, 5, 40])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_what_is_compiled_ahead_is_what_training_takes(monkeypatch, units, batch, dtype):
    from numba import typeof

    from sim.training.backends.compiled import descent

    called = {}
    for name in ("wide_steps", "pulls", "move", "steps", "single_steps"):
        loop = getattr(descent, name)

        def recorded(*given, name=name, loop=loop):
            called.setdefault(name, set()).add(tuple(typeof(one) for one in given))
            return loop(*given)

        monkeypatch.setattr(descent, name, recorded)
    question = problem(line(n=9), Network("relu", "mean", units), batch=batch, dtype=dtype)
    compiling.compile_steps(question)
    before, _ = dict(called), called.clear()
    train(question, "cpu", backend="compiled")
    assert called == before
    assert ahead.loop_of(question).removeprefix("descent.") in called


@NEEDS_NUMBA
@pytest.mark.xdist_group("compiled loops")
@pytest.mark.parametrize("batch", [5, 40])
def test_the_draws_compiled_ahead_are_those_that_training_takes(monkeypatch, batch):
    from numba import typeof

    from sim.training.backends import compiled

    called = {}
    loops = (*ahead.DRAWS, "numbers.arrange")
    for whole in loops:
        module, name = whole.split(".")
        loop = getattr(import_module(f"{compiled.__name__}.{module}"), name)

        def recorded(*given, whole=whole, loop=loop):
            called.setdefault(whole, set()).add(tuple(typeof(one) for one in given))
            return loop(*given)

        monkeypatch.setattr(f"{compiled.__name__}.{module}.{name}", recorded)
    question = problem(line(n=9), batch=batch)
    compiling.compile_draws()
    compiling.compile_order("float64")
    before, _ = dict(called), called.clear()
    train(question, "cpu", backend="compiled-examples")
    assert called == before
    assert set(called) == set(loops)


@NEEDS_NUMBA
def test_steps_are_compiled_in_a_process_of_their_own(monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    question = problem(batch=1)
    with ahead.compiled_ahead(question, "cpu", "compiled"):
        process = ahead._process
        ahead.wait()
        assert process.returncode == 0
    assert ahead._process is None
    assert list(tmp_path.glob("*/descent.single_steps-*.nbi"))
    with ahead.compiled_ahead(question, "cpu", "compiled"):
        assert ahead._process is None  # an earlier run has compiled them
    with ahead.compiled_ahead(question, "cpu", "compiled-examples"):
        process = ahead._process
        train(question, "cpu", backend="compiled-examples")
        assert process.returncode == 0  # training has waited for them
    assert all(map(ahead._found, ahead.DRAWS))
    with ahead.compiled_ahead(question, "cpu", "compiled-examples"):
        assert ahead._process is None


@NEEDS_NUMBA
def test_nothing_is_compiled_ahead_that_is_not_taken(monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    question = problem()
    assert ahead._wanted(question, "cpu", "compiled")
    assert not ahead._wanted(question, "cpu", "auto")  # a short run is left to torch
    assert not ahead._wanted(question, "cpu", "reference")
    assert not ahead._wanted(problem(line(priors=("1/4", "3/4"))), "cpu", "compiled")
    assert not ahead._wanted(replace(question, simulation=None), "cpu", "compiled")
    momentum = {"optimizer": "momentum", "momentum": "3/4"}
    assert not ahead._wanted(problem(**momentum), "cpu", "compiled")
    assert ahead._wanted(problem(**momentum), "cpu", "compiled-examples") == ahead.DRAWS
    assert ahead._wanted(problem(samples=10**6), "cpu", "auto") == ahead.DRAWS
    assert not ahead._wanted(problem(dtype="float32"), "cpu", "compiled-examples")
    pulses = SinglePulse(6, ((1, 2), (3, 3)), "plus-minus", "sign", (1, 0))
    on_input = Network("gated-linear", "mean", 1, (SiteGate(1, lo=0, on="input"),))
    assert not ahead._wanted(problem(pulses, on_input), "cpu", "compiled-examples")
    ring = problem(line(n=9, xi=(1, Fraction(1, 2)), boundary="ring"))
    assert ahead._wanted(ring, "cpu", "compiled")
    assert not ahead._wanted(ring, "cpu", "compiled-examples")


def test_compiling_ahead_needs_no_torch():
    code = "import sys, sim.training.backends.ahead, sim.random.philox; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@NEEDS_NUMBA
def test_the_process_that_compiles_draws_loads_their_loops_alone():
    code = (
        f"import runpy, sys; sys.argv[1:] = ['draws']; runpy.run_module({compiling.__name__!r}, run_name='__main__'); "
        "print({'torch', 'theory.problem', 'scipy.linalg', 'numba'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "{'numba'}"
