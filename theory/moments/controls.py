"""Controls of a data law: laws that differ from it in one statistic, so that a difference in learning has one cause.

    controls(law)              those of a law, by name; a control that a law lacks says why
    matched(law, nonlinearity) the law of other marginals whose inputs have the same covariance

The names answer the question "kurtosis or correlation?":

    gaussian     the same mean and covariance of the inputs, Gaussian marginals
    marginal     the same covariance of the inputs, another marginal distribution
    copula       the same marginal distribution, another copula: for a law with a latent another correlation of it, for
                 others the Gaussian copula of the same covariance
    independent  the same marginal distributions, independent sites
    exchanged    both the same, the labels of the classes exchanged
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from jaxtyping import Float

from theory.moments.copulas import copula_with, independent, latent_correlations, process_with
from theory.moments.feature_moments import exactly
from theory.moments.inputs import input_statistics_of
from theory.moments.kept_statistics import by_lag, inputs_of, means_of, of_matrices, priors_of, shortest
from theory.problem import GaussianClone, InputError, Law, NonlinearGP, NonlinearGP2D, OutOfReachError
from theory.problem.correlations import correlation_of
from theory.problem.correlations.table import TableCorrelation
from theory.problem.distributions.gaussian import Gaussian
from theory.problem.distributions.gaussian_copula import GaussianCopula
from theory.problem.distributions.nonlinear_gp_matrix import NonlinearGPMatrix
from theory.problem.distributions.sampled import SampledLaw
from theory.problem.nonlinearities.identity import Identity

NAMES = ("gaussian", "marginal", "copula", "independent", "exchanged")


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
    ['gaussian', 'marginal', 'copula', 'independent', 'exchanged']
    """
    word = marginal if isinstance(marginal, str) else getattr(marginal, "kind", marginal)
    kernel = correlation if isinstance(correlation, str) else getattr(correlation, "kind", correlation)
    known = ", estimated from examples" if _is_estimated(law) else ""
    made: dict[str, tuple[str, Callable[[], Law]]] = {
        "gaussian": (f"the same mean and covariance{known}, Gaussian marginals", lambda: gaussian(law)),
        "marginal": (f"the same covariance{known}, marginals through {word}", lambda: matched(law, marginal)),
        "copula": (_other_copula_says(law, kernel), lambda: other_copula(law, correlation)),
        "independent": ("the same marginals, independent sites", lambda: without_correlations(law)),
        "exchanged": ("the same inputs, the labels of the classes exchanged", lambda: exchanged(law)),
    }
    return tuple(
        _control(name, says, make) if name in names else Control(name, says, None)
        for name, (says, make) in made.items()
    )


def _is_estimated(law: Law) -> bool:
    """Whether the statistics of the inputs are those of drawn examples."""
    estimates = input_statistics_of.registry[SampledLaw]
    return isinstance(law, SampledLaw) and exactly(input_statistics_of, law) is estimates


def _control(name: str, says: str, make: Callable[[], Law]) -> Control:
    try:
        return Control(name, says, make())
    except (InputError, OutOfReachError) as error:
        return Control(name, says, None, f"{error.message} {error.hint}".strip())


def gaussian(law: Law) -> Law:
    """Return the Gaussian law with the same mean and covariance in each class.

    It is the clone of a nonlinear Gaussian process, for another stationary law the process z + m with a table of
    correlations, and for all others the law "gaussian" with its matrices. Raises OutOfReachError where the inputs are
    Gaussian already, or do not vary, and for laws without a covariance.

    >>> from theory.moments.inputs import input_statistics
    >>> from theory.problem import SinglePulse
    >>> pulses = SinglePulse(8, ((2, 2), (3, 4)), "plus-minus", "sign", (1, 0))
    >>> copy = gaussian(pulses)
    >>> off = input_statistics(copy, 1).covariance - input_statistics(pulses, 1).covariance
    >>> bool(np.abs(off).max() < 1e-15)
    True
    """
    if type(law) in (GaussianClone, Gaussian) or isinstance(getattr(law, "nonlinearity", None), Identity):
        raise OutOfReachError("The inputs of this law are Gaussian already.", "Compare with another control.")
    if type(law) is NonlinearGP:
        return GaussianClone(**{field.name: getattr(law, field.name) for field in fields(law)})
    found = inputs_of(law)
    stationary = by_lag(law, found)
    if stationary is None:
        return of_matrices(law, found)
    lags, boundary = stationary
    return NonlinearGP(
        law.n,
        (),
        tuple(shortest(np.sqrt(own[0])) for own in lags),
        boundary,
        "none",
        law.labels,
        priors=priors_of(law),
        means=means_of(found),
        correlation=tuple(_table(own / own[0]) for own in lags),
        nonlinearity="identity",
    )


def matched(law: Law, nonlinearity: Any) -> NonlinearGP | NonlinearGPMatrix:
    """Return the process x = s f(z)/Z + m with the given f whose inputs have the covariance of `law` in each class.

    For a stationary law of variance 1 the correlation of the latent is the table of the roots rho_d of
    c_f(rho_d) = C_d/C_0, found in float64; for another a matrix. Raises InputError where no Gaussian latent has these
    correlations: then no such copula exists.

    >>> from theory.moments.inputs import input_statistics
    >>> law = NonlinearGP(8, (2, 1), 3, "open", "unit-variance", (1, 0))
    >>> copy = matched(law, "uniform")
    >>> off = input_statistics(copy, 0).covariance - input_statistics(law, 0).covariance
    >>> bool(np.abs(off).max() < 1e-13), copy.nonlinearity == law.nonlinearity
    (True, False)
    """
    process = NonlinearGP(2, (1, 1), 1, "open", "unit-variance", (1, 0), nonlinearity=nonlinearity)
    if process.nonlinearity == getattr(law, "nonlinearity", None) and getattr(law, "gain", 1) == 1:
        raise OutOfReachError("The law has these marginals already.", "Choose another nonlinearity.")
    found = inputs_of(law)
    stationary = by_lag(law, found)
    if stationary is None or any(
        abs(own[0] - 1) > len(stationary[0]) * np.finfo(float).eps * 8 for own in stationary[0]
    ):
        return process_with(law, process.nonlinearity)
    lags, boundary = stationary
    tables = tuple(_table(latent_correlations(process.nonlinearity, own)) for own in lags)
    try:
        return NonlinearGP(
            law.n, (), 1, boundary, "unit-variance", law.labels, priors=priors_of(law), means=means_of(found),
            correlation=tables, nonlinearity=process.nonlinearity,
        )  # fmt: skip
    except InputError as error:
        raise InputError(
            f"No Gaussian copula with the marginals {process.nonlinearity.kind} has this covariance: {error.message}",
            "Choose marginals closer to those of the law, or a shorter correlation length.",
        ) from None


def other_copula(law: Law, correlation: Any) -> Law:
    """Return the process with the same nonlinearity, gain and lengths, and another correlation of its latent.

    On a grid the correlation is separable where the law does not say how it continues from one axis to two. A law of
    finitely many values at each site has the Gaussian copula of its covariance. Raises OutOfReachError for laws of
    densities without a latent, and for a correlation that the law has.

    >>> from theory.moments.inputs import input_statistics
    >>> law = NonlinearGP(8, (2, 1), 3, "open", "unit-variance", (1, 0))
    >>> other = other_copula(law, "exponential")
    >>> bool(input_statistics(other, 0).kurtosis[0] == input_statistics(law, 0).kurtosis[0])
    True
    """
    if isinstance(law, GaussianCopula) and law.matrices is not None:
        raise OutOfReachError("The copula of this law is Gaussian already.", "Use the control `independent`.")
    if not isinstance(law, NonlinearGP):
        return copula_with(law)
    grid = {"grid": law.grid or "separable"} if isinstance(law, NonlinearGP2D) else {}
    kernel = correlation_of(correlation, "correlation")
    other = replace(law, correlation=kernel, xi=law.xi if kernel.needs_length else (), **grid)
    if other == law:
        raise OutOfReachError("The latent has this correlation already.", "Choose another one.")
    return other


def _other_copula_says(law: Law, kernel: Any) -> str:
    if isinstance(law, NonlinearGP):
        return f"the same marginals, the latent's correlation {kernel}"
    return "the same marginals and covariance, a Gaussian copula"


def without_correlations(law: Law) -> Law:
    """Return `independent`. Raises OutOfReachError where the sites of the law are independent already.

    >>> without_correlations(NonlinearGP(4, (2, 1), 1, "open", "none", (1, 0))).kernels[0]
    TableCorrelation(values=(Fraction(1, 1),))
    """
    other = independent(law)
    if other == law:
        raise OutOfReachError("The sites are independent already.", "Compare with another control.")
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


def _table(values: Float[np.ndarray, " lags"]) -> TableCorrelation:
    return TableCorrelation([shortest(value) for value in values.tolist()])
