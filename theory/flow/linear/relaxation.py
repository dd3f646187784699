"""Gradient flow of decoupled modes in float64: each relaxes exponentially to its limit."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace

import numpy as np
from jaxtyping import Float

from theory.flow.linear.convention import Convention
from theory.flow.linear.near_null import Held, NearNull, near_null
from theory.flow.linear.spectrum import Spectrum, spectrum
from theory.moments import FeatureMoments

_NUMBERS = 2**17  # the most numbers of an array over several times


@dataclass(frozen=True)
class FlowNumbers:
    """The solution's numbers before they are divided into weights and biases: float64 here, balls if certified.

    `end` is theta(inf), (P,) or (m, P) for m > 1 outputs, and `path` theta at the times, with a leading axis T.
    near_null: modes that were held at their initial values, or None.
    """

    mse: np.ndarray
    end: np.ndarray
    rates: np.ndarray
    path: np.ndarray
    losses: np.ndarray
    condition: np.ndarray
    near_null: NearNull | None = None

    def mapped(self, function: Callable[[np.ndarray], np.ndarray]) -> "FlowNumbers":
        """The same with `function` of each array."""
        arrays = (field.name for field in fields(self) if field.name != "near_null")
        return replace(self, **{name: function(getattr(self, name)) for name in arrays})


@dataclass(frozen=True, eq=False)
class Modes:
    """The eigenbasis of each block, with its eigenvalues of A, (copies, N); largest and smallest of all.

    >>> from theory.moments import feature_moments
    >>> from theory.problem import AlwaysGate, FiniteData, Network
    >>> law, network = FiniteData([[2, 0], [0, 1]], [1, 1]), Network("gated-linear", "mean", 1, (AlwaysGate(),))
    >>> modes = Modes.of(feature_moments(law, network))  # A = diag(4, 1)/2
    >>> modes.largest, modes.condition()
    (2.0, 4.0)
    """

    spectra: list[Spectrum]
    values: list[np.ndarray]

    @classmethod
    def of(cls, moments: FeatureMoments) -> "Modes":
        """Diagonalise every block."""
        spectra = [spectrum(block.kernel) for block in moments.blocks]
        pairs = zip(moments.blocks, spectra, strict=True)
        return cls(spectra, [block.scales[:, None] * modes.values for block, modes in pairs])

    @property
    def largest(self) -> float:
        """The largest eigenvalue of A."""
        return float(max(lam.max() for lam in self.values))

    def condition(self, cut: float = 0.0) -> float:
        """The largest eigenvalue over the smallest above `cut`; infinite where one is not positive and none is cut."""
        smallest = float(min(lam[lam > cut].min(initial=np.inf) if cut else lam.min() for lam in self.values))
        return self.largest / smallest if smallest > 0 else np.inf


def relax(
    moments: FeatureMoments,
    start: Float[np.ndarray, "*m P"],
    rules: Convention,
    times: list[float],
    modes: Modes | None = None,
    cut: float = 0.0,
    rounding: float = 0.0,
) -> FlowNumbers:
    """Return the flow of theta = (w, biases) at `times` in float64; with m > 1 outputs each flows independently.

    A mode of eigenvalue lambda has the limit u(inf) = c/(s lambda) and relaxes at the rate r = ell s^2 lambda:
    u(t) = exp(-r t) u(0) + (1 - exp(-r t)) u(inf). The part of `start` outside the range of A is constant. The loss is
    its optimum plus s^2 sum lambda (u(t) - u(inf))^2. A mode of eigenvalue 0 moves by ell s c t and has no limit unless
    c = 0; theta(inf) and the optimum exclude it. Where `cut` > 0, modes with eigenvalues up to it are held at their
    initial values; `near_null` bounds the effect of this and of the relative errors `rounding` of A and b.
    `modes` are those of the moments, if already known. Sources: notes, eq. (9)-(11), (16), corrected.

    >>> from fractions import Fraction
    >>> from theory.moments import feature_moments
    >>> from theory.problem import AlwaysGate, FiniteData, Network
    >>> law, network = FiniteData([[1, 0], [0, 1]], [1, -1]), Network("gated-linear", "mean", 1, (AlwaysGate(),))
    >>> numbers = relax(feature_moments(law, network), np.zeros(2), Convention(Fraction(1), Fraction(1)), [0.0, 2.0])
    >>> numbers.path[:, 0].round(6).tolist()  # 1 - exp(-t/2)
    [0.0, 0.632121]
    """
    s, ell = float(rules.s), float(rules.ell)
    modes = modes or Modes.of(moments)
    # Where every direction is a mode that moves, the start leaves no rounding behind once it has decayed.
    whole = not cut and sum(values.size for values in modes.values) == start.shape[-1]
    fixed = np.zeros_like(start) if whole else start.copy()
    theta = np.repeat(fixed[None], len(times), axis=0)
    mse, losses, held = float(moments.y2), np.zeros(len(times)), Held()
    for block, basis, lam in zip(moments.blocks, modes.spectra, modes.values, strict=True):
        u0, c = basis.to_modes(block.project(start)), basis.to_modes(block.rhs)
        moves = np.broadcast_to(lam > cut if cut else lam != 0, c.shape)
        with np.errstate(divide="ignore", invalid="ignore"):
            end = np.where(moves, c / (s * lam), u0)
            mse -= float((c**2 / lam).sum(where=moves))
        begun = 0.0 if whole else u0
        fixed[..., block.places] += block.embed(basis.from_modes(end - begun))
        rest = s * float((u0 * (s * lam * u0 - 2 * c)).sum(where=~moves))
        if cut:
            held.add(u0, end, c, moves)
        excess = s**2 * lam * (u0 - end) ** 2  # a held mode has end = u0
        drift = np.where(lam != 0, 0.0, 0.0 if cut else ell * s * c)
        # On a ring two modes have each eigenvalue, and units of equal scales share them.
        rates, at = np.unique(ell * s**2 * np.where(moves, lam, 0.0), return_inverse=True)
        at, excess = at.reshape(c.shape), np.bincount(at.ravel(), excess.ravel())
        for part, t in _in_parts(np.array(times), c.size):
            with np.errstate(over="ignore", invalid="ignore", under="ignore"):
                gone = np.expm1(-rates * t)
                losses[part] += (1 + gone) ** 2 @ excess + rest
                u = np.exp(-rates * t)[:, at] * u0 - gone[:, at] * end
                if drift.any():
                    losses[part] -= 2 * s * t[:, 0] * (c * drift).sum()
                    u += np.multiply.outer(t[:, 0], drift)
                theta[part][..., block.places] += block.embed(basis.from_modes(u - begun))
    theta[np.array(times) == 0] = start
    lam = np.sort(np.concatenate([values.ravel() for values in modes.values]))
    still = np.zeros(start.shape[-1] - len(lam))
    near = near_null(held, lam, float(moments.y2), s, ell, np.array(times), cut, rounding) if cut else None
    return FlowNumbers(
        mse=np.array(mse),
        end=fixed,
        rates=np.concatenate([still, ell * s**2 * (np.clip(lam, 0, None) if cut else lam)]),
        path=theta,
        losses=mse + losses,
        condition=np.array(modes.condition(cut)),
        near_null=near,
    )


def _in_parts(times: Float[np.ndarray, " T"], size: int) -> Iterator[tuple[slice, Float[np.ndarray, "T 1"]]]:
    """The times as columns, in parts for which arrays of `size` numbers at each time stay in the caches."""
    many = max(1, _NUMBERS // size)
    for first in range(0, len(times), many):
        part = slice(first, first + many)
        yield part, times[part, None]
