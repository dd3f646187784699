"""An approximate orthonormal eigenbasis of a symmetric ball matrix, with a proved bound on its error.

For midpoints V and D let defect = |V^T V - 1| and residual = |K - V D V^T| (Frobenius). The polar factor U of V is
orthogonal with |U - V| <= defect, so K = U D U^T + E with |E| <= residual + (2 + defect) defect max|D| =: error.
Then |lambda_i(K) - D_i| <= error (Weyl), and for K, D >= 0 and t >= 0,
|exp(-t K) - V exp(-t D) V^T| <= t error + (2 + defect) defect (Duhamel).

V begins with the eigenvectors in float64, which are refined (Ogita and Aishima 2018, Iterative refinement for symmetric
eigenvalue decomposition, algorithm 1). With R = 1 - V^T V, S = V^T K V and D_i = S_ii/(1 - R_ii) a step adds V E,
E_ij = (S_ij + D_j R_ij)/(D_j - D_i), or R_ij/2 for eigenvalues closer than 2 (|S - D| + max|D| |R|). It converges
quadratically unless float64 cannot tell eigenvalues apart; V then comes from an eigensolver at the working precision,
which takes three times as long at 100 rows. The bound above is proved for every V.
"""

from dataclasses import dataclass

import numpy as np
from flint import acb_mat, arb, arb_mat, ctx
from mpmath.ctx_mp import MPContext

# A basis whose orthogonality is accurate to less than half of the working bits indicates a nearly multiple eigenvalue,
# for which the nonsymmetric QR algorithm returns nearly parallel vectors.
ORTHOGONAL_SHARE = 0.5
# A refined basis whose error is larger has eigenvalues that float64 does not tell apart. Where it does, the error is
# about 2^-prec times the number of rows.
REFINED_SHARE = 0.9
# Steps enough for a thousand digits; where they converge, each correction is far smaller than SLOW times the last.
MOST_STEPS, SLOW = 12, 0.1
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
    size, vectors = kernel.nrows(), _by_refinement(kernel)
    if vectors is not None:
        found = _bounded(kernel, vectors)
        if found.error < max(abs(d) for d in found.values) * arb(2) ** int(-REFINED_SHARE * ctx.prec):
            return found
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
    defect = frobenius(vectors.transpose() * vectors - _diagonal([arb(1)] * size))
    largest = max((abs(d) for d in diagonal), default=arb(0))
    return EigenBalls(diagonal, vectors, defect, (residual + (2 + defect) * defect * largest).upper())


def _by_refinement(kernel: arb_mat) -> arb_mat | None:
    """Eigenvectors by float64, refined; None where the steps do not converge."""
    middle, size = kernel.mid(), kernel.nrows()
    if not all(np.isfinite(float(x)) for x in middle.entries()):
        return None
    _, start = np.linalg.eigh(np.array([[float(x) for x in row] for row in middle.tolist()]))
    vectors, identity = arb_mat(start.tolist()), _diagonal([arb(1)] * size)
    last, enough = np.inf, 2.0 ** (-ctx.prec / 2)  # the next step would reach the working precision, and it is taken
    for _ in range(MOST_STEPS):
        correction = _correction(middle, vectors, identity)
        vectors = (vectors + vectors * correction).mid()
        moved = float(frobenius(correction))
        if moved < enough:
            return vectors
        if not moved < SLOW * last:
            return None
        last = moved
    return None


def _correction(middle: arb_mat, vectors: arb_mat, identity: arb_mat) -> arb_mat:
    """E of a step, without radii: what it misses is in the bound on the final vectors."""
    apart = (identity - vectors.transpose() * vectors).mid()
    turned = (vectors.transpose() * middle * vectors).mid()
    rows, others = turned.tolist(), apart.tolist()
    found = [(row[i] / (1 - other[i])).mid() for i, (row, other) in enumerate(zip(rows, others, strict=True))]
    largest = max((abs(d) for d in found), default=arb(0))
    close = 2 * (frobenius(turned - _diagonal(found)) + largest * frobenius(apart))
    return arb_mat(
        [
            [
                (x + d * r) / (d - own) if i != j and abs(d - own) > close else r / 2
                for j, (x, r, d) in enumerate(zip(row, other, found, strict=True))
            ]
            for i, (row, other, own) in enumerate(zip(rows, others, found, strict=True))
        ]
    ).mid()


def _diagonal(values: list[arb]) -> arb_mat:
    size = len(values)
    return arb_mat([[values[i] if i == j else 0 for j in range(size)] for i in range(size)])


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
