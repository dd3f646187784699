"""Gradient flow of decoupled modes in float64, by functions that are entire in the rate."""

from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np
from jaxtyping import Float

from theory.flow.linear.convention import Convention
from theory.flow.linear.spectrum import spectrum
from theory.moments import FeatureMoments


def phi(z: Float[np.ndarray, "*any"]) -> Float[np.ndarray, "*any"]:
    """(1 - exp(-z))/z, continued by its limit 1 at z = 0.

    >>> phi(np.array([0.0, 1e-300])).tolist()
    [1.0, 1.0]
    """
    return np.where(z == 0, 1.0, -np.expm1(-z) / np.where(z == 0, 1.0, z))


@dataclass(frozen=True)
class FlowNumbers:
    """The solution's numbers before they are divided into weights and biases: float64 here, balls if certified.

    `end` is theta(inf), (P,) or (m, P) for m > 1 outputs, and `path` theta at the times, with a leading axis T.
    """

    mse: np.ndarray
    end: np.ndarray
    rates: np.ndarray
    path: np.ndarray
    losses: np.ndarray
    condition: np.ndarray

    def mapped(self, function: Callable[[np.ndarray], np.ndarray]) -> "FlowNumbers":
        """The same with `function` of each array."""
        return FlowNumbers(**{field.name: function(getattr(self, field.name)) for field in fields(self)})


def relax(
    moments: FeatureMoments, start: Float[np.ndarray, "*m P"], rules: Convention, times: list[float]
) -> FlowNumbers:
    """The flow of theta = (w, biases) at `times` in float64; with m > 1 outputs every output flows by itself.

    A mode of eigenvalue lambda relaxes at r = ell s^2 lambda: u(t) = exp(-r t) u(0) + ell s t phi(r t) c, which needs
    no division by lambda; u(inf) = sum c/(s lambda) over the modes of the range of A, and the rest of `start` stays.
    The loss is its optimum plus s^2 sum lambda (u(t) - u(inf))^2. Sources: notes, eq. (9)-(11), (16), corrected.
    """
    s, ell = float(rules.s), float(rules.ell)
    theta = np.repeat(start[None], len(times), axis=0)
    fixed = start.copy()
    mse, losses, values = float(moments.y2), np.zeros(len(times)), []
    for block in moments.blocks:
        modes = spectrum(block.kernel)
        u0, c = modes.to_modes(block.project(start)), modes.to_modes(block.rhs)
        lam = block.scales[:, None] * modes.values
        values.append(lam.ravel())
        with np.errstate(divide="ignore", invalid="ignore"):
            end = c / (s * lam)
            mse -= float((c**2 / lam).sum())
        fixed += block.embed(modes.from_modes(end - u0))
        for index, t in enumerate(times):
            z = ell * s**2 * lam * t
            with np.errstate(over="ignore", invalid="ignore", under="ignore"):
                decay = np.exp(-z)
                u = decay * u0 + ell * s * t * phi(z) * c
                losses[index] += s**2 * float((lam * (decay * (u0 - end)) ** 2).sum())
            theta[index] += block.embed(modes.from_modes(u - u0))
    lam = np.sort(np.concatenate(values))
    still = np.zeros(start.shape[-1] - len(lam))
    return FlowNumbers(
        mse=np.array(mse),
        end=fixed,
        rates=np.concatenate([still, ell * s**2 * lam]),
        path=theta,
        losses=mse + losses,
        condition=np.array(lam[-1] / lam[0] if lam[0] > 0 else np.inf),
    )
