"""Controls of a data law: laws that differ from it in one statistic, so that a difference in learning has one cause.

    controls(law)              those of a law, by name; a control that a law lacks says why
    matched(law, nonlinearity) the law of other marginals whose inputs have the same covariance

The names answer the question "kurtosis or correlation?":

    gaussian     the same mean and covariance of the inputs, Gaussian marginals
    marginal     the same covariance of the inputs, another marginal distribution
    copula       the same marginal distribution, another correlation of the latent
    exchanged    both the same, the labels of the classes exchanged
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Any

import numpy as np
from jaxtyping import Float
from scipy.optimize import brentq

from theory.moments.arithmetic import FLOAT64
from theory.moments.inputs import InputStatistics, input_statistics
from theory.moments.statistics import class_statistics
from theory.problem import GaussianClone, InputError, Law, NonlinearGP, OutOfReachError
from theory.problem.correlations.table import TableCorrelation
from theory.problem.nonlinearities.identity import Identity

NAMES = ("gaussian", "marginal", "copula", "exchanged")
_AT_RHO = 1e-15  # of a correlation, where a root is found


@dataclass(frozen=True)
class Control:
    """A control of a law: its name, a sentence that says in which statistic alone it differs, and the law.

    Where the law has no such control, `law` is None and `why` is the reason; where it is not made, the reason is empty.
    """

    name: str
    says: str
    law: Law | None
    why: str = ""


def controls(
    law: Law, marginal: Any = "laplace", correlation: Any = "exponential", names: Collection[str] = NAMES
) -> tuple[Control, ...]:
    """Return the controls of a law; `marginal` is the nonlinearity of "marginal", `correlation` that of "copula".

    Those that are not among `names` are not made, which may take long: they have neither a law nor a reason.

    Raises InputError for a nonlinearity or correlation that is none.

    >>> law = NonlinearGP(8, (2, 1), 3, "open", "unit-variance", (1, 0))
    >>> [control.name for control in controls(law) if control.law is not None]
    ['gaussian', 'marginal', 'copula', 'exchanged']
    """
    word = marginal if isinstance(marginal, str) else getattr(marginal, "kind", marginal)
    kernel = correlation if isinstance(correlation, str) else getattr(correlation, "kind", correlation)
    made: dict[str, tuple[str, Callable[[], Law]]] = {
        "gaussian": ("the same mean and covariance, Gaussian marginals", lambda: gaussian(law)),
        "marginal": (f"the same covariance, marginals through {word}", lambda: matched(law, marginal)),
        "copula": (f"the same marginals, the latent's correlation {kernel}", lambda: other_copula(law, correlation)),
        "exchanged": ("the same inputs, the labels of the classes exchanged", lambda: exchanged(law)),
    }
    return tuple(
        _control(name, says, make) if name in names else Control(name, says, None)
        for name, (says, make) in made.items()
    )


def _control(name: str, says: str, make: Callable[[], Law]) -> Control:
    try:
        return Control(name, says, make())
    except (InputError, OutOfReachError) as error:
        return Control(name, says, None, f"{error.message} {error.hint}".strip())


def gaussian(law: Law) -> Law:
    """Return the Gaussian law with the same mean and covariance in each class.

    It is the clone of a nonlinear Gaussian process, and for another stationary law the process z + m with a table of
    correlations. Raises OutOfReachError where the covariance is not a function of the distance, or the inputs are
    Gaussian.

    >>> from theory.problem import SinglePulse
    >>> pulses = SinglePulse(8, ((2, 2), (3, 4)), "plus-minus", "sign", (1, 0))
    >>> copy = gaussian(pulses)
    >>> off = input_statistics(copy, 1).covariance - input_statistics(pulses, 1).covariance
    >>> bool(np.abs(off).max() < 1e-15)
    True
    """
    if type(law) is GaussianClone or isinstance(getattr(law, "nonlinearity", None), Identity):
        raise OutOfReachError("The inputs of this law are Gaussian already.", "Compare with another control.")
    if type(law) is NonlinearGP:
        return GaussianClone(**{field.name: getattr(law, field.name) for field in fields(law)})
    found = [input_statistics(law, c) for c in range(law.classes)]
    lags, boundary = _by_lag(law, found)
    return NonlinearGP(
        law.n,
        (),
        tuple(_exact(np.sqrt(own[0])) for own in lags),
        boundary,
        "none",
        law.labels,
        priors=law.priors,
        means=tuple(tuple(map(_exact, own.mean.tolist())) for own in found),
        correlation=tuple(_table(own / own[0]) for own in lags),
        nonlinearity="identity",
    )


def matched(law: Law, nonlinearity: Any) -> NonlinearGP:
    """Return the process x = f(z)/Z + m with the given f whose inputs have the covariance of `law` in each class.

    The correlation of the latent is the table of the roots rho_d of c_f(rho_d) = C_d/C_0, found in float64; f(z)/Z has
    variance 1, so that the covariance of the inputs must have it too. Raises InputError where no Gaussian latent has
    these correlations: then no such copula exists.

    >>> law = NonlinearGP(8, (2, 1), 3, "open", "unit-variance", (1, 0))
    >>> copy = matched(law, "uniform")
    >>> off = input_statistics(copy, 0).covariance - input_statistics(law, 0).covariance
    >>> bool(np.abs(off).max() < 1e-13), copy.nonlinearity == law.nonlinearity
    (True, False)
    """
    found = [input_statistics(law, c) for c in range(law.classes)]
    lags, boundary = _by_lag(law, found)
    for c, own in enumerate(lags):
        if abs(own[0] - 1) > len(lags) * np.finfo(float).eps * 8:
            raise OutOfReachError(
                f"Class {c} has the variance {own[0]:.6g}: matched marginals are scaled to variance 1.",
                'Use normaliser = "unit-variance", and one gain for all classes.',
            )
    process = NonlinearGP(2, (1, 1), 1, "open", "unit-variance", (1, 0), nonlinearity=nonlinearity)
    if process.nonlinearity == getattr(law, "nonlinearity", None) and law.gain == 1:
        raise OutOfReachError("The law has these marginals already.", "Choose another nonlinearity.")
    means = tuple(tuple(map(_exact, own.mean.tolist())) for own in found)
    tables = tuple(_table(_latents(process, own)) for own in lags)
    try:
        return NonlinearGP(
            law.n, (), 1, boundary, "unit-variance", law.labels, priors=law.priors, means=means, correlation=tables,
            nonlinearity=process.nonlinearity,
        )  # fmt: skip
    except InputError as error:
        raise InputError(
            f"No Gaussian copula with the marginals {process.nonlinearity.kind} has this covariance: {error.message}",
            "Choose marginals closer to those of the law, or a shorter correlation length.",
        ) from None


def other_copula(law: Law, correlation: Any) -> NonlinearGP:
    """Return the process with the same nonlinearity, gain and lengths, and another correlation of its latent.

    Raises OutOfReachError for a law without a Gaussian latent or with this correlation.

    >>> law = NonlinearGP(8, (2, 1), 3, "open", "unit-variance", (1, 0))
    >>> other = other_copula(law, "exponential")
    >>> bool(input_statistics(other, 0).kurtosis[0] == input_statistics(law, 0).kurtosis[0])
    True
    """
    if not isinstance(law, NonlinearGP):
        raise OutOfReachError(
            f"The law {law.law!r} has no Gaussian latent, whose correlation could be another.",
            "Use a law that has one, such as nlgp.",
        )
    other = replace(law, correlation=correlation)
    if other == law:
        raise OutOfReachError("The latent has this correlation already.", "Choose another one.")
    return other


def exchanged(law: Law) -> Law:
    """Return the law in which each class has the label of the next one. Raises OutOfReachError for laws of examples.

    >>> exchanged(NonlinearGP(8, (2, 1), 3, "open", "none", (1, 0))).labels
    (Fraction(0, 1), Fraction(1, 1))
    """
    if "labels" not in {field.name for field in fields(law)}:
        raise OutOfReachError(
            f"The labels of the law {law.law!r} belong to its examples.", "Exchange them in the examples themselves."
        )
    return replace(law, labels=(*law.labels[1:], law.labels[0]))


def _by_lag(law: Law, found: list[InputStatistics]) -> tuple[list[Float[np.ndarray, " lags"]], str]:
    """The covariance of each class by the distance of two sites, and the boundary; OutOfReachError where it is none."""
    n = law.n
    site = np.arange(n)
    for boundary in ("ring", "open"):
        apart = np.abs(site[:, None] - site[None, :])
        distance = apart if boundary == "open" else np.minimum(apart, n - apart)
        rows = [own.covariance[0, : n if boundary == "open" else n // 2 + 1] for own in found]
        rounding = 16 * np.finfo(float).eps
        off = [np.abs(own.covariance - row[distance]).max() for own, row in zip(found, rows, strict=True)]
        if all(error <= rounding * abs(row[0]) for error, row in zip(off, rows, strict=True)):
            if not all(row[0] > 0 for row in rows):
                raise OutOfReachError("The inputs of a class do not vary.", "Choose another law.")
            return rows, boundary
    raise OutOfReachError(
        f"The covariance of the law {law.law!r} is not a function of the distance along a line or a ring.",
        "Use a law that is stationary on a line or a ring.",
    )


def _latents(process: NonlinearGP, covariances: Float[np.ndarray, " lags"]) -> Float[np.ndarray, " lags"]:
    """The correlation of two latents whose inputs have each covariance."""

    def covariance(rho: float) -> float:
        pair = replace(process, correlation=_table(np.array([1.0, rho])), xi=())
        return float(class_statistics(pair, 0, FLOAT64).covariances[1])

    least, largest = covariance(-1.0), covariance(1.0)
    found = [1.0]
    for lag, value in enumerate(covariances[1:].tolist(), 1):
        if not least <= value <= largest:
            raise InputError(
                f"At distance {lag} the covariance is {value:.6g}; with the marginals {process.nonlinearity.kind} it "
                f"lies from {least:.6g} to {largest:.6g}.",
                "Choose other marginals.",
            )
        found.append(0.0 if value == 0 else brentq(lambda rho, v=value: covariance(rho) - v, -1, 1, xtol=_AT_RHO))
    return np.array(found)


def _table(values: Float[np.ndarray, " lags"]) -> TableCorrelation:
    return TableCorrelation([_exact(value) for value in values.tolist()])


def _exact(value: float) -> Fraction:
    """The shortest decimal that rounds to a float64 number."""
    return Fraction(repr(float(value)))
