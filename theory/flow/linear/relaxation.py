"""Gradient flow of decoupled modes in float64, by functions that are entire in the rate."""

from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np
from jaxtyping import Float

from theory.flow.linear.convention import Convention
from theory.flow.linear.parameters import Parameters
from theory.flow.linear.reduction import blocks
from theory.flow.linear.spectrum import spectrum
from theory.moments import Moments


def phi(z: Float[np.ndarray, "*any"]) -> Float[np.ndarray, "*any"]:
    """(1 - exp(-z))/z, continued by its limit 1 at z = 0.

    >>> phi(np.array([0.0, 1e-300])).tolist()
    [1.0, 1.0]
    """
    return np.where(z == 0, 1.0, -np.expm1(-z) / np.where(z == 0, 1.0, z))


@dataclass(frozen=True)
class FlowNumbers:
    """The solution's numbers before they are dressed: float64 here, balls from the certified path.

    fixed_biases (K + 1) and biases (T, K + 1) are b_1, ..., b_K, b_out at infinity and at the times, None without.
    """

    mse: np.ndarray
    fixed_point: np.ndarray
    rates: np.ndarray
    weights: np.ndarray
    losses: np.ndarray
    condition: np.ndarray
    fixed_biases: np.ndarray | None = None
    biases: np.ndarray | None = None

    def mapped(self, function: Callable[[np.ndarray], np.ndarray]) -> "FlowNumbers":
        """The same with `function` of each array."""
        arrays = {field.name: getattr(self, field.name) for field in fields(self)}
        return FlowNumbers(**{name: None if x is None else function(x) for name, x in arrays.items()})


def relax(moments: Moments, start: Float[np.ndarray, " P"], rules: Convention, times: list[float], boundary: str):
    """The flow of theta = (w, biases) at `times` in float64.

    A mode of eigenvalue lambda relaxes at r = ell s^2 lambda: u(t) = exp(-r t) u(0) + ell s t phi(r t) c, which needs
    no division by lambda; u(inf) = sum c/(s lambda) over the modes of the range of A, and the rest of `start` stays.
    The loss is its optimum plus s^2 sum lambda (u(t) - u(inf))^2. Sources: notes, eq. (9)-(11), (16), corrected.
    """
    s, ell = float(rules.s), float(rules.ell)
    theta = np.repeat(start[None], len(times), axis=0)
    fixed = start.copy()
    mse, losses, values = float(moments.y2), np.zeros(len(times)), []
    for block in blocks(moments):
        modes = spectrum(block, boundary)
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
    units, n = moments.sigma_yx.shape
    still = np.zeros(len(start) - len(lam))
    end, path = Parameters.of(fixed, units, n), Parameters.of(theta, units, n)
    return FlowNumbers(
        mse=np.array(mse),
        fixed_point=end.weights,
        rates=np.concatenate([still, ell * s**2 * lam]),
        weights=path.weights,
        losses=mse + losses,
        condition=np.array(lam[-1] / lam[0] if lam[0] > 0 else np.inf),
        fixed_biases=end.biases,
        biases=path.biases,
    )
