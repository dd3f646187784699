"""Float64 functions of arrays whose gradients are given in closed form: NumPy or torch, and torch is never imported.

No quadrature has to be differentiated: by Price's theorem the derivatives of E[products of signs] are densities times
such expectations of fewer variables. `with_derivatives` joins a value and its derivatives, which are differentiable
themselves, so that gradients of every order exist.
"""

from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np
import scipy.special

from theory.expressions.arrays import namespace

Derivative = Callable[..., Any]


def floats(*arguments: Any) -> tuple[ModuleType, tuple[Any, ...]]:
    """Return the array namespace of the arguments, and the arguments as float64 arrays of one shape.

    If one argument is a tensor, numbers become tensors on the device of the first tensor. Raises ValueError for NaN.

    >>> _, (h, r) = floats([0, 1, 2], 0.5)
    >>> h.shape == r.shape, h.dtype
    (True, dtype('float64'))
    """
    xp = namespace(*arguments)
    if xp is np:
        arrays = np.broadcast_arrays(*(np.asarray(x, dtype=float) for x in arguments))
    else:
        device = next(x.device for x in arguments if isinstance(x, xp.Tensor))
        arrays = xp.broadcast_tensors(
            *(
                x.to(xp.float64) if isinstance(x, xp.Tensor) else xp.as_tensor(x, dtype=xp.float64, device=device)
                for x in arguments
            )
        )
    for place, array in enumerate(arrays):
        if not bool((array == array).all()):
            raise ValueError(f"argument {place + 1} contains NaN; correlations and thresholds must be numbers.")
    return xp, tuple(arrays)


def is_constant_zero(x: Any) -> bool:
    """Whether every number of `x` is zero and `x` requires no gradient.

    >>> is_constant_zero(np.zeros(3)), is_constant_zero(np.ones(3))
    (True, False)
    """
    return not getattr(x, "requires_grad", False) and not bool((x != 0).any())


def host(x: Any) -> np.ndarray:
    """Return the values of `x` as a NumPy array.

    >>> host([0.5, 1.0]).shape
    (2,)
    """
    return x.detach().cpu().numpy() if hasattr(x, "detach") else np.asarray(x)


def like(nodes: np.ndarray, x: Any) -> Any:
    """Return constants in the namespace and on the device of `x`.

    >>> like(np.array([0.5]), np.zeros(3)).shape
    (1,)
    """
    xp = namespace(x)
    return nodes if xp is np else xp.as_tensor(nodes, dtype=xp.float64, device=x.device)


def erf(x: Any) -> Any:
    """The error function in the namespace of `x`.

    P(|z| < 1) of a standard normal z is erf(1/sqrt 2), 68 percent:

    >>> round(float(erf(0.5**0.5)), 4)
    0.6827
    """
    xp = namespace(x)
    return scipy.special.erf(x) if xp is np else xp.special.erf(x)


def erfc(x: Any) -> Any:
    """1 - erf(x), relatively accurate where it is small.

    >>> 1 - float(erf(6.0)), float(f"{erfc(6.0):.3g}")  # the first has lost all digits
    (0.0, 2.15e-17)
    """
    xp = namespace(x)
    return scipy.special.erfc(x) if xp is np else xp.special.erfc(x)


def with_derivatives(value: Callable[..., Any], derivatives: tuple[Derivative, ...], *arguments: Any) -> Any:
    """Return value(*arguments) for arrays of one shape; for tensors derivatives[k] is the derivative by argument k.

    autograd does not record `value`; the `derivatives` are functions of the same arguments.

    >>> float(with_derivatives(np.exp, (np.exp,), np.float64(0.0)))
    1.0
    """
    xp = namespace(*arguments)
    if xp is np:
        return value(*arguments)
    return _recorded(xp, value, derivatives).apply(*arguments)


@cache
def _recorded(xp: ModuleType, value: Callable[..., Any], derivatives: tuple[Derivative, ...]) -> Any:
    class Recorded(xp.autograd.Function):
        """`value` as an autograd function."""

        @staticmethod
        def forward(*arguments: Any) -> Any:
            return value(*arguments)

        @staticmethod
        def setup_context(ctx: Any, inputs: tuple, output: Any) -> None:
            del output
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx: Any, upstream: Any) -> tuple:
            arguments = ctx.saved_tensors
            needed = zip(derivatives, ctx.needs_input_grad, strict=True)
            return tuple(upstream * derivative(*arguments) if need else None for derivative, need in needed)

    return Recorded
