"""Fields of trained networks moved to their centre, with a positive largest weight, and means over networks.

Networks put their fields at different sites and with different signs, so that the mean at one site is the mean of
different parts of fields. Alignment alone makes a bump of any field; `random_phases` shows how much of one.
"""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float, Int

from theory.problem import Law

DRAWS = 4  # of random phases for each field
Fields = Float[np.ndarray, "*any n"]


def sides(law: Law) -> tuple[int, ...]:
    """Return the sites along each axis: n along a line or a ring, rows and columns of a grid."""
    return getattr(law, "shape", None) or (law.n,)


def middle(law: Law) -> int:
    """Return the middle site: of a grid that of the middle row and column."""
    shape = sides(law)
    return int(np.ravel_multi_index(tuple(side // 2 for side in shape), shape))


def on_a_line(law: Law) -> bool:
    """Return whether the sites lie on a line or a ring, so that centres and spectra of fields are defined.

    >>> from theory.problem import SinglePulse
    >>> on_a_line(SinglePulse(8, ((2, 2), (3, 4)), "plus-minus", "sign", (1, 0)))
    True
    """
    return len(sides(law)) == 1


def where_defined(measure: Callable[[Fields], np.ndarray], w: Fields) -> Float[np.ndarray, "*any"]:
    """Return a measure of each field along the last axis; NaN for one of zeros, and one that is not finite."""
    defined = np.isfinite(w).all(axis=-1) & (w != 0).any(axis=-1)
    values = np.full(w.shape[:-1], np.nan)
    if defined.any():
        values[defined] = measure(w[defined])
    return values


def centres(w: Fields, law: Law) -> Float[np.ndarray, "*any axes"]:
    """Return the centre of each field's power in sites, as `centre_and_width`: along a line, or row and column.

    NaN where it is undefined, as for a field of zeros.

    >>> from theory.problem import NonlinearGP
    >>> centres(np.array([0.0, 1.0, -1.0, 0.0]), NonlinearGP(4, (2, 1), 1, "open", "none", (1, 0))).tolist()
    [1.5]
    """
    from sim.measure.receptive_fields import centre_and_width  # it loads torch

    shape = sides(law)
    profiles = [w]
    if len(shape) > 1:
        power = w.reshape(*w.shape[:-1], *shape) ** 2
        profiles = [np.sqrt(power.sum(axis=-1 - axis)) for axis in range(2)]
    return np.stack(
        [where_defined(lambda field: centre_and_width(field, law.boundary)[0], profile) for profile in profiles],
        axis=-1,
    )


def centred(w: Fields, law: Law) -> Fields:
    """Return fields shifted by whole sites to their centre, n//2, and with the sign of their largest weight.

    On a grid they are shifted along both axes. Sites that an open line does not have are NaN, and so is a field without
    a centre.

    >>> from theory.problem import NonlinearGP, NonlinearGP2D
    >>> ring = NonlinearGP(4, ("1/2", "1/2"), 1, "ring", "none", (1, 0))
    >>> centred(np.array([-1.0, 0.0, -1.0, -3.0]), ring).tolist()
    [-0.0, 1.0, 3.0, 1.0]
    >>> law = NonlinearGP2D(("1/2", "1/2"), 1, "torus", "none", (1, 0), (3, 4))
    >>> corner = np.zeros(12)
    >>> corner[0] = -2
    >>> int(centred(corner, law).argmax())  # row 1, column 2
    6
    """
    shape, middle = sides(law), centres(w, law)
    moved = (w * signs(w)[..., None]).reshape(*w.shape[:-1], *shape)
    for axis in range(len(shape)):
        along = moved.swapaxes(axis - len(shape), -1)
        place = middle[..., axis].reshape(w.shape[:-1] + (1,) * (len(shape) - 1))
        moved = _shifted(along, place, law.boundary).swapaxes(axis - len(shape), -1)
    return moved.reshape(w.shape)


def _shifted(w: Float[np.ndarray, "*#any n"], places: Float[np.ndarray, "*#any"], boundary: str) -> Fields:
    n = w.shape[-1]
    known = np.isfinite(places)
    shift = np.round(np.where(known, places, 0)).astype(int) - n // 2
    at = np.arange(n) + shift[..., None]
    moved = np.take_along_axis(w, np.broadcast_to(at % n, w.shape), axis=-1)
    inside = known[..., None] & ((at >= 0) & (at < n) if boundary == "open" else True)
    return np.where(inside, moved, np.nan)


def signs(w: Fields) -> Float[np.ndarray, "*any"]:
    """Return the sign of each field's largest weight, 1 or -1."""
    largest: Int[np.ndarray, "*any 1"] = np.abs(np.where(np.isnan(w), 0, w)).argmax(axis=-1)[..., None]
    return np.where(np.take_along_axis(w, largest, axis=-1)[..., 0] < 0, -1.0, 1.0)


def mean_of_aligned(moved: Float[np.ndarray, "S *any n"]) -> Float[np.ndarray, "*any n"]:
    """Return the mean of aligned fields at the sites that at least half of them have; NaN at the others.

    On an open line few of the fields reach far from the centre: a mean of those alone would be of other fields.

    >>> mean_of_aligned(np.array([[1.0, 2.0, np.nan], [3.0, np.nan, np.nan], [5.0, np.nan, 6.0]])).tolist()
    [3.0, nan, nan]
    """
    known = np.isfinite(moved)
    fields = known.any(axis=-1).sum(axis=0)[..., None]
    return np.where(2 * known.sum(axis=0) >= np.maximum(fields, 1), mean_and_error(moved)[0], np.nan)


def mean_by_chance(w: Float[np.ndarray, "S *any n"], law: Law) -> Float[np.ndarray, "*any n"]:
    """Return `mean_of_aligned` for `random_phases` of these fields, on a line or a ring.

    What the mean of the fields has beyond this one comes from their phases.

    >>> from theory.problem import SinglePulse
    >>> law = SinglePulse(8, ((2, 2), (3, 4)), "plus-minus", "sign", (1, 0))
    >>> sites = np.eye(8)  # a field at one site has all waves, in phase
    >>> mean_of_aligned(centred(sites, law)).max().item(), bool(mean_by_chance(sites, law).max() < 0.9)
    (1.0, True)
    """
    return mean_of_aligned(centred(random_phases(w), law).reshape(-1, *w.shape[1:]))


def random_phases(w: Fields) -> Float[np.ndarray, "draws *any n"]:
    """Return DRAWS fields with the power spectrum of each of these along a line, and random phases from a seed."""
    n, generator = w.shape[-1], np.random.default_rng(0)
    size = np.abs(np.fft.rfft(w))
    phases = np.exp(2j * np.pi * generator.random((DRAWS, *size.shape)))
    q = np.arange(size.shape[-1])
    real = (q == 0) | (2 * q == n)  # the mean and the shortest wave of an even number of sites have a sign alone
    phases[..., real] = np.where(phases[..., real].real < 0, -1, 1)
    return np.fft.irfft(size * phases, n)


def mean_and_error(
    values: Float[np.ndarray, "S *any"],
) -> tuple[Float[np.ndarray, "*any"], Float[np.ndarray, "*any"]]:
    """Return the mean over the networks that have a value, and its standard error; NaN where too few have one.

    >>> [float(number) for number in mean_and_error(np.array([1.0, 3.0, np.nan]))]
    [2.0, 1.0]
    """
    known = np.isfinite(values)
    count = known.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(known, values, 0).sum(axis=0) / count
        square = np.where(known, (values - mean) ** 2, 0).sum(axis=0) / (count - 1)
        return mean, np.sqrt(square / count)
