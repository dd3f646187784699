"""The two conventions on which papers differ, as exact factors of the flow."""

from dataclasses import dataclass
from fractions import Fraction

from theory.problem import OutOfReachError, Problem

_ELL = {"half-mse": Fraction(1), "mse": Fraction(2)}


@dataclass(frozen=True)
class Convention:
    """tau dtheta/dt = ell s (b - s A theta); ell = 1 for L = 1/2 <(y - yhat)^2>, 2 without the 1/2.

    yhat = s theta.phi: theta = w and phi = (g_k x), or theta = (w, b_1, ..., b_K, b_out) and phi = (g_k x, g_k, 1/s).

    One mode of A = lambda relaxes at the rate ell s^2 lambda, here of the loss without 1/2 with two units:

    >>> rules = Convention(s=Fraction(1, 2), ell=Fraction(2))
    >>> str(rules.ell * rules.s**2)
    '1/2'
    """

    s: Fraction
    ell: Fraction


def convention(problem: Problem) -> Convention:
    """s = 1/K for the readout "mean" and 1 for "sum"; ell = 1 for the loss "half-mse" and 2 for "mse".

    Raises OutOfReachError for the cross-entropy, whose derivative is not linear in yhat.

    >>> from theory.problem import AlwaysGate, FiniteData, Network, NormalInitialisation, Training
    >>> law, network = FiniteData([[1]], [1]), Network("gated-linear", "mean", 2, (AlwaysGate(),) * 2)
    >>> convention(Problem(law, network, Training("mse", 1, NormalInitialisation(0, 0), (1,))))
    Convention(s=Fraction(1, 2), ell=Fraction(2, 1))
    """
    loss = problem.training.loss
    if loss not in _ELL:
        raise OutOfReachError(
            f'training.loss = "{loss}": the exact flow is that of a squared error, whose derivative is linear in yhat.',
            'Simulate it (gdln simulate), or use loss = "half-mse" or "mse".',
        )
    return Convention(problem.network.scale, _ELL[loss])
