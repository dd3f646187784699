"""Reference values of E[prod_k sign(z_k + h_k)] and Owen's T from their definitions.

Writes gaussian_thresholds.json beside it (rows: kind, exact arguments, value). The variables of a row are
z_i = a_i x + b_i y + c_i e_i with independent unit Gaussians x, y, e_i and c_i^2 = 1 - a_i^2 - b_i^2, perhaps 0:

    E = int int phi(x) phi(y) prod_i erf((h_i + a_i x + b_i y)/(sqrt 2 c_i)) dx dy    (a sign where c_i = 0),

by Gauss-Legendre on panels that are broken at every jump and around every steep rise; without y the integral is
single. Each is done twice with different panels; the digits on which the two agree, less two, must be DIGITS at least.
Numbers are Arb's midpoints, used as plain multiprecision arithmetic. Owen's T is mpmath's quadrature of its definition.

Run: python tests/oracles/make_gaussian_thresholds.py (five minutes).
"""

import json
from fractions import Fraction
from itertools import combinations, pairwise
from pathlib import Path

import mpmath
from flint import arb, ctx, fmpq

ctx.prec = 150
MP = mpmath.mp
MP.dps = 50
DIGITS = 26
RANGE = 12.5
# Distances, in widths of a rise, at which panels are broken.
RISE = (-13, -9, -6, -4, -2, 0, 2, 4, 6, 9, 13)
NARROW = arb(2) ** -120


def exact(x):
    """A fraction or decimal text as an arb."""
    x = Fraction(x)
    return arb(fmpq(x.numerator, x.denominator))


def rule(count):
    """Gauss-Legendre nodes and weights on [-1, 1]."""
    return [arb.legendre_p_root(count, k, weight=True) for k in range(count)]


def integral(f, breaks, low, high, longest, nodes):
    """int_low^high f, panels broken at `breaks` and nowhere longer than `longest`."""
    inside = sorted({float(x): x for x in breaks if low < x and x < high}.items())
    points = [low, *(x for _, x in inside), high]
    total = arb(0)
    for left, right in pairwise(points):
        if right - left < NARROW:
            continue
        parts = int(float(right - left) / longest) + 1
        half = (right - left) / (2 * parts)
        for k in range(parts):
            middle = left + half * (2 * k + 1)
            for x, w in nodes:
                total += half * w * f((middle + half * x).mid())
        total = total.mid()
    return total


def phi(x):
    return (-x * x / 2).exp() / (2 * arb.pi()).sqrt()


class Signs:
    """The expectation for thresholds h and rows (a, b) of loadings."""

    def __init__(self, h, rows, longest, count):
        self.h = [exact(x) for x in h]
        self.rows = [(exact(a), exact(b)) for a, b in rows]
        self.noise = [exact(1 - Fraction(a) ** 2 - Fraction(b) ** 2).sqrt() for a, b in rows]
        self.longest, self.nodes = longest, rule(count)

    def factor(self, i, u):
        """E[sign(u + c_i e)]."""
        if self.noise[i] == 0:
            return arb(1) if u > 0 else arb(-1)
        return (u / (self.noise[i] * arb(2).sqrt())).erf().mid()

    def inner(self, x):
        """The integral over y, with phi(x)."""
        levels = [h + a * x for h, (a, _) in zip(self.h, self.rows, strict=True)]
        front, breaks, free = phi(x), [], []
        for i, (u, (_, b)) in enumerate(zip(levels, self.rows, strict=True)):
            if b == 0:
                front *= self.factor(i, u)
            else:
                free.append(i)
                breaks += [(k * self.noise[i] - u) / b for k in RISE]
        if not free:
            return front

        def speed(y):
            product = phi(y)
            for i in free:
                product *= self.factor(i, levels[i] + self.rows[i][1] * y)
            return product.mid()

        end = arb(max(1.0, RANGE**2 - float(x) ** 2)).sqrt().mid()
        return front * integral(speed, [b.mid() for b in breaks], -end, end, self.longest, self.nodes)

    def value(self):
        """The integral over x, broken where a rise in x, or a crossing of two rises in y, is."""
        breaks = []
        for i, (a, b) in enumerate(self.rows):
            if b == 0 and a != 0:
                breaks += [(k * self.noise[i] - self.h[i]) / a for k in RISE]
        for i, j in combinations(range(len(self.h)), 2):
            (a, b), (c, d) = self.rows[i], self.rows[j]
            if b != 0 and d != 0 and a * d != b * c:
                width = (abs(d) * self.noise[i] + abs(b) * self.noise[j]) / (a * d - b * c)
                centre = (b * self.h[j] - d * self.h[i]) / (a * d - b * c)
                breaks += [centre + k * width for k in RISE]
        end = arb(RANGE)
        # After the integral over y the rises in x are of this width at least.
        widths = (float((1 - a * a).sqrt() / abs(a)) for a, b in self.rows if a != 0 and b != 0)
        longest = self.longest * min(1.0, 1.5 * min(widths, default=1.0))
        return integral(self.inner, [x.mid() for x in breaks], -end, end, longest, self.nodes)


def signs(h, rows):
    """One row of the file."""
    one, two = (Signs(h, rows, longest, count).value() for longest, count in ((1.4, 22), (1.1, 25)))
    missed = abs(one - two).mid()
    assert missed < arb(10) ** (-DIGITS - 2), (h, rows, missed)
    fractions = [(Fraction(a), Fraction(b)) for a, b in rows]
    r = [a * c + b * d for (a, b), (c, d) in combinations(fractions, 2)]
    kind = {2: "pair", 3: "triple", 4: "quad"}[len(h)]
    value = mpmath.mpf(two.str(45, radius=False))
    return {"kind": kind, "args": [*map(str, map(Fraction, h)), *map(str, r)], "value": mpmath.nstr(value, DIGITS + 3)}


def owens_t(h, a):
    """One row of the file: exp(-h^2/2) taken out, panels of the width 1/h."""
    h_, a_ = (mpmath.mpf(Fraction(x).numerator) / Fraction(x).denominator for x in (h, a))
    size, step = abs(a_), 1 / max(1, abs(h_))
    points = [0, *(k * step for k in range(1, 20) if k * step < size), min(size, max(20 * step, size / 2))]
    points += [] if points[-1] == size or abs(h_) > 1 else [size]
    value = mpmath.quad(lambda x: mpmath.exp(-h_ * h_ * x * x / 2) / (1 + x * x), sorted(set(points)))
    value *= mpmath.sign(a_) * mpmath.exp(-h_ * h_ / 2) / (2 * mpmath.pi)
    return {"kind": "owens_t", "args": [str(Fraction(h)), str(Fraction(a))], "value": mpmath.nstr(value, DIGITS + 3)}


OWEN = [
    ("0", "1/2"),
    ("1/2", "3/4"),
    ("-2", "3"),
    ("1", "-1"),
    ("3", "1/1000"),
    ("8", "1/2"),
    ("30", "1/4"),
    ("36", "2"),
]
OWEN += [("1/1000", "50"), ("5", "40"), ("12", "-7/5")]
NEAR, NEARER = "0.9999995", "0.99999995"
SINGLE = [  # thresholds; loadings on one variable, or a sign of x itself where the loading is 1
    (("0.3", "-0.5"), ("0.8", "0.6")),
    (("0", "0.7"), ("1", "0.9")),
    (("0.2", "0.2001"), (NEAR, NEAR)),
    (("1.5", "-1.499"), (NEAR, "-" + NEARER)),
    (("8", "7.9"), ("0.999", "0.9995")),
    (("3", "-6"), ("1", "-0.01")),
    (("40", "0.5"), ("0.9", "0.8")),
    (("0.3", "-0.5", "1"), ("0.8", "0.6", "-0.7")),
    (("0", "0", "0.4"), ("1", "0.01", "0.9999")),
    (("0.1", "0.1001", "0.0999"), (NEAR, NEAR, NEARER)),
    (("-2", "8", "3"), ("0.999", "0.9", "0.99")),
    (("45", "0.25", "-1"), ("0.5", "0.999", "0.7")),
    (("0.3", "-0.5", "1", "0.2"), ("0.8", "0.6", "-0.7", "0.9")),
    (("0.5", "0", "0", "0.5"), ("1", "0.99", "0.01", "0.014")),
    (("0.1", "0.1001", "0.0999", "0.1002"), (NEAR, NEAR, NEARER, "-" + NEAR)),
    (("8", "7", "-8", "3"), ("0.999", "0.9995", "0.99", "0.5")),
    (("-60", "1", "0.5", "2"), ("0.3", "0.9", "0.99", "0.999")),
]
DOUBLE = [  # gates with signs of their own, smooth factors, and matrices of rank two
    (("0.5", "-0.3", "0.2"), (("1", "0"), ("0.6", "0.8"), ("0.3", "0.5"))),
    (("1", "-0.5", "0.25"), (("0.6", "0.8"), ("0.28", "0.96"), ("0.96", "-0.28"))),
    (("0.5", "-0.3", "0.2", "0.1"), (("1", "0"), ("0.6", "0.8"), ("0.3", "0.5"), ("-0.4", "0.7"))),
    (("0.5", "-0.3", "0", "0"), (("1", "0"), ("0.6", "0.8"), ("0.0141", "0.0002"), ("0.003", "0.0138"))),
    (("0.4", "0.6", "-0.2", "0.3"), (("1", "0"), ("0.6", "0.8"), ("0.9999", "0.0001"), ("0.5999", "0.7999"))),
    (("0.1", "-0.2", "0.3", "0.15"), (("0.6", "0.8"), ("0.28", "0.96"), ("0.96", "-0.28"), ("0.8", "0.6"))),
    (("4", "-3", "3.5", "2"), (("0.6", "0.7"), ("0.5", "-0.8"), ("0.9", "0.3"), ("-0.7", "0.65"))),
]


def main():
    rows = [owens_t(*point) for point in OWEN]
    rows += [signs(h, [(a, "0") for a in loadings]) for h, loadings in SINGLE]
    for h, loadings in DOUBLE:
        rows.append(signs(h, loadings))
    text = json.dumps(rows, indent=1)
    Path(__file__).with_name("gaussian_thresholds.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
