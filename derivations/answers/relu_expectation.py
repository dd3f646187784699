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
_FEWEST_OF_A_KURTOSIS = 3  # rows: the kurtosis of up to three numbers is the same for all
_DECIDES = "Networks decide: gdln compare PROBLEM --beside relu trains them."


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


def class_name(law: Law, c: int) -> str:
    """Return the number of a class with its label, by which numbers of classes are not read as labels.

    >>> from theory.problem import FiniteData
    >>> class_name(FiniteData([[1, 0], [0, 1]], [1, "1/2"]), 1), class_name(FiniteData([[1]], [[2, 3]]), 0)
    ('class 1 (y = 0.5)', 'class 0 (y = (2, 3))')
    """
    label = law.labels[c]
    if not isinstance(label, tuple):
        return f"class {c} (y = {float(label):.6g})"
    numbers = ", ".join(f"{float(number):.6g}" for number in label)
    return f"class {c} (y = ({numbers}))"


def fixed_kurtosis(statistics: InputStatistics) -> int:
    """Return the number of rows if they are so few that their kurtosis does not depend on them, else 0.

    Every two different numbers have the excess kurtosis -2, every three -3/2.
    """
    few = isinstance(statistics, ExampleStatistics) and len(statistics.x) <= _FEWEST_OF_A_KURTOSIS
    return len(statistics.x) if few else 0


def expectation(law: Law, statistics: Sequence[InputStatistics], controlled: bool = False, name: str = "") -> str:
    """Return the sentence on class y = 1, or class 0; `controlled` if the other class will have the same covariance.

    The closure takes a preactivation given a pixel as Gaussian. The flat field is unstable where the elasticity of the
    amplifier at its correlation a exceeds the critical value, which is 1 for two classes of equal covariance. `name` is
    that of the class, with its number and label by default.

    >>> from theory.moments.inputs import input_statistics
    >>> from theory.problem import NonlinearGP
    >>> law = NonlinearGP(40, (3, 1), 3, "ring", "unit-variance", (1, 0))
    >>> print(expectation(law, [input_statistics(law, c) for c in (0, 1)]).partition(":")[0])
    class 0 (y = 1) is sub-Gaussian (excess kurtosis -1.83 on average)
    """
    c = class_of_one(law)
    of_class, name = statistics[c], name or class_name(law, c)
    if few := fixed_kurtosis(of_class):
        return f"nothing can be said: {name} has {few} rows, too few for a kurtosis."
    kurtosis = kurtosis_by_site(of_class)
    if kurtosis is None:
        return f"nothing can be said: {name} has no known kurtosis, or no site that varies."
    mean, error = float(np.nanmean(kurtosis)), _error(of_class)
    if error and (count := len(of_class.x)) > 3:  # without the bias of a sample, -6/(N + 1) for a Gaussian
        mean = (count - 1) * ((count + 1) * mean + 6) / ((count - 2) * (count - 3))
    tails = "as heavy-tailed as a Gaussian" if abs(mean) <= max(_ERRORS * error, _ROUNDING) else ""
    tails = tails or ("sub-Gaussian" if mean < 0 else "super-Gaussian")
    said = f"{name} is {tails} (excess kurtosis {mean:.3g}{f' +- {error:.1g}' if error else ''} on average)"
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
    """The prediction of the closure at the start, a flat field, or why there is none."""
    if controlled and isinstance(statistics, ExampleStatistics) and not np.ptp(statistics.p) > 0:
        if len(statistics.x) < _FEWEST:
            return f"{len(statistics.x)} examples are too few for an elasticity; it needs {_FEWEST}."
        (a, elasticity, error), critical = pooled_elasticity(statistics), 1.0
        if not a > _NO_POWER:
            return "the sum over its sites does not vary, so that there is no flat field to start from."
        flat, other = _flat_and_other(statistics)
        if not flat > other * (1 + _ROUNDING):
            return (
                f"nothing can be said: a flat field has the variance {flat:.3g}, no more than another of the same norm "
                f"({other:.3g}), as after whitening: small weights do not become flat first."
            )
    else:
        try:
            state = flat_state_of(law)
        except WorkbenchError as refused:
            return f"no critical elasticity is known for it. {refused.message}"
        a, elasticity, error, critical = state.a, state.elasticity, 0.0, state.critical
    known = f"its elasticity {elasticity:.4g}{f' +- {error:.1g}' if error else ''} at the correlation {a:.3g}"
    if error:
        known += " (sites taken as alike; +-: of these examples, not of the closure)"
    if abs(elasticity - critical) <= _ERRORS * error:
        return f"{known} cannot be told from the critical value {critical:.4g}, above which a flat field is unstable."
    if elasticity > critical:
        return (
            f"the closure predicts that a flat field is unstable, so that weights may localize from there: {known} "
            f"exceeds the critical value {critical:.4g}. {_DECIDES}"
        )
    return (
        f"the closure predicts that a flat field is stable, so that weights do not localize from there: {known} is "
        f"below the critical value {critical:.4g}. {_DECIDES}"
    )


def _flat_and_other(statistics: InputStatistics) -> tuple[float, float]:
    """Return e'Ce for the flat field e = (1, ..., 1)/sqrt(n), and the largest v'Cv for unit v orthogonal to e."""
    c = statistics.covariance
    across = c - c.mean(axis=0) - c.mean(axis=1)[:, None] + c.mean()
    return float(c.mean() * len(c)), float(np.linalg.eigvalsh(across)[-1])


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
