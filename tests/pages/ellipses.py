"""The values of the claims on elliptical inputs, from integrals over angles and over the scale."""

from mpmath import mp, mpf


def half_space(rho: mpf, w_1: mpf, w_2: mpf) -> mpf:
    """Return E[1[w.z >= 0] z_1] of two unit Gaussians: E R/(2 pi) times the integral of cos over a half circle.

    z_1 = R cos t and z_2 = R (rho cos t + sqrt(1 - rho^2) sin t), with E R = sqrt(pi/2).
    """
    middle = mp.atan2(w_2 * mp.sqrt(1 - rho**2), w_1 + w_2 * rho)
    return mp.sqrt(mp.pi / 2) / (2 * mp.pi) * mp.quad(mp.cos, [middle - mp.pi / 2, middle, middle + mp.pi / 2])


def scaled(eta: mpf, epsilon: mpf) -> mpf:
    """Return E r/sqrt(E r^2) of a scale that is eta with probability epsilon and else 1."""
    first, second = ((1 - epsilon) + epsilon * eta**power for power in (1, 2))
    return first / mp.sqrt(second)


def mode(lambda_p: mpf, lambda_q: mpf, w_1: mpf, w_2: mpf) -> mpf:
    """Return E[1[w_1 z_q + w_2 z_p >= 0] z_q] of independent modes with these variances."""
    q, p = mp.sqrt(lambda_q), mp.sqrt(lambda_p)
    return q * half_space(mpf(0), w_1 * q, w_2 * p)


def kurtosis(d: mpf) -> mpf:
    """Return 3 E r^4/(E r^2)^2 - 3 for r^2 = d/V and V of the chi^2 distribution with d degrees of freedom."""

    def mean(power: int) -> mpf:
        """E V^-power, with V = u^2: the density of V has a root at 0 where d is odd."""
        scale = mp.mpf(2) ** (d / 2) * mp.gamma(d / 2)
        points = [0, 1, mp.sqrt(d), 2 * mp.sqrt(d), 5 * mp.sqrt(d), mp.inf]
        return mp.quad(lambda u: 2 * u ** (d - 1 - 2 * power) * mp.exp(-(u**2) / 2) / scale, points)

    return 3 * mean(2) / mean(1) ** 2 - 3


def rest(varepsilon: mpf, eta: mpf, lambda_q: mpf, lambda_p: mpf, w_1: mpf, w_2: mpf) -> mpf:
    """Return the eigenvalue of class 0 for which 2 E[1[w.x >= 0] x_q] = (lambda_0 + lambda_1) w_1 at rest."""
    return 2 * scaled(eta, varepsilon) * mode(lambda_p, lambda_q, w_1, w_2) / w_1 - lambda_q


VALUES = {
    "elliptical.half_space.gaussian": half_space,
    "elliptical.half_space.first": lambda varepsilon, eta, rho, w_1, w_2: (
        scaled(eta, varepsilon) * half_space(rho, w_1, w_2)
    ),
    "elliptical.half_space.mode": mode,
    "elliptical.half_space.rest": rest,
    "elliptical.student_t.kurtosis": kurtosis,
}
