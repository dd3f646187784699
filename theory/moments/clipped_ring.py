"""Correlations of the latent of a clipped ring: R^+, the kernel without its negative modes.

A ring's kernel is circulant, with the eigenvalues l_q = sum_d r_d cos(2 pi q d/n). With m_q = max(-l_q, 0)

    R^+_d = r_d + N_d,   N_d = (1/n) sum_q m_q cos(2 pi q d/n),   v = 1 + N_0,   rho_d = R^+_d/v,
    1 - rho_d = ((1 - r_d) + (N_0 - N_d))/v,

which is accurate near rho = 1. On a torus every axis is clipped separately, and the correlations multiply.
"""

from fractions import Fraction
from typing import Any

import numpy as np

from theory.moments.arithmetic import Arithmetic, Numbers
from theory.moments.latent_correlations import along_axis
from theory.problem import NonlinearGP


def clipped_correlations(law: NonlinearGP, c: int, arithmetic: Arithmetic) -> tuple[tuple[Numbers, Numbers], Any]:
    """rho and 1 - rho^2 of the latent by lag, and its variance v, a product over the axes.

    >>> from theory.moments.arithmetic import FLOAT64
    >>> law = NonlinearGP(40, (15, 1), 1, "ring", "none", (1, 0), positive_part="clipped")
    >>> round(float(clipped_correlations(law, 0, FLOAT64)[1]), 4)
    1.0406
    """
    one = arithmetic.rational(Fraction(1))
    less, variance = np.array([0 * one], dtype=arithmetic.dtype), one
    for sites in law.axes:
        own, apart = along_axis(law, c, sites, arithmetic)
        negative = arithmetic.cosine_transform(arithmetic.negative_part(arithmetic.cosine_transform(own))) / sites
        v = 1 + negative[0]
        along = (apart + (negative[0] - negative)) / v
        less = (less[:, None] + along - less[:, None] * along).ravel()
        variance = variance * v
    return (1 - less, less * (2 - less)), variance
