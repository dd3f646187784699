"""The numbers that the page of the data view draws: exact statistics of a law, and sampled ones where asked for."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Float

from derivations.explore import data
from derivations.explore.data import IMAGES, SHOWN, DataSample, DataTheory, histogram, numbers
from derivations.explore.laws import legends
from derivations.explore.sites import grid, through
from derivations.explore.tables import page_table, python_code
from derivations.explore.wire import packed
from derivations.statistics.alignment import middle
from theory.problem import Problem


def answer(problem: Problem, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the statistics of the law: exact, and with settings["sample"] beside those of drawn examples.

    settings["first"] is the first of the two classes whose covariances are drawn.
    """
    theory = data.theory_of(problem.data)
    match settings.get("want"):
        case "latex":
            return {"text": data.latex(theory)}
        case "python":
            return {"text": python_code(problem, data.PYTHON)}
        case "csv":
            return {"text": data.csv(theory, data.sampled(problem.data))}
    sample = data.sampled(problem.data) if settings.get("sample") else None
    return page(theory, sample, int(settings.get("first", 0)))


def page(theory: DataTheory, sample: DataSample | None, first: int = 0) -> dict[str, Any]:
    """Return covariances of class `first` and the next one; of every class its middle row, spectrum and marginal.

    Where the sites are not alike, the means of all sites stand in the place of the marginal of one.
    """
    law, site = theory.law, middle(theory.law)
    first = max(0, min(first, law.classes - IMAGES))
    return {
        "how": theory.how,
        "missing": list(theory.missing),
        "classes": list(legends(law)),
        "shape": grid(law),
        "site": site,
        "first": first,
        "covariances": [_covariance(theory, c, site) for c in range(first, min(first + IMAGES, law.classes))],
        "row": _along_sites(
            theory, theory.covariance[:, site], None if sample is None else sample.covariance[:, site], site
        ),
        "spectrum": {
            "exact": _above(theory.spectrum, rounding(theory)),
            "sampled": None if sample is None else _above(sample.spectrum, rounding(theory)),
        },
        "marginal": None if theory.marginal is None else [_marginal(theory, sample, c) for c in range(law.classes)],
        "discrete": theory.discrete,
        "samples": None if sample is None else [len(x) for x in sample.x],
        "means": None
        if theory.marginal is not None
        else _along_sites(theory, theory.mean, None if sample is None else sample.site_means, site),
        "examples": None if sample is None else [packed(x[:SHOWN]) for x in sample.x],
        "table": _table(theory, sample),
    }


def rounding(theory: DataTheory) -> float:
    """The size of rounded zeros in the covariance: they remain where each class has a single input."""
    largest = max(float(theory.spectrum.max()), float(np.square(theory.mean).max()))
    return theory.law.n * np.finfo(float).eps * largest


def _covariance(theory: DataTheory, c: int, site: int) -> dict[str, Any]:
    """The covariance of a class: of all pairs of sites, or on a grid that of every site with the middle one."""
    shape = grid(theory.law)
    whole = theory.covariance[c]
    return {"class": c, "matrix": packed(whole if shape is None else whole[site].reshape(shape))}


def _along_sites(
    theory: DataTheory, exact: Float[np.ndarray, "C n"], sampled: Float[np.ndarray, "C n"] | None, site: int
) -> dict[str, Any]:
    """Curves of each class over the sites of a line, or over the row of a grid that holds a site."""
    shape = grid(theory.law)
    kept = slice(None) if shape is None else through(site, shape)
    return {
        "row": None if shape is None else site // shape[1],
        "exact": exact[:, kept],
        "sampled": None if sampled is None else sampled[:, kept],
    }


def _above(values: Float[np.ndarray, "C n"], floor: float) -> Float[np.ndarray, "C n"]:
    """The eigenvalues above rounding; NaN, a gap in the curve, elsewhere."""
    return np.where(values > floor, values, np.nan)


def _marginal(theory: DataTheory, sample: DataSample | None, c: int) -> dict[str, Any]:
    """The marginal of a class: edges of bins with densities, or values with probabilities; sampled beside it."""
    x, p = theory.marginal[c]
    sampled = None
    if sample is not None:
        values = sample.x[c]
        sampled = np.array([(values == value).mean() for value in x]) if theory.discrete else histogram(values, x)
    deviation = np.sqrt(theory.covariance[c, 0, 0])
    width = None if theory.discrete else float((x[1] - x[0]) / deviation)
    return {"x": x, "exact": p, "sampled": sampled, "bin": width}


def _table(theory: DataTheory, sample: DataSample | None) -> dict[str, Any]:
    """Mean, variance and kurtosis of each class; its columns are the same with and without a sample."""
    names = legends(theory.law)
    rows = [row | {"class": names[row["class"]]} for row in numbers(theory, sample)]
    keys = list(rows[0])[2:] if rows else ()
    return page_table(rows, {key: {"digits": 3 if "error" in key else 6} for key in keys})
