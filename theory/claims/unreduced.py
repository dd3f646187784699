"""Networks whose outputs are products of individual weights, and their full gradient flow in time.

Oracles of the claims on deep networks and on the race. Every weight is a variable of its own, and a Taylor series in
Arb integrates the flow, so that these numbers share no formula with the reductions and solutions that they check.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from operator import mul

import mpmath
import sympy
from flint import arb, fmpq
from mpmath import mpf

from theory.expressions.balls.precision import precision

_ORDER = 45  # order of the series; a step is a tenth of the radius of convergence, so that its error is about 10^-45
_TENTH = 0.1
_LAST = (_ORDER - 2, _ORDER - 1, _ORDER)  # the nearest singularities may be complex, and coefficients then change sign
_LONGEST = 1e6
_GUARD = 25
_EXACT = 120  # more digits than are requested of any oracle
_MOST_STEPS = 4_000

Weights = list[arb]


@dataclass(frozen=True)
class Unreduced:
    """A network whose outputs are sums of products of weights; `products` has the indices of each product's weights.

    `output` has the index of the output to which each product is added; without it each product is one output. L =
    (P/2) sum over the outputs of (s - output)^2, with the target s and the probability P of each output.
    """

    products: tuple[tuple[int, ...], ...]
    output: tuple[int, ...] = ()


def routing(domains: int, partners: int) -> Unreduced:
    """M encoders a_i, one shared weight b, M decoders c_o, in this order; the output of the pair (i, o) is c_o b a_i.

    Input i is trained with the outputs i, i + 1, ..., i + K - 1, counted modulo M.

    >>> routing(2, 1).products
    ((0, 2, 3), (1, 2, 4))
    """
    pairs = ((i, (i + k) % domains) for i in range(domains) for k in range(partners))
    return Unreduced(tuple((i, domains, domains + 1 + o) for i, o in pairs))


def chain(layers: int) -> Unreduced:
    """Return a network of one output, the product of one weight of each layer.

    >>> chain(3).products
    ((0, 1, 2),)
    """
    return Unreduced((tuple(range(layers)),))


def sharing(contexts: int) -> Unreduced:
    """m contexts with a readout a_j each and one shared weight b, in this order; the output in context j is a_j b.

    >>> sharing(2).products
    ((0, 2), (1, 2))
    """
    return Unreduced(tuple((j, contexts) for j in range(contexts)))


def race(contexts: int) -> Unreduced:
    """m contexts as in `sharing`, each with a private pathway beside the shared one: the output is a_j b + c_j d_j.

    The weights are a_j, b, c_j, d_j, in this order.

    >>> race(2)
    Unreduced(products=((0, 2), (1, 2), (3, 5), (4, 6)), output=(0, 1, 0, 1))
    """
    private = tuple((contexts + 1 + j, 2 * contexts + 1 + j) for j in range(contexts))
    return Unreduced(sharing(contexts).products + private, 2 * tuple(range(contexts)))


def at_time(network: Unreduced, given: tuple[arb, arb], start: Weights, time: arb, digits: int) -> list[mpf]:
    """Return the weights at `time` under dw/dt = -dL/dw.

    >>> end = at_time(sharing(1), (arb(1), arb(1)), [arb(1), arb(1)], arb(2), 20)  # at rest: 1 * 1 = s
    >>> [mpmath.nstr(weight, 5) for weight in end]
    ['1.0', '1.0']
    """
    with precision(digits=digits + _GUARD):
        left = arb(time)
        for series, radius in _steps(network, given, start):
            step = arb(radius * _TENTH)
            if not left > step:
                return _numbers(_moved(series, left), digits)
            left = (left - step).mid()
    return None


def time_until(
    network: Unreduced, given: tuple[arb, arb], start: Weights, reached: Callable[[Weights], arb], digits: int
) -> mpf:
    """Return the time at which the function `reached`, negative and growing at the start, vanishes along the flow.

    >>> alone = Unreduced(((0,),))  # dw/dt = s - w, from 0 to s/2 in the time log 2
    >>> half = lambda weights: weights[0] - arb(1)
    >>> mpmath.nstr(time_until(alone, (arb(2), arb(1)), [arb(0)], half, 20), 10)
    '0.6931471806'
    """
    with precision(digits=digits + _GUARD):
        elapsed = arb(0)
        for series, radius in _steps(network, given, start):
            step = arb(radius * _TENTH)
            if reached(_moved(series, step)) > 0:
                return _numbers([elapsed + _root(lambda time, s=series: reached(_moved(s, time)), step)], digits)[0]
            elapsed = (elapsed + step).mid()
    return None


def at_rest(network: Unreduced, given: tuple[arb, arb], start: Weights, digits: int) -> list[mpf]:
    """Return the limit of the weights: the flow is integrated until no weight changes by a part in 10^(digits + 2).

    >>> end = at_rest(sharing(1), (arb(4), arb(1)), [arb(1), arb(1)], 20)  # a = b on the way, and a b = 4
    >>> [mpmath.nstr(weight, 12) for weight in end]
    ['2.0', '2.0']
    """
    small = mpf(10) ** -(digits + 2)
    with precision(digits=digits + _GUARD):
        for series, radius in _steps(network, given, start):
            weights = [one[0] for one in series]
            if max(float(abs(one[1]).mid()) for one in series) * max(1.0, radius) < small:
                return _numbers(weights, digits)
    return None


def ball(value: mpf | sympy.Rational) -> arb:
    """Return the number as a ball of radius 0, rounded to 120 digits.

    >>> ball(sympy.Rational(1, 3)).rad() == 0
    True
    """
    with precision(digits=_EXACT):
        return (arb(value) if isinstance(value, mpf) else arb(fmpq(int(value.p), int(value.q)))).mid()


def _steps(network: Unreduced, given: tuple[arb, arb], start: Weights) -> Iterator[tuple[list[list[arb]], float]]:
    """Yield the Taylor coefficients of every weight at the start of each step, and their radius of convergence."""
    weights = list(start)
    for _ in range(_MOST_STEPS):
        series = _series(network, given, weights)
        radius = min(_radius(one, order) for one in series for order in _LAST)
        yield series, radius
        weights = [one.mid() for one in _moved(series, arb(radius * _TENTH))]
    raise ArithmeticError(f"The flow needs more than {_MOST_STEPS} steps.")


def _series(network: Unreduced, given: tuple[arb, arb], start: Weights) -> list[list[arb]]:
    """Return the Taylor coefficients of the solution of dw/dt = -dL/dw by the product rule, order by order.

    Products of the same weights are computed once, each from a shorter product and one more weight.
    """
    target, probability = given
    series = [[weight] for weight in start]
    others = [
        [(k, passed[:place] + passed[place + 1 :]) for place, k in enumerate(passed)] for passed in network.products
    ]
    wanted = {*network.products, *(rest for product in others for _, rest in product)}
    longer = sorted({key[:size] for key in wanted for size in range(2, len(key) + 1)}, key=len)
    products = {(): [arb(1)] + [arb(0)] * _ORDER} | {(k,): one for k, one in enumerate(series)}
    products |= {key: [] for key in longer}
    belongs = network.output or range(len(network.products))
    missing: dict[int, list[arb]] = {output: [] for output in belongs}  # the target minus the output
    for order in range(_ORDER):
        for key in longer:
            products[key].append(_coefficient(products[key[:-1]], series[key[-1]], order))
        rates = [arb(0)] * len(series)
        for left in missing.values():
            left.append(target if order == 0 else arb(0))
        for output, passed in zip(belongs, network.products, strict=True):
            missing[output][order] -= products[passed][order]
        for output, product in zip(belongs, others, strict=True):
            for k, rest in product:
                rates[k] += _coefficient(missing[output], products[rest], order)
        for one, rate in zip(series, rates, strict=True):
            one.append(probability * rate / (order + 1))
    return series


def _coefficient(one: list[arb], other: list[arb], order: int) -> arb:
    """Return the coefficient of one order in the product of two series that are known up to this order."""
    return sum(map(mul, one, other[order::-1]), arb(0))


def _radius(one: list[arb], order: int) -> float:
    size = float(abs(one[order]).mid())
    return min(size ** (-1 / order), _LONGEST) if size else _LONGEST


def _moved(series: list[list[arb]], time: arb) -> Weights:
    """Return the weights at a time after the start of the step, by Horner's scheme."""
    found = []
    for one in series:
        total = arb(0)
        for coefficient in reversed(one):
            total = total * time + coefficient
        found.append(total)
    return found


def _root(f: Callable[[arb], arb], high: arb) -> arb:
    """Return the zero of a growing function on [0, high], by bisection and then the secant method."""
    low = arb(0)
    for _ in range(30):
        middle = ((low + high) / 2).mid()
        low, high = (low, middle) if f(middle) > 0 else (middle, high)
    one, other = low, high
    for _ in range(8):
        at_one, at_other = f(one).mid(), f(other).mid()
        if at_one == at_other:
            break
        one, other = other, (other - at_other * (other - one) / (at_other - at_one)).mid()
    return other


def _numbers(weights: Weights, digits: int) -> list[mpf]:
    with mpmath.workdps(digits + _GUARD):
        return [mpf(weight.mid().str(digits + _GUARD, radius=False)) for weight in weights]
