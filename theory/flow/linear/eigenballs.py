"""An approximate orthonormal eigenbasis of a symmetric ball matrix, with a proved bound on its error.

For midpoints V and D let defect = |V^T V - 1| and residual = |K - V D V^T| (Frobenius). The polar factor U of V is
orthogonal with |U - V| <= defect, so K = U D U^T + E with |E| <= residual + (2 + defect) defect max|D| =: error.
Then |lambda_i(K) - D_i| <= error (Weyl), and for K, D >= 0 and t >= 0,
|exp(-t K) - V exp(-t D) V^T| <= t error + (2 + defect) defect (Duhamel).
"""

from dataclasses import dataclass

import numpy as np
from flint import acb_mat, arb, arb_mat, ctx
from mpmath.ctx_mp import MPContext

# A basis whose orthogonality is accurate to less than half of the working bits indicates a nearly multiple eigenvalue,
# for which the nonsymmetric QR algorithm returns nearly parallel vectors.
ORTHOGONAL_SHARE = 0.5
# mpmath's symmetric algorithm takes ten seconds at this size; for larger matrices only more precision is tried.
MOST_TRIDIAGONAL_ROWS = 64


@dataclass(frozen=True)
class EigenBalls:
    """Ascending D (exact midpoints), V (exact midpoints), and the bounds of the module's docstring.

    >>> basis = eigenballs(arb_mat([[2, 1], [1, 2]]))
    >>> [bool(abs(value - exact) <= basis.error) for value, exact in zip(basis.values, (1, 3))]
    [True, True]
    """

    values: list[arb]
    vectors: arb_mat
    defect: arb
    error: arb

    def decay_error(self, rate_time: arb) -> arb:
        """A bound on |exp(-rt K) - V exp(-rt D) V^T|."""
        return (rate_time * self.error + (2 + self.defect) * self.defect).upper()


def frobenius(matrix: arb_mat) -> arb:
    """An upper bound of the Frobenius norm, which bounds the spectral norm.

    >>> abs(frobenius(arb_mat([[3, 0], [0, 4]])) - 5) < 1e-12
    True
    """
    return sum((size * size for size in (x.abs_upper() for x in matrix.entries())), arb(0)).sqrt().upper()


def eigenballs(kernel: arb_mat) -> EigenBalls:
    """The eigenbasis at the working precision.

    >>> basis = eigenballs(arb_mat([[2, 1], [1, 2]]))
    >>> [round(float(value), 12) for value in basis.values], bool(basis.error < 1e-12)
    ([1.0, 3.0], True)
    """
    size = kernel.nrows()
    found = _bounded(kernel, _by_qr(kernel))
    if found.defect < arb(2) ** int(-ORTHOGONAL_SHARE * ctx.prec) or size > MOST_TRIDIAGONAL_ROWS:
        return found
    return _bounded(kernel, _by_tridiagonal(kernel))


def _bounded(kernel: arb_mat, vectors: arb_mat) -> EigenBalls:
    size = kernel.nrows()
    turned = vectors.transpose() * kernel * vectors
    diagonal = [turned[i, i].mid() for i in range(size)]
    order = sorted(range(size), key=lambda i: diagonal[i])
    diagonal = [diagonal[i] for i in order]
    vectors = arb_mat([[row[i] for i in order] for row in vectors.tolist()])
    scaled = arb_mat([[x * d for x, d in zip(row, diagonal, strict=True)] for row in vectors.tolist()])
    residual = frobenius(kernel - scaled * vectors.transpose())
    identity = arb_mat([[int(i == j) for j in range(size)] for i in range(size)])
    defect = frobenius(vectors.transpose() * vectors - identity)
    largest = max((abs(d) for d in diagonal), default=arb(0))
    return EigenBalls(diagonal, vectors, defect, (residual + (2 + defect) * defect * largest).upper())


def _by_qr(kernel: arb_mat) -> arb_mat:
    """Eigenvectors by flint's approximate QR algorithm, made real and of unit length."""
    _, right = acb_mat(kernel.mid()).eig(right=True, algorithm="approx")
    columns = []
    for column in zip(*right.tolist(), strict=True):
        pivot = max(column, key=lambda x: float(abs(x).mid()))
        real = [(x / pivot).real.mid() for x in column]
        length = sum((x * x for x in real), arb(0)).sqrt()
        columns.append([(x / length).mid() for x in real])
    return arb_mat(np.array(columns, dtype=object).T.tolist())


def _by_tridiagonal(kernel: arb_mat) -> arb_mat:
    """Eigenvectors by mpmath's symmetric algorithm: slower, and orthogonal also for multiple eigenvalues."""
    context = MPContext()
    context.prec = ctx.prec
    rows = []
    for row in kernel.mid().tolist():
        rows.append([context.ldexp(*map(int, x.man_exp())) for x in row])
    _, vectors = context.eigsy(context.matrix(rows))
    return arb_mat([[_exact(x) for x in row] for row in vectors.tolist()])


def _exact(x) -> arb:
    sign, mantissa, exponent, _ = x._mpf_
    return arb(int(-mantissa if sign else mantissa)) * arb(2) ** int(exponent)
