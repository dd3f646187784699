"""Exact test points of a claim: the interesting values that it names, and rationals drawn from its declared domains.

The module also converts a point into values by the names of its symbols, for oracles.
"""

import hashlib
import itertools
import random
from fractions import Fraction

import sympy
from mpmath import mpf

from theory.claims.model import Claim, Param, Point

_DRAWS_PER_POINT = 5000  # draws for each point before the conditions count as unreachable
_DENOMINATOR = 2**20  # points are dyadic, so that float64 represents them exactly


def seed_of(claim: Claim) -> int:
    """Return the seed of all random draws for a claim, a hash of its id.

    >>> from theory.claims import catalog
    >>> claim = catalog()["gaussian.step_step.orthant"]
    >>> seed_of(claim) == seed_of(claim) != seed_of(catalog()["gaussian.erf.smoothing"])
    True
    """
    return int.from_bytes(hashlib.sha256(claim.id.encode()).digest()[:8], "big")


def points(claim: Claim, scale: int = 1) -> tuple[Point, ...]:
    """Return test points: `scale` times `claim.drawn` random ones, then each interesting value with the others drawn.

    Every point lies in the declared domains and meets the claim's conditions. Raises ValueError where no point does.

    >>> from theory.claims import catalog
    >>> len(points(catalog()["gaussian.step_step.orthant"]))  # six drawn, three interesting values
    9
    >>> len(points(catalog()["gaussian.step_step.orthant"], 4))
    27
    """
    rng = random.Random(seed_of(claim))
    found = [_meeting_conditions(claim, rng, {}) for _ in range(scale * claim.drawn if claim.params else 1)]
    for param in claim.params:
        for value in param.interesting:
            found.append(_meeting_conditions(claim, rng, {param.symbol: sympy.Rational(value)}))
    unique = {tuple(sorted((str(key), value) for key, value in point.items())): point for point in found}
    return tuple(unique.values())


def values(point: Point) -> dict[str, mpf]:
    """Return the point's exact rationals at mpmath's working precision, by symbol name.

    >>> values({sympy.Symbol("a"): sympy.Rational(1, 4)})
    {'a': mpf('0.25')}
    """
    return {symbol.name: mpf(value.p) / value.q for symbol, value in point.items()}


def exact_values(point: Point) -> dict[str, Fraction]:
    """Return the point's exact rationals as fractions, by symbol name.

    >>> exact_values({sympy.Symbol("a"): sympy.Rational(1, 3)})
    {'a': Fraction(1, 3)}
    """
    return {symbol.name: Fraction(int(value.p), int(value.q)) for symbol, value in point.items()}


def _meeting_conditions(claim: Claim, rng: random.Random, fixed: Point) -> Point:
    for _ in range(_DRAWS_PER_POINT):
        point = {param.symbol: fixed.get(param.symbol, _draw(param, rng)) for param in claim.params}
        if all(condition.xreplace(point) == sympy.true for condition in claim.conditions):
            return point
    raise ValueError(
        f"{claim.id}: {_DRAWS_PER_POINT} draws from the domains with {dict(fixed)} fixed all broke a condition; "
        "narrow the domains or correct the conditions."
    )


def _draw(param: Param, rng: random.Random) -> sympy.Rational:
    domain = param.likely or param.domain
    if isinstance(domain, sympy.FiniteSet):
        return rng.choice(sorted(domain, key=sympy.default_sort_key))
    if isinstance(domain, sympy.Range) or domain in (sympy.S.Naturals, sympy.S.Naturals0):
        members = list(itertools.islice(iter(domain), 7))
        return sympy.Integer(rng.choice(members))
    if isinstance(domain, sympy.Interval):
        return _draw_interval(domain, rng)
    raise TypeError(f"points are not drawn from {domain!r}; use an Interval, a FiniteSet or a range of integers")


def _draw_interval(domain: sympy.Interval, rng: random.Random) -> sympy.Rational:
    """Draw uniformly on a bounded interval, or log-uniformly at about 1/16 to 16 from the finite end of another."""
    low, high = domain.start, domain.end
    magnitude = sympy.Rational(round(2 ** rng.uniform(-4, 4) * _DENOMINATOR), _DENOMINATOR)
    if low == -sympy.oo and high == sympy.oo:
        return rng.choice((-1, 1)) * magnitude
    if high == sympy.oo:
        return low + magnitude
    if low == -sympy.oo:
        return high - magnitude
    share = sympy.Rational(rng.randrange(1, _DENOMINATOR), _DENOMINATOR)
    return low + (high - low) * share
