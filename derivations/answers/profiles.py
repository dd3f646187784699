"""Fields in words: the peak of each unit and its neighbours, and numbers with their standard errors."""

from collections.abc import Iterator
from math import floor, isfinite, log10
from typing import Any

import numpy as np

from theory.flow.linear.estimated import Uncertainty
from theory.problem import Law

_MOST_PLACES = 12
_REACH = 3  # sites shown on each side of a unit's peak
_ALIKE = 1e-9  # relative; the sizes at mirror images of a site differ by rounding only


def profiles(fixed_point: np.ndarray, law: Law, known: Uncertainty | None = None) -> Iterator[str]:
    """Yield a line for each unit, (K, n), or for each unit and output where labels are vectors, (K, m, n).

    With `known` errors a field is rounded to them, and one that its estimate does not identify is not shown.
    """
    for place in np.ndindex(fixed_point.shape[:-1]):
        name = f"unit {place[0]}" + (f", output {place[1]}" if len(place) > 1 else "")
        if known is None:
            yield _profile(name, fixed_point[place], law)
        elif known.identified[place]:
            yield _profile(name, fixed_point[place], law, known.errors["fixed_point"][place])
        else:
            yield f"  {name}: not identified by these examples; --json has the numbers and their standard errors"


def _profile(name: str, row: np.ndarray, law: Law, errors: np.ndarray | None = None) -> str:
    """A unit's peak and its neighbours; seven sites of a profile show whether it is a bump or an oscillation.

    On a grid the neighbours are those in the row of the peak.
    """
    sizes = abs(row.astype(float))
    peak, n = peak_of(row), getattr(law, "axes", (law.n,))[-1]
    line, here = divmod(peak, n)
    if law.boundary != "open":
        width = min(n, 2 * _REACH + 1)
        sites = [(here - width // 2 + offset) % n for offset in range(width)]
    else:
        sites = list(range(max(0, here - _REACH), min(n, here + _REACH + 1)))
    largest = sizes[peak]
    values = row[[line * n + site for site in sites]]
    if errors is None:
        around = "  ".join(f"{float(x):.4f}" if largest < 1000 else f"{float(x):.4g}" for x in values)
    else:
        around = "  ".join(_rounded(float(x), float(errors.max())) for x in values)
    where = f"{sites[0]}-{sites[-1]}" + (" across the end of the ring" if sites[0] > sites[-1] else "")
    top = shown(row[peak]) if errors is None else with_error(row[peak], errors[peak])
    if len(row) > n:
        return f"  {name}: {top} at row {line}, column {here}; columns {where}: {around}"
    return f"  {name}: {top} at site {peak}; sites {where}: {around}"


def peak_of(row: np.ndarray) -> int:
    """Return the site of the largest size, the first of those that are equal up to rounding.

    >>> peak_of(np.array([0.0, 1 - 1e-15, -1.0]))
    1
    """
    sizes = abs(row.astype(float))
    return int(np.argmax(sizes >= (1 - _ALIKE) * sizes.max()))


def shown(number: Any, digits: int = 10) -> str:
    """Decimal strings as they are, float64 to `digits` significant digits.

    >>> shown("0.50000000000000000000"), shown(2 / 3, 4)
    ('0.50000000000000000000', '0.6667')
    """
    return number if isinstance(number, str) else f"{number:.{digits}g}"


def with_error(value: float, error: float) -> str:
    """Return a number with its standard error, both to the second digit of the error.

    >>> with_error(0.569092, 0.00226), with_error(1234.5, 67.8), with_error(0.5, 0.0)
    ('0.5691 (0.0023)', '1234 (68)', '0.5 (0)')
    """
    return f"{_rounded(value, error)} ({error:.2g})"


def _rounded(value: float, error: float) -> str:
    """Return a number to the second digit of its error, and to at most 12 digits."""
    places = 1 - floor(log10(error)) if error and isfinite(error) else _MOST_PLACES
    return f"{value:.{max(0, places)}f}" if places < _MOST_PLACES else f"{value:.{_MOST_PLACES}g}"
