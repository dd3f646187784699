"""The unit Gaussians U = +-v.u/|v.u| of gates beside those of the sites: one or two tails."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Shaped


@dataclass(frozen=True)
class Tail:
    """The tail U >= a of a unit Gaussian U = +-v.u/|v.u|: r_k = corr(U, u_k), gap_k = 1 - r_k^2, and what a gives.

    open = P(U >= a) and density = phi(a).
    """

    r: Shaped[np.ndarray, " n"]
    gap: Shaped[np.ndarray, " n"]
    a: Any
    open: Any
    density: Any


@dataclass(frozen=True)
class TailPair:
    """Two tails U >= a, V >= b of different directions: r = corr(U, V), gap = 1 - r^2, both = P(U >= a, V >= b).

    added[k] is the correlation with u_k of the part of V that is independent of U. given_one = P(V >= b | U = a),
    given_other = P(U >= a | V = b), and peak = phi(a) phi((b - r a)/sqrt(1 - r^2)).
    """

    one: Tail
    other: Tail
    r: Any
    gap: Any
    added: Shaped[np.ndarray, " n"]
    both: Any
    given_one: Any
    given_other: Any
    peak: Any
