"""Witnesses of the claims on single pulses: by the place of each site behind the start of the pulse, not by pulses.

Site j is lit by the pulse that starts at s with width W where (j - s) mod n < W. A random flip is averaged over both.
"""

from collections.abc import Callable
from fractions import Fraction
from itertools import product

from witness import At, Witness

Value = Callable[[Callable[[int], int], dict[str, int]], int]
POINTS = ("n=3 a=1 b=1", "n=7 a=2 b=5", "n=8 a=2 b=3", "n=12 a=5 b=12", "n=40 a=3 b=4", "n=40 a=9 b=10")


def _mean(at: At, value: Value, flips: tuple[Callable[[int], int], ...]) -> Fraction:
    """The mean of value(x, parameters), x(j) = flip(u_j), over starts, widths and flips."""
    p = {name: int(number) for name, number in at.items()}
    total = 0
    for width in range(p["a"], p["b"] + 1):
        for start in range(p["n"]):
            for flip in flips:
                total += value(lambda j, s=start, w=width, f=flip: f(int((j - s) % p["n"] < w)), p)
    return Fraction(total, p["n"] * (p["b"] - p["a"] + 1) * len(flips))


def _witness(value: Value, extra: tuple[str, ...], *flips: Callable[[int], int]) -> Witness:
    points = tuple(f"{point} {more}" for point, more in zip(POINTS, extra, strict=True))
    return Witness(lambda at, _digits: _mean(at, value, flips), points)


def _plain(u: int) -> int:
    return u


def _other(u: int) -> int:
    return 1 - u


def _signed(u: int) -> int:
    return 1 if u else -1


def _negated(u: int) -> int:
    return -1 if u else 1


def _draws(at: At, of_pulses: Callable[[tuple, dict[str, int]], Fraction | int]) -> Fraction:
    """The mean over N pulses (start, width) of a function of them."""
    p = {name: int(number) for name, number in at.items()}
    single = [(start, width) for start in range(p["n"]) for width in range(p["a"], p["b"] + 1)]
    drawn = list(product(single, repeat=p["N"]))
    return Fraction(sum(of_pulses(own, p) for own in drawn), len(drawn))


def _covers(own: tuple, site: int, p: dict[str, int]) -> int:
    """How many of the pulses cover a site."""
    return sum((site - start) % p["n"] < width for start, width in own)


def _line(at: At) -> Fraction:
    """The share of the starts s <= n - W with s <= i < s + W."""
    n, width, site = (int(at[name]) for name in ("n", "W", "i"))
    return Fraction(sum(0 <= site - start < width for start in range(n - width + 1)), n - width + 1)


def _rectangles(at: At) -> Fraction:
    """The share of rectangles whose rows hold 0 and p and whose columns hold 0 and q."""
    n, a, b, p, q = (int(at[name]) for name in ("n", "a", "b", "p", "q"))
    lit = {
        gap: sum(-start % n < width and (gap - start) % n < width for start in range(n) for width in range(a, b + 1))
        for gap in (p, q)
    }
    return Fraction(lit[p] * lit[q], (n * (b - a + 1)) ** 2)


FEW = (
    "n=2 a=1 b=1 N=1 d=1",
    "n=5 a=1 b=3 N=2 d=2",
    "n=6 a=2 b=2 N=3 d=1",
    "n=6 a=1 b=6 N=2 d=5",
    "n=4 a=3 b=4 N=3 d=0",
)
DISTANCE = ("d=0", "d=3", "d=7", "d=5", "d=2", "d=39")
BOTH = ("p=0 q=1", "p=2 q=4", "p=4 q=4", "p=1 q=11", "p=1 q=2", "p=3 q=35")

WITNESSES = {
    "pulse.sites.pair": _witness(lambda x, p: x(0) * x(p["d"]), DISTANCE, _plain),
    "pulse.bars.pair": Witness(
        lambda at, _digits: _rectangles(at),
        (
            "n=2 a=1 b=1 p=0 q=0",
            "n=4 a=1 b=2 p=1 q=3",
            "n=5 a=2 b=4 p=2 q=0",
            "n=7 a=3 b=3 p=4 q=5",
            "n=6 a=1 b=6 p=3 q=3",
        ),
    ),
    "pulse.several.line": Witness(
        lambda at, _digits: _line(at),
        ("n=2 W=1 i=0", "n=5 W=2 i=0", "n=5 W=4 i=2", "n=40 W=4 i=38", "n=12 W=12 i=7", "n=9 W=6 i=3"),
    ),
    "pulse.several.sum": Witness(
        lambda at, _digits: _draws(at, lambda own, p: _covers(own, 0, p) * _covers(own, p["d"], p)), FEW
    ),
    "pulse.several.union": Witness(
        lambda at, _digits: _draws(at, lambda own, p: min(_covers(own, 0, p), _covers(own, p["d"], p)) > 0), FEW
    ),
    "pulse.sites.triple": _witness(lambda x, p: x(0) * x(p["p"]) * x(p["q"]), BOTH, _plain),
    "pulse.plus_minus.second": _witness(lambda x, p: x(0) * x(p["d"]), DISTANCE, _signed),
    "pulse.zero_one.complement": _witness(lambda x, p: x(0) * x(p["d"]), DISTANCE, _plain, _other),
    "pulse.sign_flip.xx": _witness(lambda x, p: (x(0) > 0) * x(p["p"]) * x(p["p"] + p["q"]), BOTH, _signed, _negated),
    "pulse.sign_flip.yx": _witness(lambda x, p: (x(0) > 0) * x(p["d"]), DISTANCE, _signed, _negated),
    "pulse.small_bump.cross": _witness(lambda x, p: (x(0) == 0) * x(p["p"]) * x(p["q"]), BOTH, _plain),
}
