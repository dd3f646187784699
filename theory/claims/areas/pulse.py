"""The single pulse: moments of its sites, plain, flipped and through the gates of the small-bump note.

A pulse of width W, uniform on a..b, starts anywhere on a ring of n sites: u_j = 1 inside, 0 outside; x = u or 2 u - 1.
Localization notes, section 1; small-bump note, eq. (2), (3) and after (6). The definitions are sums over every start,
width and flip, in fractions.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from math import inf

import mpmath
import sympy
from sympy import Abs, Eq, Integer, Range

from theory.claims import reasons
from theory.claims.areas.flow import BUMP_NOTE, NOTES
from theory.claims.model import Claim, Kind, Level, Param, Point, Source
from theory.expressions.symbols import n
from theory.moments import GatedMoments, gated_moments
from theory.moments.single_pulse import lit
from theory.problem import Network, NormalInitialisation, Problem, SinglePulse, SiteGate, Training

a, b, d, p, q = sympy.symbols("a b d p q", integer=True)
_WIDTHS = (
    Param(n, Range(2, 41), "sites of the ring", (Integer(3), Integer(40))),
    Param(a, Range(1, 41), "least width of the pulse", (Integer(1), Integer(3))),
    Param(b, Range(1, 41), "largest width", (Integer(4),)),
)
_FIT = (a <= b, b <= n)
_LAW = "the width is uniform on a..b and the start uniform on the ring, independently"
_UNEVALUATED = "the notes name this law and leave its moments open"


def _triangle(m: sympy.Expr) -> sympy.Expr:
    """m (m + 1)/2 for m > 0, else 0: the sum of (W - e)_+ over the widths up to e + m."""
    return (m + Abs(m)) * (m + 1) / 4


def covered(*gaps: sympy.Expr) -> sympy.Expr:
    """The probability that a pulse covers sites with these gaps, sum_gaps E (W - (n - gap))_+ / n."""
    counts = (_triangle(b - n + gap) - _triangle(a - 1 - n + gap) for gap in gaps)
    return sum(counts) / (n * (b - a + 1))


_PAIR = covered(d, n - d)
_SHARE = (a + b) / (2 * n)  # E W/n, the probability of one site


# The definitions, pulse by pulse


def _pulses(at: dict[str, int]) -> Iterator[list[int]]:
    """u of every start and width."""
    sites = at["n"]
    for start in range(sites):
        for width in range(at["a"], at["b"] + 1):
            inside = {(start + step) % sites for step in range(width)}
            yield [int(site in inside) for site in range(sites)]


def _mean(points: list[list[int]], value: Callable[[list[int]], int]) -> Fraction:
    return Fraction(sum(value(x) for x in points), len(points))


def _signs(at: dict[str, int]) -> list[list[int]]:
    return [[2 * bit - 1 for bit in u] for u in _pulses(at)]


def _both_signs(at: dict[str, int]) -> list[list[int]]:
    return [[sign * value for value in x] for x in _signs(at) for sign in (1, -1)]


def _zeros_and_ones(at: dict[str, int]) -> list[list[int]]:
    return list(_pulses(at))


def _complements(at: dict[str, int]) -> list[list[int]]:
    return [bits for u in _pulses(at) for bits in (u, [1 - bit for bit in u])]


def _enumerated(points: Callable, value: Callable[[list[int], dict[str, int]], int]) -> dict[str, Callable]:
    """The exact level and the oracle: the mean of value(x, parameters) over equally likely inputs."""

    def exact(point: Point) -> Fraction:
        at = {symbol.name: int(number) for symbol, number in point.items()}
        return _mean(points(at), lambda x: value(x, at))

    def oracle(point: Point, digits: int) -> mpmath.mpf:
        found = exact(point)
        with mpmath.workdps(digits + 10):
            return mpmath.mpf(found.numerator) / found.denominator

    return {"exact": exact, "oracle": oracle}


def _library(at: dict[str, int], support: str, flip: str, *gates: SiteGate) -> GatedMoments:
    """The library's float64 moments where both classes have these widths, and the label 1."""
    law = SinglePulse(at["n"], ((at["a"], at["b"]),) * 2, support, flip, (Fraction(1), Fraction(1)))
    at_rest = Training("half-mse", Fraction(1), NormalInitialisation(Fraction(0), 0), (Fraction(0),))
    return gated_moments(Problem(law, Network("gated-linear", "mean", len(gates), gates), at_rest))


def _site(lo: Fraction | float = -inf, hi: Fraction | float = inf) -> SiteGate:
    return SiteGate(0, lo, hi, "input")


def _lit(at: dict[str, int], *sites: int) -> float:
    law = SinglePulse(at["n"], ((at["a"], at["b"]),) * 2, "zero-one", "none", (Fraction(1), Fraction(1)))
    return float(lit(law, 0, sites))


# Products of sites

_DISTANCE = Param(d, Range(0, 40), "distance of the two sites along the ring", (Integer(0),))
_FIRST = Param(p, Range(0, 40), "distance along the ring from the gate's site i to k", (Integer(0),))
_SECOND = Param(q, Range(0, 40), "distance along the ring from the gate's site i to l")

PAIR = Claim(
    id="pulse.sites.pair",
    title="How often a pulse covers two sites at distance d",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Symbol(r"\langle u_i u_{i+d} \rangle", real=True), _PAIR, evaluate=False),
    params=(*_WIDTHS, _DISTANCE),
    conditions=(*_FIT, d < n),
    assumptions=(
        _LAW,
        "(m + |m|)(m + 1)/4 is m (m + 1)/2 for m > 0 and 0 below, a sum of (W - e)_+; at d = 0 the value is E W/n",
    ),
    sources=(Source(NOTES, "section 1", note=_UNEVALUATED),),
    **_enumerated(_zeros_and_ones, lambda x, at: x[0] * x[at["d"]]),
    numeric=lambda **at: _lit(at, 0, at["d"]),
    drawn=40,
    unchecked={Level.SYMBOLIC: reasons.BY_COUNTING},
)

TRIPLE = Claim(
    id="pulse.sites.triple",
    title="How often a pulse covers three sites with the gaps p, q - p and n - q",
    kind=Kind.EQUATION,
    statement=Eq(
        sympy.Symbol(r"\langle u_i u_{i+p} u_{i+q} \rangle", real=True), covered(p, q - p, n - q), evaluate=False
    ),
    params=(*_WIDTHS, _FIRST, _SECOND),
    conditions=(*_FIT, p <= q, q < n),
    assumptions=(_LAW, "the sites that a pulse leaves dark follow each other, so all of them lie in one gap"),
    sources=(Source(NOTES, "section 1", note=_UNEVALUATED),),
    **_enumerated(_zeros_and_ones, lambda x, at: x[0] * x[at["p"]] * x[at["q"]]),
    numeric=lambda **at: _lit(at, 0, at["p"], at["q"]),
    drawn=60,
    unchecked={Level.SYMBOLIC: reasons.BY_COUNTING},
)


# Second moments of the inputs


def _same_with_a_flip(at: dict[str, int]) -> list[list[int]]:
    """The signs, after a check that a random sign flip leaves their products of two as they are."""
    plain, flipped = _signs(at), _both_signs(at)
    for first, second in ((0, 0), (0, at["d"])):
        if _mean(plain, lambda x: x[first] * x[second]) != _mean(flipped, lambda x: x[first] * x[second]):  # noqa: B023
            raise ArithmeticError("a sign flip changes a second moment")
    return plain


_SIGNED = 1 - 4 * _SHARE + 4 * _PAIR

PLUS_MINUS = Claim(
    id="pulse.plus_minus.second",
    title="Second moments of single pulses with support {-1, 1}, with or without a random sign flip",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Symbol(r"\langle x_i x_{i+d} \rangle", real=True), _SIGNED, evaluate=False),
    params=(*_WIDTHS, _DISTANCE),
    conditions=(*_FIT, d < n),
    assumptions=(_LAW, "x = 2 u - 1; uncentred: without a flip the mean is (a + b)/n - 1"),
    sources=(Source(NOTES, "section 1", note=_UNEVALUATED),),
    **_enumerated(_same_with_a_flip, lambda x, at: x[0] * x[at["d"]]),
    numeric=lambda **at: float(_library(at, "plus-minus", "sign", _site()).sigma_xx[0, 0, 0, at["d"]]),
    drawn=40,
    unchecked={Level.SYMBOLIC: reasons.BY_COUNTING},
)

COMPLEMENT = Claim(
    id="pulse.zero_one.complement",
    title="Second moments of single pulses with support {0, 1} and a random complement",
    kind=Kind.EQUATION,
    statement=Eq(
        sympy.Symbol(r"\langle x_i x_{i+d} \rangle", real=True), sympy.S.Half - _SHARE + _PAIR, evaluate=False
    ),
    params=(*_WIDTHS, _DISTANCE),
    conditions=(*_FIT, d < n),
    assumptions=(_LAW, "x = u or 1 - u, each with probability 1/2; the mean is 1/2 at every site"),
    sources=(Source(NOTES, "section 1", note=_UNEVALUATED),),
    **_enumerated(_complements, lambda x, at: x[0] * x[at["d"]]),
    numeric=lambda **at: float(_library(at, "zero-one", "complement", _site()).sigma_xx[0, 0, 0, at["d"]]),
    drawn=40,
    unchecked={Level.SYMBOLIC: reasons.BY_COUNTING},
)

# Through a half-space, with a random sign flip

_UP = _site(lo=Fraction(0))

GATED_SECOND = Claim(
    id="pulse.sign_flip.xx",
    title="With a random sign flip a half-space sees half of the second moment, wherever its site is",
    kind=Kind.EQUATION,
    statement=Eq(
        sympy.Symbol(r"\langle \mathbf{1}[x_i > 0] x_{k} x_{l} \rangle", real=True),
        (1 - 4 * _SHARE + 4 * covered(q, n - q)) / 2,
        evaluate=False,
    ),
    params=(
        *_WIDTHS,
        Param(p, Range(0, 40), "distance along the ring from the gate's site i to k, which drops out", (Integer(0),)),
        Param(q, Range(0, 40), "distance along the ring from k to l", (Integer(0),)),
    ),
    conditions=(*_FIT, p < n, q < n),
    assumptions=(_LAW, "x = 2 u - 1, times a random sign; 1(x_i > 0) + 1(x_i < 0) = 1"),
    sources=(
        Source(
            BUMP_NOTE, "(6)", note="for single pulses with a random sign flip, as for the nonlinear Gaussian process"
        ),
    ),
    **_enumerated(_both_signs, lambda x, at: (x[0] > 0) * x[at["p"]] * x[(at["p"] + at["q"]) % at["n"]]),
    numeric=lambda **at: float(
        _library(at, "plus-minus", "sign", _UP).sigma_xx[0, 0, at["p"], (at["p"] + at["q"]) % at["n"]]
    ),
    drawn=40,
    unchecked={Level.SYMBOLIC: reasons.BY_COUNTING},
)

GATED_FIRST = Claim(
    id="pulse.sign_flip.yx",
    title="With a random sign flip the mean through a half-space is half of the second moment with its site",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Symbol(r"\langle \mathbf{1}[x_i > 0] x_{i+d} \rangle", real=True), _SIGNED / 2, evaluate=False),
    params=(*_WIDTHS, _DISTANCE),
    conditions=(*_FIT, d < n),
    assumptions=(_LAW, "x = 2 u - 1, times a random sign: 1(x_i > 0) = (1 + x_i)/2, and odd moments vanish"),
    sources=(Source(BUMP_NOTE, "(5)", note="for single pulses with a random sign flip, within one class"),),
    **_enumerated(_both_signs, lambda x, at: (x[0] > 0) * x[at["d"]]),
    numeric=lambda **at: float(_library(at, "plus-minus", "sign", _UP).sigma_yx[0, at["d"]]),
    drawn=40,
    unchecked={Level.SYMBOLIC: reasons.BY_COUNTING},
)

# The two gates of the small-bump note on {0, 1}

# Both are closed: 1[x_i >= 0] and 1[-x_i >= 0]; on {0, 1} the second is 1[x_i < 1/2].
_CLOSED_BELOW = _site(hi=Fraction(1, 2))

OVERLAP = Claim(
    id="pulse.small_bump.cross",
    title="For single pulses of support {0, 1} the small-bump gates overlap: Sigma^xx(p_1, p_2) is not 0",
    kind=Kind.EQUATION,
    statement=Eq(
        sympy.Symbol(r"\langle g_1 g_2 x_{k} x_{l} \rangle", real=True),
        covered(n - q + p) - covered(p, n - q),
        evaluate=False,
    ),
    params=(*_WIDTHS, _FIRST, _SECOND),
    conditions=(*_FIT, p <= q, q < n),
    assumptions=(
        _LAW,
        "g_1 = 1[x_i >= 0], g_2 = 1[-x_i >= 0] as printed, both closed; k = i + p and l = i + q on the ring; no flip",
        "<u_k u_l> - <u_i u_k u_l>: the gap q - p between k and l is in both and cancels",
        "with one half-space open, 1[x_i < 0], the first gate is always 1 and the second always 0",
    ),
    sources=(
        Source(
            BUMP_NOTE,
            "after (6)",
            printed=Integer(0),
            note="'Sigma^xx(p_1, p_2) = 0 by the construction of our gates': not where x_i = 0 has positive "
            "probability (gate.small_bump.both_open): both gates see every pulse that does not cover i",
        ),
    ),
    **_enumerated(_zeros_and_ones, lambda x, at: (x[0] >= 0) * (-x[0] >= 0) * x[at["p"]] * x[at["q"]]),
    numeric=lambda **at: float(_library(at, "zero-one", "none", _UP, _CLOSED_BELOW).sigma_xx[0, 1, at["p"], at["q"]]),
    drawn=60,
    unchecked={Level.SYMBOLIC: reasons.BY_COUNTING},
)

CLAIMS = (PAIR, TRIPLE, PLUS_MINUS, COMPLEMENT, GATED_SECOND, GATED_FIRST, OVERLAP)
