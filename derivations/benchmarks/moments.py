"""`gdln bench moments`: E[1_i 1_j erf_k erf_l] for all k and l beside two ways of SciPy, per distinct value.

With u = sqrt(2) g z + eps the erfs are E[sign u_k | z], E[sign u_l | z], and kappa = sqrt(2) g/sqrt(1 + 2 g^2) is the
correlation of u_k with z_k. SciPy is asked in the two ways that a careful user would choose:

* `cdf`, one value at a time: one call of the multivariate normal CDF, P = P(z_i, z_j, u_k, u_l > 0), the other three
  orthants being 4 P - 2 P(z_i, z_j, u_k > 0) - 2 P(z_i, z_j, u_l > 0) + P(z_i, z_j > 0) with Sheppard's arcsines, at
  its own accuracy of 1e-5;
* `quad_vec`, all distinct values at once: Plackett's (1954) integral over t of the four correlations between (i, j) and
  (k, l), scaled by t, to 1e-12.

Swapping k with l, and reflecting the line about the middle of the gates (k -> i + j - k), leave a value as it is; only
one value of each such family is counted, for the workbench and for SciPy.
"""

from fractions import Fraction
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from derivations.benchmarks.machine import UNIT, one_thread, row

SITES, GATES = 100, (40, 60)
GAINS = (Fraction(1, 100), Fraction(1), Fraction(100))
VALUES = 12  # of the CDF
QUADRATURE = 1e-12  # absolute


def measure(rounds: int = 15) -> dict[str, Any]:
    """Return processor seconds per distinct value, and distances from the block of the workbench, at three gains."""
    from theory.moments import four_point_block
    from theory.problem import NonlinearGP

    pairs = distinct_pairs(SITES, *GATES)
    few = np.random.default_rng(0).integers(37, 64, (VALUES, 2))
    rows = []
    with one_thread("gdln bench moments"):
        for gain in GAINS:
            law = NonlinearGP(SITES, (Fraction(2), Fraction(1)), gain, "open", "none", (Fraction(1), Fraction(0)))

            def block(at: np.ndarray, law: NonlinearGP = law) -> np.ndarray:
                return four_point_block(law, 0, *GATES)[tuple(at.T)]

            def quadrature(law: NonlinearGP = law) -> np.ndarray:
                return by_quad_vec(law, pairs)

            def cdf(law: NonlinearGP = law) -> np.ndarray:
                return np.array([by_cdf(law, k, l) for k, l in few.tolist()])

            ours = {"workbench": lambda block=block: block(pairs), "quad_vec": quadrature}
            found = row(f"gain {float(gain):g}", ours, rounds, per=len(pairs))
            theirs = row("", {"cdf": cdf}, 1, per=VALUES, same=False)["seconds"]["cdf"]
            found["seconds"]["cdf"], found["ratio"]["cdf"] = theirs, theirs / found["seconds"]["workbench"]
            found["apart"]["cdf"] = float(np.abs(cdf() - block(few)).max() / np.abs(block(pairs)).max())
            rows.append(found)
    what = f"E[1_i 1_j erf_k erf_l] for all k, l of a line of {SITES} sites, one of {len(pairs):,} distinct values"
    return {"what": what, "unit": UNIT, "rows": rows}


def distinct_pairs(sites: int, i: int, j: int) -> Int[np.ndarray, "P 2"]:
    """Return one pair (k, l) of each family that swapping and the reflection about the middle of i and j make equal.

    >>> len(distinct_pairs(100, 40, 60))
    2600
    """
    k, l = np.divmod(np.arange(sites**2), sites)
    images = ((k, l), (l, k), (i + j - k, i + j - l), (i + j - l, i + j - k))
    codes = np.stack([2 * (i + j + sites) * a + b for a, b in images])  # an image may lie outside of the line
    _, first = np.unique(codes.min(axis=0), return_index=True)
    return np.stack([k[first], l[first]], axis=1)


def _kappa(law: Any) -> float:
    gain = float(law.gain)
    return float(np.sqrt(2) * gain / np.sqrt(1 + 2 * gain**2))


def _correlation(law: Any, k: int, l: int) -> Float[np.ndarray, "4 4"]:
    """The correlations of z_i, z_j and the attenuated u_k, u_l."""
    sites = np.array([*GATES, k, l])
    rho = np.exp(-((sites[:, None] - sites[None, :]) ** 2) / float(law.xi[0]) ** 2)
    shrink = np.array([1.0, 1.0, _kappa(law), _kappa(law)])
    cov = rho * shrink[:, None] * shrink[None, :]
    np.fill_diagonal(cov, 1.0)
    return cov


def by_cdf(law: Any, k: int, l: int) -> float:
    """The expectation by one call of SciPy's multivariate normal CDF, whose default accuracy is 1e-5."""
    from scipy.stats import multivariate_normal

    r = _correlation(law, k, l)
    orthant = float(multivariate_normal(np.zeros(4), r, allow_singular=True).cdf(np.zeros(4)))
    angles = np.arcsin(np.clip(r, -1, 1))  # Sheppard: P(two) = 1/4 + angle/(2 pi), P(three) = 1/8 + their sum/(4 pi)
    two = 1 / 4 + angles[0, 1] / (2 * np.pi)
    three = [1 / 8 + (angles[0, 1] + angles[0, m] + angles[1, m]) / (4 * np.pi) for m in (2, 3)]
    return 4 * orthant - 2 * sum(three) + two


def by_quad_vec(law: Any, pairs: Int[np.ndarray, "P 2"]) -> Float[np.ndarray, " P"]:
    """The expectations of all pairs by SciPy's adaptive quadrature of vectors, to 1e-12.

    With the correlations r between (i, j) and (k, l) scaled by t, Price's theorem gives
    d/dt E = sum_(a in ij, b in kl) r_ab/(pi sqrt(1 - t^2 r_ab^2)) * asin(s_ab)/pi, where s_ab is the correlation of the
    other two given z_a = u_b = 0; at t = 0, E = (1/4 + asin(r_ij)/(2 pi)) * 2 asin(r_kl)/pi.
    """
    from scipy.integrate import quad_vec

    xi, kappa = float(law.xi[0]), _kappa(law)
    across = kappa * np.exp(-((np.array(GATES)[:, None, None] - pairs.T[None]) ** 2) / xi**2)  # (2, 2, P)
    gates = np.exp(-((GATES[0] - GATES[1]) ** 2) / xi**2)
    erfs = kappa**2 * np.exp(-((pairs[:, 0] - pairs[:, 1]) ** 2) / xi**2)

    def slope(t: float) -> Float[np.ndarray, " P"]:
        r = t * across
        total = np.zeros(len(pairs))
        for a in (0, 1):
            for b in (0, 1):
                own, opposite, left, right = r[a, b], r[1 - a, 1 - b], r[1 - a, b], r[a, 1 - b]
                # Given z_a = u_b = 0: the covariance and variances of z_(other a) and u_(other b).
                free = 1 - own**2
                covariance = opposite - (gates * (right - own * erfs) + left * (erfs - own * right)) / free
                first = 1 - (gates**2 - 2 * own * gates * left + left**2) / free
                second = 1 - (right**2 - 2 * own * right * erfs + erfs**2) / free
                s = covariance / np.sqrt(first * second)
                total += across[a, b] / (np.pi * np.sqrt(free)) * np.arcsin(np.clip(s, -1, 1)) / np.pi
        return total

    start = (1 / 4 + np.arcsin(gates) / (2 * np.pi)) * 2 * np.arcsin(erfs) / np.pi
    return start + quad_vec(slope, 0, 1, epsabs=QUADRATURE, epsrel=0, norm="max")[0]
