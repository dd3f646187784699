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
from jaxtyping import Bool, Float


@dataclass(frozen=True)
class NearNull:
    """Modes held at their initial values, and bounds on the error from this and from rounding.

    modes: their number, over all blocks and outputs once. below: the eigenvalue of A at or below which they were held.
    weights and losses, (T,): |theta(t) - exact| and |<(y - yhat)^2> - exact| at the times.
    """

    modes: int
    below: float
    weights: Float[np.ndarray, " T"]
    losses: Float[np.ndarray, " T"]


@dataclass
class Held:
    """Sums of squares over blocks: of u(0) and c of the held modes, of all c, of the largest theta along the flow."""

    start: float = 0.0
    force: float = 0.0
    forces: float = 0.0
    reach: float = 0.0

    def add(
        self,
        u0: Float[np.ndarray, "*any"],
        end: Float[np.ndarray, "*any"],
        c: Float[np.ndarray, "*any"],
        moves: Bool[np.ndarray, "*any"],
    ) -> None:
        """Add those of a block; a mode's u(t) lies between its u(0) and u(inf)."""
        self.start += float((u0**2).sum(where=~moves))
        self.force += float((c**2).sum(where=~moves))
        self.forces += float((c**2).sum())
        self.reach += float(np.maximum(u0**2, end**2).sum())


def near_null(
    held: Held,
    eigenvalues: Float[np.ndarray, " N"],
    y2: float,
    s: float,
    ell: float,
    times: Float[np.ndarray, " T"],
    cut: float,
    rounding: float,
) -> NearNull:
    """Return the bounds for eigenvalues held up to `cut`, with relative errors `rounding` of A and b.

    >>> still = Held(force=1e-18)
    >>> near = near_null(still, np.array([0.0, 1.0]), 1.0, 1.0, 1.0, np.array([0.0, 10.0]), 1e-9, 0.0)
    >>> near.modes, near.weights.tolist(), near.losses.tolist()
    (1, [0.0, 1e-08], [0.0, 2e-17])
    """
    start, own_force, reach = (sqrt(square) for square in (held.start, held.force, held.reach))
    largest = float(eigenvalues.max())
    # A is positive semidefinite: an eigenvalue below 0 is rounding too. Of A twice: its eigenvalues are clipped at 0.
    error, force_error = 2 * max(rounding * largest, -float(eigenvalues.min())), rounding * sqrt(held.forces)
    delta = cut + error
    force = min(own_force + force_error, sqrt(delta * y2)) + s * delta * start
    left = ell * s * times * force
    rounded = ell * s * times * (s * error * (reach + left) + force_error)
    whole = reach + left + rounded
    value = s**2 * error * whole**2 + 2 * s * force_error * whole
    # The loss is quadratic, its gradient -2 s <phi (y - yhat)> at most 2 s sqrt(largest loss) by Cauchy and Schwarz.
    root = sqrt(largest)
    gradient = 2 * s * root * (sqrt(y2) + s * root * whole)
    losses = 2 * s * left * force + (gradient + s**2 * largest * rounded) * rounded + value
    return NearNull(int((eigenvalues <= cut).sum()), cut, left + rounded, losses)


def notes_of(near: NearNull, rank: int, times: list[float], error: float) -> tuple[str, ...]:
    """Return the bounds in words; `error` is the bound on w(inf) along the moving modes.

    >>> near = NearNull(modes=1, below=1e-9, weights=np.array([1e-8]), losses=np.array([2e-17]))
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
        f"<(y - yhat)^2> by {near.losses.max(initial=0.0):.2g} {last}; the optimum over all weights may be below mse.",
    )
