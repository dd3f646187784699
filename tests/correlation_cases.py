"""Correlations of every kind, each with its definition computed apart from the packages in mpmath."""

import mpmath
from mpmath import mpf

MATERN = {"kind": "matern", "smoothness": "3/2"}
SMOOTH = {"kind": "matern", "smoothness": "7/2"}
WAVE = {"kind": "damped-cosine", "wavelength": 5}
MOVING_AVERAGE = {"kind": "table", "values": [1, "2/3", "1/3"]}  # that of sums of three neighbours
ALTERNATING = {"kind": "table", "values": [1, "-2/5"]}
RING_OF_SEVEN = {"kind": "spectrum", "values": [3, 1, "1/2", 2]}
DENSITY = {"kind": "spectrum", "values": [2, 1, "1/2", "1/3", "1/3", 1, 2, 1]}  # at eight frequencies, for open lines
RATIONAL = {"kind": "formula", "formula": "1/(1 + (d/xi)**2)"}

# kind, as declared; the boundaries on which seven sites have it at xi = 3/2 and 1; whether it has a length
CASES = {
    "gaussian": ("gaussian", ("open",), True),
    "exponential": ("exponential", ("open", "ring"), True),
    "matern": (MATERN, ("open", "ring"), True),
    "smoother matern": (SMOOTH, ("open",), True),
    "damped cosine": (WAVE, ("open", "ring"), True),
    "moving average": (MOVING_AVERAGE, ("open", "ring"), False),
    "alternating": (ALTERNATING, ("open", "ring"), False),
    "ring spectrum": (RING_OF_SEVEN, ("ring",), False),
    "density": (DENSITY, ("open",), False),
    "formula": (RATIONAL, ("open", "ring"), True),
}
LAWS = [(name, boundary) for name, (_, boundaries, _) in CASES.items() for boundary in boundaries]


def defined(name, d, xi):
    """R(d) of a case in mpmath at its working precision; d is real and >= 0, of tables and spectra whole."""
    d, xi = mpmath.mpmathify(d), mpmath.mpmathify(xi) if xi else None
    if d == 0:
        return mpf(1)
    if name == "gaussian":
        return mpmath.exp(-((d / xi) ** 2))
    if name == "exponential":
        return mpmath.exp(-d / xi)
    if name in ("matern", "smoother matern"):
        nu = mpf(3) / 2 if name == "matern" else mpf(7) / 2
        s = mpmath.sqrt(2 * nu) * d / xi
        return 2 ** (1 - nu) / mpmath.gamma(nu) * s**nu * mpmath.besselk(nu, s)
    if name == "damped cosine":
        return mpmath.exp(-d / xi) * mpmath.cos(2 * mpmath.pi * d / 5)
    if name == "moving average":
        return max(3 - d, mpf(0)) / 3
    if name == "alternating":
        return -mpf(2) / 5 if d == 1 else mpf(0)
    if name == "ring spectrum":
        modes = [3, 1, mpf(1) / 2, 2, 2, mpf(1) / 2, 1]
        return sum(v * mpmath.cos(2 * mpmath.pi * q * d / 7) for q, v in enumerate(modes)) / sum(modes)
    if name == "density":  # the trapezoidal rule on the interval of frequencies from 0 to 1/2
        density = [2, 1, mpf(1) / 2, mpf(1) / 3, mpf(1) / 3, 1, 2, 1]
        weights = [mpf(1) / 2, *[1] * 6, mpf(1) / 2]
        rule = [w * v for w, v in zip(weights, density, strict=True)]
        return sum(r * mpmath.cos(mpmath.pi * k * d / 7) for k, r in enumerate(rule)) / sum(rule)
    assert name == "formula"
    return 1 / (1 + (d / xi) ** 2)
