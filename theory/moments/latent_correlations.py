"""Correlations of stationary latents in balls: rho and 1 - rho^2 by lag, from the definition of each kind.

In balls nothing needs to be rearranged: where 1 - rho^2 cancels, the precision is raised until it has its digits. In
float64 the balls are rounded.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import singledispatch
from math import isqrt
from typing import Any

import numpy as np
from jaxtyping import Int, Shaped

from theory.moments.arithmetic import Arithmetic, Numbers, Pair
from theory.problem import NonlinearGP, OutOfReachError
from theory.problem.correlations import Correlation
from theory.problem.correlations.damped_cosine import DampedCosineCorrelation
from theory.problem.correlations.exponential import ExponentialCorrelation
from theory.problem.correlations.formula import FormulaCorrelation
from theory.problem.correlations.gaussian import GaussianCorrelation
from theory.problem.correlations.matern import MaternCorrelation
from theory.problem.correlations.spectrum import SpectrumCorrelation
from theory.problem.correlations.table import TableCorrelation
from theory.problem.lags import squares

Squares = Int[np.ndarray, " m"]
Balls = Shaped[np.ndarray, " m"]


@singledispatch
def row_in_balls(kernel: Correlation, squared: Squares, boundary: str, xi: Fraction) -> Balls:
    """R of site 0 with every site of an axis or a grid, whose squared distances are given, in balls.

    Raises OutOfReachError for a kind that has no formula here.

    >>> row_in_balls(ExponentialCorrelation(), np.array([0, 1, 4]), "open", Fraction(2))[2].contains(row_in_balls(
    ...     GaussianCorrelation(), np.array([0, 4]), "open", Fraction(2))[1].mid())  # exp(-1) at one length
    True
    """
    del squared, boundary, xi
    known = ", ".join(sorted(kind.kind for kind in row_in_balls.registry if hasattr(kind, "kind")))
    raise OutOfReachError(
        f"The correlation {type(kernel).__name__} is not evaluated in balls.",
        f"Register it in theory/moments/latent_correlations.py. Kinds with a formula: {known}.",
    )


def _each(squared: Squares, function: Callable[[int], Any]) -> Balls:
    """The function of each squared distance, computed once where distances repeat; exactly 1 at distance 0."""
    from flint import arb

    distinct, place = np.unique(squared, return_inverse=True)
    values = [arb(1) if square == 0 else function(square) for square in distinct.tolist()]
    return np.array(values, dtype=object)[place]


def _ball(x: Fraction | int) -> Any:
    from flint import arb, fmpq

    return arb(fmpq(x.numerator, x.denominator))


@row_in_balls.register
def _(kernel: GaussianCorrelation, squared: Squares, boundary: str, xi: Fraction) -> Balls:
    del kernel, boundary
    return _each(squared, lambda square: _ball(-square / xi**2).exp())


@row_in_balls.register
def _(kernel: ExponentialCorrelation, squared: Squares, boundary: str, xi: Fraction) -> Balls:
    del kernel, boundary
    return _each(squared, lambda square: (-_ball(square / xi**2).sqrt()).exp())


@row_in_balls.register
def _(kernel: MaternCorrelation, squared: Squares, boundary: str, xi: Fraction) -> Balls:
    del boundary

    def value(square: int) -> Any:
        s = _ball(2 * kernel.smoothness * square / xi**2).sqrt()
        return (-s).exp() * sum(_ball(number) * s**power for power, number in enumerate(kernel.coefficients))

    return _each(squared, value)


@row_in_balls.register
def _(kernel: DampedCosineCorrelation, squared: Squares, boundary: str, xi: Fraction) -> Balls:
    del boundary

    def value(square: int) -> Any:
        return (-_ball(square / xi**2).sqrt()).exp() * _cosine(square, kernel.wavelength)

    return _each(squared, value)


def _cosine(square: int, wavelength: Fraction) -> Any:
    """cos(2 pi d/wavelength), exact at whole distances where it is 0 or 1 in size."""
    from flint import arb, fmpq

    d = isqrt(square)
    if d * d != square:
        return (2 * _ball(square).sqrt() / _ball(wavelength)).cos_pi()
    turns = 2 * d / wavelength
    return arb.cos_pi_fmpq(fmpq(turns.numerator, turns.denominator))


@row_in_balls.register
def _(kernel: TableCorrelation, squared: Squares, boundary: str, xi: Fraction) -> Balls:
    del boundary, xi
    values = dict(enumerate(kernel.values))
    return _each(squared, lambda square: _ball(values.get(isqrt(square), Fraction(0))))


@row_in_balls.register
def _(kernel: SpectrumCorrelation, squared: Squares, boundary: str, xi: Fraction) -> Balls:
    from flint import acb

    del xi
    modes = kernel.modes(len(squared), boundary)
    by_lag = acb.dft([acb(_ball(mode)) for mode in modes])
    total = _ball(sum(modes))
    return _each(squared, lambda square: by_lag[isqrt(square)].real / total)


@row_in_balls.register
def _(kernel: FormulaCorrelation, squared: Squares, boundary: str, xi: Fraction) -> Balls:
    import sympy

    from theory.expressions.balls.real import Undecided, Undefined, enclose
    from theory.expressions.language import Names, parse

    del boundary
    d, length = sympy.symbols("d xi", positive=True)
    formula = parse(kernel.formula, Names(parameters={"d": d, "xi": length}))

    def value(square: int) -> Any:
        root = isqrt(square)
        distance = Fraction(root) if root * root == square else _ball(square).sqrt()
        return enclose(formula, {d: distance, length: xi})

    try:
        return _each(squared, value)
    except (Undecided, Undefined) as error:
        raise OutOfReachError(
            f"data.correlation.formula = {kernel.formula!r} has no certified value: {error}.",
            "Write it without steps at whole distances, or simulate it.",
        ) from error


def correlations_by_lag(law: NonlinearGP, c: int, arithmetic: Arithmetic) -> tuple[Numbers, Numbers]:
    """rho and 1 - rho^2 of the latent of class `c` by lag: the latter to relative accuracy.

    Raises OutOfReachError where the latents of two sites have the correlation 1 or -1, or one too close to it.

    >>> from theory.moments.arithmetic import FLOAT64
    >>> law = NonlinearGP(4, (2, 1), 1, "open", "none", (1, 0), correlation="exponential")
    >>> rho, gap = correlations_by_lag(law, 1, FLOAT64)
    >>> rho.round(4).tolist(), round(float(gap[1] + np.expm1(-2)), 12)
    ([1.0, 0.3679, 0.1353, 0.0498], 0.0)
    """

    def compute() -> Pair:
        rho = np.array([_ball(1)], dtype=object)
        for shape in (law.axes,) if law.isotropic else [(sites,) for sites in law.axes]:
            along = row_in_balls(law.kernels[c], squares(shape, law.boundary), law.boundary, law.exact_length(c))
            rho = np.multiply.outer(rho, along).ravel()
        return (1 - rho) * (1 + rho), rho

    gap, rho = _settled(arithmetic, compute, c)
    return rho, gap


def along_axis(law: NonlinearGP, c: int, sites: int, arithmetic: Arithmetic) -> tuple[Numbers, Numbers]:
    """R and 1 - R along one axis of class `c` before anything is clipped, the latter to relative accuracy.

    >>> from theory.moments.arithmetic import FLOAT64
    >>> law = NonlinearGP(4, (2, 1), 1, "ring", "none", (1, 0), correlation="exponential")
    >>> [numbers.round(4).tolist() for numbers in along_axis(law, 1, 4, FLOAT64)]
    [[1.0, 0.3679, 0.1353, 0.3679], [0.0, 0.6321, 0.8647, 0.6321]]
    """

    def compute() -> Pair:
        rho = row_in_balls(law.kernels[c], squares((sites,), law.boundary), law.boundary, law.exact_length(c))
        return 1 - rho, rho

    less, rho = _settled(arithmetic, compute, c)
    return rho, less


def _settled(arithmetic: Arithmetic, compute: Callable[[], Pair], c: int) -> Pair:
    try:
        return arithmetic.settled(compute)
    except OutOfReachError as error:
        raise OutOfReachError(
            f"In class {c} two sites have latents whose correlation is 1 or -1, or cannot be told from it: their signs "
            "are the same gate.",
            "Change the correlation, its length or the number of sites, or simulate it.",
        ) from error
