"""E[f(z1) g(z2)] of two standard Gaussian variables of correlation r, for any functions of the language, as a ball.

    E[f(z1) g(z2)] = sum_n r^n f_n g_n,    f_n = E[f(x) h_n(x)],    h_n = He_n/sqrt(n!)    (Mehler)

After N terms at most |r|^(N+1) sqrt(E f^2 - sum f_n^2) sqrt(E g^2 - sum g_n^2) is left (Cauchy-Schwarz; Bessel). The
coefficients are sums over Gauss-Legendre panels, on which f is analytic, with the remainder of `signs`: an ellipse
around a panel of length L with the sum rho L/2 of its half-axes bounds it by 4 L M rho^-(2k-1)/(rho - 1) for k nodes.
There, and beyond the last panel, Cauchy's integral for He_n over the circle of radius sqrt(n) gives

    |h_n(x + iy)| <= C_n exp(x^2/4 + |y| sqrt(n)),    C_n = sqrt(n!) n^(-n/2) e^(n/2).
"""

from math import ceil, log, log2, sqrt

import sympy
from flint import acb, arb, ctx, fmpq

from theory.expressions.balls.closed_form import NotCertified
from theory.expressions.balls.growth import Growth
from theory.expressions.balls.owens_t import legendre
from theory.expressions.balls.precision import precision
from theory.gaussian.certified.line import Function, Values, cuts, pieces

RHO = 3
# Half-axes of the ellipse, in units of half a panel: (RHO +- 1/RHO)/2.
AXES = fmpq(RHO * RHO + 1, 2 * RHO), fmpq(RHO * RHO - 1, 2 * RHO)
LONGEST, SHORTEST = 2.0, 2.0**-12
# Panels on which the function may exceed 2^LARGE in the ellipse are halved.
LARGE = 60
SPARE = 24
MOST_TERMS = 600


class Series:
    """The coefficients f_n of f(x), about `terms` of them, one after the other, and `square`, E f(x)^2.

    Raises OutOfReachError where f is not shown to be square integrable.

    >>> from theory.expressions.balls.precision import precision
    >>> x = sympy.Symbol("x", real=True)
    >>> with precision(100):
    ...     series = Series(1 + x**2, x)
    ...     coefficients = [series.next() for _ in range(3)]
    >>> [round(abs(float(c)), 6) for c in coefficients], round(float(series.square), 6)
    ([2.0, 0.0, 1.414214], 6.0)
    """

    def __init__(self, f: sympy.Expr, x: sympy.Symbol, values: Values | None = None, terms: float = 0) -> None:
        values = values or {}
        (a, b, q), _ = Growth(x, values).integrable(f, power=2)
        bits = ctx.prec + SPARE
        s = arb(1) / 2 - 2 * q
        end = ceil(float(((b + (b * b + 2 * s * (abs(a) + bits * arb(2).log())).sqrt()) / s).upper()))
        self.nodes: list = []  # each x, and weight times f phi
        # The error of f_n is error C_n plus steep C_n exp(height sqrt n), for the ellipses of half-height `height`.
        self.steep, self.height = arb(0), arb(AXES[1]) * LONGEST / 2
        self.square, error_of_square = arb(0), arb(0)
        self.count = ceil((bits + float(self.height) * sqrt(terms) / log(2)) / (2 * log2(RHO))) + 1
        parts = list(pieces(f, x, values, arb(-end), arb(end)))
        for start, stop, function in parts:
            if function != 0:
                error_of_square += self._add(Function(function, x, values), start.mid(), stop.mid())
        # The error of each f_n over C_n, from what lies beyond the ends and from cuts that are known up to a ball.
        self.error = _tail(a, b, s, arb(end))
        error_of_square += _tail(2 * a, 2 * b, 2 * s, arb(end))
        for cut, functions in cuts(f, parts):
            for size in (abs(Function(one, x, values)(acb(cut), False)) for one in functions):
                self.error += 2 * cut.rad() * size
                error_of_square += 2 * cut.rad() * size * size
        self.square += arb(0, 1) * error_of_square.upper()
        self.n = 0
        # Weights times f phi He_n at the nodes, for n and n - 1; He_(n+1) = x He_n - n He_(n-1).
        self.nodes, self.current = map(list, zip(*self.nodes, strict=True))
        self.before, self.factorial = [arb(0)] * len(self.nodes), arb(1)

    def _add(self, function: Function, start: arb, stop: arb) -> arb:
        """Add the nodes of an interval; return the error of the mean square."""
        length = stop - start
        number = max(1, ceil(float(length.upper()) / LONGEST))
        waiting = [(start + length * k / number, start + length * (k + 1) / number) for k in range(number)]
        root, error = (2 * arb.pi()).sqrt(), arb(0)
        while waiting:
            left, right = (point.mid() for point in waiting.pop())
            half, middle = (right - left) / 2, (left + right) / 2
            inside = acb(middle + arb(0, 1) * (half * arb(AXES[0])).upper(), arb(0, 1) * (half * arb(AXES[1])).upper())
            most = abs(function(inside, True)).upper()
            if not most < arb(2) ** LARGE:
                if not half > SHORTEST:
                    raise NotCertified("a function has a singularity on the line")
                waiting += [(left, middle), (middle, right)]
                continue
            # exp(-x^2/2) h_n is at most C_n exp(-x^2/4 + y^2/2 + |y| sqrt(n)).
            remainder = 8 * half * arb(RHO) ** (1 - 2 * self.count) / (RHO - 1) / root
            square, low = (half * arb(AXES[1])) ** 2 / 2, _least_square(inside.real)
            self.steep += remainder * most * (square - low / 4).exp()
            error += remainder * most * most * (square - low / 2).exp()
            for place, weight in legendre(self.count, ctx.prec):
                x = left + (right - left) * place
                value = function(acb(x), False).real
                weighted = weight * (right - left) * value * (-x * x / 2).exp() / root
                self.square += weighted * value
                self.nodes.append((x, weighted))
        return error

    def next(self) -> arb:
        """Return the next coefficient."""
        n = self.n
        total = sum(self.current, arb(0)) / self.factorial.sqrt()
        rows = zip(self.nodes, self.current, self.before, strict=True)
        self.current, self.before = [x * h - n * g for x, h, g in rows], self.current
        self.factorial *= n + 1
        size = (arb(n + 1).gamma() * (arb(n) - n * arb(n).log()).exp()).sqrt() if n else arb(1)
        error = size * (self.error + self.steep * (self.height * arb(n).sqrt()).exp())
        self.n += 1
        return total + arb(0, 1) * error.upper()


def pair(f: sympy.Expr, g: sympy.Expr, x: sympy.Symbol, r: arb, f_values: Values, g_values: Values) -> arb:
    """Return E[f(z1) g(z2)], both functions of `x`, for correlation r, |r| < 1, at the working precision.

    E[exp(z1) exp(z2)] = exp(1 + r):

    >>> from theory.expressions.balls.precision import precision
    >>> x = sympy.Symbol("x", real=True)
    >>> with precision(100):
    ...     product = pair(sympy.exp(x), sympy.exp(x), x, arb(1) / 2, {}, {})
    ...     product.overlaps((arb(3) / 2).exp()), product.rel_accuracy_bits() > 80
    (True, True)
    """
    if not abs(r) < 1:
        raise NotCertified("the correlation of two variables is too close to 1 or -1")
    goal, length = arb(2) ** -ctx.prec, -float(abs(r).upper().log()) if r != 0 else arb(1)
    terms = min(ctx.prec * log(2) / max(float(length), 1e-9), MOST_TERMS)
    # The balls of h_n lose n/2 digits in base e where the density allows most of it.
    with precision(ctx.prec + int(terms / 2 / log(2)) + SPARE):
        first = Series(f, x, f_values, terms)
        second = first if (f, f_values) == (g, g_values) else Series(g, x, g_values, terms)
        return _mehler(first, second, r, goal)


def _mehler(first: Series, second: Series, r: arb, goal: arb) -> arb:
    left, right = first.square, second.square
    total, power, goal = arb(0), arb(1), goal * (left * right).sqrt().upper()
    for _ in range(MOST_TERMS):
        a = first.next()
        b = a if second is first else second.next()
        total += a * b * power
        left, right, power = left - a * a, right - b * b, power * r
        rest = abs(power) * (_positive(left) * _positive(right)).sqrt()
        if rest < goal or not total.is_finite():
            return total + arb(0, 1) * rest.upper()
    raise NotCertified(f"Mehler's series takes more than {MOST_TERMS} terms at the correlation {r.str(5)}")


def _positive(x: arb) -> arb:
    return arb.max(x.upper(), arb(0))


def _tail(a: arb, b: arb, s: arb, end: arb) -> arb:
    """Return the integral of exp(a + b |x| - s x^2/2)/sqrt(2 pi) over |x| > end."""
    root = s.sqrt()
    return (a + b * b / (2 * s)).exp() * ((end * root - b / root) / arb(2).sqrt()).erfc() / root


def _least_square(x: arb) -> arb:
    """Return a lower bound of the squares of the numbers in a ball."""
    least = arb.max(abs(x).lower(), arb(0))
    return least * least
