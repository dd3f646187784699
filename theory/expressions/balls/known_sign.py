"""The sign of an expression, by balls for numbers: SymPy's `evalf` is wrong where more than a hundred digits cancel."""

import sympy

from theory.expressions.algebra import is_zero
from theory.expressions.balls.precision import precision
from theory.expressions.balls.real import Undecided, Undefined, enclose
from theory.expressions.balls.real import sign as sign_of_ball
from theory.problem.errors import OutOfReachError

FIRST_BITS = 64
# Above this precision, algebra is tried first to prove that a number is zero.
MANY_BITS = 2**12
MOST_BITS = 2**16


def known_sign(expr: sympy.Expr) -> int | None:
    """Return 1, -1 or 0 where the sign is known: proved for a number, by their assumptions for parameters; else None.

    The result is None for a number without a rule for balls, which SymPy would decide by a few digits. Raises
    OutOfReachError for a number that 19,000 digits do not separate from zero and that is not proved to be zero.

    >>> known_sign(sympy.sqrt(10**600 + 1) - 10**300)
    1
    """
    if expr.is_Rational:
        return int(sympy.sign(expr))
    if expr.free_symbols:
        return 1 if expr.is_positive else -1 if expr.is_negative else 0 if expr.is_zero else None
    if not _has_balls(expr):
        return _by_real_balls(expr)
    sign = _by_balls(expr, FIRST_BITS, MANY_BITS)
    if sign is None:
        sign = 0 if is_zero(expr) is True else _by_balls(expr, 2 * MANY_BITS, MOST_BITS)
    if sign is None:
        raise OutOfReachError(
            f"The value of {expr} cannot be separated from zero.", "Write the number in a simpler form."
        )
    return sign


def _by_balls(expr: sympy.Expr, bits: int, most: int) -> int | None:
    from theory.expressions.balls.closed_form import ball

    while bits <= most:
        with precision(bits):
            value = ball(expr, {}).real
        if value > 0 or value < 0:
            return 1 if value > 0 else -1
        bits *= 2
    return None


def _by_real_balls(expr: sympy.Expr) -> int | None:
    """Return the sign by the rules that exist for real balls only, such as those of max, min and atan2."""
    for bits in (FIRST_BITS, MANY_BITS):
        try:
            with precision(bits):
                return sign_of_ball(enclose(expr, {}))
        except Undefined:
            return None
        except Undecided:
            continue
    return 0 if is_zero(expr) is True else None


def _has_balls(expr: sympy.Expr) -> bool:
    from theory.expressions.balls.closed_form import NotCertified, ball

    try:
        with precision(FIRST_BITS):
            ball(expr, {})
    except NotCertified:
        return False
    return True
