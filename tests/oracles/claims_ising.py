"""Witnesses of the claims on Ising chains: sums over the spins one after the other, by 2 x 2 matrices of fractions.

Two neighbours have the weight 1 + r where they are equal and 1 - r where they differ; a factor f(x_j) is a diagonal.
"""

from collections.abc import Callable
from fractions import Fraction

from witness import At, Witness

Factors = dict[int, Callable[[int], int]]  # by site
SPINS = (1, -1)


def _sum(sites: int, r: Fraction, ring: bool, factors: Factors) -> Fraction:
    """The sum over all spins of the weights times the factors."""
    total = Fraction(0)
    for first in SPINS:
        states = {first: Fraction(factors.get(0, lambda x: 1)(first))}
        for site in range(1, sites):
            factor = factors.get(site, lambda x: 1)
            states = {x: factor(x) * sum(p * (1 + r * x * y) for y, p in states.items()) for x in SPINS}
        total += sum(p * (1 + r * x * first) if ring else p for x, p in states.items())
    return total


def _mean(sites: int, r: Fraction, ring: bool, spins: tuple[int, ...], gates: tuple[int, ...] = ()) -> Fraction:
    """The mean of the product of spins through half-spaces; sites may occur more than once."""
    places = {*spins, *gates}
    factors = {
        place: lambda x, place=place: x ** spins.count(place) * (x > 0 or place not in gates) for place in places
    }
    return _sum(sites, r, ring, factors) / _sum(sites, r, ring, {})


def _line(at: At, _digits: int) -> Fraction:
    return _mean(int(at["n"]), at["r"], False, (int(at["i"]), int(at["i"] + at["d"])))


def _round(at: At, gaps: str) -> tuple[int, list[int]]:
    """The sites of a ring with these gaps, and where they begin."""
    lengths = [int(at[name]) for name in gaps]
    sites = sum(lengths)
    return sites, [sum(lengths[:k]) % sites for k in range(len(lengths))]


def _pair(at: At, _digits: int) -> Fraction:
    sites, (i, j) = _round(at, "de")
    return _mean(sites, at["r"], True, (i, j))


def _gated_pair(at: At, _digits: int) -> Fraction:
    sites, (i, j) = _round(at, "de")
    return _mean(sites, at["r"], True, (j,), (i,))


def _four(at: At, _digits: int) -> Fraction:
    sites, places = _round(at, "abce")
    return _mean(sites, at["r"], True, tuple(places))


def _gated_four(at: At, _digits: int) -> Fraction:
    sites, (i, j, k, l) = _round(at, "abce")
    return _mean(sites, at["r"], True, (k, l), (i, j))


COUPLINGS = ("r=1/3", "r=-2/5", "r=7/8", "r=-1/100", "r=3/4")
LINES = ("n=4 i=0 d=3", "n=7 i=2 d=1", "n=8 i=3 d=4", "n=5 i=1 d=2", "n=6 i=4 d=0")
PAIRS = ("d=1 e=2", "d=3 e=4", "d=2 e=2", "d=4 e=1", "d=0 e=3")
FOURS = ("a=1 b=1 c=1 e=1", "a=2 b=1 c=0 e=2", "a=0 b=2 c=1 e=1", "a=2 b=2 c=2 e=2", "a=1 b=0 c=2 e=0")


def _points(where: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"{coupling} {place}" for coupling, place in zip(COUPLINGS, where, strict=True))


WITNESSES = {
    "ising.line.pair": Witness(_line, _points(LINES)),
    "ising.ring.pair": Witness(_pair, _points(PAIRS)),
    "ising.ring.four": Witness(_four, _points(FOURS)),
    "ising.half_space.yx": Witness(_gated_pair, _points(PAIRS)),
    "ising.half_space.xx": Witness(_gated_four, _points(FOURS)),
}
