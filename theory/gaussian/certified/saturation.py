"""What lies far out, replaced by its limit and a small number, so that nothing cancels against it.

erf(x) is 1 or -1 from |x| = 100 on, exp(-x) is 0 from x = 20,000 on, and so is the sign of a variable at a threshold of
100 standard deviations: what is left out is unknown but for its size, at most exp(-5000). Where the variables i and j
are hardly ever in the quadrant s_i = a, s_j = b,

    E[s_i s_j R] = -a b (E[R] + a E[s_i R] + b E[s_j R]) + 4 a b E[R; quadrant],

and P(quadrant) <= exp(-q/2)/2, q its squared distance from the origin in the metric of the inverse covariance: a plane
through the nearest point separates the two. So nearly singular covariances become singular ones. Of two signs, the
quadrant itself is computed (`corner_balls`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations, product
from math import prod
from typing import TYPE_CHECKING

import sympy

from theory.expressions.symbols import z
from theory.gaussian.derive.engine import evaluated
from theory.gaussian.derive.factors import signs_of
from theory.gaussian.expectation import Expectation, marginal
from theory.problem.errors import OutOfReachError

if TYPE_CHECKING:
    from flint import arb

# exp(-100^2) has 4,343 zeros; the precision would have to rise to them.
FARTHEST, LARGEST = 100, 20_000
# All that is left out is at most exp(-LEFT_OUT): the tail erfc(100/sqrt 2), and 4 P of a quadrant at q/2 > 5001.
LEFT_OUT = FARTHEST**2 // 2
# Distances are found with this many bits; where these do not decide, nothing is replaced.
BITS = 512
# Differences of nearly equal numbers take this many times the working precision.
SPARE_PRECISION = 4
# 1,200 digits of a quadrant: more bits, asked for where other numbers cancel, take minutes and tell nothing.
QUADRANT_BITS = 2**12
# Two signs are taken apart where a quadrant is less probable than exp(-SEEN): the digits left cancel otherwise.
SEEN = 20
PAIR = 2


@dataclass(frozen=True)
class Small:
    """What a small number stems from, its ball at the working precision, and whether that is more than a bound."""

    what: sympy.Expr
    ball: "Callable[[], arb]"
    known: bool = False


Smalls = dict[sympy.Dummy, Small]


def without_far_signs(form: sympy.Expr) -> tuple[sympy.Expr, Smalls]:
    """`form` without expectations of signs that are hardly ever seen."""
    smalls: Smalls = {}
    while True:
        found = {e: _split(e, smalls) for e in form.atoms(Expectation) if not e.free_symbols}
        table = {e: new for e, new in found.items() if new is not None}
        if not table:
            return form, smalls
        form = evaluated(form.xreplace(table))


def without_far_functions(form: sympy.Expr) -> tuple[sympy.Expr, Smalls]:
    """The same for erf and exp of numbers. Raises OutOfReachError for exponents too large."""
    smalls: Smalls = {}
    table = {}
    for function in sorted(form.atoms(sympy.erf, sympy.exp), key=sympy.default_sort_key):
        side = 0 if function.free_symbols else _beyond(function)
        if side:
            if side > 0 and isinstance(function, sympy.exp):
                raise refusal(function)
            limit = sympy.Integer(side if isinstance(function, sympy.erf) else 0)
            table[function] = limit + _named(smalls, Small(function, _unknown))
    return form.xreplace(table), smalls


def refusal(what: sympy.Expr) -> OutOfReachError:
    """The named error of a value that lies too far out."""
    return OutOfReachError(
        f"{what} lies too far out: its digits begin behind thousands of zeros or nines.",
        f"Thresholds go to {FARTHEST} standard deviations, exponents to {LARGEST}.",
    )


def _named(smalls: Smalls, small: Small) -> sympy.Dummy:
    name = sympy.Dummy(f"small{len(smalls)}", real=True)
    smalls[name] = small
    return name


def _unknown() -> "arb":
    from flint import arb

    return arb(0, 1) * arb(-LEFT_OUT).exp().upper()


def _beyond(function: sympy.Expr) -> int:
    """The sign of an argument that certainly lies far out, else 0: SymPy's own digits are wrong where many cancel."""
    from flint import ctx

    from theory.gaussian.certified.closed_form import NotCertified, ball

    with ctx.workprec(BITS):
        try:
            argument = ball(function.args[0], {}).real
        except NotCertified:
            return 0
        if abs(argument) > (FARTHEST if isinstance(function, sympy.erf) else LARGEST):
            return 1 if argument > 0 else -1
    return 0


def _split(e: Expectation, smalls: Smalls) -> sympy.Expr | None:
    """A limit and a small number, of which `smalls` learns; None where no part of the expectation is seen far out."""
    from theory.gaussian.certified.closed_form import NotCertified

    try:
        return _taken_apart(e, smalls)
    except NotCertified:
        return None


def _taken_apart(e: Expectation, smalls: Smalls) -> sympy.Expr | None:
    from flint import ctx

    signs = [sympy.sign(z(k + 1) + offset) for k, (_, offset) in enumerate(signs_of(e.integrand))]

    def mean(*left: int) -> sympy.Expr:
        return marginal(prod((signs[k] for k in left), start=sympy.Integer(1)), e.cov)

    rows = range(len(signs))
    with ctx.workprec(BITS):
        h = [_standard(e, k) for k in rows]
        for k in rows:
            if abs(h[k]) > FARTHEST:
                rest = mean(*(i for i in rows if i != k))
                return (1 if h[k] > 0 else -1) * rest + _named(smalls, Small(e, _unknown))
        for i, j in combinations(rows, 2):
            rest = [k for k in rows if k not in (i, j)]
            for a, b in product((1, -1), repeat=2):
                small = _quadrant(e, (i, j), (a, b))
                if small is not None:
                    left = mean(*rest) + a * mean(i, *rest) + b * mean(j, *rest)
                    return a * b * (_named(smalls, small) - left)
    return None


def _standard(e: Expectation, k: int) -> "arb":
    """The offset of a sign in standard deviations."""
    from theory.gaussian.certified.closed_form import ball

    offset = next(offset for index, offset in signs_of(e.integrand) if index == k)
    return ball(offset, {}).real / ball(e.cov[k, k], {}).real.sqrt()


def _quadrant(e: Expectation, pair: tuple[int, int], sides: tuple[int, int]) -> Small | None:
    """4 E[R; quadrant] where that is small: computed for two signs, beyond that known by its size."""
    from flint import ctx

    from theory.gaussian.certified.closed_form import ball
    from theory.gaussian.certified.quadrant import corner, half_distance, quadrant

    (i, j), (a, b) = pair, sides

    def place() -> "tuple[arb, arb, arb]":
        r = ball(e.cov[i, j], {}).real / (ball(e.cov[i, i], {}).real * ball(e.cov[j, j], {}).real).sqrt()
        return -a * _standard(e, i), -b * _standard(e, j), a * b * r

    found: dict[int, arb] = {}

    def value() -> "arb":
        bits = min(ctx.prec, QUADRANT_BITS)
        if bits not in found:
            with ctx.workprec(SPARE_PRECISION * bits):
                x, y, r = place()
            with ctx.workprec(bits):
                found[bits] = 4 * quadrant(x, y, r)
        return found[bits]

    x, y, r = place()
    if not corner(x, y, r):
        return None
    half = half_distance(x, y, r)
    if e.cov.rows > PAIR or half > LARGEST:
        return Small(e, _unknown) if half > LEFT_OUT + 1 else None
    decided = all(h.is_zero() or abs(h) > 0 for h in (x, y))
    return Small(e, value, known=True) if half > SEEN and decided else None
