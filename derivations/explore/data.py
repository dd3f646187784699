"""Numbers of the data view: exact statistics of the classes of a law, and the same measured on samples."""

import sys
from dataclasses import dataclass, replace
from functools import singledispatch
from typing import Any

import numpy as np
from jaxtyping import Float

from derivations.explore.sites import middle, sites_of
from derivations.explore.tables import table_csv
from theory.moments import gated_moments
from theory.moments.marginal import cumulative, excess_kurtosis, largest, values
from theory.moments.single_pulse import mean, second_moment
from theory.problem import (
    AlwaysGate,
    FiniteData,
    Law,
    Network,
    NonlinearGP,
    NormalInitialisation,
    OutOfReachError,
    Problem,
    SinglePulse,
    Training,
)
from theory.problem.distributions.rows import RowsLaw

ROWS = 4096  # examples drawn for a view
GROUPS = 16  # of them, for standard errors
BINS = 32  # of a marginal
SHOWN = 3  # examples drawn of each class
MOST_CLASSES = 100  # of a table, each with its covariance
IMAGES = 2  # covariances drawn side by side
_REACH = 4.0  # standard deviations of a marginal drawn
_ROUNDING = 1e-9  # beyond the end of the support, so that values rounded to it lie in the last bin
_TRAINING = Training("half-mse", 1, NormalInitialisation(0, 0), (1,))  # the moments do not depend on it


@dataclass(frozen=True)
class ClassTheory:
    """Exact statistics of one class of a law: mean of each site, covariance; kurtosis and marginal of one site.

    covariance = E[(x - m)(x - m)^T]; kurtosis = E(x - m)^4/Var^2 - 3 of one site; marginal = (edges, p): p[j] is the
    probability of edges[j] < x <= edges[j + 1] over its width, and where `discrete` the values of x with their
    probabilities. Kurtosis and marginal are None where the sites are not alike.
    """

    mean: Float[np.ndarray, " n"]
    covariance: Float[np.ndarray, "n n"]
    kurtosis: float | None = None
    marginal: tuple[np.ndarray, np.ndarray] | None = None
    discrete: bool = False


@dataclass(frozen=True)
class DataTheory:
    """Exact statistics of the C classes of a law, as in ClassTheory; spectrum[c] are the descending eigenvalues.

    Numbers have the units of x and its powers. `kurtosis` and `marginal` are None where the sites are not alike.
    """

    law: Law
    mean: Float[np.ndarray, "C n"]
    covariance: Float[np.ndarray, "C n n"]
    spectrum: Float[np.ndarray, "C n"]
    kurtosis: Float[np.ndarray, " C"] | None
    marginal: tuple[tuple[np.ndarray, np.ndarray], ...] | None
    discrete: bool

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
    found = class_theories(replace(law, means=()) if law.means else law)
    mean = np.stack([one.mean for one in found])
    covariance = np.stack([one.covariance for one in found])
    alike = sites_alike(law)
    return DataTheory(
        law,
        mean + np.array(law.means, float) if law.means else mean,
        covariance,
        np.linalg.eigvalsh(covariance)[:, ::-1],
        np.array([one.kurtosis for one in found]) if alike else None,
        tuple(one.marginal for one in found) if alike else None,
        all(one.discrete for one in found),
    )


def sites_alike(law: Law) -> bool:
    """Whether all sites have the same distribution, so that one marginal and one kurtosis describe all."""
    return not law.means and not isinstance(law, FiniteData | RowsLaw)


@singledispatch
def class_theories(law: Law) -> tuple[ClassTheory, ...]:
    """The exact statistics of each class, by the type of the law. Raises OutOfReachError for a law without them."""
    raise OutOfReachError(
        f"The data view has no exact statistics of the law {getattr(law, 'law', type(law).__name__)!r}.",
        "Choose another law, or register its statistics with class_theories in derivations/explore/data.py.",
    )


@class_theories.register
def _(law: SinglePulse) -> tuple[ClassTheory, ...]:
    found = []
    for c in range(law.classes):
        m, table = float(mean(law, c)), values(law, c)
        marginal = np.array(list(table), float), np.array([float(p) for p in table.values()])
        covariance = _circulant(law, c) - m**2
        found.append(ClassTheory(np.full(law.n, m), covariance, excess_kurtosis(law, c), marginal, True))
    return tuple(found)


@class_theories.register
def _(law: FiniteData) -> tuple[ClassTheory, ...]:
    x, category = np.array(law.x, float), np.array(law.category)
    return _of_examples(x, category, np.array(law.example_probabilities, float))


@class_theories.register
def _(law: RowsLaw) -> tuple[ClassTheory, ...]:
    if law.classes > MOST_CLASSES:
        raise OutOfReachError(
            f"The examples have {law.classes} different labels; the data view shows up to {MOST_CLASSES} classes.",
            "Use labels of fewer values.",
        )
    return _of_examples(law.rows.x, law.category, law.rows.probabilities)


def _of_examples(x: Float[np.ndarray, "N n"], category: np.ndarray, weights: np.ndarray) -> tuple[ClassTheory, ...]:
    found = []
    for c in range(category.max() + 1):
        mine = category == c
        p, own = weights[mine] / weights[mine].sum(), x[mine]
        apart = own - own[0]  # so that a site at which all examples of a class agree has the variance 0
        mean_apart = p @ apart
        off = apart - mean_apart
        found.append(ClassTheory(own[0] + mean_apart, (p[:, None] * off).T @ off))
    return tuple(found)


@class_theories.register
def _(law: NonlinearGP) -> tuple[ClassTheory, ...]:
    linear = Network(Network.gated, "sum", 1, (AlwaysGate(),))
    covariances = gated_moments(Problem(law, linear, replace(_TRAINING))).covariances
    return tuple(
        ClassTheory(
            np.zeros(law.n), covariance, excess_kurtosis(law, c), _binned(law, c, float(covariance[0, 0])), False
        )
        for c, covariance in enumerate(covariances)  # the law is odd: its mean is 0
    )


def _circulant(law: SinglePulse, c: int) -> Float[np.ndarray, "n n"]:
    by_lag = np.array([float(second_moment(law, c, 0, lag)) for lag in range(law.n)])
    site = np.arange(law.n)
    return by_lag[(site[:, None] - site[None, :]) % law.n]


def _binned(law: Law, c: int, variance: float) -> tuple[np.ndarray, np.ndarray]:
    """Edges of bins, and the exact mean of the density over each, because the density may be too steep for points."""
    reach = min(_REACH * np.sqrt(variance), largest(law, c) * (1 + _ROUNDING))
    edges = np.linspace(-reach, reach, BINS + 1)
    return edges, np.diff(cumulative(law, c, edges)) / np.diff(edges)


def histogram(x: Float[np.ndarray, "*any"], edges: Float[np.ndarray, " B+1"]) -> Float[np.ndarray, " B"]:
    """The share of all numbers in each bin over its width, also where some numbers lie outside all bins.

    >>> histogram(np.array([0.1, 0.2, 0.9, 7.0]), np.array([0.0, 0.5, 1.0])).tolist()
    [1.0, 0.5]
    """
    return np.histogram(x, edges)[0] / (x.size * np.diff(edges))


def sampled(law: Law, rows: int = ROWS, seed: int = 0) -> DataSample:
    """Statistics of `rows` examples from the simulator's sampler. Raises OutOfReachError for a law without one."""
    import torch

    from sim.data.sample import prepare
    from sim.measure.kurtosis import site_kurtosis
    from sim.random.streams import MEASUREMENT, stream
    from sim.training.backends.choice import fastest_normals

    cpu = torch.device("cpu")
    own = stream(seed, 0, MEASUREMENT, fill=fastest_normals(cpu))
    drawn = prepare(law, cpu, torch.float64).draw([own], rows)
    x, category = drawn.x[0].numpy(), drawn.category[0].numpy()
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


def sampler_is_loaded() -> bool:
    """Whether the simulator is loaded, so that `sampled` returns at once."""
    return "sim.data.sample" in sys.modules


def _with_error(x: Float[np.ndarray, "B n"], statistic: Any) -> tuple[float, float]:
    """A statistic of all sites and examples together, and its standard error from groups of examples."""
    parts = [float(statistic(part)) for part in np.array_split(x, GROUPS)]
    return float(statistic(x)), float(np.std(parts, ddof=1) / np.sqrt(GROUPS))


def numbers(theory: DataTheory, sample: DataSample | None) -> list[dict[str, Any]]:
    """Rows of the table beside the figures: statistic, class, exact value, sampled value, standard error."""
    averaged = "" if sites_alike(theory.law) else ", averaged over the sites"
    exact = {"mean": theory.mean.mean(axis=1), "variance": theory.variance, "kurtosis": theory.kurtosis}
    names = {"mean": f"mean{averaged}", "variance": f"variance{averaged}", "kurtosis": "excess kurtosis"}
    rows = []
    for name, values_of in exact.items():
        for c in range(theory.law.classes if values_of is not None else 0):
            measured = None if sample is None else getattr(sample, name)[c]
            rows.append(
                {
                    "statistic": names[name],
                    "class": c,
                    "exact": float(values_of[c]),
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
        for how, found in {"": theory, **measured}.items():
            columns[f"{how}covariance with site {site}, class {c}"] = found.covariance[c, site]
    columns["rank"] = np.arange(1, theory.law.n + 1)  # a table of its own, beside the other
    for c in range(theory.law.classes):
        for how, found in {"": theory, **measured}.items():
            columns[f"{how}eigenvalue of that rank, class {c}"] = found.spectrum[c]
    return table_csv(columns)


PYTHON = (
    "from derivations.explore.data import sampled, theory_of",
    "",
    "theory = theory_of(problem.data)  # means, covariance, spectrum, kurtosis, marginal of every class",
    "sample = sampled(problem.data)  # the same, measured",
    "print(theory.variance, theory.kurtosis)",
    "print(sample.variance, sample.kurtosis)",
)


def latex(theory: DataTheory) -> str:
    """The closed forms behind the view, from the engine, and its numbers as a LaTeX table."""
    rows = [f"{row['statistic']}, class {row['class']} & {row['exact']:.10g} \\\\" for row in numbers(theory, None)]
    table = "\n".join(["\\begin{tabular}{lr}", *rows, "\\end{tabular}"])
    return f"{closed_forms(theory.law)}\n\n{table}".lstrip()


@singledispatch
def closed_forms(law: Law) -> str:
    """The covariance of a law as display TeX; empty where no single formula gives its numbers."""
    del law
    return ""


@closed_forms.register
def _(law: NonlinearGP) -> str:
    return _arcsine_forms(law.normaliser)


def _arcsine_forms(normaliser: str) -> str:
    import sympy

    from theory.expressions.symbols import g, rho, z
    from theory.gaussian import expect

    pair = expect(sympy.erf(g * z(1)) * sympy.erf(g * z(2)), [[1, rho], [rho, 1]])
    square = "1" if normaliser == "none" else expect(sympy.erf(g * z(1)) ** 2, [[1]]).latex
    return (
        "\\[ \\mathbb{E}[x_k x_l] = \\frac{1}{Z^2} \\, "
        + pair.latex
        + ", \\qquad Z^2 = "
        + square
        + ", \\qquad \\rho = e^{-d_{kl}^2/\\xi^2} \\]"
    )
