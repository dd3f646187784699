"""Witnesses of the claims on least squares: ols.loss.*, ols.gated_input.*, ols.gates.objective, the small-bump problem.

Explicit samples with the stated moments are regressed by an orthogonal triangularisation of the data themselves; the
moments of the small-bump problem are the integrals of claims_gaussian.
"""

import mpmath
from claims_gaussian import erf_erf, step_erf, variance
from mpmath import mpf
from witness import GUARD, At, Witness, at_rest, reals


def _samples(means, shares, left, labels) -> tuple[mpmath.matrix, mpmath.matrix]:
    """Weighted rows x~ and labels: two classes of four samples; what is `left` of the moments is shared by `shares`.

    A class of mean m and covariance C C^T has the samples m +- sqrt(2) c for the columns c of C, each of probability
    1/8; the rows are multiplied by the root of that.
    """
    rows, answers = [], []
    for mean, share, label in zip(means, shares, labels, strict=True):
        root = mpmath.cholesky(left * share)
        for column, sign in ((0, 1), (0, -1), (1, 1), (1, -1)):
            rows.append([(mean[i] + sign * mpmath.sqrt(2) * root[i, column]) / mpmath.sqrt(8) for i in (0, 1)])
            answers.append(label / mpmath.sqrt(8))
    return mpmath.matrix(rows), mpmath.matrix(answers)


def _regressed(x: dict[str, mpf]) -> mpf:
    """min over beta of <(y - beta.x~)^2> for samples with the moments of the point."""
    if "a11" in x:  # labels 1 and 0: A = (S_1 + S_0)/2 and b = m_1/2
        total = mpmath.matrix([[2 * x["a11"], 2 * x["a12"]], [2 * x["a12"], 2 * x["a22"]]])
        means = [(2 * x["b1"], 2 * x["b2"])]
    else:
        total = mpmath.matrix([[x["s11"], x["s12"]], [x["s12"], x["s22"]]])
        means = [(x["m11"], x["m12"])]
    means.append((x.get("m01", mpf(1) / 3), x.get("m02", mpf(-1) / 5)))
    for mean in means:
        column = mpmath.matrix(mean)
        total = total - column * column.T
    rows, answers = _samples(means, (mpf(1) / 3, mpf(2) / 3), total, (x.get("y1", mpf(1)), x.get("y0", mpf(0))))
    _, norm = mpmath.qr_solve(rows, answers)
    return norm**2


def _loss(at: At, digits: int) -> mpf:
    with mpmath.workdps(digits + GUARD):
        return _regressed(reals(at))


def _loss_with_intercept(at: At, digits: int) -> mpf:
    """min over beta and b of <(y - beta.x~ - b)^2>: a column of ones beside samples of the stated covariance."""
    with mpmath.workdps(digits + GUARD):
        x = reals(at)
        apart = mpmath.matrix([x["d1"], x["d2"]])
        means = [[x[f"mu{i}"] + sign * x[f"d{i}"] / 2 for i in (1, 2)] for sign in (1, -1)]
        within = 2 * mpmath.matrix([[x["v11"], x["v12"]], [x["v12"], x["v22"]]]) - apart * apart.T / 2
        rows, answers = _samples(means, (mpf(1) / 3, mpf(2) / 3), within, (x["y1"], x["y0"]))
        beside = mpmath.matrix([[*rows[row, :], 1 / mpmath.sqrt(8)] for row in range(rows.rows)])
        return mpmath.qr_solve(beside, answers)[1] ** 2


def _objective(at: At, digits: int) -> mpf:
    """L* with loss = (1 - L*)/2."""
    with mpmath.workdps(digits + GUARD):
        return 1 - 2 * _regressed(reals(at))


def _rest_over_units(at: At, digits: int) -> mpf:
    """w(oo)/K of the flow with these moments, the other side of the equivalence."""
    with mpmath.workdps(digits + 60):
        x = reals(at)
        second = mpmath.matrix([[x["a11"], x["a12"]], [x["a12"], x["a22"]]])
        return at_rest(second, [x["b1"], x["b2"]], [mpf(3), mpf(-1)], x["K"], digits)[0] / x["K"]


# Two sites, the gates 1[z_1 >= 0] and 1[z_1 < 0]; x -> -x exchanges them, so that A_11 = A_22 = <x x^T>/2, b_2 = -b_1


def _small_bump(at: At, digits: int) -> tuple[mpmath.matrix, list[mpf]]:
    x = reals(at)
    square = variance(x["g"], digits)
    root = mpmath.sqrt(square)
    force = [step_erf(rho, x["g"], digits) / (2 * root) for rho in (mpf(1), x["rho1"])]
    mixed = sum(erf_erf(x[name], x["g"], digits) for name in ("rho1", "rho0")) / (2 * square)
    second = mpmath.zeros(4)
    for unit in (0, 2):
        for i, j in ((0, 0), (0, 1), (1, 0), (1, 1)):
            second[unit + i, unit + j] = (mpf(1) if i == j else mixed) / 2
    return second, [*force, *(-entry for entry in force)]


def _bump_weight(at: At, digits: int) -> mpf:
    with mpmath.workdps(digits + 2 * GUARD):
        second, force = _small_bump(at, digits + GUARD)
        return at_rest(second, force, [mpf(0)] * 4, mpf(2), digits)[0]


def _bump_loss(at: At, digits: int) -> mpf:
    """<(y - yhat)^2> = <y^2> - 2 beta.b + beta.A beta at A beta = b."""
    with mpmath.workdps(digits + 2 * GUARD):
        second, force = _small_bump(at, digits + GUARD)
        beta = mpmath.lu_solve(second, mpmath.matrix(force))
        return mpf(1) / 2 - 2 * mpmath.fdot(beta, force) + (beta.T * second * beta)[0]


_MOMENTS = (
    "a11=3 a12=1/4 a22=2 b1=1/2 b2=-1/3",
    "a11=2 a12=0 a22=2 b1=1/2 b2=1/2",
    "a11=4 a12=-2/5 a22=5/2 b1=-1/7 b2=1/2",
    "a11=7/3 a12=1/3 a22=4 b1=0 b2=-1/2",
)
_SECONDS = ("s11=5 s12=1/2 s22=9", "s11=9 s12=-9/10 s22=5", "s11=6 s12=0 s22=7", "s11=5 s12=99/100 s22=5")
_FIRST = ("m11=1 m12=-1", "m11=1/3 m12=1/7", "m11=-1 m12=-1", "m11=0 m12=1")
_ZEROTH = ("m01=-1/2 m02=1", "m01=1 m02=1", "m01=0 m02=-1", "m01=1/9 m02=-1/2")
_LABELS = ("y1=1 y0=-1", "y1=1 y0=0", "y1=-2 y0=3/2", "y1=1/3 y0=2")
_COVARIANCES = ("v11=2 v12=1/3 v22=4", "v11=4 v12=-2/5 v22=2", "v11=3 v12=0 v22=7/2", "v11=5/2 v12=1/7 v22=3")
_APART = ("d1=1 d2=-1", "d1=1/3 d2=1/7", "d1=-1 d2=-1", "d1=0 d2=1")
_MEANS = ("mu1=2 mu2=-1", "mu1=0 mu2=0", "mu1=-1/3 mu2=2", "mu1=1/9 mu2=-2")
_BUMPS = (
    "g=1 rho1=1/2 rho0=1/4",
    "g=1/64 rho1=31/32 rho0=1/16",
    "g=64 rho1=1/16 rho0=31/32",
    "g=3 rho1=31/32 rho0=31/32",
    "g=1/2 rho1=1/3 rho0=3/4",
)


def _joined(*columns: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(" ".join(row) for row in zip(*columns, strict=True))


WITNESSES = {
    "ols.loss.value": Witness(_loss, _MOMENTS),
    "ols.loss.class_means": Witness(_loss, _joined(_SECONDS, _FIRST)),
    "ols.loss.labels": Witness(_loss, _joined(_SECONDS, _FIRST, _ZEROTH, _LABELS)),
    "ols.loss.intercept": Witness(_loss_with_intercept, _joined(_COVARIANCES, _APART, _MEANS, _LABELS)),
    "ols.gates.objective": Witness(_objective, _joined(_SECONDS, _FIRST, _ZEROTH)),
    "ols.gated_input.regression": Witness(_rest_over_units, _joined(("K=1", "K=2", "K=7", "K=3"), _MOMENTS)),
    "flow.small_bump.two_sites": Witness(_bump_weight, _BUMPS),
    "ols.small_bump.two_sites": Witness(_bump_loss, _BUMPS),
}
