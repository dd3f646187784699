"""Fields that differ in place and sign: statistics of each network, and means over networks after alignment."""

from warnings import catch_warnings, simplefilter

import numpy as np
from jaxtyping import Float

from derivations.output import columns
from derivations.statistics.alignment import centred, centres, mean_and_error, mean_of_aligned, sides, where_defined
from theory.problem import Law

LARGEST, CENTRE, WIDTH = "largest", "centre", "width"
_HEADS = {LARGEST: "largest |w|", CENTRE: "centre (site)", WIDTH: "width (sites)"}
_UNITS = 12  # units listed; --json has them all


def statistics(w: Float[np.ndarray, "S *units n"], law: Law) -> dict[str, Float[np.ndarray, "S *units"]]:
    """Return of each field its largest |w_j|, its centre and, along a line, its width, both in sites.

    On a grid the centre is a row and a column. NaN where a quantity is undefined, as for a field of zeros.
    """
    places = np.moveaxis(centres(w, law), -1, 0)
    measures = {LARGEST: where_defined(lambda field: np.abs(field).max(axis=-1), w)}
    if len(places) > 1:
        return measures | {"row": places[0], "column": places[1]}

    from sim.measure.receptive_fields import centre_and_width

    width = where_defined(lambda field: centre_and_width(field, law.boundary)[1], w)
    return measures | {CENTRE: places[0], WIDTH: width}


def quartiles(w: Float[np.ndarray, "S *units n"], law: Law) -> dict[str, Float[np.ndarray, "3 *units"]]:
    """Return the quartiles over networks (25, 50, 75 %) of `statistics`; NaN where no network has a value.

    A ring has no first site: centres are counted from their mean direction, and the quartiles are sites again.

    >>> from theory.problem import NonlinearGP
    >>> ring = NonlinearGP(8, ("1/2", "1/2"), 1, "ring", "none", (1, 0))
    >>> quartiles(np.eye(8)[[7, 0, 1]], ring)[CENTRE].round(6).tolist()
    [7.5, 0.0, 0.5]
    """
    measures = {}
    rings = dict(zip(("row", "column"), sides(law), strict=True)) if len(sides(law)) > 1 else {CENTRE: law.n}
    with catch_warnings():
        simplefilter("ignore", RuntimeWarning)  # of units without any value
        for name, values in statistics(w, law).items():
            n = rings.get(name) if law.boundary != "open" else None
            if n is None:
                measures[name] = np.nanquantile(values, (0.25, 0.5, 0.75), axis=0)
                continue
            first = n / (2 * np.pi) * np.angle(np.nanmean(np.exp(2j * np.pi * values / n), axis=0)) - n / 2
            measures[name] = np.mod(np.nanquantile(np.mod(values - first, n), (0.25, 0.5, 0.75), axis=0) + first, n)
    return measures


def aligned(
    w: Float[np.ndarray, "S *units n"], law: Law
) -> tuple[Float[np.ndarray, "*units n"], Float[np.ndarray, "*units n"]]:
    """Return the mean over networks of the fields moved to their centre, with its standard error; see `centred`."""
    moved = centred(w, law)
    mean = mean_of_aligned(moved)
    return mean, np.where(np.isfinite(mean), mean_and_error(moved)[1], np.nan)


def table(w: Float[np.ndarray, "S *units n"], law: Law, together: bool) -> list[str]:
    """Return lines with the median and quartiles over networks, for each unit or of all units `together`."""
    units = w.shape[1:-1]
    measures = quartiles(w.reshape(-1, 1, w.shape[-1]) if together else w, law)
    places = [(0,)] if together else list(np.ndindex(*units))
    rows = [("", *(_HEADS.get(name, name) for name in measures))]
    for place in places[:_UNITS]:
        name = f"unit {place[0]}" + "".join(f", output {output}" for output in place[1:])
        numbers = (_shown(*values[(slice(None), *place)]) for values in measures.values())
        rows.append((f"all {np.prod(units)} units" if together else name, *numbers))
    lines = [f"  {line}" for line in columns(rows, str.ljust)]
    return lines + ([f"  ... {len(places) - _UNITS} more; --json has them all"] if len(places) > _UNITS else [])


def _shown(low: float, middle: float, high: float) -> str:
    return f"{middle:.4g} ({low:.4g} to {high:.4g})" if np.isfinite(middle) else "undefined"


def nulls(values: Float[np.ndarray, "..."]) -> np.ndarray:
    """Return numbers with None in the place of NaN, for JSON."""
    return np.where(np.isfinite(values), values, None)
