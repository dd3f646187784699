"""`gdln bench moments`: E[1_i 1_j erf_k erf_l] for all k and l beside SciPy's quadrature, per distinct value.

With u = sqrt(2) g z + eps the erfs are E[sign u_k | z], E[sign u_l | z], and kappa = sqrt(2) g/sqrt(1 + 2 g^2) is the
correlation of u_k with z_k. SciPy's `quad_vec` integrates all distinct values at once: Plackett's (1954) integral over
t of the four correlations between (i, j) and (k, l), scaled by t, to 1e-12. SciPy's multivariate normal CDF takes one
value at a time and is far slower; it is left out.

Swapping k with l, and reflecting the line about the middle of the gates (k -> i + j - k), leave a value as it is; only
one value of each such family is counted, for the workbench and for SciPy: that with k <= l and k + l <= i + j.
"""

from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from derivations.benchmarks.machine import UNIT, one_thread, row

SITES, GATES = 100, (40, 60)
GAINS = (Fraction(1, 100), Fraction(1), Fraction(100))
QUADRATURE = 1e-12  # absolute


def measure(rounds: int = 15) -> dict[str, Any]:
    """Return processor seconds per distinct value, and distances from the block of the workbench, at three gains."""
    from theory.moments import four_point_block
    from theory.problem import NonlinearGP

    sites = np.arange(SITES)
    pairs = np.argwhere((sites[:, None] <= sites) & (sites[:, None] + sites <= sum(GATES)))
    rows = []
    with one_thread("gdln bench moments"):
        for gain in GAINS:
            law = NonlinearGP(SITES, (Fraction(2), Fraction(1)), gain, "open", "none", (Fraction(1), Fraction(0)))

            def block(law: NonlinearGP = law) -> np.ndarray:
                return four_point_block(law, 0, *GATES)[tuple(pairs.T)]

            contenders = {"workbench": block, "quad_vec": partial(by_quad_vec, law, pairs)}
            rows.append(row(f"gain {float(gain):g}", contenders, rounds, per=len(pairs)))
    what = f"E[1_i 1_j erf_k erf_l] for all k, l of a line of {SITES} sites, one of {len(pairs):,} distinct values"
    return {"what": what, "unit": UNIT, "rows": rows}


def by_quad_vec(law: Any, pairs: Int[np.ndarray, "P 2"]) -> Float[np.ndarray, " P"]:
    """The expectations of all pairs by SciPy's adaptive quadrature of vectors, to 1e-12.

    With the correlations r between (i, j) and (k, l) scaled by t, Price's theorem gives
    d/dt E = sum_(a in ij, b in kl) r_ab/(pi sqrt(1 - t^2 r_ab^2)) * asin(s_ab)/pi, where s_ab is the correlation of the
    other two given z_a = u_b = 0; at t = 0, E = (1/4 + asin(r_ij)/(2 pi)) * 2 asin(r_kl)/pi.
    """
    from scipy.integrate import quad_vec

    xi, gain = float(law.xi[0]), float(law.gain)
    kappa = np.sqrt(2) * gain / np.sqrt(1 + 2 * gain**2)
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
