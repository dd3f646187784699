"""Shapes of the fields of trained networks: participation ratio, width, spectral peak; and fields aligned by centre.

A shape is measured on each network and then averaged: the mean over networks of the ratio, not the ratio of the mean.
"""

from collections.abc import Callable
from contextlib import suppress
from functools import partial

import numpy as np
from jaxtyping import Float, Int

from derivations.explore.sites import grid
from theory.moments.null_levels import flat_ratio, gaussian_ratio, one_site_ratio, sinusoid_ratio
from theory.problem import InputError, Law

RATIO, CENTRE, WIDTH = "participation ratio", "centre (site)", "width (sites)"
PEAK, LOW = "spectral peak (cycles along the sites)", "low-frequency share"
Fields = Float[np.ndarray, "*any n"]
DRAWS = 4  # of random phases for each field


def on_a_line(law: Law) -> bool:
    """Return whether the sites lie on a line or a ring, so that centres and spectra of fields are defined.

    >>> from theory.problem import SinglePulse
    >>> on_a_line(SinglePulse(8, ((2, 2), (3, 4)), "plus-minus", "sign", (1, 0)))
    True
    """
    return grid(law) is None


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

    found = {RATIO: _where_defined(fields.participation_ratio, w)}
    if on_a_line(law):
        each = {
            CENTRE: lambda field: fields.centre_and_width(field, law.boundary)[0],
            WIDTH: lambda field: fields.centre_and_width(field, law.boundary)[1],
            PEAK: lambda field: fields.spectral_peak(field)[0],
            LOW: fields.low_frequency_power,
        }
        found |= {name: _where_defined(measure, w) for name, measure in each.items()}
    return found


def _where_defined(measure: Callable[[Fields], np.ndarray], w: Fields) -> Float[np.ndarray, "*any"]:
    defined = np.isfinite(w).all(axis=-1) & (w != 0).any(axis=-1)
    found = np.full(w.shape[:-1], np.nan)
    if defined.any():
        found[defined] = measure(w[defined])
    return found


def aligned(w: Fields, centres: Float[np.ndarray, "*any"], boundary: str) -> Fields:
    """Return fields shifted by whole sites to their centre, n//2, and with the sign of their largest weight.

    Sites that an open line does not have are NaN, and so is a field without a centre.

    >>> aligned(np.array([0.0, 0.0, 1.0, -3.0]), np.array(3.0), "ring").tolist()
    [-0.0, -1.0, 3.0, -0.0]
    """
    return _shifted(w * _sign(w)[..., None], centres, boundary)


def _shifted(w: Fields, centres: Float[np.ndarray, "*any"], boundary: str) -> Fields:
    n = w.shape[-1]
    known = np.isfinite(centres)
    shift = np.round(np.where(known, centres, 0)).astype(int) - n // 2
    at = np.arange(n) + shift[..., None]
    moved = np.take_along_axis(w, np.broadcast_to(at % n, w.shape), axis=-1)
    there = known[..., None] & ((at >= 0) & (at < n) if boundary == "open" else True)
    return np.where(there, moved, np.nan)


def centred(w: Fields, law: Law) -> Fields:
    """Return fields as `aligned` does, by the centre of their power: along a line, or along both axes of a grid.

    >>> from theory.problem import NonlinearGP2D
    >>> law = NonlinearGP2D(("1/2", "1/2"), 1, "torus", "none", (1, 0), (3, 4))
    >>> corner = np.zeros(12)
    >>> corner[0] = -2
    >>> int(centred(corner, law).argmax())  # row 1, column 2
    6
    """
    from sim.measure.receptive_fields import centre_and_width

    def centres(field: Fields) -> Float[np.ndarray, "*any"]:
        return _where_defined(lambda own: centre_and_width(own, law.boundary)[0], field)

    shape = grid(law)
    if shape is None:
        return aligned(w, centres(w), law.boundary)
    on_grid = w.reshape(*w.shape[:-1], *shape)
    moved = on_grid * _sign(w)[..., None, None]
    for axis in (-1, -2):
        profile = np.sqrt((on_grid**2).sum(axis=-3 - axis))
        along = _shifted(moved.swapaxes(axis, -1), centres(profile)[..., None], law.boundary)
        moved = along.swapaxes(axis, -1)
    return moved.reshape(w.shape)


def mean_of_aligned(moved: Float[np.ndarray, "S *any n"]) -> Float[np.ndarray, "*any n"]:
    """Return the mean of aligned fields at the sites that at least half of them have; NaN at the others.

    On an open line few of the fields reach far from the centre: a mean of those alone would be of other fields.

    >>> mean_of_aligned(np.array([[1.0, 2.0, np.nan], [3.0, np.nan, np.nan], [5.0, np.nan, 6.0]])).tolist()
    [3.0, nan, nan]
    """
    there = np.isfinite(moved)
    fields = there.any(axis=-1).sum(axis=0)[..., None]
    return np.where(2 * there.sum(axis=0) >= np.maximum(fields, 1), mean_and_error(moved)[0], np.nan)


def mean_by_chance(w: Float[np.ndarray, "S *any n"], law: Law) -> Float[np.ndarray, "*any n"]:
    """Return `mean_of_aligned` for fields with the power spectra of these fields and random phases.

    Alignment alone makes a bump: each field is moved to its centre, with a positive largest weight. What the mean of
    the fields has beyond this one comes from their phases. There are DRAWS random fields for each of them, from a
    seed; the law's sites lie on a line or a ring.

    >>> from theory.problem import SinglePulse
    >>> law = SinglePulse(8, ((2, 2), (3, 4)), "plus-minus", "sign", (1, 0))
    >>> sites = np.eye(8)  # a field at one site has all waves, in phase
    >>> mean_of_aligned(centred(sites, law)).max().item(), bool(mean_by_chance(sites, law).max() < 0.9)
    (1.0, True)
    """
    n, generator = w.shape[-1], np.random.default_rng(0)
    size = np.abs(np.fft.rfft(w))
    phases = np.exp(2j * np.pi * generator.random((DRAWS, *size.shape)))
    own = np.arange(size.shape[-1])
    real = (own == 0) | (2 * own == n)  # the mean and the shortest wave of an even number of sites have a sign alone
    phases[..., real] = np.where(phases[..., real].real < 0, -1, 1)
    drawn = np.fft.irfft(size * phases, n)
    return mean_of_aligned(centred(drawn, law).reshape(-1, *w.shape[1:]))


def _sign(w: Fields) -> Float[np.ndarray, "*any"]:
    largest: Int[np.ndarray, "*any 1"] = np.abs(np.where(np.isnan(w), 0, w)).argmax(axis=-1)[..., None]
    return np.where(np.take_along_axis(w, largest, axis=-1)[..., 0] < 0, -1.0, 1.0)


def mean_and_error(
    values: Float[np.ndarray, "S *any"],
) -> tuple[Float[np.ndarray, "*any"], Float[np.ndarray, "*any"]]:
    """Return the mean over the networks that have a value, and its standard error; NaN where too few have one.

    >>> [float(number) for number in mean_and_error(np.array([1.0, 3.0, np.nan]))]
    [2.0, 1.0]
    """
    there = np.isfinite(values)
    count = there.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(there, values, 0).sum(axis=0) / count
        square = np.where(there, (values - mean) ** 2, 0).sum(axis=0) / (count - 1)
        return mean, np.sqrt(square / count)


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
    left_out = np.stack([statistic((total - own) / (count - 1)) for own in values])
    estimate = count * statistic(total / count) - (count - 1) * left_out.mean(axis=0)
    return estimate, np.sqrt((count - 1) * left_out.var(axis=0))


def ratio_of_the_mean(w: Float[np.ndarray, "S *any n"]) -> tuple[np.ndarray, np.ndarray]:
    """Return `of_the_mean` of the participation ratio: comparable with that of E w.

    >>> ratio_of_the_mean(np.array([[0.0, 2.0], [0.0, 4.0]]))[0].item()
    1.0
    """
    from sim.measure.receptive_fields import participation_ratio

    return of_the_mean(partial(_where_defined, participation_ratio), w)


def null_levels(n: int) -> dict[str, float]:
    """The ratio of fields that have not localized, and of one site alone, by name; see `theory.moments.null_levels`.

    The sinusoid has one period along the sites. On four sites its ratio depends on the phase: there it has no level.
    """
    levels = {"flat": flat_ratio(n), "random": gaussian_ratio(n), "one site": one_site_ratio()}
    with suppress(InputError):
        levels["sinusoid"] = sinusoid_ratio(n, 1)
    return {name: float(level) for name, level in sorted(levels.items(), key=lambda item: item[1])}
