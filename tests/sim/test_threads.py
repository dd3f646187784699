"""Networks side by side on threads: the same numbers, errors and interruptions that end all of them."""

import threading

import numpy as np
import pytest

from sim.measure import measure_each
from sim.threads import StoppedError, in_threads
from sim.train import train
from sim.training.backends.names import numba_is_installed
from sim.training.memory import bytes_of_one
from tests.sim.cases import line, problem
from tests.tolerances import SIM_SUMS
from theory.problem import InputOutputMoment, LossAtTimes, ParticipationRatioAtTimes, PreactivationKurtosisAtTimes

BACKENDS = ["reference", *(["compiled"] if numba_is_installed() else [])]
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


@pytest.mark.parametrize("backend", BACKENDS)
def test_threads_change_no_number(backend, monkeypatch):
    monkeypatch.setattr("sim.training.sizes._STEP_NUMBERS", 40)  # groups of one network in torch too
    question = problem(replicates=5)
    seen = []
    alone, threaded = (train(question, "cpu", backend=backend, threads=threads) for threads in (1, 3))
    train(question, "cpu", backend=backend, threads=3, progress=lambda done, total: seen.append((done, total)))
    assert (alone.weights == threaded.weights).all()
    assert seen == sorted(seen)
    assert seen[-1] == (50, 50)
    for measured, expected in zip(
        measure_each(OBSERVABLES, threaded, "cpu", threads=3), measure_each(OBSERVABLES, alone, "cpu"), strict=True
    ):
        assert (measured.values == expected.values).all()


def test_memory_bounds_the_threads(monkeypatch):
    chosen = []
    monkeypatch.setattr("sim.train.in_threads", lambda *work: chosen.append(work[2]) or in_threads(*work))
    question = problem(replicates=5)
    for networks, threads in ((1, 1), (2, 2), (9, 4)):
        monkeypatch.setattr("sim.training.memory.grouping", lambda *_: type("One", (), {"replicates": 1, "steps": 1}))
        train(question, "cpu", backend="reference", memory=networks * bytes_of_one(question, 8, 8), threads=4)
        assert chosen[-1] == threads


@NEEDS_NUMBA
@pytest.mark.parametrize(
    ("data", "network", "changes"),
    [
        (line(n=9), None, {"batch": 50}),
        (line(n=9, priors=("1/4", "3/4")), None, {}),
    ],
    ids=["modes by site", "priors, which loops do not draw"],
)
def test_measuring_on_examples_of_compiled_loops(data, network, changes):
    """They are the same examples, sorted by class: sums of the same terms, up to the roundings of erf."""
    run = train(problem(data, network, **changes), "cpu", compile_steps=False)
    wanted = [LossAtTimes(), PreactivationKurtosisAtTimes(category=1)]
    wanted += [InputOutputMoment()] if network is None else []
    loops, torch_alone = (measure_each(wanted, run, "cpu", backend=backend) for backend in ("compiled", "auto"))
    for measured, expected in zip(loops, torch_alone, strict=True):
        assert np.abs(measured.values - expected.values).max() < SIM_SUMS
