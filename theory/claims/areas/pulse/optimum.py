"""The best two gates on single pulses of three sites: they overlap, and half-spaces do as well as any gates.

Localization notes, section 3.3, ask for the gates that minimise (16). Here all of them are enumerated: each of the
seven inputs opens no gate, one or both, and least squares gives the loss of the best weights, in fractions.
"""

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import permutations, product

import sympy
from sympy import Eq, Interval, Rational

from theory.claims.model import Claim, Kind, Level, Param, Point
from theory.claims.points import exact_values
from theory.claims.rational import rational
from theory.gates import Support, optimum, support_of
from theory.problem import SinglePulse

share = sympy.Symbol("p", positive=True)
Opened = tuple[tuple[int, int], ...]

_SITES = 3
# The inputs with their labels, and their probabilities given the class.
_PULSES = [
    tuple(int((site - at) % _SITES < width) for site in range(_SITES)) for width in (1, 2) for at in range(_SITES)
]
_INPUTS = (*((x, 1) for x in _PULSES), ((1, 1, 1), -1))
_GIVEN = (*[Fraction(1, 6)] * 6, Fraction(1))
_EVERY = 2 ** len(_INPUTS)


def _permuted(sites: tuple[int, ...]) -> tuple[int, ...]:
    """Return the set of inputs that each set becomes where the sites are permuted; the law does not change."""
    vectors = [x for x, _ in _INPUTS]
    to = [vectors.index(tuple(x[site] for site in sites)) for x in vectors]
    return tuple(sum(1 << to[index] for index in range(len(to)) if opened >> index & 1) for opened in range(_EVERY))


_PERMUTED = [_permuted(sites) for sites in permutations(range(_SITES))]


def _least_squares(weights: list[Fraction], opened: Opened) -> Fraction:
    """min over w of <(y - (g_1 w_1 + g_2 w_2).x)^2>, from the normal equations by elimination in fractions."""
    from flint import fmpq, fmpq_mat

    rows = [[g * value for g in gates for value in x] for (x, _), gates in zip(_INPUTS, opened, strict=True)]
    weighed = [
        [fmpq(p.numerator, p.denominator) * value for value in row] for p, row in zip(weights, rows, strict=True)
    ]
    left = fmpq_mat(weighed).transpose()
    bordered = left * fmpq_mat([[*row, y] for row, (_, y) in zip(rows, _INPUTS, strict=True)])
    reduced, rank = bordered.rref()
    size, explained, column = 2 * _SITES, fmpq(0), 0
    for row in range(rank):
        while not reduced[row, column]:
            column += 1
        explained += bordered[column, size] * reduced[row, size]
    # <y^2> = 1: both labels have the square 1.
    return 1 - Fraction(int(explained.p), int(explained.q))


def _half_spaces() -> set[int]:
    """The sets of inputs with v.x >= theta: on {0, 1}^3 weights up to 2 give every threshold function."""
    cut = set()
    for v in product(range(-2, 3), repeat=_SITES):
        values = [sum(a * b for a, b in zip(v, x, strict=True)) for x, _ in _INPUTS]
        for theta in range(-7, 8):
            cut.add(sum(1 << index for index, value in enumerate(values) if value >= theta))
    return cut


@lru_cache(maxsize=64)
def _least(p: Fraction, exclusive: bool, cut: bool) -> Fraction:
    """The least loss over all pairs of gates, of sets of inputs; exclusive ones, or half-spaces, alone."""
    weights = [(p if y == 1 else 1 - p) * given for (_, y), given in zip(_INPUTS, _GIVEN, strict=True)]
    return min(_least_squares(weights, opened) for opened in _pairs(exclusive, cut))


def _pairs(exclusive: bool, cut: bool) -> Iterator[Opened]:
    """Yield every pair of sets, one of those that a permutation of the sites makes of each other: their loss is one."""
    sets: Iterable[int] = sorted(_half_spaces()) if cut else range(_EVERY)
    for one, other in product(sets, repeat=2):
        if one <= other and not (exclusive and one & other) and (one, other) == min(_alike(one, other)):
            yield tuple((one >> index & 1, other >> index & 1) for index in range(len(_INPUTS)))


def _alike(one: int, other: int) -> Iterator[tuple[int, int]]:
    for moved in _PERMUTED:
        yield tuple(sorted((moved[one], moved[other])))


def _gain(cut: bool) -> Callable[[Point], Fraction]:
    """Return what overlap gains: the least loss of exclusive gates minus that of any gates."""

    def gain(point: Point) -> Fraction:
        p = exact_values(point)["p"]
        return _least(p, True, cut) - _least(p, False, cut)

    return gain


def _library_support(p: float) -> Support:
    priors = Fraction(p), 1 - Fraction(p)
    return support_of(SinglePulse(_SITES, ((1, 2), (3, 3)), "zero-one", "none", (1, -1), priors=priors))


def _in_float64(kind: str, other: str) -> Callable[..., float]:
    """Return the difference of two optima of the library."""

    def value(p: float) -> float:
        support = _library_support(p)
        return float(optimum(support, 2, kind).mse - optimum(support, 2, other).mse)

    return value


def _least_of_any(point: Point) -> Fraction:
    p = exact_values(point)["p"]
    least = _least(p, exclusive=False, cut=False)
    if least != _least(p, exclusive=False, cut=True):
        raise ArithmeticError("half-spaces do not reach the least loss of all gates")
    return least


def _least_in_float64(p: float) -> float:
    return float(optimum(_library_support(p), 2, "any").mse)


_LEAST = share * (1 - share) / (90 - 86 * share)
_LAW = (
    "single pulses on a ring of three sites, values 0 and 1: class $y = 1$ has the widths 1 and 2, equally likely, "
    "class $y = -1$ the width 3; two gates, with the best weights behind them"
)
_LABELS = (
    "(16) has the labels 1 and 0; here they are 1 and $-1$, because closed gates predict the label 0 without error, so "
    "that exclusive gates have no loss"
)
_ENUMERATED = "all gates are functions of the seven inputs, and all pairs of them are enumerated"
_ALL_PRIORS = (
    "for each pair of gates the loss is $p a + p (1 - p) c/(1 - p + p b)$, or $p a$, or $p a + 1 - p$ with fractions "
    "$a$, $b$, $c$ of its own; for every pair it is compared with the formula on the whole interval"
)


def _prior(end: sympy.Rational) -> Param:
    return Param(share, Interval.open(0, end), "probability of class $y = 1$", (Rational(1, 2),))


_UNCHECKED = {Level.SYMBOLIC: "a minimum over finitely many gates, all of them enumerated"}

LEAST = Claim(
    id="pulse.optimum.least",
    title="The least loss of two gates for single pulses on three sites",
    protocol="The least loss of any two gates on single pulses of three sites; two overlapping half-spaces reach it",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Function("loss")(share), _LEAST, evaluate=False),
    params=(_prior(sympy.S.One),),
    assumptions=(
        _LAW,
        _LABELS,
        _ENUMERATED,
        r"the loss is $\langle (y - \hat y)^2 \rangle$; one pair alone has it: one gate is open for the widths 1 and "
        "2, the other for 2 and 3, so that the weights add at width 2",
        _ALL_PRIORS,
    ),
    **rational(_least_of_any),
    numeric=_least_in_float64,
    drawn=2,
    unchecked=_UNCHECKED,
)

OVERLAP = Claim(
    id="pulse.optimum.overlap",
    title="Overlapping beside exclusive gates on single pulses",
    protocol="For single pulses on a ring of three sites two overlapping gates have a smaller loss than every "
    "exclusive pair",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Function("gain")(share), share / 42 - _LEAST, evaluate=False),
    params=(_prior(Rational(42, 43)),),
    assumptions=(
        _LAW,
        _LABELS,
        _ENUMERATED,
        "the gain is the least loss of exclusive gates, $p/42$, minus the least loss of any two gates; above "
        "$p = 42/43$ gates that are closed for the width 3 lose $1 - p < p/42$",
        _ALL_PRIORS,
    ),
    **rational(_gain(cut=False)),
    numeric=_in_float64("exclusive", "any"),
    drawn=2,
    unchecked=_UNCHECKED,
)

HALF_SPACES = Claim(
    id="pulse.optimum.half_spaces",
    title="Overlapping beside exclusive half-spaces on single pulses",
    protocol="On single pulses of three sites two overlapping half-spaces have a smaller loss than every exclusive "
    "pair "
    "of half-spaces",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Function("gain")(share), share / 18 - _LEAST, evaluate=False),
    params=(_prior(Rational(108, 109)),),
    assumptions=(
        _LAW,
        r"gates are half-spaces $v^\top x \geq c$; all sets that they cut out of the seven inputs are enumerated",
        "the gain is the least loss of exclusive half-spaces, $p/18$, minus that of any two; above "
        "$p = 108/109$ another exclusive pair loses less; tilings are exclusive",
        "with the labels 1 and 0 of (16) and $p = 1/2$, two overlapping half-spaces lose 0, and exclusive ones 1/36",
        _ALL_PRIORS,
    ),
    **rational(_gain(cut=True)),
    numeric=_in_float64("exclusive half-spaces", "half-spaces"),
    drawn=3,
    unchecked=_UNCHECKED,
)

CLAIMS = (LEAST, OVERLAP, HALF_SPACES)
