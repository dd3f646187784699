"""Numbers of the data view: exact statistics of the classes of a law, and the same measured on samples."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from derivations.answers.examples import drawn
from derivations.explore.sites import sites_of
from derivations.explore.tables import table_csv
from derivations.statistics.alignment import middle
from theory.moments.estimated import errors_of_averages
from theory.moments.inputs import InputStatistics, Marginal, Values, input_statistics
from theory.moments.sampled import is_estimated
from theory.problem import Law, OutOfReachError

ROWS = 4096  # examples drawn for a view
GROUPS = 16  # of them, for standard errors
BINS = 60  # of a marginal over 2 _REACH standard deviations, as in the amplifier view
SHOWN = 3  # examples drawn of each class
MOST_CLASSES = 100  # each with its covariance
IMAGES = 2  # covariances drawn side by side
_REACH = 4.0  # standard deviations of a marginal drawn
_ROUNDING = 1e-9  # beyond the end of the support, so that values rounded to it lie in the last bin


@dataclass(frozen=True)
class DataTheory:
    """Exact statistics of the C classes of a law; numbers have the units of x and its powers.

    spectrum[c] are the descending eigenvalues of covariance[c]. marginal[c] = (edges, p) of one site: p[j] is the
    probability of edges[j] < x <= edges[j + 1] over its width, and where `discrete` the values of x with their
    probabilities. `kurtosis` (excess) and `marginal` are None where the sites are not alike; the kurtosis of a class is
    None where it is not finite or not defined, and `missing` says why.
    The statistics of a law that is known by its examples are estimated: `errors` are the standard errors of mean and
    variance, averaged over the sites; None where the statistics are exact.
    """

    law: Law
    mean: Float[np.ndarray, "C n"]
    covariance: Float[np.ndarray, "C n n"]
    spectrum: Float[np.ndarray, "C n"]
    kurtosis: tuple[float | None, ...] | None
    marginal: tuple[tuple[np.ndarray, np.ndarray], ...] | None
    discrete: bool
    errors: Float[np.ndarray, "C 2"] | None = None
    missing: tuple[str, ...] = ()

    @property
    def how(self) -> str:
        """How the statistics are known: "exact" or "estimated"."""
        return "exact" if self.errors is None else "estimated"

    @property
    def variance(self) -> Float[np.ndarray, " C"]:
        """Var x_j, averaged over the sites."""
        return np.diagonal(self.covariance, axis1=1, axis2=2).mean(axis=1)


@dataclass(frozen=True)
class DataSample:
    """The same measured on samples: x[c] (examples, n), site_means (C, n).

    mean, variance and kurtosis have a value and its standard error for each class, over GROUPS groups of examples:
    mean and variance averaged over the sites, the kurtosis of all sites together, None where they are not alike.
    """

    x: tuple[np.ndarray, ...]
    site_means: Float[np.ndarray, "C n"]
    covariance: Float[np.ndarray, "C n n"]
    spectrum: Float[np.ndarray, "C n"]
    mean: Float[np.ndarray, "C 2"]
    variance: Float[np.ndarray, "C 2"]
    kurtosis: Float[np.ndarray, "C 2"] | None


def theory_of(law: Law) -> DataTheory:
    """The exact statistics of a law. Raises OutOfReachError for a law without them.

    >>> from theory.problem import SinglePulse
    >>> theory_of(SinglePulse(40, ((3, 4), (9, 10)), "zero-one", "none", (1, 0))).mean[:, 0].tolist()
    [0.0875, 0.2375]
    """
    if law.classes > MOST_CLASSES:
        raise OutOfReachError(
            f"The law has {law.classes} different labels; the data view shows up to {MOST_CLASSES} classes.",
            "Use labels of fewer values.",
        )
    statistics = [input_statistics(law, c) for c in range(law.classes)]
    alike = all(one.alike for one in statistics)
    marginals = [one.marginal(0) for one in statistics] if alike else []
    kurtosis, missing = _kurtosis(statistics) if alike else (None, ())
    return DataTheory(
        law,
        np.stack([one.mean for one in statistics]),
        np.stack([one.covariance for one in statistics]),
        np.stack([one.spectrum for one in statistics]),
        kurtosis,
        tuple(_drawn(marginal, one) for marginal, one in zip(marginals, statistics, strict=True)) if alike else None,
        any(isinstance(marginal, Values) for marginal in marginals),
        np.array([errors_of_averages(one) for one in statistics]) if is_estimated(law) else None,
        missing,
    )


def _kurtosis(statistics: list[InputStatistics]) -> tuple[tuple[float | None, ...], tuple[str, ...]]:
    """The kurtosis of one site in each class, None where there is none, and the reasons."""
    values: list[float | None] = []
    reasons: dict[str, None] = {}
    for of_class in statistics:
        try:
            values.append(float(of_class.kurtosis[0]))
        except OutOfReachError as error:
            values.append(None)
            reasons[error.message] = None
    return tuple(values), tuple(reasons)


def _drawn(marginal: Marginal, statistics: InputStatistics) -> tuple[np.ndarray, np.ndarray]:
    """Values with their probabilities, or edges of bins and the exact mean of the density over each.

    Means over bins, because a density may be too steep for points.
    """
    if isinstance(marginal, Values):
        return np.array(marginal.values, float), np.array(marginal.probabilities, float)
    m, reach = statistics.mean[0], _REACH * np.sqrt(statistics.variance[0])
    low, high = max(m - reach, marginal.low - _ROUNDING * reach), min(m + reach, marginal.high + _ROUNDING * reach)
    width = 2 * reach / BINS
    edges = np.linspace(low, high, max(1, round((high - low) / width)) + 1)  # bins end at the ends of a support
    return edges, np.diff(marginal.cumulative(edges)) / np.diff(edges)


def sites_alike(law: Law) -> bool:
    """Whether all sites have the same distribution in each class, so that one marginal and one kurtosis describe all.

    >>> from theory.problem import FiniteData
    >>> sites_alike(FiniteData([[1, 0], [0, 1]], [1, 0]))
    False
    """
    try:
        return all(input_statistics(law, c).alike for c in range(min(law.classes, MOST_CLASSES)))
    except OutOfReachError:
        return False


def histogram(x: Float[np.ndarray, "*any"], edges: Float[np.ndarray, " B+1"]) -> Float[np.ndarray, " B"]:
    """The share of all numbers in each bin over its width, also where some numbers lie outside all bins.

    >>> histogram(np.array([0.1, 0.2, 0.9, 7.0]), np.array([0.0, 0.5, 1.0])).tolist()
    [1.0, 0.5]
    """
    return np.histogram(x, edges)[0] / (x.size * np.diff(edges))


def sampled(law: Law, rows: int = ROWS, seed: int = 0) -> DataSample:
    """Statistics of `rows` examples from the simulator's sampler. Raises OutOfReachError for a law without one."""
    from sim.measure.kurtosis import site_kurtosis

    examples = drawn(law, rows, seed)
    x, category = examples.x[0].numpy(), examples.category[0].numpy()
    classes = tuple(x[category == c] for c in range(law.classes))
    _refuse_empty(classes)
    alike = sites_alike(law)
    covariance = np.stack([np.cov(rows_of.T, bias=True) for rows_of in classes])
    return DataSample(
        x=classes,
        site_means=np.stack([rows_of.mean(axis=0) for rows_of in classes]),
        covariance=covariance,
        spectrum=np.linalg.eigvalsh(covariance)[:, ::-1],
        mean=np.array([_with_error(rows_of, np.mean) for rows_of in classes]),
        variance=np.array([_with_error(rows_of, np.var if alike else _site_variance) for rows_of in classes]),
        kurtosis=(
            np.array([_with_error(rows_of, lambda part: site_kurtosis(part.ravel())) for rows_of in classes])
            if alike
            else None
        ),
    )


def _site_variance(x: Float[np.ndarray, "B n"]) -> float:
    """The variance of each site about its own mean, averaged over the sites."""
    return float(x.var(axis=0).mean())


def _refuse_empty(classes: tuple[np.ndarray, ...]) -> None:
    for c, x in enumerate(classes):
        if len(x) < GROUPS:
            raise OutOfReachError(
                f"Only {len(x)} of {sum(map(len, classes))} sampled examples are of class {c}: too few for an error.",
                "Give the class a larger prior.",
            )


def _with_error(x: Float[np.ndarray, "B n"], statistic: Any) -> tuple[float, float]:
    """A statistic of all sites and examples together, and its standard error from groups of examples."""
    parts = [float(statistic(part)) for part in np.array_split(x, GROUPS)]
    return float(statistic(x)), float(np.std(parts, ddof=1) / np.sqrt(GROUPS))


def numbers(theory: DataTheory, sample: DataSample | None) -> list[dict[str, Any]]:
    """Rows of the table beside the figures: statistic, class, exact value, sampled value, standard error.

    An estimated value stands in place of the exact one, with a standard error of its own. A class without a kurtosis
    has no row for it: the kurtosis of samples then depends on their number.
    """
    averaged = "" if sites_alike(theory.law) else ", averaged over the sites"
    exact = {"mean": theory.mean.mean(axis=1), "variance": theory.variance, "kurtosis": theory.kurtosis}
    errors = None if theory.errors is None else dict(zip(exact, theory.errors.T, strict=False))
    names = {"mean": f"mean{averaged}", "variance": f"variance{averaged}", "kurtosis": "excess kurtosis"}
    rows = []
    for name, values_of in exact.items():
        for c in range(theory.law.classes if values_of is not None else 0):
            if values_of[c] is None:
                continue
            measured = None if sample is None else getattr(sample, name)[c]
            rows.append(
                {
                    "statistic": names[name],
                    "class": c,
                    theory.how: float(values_of[c]),
                    **({} if errors is None else {"its standard error": float(errors[name][c])}),
                    "sampled": None if measured is None else float(measured[0]),
                    "standard error": None if measured is None else float(measured[1]),
                }
            )
    return rows


def csv(theory: DataTheory, sample: DataSample | None) -> str:
    """Class means, covariance with the middle site, eigenvalues, exact and sampled, as comma-separated values."""
    site = middle(theory.law)
    columns = sites_of(theory.law)
    measured = {} if sample is None else {"sampled ": sample}
    for c in range(theory.law.classes):
        columns[f"mean, class {c}"] = theory.mean[c]
        if sample is not None:
            columns[f"sampled mean, class {c}"] = sample.site_means[c]
    for c in range(theory.law.classes):
        for how, statistics in {"": theory, **measured}.items():
            columns[f"{how}covariance with site {site}, class {c}"] = statistics.covariance[c, site]
    columns["rank"] = np.arange(1, theory.law.n + 1)  # a table of its own, beside the other
    for c in range(theory.law.classes):
        for how, statistics in {"": theory, **measured}.items():
            columns[f"{how}eigenvalue of that rank, class {c}"] = statistics.spectrum[c]
    return table_csv(columns)


PYTHON = (
    "from derivations.explore.data import numbers, sampled, theory_of",
    "",
    "theory = theory_of(problem.data)  # means, covariance, spectrum, kurtosis, marginal of every class",
    "sample = sampled(problem.data)  # the same, measured",
    "for row in numbers(theory, sample):",
    "    print(row)",
)


def latex(theory: DataTheory) -> str:
    """The closed forms behind the view, from the engine, and its numbers as a LaTeX table."""
    from derivations.explore.closed_forms import closed_form  # it loads SymPy's printers and the engine

    rows = [f"{row['statistic']}, class {row['class']} & {row[theory.how]:.10g} \\\\" for row in numbers(theory, None)]
    table = "\n".join(["\\begin{tabular}{lr}", *rows, "\\end{tabular}"])
    return f"{closed_form(theory.law)}\n\n{table}".lstrip()
