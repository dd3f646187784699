"""The exact reductions of A and the eigenbases, each against the dense matrix."""

from fractions import Fraction

import numpy as np
import pytest
from flint import arb, arb_mat, ctx

from tests.theory.cases import problem
from tests.tolerances import FLOW_ROUNDED
from theory.flow.linear.eigenballs import eigenballs
from theory.flow.linear.spectrum import dense_spectrum, spectrum
from theory.moments import gated_moments
from theory.moments.symmetric import Circulant, Dense

# Gates, initial biases of the units, the rank of A.
BLOCKS = [
    (["up:1"], None, 4),
    (["up:1", "down:1", "always"], None, 2 * 4),
    (["up:1", "repeat:0", "repeat:1"], None, 4),
    (["up:0", "down:0", "up:1", "down:1"], None, 3 * 4),
    (["up:2", "down:1", "up:1", "always"], (0, 1, 2, 3), 12 + 3),
    (["up:1", "down:1", "always"], (0, 1, 2), 8 + 2),
    (["always", "always"], (0, 1), 4 + 1),
    (["up:0", "repeat:0", "up:3"], (0, 1, 2), 8 + 3),
]


@pytest.mark.parametrize(("gates", "biases", "rank"), BLOCKS)
def test_the_blocks_are_all_of_a(gates, biases, rank):
    """sum_blocks Q (scale kernel) Q^T = A and sum Q rhs = b with Q orthonormal, by embedding the unit vectors."""
    moments = gated_moments(problem(gates=gates, **({} if biases is None else {"hidden_bias0": biases})))
    total, right, bases = np.zeros(moments.A.shape), np.zeros(moments.b.shape), []
    v = np.cos(np.arange(len(right)) ** 2)
    for block in moments.features.blocks:
        for number, (scale, rhs) in enumerate(zip(block.scales, block.rhs, strict=True)):
            units, Q = np.zeros((rhs.size, *block.rhs.shape)), np.zeros((rhs.size, len(right)))
            units[:, number] = np.eye(rhs.size)
            Q[:, block.places] = [block.embed(unit) for unit in units]
            total += scale * Q.T @ block.kernel.dense() @ Q
            right += Q.T @ rhs
            bases.append(Q)
            assert np.abs(block.project(v)[number] - Q @ v).max() <= FLOW_ROUNDED
    Q = np.concatenate(bases)
    assert np.abs(Q @ Q.T - np.eye(len(Q))).max() <= FLOW_ROUNDED
    assert len(Q) == rank == moments.features.A.rank == np.linalg.matrix_rank(moments.A)
    assert np.abs(total - moments.A).max() <= FLOW_ROUNDED * np.abs(moments.A).max()
    assert np.abs(right - moments.b).max() <= FLOW_ROUNDED * np.abs(moments.A).max()


ROW = np.exp(-(np.arange(6.0) ** 2) / 3)
KERNELS = {
    "ring": Circulant(np.concatenate([ROW, ROW[-2:0:-1]]), (10,)),
    "odd ring": Circulant(np.concatenate([ROW, ROW[:0:-1]]), (11,)),
    "torus": Circulant(np.outer(ROW[[0, 1, 2, 1]], ROW[[0, 1, 1]]).ravel(), (4, 3)),
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


@pytest.mark.parametrize("gap", [1, Fraction(1, 10**30), 0])
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
