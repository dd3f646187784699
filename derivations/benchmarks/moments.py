"""`gdln bench moments`: E[1_i 1_j erf_k erf_l] for all k and l beside two ways of SciPy, per distinct value.

With u = sqrt(2) g z + eps the erfs are E[sign u_k | z], E[sign u_l | z], and kappa = sqrt(2) g/sqrt(1 + 2 g^2) is the
correlation of u_k with z_k. SciPy is asked in the two ways that a careful user would choose:

* `cdf`, one value at a time: one call of the multivariate normal CDF, P = P(z_i, z_j, u_k, u_l > 0), the other three
  orthants being 4 P - 2 P(z_i, z_j, u_k > 0) - 2 P(z_i, z_j, u_l > 0) + P(z_i, z_j > 0) with Sheppard's arcsines;
* `quad_vec`, all distinct values at once: Plackett's (1954) integral over t of the four correlations between (i, j) and
  (k, l), scaled by t, to 1e-12. The CDF takes 2 ms at its default accuracy of 1e-5, 7 to 22 ms at 1e-8 and 0.3 to 0.6 s
  at 1e-10, so that nobody would use it for more digits.

Swapping k with l, and reflecting the line about the middle of the gates (k -> i + j - k), leave a value as it is; only
one value of each such family is counted, for the workbench and for SciPy.
"""

import statistics
import time
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from jaxtyping import Float, Int

SITES, GATES = 100, (40, 60)
GAINS = (Fraction(1, 100), Fraction(1), Fraction(100))
REPEATS, VALUES = 15, 12
DIGITS = 20
QUADRATURE = 1e-12  # absolute, the largest error that the four-point block may have


def measure(seed: int = 0) -> dict[str, Any]:
    """Processor seconds per distinct value, accuracy, and their ratios, at three gains."""
    from theory.problem import NonlinearGP

    draw = np.random.default_rng(seed)
    chosen = [tuple(map(int, draw.integers(37, 64, 2))) for _ in range(VALUES)]
    rows = []
    for gain in GAINS:
        law = NonlinearGP(SITES, (Fraction(2), Fraction(1)), gain, "open", "none", (Fraction(1), Fraction(0)))
        rows.append(_row(law, chosen))
    return {
        "what": f"E[1_i 1_j erf_k erf_l] for all k, l of a line of {SITES} sites, one thread, processor time",
        "gates": list(GATES),
        "values": SITES**2,
        "distinct_values": len(distinct_pairs(SITES, *GATES)),
        "rows": rows,
        "smallest_ratio_to_cdf": min(row["ratio_to_cdf"] for row in rows),
        "smallest_ratio_to_quad_vec": min(row["ratio_to_quad_vec"] for row in rows),
        "largest_error": max(row["error"] for row in rows),
        "tensor_by_lags_seconds": _tensor(),
    }


def distinct_pairs(sites: int, i: int, j: int) -> Int[np.ndarray, "P 2"]:
    """One pair (k, l) of each family that swapping and the reflection about the middle of i and j make equal.

    >>> len(distinct_pairs(100, 40, 60))
    2600
    """
    k, l = np.divmod(np.arange(sites**2), sites)
    images = ((k, l), (l, k), (i + j - k, i + j - l), (i + j - l, i + j - k))
    codes = np.stack([2 * (i + j + sites) * a + b for a, b in images])  # an image may lie outside of the line
    _, first = np.unique(codes.min(axis=0), return_index=True)
    return np.stack([k[first], l[first]], axis=1)


def _row(law: Any, chosen: list[tuple[int, int]]) -> dict[str, Any]:
    from theory.moments import four_point_block

    pairs = distinct_pairs(SITES, *GATES)
    ours, theirs = [], []
    by_quad_vec(law, pairs[:1])  # loads SciPy
    for _ in range(REPEATS):  # interleaved
        block, seconds = _timed(lambda: four_point_block(law, 0, *GATES))
        ours.append(seconds)
        _, seconds = _timed(lambda: by_quad_vec(law, pairs))
        theirs.append(seconds)
    cdf, cdf_times = zip(*(_timed(lambda k=k, l=l: by_cdf(law, k, l)) for k, l in chosen), strict=True)
    exact = np.array([_certified(law, k, l) for k, l in chosen])
    per_value, per_quadrature = (statistics.median(times) / len(pairs) for times in (ours, theirs))
    per_cdf = statistics.median(cdf_times)
    k, l = np.array(chosen).T
    return {
        "gain": float(law.gain),
        "seconds_per_value": per_value,
        "error": float(np.abs(block[k, l] - exact).max()),
        "quad_vec_seconds_per_value": per_quadrature,
        "quad_vec_error": float(np.abs(by_quad_vec(law, np.array(chosen)) - exact).max()),
        "cdf_seconds_per_value": per_cdf,
        "cdf_error": float(np.abs(np.array(cdf) - exact).max()),
        "ratio_to_quad_vec": per_quadrature / per_value,
        "ratio_to_cdf": per_cdf / per_value,
        "block_seconds": ours,
        "quad_vec_seconds": theirs,
    }


def _timed(body: Callable[[], Any]) -> tuple[Any, float]:
    """The result and the processor time of a call."""
    start = time.process_time()
    result = body()
    return result, time.process_time() - start


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


def _certified(law: Any, k: int, l: int) -> float:
    """The certified value from the closed form's engine."""
    import sympy

    from theory.expressions.symbols import z
    from theory.gaussian import expect

    sites = [*GATES, k, l]
    used = sorted(set(sites))
    names = [z(used.index(site) + 1) for site in sites]
    xi, gain = (sympy.Rational(x.numerator, x.denominator) for x in (law.xi[0], law.gain))
    cov = sympy.Matrix(len(used), len(used), lambda a, b: sympy.exp(-(sympy.Integer(used[a] - used[b]) ** 2) / xi**2))
    steps = sympy.Heaviside(names[0]) * sympy.Heaviside(names[1])
    erfs = sympy.erf(gain * names[2]) * sympy.erf(gain * names[3])
    return float(expect(steps * erfs, cov).evaluate(DIGITS).value)


def _tensor() -> float:
    from theory.moments import four_point_by_lags
    from theory.problem import NonlinearGP

    law = NonlinearGP(SITES, (Fraction(2), Fraction(1)), Fraction(1), "ring", "none", (Fraction(1), Fraction(0)))
    return _timed(lambda: four_point_by_lags(law, 0))[1]


def text(result: dict[str, Any]) -> str:
    """A table for a reader."""
    lines = [
        result["what"],
        f"{result['distinct_values']:,} of {result['values']:,} values differ; times are for each of these",
        f"{'gain':>6} {'us':>7} {'error':>8} {'quad_vec us':>12} {'error':>8} {'ratio':>6} "
        f"{'cdf us':>8} {'error':>8} {'ratio':>7}",
    ]
    for row in result["rows"]:
        lines.append(
            f"{row['gain']:>6g} {1e6 * row['seconds_per_value']:>7.2f} {row['error']:>8.1e} "
            f"{1e6 * row['quad_vec_seconds_per_value']:>12.1f} {row['quad_vec_error']:>8.1e} "
            f"{row['ratio_to_quad_vec']:>6.1f} {1e6 * row['cdf_seconds_per_value']:>8.0f} {row['cdf_error']:>8.1e} "
            f"{row['ratio_to_cdf']:>7.0f}"
        )
    lines.append(f"the whole four-point tensor of a ring of {SITES} sites: {result['tensor_by_lags_seconds']:.2f} s")
    return "\n".join(lines)
