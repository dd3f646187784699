"""Streams that are shared, runs that are resumed, optimisers by hand, bounded memory."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import torch

from sim.measure import measure
from sim.networks.one_hidden_layer import gradient
from sim.train import fixed_sample, train
from sim.training.backends.names import numba_is_installed
from sim.training.memory import bytes_of_one, networks_at_once
from tests.sim.cases import far, gated, line, problem, with_simulation
from tests.tolerances import SIM_DESCENT
from theory.problem import InputError, OutOfReachError, WeightsAtTimes

WAYS = [{"backend": "reference"}, {}, *([{"compile_steps": False}] if numba_is_installed() else [])]
ADAM = {"optimizer": "adam", "momentum": Fraction(3, 4), "decay": Fraction(7, 8), "epsilon": Fraction(1, 100)}


@pytest.mark.parametrize(("settings", "way"), [({}, {}), *((ADAM, way) for way in WAYS)], ids=str)
def test_a_resumed_run_is_the_run_without_a_break(settings, way):
    times = (0, 1, 5, 8)
    whole = train(problem(times=times, **settings), "cpu", **way)
    first = train(problem(times=times[:2], **settings), "cpu", **way)
    second = train(problem(times=times[2:], **settings), "cpu", **way, resume=first.state)
    assert first.state.step == 2
    assert far(second.weights, whole.weights[:, 2:]) < SIM_DESCENT
    with pytest.raises(InputError, match="has taken 2 steps; training"):
        train(problem(times=(0, 1)), "cpu", resume=first.state)
    with pytest.raises(InputError, match="parameters of the shapes"):
        train(problem(times=times[2:]), "cpu", resume=first.state, replicates=[1])
    with pytest.raises(InputError, match="parameters of the shapes"):
        train(problem(network=gated(biases="fixed"), times=times[2:]), "cpu", resume=first.state)


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_a_frozen_network_stands_still_where_its_next_step_is_a_small_one(way):
    first = train(problem(times=(1,)), "cpu", **way)
    state = replace(first.state, frozen=np.array([False, True, False]))
    run = train(problem(times=(2, 8)), "cpu", **way, resume=state)
    assert run.diverged.tolist() == [False, True, False]
    assert (run.weights[1] == first.weights[1]).all()
    assert (run.weights[[0, 2]] != first.weights[[0, 2]]).all()


def test_a_shared_stream_is_one_cluster():
    question = problem(shared_stream=True, initialisation="per-replicate", replicates=4)
    run = train(question, "cpu")
    assert run.one_cluster
    assert not train(problem(), "cpu").one_cluster
    alone = train(with_simulation(question, initialisation="shared"), "cpu").weights
    assert (alone == alone[:1]).all() or far(alone[1:], np.broadcast_to(alone[:1], alone[1:].shape)) < SIM_DESCENT
    # The first network's data are those that it has without sharing.
    own = train(with_simulation(question, shared_stream=False), "cpu")
    assert far(run.weights[0], own.weights[0]) < SIM_DESCENT
    assert not (run.weights[1, -1] == own.weights[1, -1]).any()
    estimate = measure(WeightsAtTimes(), run)
    with pytest.raises(InputError, match="one cluster"):
        _ = estimate.standard_error
    full = with_simulation(question, mode="full-batch", batch=None)
    sample = fixed_sample(full, range(3), torch.device("cpu"), torch.float64)
    assert torch.equal(sample.x[0], sample.x[2])


def test_optimizers_by_hand():
    """Three steps of each on one fixed sample, from the gradients of plain descent."""
    base = {"mode": "full-batch", "samples": 20, "batch": None, "learning_rate": Fraction(1, 8), "replicates": 2}
    times = tuple(Fraction(step, 8) for step in range(4))
    plain = problem(times=times[:2], **base)
    sample = fixed_sample(plain, range(2), torch.device("cpu"), torch.float64)

    def slope(w):
        return gradient(plain.network, "half-mse", {"w": torch.from_numpy(w)}, sample)["w"].numpy()

    rules = [
        {"optimizer": "momentum", "momentum": Fraction(3, 4)},
        {"optimizer": "rmsprop", "decay": Fraction(7, 8), "epsilon": Fraction(1, 100)},
        ADAM,
    ]
    for rule in rules:
        run = train(problem(times=times, **base, **rule), "cpu", sample=sample)
        w = np.stack([plain.w0()] * 2)
        m, v = np.zeros_like(w), np.zeros_like(w)
        b1, b2, eps = (float(rule.get(name, 0)) for name in ("momentum", "decay", "epsilon"))
        for t in (1, 2, 3):
            g = slope(w)
            v = b2 * v + (1 - b2) * g * g
            if rule["optimizer"] == "momentum":
                m = b1 * m + g
                w = w - m / 8
            elif rule["optimizer"] == "rmsprop":
                w = w - g / (np.sqrt(v) + eps) / 8
            else:
                m = b1 * m + (1 - b1) * g
                w = w - m / (1 - b1**t) / (np.sqrt(v / (1 - b2**t)) + eps) / 8
            assert far(run.weights[:, t], w) < SIM_DESCENT


def test_memory_bounds_how_many_are_side_by_side():
    question, host, gpu = problem(line(n=40), batch=1000, replicates=9), "cpu", "cuda"
    one = bytes_of_one(question, 1000, 8)
    free = networks_at_once(question, 1000, 8, host, None)
    assert [networks_at_once(question, 1000, 8, host, memory) for memory in (one, 2 * one - 1)] == [1, 1]
    assert networks_at_once(question, 1000, 8, host, 10**6 * one) == free
    assert networks_at_once(question, 1000, 8, gpu, 1000 * one + 1) == 1000
    assert networks_at_once(question, 1000, 8, gpu, None) == 2**31 // one
    assert networks_at_once(question, 10**7, 8, gpu, None) == 1
    with pytest.raises(OutOfReachError, match=r"one network takes up to .* MiB; the memory allowed is .* Allow more"):
        networks_at_once(question, 1000, 8, host, one - 1)
    assert networks_at_once(question, 1000, 8, host, 10**9, compiled=True) == 1
    assert bytes_of_one(problem(batch=1), 1, 8, compiled=True) > bytes_of_one(problem(batch=1), 1, 8)
    with pytest.raises(InputError, match="memory = 0 bytes holds nothing"):
        networks_at_once(question, 1000, 8, host, 0)
