"""Thresholds of x = f(gain z)/Z as thresholds of z: f never falls, so that {x >= h} is a half-space of the latent.

    edge(f, t, strict) = inf {v : f(v) >= t}, or inf {v : f(v) > t} where `strict`, in balls; None where it is infinite.

f is odd, so that edge(t, strict) = -edge(-t, not strict). The two differ where f has a flat piece at t, a value of x
with a probability of its own: {x >= t} contains it and {x > t} does not. Where f jumps, all t of the gap have one edge.
With p = Phi(v), v = sqrt(2) erfcinv(2 (1 - p)).
"""

from fractions import Fraction
from functools import singledispatch
from math import inf
from typing import Any

from theory.moments.nonlinearities.functions import moment_of_table
from theory.problem import (
    Algebraic,
    Cubic,
    Erf,
    Identity,
    Laplace,
    Logistic,
    NonlinearGP,
    Nonlinearity,
    OutOfReachError,
    Quantile,
    Sign,
    Tanh,
    Uniform,
)


def edge(nonlinearity: Nonlinearity, t: Any, square: Any, strict: bool) -> Any | None:
    """Return the edge at t in balls; `square` is t^2, exact where f has jumps or flat pieces.

    >>> from flint import arb
    >>> edge(Sign(), arb(1), Fraction(1), strict=False), edge(Sign(), arb(1), Fraction(1), strict=True)
    (0, None)
    """
    if t < 0 or (square == 0 and not strict and not nonlinearity.increasing):
        other = _edge(nonlinearity, -t, square, not strict)
        return None if other is None else -other
    return _edge(nonlinearity, t, square, strict)


@singledispatch
def _edge(nonlinearity: Nonlinearity, t: Any, square: Any, strict: bool) -> Any | None:
    """Return the edge at t >= 0."""
    del t, square, strict
    raise OutOfReachError(
        f'The nonlinearity "{nonlinearity.kind}" has no inverse here.',
        "Register it in theory/moments/nonlinearities/edges.py.",
    )


@_edge.register
def _(nonlinearity: Erf, t: Any, square: Any, strict: bool) -> Any | None:
    del nonlinearity, square, strict
    return None if t >= 1 else t.erfinv()


@_edge.register
def _(nonlinearity: Tanh, t: Any, square: Any, strict: bool) -> Any | None:
    del nonlinearity, square, strict
    return None if t >= 1 else t.atanh()


@_edge.register
def _(nonlinearity: Uniform, t: Any, square: Any, strict: bool) -> Any | None:
    """f(v) = erf(v/sqrt(2))."""
    del nonlinearity, square, strict
    return None if t >= 1 else t.erfinv() * _ball(2).sqrt()


@_edge.register
def _(nonlinearity: Identity, t: Any, square: Any, strict: bool) -> Any:
    del nonlinearity, square, strict
    return t


@_edge.register
def _(nonlinearity: Sign, t: Any, square: Any, strict: bool) -> Any | None:
    del nonlinearity, t
    return None if square > 1 or (strict and square == 1) else _ball(0)


@_edge.register
def _(nonlinearity: Cubic, t: Any, square: Any, strict: bool) -> Any:
    """The one real root of v^3 + p v = q, p = 1/c: 2 sqrt(p/3) sinh(asinh(3 q sqrt(3/p)/(2 p))/3)."""
    del square, strict
    p = _ball(1 / nonlinearity.c)
    return 2 * (p / 3).sqrt() * ((3 * t * (3 / p).sqrt() / 2).asinh() / 3).sinh()


@_edge.register
def _(nonlinearity: Laplace, t: Any, square: Any, strict: bool) -> Any:
    """2 (1 - p) = exp(-t)."""
    del nonlinearity, square, strict
    return _beyond((-t).exp())


@_edge.register
def _(nonlinearity: Logistic, t: Any, square: Any, strict: bool) -> Any:
    """2 (1 - p) = 2/(1 + exp(t))."""
    del nonlinearity, square, strict
    return _beyond(2 / (1 + t.exp()))


@_edge.register
def _(nonlinearity: Algebraic, t: Any, square: Any, strict: bool) -> Any:
    """2 (1 - p) = 1 - (1 + t^-k)^(-1/k) for t > 0."""
    del strict
    if square == 0:
        return _ball(0)
    k = _ball(nonlinearity.k)
    return _beyond(-(-((t**-k).log1p()) / k).expm1())


@_edge.register
def _(nonlinearity: Quantile, t: Any, square: Any, strict: bool) -> Any | None:
    """p is linear in t between the entries of the table; the order of t and the entries is that of their squares."""
    p, x = nonlinearity.p, nonlinearity.x
    above = [i for i, entry in enumerate(x) if (entry**2 > square if strict else entry**2 >= square)]
    if not above:
        return None
    i = above[0]
    if i == 0:
        return _ball(0)
    if not strict and x[i] ** 2 == square:
        return None if p[i] == 1 else _beyond(_ball(2 * (1 - p[i])))
    slope = (p[i] - p[i - 1]) / (x[i] - x[i - 1])
    return _beyond(2 * (_ball(1 - p[i - 1]) - _ball(slope) * (t - _ball(x[i - 1]))))


def _beyond(q: Any) -> Any:
    """The v with 2 (1 - Phi(v)) = q."""
    return q.erfcinv() * _ball(2).sqrt()


def _ball(x: Any) -> Any:
    from flint import arb

    return arb(Fraction(x).numerator) / Fraction(x).denominator


def exact_square(nonlinearity: Nonlinearity) -> Fraction | None:
    """Return E f(z)^2 where it is rational: of a sign and of quantile tables, whose flat pieces need it; else None.

    >>> exact_square(Quantile(["1/2", 1], [0, 1]))
    Fraction(1, 3)
    """
    if isinstance(nonlinearity, Sign):
        return Fraction(1)
    return moment_of_table(nonlinearity, 2) if isinstance(nonlinearity, Quantile) else None


def square_in_balls(nonlinearity: Nonlinearity) -> Any:
    """Return E f(z)^2 of a quantile function in balls.

    >>> square_in_balls(Laplace())
    2.00000000000000
    """
    from flint import arb

    if isinstance(nonlinearity, Logistic):
        return arb.pi() ** 2 / 3
    if isinstance(nonlinearity, Algebraic):
        k = _ball(nonlinearity.k)
        return (3 / k).gamma() * (1 - 2 / k).gamma() / (k * (1 + 1 / k).gamma())
    return _ball(2 if isinstance(nonlinearity, Laplace) else exact_square(nonlinearity))


def on_input(law: NonlinearGP, bound: Fraction | float) -> Fraction | float:
    """Return the representative of all bounds of x that are one gate: 0 in a gap around 0, +-inf beyond the range.

    Only jumps and ranges whose ends are known exactly are judged; the bound itself for a continuous f without them.

    >>> law = NonlinearGP(4, (2, 1), 1, "open", "none", (1, 0), nonlinearity="sign")
    >>> [on_input(law, Fraction(bound)) for bound in (-1, 0, 1, 2)]
    [-inf, Fraction(0, 1), Fraction(0, 1), inf]
    """
    gap = _gap(law.nonlinearity)
    if bound in (-inf, inf) or gap is None:
        return bound
    square = bound**2 * (1 if law.normaliser == "none" else exact_square(law.nonlinearity))
    low, high = gap
    if square > high**2 or (square == high**2 and bound < 0):
        return inf if bound > 0 else -inf
    inside = square < low**2 or (square == low**2 and bound > 0)
    return Fraction(0) if inside else bound


def _gap(nonlinearity: Nonlinearity) -> tuple[Fraction, Fraction] | None:
    """Return the half-width of the gap around 0, 0 where there is none, and the largest f; None for other f."""
    if isinstance(nonlinearity, Sign):
        return Fraction(1), Fraction(1)
    return (nonlinearity.x[0], nonlinearity.x[-1]) if isinstance(nonlinearity, Quantile) else None
