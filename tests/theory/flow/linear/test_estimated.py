"""Solutions from estimated moments: coverage of their intervals, their bias, what is not identified, refusals."""

import numpy as np
import pytest
from scipy.stats import chi2, norm

from tests.theory.sampled_cases import Process, Regression, exact_process, problem
from tests.tolerances import STANDARD_ERRORS
from tests.tolerances_of_estimates import COVERAGE_LEVEL, ESTIMATED_HELD
from theory.flow import solve
from theory.flow.linear.estimated import IDENTIFIED
from theory.moments.estimated import drawn
from theory.problem import AlwaysGate, OutOfReachError
from theory.problem.distributions.sampled import Estimate

REPEATED = 80
# Sorted eigenvalues and their ratio are biased where they nearly meet, so that they are no such numbers.
QUANTITIES = ("mse", "losses", "weights", "fixed_point")
ALL = (AlwaysGate(),)


def flat(of):
    """The numbers of a solution, or their standard errors, in one array."""
    return np.concatenate([np.ravel(of[name] if isinstance(of, dict) else getattr(of, name)) for name in QUANTITIES])


@pytest.mark.slow
def test_errors_are_the_spread_of_repeated_estimates_around_the_exact_numbers():
    """Normal numbers leave the bands of chi squared and of the mean in 1 of 100 choices of the seeds."""
    estimates = [solve(problem(Process(Estimate(3200, seed)))) for seed in range(REPEATED)]
    values = np.array([flat(one) for one in estimates])
    errors = np.mean([flat(one.uncertainty.errors) ** 2 for one in estimates], axis=0)
    ratio = values.var(axis=0, ddof=1) / errors
    tail = COVERAGE_LEVEL / (4 * values.shape[1])
    low, high = chi2.ppf([tail, 1 - tail], REPEATED - 1) / (REPEATED - 1)
    for factor, is_right in ((1, True), (0.7, False), (1.6, False)):  # errors that are wrong by so much are seen
        assert ((ratio / factor**2 >= low) & (ratio / factor**2 <= high)).all() == is_right
    bias = np.abs(values.mean(axis=0) - flat(solve(problem(exact_process()))))
    assert (bias <= norm.isf(tail) * np.sqrt(errors / REPEATED)).all()


def test_the_fit_to_the_examples_is_corrected():
    """From few examples: the mean mse is that of the exact field on the same examples, only with the correction."""
    exact, apart, corrections = solve(problem(exact_process())), [], []
    for seed in range(24):
        law = Process(Estimate(80, seed))
        estimate = solve(problem(law, times=(1,)))
        x, category = map(np.concatenate, list(zip(*drawn(law, 80), strict=True))[1:])
        gates = np.stack([x[:, 1] >= 0, x[:, 1] < 0], axis=1)
        outputs = np.einsum("ek,en,kn->e", gates, x, exact.fixed_point) / 2
        apart.append(estimate.mse - np.mean((np.array(law.labels)[category] - outputs) ** 2))
        corrections.append(estimate.uncertainty.subtracted["mse"])
    error = np.std(apart, ddof=1) / np.sqrt(len(apart))
    # What is left is of second order, (P/N)^2 = 1 % of the optimum.
    assert abs(np.mean(apart)) <= 3 * error + (8 / 80) ** 2 * exact.mse
    assert np.mean(apart) + np.mean(corrections) < -STANDARD_ERRORS * error
    # It is P/N of the optimum, relative to which the next order is P/N again, with a factor of 1 or 2.
    assert abs(np.mean(corrections) / exact.mse + 8 / 80) <= 2 * (8 / 80) ** 2


def test_a_field_within_its_errors_is_not_identified():
    """Site 2 hardly varies: its weight is known to 1/(0.001 sqrt(N)), far worse than the weights themselves."""
    law = Regression((1.0, 1.0, 1e-3), (0.5, 0.0, 0.0))
    estimate = solve(problem(law, ALL))
    assert not estimate.uncertainty.identified.any()
    assert estimate.uncertainty.errors["fixed_point"][0, 2] > IDENTIFIED * abs(estimate.fixed_point[0, 2])
    assert any("w(inf) of unit 0 is not identified" in note for note in estimate.notes)
    early = estimate.uncertainty.errors["weights"][0, 0]
    assert early.max() < 0.1
    assert solve(problem(Regression(), ALL)).uncertainty.identified.all()
    nothing = solve(
        problem(Regression(along=(0.0, 0.0, 0.0)), ALL, times=(1, 100))
    )  # w(inf) = 0, and known to be small
    assert np.abs(nothing.fixed_point).max() < STANDARD_ERRORS * nothing.uncertainty.errors["fixed_point"].max()
    assert nothing.uncertainty.identified.all()


def test_modes_without_variance_keep_their_start():
    """The last site repeats the first, so that their difference never moves."""
    question = problem(Regression(repeated=True), ALL)
    estimate, start = solve(question), question.w0()
    assert (estimate.rank, len(estimate.rates)) == (3, 4)
    assert estimate.rates[0] == 0
    for field in (estimate.fixed_point, *estimate.weights):
        assert abs((field - start)[0, 0] - (field - start)[0, 3]) <= ESTIMATED_HELD * np.abs(field).max()
    assert any("1 of 4 modes" in note and "held at w0" in note for note in estimate.notes)
    alone = solve(problem(Regression(), ALL))
    assert abs(estimate.mse - alone.mse) <= ESTIMATED_HELD * alone.mse


def test_digits_of_an_estimate_are_refused():
    with pytest.raises(OutOfReachError, match=r'--digits 20: the moments of the law "process" are estimated from 3200'):
        solve(problem(Process(Estimate(3200))), digits=20)
