"""Exact numbers of problem files: integers, decimals and strings such as "3/5" become fractions."""

import difflib
import re
from collections.abc import Callable, Iterable
from decimal import Context, Decimal
from fractions import Fraction
from math import inf
from reprlib import Repr

from theory.problem.errors import InputError

Infinite = float  # only +-inf, and only for bounds that may be infinite
_EXACT = re.compile(r"[+-]?([0-9]+(/[0-9]+)?|[0-9]*\.[0-9]+([eE][+-]?[0-9]+)?|[0-9]+\.?([eE][+-]?[0-9]+)?)")
_LARGEST_EXPONENT = 1000
_MOST_DIGITS = 400  # of numerator and denominator
# Theory and simulation square these numbers in float64, which reaches from 1e-308 to 1e308.
_SMALLEST, _LARGEST = Fraction(1, 10**100), Fraction(10**100)
_LARGEST_WHOLE = 2**63 - 1
RANGES = ("linspace", "geomspace")
_SIGNIFICANT = 6
_WIDE, _ROUND = Context(prec=60), Context(prec=_SIGNIFICANT)


class _Short(Repr):
    def __init__(self) -> None:
        super().__init__()
        self.maxstring = self.maxother = self.maxlong = 60

    def repr_Decimal(self, value: object, level: int) -> str:  # a file's 2.0 is quoted as 2.0, and its date as a date
        del level
        return str(value)

    repr_Fraction = repr_date = repr_datetime = repr_time = repr_Decimal


_SHORT = _Short()


def shown(value: object) -> str:
    """Return `value` as a file has it, shortened where it is long or deeply nested, for error messages.

    >>> shown("x" * 1000)
    "'xxxxxxxxxxxxxxxxxxxxxxxxxxx...xxxxxxxxxxxxxxxxxxxxxxxxxxxx'"
    >>> shown([Fraction(1, 2), Decimal("2.0")])
    '[1/2, 2.0]'
    """
    return _SHORT.repr(value)


def exact(value: object, where: str) -> Fraction:
    """Return the finite number `value` as an exact fraction; `where` names it in errors.

    >>> exact("3/5", "gain") == exact(Decimal("0.6"), "gain")
    True
    """
    number = exact_or_infinite(value, where)
    if isinstance(number, float):
        raise InputError(f"{where} = {value} is not finite.", "Give a finite number.")
    return number


def exact_or_infinite(value: object, where: str) -> Fraction | Infinite:
    """Return `value` as `exact` does, or +-inf as a float; `where` names it in errors. Raises InputError likewise.

    >>> exact_or_infinite("-inf", "lo"), exact_or_infinite("1/3", "hi")
    (-inf, Fraction(1, 3))
    """
    number = _number(value, where)
    if isinstance(number, float):
        return number
    if number and not _SMALLEST <= abs(number) <= _LARGEST:
        raise InputError(
            f"{where} = {shown(value)} is out of range: its square does not fit a float64.",
            "Rescale the problem: a size is 0 or between 1e-100 and 1e100.",
        )
    if max(abs(number.numerator), number.denominator) >= 10**_MOST_DIGITS:
        raise InputError(
            f"{where} = {shown(value)} has more than {_MOST_DIGITS} digits.",
            "Round it: a float64 holds 17.",
        )
    return number


def _number(value: object, where: str) -> Fraction | Infinite:
    if isinstance(value, Fraction):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal):
        raise InputError(
            f"{where} = {shown(value)} is not a number.",
            'Give a number, or an exact fraction as a string such as "3/5".',
        )
    if isinstance(value, int):
        return Fraction(value)
    text = str(value).strip()
    if text.lower().lstrip("+-") in {"inf", "infinity"}:
        return -inf if text.startswith("-") else inf
    if len(text) > 3 * _MOST_DIGITS or not _EXACT.fullmatch(text):
        raise InputError(
            f"{where} = {shown(text)} is not a number.",
            'Write an integer, a decimal such as 0.25, or a fraction as a string such as "3/5".',
        )
    exponent = re.search(r"[eE]([+-]?[0-9]+)$", text)
    if exponent and abs(int(exponent.group(1))) > _LARGEST_EXPONENT:
        raise InputError(
            f"{where} = {shown(text)}: the exponent is larger than {_LARGEST_EXPONENT}.", "Rescale the problem."
        )
    try:
        return Fraction(text)
    except ZeroDivisionError:
        raise InputError(f"{where} = {shown(text)} divides by zero.", "Give a finite number.") from None


def positive(value: object, where: str, why: str) -> Fraction:
    """Return an exact number > 0; `why` is the reason for the condition. Raises InputError for any other value.

    >>> positive("0.25", "xi", "it is a length")
    Fraction(1, 4)
    >>> positive(0, "xi", "it is a length")
    Traceback (most recent call last):
    ...
    theory.problem.errors.InputError: xi = 0 must be > 0: it is a length. Give a positive xi.
    """
    number = exact(value, where)
    if number <= 0:
        raise InputError(f"{where} = {number} must be > 0: {why}.", f"Give a positive {where.split('.')[-1]}.")
    return number


def whole(
    value: object,
    where: str,
    least: int,
    most: int = _LARGEST_WHOLE,
    why: str | Callable[[int], str] = "it is too large",
) -> int:
    """Return an integer from `least` to `most`; `why` is the reason for the upper bound. Raises InputError otherwise.

    A reason that depends on the value is a function of it.

    >>> whole(40, "data.n", least=2)
    40
    >>> whole(1, "data.n", least=2)
    Traceback (most recent call last):
    ...
    theory.problem.errors.InputError: data.n = 1 must be at least 2. Give an integer >= 2.
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputError(f"{where} = {shown(value)} is not a whole number.", f"Give an integer >= {least}.")
    if value < least:
        raise InputError(f"{where} = {shown(value)} must be at least {least}.", f"Give an integer >= {least}.")
    if value > most:
        reason = why if isinstance(why, str) else why(value)
        raise InputError(f"{where} = {shown(value)} is more than {most}: {reason}.", f"Give an integer <= {most}.")
    return value


def memory_of_square(n: int) -> str:
    """Return in words how much memory n x n numbers in float64 take: 8 n^2 bytes.

    >>> memory_of_square(20_000), memory_of_square(10**300)
    ('3.2 GB', 'more than 8,000,000,000 GB')
    """
    most = 10**9
    return f"{8 * n**2 / 1e9:,.1f} GB" if n <= most else f"more than {8 * most**2 // 10**9:,} GB"


def spaced(kind: str, words: object, where: str, most: int, why: str) -> list[Fraction]:
    """Return the numbers of { linspace = [first, last, count] } or { geomspace = ... }; `where` names them in errors.

    Inner numbers of a geomspace are rounded to 6 significant digits; the rounded decimal is then exact. `most` bounds
    the count, for the reason `why`.

    >>> [str(number) for number in spaced("geomspace", [1, 100, 3], "gain", 10, "")]
    ['1', '10', '100']
    """
    if not isinstance(words, list) or len(words) != 3:
        raise InputError(f"{where} = {shown(words)} must be [first, last, number of values].", "Give these three.")
    first, last = (exact(word, f"{where}[{index}]") for index, word in enumerate(words[:2]))
    points = whole(words[2], f"{where}[2]", least=2, most=most, why=why)
    if first == last:
        raise InputError(f"{where} begins and ends at {shown(str(first))}.", "Give two different ends.")
    shares = [Fraction(i, points - 1) for i in range(points)]
    if kind == "linspace":
        return [first + (last - first) * share for share in shares]
    if first <= 0 or last <= 0:
        raise InputError(f"{where} needs ends > 0: its values have a constant ratio.", "Use linspace.")
    return [first, *(_between(first, last, share) for share in shares[1:-1]), last]


def _between(first: Fraction, last: Fraction, share: Fraction) -> Fraction:
    """first (last/first)^share to 6 significant digits."""
    start, ratio, power = (
        _WIDE.divide(Decimal(f.numerator), Decimal(f.denominator)) for f in (first, last / first, share)
    )
    return Fraction(_ROUND.plus(_WIDE.multiply(start, _WIDE.power(ratio, power))))


def one_of(value: object, where: str, choices: Iterable[str], otherwise: str = "") -> str:
    """Return `value` if it is in `choices`. Raises InputError for any other value, with the nearest word as a hint.

    `otherwise` ends the hint with another remedy.

    >>> one_of("oppen", "data.boundary", ("open", "ring"))
    Traceback (most recent call last):
    ...
    theory.problem.errors.InputError: data.boundary = 'oppen' is not known. ...
    """
    known = tuple(choices)
    if not isinstance(value, str) or value not in known:
        raise InputError(
            f"{where} = {shown(value)} is not known.",
            f"{nearest(value, known)}Choose one of: {', '.join(known)}. {otherwise}".rstrip(),
        )
    return value


def nearest(word: object, known: Iterable[str]) -> str:
    """Return the beginning of a hint with the known word closest to `word`, or an empty string if none is close.

    Initials count as close.

    >>> nearest("nglp", ["nlgp", "gaussian-clone"]), nearest("lr", ["learning_rate"])
    ('Did you mean `nlgp`? ', 'Did you mean `learning_rate`? ')
    """
    words = tuple(known)
    close = difflib.get_close_matches(word[:60], words, n=1) if isinstance(word, str) else []
    close = close or [one for one in words if "_" in one and "".join(part[:1] for part in one.split("_")) == word]
    return f"Did you mean `{close[0]}`? " if close else ""
