"""The figure of the data view."""

import numpy as np
from matplotlib.axes import Axes

from derivations.explore.data import SHOWN, DataSample, DataTheory, histogram
from derivations.explore.figures.axes import COLOURS, DASHES, canvas, image, label, legend, marks, on_grid, style
from derivations.explore.figures.sheets import Sheet
from derivations.explore.sites import grid, middle, through

_APART = 0.08  # of the two classes at one value of x


def data_figure(theory: DataTheory, sample: DataSample | None) -> Sheet:
    """Covariance of the first two classes; of every class its middle row, eigenvalues, marginal, and examples."""
    figure = canvas(11.2, 5.6, 2, 3)
    axes = figure.grid
    law, site = theory.law, middle(theory.law)
    shape = grid(law)
    limit = float(np.abs(theory.covariance).max())
    for c in range(2):
        if c >= law.classes:
            axes[0][c].set_axis_off()
        elif shape is None:
            label(axes[0][c], f"covariance, class {c}, exact (units of x²)", "site l", "site k")
            image(axes[0][c], theory.covariance[c], limit, scale=c == min(law.classes, 2) - 1)
        else:
            title = f"covariance with site {site}, class {c}, exact (units of x²)"
            on_grid(axes[0][c], title, theory.covariance[c, site], shape, limit, scale=c == min(law.classes, 2) - 1)
    _rows(axes[0][2], theory, sample, site)
    _spectra(axes[1][0], theory, sample)
    _marginals(axes[1][1], theory, sample)
    if sample is not None:
        _examples(axes[1][2], sample, shape)
    else:
        axes[1][2].set_axis_off()
    return figure


def _rows(axis: Axes, theory: DataTheory, sample: DataSample | None, site: int) -> None:
    shape = grid(theory.law)
    kept = slice(None) if shape is None else through(site, shape)
    sites = np.arange(theory.law.n if shape is None else shape[1])
    for c in range(theory.law.classes):
        if sample is not None:
            axis.plot(sites, sample.covariance[c, site, kept], **marks(c, len(sites)), label=f"class {c}, sampled")
        axis.plot(sites, theory.covariance[c, site, kept], **style(c), label=f"class {c}, exact")
    along = "" if shape is None else f", along its row {site // shape[1]}"
    label(axis, f"covariance with site {site}{along}", "site k" if shape is None else "column", "Cov, units of x²")
    legend(axis)


def _spectra(axis: Axes, theory: DataTheory, sample: DataSample | None) -> None:
    """On a linear axis of the logarithm: matplotlib's own logarithmic axes take a third of a figure's time."""
    rank = np.arange(1, theory.law.n + 1)
    # The eigensolver's rounding: what lies below it is drawn nowhere.
    floor = theory.law.n * np.finfo(float).eps * float(theory.spectrum.max())
    for c in range(theory.law.classes):
        if sample is not None:
            axis.plot(rank, _logarithm(sample.spectrum[c], floor), **marks(c, len(rank)))
        axis.plot(rank, _logarithm(theory.spectrum[c], floor), **style(c))
    label(axis, "spectrum of the covariance", "rank of the eigenvalue", "log₁₀ eigenvalue (units of x²)")


def _logarithm(values: np.ndarray, floor: float) -> np.ndarray:
    """log10 where a value is above the floor, NaN elsewhere: a gap in the curve."""
    return np.log10(np.where(values > floor, values, np.nan))


def _marginals(axis: Axes, theory: DataTheory, sample: DataSample | None) -> None:
    for c in range(theory.law.classes):
        x, p = theory.marginal[c]
        if theory.discrete:
            at = x + (c - (theory.law.classes - 1) / 2) * _APART  # beside each other
            axis.vlines(at, 0, p, color=COLOURS[c], lw=2, ls=DASHES[c])
            if sample is not None:
                found = [float((sample.x[c] == value).mean()) for value in x]
                axis.plot(at, found, **{**marks(c, len(x)), "ms": 7})
            continue
        if sample is not None:
            axis.plot((x[1:] + x[:-1]) / 2, histogram(sample.x[c], x), **marks(c, len(p)))
        axis.stairs(p, x, **style(c))
    axis.set_ylim(bottom=0)
    shown_too = "" if sample is None else " and sampled"
    title = "marginal of one site" if theory.discrete else f"marginal of one site, exact{shown_too}: means over bins"
    label(axis, title, "x", "probability" if theory.discrete else "probability of a bin / its width")


def _examples(axis: Axes, sample: DataSample, shape: tuple[int, int] | None) -> None:
    """A few examples of each class: shifted curves, or tiles where the sites form a grid."""
    drawn = [x[:SHOWN] for x in sample.x]
    if shape is not None:
        tiles = [np.concatenate([_framed(row.reshape(shape)) for row in x], axis=1) for x in drawn]
        image(axis, np.concatenate(tiles), max(float(np.abs(x).max()) for x in drawn), scale=False)
        label(axis, "examples, class 0 above", "column", "row")
        axis.set(xticks=[], yticks=[])
        return
    shift = 1.15 * max(float(np.ptp(x)) for x in drawn)
    for c, x in enumerate(drawn):
        for index, example in enumerate(x):
            axis.plot(example + (c * SHOWN + index) * shift, **{**style(c), "lw": 0.9})
    label(axis, f"{SHOWN} examples of each class, shifted", "site", "x, class 0 below")
    axis.set_yticks([])


def _framed(tile: np.ndarray) -> np.ndarray:
    return np.pad(tile, 1, constant_values=np.nan)
