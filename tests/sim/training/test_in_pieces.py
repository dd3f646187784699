"""A run in pieces has the bits of the unbroken run, whatever its back end, and wherever a part of it was kept."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import torch

from sim.train import train
from sim.training.backends.names import numba_is_installed
from sim.training.pieces import Blocks, Pauses, blocks_of, next_length
from sim.training.state import State
from tests.sim.cases import EVERY_GATE, OPTIMIZERS, gated, line, problem
from theory.problem import InputError, Network

PLAIN = {"backend": "reference"}
COMPILED = [{"compile_steps": False}, {"backend": "compiled"}] if numba_is_installed() else []
_MOMENTUM, RMSPROP, ADAM = OPTIMIZERS
RELU = Network("relu", "mean", 3)


def online(batch, steps, snapshots, **changes):
    """A problem of so many steps with snapshots at some of them, at n = 4."""
    times = tuple(Fraction(step, 8) for step in (*snapshots, steps))
    return problem(batch=batch, learning_rate=Fraction(1, 8), times=times, **changes)


def kept(question, **settings):
    """The run in the shortest pieces, and its parts."""
    parts = []
    return train(question, "cpu", pauses=Pauses(parts.append, seconds=0.0), **settings), parts


def same(run, whole):
    """Whether all numbers of two runs are the same bit for bit."""
    state, expected = run.state, whole.state
    pairs = [(state.parameters, expected.parameters)]
    pairs += [(state.first or {}, expected.first or {}), (state.second or {}, expected.second or {})]
    assert run.parameters.keys() == whole.parameters.keys()
    assert np.array_equal(run.diverged, whole.diverged)
    assert state.step == expected.step
    return all(np.array_equal(run.parameters[name], whole.parameters[name]) for name in whole.parameters) and all(
        mine.keys() == other.keys() and all(torch.equal(mine[name], other[name]) for name in other)
        for mine, other in pairs
    )


LONG = line(n=200)
# Blocks of 20 steps in torch and 163 in compiled loops where n = 200, of 32 and 256 where n = 4 with batches of 256.
SHORT = online(8, 60, (0, 30), data=LONG, network=gated(EVERY_GATE, "mean", "trained"), **ADAM)
LONGER = online(8, 350, (5,), data=LONG, network=RELU, dtype="float32")
SHARED = online(8, 350, (170,), data=LONG, shared_stream=True, initialisation="per-replicate")
PRODUCTS = online(256, 200, (1, 101), network=RELU, replicates=2, **RMSPROP)
DIVERGING = problem(batch=256, learning_rate=30, times=(0, 3000, 6000))
CASES = [(SHORT, PLAIN), (PRODUCTS, PLAIN), (DIVERGING, PLAIN)]
CASES += [(LONGER, way) for way in COMPILED] + [(SHARED, way) for way in COMPILED[1:]]


@pytest.mark.parametrize(("question", "way"), CASES)
def test_pieces_have_the_bits_of_the_whole(question, way):
    whole = train(question, "cpu", **way)
    run, parts = kept(question, **way)
    assert same(run, whole)
    assert [part.state.step for part in parts] == sorted({part.state.step for part in parts})
    for part in (parts[0], parts[-1]):
        continued = train(question, "cpu", **way, pauses=Pauses(lambda _part: None, part))
        assert same(continued, whole)


def test_another_part_is_refused():
    question = PRODUCTS
    _, (part, *_) = kept(question)
    for wrong in (
        replace(part, state=State(0, part.state.parameters, part.state.frozen)),
        replace(part, state=replace(part.state, step=200)),
        replace(part, snapshots={}),
        replace(part, state=part.state.part(slice(1))),
    ):
        with pytest.raises(InputError, match=r"The part of a run has taken .* of 200 steps"):
            train(question, "cpu", pauses=Pauses(lambda _part: None, wrong))
    with pytest.raises(InputError, match="A state and pauses are given"):
        train(question, "cpu", pauses=Pauses(lambda _part: None), resume=part.state)


def test_pieces_end_where_blocks_do():
    torch_, compiled = Blocks((5, 40), 10, False, rest=10), Blocks((5, 40), 10, True, rest=1)
    assert [torch_.after(0, wanted) for wanted in (0.0, 19.0, 20.0, 29.0, 30.0, 31.0)] == [10, 10, 20, 20, 30, 30]
    assert [torch_.after(20, wanted) for wanted in (0.0, 19.0, 1e30)] == [30, 30, 40]
    assert torch_.after(21, 0.0) == 30
    assert torch_.after(30, 0.0) == 40
    assert [compiled.after(0, wanted) for wanted in (0.0, 100.0)] == [5, 5]
    assert [compiled.after(5, wanted) for wanted in (0.0, 19.0, 20.0, 35.0)] == [15, 15, 25, 35]
    assert compiled.after(35, 0.0) == 40
    assert next_length(10, took=10.0, wanted=5.0) == 5.0
    question = problem(batch=256, times=(0, 1, 5))
    assert blocks_of(question, (0, 2, 10), compiled=False).length == 32
    assert blocks_of(question, (0, 2, 10), compiled=True).length == 256
