"""The answer of `gdln data show`: statistics of a law's inputs, class by class, and a report on its latent."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float

from derivations.answers.data_files import DataFile, grid_of, is_data, read
from derivations.answers.reading import read_problem
from derivations.answers.relu_expectation import class_name, expectation, fixed_kurtosis, kurtosis_by_site
from derivations.statistics.alignment import middle
from theory.moments.estimated import StandardErrors, standard_errors
from theory.moments.inputs import InputStatistics, input_statistics
from theory.moments.psd import LatentReport, psd_report
from theory.moments.sampled import is_estimated
from theory.problem import InputError, Law, NonlinearGP, OutOfReachError
from theory.problem.toml import DATA

MOST_DENOMINATOR = 10**6
MOST_SHOWN = 12  # lags and eigenvalues in the text; the JSON has all
MOST_CLASSES = 20  # of a data file: labels of more values are those of a regression
_ALL_ROWS = "all rows"
_SURROGATE = (
    "no labels: gdln new NAME --data {file} takes the Gaussian surrogate of the same mean and covariance, the control, "
    "as the second class"
)


@dataclass(frozen=True)
class DataShowAnswer:
    """Mean, variance, kurtosis, covariance with the middle site and spectrum of each class; the latent's report.

    Estimated statistics have standard errors, but for the spectrum, whose ends are biased outwards. Without statistics
    `refusal` says why, and the report alone is shown. Statistics of a data `file` are those of its rows, and of all of
    them together where its `labels` are those of a regression.
    """

    law: Law
    statistics: tuple[InputStatistics, ...]
    refusal: str
    latent: tuple[LatentReport, ...]
    file: DataFile | None = None
    labels: Float[np.ndarray, "N m"] | None = None

    @cached_property
    def expected(self) -> str:
        """What to expect of a ReLU neuron, in a sentence; empty without statistics."""
        name = "this data set" if self._of_all_rows else ""
        return expectation(self.law, self.statistics, self._unlabelled, name) if self.statistics else ""

    @property
    def _of_all_rows(self) -> bool:
        """Whether the statistics are those of a file's rows without regard to labels."""
        return self.file is not None and not self.file.labelled

    @property
    def _unlabelled(self) -> bool:
        """Whether a file has no labels, so that a problem on it has a Gaussian of the same covariance beside it."""
        return self._of_all_rows and self.labels is None

    @cached_property
    def site(self) -> int:
        """The middle site, of a grid that of its middle row and column, whose covariances are shown."""
        return middle(self.law)

    @property
    def _shape(self) -> tuple[int, int] | None:
        """Rows and columns of a grid; None for a line, also of a law whose sites may lie on a grid."""
        return getattr(self.law, "shape", None)

    @property
    def estimated_from(self) -> int | None:
        """The number of examples from which the statistics are estimated; None where they are exact."""
        return (
            sum(len(of_class.x) for of_class in self.statistics) if self.statistics and is_estimated(self.law) else None
        )

    @cached_property
    def errors(self) -> tuple[StandardErrors | None, ...]:
        """The standard errors of each class; None where the statistics are exact."""
        known = self.estimated_from is None
        return tuple(None if known else standard_errors(of_class, self.site) for of_class in self.statistics)

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
                    "mean": of_class.mean,
                    "variance": of_class.variance,
                    "kurtosis": _listed(kurtosis_by_site(of_class)),
                    "skewness": _listed(kurtosis_by_site(of_class, 3)),
                    "sites_that_do_not_vary": int((of_class.variance == 0).sum()),
                    "covariance": of_class.covariance[self.site],
                    "covariance_by_lag": of_class.covariance[self.site, list(self._lags())],
                    "spectrum": of_class.spectrum,
                    "standard_errors": None if error is None else _errors(error),
                }
                for of_class, error in zip(self.statistics, self.errors, strict=True)
            ],
            "estimated_from": self.estimated_from,
            "refusal": self.refusal or None,
            "latent": [_report(report) for report in self.latent],
            "expected": self.expected or None,
            **({} if self.file is None else {"file": str(self.file.path), "rows": len(self.file.rows.x)}),
            **({} if self.file is None else {"shape": self.file.shape, "labelled": not self._unlabelled}),
            **({} if self.labels is None else {"labels": _of_labels(self.labels, self.file.rows.probabilities)}),
        }

    def text(self) -> str:
        """The lines for a reader."""
        law = self.law
        what = law.law if self.file is None else f"{self.file.path}: {len(self.file.rows.x)} rows"
        grid = "" if self._shape is None or self.file is None else f" ({self._shape[0]} x {self._shape[1]})"
        classes = "" if self._of_all_rows else f", {law.classes} class{'es' if law.classes > 1 else ''}"
        lines = [f"{what}, {law.n} sites{grid}{classes}{', no labels' if self._unlabelled else ''}"]
        if self.labels is not None:
            labels = _of_labels(self.labels, self.file.rows.probabilities)
            mean, variance = _spread(labels["mean"]), _spread(labels["variance"])
            lines += [
                f"labels y of {labels['distinct']} values, more than {MOST_CLASSES}: no classes, but numbers to fit",
                f"  mean {mean}, variance {variance}",
            ]
        rounding = False
        if self.estimated_from is not None:
            lines.append(f"estimated from {self.estimated_from} examples of the law")
        for c, (of_class, error) in enumerate(zip(self.statistics, self.errors, strict=True)):
            lags = list(self._lags())
            mean, by_lag, spectrum = shown = _without_rounding(of_class, self.site, lags)
            rounding |= any(map(np.ndarray.any, map(np.not_equal, shown, _numbers(of_class, self.site, lags))))
            said = _said(error, lags)
            lines += [
                "",
                _ALL_ROWS if self._of_all_rows else f"{class_name(law, c)}, probability {_share(law.probabilities[c])}",
                f"  mean               {_spread(mean)}{said[0]}",
                f"  variance           {_spread(of_class.variance)}{said[1]}",
                f"  excess kurtosis    {_kurtosis(of_class)}{_still(of_class)}{said[2]}",
                f"  covariance by lag  {_row(by_lag, 'lags')}{said[3]}",
                f"  spectrum           {_row(spectrum, 'eigenvalues')}",
            ]
        lines += ["", "0 stands for a number that cannot be told from 0 in float64."] if rounding else []
        if not all(of_class.alike for of_class in self.statistics):
            lines += ["", f"Lags are counted from site {self.site}; the sites are not all alike."]
        lines += ["", self.refusal] if self.refusal else ["", f"a ReLU neuron: {self.expected}"]
        if self._unlabelled:  # an array of Python is in no file
            lines += ["", _SURROGATE.format(file=self.file.path if self.file.path.exists() else "FILE")]
        lines += ["", "correlation of the latent", *(f"  {report.text()}" for report in self.latent)] * bool(
            self.latent
        )
        return "\n".join(lines)


def _listed(numbers: np.ndarray | None) -> list[float | None] | None:
    """The numbers for JSON, None at sites that do not vary."""
    return None if numbers is None else [None if np.isnan(x) else x for x in numbers.tolist()]


def _still(statistics: InputStatistics) -> str:
    """How many sites have a single value, whose kurtosis is undefined."""
    still = int((statistics.variance == 0).sum())
    return f" over the {len(statistics.variance) - still} sites that vary; {still} do not" if still else ""


def _errors(error: StandardErrors) -> dict[str, Any]:
    return {
        "mean": error.mean,
        "variance": error.variance,
        "covariance": error.covariance,
        "kurtosis": _listed(error.kurtosis),
    }


def _said(error: StandardErrors | None, lags: list[int]) -> list[str]:
    """The largest standard errors of mean, variance, kurtosis and covariance by lag, in words; nothing where exact."""
    if error is None:
        return [""] * 4
    all_of = (error.mean, error.variance, error.kurtosis, error.covariance[lags])
    known = [errors[~np.isnan(errors)] for errors in all_of]
    return [
        f" (standard error{' up to' * (len(errors) > 1)} {errors.max():.2g})" if len(errors) else "" for errors in known
    ]


def _report(report: LatentReport) -> dict[str, Any]:
    smallest = report.found
    return {
        "class": report.c,
        "kind": report.kind,
        "xi": report.xi,
        "shape": report.shape,
        "valid": report.valid,
        "proved": report.proved,
        "regular": report.regular,
        "smallest_eigenvalue": None if smallest is None else smallest.eigenvalue,
        "is_lower_bound": None if smallest is None else smallest.bound,
        "rounding": None if smallest is None else smallest.rounding,
        "cycles_per_site": None if smallest is None else smallest.frequency,
        "longest_valid_xi": None if report.longest is None else report.longest[0],
        "indefinite_above_xi": None if report.longest is None else report.longest[1],
    }


def _share(p: Fraction) -> str:
    """A probability as a fraction, or as a decimal where the fraction is that of a float64."""
    return str(p) if p.denominator <= MOST_DENOMINATOR else f"{float(p):.6g}"


def _of_labels(y: Float[np.ndarray, "N m"], p: Float[np.ndarray, " N"]) -> dict[str, Any]:
    """The number of distinct labels, and the mean and variance of each of their numbers."""
    mean = p @ y
    return {"distinct": len(np.unique(y, axis=0)), "mean": mean, "variance": p @ (y - mean) ** 2}


def _numbers(statistics: InputStatistics, site: int, lags: list[int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean, covariance by lag, and spectrum."""
    return statistics.mean, statistics.covariance[site, lags], statistics.spectrum


def _without_rounding(
    statistics: InputStatistics, site: int, lags: list[int]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean, covariance by lag and spectrum, with 0 in place of numbers that are no larger than their rounding.

    That is eps times the number of terms of a sum, times the largest term: of |x|, of the variance, of the spectrum.
    """
    x = getattr(statistics, "x", None)
    terms = len(statistics.variance) if x is None else max(x.shape)
    rounding = np.finfo(float).eps * terms
    largest = statistics.variance.max() ** 0.5 if x is None else np.abs(x).max()
    scales = (largest, statistics.variance.max(), np.abs(statistics.spectrum).max())
    numbers = _numbers(statistics, site, lags)
    mean, by_lag, spectrum = (
        np.where(np.abs(of) <= rounding * s, 0.0, of) for of, s in zip(numbers, scales, strict=True)
    )
    return mean, by_lag, spectrum


def _kurtosis(statistics: InputStatistics) -> str:
    few = fixed_kurtosis(statistics)
    fixed = f" ({few} rows are too few: all have this value)" if few else ""
    return _spread(kurtosis_by_site(statistics)) + fixed


def _row(numbers: np.ndarray, what: str) -> str:
    shown = " ".join(f"{number:.4g}" for number in numbers[:MOST_SHOWN])
    return shown + (f" ... ({len(numbers)} {what})" if len(numbers) > MOST_SHOWN else "")


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
        _ = [of_class.covariance for of_class in statistics]
    except OutOfReachError as error:
        if not latent:
            raise
        return DataShowAnswer(law, (), str(error), latent)
    return DataShowAnswer(law, statistics, "", latent)


def shown(
    name: str | Path, settings: Sequence[str] | None = None, labels: Path | None = None, grid: str | None = None
) -> DataShowAnswer:
    """The answer on a data file (`derivations.answers.data_files`), or on the data of a problem file.

    Labels of more than 20 values make no classes. Raises InputError as `read` and `load` do, and for labels or a grid
    beside a problem file.
    """
    if not is_data(Path(name)):
        if labels or grid:
            hint = f"Leave them out, or name a folder of pictures or a file that ends with {', '.join(DATA)}."
            raise InputError(f"--labels and --grid belong to data of your own, and {name} is none.", hint, "usage")
        return answer(read_problem(name, settings).data)
    if settings:
        raise InputError("--set changes a problem, and a data file is none.", "Leave --set out.", "usage")
    return of_file(read(Path(name), labels, grid_of(grid)))


def of_file(file: DataFile) -> DataShowAnswer:
    """The answer on examples, of all rows together where their labels have more than 20 values."""
    labels = None
    if file.table.classes > MOST_CLASSES:
        file, labels = file.without_labels(), file.rows.y
    statistics = tuple(input_statistics(file.table, c) for c in range(file.table.classes))
    return DataShowAnswer(file.table, statistics, "", (), file, labels)
