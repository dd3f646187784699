"""Replace saturated factors by their limits plus a bounded remainder, so that nothing cancels against them.

The limits are +-1 for erf(x) with |x| > 100, 0 for exp(-x) with x > 20,000, and +-1 for the sign of a variable whose
threshold exceeds 100 standard deviations; of these remainders only the bound exp(-5000) is used. Where the quadrant
s_i = a, s_j = b of the variables i and j is improbable,

    E[s_i s_j R] = -a b (E[R] + a E[s_i R] + b E[s_j R]) + 4 a b E[R; quadrant],

and P(quadrant) <= exp(-q/2)/2, where q is its squared distance from the origin in the metric of the inverse covariance:
a plane through the nearest point separates the two. A nearly singular covariance is thus treated as a singular one, up
to the remainder. For two signs the probability of the quadrant is computed (`quadrant`), and so is
erfc(x) = 1 - erf(x) below x = 100.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations, product
from typing import TYPE_CHECKING

import sympy

from theory.expressions.balls.precision import precision
from theory.expressions.symbols import z
from theory.gaussian.derive.engine import evaluated
from theory.gaussian.derive.factors import signs_of
from theory.gaussian.expectation import Expectation, marginal
from theory.problem.errors import OutOfReachError

if TYPE_CHECKING:
    from flint import arb

# Arguments beyond these are saturated: exp(-100^2) = 10^-4343, so that sums would need thousands of digits.
SATURATED, LARGEST_EXPONENT = 100, 20_000
# Every remainder is at most exp(-REMAINDER_EXPONENT): the tail erfc(100/sqrt 2), and 4 P of a quadrant at q/2 > 5001.
REMAINDER_EXPONENT = SATURATED**2 // 2
# Distances are computed with this many bits; where these do not decide a comparison, nothing is replaced.
BITS = 512
# Differences of nearly equal numbers are computed with this many times the working precision.
SPARE_PRECISION = 4
# The most bits of a quadrant, 1,200 digits: more, requested where other numbers cancel, take minutes and do not help.
QUADRANT_BITS = 2**12
# Two signs are rewritten where a quadrant is less probable than exp(-LEAST_EXPONENT), and erf(x) where 1 - |erf(x)| is
# smaller than that: otherwise digits would cancel.
LEAST_EXPONENT = 20
PAIR = 2


@dataclass(frozen=True)
class Remainder:
    """The remainder of a saturated `source`, a ball at the working precision; `known` if computed, not only bounded.

    >>> form, remainders = without_saturated_functions(sympy.erf(10**6))
    >>> [(one.source, one.known) for one in remainders.values()]
    [(erf(1000000), False)]
    """

    source: sympy.Expr
    ball: "Callable[[], arb]"
    known: bool = False


Remainders = dict[sympy.Dummy, Remainder]


def without_saturated_signs(form: sympy.Expr) -> tuple[sympy.Expr, Remainders]:
    """Replace saturated signs, and pairs of signs with an improbable quadrant, in every expectation of `form`.

    Returns the new form, in which symbols stand for the remainders, and the remainders by symbol.

    A sign at 10^6 standard deviations is 1 up to a remainder, and E sign(z2 + 1) = erf(1/sqrt 2) remains:

    >>> from theory.expressions.symbols import z
    >>> signs = sympy.sign(z(1) + 10**6) * sympy.sign(z(2) + 1)
    >>> form, remainders = without_saturated_signs(Expectation(signs, sympy.Matrix([[2, 1], [1, 1]])))
    >>> form.subs({name: 0 for name in remainders})
    erf(sqrt(2)/2)
    """
    remainders: Remainders = {}
    while True:
        replacements = {e: _saturated(e, remainders) for e in form.atoms(Expectation) if not e.free_symbols}
        table = {e: new for e, new in replacements.items() if new is not None}
        if not table:
            return form, remainders
        form = evaluated(form.xreplace(table))


def without_saturated_functions(form: sympy.Expr) -> tuple[sympy.Expr, Remainders]:
    """Replace saturated erf and exp of numbers; returns as above. Raises OutOfReachError for too large an exponent.

    >>> form, remainders = without_saturated_functions(2 + sympy.erf(-(10**6)))
    >>> form.subs({name: 0 for name in remainders})
    1
    """
    remainders: Remainders = {}
    table = {}
    for function in sorted(form.atoms(sympy.erf, sympy.exp), key=sympy.default_sort_key):
        most = SATURATED if isinstance(function, sympy.erf) else LARGEST_EXPONENT
        side = 0 if function.free_symbols else _side_beyond(function, most)
        if side:
            if side > 0 and isinstance(function, sympy.exp):
                raise refusal(function)
            limit = sympy.Integer(side if isinstance(function, sympy.erf) else 0)
            table[function] = limit + _named(remainders, Remainder(function, _unknown))
    return form.xreplace(table), remainders


def without_nines(form: sympy.Expr) -> tuple[sympy.Expr, Remainders]:
    """Write values erf(x) above 1 - exp(-LEAST_EXPONENT) as 1 - erfc(x), so that the 1 cancels exactly.

    As a decimal erf(37) begins with 600 nines, and their cancellation would need that many digits. Returns as above.

    >>> form, (small,) = without_nines(1 - sympy.erf(37))
    >>> form == small
    True
    """
    remainders: Remainders = {}
    table = {}
    for function in sorted(form.atoms(sympy.erf), key=sympy.default_sort_key):
        side = 0 if function.free_symbols else _side_beyond(function, math.sqrt(LEAST_EXPONENT))
        if side:
            table[function] = side * (1 - _named(remainders, Remainder(function, _complement(function), known=True)))
    return (sympy.expand(form.xreplace(table)) if table else form), remainders


def _complement(function: sympy.Expr) -> "Callable[[], arb]":
    """Return a function that computes erfc(|x|) at the working precision, for a `function` erf(x)."""
    from theory.expressions.balls.closed_form import ball

    return lambda: abs(ball(function.args[0], {}).real).erfc()


def refusal(source: sympy.Expr) -> OutOfReachError:
    """Return the error for a value that consists of remainders only.

    >>> refusal(sympy.erf(10**6)).exit_code
    4
    """
    return OutOfReachError(
        f"{source} lies too far out: its significant digits begin after thousands of zeros or nines.",
        f"Use thresholds up to {SATURATED} standard deviations and exponents up to {LARGEST_EXPONENT}.",
    )


def _named(remainders: Remainders, remainder: Remainder) -> sympy.Dummy:
    name = sympy.Dummy(f"remainder{len(remainders)}", real=True)
    remainders[name] = remainder
    return name


def _unknown() -> "arb":
    from flint import arb

    return arb(0, 1) * arb(-REMAINDER_EXPONENT).exp().upper()


def _side_beyond(function: sympy.Expr, most: float) -> int:
    """Return the sign of an argument certainly beyond `most`, else 0.

    The argument is enclosed in a ball, because SymPy's `evalf` errs where many digits cancel.
    """
    from theory.expressions.balls.closed_form import NotCertified, ball

    with precision(BITS):
        try:
            argument = ball(function.args[0], {}).real
        except NotCertified:
            return 0
        if abs(argument) > most:
            return 1 if argument > 0 else -1
    return 0


def _saturated(e: Expectation, remainders: Remainders) -> sympy.Expr | None:
    """Return the limit plus a remainder, added to `remainders`; None where no sign or pair of signs is saturated."""
    from theory.expressions.balls.closed_form import NotCertified

    try:
        return _taken_apart(e, remainders)
    except NotCertified:
        return None


def _taken_apart(e: Expectation, remainders: Remainders) -> sympy.Expr | None:

    signs = [sympy.sign(z(k + 1) + offset) for k, (_, offset) in enumerate(signs_of(e.integrand))]

    def mean(*left: int) -> sympy.Expr:
        return marginal(math.prod((signs[k] for k in left), start=sympy.Integer(1)), e.cov)

    rows = range(len(signs))
    with precision(BITS):
        h = [_standard(e, k) for k in rows]
        for k in rows:
            if abs(h[k]) > SATURATED:
                rest = mean(*(i for i in rows if i != k))
                return (1 if h[k] > 0 else -1) * rest + _named(remainders, Remainder(e, _unknown))
        for i, j in combinations(rows, 2):
            rest = [k for k in rows if k not in (i, j)]
            for a, b in product((1, -1), repeat=2):
                remainder = _quadrant(e, (i, j), (a, b))
                if remainder is not None:
                    left = mean(*rest) + a * mean(i, *rest) + b * mean(j, *rest)
                    return a * b * (_named(remainders, remainder) - left)
    return None


def _standard(e: Expectation, k: int) -> "arb":
    """Return the offset of a sign in standard deviations."""
    from theory.expressions.balls.closed_form import ball

    offset = next(offset for index, offset in signs_of(e.integrand) if index == k)
    return ball(offset, {}).real / ball(e.cov[k, k], {}).real.sqrt()


def _quadrant(e: Expectation, pair: tuple[int, int], sides: tuple[int, int]) -> Remainder | None:
    """Return 4 E[R; quadrant] where it is small, else None: computed for two signs, bounded for more."""
    from flint import ctx

    from theory.expressions.balls.closed_form import ball
    from theory.gaussian.certified.quadrant import corner, half_distance, quadrant

    (i, j), (a, b) = pair, sides

    def place() -> "tuple[arb, arb, arb]":
        r = ball(e.cov[i, j], {}).real / (ball(e.cov[i, i], {}).real * ball(e.cov[j, j], {}).real).sqrt()
        return -a * _standard(e, i), -b * _standard(e, j), a * b * r

    known: dict[int, arb] = {}

    def value() -> "arb":
        bits = min(ctx.prec, QUADRANT_BITS)
        if bits not in known:
            with precision(SPARE_PRECISION * bits):
                x, y, r = place()
            with precision(bits):
                known[bits] = 4 * quadrant(x, y, r)
        return known[bits]

    x, y, r = place()
    if not corner(x, y, r):
        return None
    half = half_distance(x, y, r)
    if e.cov.rows > PAIR or half > LARGEST_EXPONENT:
        return Remainder(e, _unknown) if half > REMAINDER_EXPONENT + 1 else None
    decided = all(h.is_zero() or abs(h) > 0 for h in (x, y))
    return Remainder(e, value, known=True) if half > LEAST_EXPONENT and decided else None
