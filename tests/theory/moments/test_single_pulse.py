"""The exact moments of single pulses against a full enumeration of their inputs: equal as fractions."""

from fractions import Fraction
from math import inf

import numpy as np
import pytest
from flint import arb, ctx

from tests.theory.pulse_cases import CLOSED, EVERY_GATE, HALF, OPEN, enumerated, problem
from tests.tolerances import UNIT_ROUNDOFF
from theory.moments import gated_moments, gated_moments_certified
from theory.moments.exact_moments import MOST_ROWS
from theory.moments.lit_sites import event, exact_moments
from theory.problem import AlwaysGate, Network, OutOfReachError, Problem, SinglePulse, SiteGate

NOTES = ((3, 4), (9, 10))  # widths of the public code's default, on 40 sites


def fractions(exact):
    """A of ExactMoments as fractions."""
    rows = [[Fraction(entry, exact.denominator) for entry in row] for row in exact.rows.tolist()]
    return rows, exact.first.ravel().tolist()


@pytest.mark.parametrize(
    ("support", "flip", "biases", "readout"),
    [
        ("zero-one", "none", "trained", "sum"),
        ("zero-one", "sign", "trained", "mean"),
        ("zero-one", "complement", "none", "sum"),
        ("plus-minus", "none", "none", "mean"),
        ("plus-minus", "sign", "none", "mean"),
        ("plus-minus", "complement", "none", "mean"),
    ],
)
def test_gated_moments_are_the_enumerated_ones(support, flip, biases, readout):
    gates, labels = (*EVERY_GATE, 0, (3, Fraction(1), inf), (3, -inf, Fraction(1))), (Fraction(1, 3), -2)
    question = problem(5, ((1, 2), (3, 5)), support, flip, gates, labels=labels, biases=biases, readout=readout)
    exact = exact_moments(question.data, question.network)
    assert fractions(exact) == enumerated(question)
    assert exact.y2 == (Fraction(1, 9) + 4) / 2


def test_gated_moments_of_the_public_widths():
    middle = ((20, HALF, float("inf")), (20, float("-inf"), HALF), (25, HALF, float("inf")))
    question = problem(40, NOTES, "plus-minus", "sign", middle)
    assert fractions(exact_moments(question.data, question.network)) == enumerated(question)


def test_float64_is_rounded_once_and_balls_hold_the_fractions():
    question = problem(support="plus-minus", flip="complement", gates=EVERY_GATE, labels=(Fraction(1, 3), 2))
    exact, b = fractions(exact_moments(question.data, question.network))
    close = gated_moments(question)
    assert close.A.tolist() == [[float(entry) for entry in row] for row in exact]
    assert close.b.tolist() == [float(entry) for entry in b]
    with ctx.workdps(40):
        balls = gated_moments_certified(question, 30)
        for ball, entry in zip([*balls.A.ravel(), *balls.b], [*np.ravel(exact), *b], strict=True):
            assert (ball - arb(entry.numerator) / entry.denominator).contains(0)
            assert ball.rad() <= UNIT_ROUNDOFF**2


def test_what_has_no_exact_moments_is_named():
    base = problem(gates=(OPEN,))
    with pytest.raises(OutOfReachError, match=r"erf.*move with its weights"):
        gated_moments(Problem(base.data, Network("erf", "mean", 1), base.training))
    with pytest.raises(OutOfReachError, match="site 0: a soft gate, of sharpness 2"):
        event(base.data, SiteGate(0, lo=0, on="input", sharpness=2))
    wide = SinglePulse(MOST_ROWS // 2 + 1, ((1, 2), (3, 4)), "zero-one", "none", (1, 0))
    with pytest.raises(OutOfReachError, match=f"{MOST_ROWS + 2} rows"):
        exact_moments(wide, Network("gated-linear", "mean", 2, (SiteGate(CLOSED[0], lo=0, on="input"), AlwaysGate())))
