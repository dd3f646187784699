"""`gdln bench moments`: E[1_i 1_j erf_k erf_l] beside SciPy's multivariate normal CDF, one value at a time and in all.

E[1_i 1_j erf_k erf_l] = sum over signs of orthant probabilities: with u = sqrt(2) g z + eps it is
P(++++) + P(++--) - P(+++-) - P(++-+) of (z_i, z_j, u_k, u_l), which is what SciPy is asked for.
"""

import statistics
import time
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

SITES, GATES = 100, (40, 60)
GAINS = (Fraction(1, 100), Fraction(1), Fraction(100))
REPEATS, VALUES = 5, 12
DIGITS = 20


def measure(seed: int = 0) -> dict[str, Any]:
    """Seconds per value and accuracy of the whole block, of SciPy on a few of its values, and their ratio."""
    from theory.problem import NonlinearGP

    draw = np.random.default_rng(seed)
    chosen = [tuple(map(int, draw.integers(37, 64, 2))) for _ in range(VALUES)]
    rows = []
    for gain in GAINS:
        law = NonlinearGP(SITES, (Fraction(2), Fraction(1)), gain, "open", "none", (Fraction(1), Fraction(0)))
        rows.append(_row(law, chosen))
    return {
        "what": "E[1_i 1_j erf_k erf_l] for all k, l of a line of 100 sites, one thread",
        "gates": list(GATES),
        "rows": rows,
        "smallest_ratio": min(row["ratio"] for row in rows),
        "largest_error": max(row["error"] for row in rows),
        "tensor_by_lags_seconds": _tensor(),
    }


def _row(law: Any, chosen: list[tuple[int, int]]) -> dict[str, Any]:
    from theory.moments import four_point_block

    block, ours = _timed(lambda: four_point_block(law, 0, *GATES), REPEATS)
    theirs, scipy_values = [], []
    for k, l in chosen:
        value, seconds = _timed(lambda k=k, l=l: _scipy(law, k, l), 1)
        theirs.append(seconds)
        scipy_values.append(value)
    exact = [_certified(law, k, l) for k, l in chosen]
    per_value = ours / SITES**2
    return {
        "gain": float(law.gain),
        "seconds_per_value": per_value,
        "scipy_seconds_per_value": statistics.median(theirs),
        "ratio": statistics.median(theirs) / per_value,
        "error": max(abs(float(block[k, l]) - value) for (k, l), value in zip(chosen, exact, strict=True)),
        "scipy_error": max(abs(a - b) for a, b in zip(scipy_values, exact, strict=True)),
    }


def _timed(body: Callable[[], Any], repeats: int) -> tuple[Any, float]:
    """The result and the median time of a call."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = body()
        times.append(time.perf_counter() - start)
    return result, statistics.median(times)


def _correlation(law: Any, k: int, l: int) -> np.ndarray:
    """The correlations of z_i, z_j and the attenuated u_k, u_l."""
    sites = np.array([*GATES, k, l])
    rho = np.exp(-((sites[:, None] - sites[None, :]) ** 2) / float(law.xi[0]) ** 2)
    kappa = np.sqrt(2) * float(law.gain) / np.sqrt(1 + 2 * float(law.gain) ** 2)
    shrink = np.array([1.0, 1.0, kappa, kappa])
    cov = rho * shrink[:, None] * shrink[None, :]
    np.fill_diagonal(cov, 1.0)
    return cov


def _scipy(law: Any, k: int, l: int) -> float:
    from scipy.stats import multivariate_normal

    cov, total = _correlation(law, k, l), 0.0
    for a in (1, -1):
        for b in (1, -1):
            flip = np.array([1.0, 1.0, a, b])
            normal = multivariate_normal(np.zeros(4), cov * flip[:, None] * flip[None, :], allow_singular=True)
            total += a * b * float(normal.cdf(np.zeros(4)))
    return total


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
    return _timed(lambda: four_point_by_lags(law, 0), 1)[1]


def text(result: dict[str, Any]) -> str:
    """A table for a reader."""
    lines = [result["what"], f"{'gain':>8} {'us a value':>12} {'error':>9} {'SciPy ms':>10} {'error':>9} {'ratio':>9}"]
    for row in result["rows"]:
        lines.append(
            f"{row['gain']:>8g} {1e6 * row['seconds_per_value']:>12.2f} {row['error']:>9.1e} "
            f"{1e3 * row['scipy_seconds_per_value']:>10.1f} {row['scipy_error']:>9.1e} {row['ratio']:>9.0f}"
        )
    lines.append(f"the whole four-point tensor of a ring of {SITES} sites: {result['tensor_by_lags_seconds']:.2f} s")
    return "\n".join(lines)
