"""The tables of the page on data laws: each law with the exact statistics of a small example, and its matched controls.

The statistics are those of `theory.moments.inputs`, and "exact" means that the library has computed the moments of the
example through a pair of half-spaces: nothing of it is written by hand.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from json import dumps
from typing import Any

from derivations.markdown import table
from derivations.publish.gate_table import gate_table, reached
from derivations.publish.law_claims import claim_table
from derivations.publish.law_controls import control_table
from theory.moments import gated_moments
from theory.moments.gated import gated_moments_certified
from theory.moments.inputs import Density, InputStatistics, Marginal, input_statistics
from theory.problem import Law, Problem, SiteGate
from theory.problem.distributions import LAWS
from theory.problem.distributions.mixture import Component

DIGITS, THRESHOLDS = 30, (Fraction(0), Fraction(1, 2))
_AFTER_THE_POINT = 4
_NONE = "–"
_LINE = {"n": 8, "xi": [2], "boundary": "open", "normaliser": "unit-variance", "labels": [1]}
_GRID = {"shape": [3, 3], "boundary": "open", "labels": [1]}
_CLUSTER = _LINE | {"gain": 1, "normaliser": "none", "nonlinearity": "identity"}


@dataclass(frozen=True)
class Row:
    """A law on the page: its definition in TeX, its sampler in words, and the fields of an example of one class.

    `said` describes an example whose fields are too long for a table. A law that reads data or matrices has no example;
    `reads` stands in its place.
    """

    law: str
    definition: str
    sampler: str
    example: Mapping[str, Any] | None = None
    said: str = ""
    reads: str = ""

    @cached_property
    def data(self) -> Law:
        """The law of the example."""
        return LAWS[self.law](**dict(self.example or {}))

    @cached_property
    def statistics(self) -> InputStatistics:
        """The statistics of its one class, or of its first."""
        return input_statistics(self.data, 0)

    @property
    def shown(self) -> str:
        """The example as the fields of a problem file, without the label."""
        fields = (f"{key} = {dumps(value)}" for key, value in (self.example or {}).items() if key != "labels")
        return self.said or f"`{', '.join(fields)}`"


ROWS = (
    Row(
        "nlgp",
        r"$x_i = f(g z_i)/Z$, $z$ Gaussian of correlation $R(d)$",
        "a factor of the covariance, on a ring by FFT; then $f$",
        _LINE | {"gain": 1},
    ),
    Row(
        "nlgp-2d",
        r"the same on a grid, $R$ of both distances",
        "a factor of each axis, or FFT of a torus",
        _GRID | {"xi": [2], "gain": 1, "normaliser": "unit-variance"},
    ),
    Row(
        "gaussian-clone",
        r"$x \sim \mathcal N(m, C)$ with $m$, $C$ of the `nlgp`",
        "a factor of the covariance",
        _LINE | {"gain": 1},
    ),
    Row(
        "gaussian",
        r"$x \sim \mathcal N(m, C)$ with any $m$ and $C$",
        "a Cholesky factor of the covariance",
        reads="as `gaussian-clone`, if a covariance is regular",
    ),
    Row(
        "nlgp-matrix",
        r"$x_i = s_i f(z_i)/Z$, $z$ Gaussian of any correlations",
        "a Cholesky factor of the correlations; then $f$",
        reads="as `nlgp` with the same nonlinearity, if a covariance is regular",
    ),
    Row(
        "gaussian-copula",
        r"$x_i = Q_i(\Phi(z_i))$, $z$ Gaussian of any correlations, $Q_i$ of finitely many values",
        "a factor of the correlations; then the values",
        reads="covariance and marginals exact, moments through gates estimated, with standard errors",
    ),
    Row(
        "student-t",
        r"$x = z \sqrt{\nu/V}/Z$, $V \sim \chi^2_\nu$ independent of $z$",
        "Gaussian vector times scale",
        _LINE | {"dof": 5},
    ),
    Row(
        "elliptical",
        r"$x = r z/Z$, $r > 0$ independent of $z$",
        "Gaussian vector times scale",
        _LINE | {"scale": {"kind": "contaminated", "share": "0.1", "ratio": 3}},
    ),
    Row(
        "mixture",
        r"$x$ from component $k$ with probability $\pi_k$",
        "a uniform number, then the component's sampler",
        {
            "components": [Component(0, Fraction(1, 2), LAWS["nlgp"](**_CLUSTER, means=[mean])) for mean in (1, -1)],
            "labels": [1],
        },
        said=r"`nlgp` with $f(z) = z$, `n = 8, xi = 2`, and means 1 and −1, equally likely",
    ),
    Row(
        "single-pulse",
        r"$x_i = 1$ for $i = a, \dots, a + W - 1$ on a ring, else 0",
        "start, width and flip",
        {"n": 8, "widths": [[2, 3]], "support": "zero-one", "flip": "none", "labels": [1]},
    ),
    Row(
        "pulses",
        r"$x_i = \sum_k h_k\, p_{W_k}(i - a_k)$, or the largest term",
        "number, starts, widths and heights",
        {
            "n": 8,
            "boundary": "ring",
            "form": "block",
            "widths": [[2, 2]],
            "counts": [[2, 2]],
            "heights": [1],
            "overlap": "sum",
            "labels": [1],
        },
    ),
    Row(
        "bars",
        r"$x_i = 1$ on a rectangle of a grid, else 0",
        "sides, place and flip",
        {
            "shape": [4, 4],
            "boundary": "torus",
            "rows": [[1, 1]],
            "columns": [[2, 3]],
            "support": "zero-one",
            "flip": "none",
            "labels": [1],
        },
    ),
    Row(
        "finite",
        r"$(x, y)$ is one of $N$ given pairs",
        "one pair at a time",
        {"x": [[1, 1, 0], [0, 1, 1], [1, 0, -1], [-1, 0, 1]], "y": [1, 1, 1, 1]},
    ),
    Row(
        "table",
        r"the same, in float64, or pairs with given $\langle x x^\top \rangle$ and $\langle y x^\top \rangle$",
        "one pair at a time",
        reads="finitely many pairs, in float64",
    ),
    Row(
        "ising",
        r"$P(x) \propto \exp(\beta \sum_i x_i x_{i+1} + h \sum_i x_i)$, $x_i = \pm 1$",
        "site by site, by transfer matrices",
        {"n": 8, "boundary": "open", "labels": [1], "xi": [2]},
    ),
    Row(
        "ising-2d",
        r"$P(x) \propto \exp(\sum_{i \sim j} b_{ij} x_i x_j + h \sum_i x_i)$ on a grid, $x_i = \pm 1$",
        "site by site, by transfer matrices",
        _GRID | {"couplings": ["0.4"]},
    ),
    Row("mnist", r"$x$ is an image of one of the digits of the class", "one image", reads="finitely many images"),
    Row("fashion-mnist", r"$x$ is an image of one article of clothing", "one image", reads="finitely many images"),
    Row(
        "images",
        r"$x$ is a patch of a photograph, or Gaussian with its mean and covariance",
        "photograph and place",
        reads="covariance and kurtosis exact, moments through gates estimated, with standard errors",
    ),
    Row("own", r"$x$ is what your function draws, or a row of your array", "your code", reads="estimated"),
)


def _definitions() -> str:
    rows = [[f"`{row.law}`", row.definition, row.sampler, _command(row.law)] for row in ROWS]
    return table(["law", "definition", "drawn by", "to try"], rows)


def _command(law: str) -> str:
    return "see the manual" if law == "own" else f"`gdln new mine --law {law}`"


def _statistics() -> str:
    """The exact statistics of the examples: of the middle site, and the covariance with the next one."""
    rows = []
    for row in ROWS:
        if row.example is None:
            continue
        site = row.data.n // 2
        numbers = (
            row.statistics.variance[site],
            row.statistics.kurtosis[site],
            row.statistics.covariance[site, site + 1],
        )
        latent = "yes" if row.data.latent else "no"
        marginal = _marginal(row.statistics.marginal(site))
        rows.append([f"`{row.law}`", row.shown, latent, marginal, *map(_number, numbers)])
    heads = ["law", "example", "latent", "marginal", "variance", "excess kurtosis", "covariance of neighbours"]
    return table(heads, rows)


def _marginal(marginal: Marginal) -> str:
    if isinstance(marginal, Density):
        bounded = marginal.high < float("inf")
        return f"a density between ±{_number(marginal.high)}" if bounded else "a density on the line"
    pairs = zip(marginal.values, marginal.probabilities, strict=True)
    return ", ".join(f"{_exact(x)} ({_exact(p)})" for x, p in pairs)


def _exact(value: Any) -> str:
    """A value or a probability: a fraction where it is one, else a decimal without trailing zeros."""
    text = str(value) if isinstance(value, Fraction | int) else f"{float(value):.{_AFTER_THE_POINT}g}"
    return text.replace("-", "−")


def _number(value: float) -> str:
    return f"{float(value):.{_AFTER_THE_POINT}f}".replace("-", "−")


def _exactness() -> str:
    """How exact the moments of each law are through a half-space of the middle site and its complement."""
    rows = []
    for row in ROWS:
        cells = [row.reads, _NONE] if row.example is None else [_through(row.data, at) for at in THRESHOLDS]
        rows.append([f"`{row.law}`", *cells])
    return table(["law", "half-spaces at 0", "half-spaces at 1/2"], rows)


def _through(law: Law, threshold: Fraction) -> str:
    site, on = law.n // 2, "latent" if law.latent else "input"
    gates = SiteGate(site, lo=threshold, on=on), SiteGate(site, hi=threshold, on=on)
    return ", ".join(reached(law, gates, _PRECISIONS)) or "refused"


_PRECISIONS: Mapping[str, Callable[[Problem], Any]] = {
    "float64": lambda problem: gated_moments(problem).A,
    "certified": lambda problem: gated_moments_certified(problem, DIGITS),
}
# The tables of the directive {laws NAME}.
TABLES: Mapping[str, Callable[[], str]] = {
    "definitions": _definitions,
    "statistics": _statistics,
    "exactness": _exactness,
    "gates": gate_table,
    "controls": control_table,
    "claims": claim_table,
}
