"""The averages of a layer for activations beyond the engine, by certified integrals at balls of the covariance.

E[s(z) s(z')] and E[s'(z) s'(z')] are integrals over one variable where z' is a multiple of z, products of means where
the two are uncorrelated, and Mehler's series otherwise. The derivative s' is taken almost everywhere.
"""

from collections.abc import Callable, Iterator

import sympy
from flint import acb, arb

from theory.expressions.algebra import is_zero
from theory.expressions.balls.growth import Growth
from theory.expressions.functions import Relu
from theory.gaussian.certified.line import Line
from theory.gaussian.certified.pair import pair
from theory.kernels.infinite.activations import Activation, h
from theory.kernels.infinite.relation import EQUAL, SIDES, Case

x = sympy.Symbol("x", real=True)
u, w = sympy.symbols("u w", positive=True)

# From the variances and the covariance: E[s s'], E of the slopes, and the two mean squares.
Averages = Callable[[acb, acb, acb], tuple[acb, acb, acb, acb]]


def slope_of(s: sympy.Expr) -> sympy.Expr:
    """Return s'(h) almost everywhere: steps and signs are constants.

    >>> slope_of(sympy.Max(h, sympy.tanh(h)))
    tanh(h)**2*sign(h - tanh(h))/2 - tanh(h)**2/2 + 1
    """
    s = s.replace(Relu, lambda a: a * sympy.Heaviside(a)).replace(sympy.Abs, lambda a: a * sympy.sign(a))
    for side, kind in ((1, sympy.Max), (-1, sympy.Min)):
        s = s.replace(kind, lambda *parts, side=side: _extreme(side, *parts))
    names = {step: sympy.Dummy(real=True) for step in s.atoms(sympy.sign, sympy.Heaviside)}
    back = {name: step for step, name in names.items()}
    outer = s.xreplace(names)
    return sympy.expand(outer.diff(h), deep=False).xreplace(back)


def _extreme(side: int, *parts: sympy.Expr) -> sympy.Expr:
    best = parts[0]
    for part in parts[1:]:
        best = (best + part + side * (best - part) * sympy.sign(best - part)) / 2
    return best


def parity_of(s: sympy.Expr) -> int:
    """Return 1 for an even function of h, -1 for an odd one, 0 for others."""
    back = s.xreplace({h: -h})
    return next((side for side in (1, -1) if is_zero(back - side * s) is True), 0)


def layers(activation: Activation, case: Case, count: int, *, biased: bool) -> Iterator[Averages]:
    """Yield the averages of each layer; `case` is the relation of the first layer's inputs."""
    s, slope = activation.expr, slope_of(activation.expr)
    for f in (s, slope):
        Growth(h).require_real(f, Growth(h, far=True))
    parity = parity_of(s)
    for _ in range(count):
        yield _averages(s, slope, parity, case)
        if case is Case.SAME or (case is Case.OPPOSITE and parity and not (biased and parity < 0)):
            case = EQUAL[parity if case is Case.OPPOSITE else 1]
        elif not (case is Case.UNCORRELATED and parity == -1 and not biased):
            case = Case.GENERAL


def _averages(s: sympy.Expr, slope: sympy.Expr, parity: int, case: Case) -> Averages:
    def averages(one: acb, other: acb, both: acb) -> tuple[acb, acb, acb, acb]:
        first = {u: acb(one.real.sqrt())}
        squares = [_line(_at(s, u) ** 2, first)]
        squares.append(squares[0] if case is Case.SAME else _line(_at(s, u) ** 2, {u: acb(other.real.sqrt())}))
        value, slopes = (_both(f, case, one.real, other.real, both.real) for f in (s, slope))
        if case is Case.UNCORRELATED and parity == -1:
            value = arb(0)
        return acb(value), acb(slopes), *map(acb, squares)

    return averages


def _at(f: sympy.Expr, scale: sympy.Symbol, side: int = 1) -> sympy.Expr:
    return f.xreplace({h: side * scale * x})


def _line(f: sympy.Expr, values: dict[sympy.Symbol, acb]) -> arb:
    return Line(f, x, values).ball()


def _both(f: sympy.Expr, case: Case, one: arb, other: arb, both: arb) -> arb:
    roots = {u: acb(one.sqrt())}, {u: acb(other.sqrt())}
    if case is Case.UNCORRELATED:
        return _line(_at(f, u), roots[0]) * _line(_at(f, u), roots[1])
    if case in SIDES:
        equal = case in EQUAL.values()
        second = _at(f, u if equal else w, SIDES[case])
        return _line(_at(f, u) * second, roots[0] if equal else roots[0] | {w: roots[1][u]})
    return pair(_at(f, u), _at(f, u), x, both / (one * other).sqrt(), *roots)
