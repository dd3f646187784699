"""Modes whose eigenvalue float64 does not separate from 0: bounds on the error of holding them at their initial values.

With yhat = s theta.phi the modes e of the held part N have <(e.phi)^2> = e.A e <= delta, so that their force
c = <y e.phi> satisfies |c| <= sqrt(delta <y^2>) (Cauchy and Schwarz); the computed force with its rounding may give a
smaller bound. Without holding they would obey du/dt = ell s (c - s A u), whose right side only shrinks:

    |u(t) - u(0)| <= ell s t F,   loss(u(0)) - loss(u(t)) <= 2 s |u(t) - u(0)| F,   F = |c| + s delta |u(0)|.

Rounding replaces A by A + E and b by b + e with |E| <= error, |e| <= force_error: that moves theta(t) by at most
ell s t (s |E| max |theta| + |e|) (Duhamel), and the loss of given weights by s^2 |E| |theta|^2 + 2 s |e| |theta|.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np
from jaxtyping import Float


@dataclass(frozen=True)
class NearNull:
    """Modes held at their initial values, and bounds on the error from this and from rounding.

    modes: their number, over all blocks and outputs once. below: the eigenvalue of A at or below which they were held.
    mse: the optimum over all weights is at most this much below the optimum over the other modes. weights and losses,
    (T,): |theta(t) - exact| and |<(y - yhat)^2> - exact| at the times.
    """

    modes: int
    below: float
    mse: float
    weights: Float[np.ndarray, " T"]
    losses: Float[np.ndarray, " T"]


@dataclass(frozen=True)
class Held:
    """Norms of the held and of the moving modes: start, force, and the largest theta along the flow; and of rounding.

    `largest` is the largest eigenvalue of A; `error` and `force_error` bound the rounding of A and b.
    """

    start: float
    force: float
    reach: float
    largest: float
    error: float
    force_error: float


def movement(
    held: Held, below: float, y2: float, s: float, ell: float, times: list[float]
) -> tuple[Float[np.ndarray, " T"], Float[np.ndarray, " T"]]:
    """The bounds on |theta(t) - exact| and on the loss at `times`; `below` bounds the eigenvalues that are held.

    >>> still = Held(start=0.0, force=1e-9, reach=1.0, largest=1.0, error=0.0, force_error=0.0)
    >>> [bounds.tolist() for bounds in movement(still, 1e-9, 1.0, 1.0, 1.0, [0.0, 10.0])]
    [[0.0, 1e-08], [0.0, 2e-17]]
    """
    delta = below + held.error
    force = min(held.force + held.force_error, sqrt(delta * y2)) + s * delta * held.start
    t = np.array(times)
    left = ell * s * t * force
    rounded = ell * s * t * (s * held.error * (held.reach + left) + held.force_error)
    whole = held.reach + left + rounded
    value = s**2 * held.error * whole**2 + 2 * s * held.force_error * whole
    # The loss is quadratic, its gradient -2 s <phi (y - yhat)> at most 2 s sqrt(largest loss) by Cauchy and Schwarz.
    root = sqrt(held.largest)
    gradient = 2 * s * root * (sqrt(y2) + s * root * whole)
    return left + rounded, 2 * s * left * force + (gradient + s**2 * held.largest * rounded) * rounded + value


def notes_of(near: NearNull, rank: int, times: list[float], error: float) -> tuple[str, ...]:
    """Return the bounds in words; `error` is the bound on w(inf) along the moving modes.

    >>> near = NearNull(modes=1, below=1e-9, mse=0.0, weights=np.array([1e-8]), losses=np.array([2e-17]))
    >>> print(notes_of(near, 80, [10.0], 1e-6)[0])
    1 of 80 modes have eigenvalues of A of at most 1e-09, too near 0 for float64 to tell where it ends: ...
    """
    many = near.modes > 1
    last = f"at t = {times[-1]:.6g} tau" if times else ""
    return (
        f"{near.modes} of {rank} modes have eigenvalues of A of at most {near.below:.3g}, too near 0 for float64 to "
        f"tell where {'they end' if many else 'it ends'}: held at w0, also in w(inf), which is not identifiable along "
        f"{'them' if many else 'it'}; condition is that of the others, and bounds the relative error of w(inf) along "
        f"them by {error:.0e}.",
        f"Proved bounds on what this and rounding change: w by {near.weights.max(initial=0.0):.2g} (norm) and "
        f"<(y - yhat)^2> by {near.losses.max(initial=0.0):.2g} {last}; the optimum over all weights is at most "
        f"{near.mse:.2g} below mse.",
    )
