"""The compiled back end against the reference, number by number and step by step; skipped without numba."""

from fractions import Fraction

import numpy as np
import pytest

from sim.train import train
from tests.sim.cases import line, problem
from tests.sim.random.test_streams import KNOWN
from tests.tolerances import SIM_DESCENT
from theory.problem import Network

numba = pytest.importorskip("numba", reason="numba is not installed (extra `speed`)")


def both(question, **settings):
    return tuple(train(question, "cpu", backend=backend, **settings) for backend in ("reference", "compiled"))


def far(found, expected):
    return np.abs(found - expected).max() / np.abs(expected).max()


def learned(run):
    parts = [part for part in (run.weights, run.biases, run.readout) if part is not None]
    return np.concatenate([part.reshape(*part.shape[:2], -1) for part in parts], axis=2)


def test_known_answers():
    from sim.training.backends.compiled.numbers import philox

    for counter, key, result in KNOWN:
        call, low, high, word = (np.uint64(part) for part in counter)
        assert philox(tuple(np.uint64(part) for part in key), word, call, low | high << np.uint64(32)) == result


def test_compiled_normals_agree_with_the_reference():
    question = problem(line(n=9), Network("relu", "sum", 9), batch=300, learning_rate=Fraction(1, 16))
    fast, plain = (train(question, "cpu", backend=backend) for backend in ("compiled-normals", "reference"))
    assert (fast.backend, plain.backend) == ("compiled-normals", "reference")
    assert far(fast.weights, plain.weights) < SIM_DESCENT
    assert (fast.weights != plain.weights).any()  # they are other roundings, so each is what its name says
