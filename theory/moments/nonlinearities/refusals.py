"""Refusals of what a nonlinearity does not have, by name, with the remedy."""

from typing import NoReturn

from theory.problem import GaussianClone, NonlinearGP, OutOfReachError
from theory.problem.distributions.nonlinear_gp_matrix import NonlinearGPMatrix


def refuse(law: NonlinearGP | NonlinearGPMatrix, what: str) -> NoReturn:
    """Raise OutOfReachError: `what` is not known exactly for the nonlinearity of the law.

    >>> refuse(NonlinearGP(4, (2, 1), 1, "open", "none", (1, 0), nonlinearity="laplace"), "moments through thresholds")
    Traceback (most recent call last):
    ...
    theory.problem.errors.OutOfReachError: The nonlinearity "laplace" has no exact moments through thresholds here. ...
    """
    raise OutOfReachError(
        f'The nonlinearity "{law.nonlinearity.kind}" has no exact {what} here.',
        "Simulate it (gdln simulate), gate the two sides of one site of the latent, or ask the law's Gaussian clone.",
    )


def refuse_digits(law: NonlinearGP | NonlinearGPMatrix, what: str) -> NoReturn:
    """Raise OutOfReachError: `what` of the law's nonlinearity is known in float64 alone.

    The moments of a Gaussian clone through thresholds and directions begin with digits of its covariance.

    >>> refuse_digits(NonlinearGP(4, (2, 1), 1, "open", "none", (1, 0), nonlinearity="laplace"), "covariance")
    Traceback (most recent call last):
    ...
    theory.problem.errors.OutOfReachError: The covariance of the nonlinearity "laplace" is known in float64 alone. ...
    """
    known = f'The {what} of the nonlinearity "{law.nonlinearity.kind}" {_IS[what]} known in float64 alone'
    if isinstance(law, GaussianClone):
        raise OutOfReachError(
            f"{known}; certified digits of its Gaussian clone, and its gates with thresholds, class means or several "
            "sites, need more of them.",
            'Without digits, gate single sites at 0, or give the covariance itself (law = "gaussian"); or simulate it '
            "(gdln simulate).",
        )
    raise OutOfReachError(f"{known}.", "Leave the digits out.")


_IS = {"covariance": "is", "moments through gates": "are"}
