"""Float64 functions of arrays whose gradients are given in closed form: NumPy or torch, and torch is never imported.

A quadrature need not be differentiated: by Price's theorem the slopes of E[products of signs] are such expectations
of fewer variables. `with_slopes` joins a value and its slopes; the slopes are themselves differentiable, so that
gradients of every order exist.
"""

from collections.abc import Callable, Sequence
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np
import scipy.special

from theory.expressions.arrays import namespace

Slope = Callable[..., Any]


def floats(*arguments: Any) -> tuple[ModuleType, tuple[Any, ...]]:
    """The array namespace of the arguments, and the arguments as float64 arrays of one shape.

    Numbers beside tensors become tensors on the device of the first of those. Raises ValueError for NaN.
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


def constant(x: Any) -> Any:
    """`x` without its gradient."""
    return x.detach() if hasattr(x, "detach") else x


def host(x: Any) -> np.ndarray:
    """The values of `x` as a NumPy array."""
    return x.detach().cpu().numpy() if hasattr(x, "detach") else np.asarray(x)


def like(nodes: np.ndarray, x: Any) -> Any:
    """Constants in the namespace and on the device of `x`."""
    xp = namespace(x)
    return nodes if xp is np else xp.as_tensor(nodes, dtype=xp.float64, device=x.device)


def erf(x: Any) -> Any:
    """The error function in the namespace of `x`."""
    xp = namespace(x)
    return scipy.special.erf(x) if xp is np else xp.special.erf(x)


def erfc(x: Any) -> Any:
    """1 - erf(x), relatively accurate where it is small."""
    xp = namespace(x)
    return scipy.special.erfc(x) if xp is np else xp.special.erfc(x)


def grouped(needed: Any, rules: Sequence[tuple[float, int]], kernel: Slope, *rows: Any, size: int) -> Any:
    """kernel(count, *rows) on flat arrays, in groups of equal count: the first (limit, count) with needed <= limit.

    A group works on about `size` numbers at a time, so that they stay in the processor's cache.
    """
    xp = namespace(*rows)
    which = np.searchsorted([limit for limit, _ in rules], host(needed))
    if not which.size:
        return rows[0] * 0.0
    order, pieces = [], []
    for rule in np.unique(which):
        count = rules[rule][1]
        members = np.nonzero(which == rule)[0]
        block = max(1, size // count)
        for start in range(0, members.size, block):
            chosen = members[start : start + block]
            order.append(chosen)
            pieces.append(kernel(count, *(row[chosen] for row in rows)))
    inverse = np.argsort(np.concatenate(order))
    return xp.concatenate(pieces)[inverse]


def with_slopes(value: Callable[..., Any], slopes: tuple[Slope, ...], *arguments: Any) -> Any:
    """value(*arguments) for arrays of one shape, and for tensors the derivative by the k-th argument is slopes[k].

    `value` is computed without recording; `slopes` are functions of the same arguments.
    """
    xp = namespace(*arguments)
    if xp is np:
        return value(*arguments)
    return _recorded(xp, value, slopes).apply(*arguments)


@cache
def _recorded(xp: ModuleType, value: Callable[..., Any], slopes: tuple[Slope, ...]) -> Any:
    class Recorded(xp.autograd.Function):
        """`value` for autograd."""

        @staticmethod
        def forward(*arguments: Any) -> Any:
            return value(*arguments)

        @staticmethod
        def setup_context(ctx: Any, inputs: tuple, output: Any) -> None:
            del output
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx: Any, upstream: Any) -> tuple:
            given = ctx.saved_tensors
            needed = zip(slopes, ctx.needs_input_grad, strict=True)
            return tuple(upstream * slope(*given) if need else None for slope, need in needed)

    return Recorded
