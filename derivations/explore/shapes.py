"""Shapes of the fields of trained networks: participation ratio, width, spectral peak.

A shape is measured on each network and then averaged: the mean over networks of the ratio, not the ratio of the mean.
"""

from collections.abc import Callable
from contextlib import suppress
from functools import partial

import numpy as np
from jaxtyping import Float

from derivations.statistics.alignment import Fields, on_a_line, where_defined
from derivations.statistics.locality import TIMES
from theory.moments.null_levels import flat_ratio, gaussian_ratio, one_site_ratio, sinusoid_ratio
from theory.problem import InputError, Law

RATIO, CENTRE, WIDTH = "participation ratio", "centre (site)", "width (sites)"
PEAK, LOW = "spectral peak (cycles along the sites)", "low-frequency share"


def shapes(w: Fields, law: Law) -> dict[str, Float[np.ndarray, "*any"]]:
    """Return each quantity of each field, along the last axis; NaN where it is undefined, as for a field of zeros.

    On a grid the participation ratio alone.

    >>> from theory.problem import SinglePulse
    >>> law = SinglePulse(4, ((1, 1), (2, 2)), "plus-minus", "sign", (1, 0))
    >>> found = shapes(np.array([0.0, 1.0, -1.0, 0.0]), law)
    >>> found[RATIO].item(), found[PEAK].item(), round(found[LOW].item(), 12)
    (0.5, 1.0, 0.5)
    """
    from sim.measure import receptive_fields as fields  # torch is loaded where networks are trained, not before

    measured = {RATIO: where_defined(fields.participation_ratio, w)}
    if on_a_line(law):
        each = {
            CENTRE: lambda field: fields.centre_and_width(field, law.boundary)[0],
            WIDTH: lambda field: fields.centre_and_width(field, law.boundary)[1],
            PEAK: lambda field: fields.spectral_peak(field)[0],
            LOW: fields.low_frequency_power,
        }
        measured |= {name: where_defined(measure, w) for name, measure in each.items()}
    return measured


def of_the_mean(
    statistic: Callable[[Float[np.ndarray, "..."]], Float[np.ndarray, "*any"]], values: Float[np.ndarray, "S ..."]
) -> tuple[Float[np.ndarray, "*any"], Float[np.ndarray, "*any"]]:
    """Return a statistic of the mean over S networks, without its bias of order 1/S, and its jackknife's error.

    The square of the mean of independent numbers exceeds that of their expectation by Var/S; the estimate does not:

    >>> values = np.array([1.0, 3.0])
    >>> [float(number) for number in of_the_mean(np.square, values)]  # 2^2 - 2/2
    [3.0, 4.0]
    """
    count = len(values)
    total = values.sum(axis=0)
    left_out = np.stack([statistic((total - value) / (count - 1)) for value in values])
    estimate = count * statistic(total / count) - (count - 1) * left_out.mean(axis=0)
    return estimate, np.sqrt((count - 1) * left_out.var(axis=0))


def ratio_of_the_mean(w: Float[np.ndarray, "S *any n"]) -> tuple[np.ndarray, np.ndarray]:
    """Return `of_the_mean` of the participation ratio: comparable with that of E w.

    >>> ratio_of_the_mean(np.array([[0.0, 2.0], [0.0, 4.0]]))[0].item()
    1.0
    """
    from sim.measure.receptive_fields import participation_ratio

    return of_the_mean(partial(where_defined, participation_ratio), w)


def null_levels(n: int) -> dict[str, float]:
    """The ratio of fields that are not local, twice the random one, above which they are, and of one site, by name.

    See `theory.moments.null_levels` and `derivations.statistics.locality`. The sinusoid has one period along the sites.
    On four sites its ratio depends on the phase: there it has no level.
    """
    levels = {"flat": flat_ratio(n), "random": gaussian_ratio(n), "one site": one_site_ratio()}
    levels["local"] = TIMES * gaussian_ratio(n)
    with suppress(InputError):
        levels["sinusoid"] = sinusoid_ratio(n, 1)
    return {name: float(level) for name, level in sorted(levels.items(), key=lambda item: item[1])}
