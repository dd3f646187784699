"""The figure of the data view."""

import numpy as np
from matplotlib.axes import Axes

from derivations.explore.data import IMAGES, SHOWN, DataSample, DataTheory, histogram
from derivations.explore.figures.axes import canvas, image, label, legend, marks, on_grid, style
from derivations.explore.figures.sheets import Sheet
from derivations.explore.sites import grid, middle, through

_APART = 0.08  # of the two classes at one value of x


def data_figure(theory: DataTheory, sample: DataSample | None, first: int = 0) -> Sheet:
    """Covariance of class `first` and the next one; of every class its middle row, eigenvalues, marginal, and examples.

    Where the sites are not alike, the means of all sites stand in the place of the marginal of one.
    """
    figure = canvas(11.2, 5.6, 2, 3)
    axes = figure.grid
    law, site = theory.law, middle(theory.law)
    shape = grid(law)
    largest = float(np.abs(theory.covariance).max())
    limit = largest if largest > _rounding(theory) else 1.0
    drawn = range(first, min(first + IMAGES, law.classes))
    for axis, c in zip(axes[0], drawn, strict=False):
        if shape is None:
            label(axis, f"covariance, class {c}, {theory.how} (units of x²)", "site l", "site k")
            image(axis, theory.covariance[c], limit, scale=c == drawn[-1])
        else:
            title = f"covariance with site {site}, class {c}, {theory.how} (units of x²)"
            on_grid(axis, title, theory.covariance[c, site], shape, limit, scale=c == drawn[-1])
    for axis in axes[0][len(drawn) : IMAGES]:
        axis.set_axis_off()
    _rows(axes[0][2], theory, sample, site)
    _spectra(axes[1][0], theory, sample)
    if theory.marginal is None:
        _means(axes[1][1], theory, sample, site)
    else:
        _marginals(axes[1][1], theory, sample)
    if sample is not None:
        _examples(axes[1][2], sample, shape)
    else:
        axes[1][2].set_axis_off()
    return figure


def _rounding(theory: DataTheory) -> float:
    """The size of rounded zeros in the covariance: they remain where each class has a single input."""
    largest = max(float(theory.spectrum.max()), float(np.square(theory.mean).max()))
    return theory.law.n * np.finfo(float).eps * largest


def _rows(axis: Axes, theory: DataTheory, sample: DataSample | None, site: int) -> None:
    sampled = None if sample is None else sample.covariance[:, site]
    along = _along_sites(axis, theory, theory.covariance[:, site], sampled, site)
    place = "" if along is None else f", along its row {along}"
    if np.abs(theory.covariance).max() <= _rounding(theory):
        axis.set_ylim(-1, 1)
    label(axis, f"covariance with site {site}{place}", _site(along, "site k"), "Cov, units of x²")
    legend(axis)


def _along_sites(
    axis: Axes, theory: DataTheory, exact: np.ndarray, sampled: np.ndarray | None, site: int
) -> int | None:
    """Curves of each class over the sites of a line, or over the row of a grid that holds a site, which is returned."""
    shape = grid(theory.law)
    kept = slice(None) if shape is None else through(site, shape)
    sites = np.arange(theory.law.n if shape is None else shape[1])
    for c in range(theory.law.classes):
        if sampled is not None:
            axis.plot(sites, sampled[c, kept], **marks(c, len(sites)), label="sampled" if c == 0 else None)
        axis.plot(sites, exact[c, kept], **style(c), label=_named(theory, c))
    return None if shape is None else site // shape[1]


def _site(along: int | None, name: str) -> str:
    return name if along is None else "column"


def _named(theory: DataTheory, c: int) -> str:
    """The class with its label: class 0 is often that of y = 1."""
    y = ", ".join(f"{float(entry):.3g}" for entry in theory.law.label_vectors[c])
    return f"class {c}, y = {y if theory.law.outputs == 1 else f'({y})'}"


def _spectra(axis: Axes, theory: DataTheory, sample: DataSample | None) -> None:
    """Draw logarithms on a linear axis: matplotlib's logarithmic axes take a third of a figure's time."""
    rank = np.arange(1, theory.law.n + 1)
    floor = _rounding(theory)  # eigenvalues below it are not drawn
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
            axis.vlines(at, 0, p, **{**style(c), "lw": 2})
            if sample is not None:
                found = [float((sample.x[c] == value).mean()) for value in x]
                axis.plot(at, found, **{**marks(c, len(x)), "ms": 7})
            continue
        if sample is not None:
            axis.plot((x[1:] + x[:-1]) / 2, histogram(sample.x[c], x), **marks(c, len(p)))
        axis.stairs(p, x, **style(c))
    axis.set_ylim(bottom=0)
    shown_too = "" if sample is None else " and sampled"
    title = "marginal of one site" if theory.discrete else f"marginal of one site, {theory.how}{shown_too}, in bins"
    label(axis, title, "x", "probability" if theory.discrete else "probability of a bin / its width")


def _means(axis: Axes, theory: DataTheory, sample: DataSample | None, site: int) -> None:
    along = _along_sites(axis, theory, theory.mean, None if sample is None else sample.site_means, site)
    place = "" if along is None else f", along row {along}"
    label(axis, f"class means ⟨x⟩{place}", _site(along, "site"), "⟨x⟩, units of x")


def _examples(axis: Axes, sample: DataSample, shape: tuple[int, int] | None) -> None:
    """A few examples of each class: shifted curves, or tiles where the sites form a grid."""
    drawn = [x[:SHOWN] for x in sample.x]
    if shape is not None:
        tiles = [np.concatenate([_framed(row.reshape(shape)) for row in x], axis=1) for x in drawn]
        image(axis, np.concatenate(tiles), max(float(np.abs(x).max()) for x in drawn), scale=False)
        label(axis, "examples, class 0 above", "column", "row")
        axis.set(xticks=[], yticks=[])
        return
    shift = 1.15 * max(float(np.ptp(x)) for x in drawn) or 1.0
    for c, x in enumerate(drawn):
        for index, example in enumerate(x):
            axis.plot(example + (c * SHOWN + index) * shift, **{**style(c), "lw": 0.9})
    label(axis, f"{SHOWN} examples of each class, shifted", "site", "x, class 0 below")
    axis.set_yticks([])


def _framed(tile: np.ndarray) -> np.ndarray:
    return np.pad(tile, 1, constant_values=np.nan)
