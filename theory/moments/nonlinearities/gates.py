"""The gates for which a nonlinearity other than erf has exact moments, and when their features are independent."""

from math import inf

from theory.moments.basis import GateBasis
from theory.problem import Erf, Identity, Network, NonlinearGP, OutOfReachError, Quantile, Sign, Uniform, resolved
from theory.problem.distributions.nonlinear_gp_matrix import NonlinearGPMatrix
from theory.problem.gates.base import looks_on, sites_of

_SIMULATE = 'Simulate it (gdln simulate), or gate the latent (on = "latent").'


def check_gates(law: NonlinearGP | NonlinearGPMatrix, network: Network, gates: GateBasis) -> None:
    """Raise OutOfReachError where a gate is no half-space of the latent, or where the rank of A is not known exactly.

    A gate on the input at threshold 0 is one on the latent if f is strictly increasing, as for erf. Other f have flat
    parts: for x = sign(z), s_i x_i = 1 and s_i x_j = s_j x_i, so that features of several gates depend on each other.
    Those of the two sides of one site i do not: on each side the x_j of the other sites vary freely, and x_i is not 0
    throughout.

    >>> from theory.moments.basis import gate_basis
    >>> from theory.problem import SiteGate
    >>> law = NonlinearGP(4, (2, 1), 1, "open", "none", (1, 0), nonlinearity="sign")
    >>> network = Network("gated-linear", "mean", 2, (SiteGate(0, lo=0), SiteGate(1, lo=0)))
    >>> check_gates(law, network, gate_basis(network))
    Traceback (most recent call last):
    ...
    theory.problem.errors.OutOfReachError: The features of these gates depend on each other for x = sign(z), ...
    """
    if isinstance(law.nonlinearity, Erf):
        return
    if law.clipped:
        raise OutOfReachError(
            f"The rank of A is not known exactly for {law.nonlinearity.kind}(z) on a clipped ring, whose latent is "
            "degenerate.",
            'Simulate it (gdln simulate), or use boundary = "open" or a smaller xi.',
        )
    if not law.latent:
        return
    for index, gate in enumerate(resolved(network.gates)):
        if looks_on(gate) == "input":
            _check_input_gate(law, gate, f"network.gates[{index}]")
    if isinstance(law.nonlinearity, Uniform) and any(function.soft for function in gates.half_spaces):
        raise OutOfReachError(
            "Soft gates on a law of uniform inputs have no exact moments here: at sharpness 1 the gate Phi(z) is "
            "(1 + x)/2, and the rank of A is not known.",
            "Simulate it (gdln simulate), or use hard gates.",
        )
    if not law.nonlinearity.increasing and not _independent(law, gates):
        raise OutOfReachError(
            f"The features of these gates depend on each other for x = {law.nonlinearity.kind}(z), which is constant "
            "on intervals, and the rank of A is not known exactly.",
            "Gate the two sides of one site without biases and class means, simulate it, or take erf at a large gain.",
        )


def _independent(law: NonlinearGP | NonlinearGPMatrix, gates: GateBasis) -> bool:
    if not gates.half_spaces:
        return True
    single = len(gates.half_spaces) == 1 and gates.half_spaces[0].direction.site is not None
    return single and not gates.constants and not law.means


def _check_input_gate(law: NonlinearGP | NonlinearGPMatrix, gate: object, where: str) -> None:
    """Refuse gates on the input that are not the same gates on the latent."""
    if isinstance(law.nonlinearity, Identity) and len(sites_of(gate)) > 1:
        raise OutOfReachError(
            f"{where}: gates on several inputs are read as gates on the latent only where they look at it.",
            'Here x = gain z/Z: write on = "latent", with bounds times Z/gain.',
        )
    if law.nonlinearity.increasing:
        return
    at_zero = {gate.lo, gate.hi} <= {0, inf, -inf} and not law.means and len(sites_of(gate)) == 1
    values_at_zero = isinstance(law.nonlinearity, Quantile) and law.nonlinearity.x[0] == law.nonlinearity.x[1] == 0
    if not at_zero or values_at_zero or not isinstance(law.nonlinearity, Sign | Quantile):
        raise OutOfReachError(
            f"{where}: x = {law.nonlinearity.kind}(z) is constant on intervals of z, so that this gate on the input is "
            "no half-space of the latent.",
            _SIMULATE,
        )
