"""The flow on single pulses: exact ranks, orthonormal bases of singular A, and the solution by independent means."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import scipy.linalg
from flint import fmpz_mat

from tests.oracles.pulses import inputs
from tests.theory.pulse_cases import BELOW, CLOSED, DOWN, EVERY_KIND, HALF, OPEN, UP, enumerated, problem
from tests.tolerances import FLOW_DIGITS, FLOW_FLOAT64, FLOW_ROUNDED, PULSE_FLOW
from theory.flow import discrete, gradient_descent, mse_at, solve
from theory.flow.linear.parameters import Parameters, initial
from theory.moments import exact_range, gated_moments
from theory.moments.exact_moments import ExactMoments
from theory.moments.exact_range import MOST_REGULAR_ROWS, components, optimum, pieces
from theory.moments.lit_sites import exact_moments
from theory.problem import InputError, NormalInitialisation, OutOfReachError, Simulation

GATES = [(UP, DOWN), (UP, 0), (CLOSED, BELOW, OPEN), (UP, (4, HALF, float("inf")), OPEN), (OPEN, OPEN)]
EVERY_CASE = pytest.mark.parametrize(
    "question",
    [problem(support=support, flip=flip, gates=gates) for support, flip in EVERY_KIND for gates in GATES]
    + [problem(gates=(UP, DOWN), biases="trained"), problem(gates=(CLOSED, OPEN), biases="trained", readout="sum")]
    + [problem(4, ((2, 2), (2, 2)), gates=(OPEN,)), problem(5, ((5, 5), (5, 5)), gates=(OPEN, UP))],
)


def rank_in_fractions(rows):
    """The number of pivots of Gaussian elimination."""
    rows, rank = [list(row) for row in rows], 0
    for column in range(len(rows)):
        pivot = next((index for index in range(rank, len(rows)) if rows[index][column]), None)
        if pivot is None:
            continue
        rows[rank], rows[pivot] = rows[pivot], rows[rank]
        for index in range(rank + 1, len(rows)):
            factor = rows[index][column] / rows[rank][column]
            rows[index] = [a - factor * b for a, b in zip(rows[index], rows[rank], strict=True)]
        rank += 1
    return rank


def dense(question):
    """A, b, s, ell of the enumeration in float64."""
    A, b = enumerated(question)
    s = 1 / question.network.units if question.network.readout == "mean" else 1.0
    return np.array(A, dtype=float), np.array(b, dtype=float), s, 1.0 if question.training.loss == "half-mse" else 2.0


@EVERY_CASE
def test_the_blocks_are_all_of_a(question):
    """Q orthonormal of exactly the rank of A in fractions, and Q^T (scales kron kernel) Q = A."""
    A, b, _, _ = dense(question)
    basis, total, right = [], np.zeros_like(A), np.zeros_like(b)
    for block in gated_moments(question).features.blocks:
        (Q,) = block.directions
        basis.append(Q)
        total += Q.T @ block.kernel.dense() @ Q
        right += Q.T @ block.rhs[0]
    Q = np.concatenate(basis)
    assert len(Q) == rank_in_fractions(enumerated(question)[0])
    assert np.abs(Q @ Q.T - np.eye(len(Q))).max() <= FLOW_ROUNDED
    assert np.abs(total - A).max() <= FLOW_ROUNDED
    assert np.abs(right - b).max() <= FLOW_ROUNDED


@EVERY_CASE
def test_the_solution_is_that_of_least_squares_and_of_the_exponential(question):
    A, b, s, ell = dense(question)
    w0 = initial(question)
    found = solve(question)
    least = np.linalg.pinv(A, rcond=PULSE_FLOW, hermitian=True) @ b
    outside = w0 - scipy.linalg.orth(A, rcond=PULSE_FLOW) @ (scipy.linalg.orth(A, rcond=PULSE_FLOW).T @ w0)
    slack = PULSE_FLOW * found.condition
    learned = found.fixed_point.ravel()
    if found.output_bias is not None:
        learned = np.concatenate([learned, found.fixed_hidden_biases, [found.fixed_output_bias]])
    assert np.abs(learned - (least / s + outside)).max() <= slack
    assert abs(found.mse - (0.5 - b @ least)) <= slack
    # dw/dt = ell s (b - s A w) as a linear system one row longer.
    generator = np.zeros((len(A) + 1, len(A) + 1))
    generator[:-1, :-1], generator[:-1, -1] = -ell * s**2 * A, ell * s * b
    for index, t in enumerate((0.0, 1.0, 7.0)):
        expected = (scipy.linalg.expm(t * generator) @ np.append(w0, 1.0))[:-1]
        biases = None
        if found.output_bias is not None:
            biases = np.append(found.hidden_biases[index], found.output_bias[index])
        path = Parameters(found.weights[index], biases)
        assert np.abs(path.theta - expected).max() <= slack
        assert abs(found.losses[index] - mse_at(gated_moments(question), path.weights, s, biases)) <= slack
    assert (found.rates[: len(A) - found.rank] == 0).all()
    assert np.abs(found.rates - ell * s**2 * np.linalg.eigvalsh(A)).max() <= FLOW_ROUNDED


@EVERY_CASE
def test_the_optimum_is_a_fraction(question):
    exact = optimum(exact_moments(question.data, question.network))
    assert abs(solve(question).mse - float(exact)) <= FLOW_FLOAT64 * solve(question).condition
    certified = solve(question, FLOW_DIGITS)
    assert abs(Fraction(certified.mse) - exact) <= Fraction(1, 10 ** (FLOW_DIGITS - 1)) * max(
        exact, Fraction(1, 10**20)
    )


@pytest.mark.parametrize(("support", "flip"), EVERY_KIND)
def test_the_optimum_of_the_public_widths_is_that_of_a_regression(support, flip):
    """Least squares on all inputs of both classes, each weighted by the root of its probability."""
    gates = ((20, HALF, float("inf")), (20, float("-inf"), HALF))
    question = problem(40, ((3, 4), (9, 10)), support, flip, gates)
    classes = [inputs(40, widths, support, flip) for widths in question.data.widths]
    rows, labels = [], []
    for points, label in zip(classes, (1.0, 0.0), strict=True):
        weight = np.sqrt(0.5 / len(points))
        rows += [
            weight * np.concatenate([np.array(x) * (lo <= x[site] < hi) for site, lo, hi in gates]) for x in points
        ]
        labels += [weight * label] * len(points)
    (rows, labels), found = (np.array(rows), np.array(labels)), solve(question)
    weights, _, rank, _ = np.linalg.lstsq(rows, labels, rcond=None)
    assert rank == found.rank
    assert abs(found.mse - np.sum((labels - rows @ weights) ** 2)) <= PULSE_FLOW * found.condition


@pytest.mark.parametrize(("support", "flip"), EVERY_KIND)
def test_certified_digits_agree_with_float64(support, flip):
    question = problem(support=support, flip=flip, gates=(UP, DOWN, OPEN), readout="sum", loss="mse")
    close, certified = solve(question), solve(question, 20)
    slack = PULSE_FLOW * close.condition
    for name in ("fixed_point", "weights", "losses", "rates"):
        apart = np.abs(getattr(certified, name).astype(float) - getattr(close, name))
        assert apart.max() <= slack * max(1.0, np.abs(getattr(close, name)).max()), name


def test_discrete_steps_are_those_of_the_dense_matrix():
    run = Simulation("online", 10, Fraction(1, 2), 2, 0, 4)
    question = problem(gates=(UP, (4, HALF, float("inf")), OPEN), simulation=run)
    A, b, s, ell = dense(question)
    expected = gradient_descent(A, b, question.w0(), 0.5, s, ell, [0, 2, 14])
    assert np.abs(discrete(question).weights - expected).max() <= FLOW_ROUNDED


def test_what_the_data_never_excite_keeps_its_weights():
    """Support {0, 1}: 1[x >= 0] is always open and 1[x < 0] never, so that the second unit never moves."""
    question = problem(gates=(CLOSED, BELOW))
    found = solve(question)
    assert found.rank == 6
    assert (found.weights[:, 1] == question.w0()[1]).all()
    assert (found.fixed_point[1] == question.w0()[1]).all()
    said = " ".join(found.notes)
    assert "unit 0: its gate at site 1 is always open, as x takes the values {0, 1}" in said
    assert "unit 1: its gate at site 1 is never open (what it gates keeps its initial value)" in said
    assert "A has rank 6 of 12, exactly" in said


def test_the_ring_is_diagonalised_by_the_dft_where_gates_halve_it():
    """With a random sign flip each half-space sees half of the circulant <x x^T>."""
    question = problem(8, ((1, 2), (3, 4)), "plus-minus", "sign", ((2, 0, float("inf")), (2, float("-inf"), 0)))
    exact = exact_moments(question.data, question.network)
    assert [piece.circulant for piece in pieces(exact)] == [True, True]
    assert (exact.second[0, 0] == exact.second[1, 1]).all()
    assert not exact.second[0, 1].any()
    assert "2 blocks; diagonalised by the DFT" in " ".join(solve(question).notes)


def test_a_spectral_zero_of_every_width_is_found_without_a_threshold():
    """Pulses of width 2 on four sites have no alternating component: rank 3, and that part of w0 stays."""
    question = problem(4, ((2, 2), (2, 2)), gates=(OPEN,))
    found = solve(question)
    alternating = np.array([1.0, -1.0, 1.0, -1.0]) / 2
    assert found.rank == 3
    assert found.rates[0] == 0
    kept = found.weights @ alternating
    assert np.abs(kept - question.w0() @ alternating).max() <= FLOW_ROUNDED


def test_the_mean_and_the_sum_reach_the_same_function():
    base = problem(gates=(UP, DOWN))
    summed = replace(base, network=replace(base.network, readout="sum"))
    assert abs(solve(base).mse - solve(summed).mse) <= FLOW_ROUNDED


def test_gates_that_never_open_are_an_input_error():
    with pytest.raises(InputError, match=r"A = <x~ x~\^T> is 0.*Move the bounds"):
        solve(problem(gates=(BELOW,)))


def test_what_is_too_large_is_named(monkeypatch):
    at_rest = NormalInitialisation(0, 0)
    sites = MOST_REGULAR_ROWS + 1
    with pytest.raises(OutOfReachError, match=rf"component of {sites} rows: exact ranks are found for up to"):
        solve(problem(sites, ((1, 2), (2, 3)), gates=(OPEN,), w0=at_rest))
    monkeypatch.setattr(exact_range, "MOST_ELIMINATION", 10)
    with pytest.raises(OutOfReachError, match=r"component of 9 rows: its rank 5 makes an exact basis"):
        solve(problem(9, ((2, 2), (3, 3)), "plus-minus", gates=((0, HALF, float("inf")),), w0=at_rest))


def test_components_by_hand():
    relation = np.eye(5, dtype=bool)
    relation[0, 3] = relation[3, 0] = relation[3, 4] = relation[4, 3] = True
    assert [part.tolist() for part in components(relation)] == [[0, 3, 4], [1], [2]]


@pytest.mark.parametrize("gates", GATES[:3])
def test_any_spanning_rows_give_the_same_flow(gates, monkeypatch):
    """Rows of A in place of those of its echelon form, and lengths that no float holds."""
    question = problem(gates=gates, flip="sign")
    before = solve(question)
    monkeypatch.setattr(exact_range, "MOST_ECHELON_BITS", 0)
    exact_moments.cache_clear()
    try:
        after = solve(question)
        assert after.rank == before.rank
        slack = PULSE_FLOW * before.condition
        assert np.abs(after.fixed_point - before.fixed_point).max() <= slack
        assert np.abs(after.weights - before.weights).max() <= slack
    finally:
        exact_moments.cache_clear()


def test_a_rank_that_every_prime_hides_is_named(monkeypatch):
    monkeypatch.setattr(exact_range, "PRIMES", (2, 3))
    with pytest.raises(OutOfReachError, match="A has rank 1, and less modulo each of 2 primes"):
        exact_range._pivots(fmpz_mat([[6, 12], [12, 24]]), 1)


def test_lengths_are_brought_near_one():
    """Vectors of 10^400 and of 10^-400 have lengths between 1/2 and 2."""
    rows = np.array([[10**400, 10**400, 1], [10**400, 10**400, 1], [1, 1, 1]], dtype=object)
    exact = ExactMoments(1, 3, rows, 10**400, np.array([Fraction(1)] * 3, dtype=object), Fraction(1))
    (piece,) = pieces(exact)
    assert len(piece.norms) == 2
    assert all(Fraction(1, 4) <= norm <= 4 for norm in piece.norms)
    for p, vector in enumerate(piece.vectors):
        assert sum(entry**2 for entry in vector) == piece.norms[p]
        assert sum(entry * Fraction(1) for entry in vector) == piece.rhs[p, 0]
        for q, other in enumerate(piece.vectors):
            inner = sum(a * b * other[j] for i, a in enumerate(vector) for j, b in enumerate(map(Fraction, rows[i])))
            assert Fraction(inner, 10**400) == piece.kernel[p, q]
