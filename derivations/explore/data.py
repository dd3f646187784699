"""What the data view shows: exact statistics of both classes of a law, and the same measured on samples."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Float

from theory.moments import gated_moments
from theory.moments.marginal import cumulative, excess_kurtosis, largest, values
from theory.moments.pulse import mean, second_moment
from theory.problem import AlwaysGate, Law, Network, NormalInitialisation, Problem, SinglePulse, Training

ROWS = 4096  # examples drawn for a view
GROUPS = 16  # of them, for standard errors
BINS = 32  # of a marginal
SHOWN = 3  # examples drawn of each class
_REACH = 4.0  # standard deviations of a marginal drawn
_ROUNDING = 1e-9  # beyond the end of the support, so that values rounded to it lie in the last bin
_TRAINING = Training("half-mse", 1, NormalInitialisation(0, 0), (1,))  # what moments of data do not depend on


@dataclass(frozen=True)
class DataTheory:
    """Exact statistics of the classes c = 0, 1 of a law: mean of a site, covariance, its eigenvalues, kurtosis.

    covariance[c] = E[(x - m)(x - m)^T | c]; spectrum[c] its eigenvalues, descending; kurtosis[c] = E(x - m)^4/Var^2 - 3
    of one site. marginal[c] = (edges, p): p[j] is the probability of edges[j] < x <= edges[j + 1] over its width; where
    `discrete`, the values of x with their probabilities. Numbers have the units of x and its powers.
    """

    law: Law
    mean: Float[np.ndarray, " 2"]
    covariance: Float[np.ndarray, "2 n n"]
    spectrum: Float[np.ndarray, "2 n"]
    kurtosis: Float[np.ndarray, " 2"]
    marginal: tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]
    discrete: bool

    @property
    def variance(self) -> Float[np.ndarray, " 2"]:
        """Var x_j of a site, the same at all."""
        return self.covariance[:, 0, 0]


@dataclass(frozen=True)
class DataSample:
    """The same measured on samples: x[c] (examples, n); errors are over GROUPS groups of examples."""

    x: tuple[Float[np.ndarray, "B0 n"], Float[np.ndarray, "B1 n"]]
    covariance: Float[np.ndarray, "2 n n"]
    spectrum: Float[np.ndarray, "2 n"]
    mean: Float[np.ndarray, "2 2"]
    variance: Float[np.ndarray, "2 2"]
    kurtosis: Float[np.ndarray, "2 2"]


def theory_of(law: Law) -> DataTheory:
    """The exact statistics of a law. Raises OutOfReachError for a law without closed moments."""
    if isinstance(law, SinglePulse):
        means = np.array([float(mean(law, c)) for c in (0, 1)])
        covariance = np.stack([_circulant(law, c) - means[c] ** 2 for c in (0, 1)])
        tables = [values(law, c) for c in (0, 1)]
        pairs = [(np.array(list(table), float), np.array([float(p) for p in table.values()])) for table in tables]
    else:
        means = np.zeros(2)  # the laws are odd
        linear = Network(Network.gated, "sum", 1, (AlwaysGate(),))
        covariance = gated_moments(Problem(law, linear, replace(_TRAINING))).covariances
        pairs = [_binned(law, c, float(covariance[c, 0, 0])) for c in (0, 1)]
    spectrum = np.linalg.eigvalsh(covariance)[:, ::-1]
    kurtosis = np.array([excess_kurtosis(law, c) for c in (0, 1)])
    return DataTheory(law, means, covariance, spectrum, kurtosis, tuple(pairs), isinstance(law, SinglePulse))


def _circulant(law: SinglePulse, c: int) -> Float[np.ndarray, "n n"]:
    by_lag = np.array([float(second_moment(law, c, 0, lag)) for lag in range(law.n)])
    site = np.arange(law.n)
    return by_lag[(site[:, None] - site[None, :]) % law.n]


def _binned(law: Law, c: int, variance: float) -> tuple[np.ndarray, np.ndarray]:
    """Edges of bins, and the exact mean of the density over each: it may be steeper than any grid of points."""
    reach = min(_REACH * np.sqrt(variance), largest(law, c) * (1 + _ROUNDING))
    edges = np.linspace(-reach, reach, BINS + 1)
    return edges, np.diff(cumulative(law, c, edges)) / np.diff(edges)


def histogram(x: Float[np.ndarray, "*any"], edges: Float[np.ndarray, " B+1"]) -> Float[np.ndarray, " B"]:
    """The share of all numbers in each bin over its width, also where some lie outside of all.

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
    covariance = np.stack([np.cov(rows_of.T, bias=True) for rows_of in classes])
    return DataSample(
        x=classes,
        covariance=covariance,
        spectrum=np.linalg.eigvalsh(covariance)[:, ::-1],
        mean=np.array([_with_error(rows_of, np.mean) for rows_of in classes]),
        variance=np.array([_with_error(rows_of, np.var) for rows_of in classes]),
        kurtosis=np.array([_with_error(rows_of, lambda part: site_kurtosis(part.ravel())) for rows_of in classes]),
    )


def sampler_is_loaded() -> bool:
    """Whether `sampled` answers at once, or loads the simulator first."""
    return "sim.data.sample" in sys.modules


def _with_error(x: Float[np.ndarray, "B n"], statistic: Any) -> tuple[float, float]:
    """A statistic of all sites and examples together, and its standard error from groups of examples."""
    parts = [float(statistic(part)) for part in np.array_split(x, GROUPS)]
    return float(statistic(x)), float(np.std(parts, ddof=1) / np.sqrt(GROUPS))


def numbers(theory: DataTheory, sample: DataSample | None) -> list[dict[str, Any]]:
    """Rows of the table beside the figures: statistic, class, exact value, sampled value, standard error."""
    rows = []
    for name in ("mean", "variance", "kurtosis"):
        for c in (0, 1):
            measured = None if sample is None else getattr(sample, name)[c]
            rows.append(
                {
                    "statistic": "excess kurtosis" if name == "kurtosis" else name,
                    "class": c,
                    "exact": float(getattr(theory, name)[c]),
                    "sampled": None if measured is None else float(measured[0]),
                    "standard error": None if measured is None else float(measured[1]),
                }
            )
    return rows


def middle(law: Law) -> int:
    """The site whose row of the covariance is drawn: the middle one, of a grid that of the middle row and column."""
    shape = getattr(law, "shape", None)
    return law.n // 2 if shape is None else (shape[0] // 2) * shape[1] + shape[1] // 2


def sites_of(law: Law) -> dict[str, np.ndarray]:
    """The columns that name the sites in a table: the number, and on a grid row and column."""
    site = np.arange(law.n)
    shape = getattr(law, "shape", None)
    return {"site": site} if shape is None else {"site": site, "row": site // shape[1], "column": site % shape[1]}


def csv(theory: DataTheory, sample: DataSample | None) -> str:
    """The covariance with the middle site and the eigenvalues, exact and sampled, as comma-separated values."""
    site = middle(theory.law)
    columns = sites_of(theory.law)
    measured = {} if sample is None else {"sampled ": sample}
    for c in (0, 1):
        for how, found in {"": theory, **measured}.items():
            columns[f"{how}covariance with site {site}, class {c}"] = found.covariance[c, site]
    columns["rank"] = np.arange(1, theory.law.n + 1)  # a table of its own, beside the other
    for c in (0, 1):
        for how, found in {"": theory, **measured}.items():
            columns[f"{how}eigenvalue of that rank, class {c}"] = found.spectrum[c]
    return table_csv(columns)


def table_csv(columns: dict[str, np.ndarray]) -> str:
    """Named columns of equal length as comma-separated values; numbers in full."""
    lines = [",".join(f'"{name}"' for name in columns)]
    lines += [
        ",".join(repr(value) for value in row) for row in zip(*(c.tolist() for c in columns.values()), strict=True)
    ]
    return "\n".join(lines) + "\n"


def rows_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows of one table as comma-separated values under their keys.

    >>> rows_csv([{"x": 1, "y": "a, b"}])
    'x,y\\r\\n1,"a, b"\\r\\n'
    """
    from csv import DictWriter
    from io import StringIO

    file = StringIO()
    writer = DictWriter(file, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue()


PYTHON = (
    "from derivations.explore.data import sampled, theory_of",
    "",
    "theory = theory_of(problem.data)  # covariance, spectrum, kurtosis, marginal of both classes",
    "sample = sampled(problem.data)  # the same, measured",
    "print(theory.variance, theory.kurtosis)",
    "print(sample.variance, sample.kurtosis)",
)


def latex(theory: DataTheory) -> str:
    """The closed forms behind the view, from the engine, and its numbers as a LaTeX table."""
    rows = [f"{row['statistic']}, class {row['class']} & {row['exact']:.10g} \\\\" for row in numbers(theory, None)]
    table = "\n".join(["\\begin{tabular}{lr}", *rows, "\\end{tabular}"])
    return table if isinstance(theory.law, SinglePulse) else f"{_closed_forms(theory.law.normaliser)}\n\n{table}"


def _closed_forms(normaliser: str) -> str:
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
