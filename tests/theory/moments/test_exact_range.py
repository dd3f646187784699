"""The flow on single pulses: exact ranks, orthonormal bases of singular A, and the solution by independent means."""

import numpy as np
import pytest
import scipy.linalg

from tests.theory.pulse_cases import BELOW, CLOSED, DOWN, EVERY_KIND, HALF, OPEN, UP, enumerated, problem
from tests.tolerances import FLOW_ROUNDED, PULSE_FLOW
from theory.flow import mse_at, solve
from theory.flow.linear.parameters import Parameters, initial
from theory.moments import exact_range, gated_moments
from theory.moments.exact_features import is_circulant, pieces
from theory.moments.lit_sites import exact_moments
from theory.problem import InputError, NormalInitialisation, OutOfReachError

GATES = [(UP, DOWN), (UP, 0), (CLOSED, BELOW, OPEN), (UP, (4, HALF, float("inf")), OPEN), (OPEN, OPEN)]
EVERY_CASE = pytest.mark.parametrize(
    "question",
    [
        problem(support=support, flip=flip, gates=gates)
        for (support, flip), gates in zip(EVERY_KIND, GATES, strict=False)
    ]
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
        Q = np.zeros((block.directions.shape[1], len(A)))
        Q[:, block.places] = block.directions[0]
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


def test_what_the_data_never_excite_keeps_its_weights():
    """Support {0, 1}: 1[x >= 0] is always open and 1[x < 0] never, so that the second unit never moves."""
    question = problem(gates=(CLOSED, BELOW))
    solution = solve(question)
    assert solution.rank == 6
    assert (solution.weights[:, 1] == question.w0()[1]).all()
    assert (solution.fixed_point[1] == question.w0()[1]).all()
    notes = " ".join(solution.notes)
    assert "unit 0: its gate at site 1 is always open" in notes
    assert "unit 1: its gate at site 1 is never open" in notes
    with pytest.raises(InputError, match="is 0"):
        solve(problem(gates=(BELOW,)))


def test_the_ring_is_diagonalised_by_the_dft_where_gates_halve_it():
    """With a random sign flip each half-space sees half of the circulant <x x^T>."""
    question = problem(8, ((1, 2), (3, 4)), "plus-minus", "sign", ((2, 0, float("inf")), (2, float("-inf"), 0)))
    exact = exact_moments(question.data, question.network)
    assert [is_circulant(exact, piece) for piece in pieces(exact)] == [True, True]
    assert (exact.second[0, 0] == exact.second[1, 1]).all()
    assert not exact.second[0, 1].any()
    assert "2 blocks; diagonalised by the DFT" in " ".join(solve(question).notes)


def test_what_is_too_large_is_named(monkeypatch):
    at_rest = NormalInitialisation(0, 0)
    monkeypatch.setattr(exact_range, "MOST_ELIMINATION", 10)
    with pytest.raises(OutOfReachError, match=r"component of 9 rows: its rank, about 5, takes minutes"):
        solve(problem(9, ((2, 2), (3, 3)), "plus-minus", gates=((0, HALF, float("inf")),), w0=at_rest))
