"""The exact reductions of A and the eigenbases, each against the dense matrix."""

import numpy as np
import pytest
from flint import arb, arb_mat, ctx
from hypothesis import given
from hypothesis import strategies as st
from mpmath.ctx_mp import MPContext

from tests.theory.cases import gate, problem
from tests.tolerances import FLOW_ROUNDED
from theory.flow.linear.eigenballs import eigenballs, frobenius
from theory.flow.linear.reduction import blocks, gate_rank, orthogonal_basis, parts
from theory.flow.linear.relaxation import phi
from theory.flow.linear.spectrum import circulant_spectrum, dense_spectrum, hartley
from theory.moments import gate_basis, gated_moments
from theory.problem import Network

GATES = ["up:0", "down:0", "up:1", "down:1", "up:3", "always", "repeat:0"]
RANKS = [
    (["up:1"], 1),
    (["up:1", "down:1"], 2),
    (["up:1", "down:1", "always"], 2),
    (["up:1", "always"], 2),
    (["up:1", "repeat:0", "repeat:1"], 1),
    (["up:0", "down:0", "up:1", "down:1"], 3),
    (["up:0", "up:1", "up:3", "always"], 4),
    (["always", "always"], 1),
]


def basis_of(gates):
    return gate_basis(Network("gated-linear", "mean", len(gates), tuple(gate(words) for words in gates)))


@pytest.mark.parametrize(("gates", "rank"), RANKS)
def test_rank_by_counting(gates, rank):
    assert gate_rank(basis_of(gates)) == rank


@given(st.lists(st.sampled_from(GATES), min_size=1, max_size=6))
def test_the_blocks_are_all_of_a(gates):
    """sum_blocks Q (scales kron kernel) Q^T = A, with Q orthonormal of n times the rank of the gates."""
    gates[0] = "up:2" if gates[0] == "repeat:0" else gates[0]
    moments = gated_moments(problem(gates=gates))
    n, units = 4, len(gates)
    total, right, bases = np.zeros((units * n, units * n)), np.zeros(units * n), []
    for block in blocks(moments):
        for directions, scale, rhs in zip(block.directions, block.scales, block.rhs, strict=True):
            Q = np.kron(directions, np.eye(n))
            total += scale * Q.T @ block.kernel @ Q
            right += Q.T @ rhs
            bases.append(directions)
    Q = np.concatenate(bases)
    assert np.abs(Q @ Q.T - np.eye(len(Q))).max() <= FLOW_ROUNDED
    assert len(Q) == np.linalg.matrix_rank(np.array(moments.gates.coefficients, dtype=float))
    assert np.abs(total - moments.A).max() <= FLOW_ROUNDED
    assert np.abs(right - moments.b).max() <= FLOW_ROUNDED


def test_what_decouples():
    """One site: everything. Complementary pairs: the linear direction. Half-spaces of several sites: nothing."""
    assert [part.stationary for part in parts(basis_of(["up:1", "down:1", "always"]))] == [True]
    assert [part.stationary for part in parts(basis_of(["up:0", "down:0", "up:3", "down:3"]))] == [True, False]
    assert [part.stationary for part in parts(basis_of(["up:0", "up:3", "always"]))] == [False]


def test_dependent_vectors_leave_nothing():
    assert orthogonal_basis([]) == []


def test_ring_modes_are_those_of_the_dense_matrix():
    kernel = gated_moments(problem(n=9, xi=("1", "1.25"), boundary="ring")).even
    fast, dense = circulant_spectrum(kernel), dense_spectrum(kernel)
    assert np.abs(np.sort(fast.values) - dense.values).max() <= FLOW_ROUNDED
    v = np.cos(np.arange(9.0) ** 2)
    for modes in (fast, dense):
        assert np.abs(modes.from_modes(modes.to_modes(v)) - v).max() <= FLOW_ROUNDED
        assert np.abs(modes.from_modes(modes.values * modes.to_modes(v)) - kernel @ v).max() <= FLOW_ROUNDED
    assert np.abs(hartley(hartley(v)) - v).max() <= FLOW_ROUNDED


def test_phi_is_entire():
    z = np.array([0.0, 1e-320, 1e-9, 1.0, 800.0])
    exact = [1.0, 1.0, 1 - 0.5e-9, 1 - np.exp(-1.0), 1 / 800]
    assert np.abs(phi(z) - exact).max() <= FLOW_ROUNDED


@pytest.mark.parametrize("circulant", [True, False])
def test_eigenvalue_balls_hold_the_eigenvalues(circulant):
    """A ring's eigenvalues are double, where eigenvectors of the nonsymmetric algorithm may be parallel."""
    size, context = 8, MPContext()
    context.dps = 60
    with ctx.workdps(40):
        row = [arb(1), arb(1) / 3, arb(1) / 9, arb(0), arb(1) / 81, arb(0), arb(1) / 9, arb(1) / 3]
        kernel = arb_mat([[row[(j - i) % size] for j in range(size)] for i in range(size)])
        found = eigenballs(kernel, circulant)
        assert found.error < arb(2) ** (-ctx.prec // 2)
        for index, value in enumerate(sorted(_dft(row), key=float)):
            assert arb(found.values[index], found.error).overlaps(value)
        propagated = found.vectors * arb_mat(np.diag([(-d).exp() for d in found.values]).tolist())
        difference = propagated * found.vectors.transpose() - (kernel * -1).exp()
        assert frobenius(difference) <= 2 * size * found.decay_error(arb(1)) + arb(2) ** (20 - ctx.prec)


def _dft(row):
    size = len(row)
    return [sum(x * (2 * arb.pi() * q * j / size).cos() for j, x in enumerate(row)) for q in range(size)]
