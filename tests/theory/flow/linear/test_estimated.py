"""Solutions from estimated moments: coverage of their intervals, their bias, what is not identified, refusals."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom, chi2, t

from tests.theory.sampled_cases import Process, Regression, exact_process, problem
from tests.tolerances import STANDARD_ERRORS
from tests.tolerances_of_estimates import COVERAGE_LEVEL, ESTIMATED_AGAIN, ESTIMATED_HELD
from theory.flow import solve
from theory.flow.linear.estimated import IDENTIFIED
from theory.moments.estimated import drawn
from theory.problem import AlwaysGate, OutOfReachError
from theory.problem.distributions.sampled import GROUPS, Estimate

REPEATED = 200
QUANTITIES = ("mse", "losses", "weights", "fixed_point", "rates", "condition")
ALL = (AlwaysGate(),)


def flat(of):
    """All numbers of a solution, or their standard errors, in one array."""
    return np.concatenate([np.ravel(of[name] if isinstance(of, dict) else getattr(of, name)) for name in QUANTITIES])


@pytest.fixture(scope="module")
def repeated():
    """Values and standard errors (repetitions, numbers) of estimates with different seeds."""
    found = [solve(problem(Process(Estimate(3200, seed)))) for seed in range(REPEATED)]
    return np.array([flat(one) for one in found]), np.array([flat(one.uncertainty.errors) for one in found])


def covered(values, errors):
    """In how many repetitions the interval of 95 % has the exact number."""
    exact = flat(solve(problem(exact_process())))
    return (np.abs(values - exact) <= t.ppf(0.975, GROUPS - 1) * errors).sum(axis=0)


def smooth(counts):
    """The counts of mse, losses and weights: sorted eigenvalues and their ratio are biased where they nearly meet."""
    return counts[: 1 + 2 + 16 + 8]


def test_intervals_cover_the_exact_numbers(repeated):
    """The number of repetitions is binomial; all numbers together leave its band in 1 of 100 choices of the seeds."""
    values, errors = repeated
    counts = smooth(covered(values, errors))
    tail = COVERAGE_LEVEL / (2 * len(counts))
    low, high = binom.ppf(tail, REPEATED, 0.95), binom.isf(tail, REPEATED, 0.95)
    assert ((counts >= low) & (counts <= high)).all(), counts
    for factor in (0.7, 1.6):  # errors that are wrong by so much are seen
        wrong = smooth(covered(values, factor * errors))
        assert not ((wrong >= low) & (wrong <= high)).all()
        assert (wrong.mean() < low) if factor < 1 else (wrong.mean() > 0.95 * REPEATED + 3)


def test_the_fit_to_the_examples_is_corrected():
    """From few examples: the mean mse over repetitions is the exact one only with the correction."""
    found = [solve(problem(Process(Estimate(96, seed)), times=(1,))) for seed in range(REPEATED)]
    exact = solve(problem(exact_process())).mse
    corrected = np.array([one.mse for one in found])
    plain = corrected + [one.uncertainty.subtracted["mse"] for one in found]
    error = corrected.std(ddof=1) / np.sqrt(len(found))
    # What is left is of second order, (P/N)^2 = 0.7 % of the optimum.
    assert abs(corrected.mean() - exact) <= 3 * error + (8 / 96) ** 2 * exact
    assert plain.mean() < exact - STANDARD_ERRORS * error


def test_errors_are_those_of_independent_examples():
    """The optimum is stationary: its error is that of the mean of (y - yhat)^2. Chi squared with G - 1 degrees."""
    law = Regression((1.0, 2.0, 0.5), (0.5, 0.2, 0.0))
    found = solve(problem(law, ALL))
    _, x, category = zip(*drawn(law, 10_000), strict=True)
    y = np.array([1.0, -1.0])[np.concatenate(category)]
    squares = (y - np.concatenate(x) @ found.fixed_point[0]) ** 2
    ratio = found.uncertainty.errors["mse"] ** 2 / (squares.var() / len(squares))
    low, high = chi2.ppf([1e-6, 1 - 1e-6], GROUPS - 1) / (GROUPS - 1)
    assert low < ratio < high
    fourfold = solve(problem(replace(law, estimate=Estimate(4 * 6400, 1)), ALL)).uncertainty.errors["mse"] ** 2
    assert 4 * low / high < found.uncertainty.errors["mse"] ** 2 / fourfold < 4 * high / low


def test_a_field_within_its_errors_is_not_identified():
    """Site 2 hardly varies: its weight is known to 1/(0.001 sqrt(N)), far worse than the weights themselves."""
    law = Regression((1.0, 1.0, 1e-3), (0.5, 0.0, 0.0))
    found = solve(problem(law, ALL))
    assert not found.uncertainty.identified.any()
    assert found.uncertainty.errors["fixed_point"][0, 2] > IDENTIFIED * abs(found.fixed_point[0, 2])
    assert any("w(inf) of unit 0 is not identified" in note for note in found.notes)
    early = found.uncertainty.errors["weights"][0, 0]
    assert early.max() < 0.1
    assert solve(problem(Regression(), ALL)).uncertainty.identified.all()
    nothing = solve(
        problem(Regression(along=(0.0, 0.0, 0.0)), ALL, times=(1, 100))
    )  # w(inf) = 0, and known to be small
    assert np.abs(nothing.fixed_point).max() < STANDARD_ERRORS * nothing.uncertainty.errors["fixed_point"].max()
    assert nothing.uncertainty.identified.all()


def test_modes_without_variance_keep_their_start():
    """The last site repeats the first, so that their difference never moves."""
    asked = problem(Regression(repeated=True), ALL)
    found, start = solve(asked), asked.w0()
    assert (found.rank, len(found.rates)) == (3, 4)
    assert found.rates[0] == 0
    for field in (found.fixed_point, *found.weights):
        assert abs((field - start)[0, 0] - (field - start)[0, 3]) <= ESTIMATED_HELD * np.abs(field).max()
    assert any("1 of 4 modes" in note and "held at w0" in note for note in found.notes)
    alone = solve(problem(Regression(), ALL))
    assert abs(found.mse - alone.mse) <= ESTIMATED_HELD * alone.mse


@pytest.mark.parametrize("biases", ["none", "trained"])
def test_several_outputs_and_biases_have_errors_of_their_shape(biases):
    found = solve(problem(Process(Estimate(3200), labels=((1, 0), (0, 2))), biases=biases))
    assert found.fixed_point.shape == found.uncertainty.errors["fixed_point"].shape == (2, 2, 4)
    assert found.uncertainty.identified.shape == (2, 2)
    for name, errors in found.uncertainty.errors.items():
        assert np.shape(errors) == np.shape(getattr(found, name))
        assert (np.asarray(errors) > 0).all()
    assert ("hidden_biases" in found.uncertainty.errors) == (biases == "trained")


def test_a_solution_goes_on_at_other_times():
    found = solve(problem(Process(Estimate(3200))))
    assert (
        np.abs(found.at(8) - found.weights[1]).max() <= ESTIMATED_AGAIN * found.uncertainty.errors["weights"][1].min()
    )
    assert solve(problem(Process(Estimate(3200)))).mse == found.mse
    assert found.digits is None


def test_digits_of_an_estimate_are_refused():
    with pytest.raises(OutOfReachError, match=r'--digits 20: the moments of the law "process" are estimated from 3200'):
        solve(problem(Process(Estimate(3200))), digits=20)
