"""The exact reductions of A and the eigenbases, each against the dense matrix."""

from fractions import Fraction

import numpy as np
import pytest
from flint import arb, arb_mat, ctx

from tests.theory.cases import gate, problem
from tests.tolerances import FLOW_ROUNDED
from theory.flow.linear.certified_ring import fourier, hartley_balls
from theory.flow.linear.eigenballs import eigenballs
from theory.flow.linear.spectrum import dense_spectrum, hartley, spectrum
from theory.moments import gate_basis, gated_moments
from theory.moments.reduction import gate_rank
from theory.moments.symmetric import Circulant, Dense, Toeplitz
from theory.problem import (
    Network,
)


def basis_of(gates):
    return gate_basis(Network("gated-linear", "mean", len(gates), tuple(gate(words) for words in gates)))


@pytest.mark.parametrize(
    ("gates", "rank"),
    [
        (["up:1"], 1),
        (["up:1", "down:1", "always"], 2),
        (["up:1", "repeat:0", "repeat:1"], 1),
        (["up:0", "down:0", "up:1", "down:1"], 3),
        (["up:0", "up:1", "up:3", "always"], 4),
    ],
)
def test_the_blocks_are_all_of_a(gates, rank):
    """sum_blocks Q (scales kron kernel) Q^T = A, with Q orthonormal of n times the rank of the gates."""
    moments = gated_moments(problem(gates=gates))
    n, units = 4, len(gates)
    total, right, bases = np.zeros((units * n, units * n)), np.zeros(units * n), []
    for block in moments.features.blocks:
        for directions, scale, rhs in zip(block.directions, block.scales, block.rhs, strict=True):
            Q = np.kron(directions, np.eye(n))
            total += scale * Q.T @ block.kernel.dense() @ Q
            right += Q.T @ rhs
            bases.append(directions)
    Q = np.concatenate(bases)
    assert np.abs(Q @ Q.T - np.eye(len(Q))).max() <= FLOW_ROUNDED
    assert len(Q) == gate_rank(basis_of(gates)) == rank
    assert rank == np.linalg.matrix_rank(np.array(moments.features.gates.coefficients, dtype=float))
    assert np.abs(total - moments.A).max() <= FLOW_ROUNDED
    assert np.abs(right - moments.b).max() <= FLOW_ROUNDED


ROW = np.exp(-(np.arange(6.0) ** 2) / 3)
KERNELS = {
    "ring": Circulant(np.concatenate([ROW, ROW[-2:0:-1]]), (10,)),
    "odd ring": Circulant(np.concatenate([ROW, ROW[:0:-1]]), (11,)),
    "torus": Circulant(np.outer(ROW[[0, 1, 2, 1]], ROW[[0, 1, 1]]).ravel(), (4, 3)),
    "one site": Toeplitz(ROW[:1]),
    "two sites": Toeplitz(ROW[:2]),
    "odd line": Toeplitz(ROW[:5]),
    "even line": Toeplitz(ROW),
    "dense": Dense(np.add.outer(ROW, ROW) + np.eye(6)),
}


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
def test_a_kernel_is_the_same_by_its_modes_its_products_and_its_entries(kernel):
    dense, modes = kernel.dense(), spectrum(kernel)
    assert (dense == dense.T).all()
    assert np.abs(np.sort(modes.values) - dense_spectrum(dense).values).max() <= FLOW_ROUNDED
    v = np.cos(np.arange(3.0 * kernel.rows) ** 2).reshape(3, -1)
    assert np.abs(modes.from_modes(modes.to_modes(v)) - v).max() <= FLOW_ROUNDED
    assert np.abs((modes.to_modes(v) ** 2).sum(axis=1) - (v**2).sum(axis=1)).max() <= FLOW_ROUNDED
    for product in (modes.from_modes(modes.values * modes.to_modes(v)), kernel.matvec(v)):
        assert np.abs(product - v @ dense).max() <= FLOW_ROUNDED


@pytest.mark.parametrize("gap", [1, Fraction(1, 10**6), Fraction(1, 10**30), 0])
def test_eigenvalue_balls_hold_close_eigenvalues(gap):
    """Eigenvectors in float64 are refined where it tells the eigenvalues apart, else found anew: both are as narrow.

    I - 2 v v^T/|v|^2 is orthogonal and symmetric for v = (1, ..., size), so that D_i are the eigenvalues of H D H.
    """
    size = 6
    values = [Fraction(1, 3), Fraction(1, 3) + gap, 2, 3, 5, 7]
    length = sum(i * i for i in range(1, size + 1))
    turn = [[int(i == j) - Fraction(2 * (i + 1) * (j + 1), length) for j in range(size)] for i in range(size)]
    kernel = [[sum(turn[i][k] * values[k] * turn[k][j] for k in range(size)) for j in range(size)] for i in range(size)]
    with ctx.workdps(50):
        balls = eigenballs(arb_mat([[arb(x.numerator) / x.denominator for x in row] for row in kernel]))
        assert balls.error < arb(2) ** (-ctx.prec // 2)
        for value, exact in zip(balls.values, sorted(map(Fraction, values)), strict=True):
            assert abs(value - arb(exact.numerator) / exact.denominator) <= balls.error


def test_fourier_modes_of_balls_hold_those_of_float64():
    axes = (2, 4)
    row = np.array([1.0, 0.5, 0.25, 0.125, 0.0, 0.125, 0.25, 0.5])
    exact, modes = np.fft.fftn(row.reshape(axes)).ravel(), fourier(np.frompyfunc(arb, 1, 1)(row), axes)
    for part, balls in zip((exact.real, exact.imag), modes, strict=True):
        assert np.abs(part - balls.astype(float)).max() <= FLOW_ROUNDED
    turned = hartley_balls(np.frompyfunc(arb, 1, 1)(row), axes)
    assert np.abs(turned.astype(float) - hartley(row, axes)).max() <= FLOW_ROUNDED
