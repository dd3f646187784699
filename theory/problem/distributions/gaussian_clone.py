"""The Gaussian clone of the nonlinear Gaussian process: its definition."""

from dataclasses import dataclass
from typing import ClassVar

from theory.problem.distributions.nonlinear_gp import NonlinearGP


@dataclass(frozen=True)
class GaussianClone(NonlinearGP):
    """x ~ N(0, C_c), the Gaussian with the same mean and covariance as class c of the NonlinearGP of equal fields.

    The inputs of the clone are Gaussian themselves: there is no latent variable behind an erf.

    >>> law = GaussianClone(40, (2, 1), 1, "open", "unit-variance", (1, 0))
    >>> law.latent, NonlinearGP(40, (2, 1), 1, "open", "unit-variance", (1, 0)).latent
    (False, True)
    """

    law: ClassVar[str] = "gaussian-clone"
    latent: ClassVar[bool] = False
