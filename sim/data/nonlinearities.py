"""The nonlinearities f of x = f(gain z)/Z on tensors, from their definitions; one dispatch on the declaration.

Where f involves the distribution function Phi of N(0, 1), it is computed from log Phi or erfc, so that it keeps its
digits in both tails.
"""

import math
from functools import singledispatch

import torch
from jaxtyping import Float

from theory.problem import (
    Algebraic,
    Cubic,
    Erf,
    Identity,
    Laplace,
    Logistic,
    OutOfReachError,
    Quantile,
    Sign,
    Tanh,
    Uniform,
)

Values = Float[torch.Tensor, "*any"]
_ROOT_HALF = math.sqrt(0.5)
# Below this logarithm of q = 1 - |u| the k-th power is linear: 1 - (1 - q)^k = k q within k q/2 < 1e-16, k <= 1000.
_LINEAR = -45.0


@singledispatch
def applied(nonlinearity: object, v: Values) -> Values:
    """Return f(v), which may be stored in the memory of v. Raises OutOfReachError for one that is not registered."""
    del v
    kind = type(nonlinearity)
    raise OutOfReachError(
        f"No samples through the nonlinearity {kind.__name__}.",
        "Register it in sim/data/nonlinearities.py with @applied.register.",
    )


@applied.register
def _(_nonlinearity: Erf, v: Values) -> Values:
    return v.erf_()


@applied.register
def _(_nonlinearity: Sign, v: Values) -> Values:
    return v.sign_()


@applied.register
def _(_nonlinearity: Tanh, v: Values) -> Values:
    return v.tanh_()


@applied.register
def _(_nonlinearity: Identity, v: Values) -> Values:
    return v


@applied.register
def _(nonlinearity: Cubic, v: Values) -> Values:
    return v.mul_(v.square().mul_(float(nonlinearity.c)).add_(1.0))


@applied.register
def _(_nonlinearity: Uniform, v: Values) -> Values:
    return v.mul_(_ROOT_HALF).erf_()


@applied.register
def _(_nonlinearity: Laplace, v: Values) -> Values:
    size = v.abs()
    near = torch.log1p(-torch.erf(_ROOT_HALF * size.clamp(max=1.0)))
    far = math.log(2.0) + torch.special.log_ndtr(-size)
    return -torch.sign(v) * torch.where(size < 1, near, far)


@applied.register
def _(_nonlinearity: Logistic, v: Values) -> Values:
    return torch.special.log_ndtr(v) - torch.special.log_ndtr(-v)


@applied.register
def _(nonlinearity: Algebraic, v: Values) -> Values:
    k, size = float(nonlinearity.k), v.abs()
    scaled = _ROOT_HALF * size
    log_u = torch.where(size < 1, torch.log(torch.erf(scaled)), torch.log1p(-torch.erfc(scaled)))
    log_q = math.log(2.0) + torch.special.log_ndtr(-size)
    log_rest = torch.where(log_q < _LINEAR, math.log(k) + log_q, torch.log(-torch.expm1(k * log_u)))
    return torch.sign(v) * torch.exp(log_u - log_rest / k)


@applied.register
def _(nonlinearity: Quantile, v: Values) -> Values:
    rows = ([float(number) for number in row] for row in (nonlinearity.p, nonlinearity.x))
    p, x = (torch.tensor(row, dtype=v.dtype, device=v.device) for row in rows)
    share = torch.special.ndtr(v.abs())
    place = torch.searchsorted(p, share, right=True).clamp(1, len(p) - 1)
    below, above = p[place - 1], p[place]
    size = torch.lerp(x[place - 1], x[place], (share - below) / (above - below))
    return torch.sign(v) * size


def erf_gain(nonlinearity: object, gain: float | torch.Tensor) -> float | torch.Tensor | None:
    """Return the gain of the erf that f(gain z) is, or None where it is no erf.

    >>> erf_gain(Uniform(), 1.0) == math.sqrt(0.5), erf_gain(Sign(), 1.0)
    (True, None)
    """
    if isinstance(nonlinearity, Erf):
        return gain
    return _ROOT_HALF if isinstance(nonlinearity, Uniform) else None
