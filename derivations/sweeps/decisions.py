"""The decisions of a refinement: Student's interval of a mean over networks, compared with a bound exactly.

Numbers of networks are float64 and so fractions; all sums and comparisons below are of fractions, and the quantile is a
decimal. A decision therefore depends on nothing but the numbers: not on the order of sums, the processor or a library.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import ceil, fsum, isfinite, sqrt

Values = Sequence[float]  # one for each network, nan where it diverged
_PLACES = 10**6


@lru_cache(maxsize=4096)
def quantile(freedom: int, confidence: Fraction) -> Fraction:
    """Return q with P(|t| <= q) = confidence for Student's t, rounded up to six decimals.

    >>> float(quantile(9, Fraction(99, 100)))
    3.249836
    """
    from scipy.special import stdtrit  # a plain sweep needs none

    reach = -float(stdtrit(freedom, float((1 - confidence) / 2)))
    return Fraction(ceil(reach * _PLACES), _PLACES)


def kept(values: Values) -> list[float]:
    """Return the numbers of the networks that did not diverge.

    >>> kept((1.0, float("nan"), 2.0))
    [1.0, 2.0]
    """
    return [value for value in values if isfinite(value)]


def moments(numbers: Sequence[float], less: Sequence[float] | None = None) -> tuple[Fraction, Fraction]:
    """Return the mean and the variance (n - 1 in its denominator) of at least two numbers, exactly.

    With `less`, they are those of the differences of the numbers at equal places.

    >>> moments([1.0, 2.0, 6.0])
    (Fraction(3, 1), Fraction(7, 1))
    """
    zeros = [0.0] * len(numbers) if less is None else less
    ratios = [value.as_integer_ratio() for value in (*numbers, *zeros)]
    scale = max(below for _, below in ratios)  # of powers of two: a multiple of all
    whole = [above * (scale // below) for above, below in ratios]
    count = len(numbers)
    differences = [first - second for first, second in zip(whole[:count], whole[count:], strict=True)]
    total = sum(differences)
    squares = sum((count * each - total) ** 2 for each in differences)
    return Fraction(total, count * scale), Fraction(squares, (count * scale) ** 2 * (count - 1))


def changes(first: Values, second: Values, step: Fraction, confidence: Fraction) -> bool:
    """Whether the networks show that the means at two points differ by more than `step`.

    Their differences are taken network by network, because networks of one number see the same random numbers at both
    points. With d their mean, s their standard deviation and n their number, the answer is |d| - q s/sqrt(n) > step, q
    the quantile with n - 1 degrees of freedom. Where the true difference is `step` or less, |d| exceeds its distance
    from the true one by at most `step`, so that normal differences give a wrong "yes" with probability 1 - confidence
    at most. False where fewer than two networks of both points did not diverge.

    >>> changes((0.0, 0.1, 0.0), (1.0, 1.1, 0.9), Fraction(1, 10), Fraction(99, 100))
    True
    """
    pairs = [pair for pair in zip(first, second, strict=False) if all(map(isfinite, pair))]
    count = len(pairs)
    if count < 2:
        return False
    mean, variance = moments(*zip(*pairs, strict=True))
    excess = abs(mean) - step
    return excess > 0 and excess**2 * count > quantile(count - 1, confidence) ** 2 * variance


def networks_needed(pilot: Values, half_width: Fraction, confidence: Fraction) -> int | None:
    """Return the number of networks of Stein's two-stage rule, those of the pilot included.

    With s the standard deviation of the n0 networks of the pilot and q the quantile with n0 - 1 degrees of freedom it
    is N = max(n0, ceil(q^2 s^2/half_width^2)). N depends on the pilot by s alone, and s is independent of the mean of
    normal numbers; so sqrt(N) (mean of all N - true mean)/s is Student's t, and the interval mean +- q s/sqrt(N) holds
    the true mean with probability `confidence`, exactly, and has at most the half width asked for (Stein, Annals of
    Mathematical Statistics 16, 243, 1945). None where fewer than two networks of the pilot did not diverge.

    >>> networks_needed((0.0, 2.0, 4.0), Fraction(1), Fraction(95, 100))
    75
    """
    numbers = kept(pilot)
    if len(numbers) < 2:
        return None
    _, variance = moments(numbers)
    return max(len(numbers), ceil(quantile(len(numbers) - 1, confidence) ** 2 * variance / half_width**2))


def interval(pilot: Values, values: Values, confidence: Fraction) -> tuple[float, float] | None:
    """Return the mean of all networks, those of the pilot included, and the half width q s/sqrt(N) of Stein's interval.

    None where fewer than two networks of the pilot did not diverge.

    >>> mean, half_width = interval((0.0, 2.0), (0.0, 2.0, 1.0, 1.0), Fraction(1, 2))
    >>> mean, round(half_width, 4)
    (1.0, 0.7071)
    """
    first, numbers = kept(pilot), kept(values)
    if len(first) < 2:
        return None
    _, variance = moments(first)
    reach = quantile(len(first) - 1, confidence)
    return fsum(numbers) / len(numbers), float(reach) * sqrt(variance / len(numbers))
