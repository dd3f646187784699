"""Inputs that are constant on intervals: dependent features, their exact rank, and the solution on their range."""

from fractions import Fraction
from itertools import cycle

import numpy as np
import pytest

from tests.sim.cases import line
from tests.theory.moments.definition import question
from tests.tolerances import FLOW_FLOAT64
from tests.tolerances_of_laws import PIECEWISE_RANK
from theory.flow import solve
from theory.moments import gated_moments
from theory.problem import AlwaysGate, DirectionGate, OutOfReachError, Quantile, SiteGate

ATOMS = Quantile(["1/2", "3/4", "9/10", 1], [0, 0, 1, 1])  # x = 0 and x = +-1 have probabilities of their own
ONE_VALUE = Quantile(
    ["1/2", "3/4", 1], [1, 1, 2]
)  # x = 1/Z for 0 <= z < 0.67, so that g x_1 = g/Z with a bias beside it
TWO = (SiteGate(1, lo=0), SiteGate(2, lo=0))
BOTH_SIDES = (SiteGate(0, lo=0), SiteGate(0, hi=0), SiteGate(2, lo=0, on="input"))
SLABS = (SiteGate(1, hi="-1/2"), SiteGate(1, lo="-1/2", hi="1/2"), SiteGate(1, lo="1/2"), SiteGate(2, lo="1/3"))
SOFT = (SiteGate(1, lo=0, sharpness=2), SiteGate(1, lo=0), SiteGate(2, lo=0))
CASES = {
    "two signs": ("sign", TWO),
    "three gates": ("sign", BOTH_SIDES),
    "slabs": ("sign", SLABS),
    "soft and hard": ("sign", SOFT),
    "atoms": (ATOMS, (*TWO, AlwaysGate())),
    "a slab where x has one value": (ONE_VALUE, (SiteGate(1, lo=0, hi="1/2"),)),
    "slabs of atoms": (ATOMS, (SiteGate(1, lo="1/2", on="input"), SiteGate(1, hi="-1/2", on="input"), AlwaysGate())),
}


def asked(f, gates, biases, n=3, **law):
    return question(line(n=n, nonlinearity=f, labels=(1, "-1/2"), **law), *gates, biases=biases, times=(1, 8))


@pytest.mark.parametrize(("case", "biases"), list(zip(CASES, cycle(("trained", "none")))))
def test_the_rank_is_that_of_the_matrix(case, biases):
    moments = gated_moments(asked(*CASES[case], biases))
    values = np.linalg.eigvalsh(moments.A)
    assert moments.features.A.rank == int((values > PIECEWISE_RANK * values[-1]).sum())
    theta = np.cos(np.arange(len(values)) ** 2)
    assert np.abs(moments.features.A.matvec(theta) - moments.A @ theta).max() <= FLOW_FLOAT64 * values[-1]


@pytest.mark.parametrize(
    ("case", "biases"), [("two signs", "none"), ("atoms", "trained"), ("a slab where x has one value", "none")]
)
def test_the_optimum_is_that_of_the_pseudo_inverse(case, biases):
    problem = asked(*CASES[case], biases)
    moments, solution = gated_moments(problem), solve(problem)
    inverse = np.linalg.pinv(moments.A, rcond=PIECEWISE_RANK, hermitian=True)
    assert abs(solution.mse - (moments.y2 - moments.b @ inverse @ moments.b)) <= FLOW_FLOAT64 * solution.condition
    s, theta0 = 1 / problem.network.units, np.array(problem.w0(), dtype=float).ravel()
    if biases != "trained":
        end = inverse @ moments.b / s + theta0 - inverse @ (moments.A @ theta0)
        assert np.abs(solution.fixed_point.ravel() - end).max() <= FLOW_FLOAT64 * solution.condition


def test_digits_beside_a_normaliser_that_is_irrational_are_refused():
    problem = asked(*CASES["a slab where x has one value"], "trained")
    with pytest.raises(OutOfReachError, match="the range of A is known in float64 alone"):
        solve(problem, digits=15)


@pytest.mark.parametrize("means", [(("1/2", 0, 0), (0, "-1/4", 1)), (("1/2", "1/3", 0),) * 2])
def test_digits_and_class_means_of_dependent_signs(means):
    problem = asked("sign", TWO, "none", means=means)
    moments, plain, exact = gated_moments(problem), solve(problem), solve(problem, digits=15)
    values = np.linalg.eigvalsh(moments.A)
    assert plain.rank == int((values > PIECEWISE_RANK * values[-1]).sum())
    theta = np.cos(np.arange(len(values)) ** 2)
    assert np.abs(moments.features.A.matvec(theta) - moments.A @ theta).max() <= FLOW_FLOAT64 * values[-1]
    assert abs(plain.mse - float(exact.mse)) <= FLOW_FLOAT64 * plain.condition


SIDES = [
    ((0, 1, 1, 2), {"lo": 1}, 0.25),
    ((0, 1, 1, 2), {"lo": "1001/1000"}, 0.0999),
    ((0, 1, 1, 2), {"lo": -1}, 0.9),
    ((0, 0, 1, 2), {"hi": 0}, 0.25),
    ((1, 2, 3, 4), {"hi": -1}, 0.5),
]


def test_which_side_a_value_of_its_own_probability_is_on():
    """P(gate) from the table of probabilities 1/2, 3/4, 9/10, 1: {x >= v} contains v, and {x < v} does not."""
    for table, bounds, share in SIDES:
        f = Quantile(["1/2", "3/4", "9/10", 1], list(table))
        gates = SiteGate(1, on="input", **bounds), AlwaysGate()
        A = gated_moments(asked(f, gates, "trained", normaliser="none")).A
        assert abs(A[6, 6] - share) <= PIECEWISE_RANK, (table, bounds)


@pytest.mark.parametrize(
    ("law", "bounds", "factor"),
    [
        ("sign", {"lo": "3/4"}, 2),
        (ONE_VALUE, {"lo": "-1"}, Fraction(1, 2)),
        ("sign", {"lo": 2, "hi": "5/2"}, Fraction(1, 2)),
    ],
)
def test_a_direction_of_one_input_is_its_site(law, bounds, factor):
    """1[c x_1 >= c h] is 1[x_1 >= h], also where h is in a gap of x or beyond its range, and for -x_1."""
    scaled = {name: factor * Fraction(bound) for name, bound in bounds.items()}
    site, along, minus = (
        gated_moments(asked(law, (gate, AlwaysGate()), "none"))
        for gate in (
            SiteGate(1, on="input", **bounds),
            DirectionGate({1: factor}, on="input", **scaled),
            DirectionGate({1: -factor}, on="input", **scaled),
        )
    )
    assert (along.A == site.A).all()
    assert np.abs(minus.A - site.A).max() <= FLOW_FLOAT64
