"""The moments as the small-bump note prints them, eq. (7) and (8), and the library's float64 moments of an instance."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import numpy as np
import sympy

from theory.claims.expectations import Z_SQUARED
from theory.claims.sources import Reading
from theory.expressions.symbols import g
from theory.moments import GatedMoments, gated_moments
from theory.problem import Network, NonlinearGP, Problem, SiteGate, Training, latent_correlation

SITES, GATE = 9, 4  # the number of sites and the gate's site in the instance on which the float64 path is compared


def instance(gain: float, first: float, second: float) -> GatedMoments:
    """Return the library's float64 moments of a small-bump problem on nine sites with these exact parameters."""
    labels = (Fraction(1), Fraction(0))
    law = NonlinearGP(SITES, (Fraction(first), Fraction(second)), Fraction(gain), "open", "unit-variance", labels)
    gates = (SiteGate(GATE, lo=Fraction(0)), SiteGate(GATE, hi=Fraction(0)))
    at_rest = Training("half-mse", Fraction(1), ((Fraction(0),) * SITES,) * 2, (Fraction(0),))
    return gated_moments(Problem(law, Network("gated-linear", "mean", 2, gates), at_rest))


def printed_7(problem: Problem) -> np.ndarray:
    """Return small-bump (7) for unit 1, its negative for the complement, without class probability and normaliser."""
    gain = float(problem.data.gain)
    row = latent_correlation(problem.data, 0)[problem.network.gates[0].site]
    printed = np.arctan(np.sqrt(row**2 / (1 / (2 * gain**2) + 1 - row**2))) / np.pi
    return np.stack([printed, -printed])


def printed_8(ik, il, kl, gain, root, arctan, sigma_1=r"$1 - \rho_{ik}^2$", exchanged=False):
    """Return pi times small-bump (8) with (9)-(12), for numbers or symbols.

    The note leaves sigma_1^2 undefined; `sigma_1` names the reading, a key of the table below. `exchanged` takes (9)
    for a_k and (10) for a_i.
    """
    left = 1 - ik**2
    variance = 1 - (il**2 - 2 * ik * il * kl + kl**2) / left
    c = gain / root(1 + 2 * gain**2 * variance)
    a_i, a_k = c * (kl - il * ik) / left, c * (il - kl * ik) / left
    if exchanged:
        a_i, a_k = a_k, a_i
    spread = {r"$1 - \rho_{ik}^2$": left, r"$\sigma^2$ of (12)": variance, "1": 1}[sigma_1]
    return arctan(root(2) * (ik + a_i) / root(1 + 2 * a_k**2 * spread))


def readings_8(classes: Sequence[tuple[sympy.Expr, sympy.Expr, sympy.Expr]]) -> tuple[Reading, ...]:
    """Return (8) within each class, for x = erf(g z), under each reading of the conventions that the note leaves open.

    `classes` holds rho_ik, rho_il, rho_kl of both classes; their mean over Z^2 is the moment of x = erf(g z)/Z.
    """
    found = []
    for sigma_1, exchanged in product((r"$1 - \rho_{ik}^2$", r"$\sigma^2$ of (12)", "1"), (False, True)):
        parts = (printed_8(*rhos, g, sympy.sqrt, sympy.atan, sigma_1, exchanged) / sympy.pi for rhos in classes)
        labels = "(9) is $a_k$ and (10) is $a_i$" if exchanged else "(9) is $a_i$ and (10) is $a_k$"
        within = rf"within each class, for $x = \operatorname{{erf}}(g z)$: $\sigma_1^2$ is {sigma_1}, {labels}"
        found.append(Reading(within, sum(parts) / (2 * Z_SQUARED)))
    return tuple(found)


def printed_8_matrix(problem: Problem) -> np.ndarray:
    """Return the moments with the block of unit 1 as (8) prints it; rows k = i, where it divides by zero, are exact."""
    moments = gated_moments(problem).sigma_xx.copy()
    site = problem.network.gates[0].site
    rho = latent_correlation(problem.data, 0)
    others = np.arange(problem.data.n) != site
    ik, il, kl = rho[site][others, None], rho[site][None, :], rho[others]
    moments[0, 0, others] = printed_8(ik, il, kl, float(problem.data.gain), np.sqrt, np.arctan) / np.pi
    return moments
