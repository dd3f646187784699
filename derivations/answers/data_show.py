"""The answer of `gdln data show`: statistics of a law's inputs, class by class, and a report on its latent."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from theory.moments.estimated import StandardErrors, standard_errors
from theory.moments.inputs import InputStatistics, input_statistics
from theory.moments.psd import LatentReport, psd_report
from theory.moments.sampled import is_estimated
from theory.problem import Law, NonlinearGP, OutOfReachError

MOST_DENOMINATOR = 10**6
MOST_SHOWN = 12  # lags and eigenvalues in the text; the JSON has all


@dataclass(frozen=True)
class DataShowAnswer:
    """Mean, variance, kurtosis, covariance with the middle site and spectrum of each class; the latent's report.

    Estimated statistics have standard errors, but for the spectrum, whose ends are biased outwards. Without statistics
    `refusal` says why, and the report alone is shown.
    """

    law: Law
    statistics: tuple[InputStatistics, ...]
    refusal: str
    latent: tuple[LatentReport, ...]

    @cached_property
    def site(self) -> int:
        """The middle site, of a grid that of its middle row and column, whose covariances are shown."""
        if self._shape is None:
            return self.law.n // 2
        rows, columns = self._shape
        return (rows // 2) * columns + columns // 2

    @property
    def _shape(self) -> tuple[int, int] | None:
        """Rows and columns of a grid; None for a line, also of a law whose sites may lie on a grid."""
        return getattr(self.law, "shape", None)

    @property
    def estimated_from(self) -> int | None:
        """The number of examples from which the statistics are estimated; None where they are exact."""
        return sum(len(own.x) for own in self.statistics) if self.statistics and is_estimated(self.law) else None

    @cached_property
    def errors(self) -> tuple[StandardErrors | None, ...]:
        """The standard errors of each class; None where the statistics are exact."""
        known = self.estimated_from is None
        return tuple(None if known else standard_errors(own, self.site) for own in self.statistics)

    def _lags(self) -> range:
        """Sites from the middle one on, along its row: those at the lags 0, 1, 2, ..."""
        columns = self.law.n if self._shape is None else self._shape[1]
        return range(self.site, self.site - self.site % columns + columns)

    def json(self) -> dict[str, Any]:
        """The object that `gdln data show --json` prints."""
        return {
            "law": self.law.law,
            "n": self.law.n,
            "probabilities": [float(p) for p in self.law.probabilities],
            "site": self.site,
            "classes": [
                {
                    "mean": own.mean,
                    "variance": own.variance,
                    "kurtosis": _listed(_standardised(own, 4)),
                    "skewness": _listed(_standardised(own, 3)),
                    "sites_that_do_not_vary": int((own.variance == 0).sum()),
                    "covariance": own.covariance[self.site],
                    "covariance_by_lag": own.covariance[self.site, list(self._lags())],
                    "spectrum": own.spectrum,
                    "standard_errors": None if error is None else _errors(error),
                }
                for own, error in zip(self.statistics, self.errors, strict=True)
            ],
            "estimated_from": self.estimated_from,
            "refusal": self.refusal or None,
            "latent": [_report(report) for report in self.latent],
        }

    def text(self) -> str:
        """The lines for a reader."""
        law = self.law
        lines = [f"{law.law}, {law.n} sites, {law.classes} class{'es' if law.classes > 1 else ''}"]
        if self.estimated_from is not None:
            lines.append(f"estimated from {self.estimated_from} examples of the law")
        for c, (own, error) in enumerate(zip(self.statistics, self.errors, strict=True)):
            lags = list(self._lags())
            by_lag = own.covariance[self.site, lags]
            mean, variance, kurtosis, lag = _said(error, lags)
            lines += [
                "",
                f"class {c}, probability {_share(law.probabilities[c])}",
                f"  mean               {_spread(own.mean)}{mean}",
                f"  variance           {_spread(own.variance)}{variance}",
                f"  excess kurtosis    {_spread(_standardised(own, 4))}{_still(own)}{kurtosis}",
                f"  covariance by lag  {_row(by_lag)}{lag}",
                f"  spectrum           {_row(own.spectrum)}",
            ]
        if not all(own.alike for own in self.statistics):
            lines += ["", f"Lags are counted from site {self.site}; the sites are not all alike."]
        lines += ["", self.refusal] if self.refusal else []
        lines += ["", "correlation of the latent", *(f"  {report.text()}" for report in self.latent)] * bool(
            self.latent
        )
        return "\n".join(lines)


def _standardised(own: InputStatistics, order: int) -> np.ndarray | None:
    """Skewness (order 3) or excess kurtosis (4) of each site, NaN where it does not vary; None where it is unknown."""
    moving = np.flatnonzero(own.variance > 0)
    found = np.full(len(own.variance), np.nan)
    try:
        if len(moving) == len(found):
            return own.skewness if order == 3 else own.kurtosis
        moments = (own.third if order == 3 else own.fourth)(*[moving] * order)
    except OutOfReachError:
        return None
    found[moving] = moments / own.variance[moving] ** (order / 2) - (3 if order == 4 else 0)
    return found if len(moving) else None


def _listed(numbers: np.ndarray | None) -> list[float | None] | None:
    """The numbers for JSON, None at sites that do not vary."""
    return None if numbers is None else [None if np.isnan(x) else x for x in numbers.tolist()]


def _still(own: InputStatistics) -> str:
    """How many sites have a single value, whose kurtosis is undefined."""
    still = int((own.variance == 0).sum())
    return f" over the {len(own.variance) - still} sites that vary; {still} do not" if still else ""


def _errors(error: StandardErrors) -> dict[str, Any]:
    found = {"mean": error.mean, "variance": error.variance, "covariance": error.covariance}
    return found | {"kurtosis": _listed(error.kurtosis)}


def _said(error: StandardErrors | None, lags: list[int]) -> list[str]:
    """The largest standard errors of mean, variance, kurtosis and covariance by lag, in words; nothing where exact."""
    if error is None:
        return [""] * 4
    all_of = (error.mean, error.variance, error.kurtosis, error.covariance[lags])
    known = [own[~np.isnan(own)] for own in all_of]
    return [f" (standard error{' up to' * (len(own) > 1)} {own.max():.2g})" if len(own) else "" for own in known]


def _report(report: LatentReport) -> dict[str, Any]:
    found = report.found
    return {
        "class": report.c,
        "kind": report.kind,
        "xi": report.xi,
        "shape": report.shape,
        "valid": report.valid,
        "proved": report.proved,
        "regular": report.regular,
        "smallest_eigenvalue": None if found is None else found.eigenvalue,
        "is_lower_bound": None if found is None else found.bound,
        "rounding": None if found is None else found.rounding,
        "cycles_per_site": None if found is None else found.frequency,
        "longest_valid_xi": None if report.longest is None else report.longest[0],
        "indefinite_above_xi": None if report.longest is None else report.longest[1],
    }


def _share(p: Fraction) -> str:
    """A probability as a fraction, or as a decimal where the fraction is that of a float64."""
    return str(p) if p.denominator <= MOST_DENOMINATOR else f"{float(p):.6g}"


def _row(numbers: np.ndarray) -> str:
    shown = " ".join(f"{number:.4g}" for number in numbers[:MOST_SHOWN])
    return shown + (f" ... ({len(numbers)})" if len(numbers) > MOST_SHOWN else "")


def _spread(numbers: np.ndarray | None) -> str:
    """One number where all sites have it, else the smallest and the largest."""
    if numbers is None:
        return "not defined, or not known"
    low, high = float(np.nanmin(numbers)), float(np.nanmax(numbers))
    return f"{low:.6g}" if high - low <= 1e-12 * max(abs(low), abs(high)) else f"{low:.6g} to {high:.6g}"


def answer(law: Law) -> DataShowAnswer:
    """The exact statistics of a law's inputs and the report on its latent.

    Raises OutOfReachError for a law that has neither.

    >>> from theory.problem import NonlinearGP
    >>> law = NonlinearGP(40, (2, 1), 1, "open", "unit-variance", (1, 0), correlation="exponential")
    >>> print(answer(law).text().splitlines()[4])
      variance           1
    """
    latent = psd_report(law, longest=True) if isinstance(law, NonlinearGP) else ()
    try:
        statistics = tuple(input_statistics(law, c) for c in range(law.classes))
        _ = [own.covariance for own in statistics]
    except OutOfReachError as error:
        if not latent:
            raise
        return DataShowAnswer(law, (), str(error), latent)
    return DataShowAnswer(law, statistics, "", latent)
