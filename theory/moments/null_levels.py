"""The inverse participation ratio of fields without localization: exact fractions.

IPR(w) = sum_j w_j^4 / (sum_j w_j^2)^2 over n sites does not depend on the length of w.
"""

from fractions import Fraction

from theory.problem import InputError


def flat_ratio(n: int) -> Fraction:
    """1/n, the ratio of n equal squares w_j^2 = c, n c^2 / (n c)^2, hence of alternating fields too; the minimum.

    >>> flat_ratio(40)
    Fraction(1, 40)
    """
    return Fraction(1, _sites(n))


def one_site_ratio() -> Fraction:
    """1, the maximum: the ratio of a field at one site.

    >>> one_site_ratio()
    Fraction(1, 1)
    """
    return Fraction(1)


def sinusoid_ratio(n: int, q: int) -> Fraction:
    """3/(2 n), the ratio of w_j = cos(2 pi q j/n + phase) on n sites, for every phase.

    cos^2 = 1/2 + cos(2 u)/2 sums to n/2 over the sites where 2 q is no multiple of n, and cos^4 = 3/8 + cos(2 u)/2 +
    cos(4 u)/8 to 3 n/8 where 4 q is none either. Where 2 q is a multiple of n the field is flat or alternating: 1/n.
    Raises InputError where only 4 q is: the ratio is then (3 + cos(4 phase))/(2 n).

    >>> sinusoid_ratio(40, 3)
    Fraction(3, 80)
    """
    if 2 * q % _sites(n) == 0:
        return flat_ratio(n)
    if 4 * q % n == 0:
        raise InputError(
            f"The ratio of a sinusoid of frequency {q} on {n} sites depends on its phase: (3 + cos(4 phase))/(2 n).",
            "Take another frequency.",
        )
    return Fraction(3, 2 * n)


def gaussian_ratio(n: int) -> Fraction:
    """3/(n + 2), the exact mean of the ratio of n independent N(0, s^2) weights.

    u = w/|w| is uniform on the sphere and independent of |w|, so E w_j^4 = E|w|^4 E u_j^4 with E w_j^4 = 3 s^4 and
    E|w|^4 = n (n + 2) s^4: E u_j^4 = 3/(n (n + 2)), and the ratio is the sum of n of them.

    >>> gaussian_ratio(40)
    Fraction(1, 14)
    """
    return Fraction(3, _sites(n) + 2)


def gaussian_sites(ratio: Fraction | float) -> Fraction | float:
    """m = 3/IPR - 2, the number of independent Gaussian weights whose mean ratio, `gaussian_ratio`, is this one.

    Raises InputError for a ratio that is not above 0, or above 1, which no field has.

    >>> gaussian_sites(gaussian_ratio(12))
    Fraction(12, 1)
    """
    if not 0 < ratio <= one_site_ratio():
        raise InputError(f"The ratio {float(ratio):g} is that of no field.", "Give a number above 0 and at most 1.")
    return 3 / ratio - 2


def _sites(n: int) -> int:
    if n < 1:
        raise InputError(f"n = {n} sites hold no field.", "Give n >= 1.")
    return n
