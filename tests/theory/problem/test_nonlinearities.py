"""Nonlinearities in problem files: read, written back, and refused with the reason."""

from fractions import Fraction

import pytest

from tests.sim.cases import gated, line, problem
from tests.theory import nonlinear_cases
from tests.theory.problem.refusals import not_refused
from theory.problem import (
    AlwaysGate,
    Erf,
    GaussianClone,
    InputError,
    NonlinearGP,
    Quantile,
    Sign,
    dumps,
    loads,
)

EVERY = list(nonlinear_cases.EVERY.values())


def test_out_and_in_again():
    for nonlinearity in EVERY:
        for kind in (NonlinearGP, GaussianClone):
            question = problem(line(kind, nonlinearity=nonlinearity), gated([AlwaysGate()]))
            text = dumps(question)
            assert loads(text) == question
            assert ("nonlinearity" in text) == (nonlinearity != Erf())


def test_the_gain_of_a_named_marginal_is_one():
    fixed = [each for each in EVERY if each.fixed_gain]
    cases = [(each, gain, "Write gain = 1.0") for each in fixed for gain in (2, (1, 2))]
    assert cases
    assert not_refused(lambda each, gain: line(nonlinearity=each, gain=gain), cases) == []


def test_words_and_tables_name_the_same():
    assert line(nonlinearity="sign") == line(nonlinearity=Sign()) == line(nonlinearity={"kind": "sign"})
    table = {"kind": "quantile", "p": ["1/2", "3/4", 1], "x": [0, 1, 3]}
    assert line(nonlinearity=table).nonlinearity == Quantile(["1/2", "3/4", 1], [0, 1, 3])
    assert line(nonlinearity={"kind": "algebraic", "k": 5}).nonlinearity.k == Fraction(5)


def test_wrong_nonlinearities():
    cases = [
        ("sgn", "data.nonlinearity.kind = 'sgn' is not known"),
        ("cubic", "data.nonlinearity lacks `c`"),
        ({"kind": "cubic", "c": -1}, "nonlinearity.c = -1 must be > 0"),
        ({"kind": "algebraic", "k": 2000}, "more than 1000"),
        ({"kind": "quantile", "p": ["1/2", 1], "x": [0, 1, 2]}, "p has 2 numbers, data.nonlinearity.x 3"),
        ({"kind": "quantile", "p": [0, 1], "x": [0, 1]}, "ascend from 1/2 to 1"),
        ({"kind": "quantile", "p": ["1/2", "1/2", 1], "x": [0, 1, 2]}, "ascend from 1/2 to 1"),
        ({"kind": "quantile", "p": ["1/2", 1], "x": [-1, 1]}, "must not descend and must begin at 0"),
        ({"kind": "quantile", "p": ["1/2", 1], "x": [0, 0]}, "with an entry above 0"),
    ]
    assert not_refused(lambda wrong: line(nonlinearity=wrong), cases) == []


def test_a_quantile_function_needs_a_latent_of_variance_one():
    ring = {"n": 9, "xi": (5, 2), "boundary": "ring", "positive_part": "clipped"}
    with pytest.raises(InputError, match="needs a latent of variance 1"):
        line(nonlinearity="laplace", **ring)
    assert line(nonlinearity="sign", **ring).clipped
