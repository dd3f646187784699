"""The gradient flow of a circulant kernel in certified balls, mode by mode: O(N log N), and no N x N array."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import acb, arb
from jaxtyping import Shaped

from theory.flow.linear.convention import Convention
from theory.moments.symmetric import Circulant


@dataclass(frozen=True)
class Around:
    """A block's eigenvalues, its explained part of <y^2>, and u(inf), u(t) and the losses above the optimum."""

    values: list[arb]
    explained: arb
    end: Shaped[np.ndarray, "*m copies N"]
    path: list[Shaped[np.ndarray, "*m copies N"]]
    losses: list[arb]


def relax_around(
    kernel: Circulant,
    scales: Shaped[np.ndarray, " copies"],
    rhs: Shaped[np.ndarray, "*m copies N"],
    start: Shaped[np.ndarray, "*m copies N"],
    rules: Convention,
    times: tuple[Fraction, ...],
) -> Around | None:
    """The flow of a block from `start`, as `theory.flow.linear.relaxation`; None where an eigenvalue may not be > 0.

    The identity with force 1 moves every site as 1 - exp(-t), here at t = 1:

    >>> one = np.array([[arb(1), arb(1), arb(1)]])
    >>> identity = Circulant(np.array([arb(1), arb(0), arb(0)]), (3,))
    >>> rules = Convention(Fraction(1), Fraction(1))
    >>> around = relax_around(identity, np.array([arb(1)]), one, 0 * one, rules, (Fraction(1),))
    >>> [(x + (-arb(1)).exp()).contains(1) for x in around.path[0].ravel()]
    [True, True, True]
    """
    s = _ball(rules.s)
    lam = fourier(kernel.first_row, kernel.axes)[0]
    if not all(x > 0 for x in lam):
        return None
    lam = scales[:, None] * lam
    u0, c = hartley_balls(start, kernel.axes), hartley_balls(rhs, kernel.axes)
    end = c / (s * lam)
    exp = np.frompyfunc(arb.exp, 1, 1)
    left = [exp(-_ball(rules.ell * rules.s**2 * t) * lam) * (u0 - end) for t in times]
    return Around(
        values=lam.ravel().tolist(),
        explained=(c * c / lam).sum(),
        end=hartley_balls(end, kernel.axes),
        path=[hartley_balls(end + rest, kernel.axes) for rest in left],
        losses=[s * s * (lam * rest * rest).sum() for rest in left],
    )


def fourier(
    v: Shaped[np.ndarray, "*any N"], axes: tuple[int, ...]
) -> tuple[Shaped[np.ndarray, "*any N"], Shaped[np.ndarray, "*any N"]]:
    """Real and imaginary parts of sum_j v_j exp(-2 pi i q j/N), q j/N summed over the axes, as balls.

    >>> real, _ = fourier(np.array([arb(1), arb(2), arb(3)]), (3,))
    >>> real[0] == 6
    True
    """
    values = np.frompyfunc(acb, 1, 1)(v).reshape(*v.shape[:-1], *axes)
    for axis in range(-len(axes), 0):
        values = np.moveaxis(_along_last(np.moveaxis(values, axis, -1)), -1, axis)
    flat = values.reshape(v.shape)
    return tuple(np.frompyfunc(part, 1, 1)(flat) for part in (lambda x: x.real, lambda x: x.imag))


def _along_last(values: np.ndarray) -> np.ndarray:
    rows = np.empty_like(values.reshape(-1, values.shape[-1]))
    for index, row in enumerate(values.reshape(rows.shape)):
        rows[index] = acb.dft(row.tolist())
    return rows.reshape(values.shape)


def hartley_balls(v: Shaped[np.ndarray, "*any N"], axes: tuple[int, ...]) -> Shaped[np.ndarray, "*any N"]:
    """theory.flow.linear.spectrum.hartley in balls: real, orthogonal, its own inverse.

    >>> v = np.array([arb(1), arb(2), arb(5)])
    >>> all(x.contains(y) for x, y in zip(hartley_balls(hartley_balls(v, (3,)), (3,)), v))
    True
    """
    real, imaginary = fourier(v, axes)
    return (real - imaginary) / arb(v.shape[-1]).sqrt()


def _ball(x: Fraction) -> arb:
    return arb(x.numerator) / x.denominator
