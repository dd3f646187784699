"""Makes relu_gates.json: E[1[w.x >= 0] erf(g z_k)] for w at two sites, from the defining integrals in mpmath.

For a site k of the gate, over z_k, with the other site's part in closed form; elsewhere over both latents of the
gate. It imports nothing of the packages. Run: python tests/oracles/make_relu_gates.py (about two minutes).
"""

import json
from pathlib import Path

from mpmath import erf, erfinv, exp, linspace, mp, mpf, ncdf, npdf, quad, sqrt

DIGITS = 16
CASES = [
    {"gain": "0.05", "xi": "2", "w": {"20": "1", "22": "0.5"}},
    {"gain": "1", "xi": "2", "w": {"20": "1", "22": "0.5"}},
    {"gain": "3", "xi": "2", "w": {"20": "1", "22": "-0.75"}},
    {"gain": "3", "xi": "5", "w": {"20": "-0.9", "21": "1"}},
    {"gain": "20", "xi": "1", "w": {"20": "0.25", "21": "2"}},
]
ELSEWHERE = {"1": 21, "3": 24}  # by gain, in the second and third case: a site that the gate does not look at


def rho(a, b, xi):
    """The latent correlation."""
    return exp(-(mpf(a - b) ** 2) / xi**2)


def at_gate(k, other, w, g, xi):
    """int phi(s) erf(g s) P(w_k erf(g s) + w_o erf(g z_o) >= 0 | z_k = s) ds."""
    r, ratio = rho(k, other, xi), w[k] / w[other]

    def probability(s):
        bound = -ratio * erf(g * s)
        above = mpf(bound < 0) if abs(bound) >= 1 else ncdf((r * s - erfinv(bound) / g) / sqrt(1 - r * r))
        return above if w[other] > 0 else 1 - above

    ends = [erfinv(1 / abs(ratio)) / g] if abs(ratio) > 1 else []
    return whole_line(lambda s: npdf(s) * erf(g * s) * probability(s), ends, g)


def elsewhere(k, i, j, w, g, xi):
    """int int phi(s) phi(t) 1[w_i erf(g z_i) + w_j erf(g z_j) >= 0] E[erf(g z_k) | z_i, z_j], |w_i| < |w_j|."""
    if abs(w[i]) > abs(w[j]):
        i, j = j, i
    r, ri, rj = rho(i, j, xi), rho(k, i, xi), rho(k, j, xi)
    own = sqrt(1 - r * r)
    slope_i, slope_j = (ri - r * rj) / own**2, (rj - r * ri) / own**2
    left = 1 - slope_i * ri - slope_j * rj
    smoothed = g / sqrt(1 + 2 * g * g * left)

    def inner(s):
        cut = (erfinv(-w[i] / w[j] * erf(g * s)) / g - r * s) / own
        ends = [cut, mpf(12)] if w[j] > 0 else [mpf(-12), cut]
        middle = [x for x in (-4, -2, 0, 2, 4) if ends[0] < x < ends[1]]
        return quad(
            lambda t: npdf(t) * erf(smoothed * (slope_i * s + slope_j * (r * s + own * t))), [ends[0], *middle, ends[1]]
        )

    return whole_line(lambda s: npdf(s) * inner(s), [], g)


def whole_line(f, ends, g):
    """The integral over |s| <= 12, in panels that are finer near 0 and end where f is not smooth."""
    points = {mpf(x) for x in linspace(-12, 12, 13)} | {mpf(x) for x in (-1, -0.25, 0.25, 1)}
    points |= {side * e for e in ends for side in (-1, 1)} | {side / g for side in (-1, 1) if g > 1}
    return quad(f, sorted(points))


def main():
    """Compute every case and write the file."""
    mp.dps = DIGITS + 6
    for case in CASES:
        w = {int(site): mpf(number) for site, number in case["w"].items()}
        g, xi = mpf(case["gain"]), mpf(case["xi"])
        i, j = w
        case["values"] = {str(i): at_gate(i, j, w, g, xi), str(j): at_gate(j, i, w, g, xi)}
        if case["gain"] in ELSEWHERE:
            k = ELSEWHERE[case["gain"]]
            if case["xi"] == "2":
                case["values"][str(k)] = elsewhere(k, i, j, w, g, xi)
        case["values"] = {site: mp.nstr(value, DIGITS) for site, value in case["values"].items()}
    Path(__file__).with_name("relu_gates.json").write_text(json.dumps({"cases": CASES}, indent=1) + "\n")


if __name__ == "__main__":
    main()
