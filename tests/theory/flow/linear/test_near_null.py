"""Long correlation lengths, where A is singular to float64: modes held at w0, and the bounds on what that changes."""

import numpy as np
import pytest

from tests.theory.cases import problem
from tests.tolerances import NEAR_NULL_MSE, NEAR_NULL_SHARE, UNIT_ROUNDOFF
from theory.flow import solve
from theory.flow.linear.accuracy import ROUNDINGS
from theory.flow.linear.convention import convention
from theory.flow.linear.parameters import Parameters, initial
from theory.flow.linear.relaxation import Modes, relax
from theory.moments import feature_moments
from theory.problem import OutOfReachError

# <(y - yhat)^2> at the optimum of exclusive gates in the middle of 200 sites, xi = 20 and 10, gain 1, labels 1 and 0:
# the exact linear system in balls of 80 digits.
EXACT = 0.278701522342673790


def long(n, **changes):
    fields = {
        "xi": [f"{n}/10", f"{n}/20"],
        "gain": "1",
        "labels": ["1", "0"],
        "gates": [f"up:{n // 2}", f"down:{n // 2}"],
    }
    return problem(**{"n": n, "boundary": "open", "readout": "mean", "times": ["0", "10", "1000"]} | fields | changes)


def test_long_correlation_lengths_are_solved():
    n = 200
    question = long(n)
    solution = solve(question)
    near = solution.near_null
    assert near.modes > 0
    assert -NEAR_NULL_MSE <= solution.mse - EXACT <= NEAR_NULL_SHARE
    assert (solution.rates >= 0).all()
    assert solution.rank == 2 * n == len(solution.rates)
    assert (solution.losses >= solution.mse - near.losses).all()
    assert (np.diff(solution.losses) < 0).all()
    assert f"{near.modes} of {2 * n} modes" in " ".join(solution.notes)
    with pytest.raises(OutOfReachError, match="20 certified digits are out of reach"):
        solve(question, digits=20)


def test_the_bounds_hold_against_certified_digits():
    """Modes that float64 could resolve are held all the same: then the exact solution is known."""
    share, question = 1e-4, long(80, loss="mse", times=["0", "10", "1000", "100000"])
    exact = solve(question, digits=20)
    times = [float(t) for t in question.training.elapsed]
    moments, start = feature_moments(question.data, question.network), initial(question)
    modes = Modes.of(moments)
    cut = share * modes.largest
    relaxed = relax(moments, start, convention(question), times, modes, cut, ROUNDINGS * UNIT_ROUNDOFF)
    near = relaxed.near_null
    assert 0 < near.modes < 2 * question.data.n
    weights = Parameters.of(relaxed.path, 2, question.data.n).weights
    moved = np.sqrt(((weights - exact.weights.astype(float)) ** 2).sum((1, 2)))
    lost = np.abs(relaxed.losses - exact.losses.astype(float))
    assert (moved <= near.weights).all()
    assert (lost <= near.losses + UNIT_ROUNDOFF * 8).all()
    assert float(relaxed.mse) - float(exact.mse) >= 0
    # The bounds are of the size of what they bound, where it is above rounding: a bound that is no bound would pass.
    assert near.weights[-1] <= 1e4 * moved[-1]
