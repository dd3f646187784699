"""The unit Gaussians U = +-v.u/|v.u| of gates beside those of the sites: one or two tails, and two signs."""

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


@dataclass(frozen=True)
class SignPair:
    """Two signs of directions v, w of one Gaussian u: r = corr(v.u, w.u) and gap = 1 - r^2; of v.u and w.u with u_k.

    added[k] is the correlation with u_k of the part of w.u that is independent of v.u.

    v = u_0 and w = (3 u_0 + 4 u_1)/5 for independent u_0, u_1: what w adds to v is u_1.

    >>> pair = SignPair(0.6, 0.64, np.array([1.0, 0.0]), np.array([0.6, 0.8]), np.array([0.0, 1.0]))
    >>> np.abs(pair.r * pair.first + np.sqrt(pair.gap) * pair.added - pair.second).max().round(12).item()
    0.0
    """

    r: Any
    gap: Any
    first: Shaped[np.ndarray, " n"]
    second: Shaped[np.ndarray, " n"]
    added: Shaped[np.ndarray, " n"]
