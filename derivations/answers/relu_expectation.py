"""What to expect of a ReLU neuron, by the kurtosis of its inputs and the closure of its flat field, in a sentence."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from derivations.answers.amplifier import class_of_one
from theory.moments.amplifier import flat_state_of, sampled
from theory.moments.estimated import kurtosis_influence
from theory.moments.example_statistics import ExampleStatistics
from theory.moments.inputs import InputStatistics
from theory.problem import Law, OutOfReachError, WorkbenchError

_ERRORS = 2  # standard errors within which a mean kurtosis counts as that of a Gaussian
_ROUNDING = 1e-9
_GROUPS = 16  # of the examples, for the standard error of an elasticity
_FEWEST = 10 * _GROUPS
_NO_POWER = 1e-6  # of a correlation of a site with the sum of all


def kurtosis_by_site(statistics: InputStatistics, order: int = 4) -> np.ndarray | None:
    """Return the excess kurtosis (order 4) or skewness (3) of each site, NaN if it does not vary; None if unknown."""
    moving = np.flatnonzero(statistics.variance > 0)
    kurtosis = np.full(len(statistics.variance), np.nan)
    try:
        if len(moving) == len(kurtosis):
            return statistics.skewness if order == 3 else statistics.kurtosis
        moments = (statistics.third if order == 3 else statistics.fourth)(*[moving] * order)
    except OutOfReachError:
        return None
    kurtosis[moving] = moments / statistics.variance[moving] ** (order / 2) - (3 if order == 4 else 0)
    return kurtosis if len(moving) else None


def expectation(law: Law, statistics: Sequence[InputStatistics], controlled: bool = False) -> str:
    """Return the sentence on class y = 1, or class 0; `controlled` if the other class will have the same covariance.

    The closure takes a preactivation given a pixel as Gaussian. The flat field is unstable where the elasticity of the
    amplifier at its correlation a exceeds the critical value, which is 1 for two classes of equal covariance.

    >>> from theory.moments.inputs import input_statistics
    >>> from theory.problem import NonlinearGP
    >>> law = NonlinearGP(40, (3, 1), 3, "ring", "unit-variance", (1, 0))
    >>> print(expectation(law, [input_statistics(law, c) for c in (0, 1)]).partition(":")[0])
    class 0 is sub-Gaussian (excess kurtosis -1.83 on average)
    """
    c = class_of_one(law)
    of_class = statistics[c]
    kurtosis = kurtosis_by_site(of_class)
    if kurtosis is None:
        return f"nothing can be said: class {c} has no known kurtosis, or no site that varies."
    mean, error = float(np.nanmean(kurtosis)), _error(of_class)
    if error and (count := len(of_class.x)) > 3:  # without the bias of a sample, -6/(N + 1) for a Gaussian
        mean = (count - 1) * ((count + 1) * mean + 6) / ((count - 2) * (count - 3))
    tails = "as heavy-tailed as a Gaussian" if abs(mean) <= max(_ERRORS * error, _ROUNDING) else ""
    tails = tails or ("sub-Gaussian" if mean < 0 else "super-Gaussian")
    said = f"class {c} is {tails} (excess kurtosis {mean:.3g}{f' +- {error:.1g}' if error else ''} on average)"
    alike = controlled or _equal_covariances(statistics)
    if alike and error and abs(mean) <= _ERRORS * error:
        return f"{said}: Gaussian data have the elasticity 1, the critical value, and nothing tells these from them."
    return f"{said}: {_closure(law, of_class, alike)}"


def _equal_covariances(statistics: Sequence[InputStatistics]) -> bool:
    if len(statistics) != 2:
        return False
    one, other = (each.covariance for each in statistics)
    return bool(np.abs(one - other).max() <= _ROUNDING * np.abs(one).max())


def _closure(law: Law, statistics: InputStatistics, controlled: bool) -> str:
    """Whether the flat field is unstable, or why that is not known."""
    if controlled and isinstance(statistics, ExampleStatistics) and not np.ptp(statistics.p) > 0:
        if len(statistics.x) < _FEWEST:
            return f"{len(statistics.x)} examples are too few for an elasticity; it needs {_FEWEST}."
        (a, elasticity, error), critical, by = (
            pooled_elasticity(statistics),
            1.0,
            "closure, which takes the sites as alike",
        )
        if not a > _NO_POWER:
            return "the sum over its sites does not vary, so that there is no flat field to start from."
    else:
        try:
            flat = flat_state_of(law)
        except WorkbenchError as refused:
            return f"no critical elasticity is known for it. {refused.message}"
        a, elasticity, error, critical, by = flat.a, flat.elasticity, 0.0, flat.critical, "closure"
    known = f"its elasticity {elasticity:.4g}{f' +- {error:.1g}' if error else ''} at the correlation {a:.3g}"
    if abs(elasticity - critical) <= _ERRORS * error:
        return f"{known} cannot be told from the critical value {critical:.4g}, above which a flat field is unstable."
    if elasticity > critical:
        return f"a flat field is unstable and may localize: {known} exceeds the critical value {critical:.4g} ({by})."
    return f"a flat field is stable and stays flat: {known} is below the critical value {critical:.4g} ({by})."


def pooled_elasticity(statistics: ExampleStatistics) -> tuple[float, float, float]:
    """Return the mean correlation of a site with the sum of all, the elasticity there, and its standard error.

    The elasticity is that of all sites together, each scaled; its error is that of the mean over groups of examples.
    """
    moving, z = statistics.variance > 0, _scaled(statistics)
    total = float(statistics.covariance.sum())
    if not total > 0:
        return 0.0, 1.0, 0.0
    a = float((statistics.covariance.sum(axis=1)[moving] / np.sqrt(statistics.variance[moving] * total)).mean())
    if abs(a) >= 1:
        return 0.0, 1.0, 0.0
    parts = [sampled(part.ravel(), np.array([a]), rescale=True).elasticity[0] for part in np.array_split(z, _GROUPS)]
    whole = sampled(z.ravel(), np.array([a]), rescale=True).elasticity[0]
    return a, float(whole), float(np.std(parts, ddof=1) / _GROUPS**0.5)


def _error(statistics: InputStatistics) -> float:
    """The standard error of the mean kurtosis of equally likely examples over the sites; 0 for exact statistics."""
    if not isinstance(statistics, ExampleStatistics) or np.ptp(statistics.p) > 0:
        return 0.0
    return float(kurtosis_influence(_scaled(statistics)).mean(axis=1).std() / len(statistics.x) ** 0.5)


def _scaled(statistics: ExampleStatistics) -> Float[np.ndarray, "N n"]:
    """The sites that vary, with mean 0 and variance 1."""
    moving = statistics.variance > 0
    return (statistics.x[:, moving] - statistics.mean[moving]) / np.sqrt(statistics.variance[moving])
