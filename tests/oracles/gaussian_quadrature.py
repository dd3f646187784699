"""Expectations of products of steps, erfs, polynomials and exponentials of Gaussian variables, by nested quadrature.

The integrand is written out as a sum of products of Heaviside(l), Phi(l/sqrt v), erf(l/sqrt(2v)), powers of l and
exp(l), each l affine in z = mean + L x with L an exact Cholesky factor and x standard normal. One variable after the
other is integrated against exp(-x^2/2)/sqrt(2 pi): Gauss-Legendre panels that end where a step jumps, and where a
factor averaged over the variables inside turns (a normal distribution function of known centre and width). Only the
innermost variable is integrated by its definition: P(a < x < b), its moments, or P(x < l/sqrt v). Balls (python-flint)
carry the rounding; the two discretisations of a value take the variables in opposite orders, with other nodes.
"""

import ast
import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations

from flint import arb, arb_mat, ctx, fmpq

ZERO, ONE, HALF = Fraction(0), Fraction(1), Fraction(1, 2)
SAME_PLACE = 1e-13  # a panel this short is left out
FLAT, KINK = 1e-12, 1e-15  # slopes and widths that are zero up to the rounding of their calculation
NARROW, WIDE = 0.7, 4.0  # transitions narrower than the first end panels, wider than the second do not count


def ball(x):
    """A Fraction as a ball."""
    return arb(fmpq(x.numerator, x.denominator))


# --- the integrand as a sum of products ------------------------------------------------------------------------------
# A form is (constant, coefficients); a factor (kind, form, v) with kind step, phi, erf or poly; a term maps the factors
# and one exponent to a coefficient.


class Sum:
    """A sum of products: {(sorted factors, exponent form): coefficient}."""

    def __init__(self, terms):
        self.terms = {key: c for key, c in terms.items() if c}

    def __add__(self, other):
        terms = dict(self.terms)
        for key, c in other.terms.items():
            terms[key] = terms.get(key, ZERO) + c
        return Sum(terms)

    def __mul__(self, other):
        terms = {}
        for (a, e), c in self.terms.items():
            for (b, f), d in other.terms.items():
                factors = sorted([*a, *(x for x in b if x[0] != "step" or x not in a)])  # Heaviside^2 = Heaviside
                key = (tuple(factors), plus(e, f))
                terms[key] = terms.get(key, ZERO) + c * d
        return Sum(terms)


def plus(a, b, scale=ONE):
    """a + scale b."""
    return (a[0] + scale * b[0], tuple(x + scale * y for x, y in zip(a[1], b[1], strict=True)))


def number(c, size):
    return Sum({((), (ZERO, (ZERO,) * size)): Fraction(c)})


def factor(kind, form, v=ZERO):
    """One factor; one that does not depend on z is refused unless it is a power."""
    size = len(form[1])
    if not any(form[1]):
        if kind != "poly":
            raise ValueError(f"{kind} of a constant")
        return number(form[0], size)
    return Sum({(((kind, form, v),), (ZERO, (ZERO,) * size)): ONE})


class Reader(ast.NodeVisitor):
    """From text to a Sum."""

    def __init__(self, size):
        self.size = size

    def form(self, node):
        """The affine form that `node` says."""
        total = (ZERO, (ZERO,) * self.size)
        for (factors, exponent), c in self.visit(node).terms.items():
            if any(exponent[1]) or len(factors) > 1 or any(kind != "poly" for kind, _, _ in factors):
                raise ValueError("not affine")
            total = plus(total, factors[0][1] if factors else (ONE, (ZERO,) * self.size), c)
        return total

    def visit_Expression(self, node):
        return self.visit(node.body)

    def visit_Constant(self, node):
        return number(Fraction(str(node.value)), self.size)

    def visit_Name(self, node):
        index = int(node.id.removeprefix("z")) - 1
        return factor("poly", (ZERO, tuple(Fraction(int(k == index)) for k in range(self.size))))

    def visit_UnaryOp(self, node):
        return number(-1, self.size) * self.visit(node.operand)

    def visit_BinOp(self, node):
        left, right = self.visit(node.left), self.visit(node.right)
        match node.op:
            case ast.Add():
                return left + right
            case ast.Sub():
                return left + number(-1, self.size) * right
            case ast.Mult():
                return left * right
            case ast.Div():
                return left * number(1 / self.form(node.right)[0], self.size)
            case ast.Pow():
                total = number(1, self.size)
                for _ in range(int(self.form(node.right)[0])):
                    total = total * left
                return total

    def visit_Call(self, node):
        name, l = node.func.id, self.form(node.args[-1])
        one, value = number(1, self.size), factor("poly", l)
        half = (number(2, self.size), number(-1, self.size))
        match name:
            case "Heaviside":
                return factor("step", l)
            case "sign":
                return half[0] * factor("step", l) + half[1]
            case "relu":
                return value * factor("step", l)
            case "Abs":
                return value * (half[0] * factor("step", l) + half[1])
            case "erf":
                return factor("erf", l, HALF)
            case "erfc":
                return one + half[1] * factor("erf", l, HALF)
            case "Phi":
                return factor("phi", l, ONE)
            case "exp":
                return Sum({((), l): ONE})
            case "max" | "min":
                first = self.form(node.args[0])
                gap = plus(first, l, -ONE)
                step = factor("poly", gap) * factor("step", gap)
                return value + step if name == "max" else factor("poly", first) + half[1] * step
            case "hermite":
                return hermite(int(self.form(node.args[0])[0]), value, one)
        raise ValueError(name)


def hermite(order, x, one):
    """He_n by its recurrence."""
    before, now = one, x
    for n in range(1, order):
        before, now = now, x * now + Sum({k: -n * c for k, c in before.terms.items()})
    return now if order else one


# --- z = mean + L x --------------------------------------------------------------------------------------------------


def factored(cov, order):
    """L with z = L x: exact L D L^T in the order given, pivots of zero left out; a list of rows of balls."""
    size = len(cov)
    rest = [list(row) for row in cov]
    columns = []
    for k in order:
        pivot = rest[k][k]
        if pivot == 0:
            if any(rest[k]):
                raise ValueError("not positive semidefinite")
            continue
        if pivot < 0:
            raise ValueError("not positive semidefinite")
        column = [rest[i][k] / pivot for i in range(size)]
        columns.append((column, pivot))
        rest = [[rest[i][j] - column[i] * column[j] * pivot for j in range(size)] for i in range(size)]
    return [
        [ball(column[i]) * ball(pivot).sqrt() if column[i] else None for column, pivot in columns] for i in range(size)
    ]


@cache
def rule(n, precision):
    """Gauss-Legendre nodes and weights on [-1, 1]."""
    del precision
    return [arb.legendre_p_root(n, k, True) for k in range(n)]


@cache
def count(quarters, digits):
    """Nodes for a panel of half-width q = quarters/4 in units of the scale of exp(-x^2/2), by the ellipse bound."""
    q, wanted = quarters / 4, digits * math.log(10) + 4
    for n in range(8, 4000, 2):
        for step in range(1, 80):
            rho = 1.08**step + 0.02
            if 2 * n * math.log(rho) - ((rho - 1 / rho) / 2 * q) ** 2 / 2 >= wanted:
                return n
    raise ValueError(f"a panel of half-width {q}")


@dataclass
class Turn:
    """Where a factor, averaged over the inner variables, turns: -(sum t_f p_f)/alpha, over a width (0: a kink)."""

    owner: int
    combination: list
    alpha: arb
    width: float


class Term:
    """One product, integrated over x_0 (outermost) to x_(r-1)."""

    def __init__(self, factors, exponent, root, mean, digits):
        # A power of degree d is 12^d or so where the domain ends.
        self.digits = digits + math.ceil(1.2 * sum(kind == "poly" for kind, _, _ in factors))
        self.rank = len(root[0])
        self.kinds = [kind for kind, _, _ in factors] + ["exp"]
        self.noise = [v for _, _, v in factors] + [ZERO]
        forms = [form for _, form, _ in factors] + [exponent]
        self.start = [ball(c + sum(x * m for x, m in zip(row, mean, strict=True))) for c, row in forms]
        self.slope = [[self._slope(row, root, k) for k in range(self.rank)] for _, row in forms]
        self.last = [max((k for k in range(self.rank) if row[k] is not None), default=-1) for row in self.slope]
        shift = sum(abs(float(c.mid())) for c in self.slope[-1] if c is not None) + self._tail()
        self.reach = arb(math.ceil(8 * (math.sqrt(2 * math.log(10) * (self.digits + 5)) + shift)) / 8)
        self.spread = math.sqrt(2 * math.log(10) * (self.digits + 3))
        self.levels = [self._level(k) for k in range(self.rank)]
        self.norm = 1 / (2 * arb.pi()).sqrt()

    def _tail(self):
        """How far out the steps are, in standard deviations: the value is small like the tail there."""
        total = 0.0
        for kind, c, row in zip(self.kinds, self.start, self.slope, strict=True):
            if kind == "step":
                total += abs(float(c.mid())) / math.sqrt(sum(float(x.mid()) ** 2 for x in row if x is not None))
        return total

    @staticmethod
    def _slope(row, root, k):
        parts = [ball(c) * line[k] for c, line in zip(row, root, strict=True) if c and line[k] is not None]
        total = sum(parts, arb(0))
        return None if total.contains(0) else total

    def _level(self, k):
        here = [f for f in range(len(self.kinds)) if self.slope[f][k] is not None]
        ends = [f for f in here if self.last[f] == k]
        clips = [f for f in ends if self.kinds[f] == "step"]
        smooth = [f for f in ends if self.kinds[f] in ("phi", "erf")]
        powers = [f for f in ends if self.kinds[f] == "poly"]
        closed = k == self.rank - 1 and (not smooth or (len(smooth) == 1 and not clips and not powers))
        return here, clips, smooth, powers, closed, [] if closed else self._turns(k)

    def _turns(self, k):
        """Turns in x_k of every step and erf, alone and given that others vanish."""
        soft = [f for f in range(len(self.kinds) - 1) if self.kinds[f] != "poly" and self.last[f] >= k]
        soft = [f for f in soft if self.last[f] > k or self.noise[f]]
        inner = {
            f: [c if c is not None else arb(0) for c in self.slope[f][k + 1 :]]
            + [ball(self.noise[f]).sqrt() if g == f else arb(0) for g in soft]
            for f in soft
        }
        turns = []
        for f in soft:
            for size in range(min(3, len(soft))):
                for given in combinations([g for g in soft if g != f], size):
                    turn = self._turn(k, f, given, inner)
                    if turn is not None and turn.width < WIDE:
                        turns.append(turn)
        return turns

    def _turn(self, k, f, given, inner):
        def dot(a, b):
            return sum((x * y for x, y in zip(inner[a], inner[b], strict=True)), arb(0))

        weights = [(f, arb(1))]
        if given:
            gram = arb_mat([[dot(a, b) for b in given] for a in given])
            try:
                solved = gram.solve(arb_mat([[dot(a, f)] for a in given]))
            except ZeroDivisionError:
                return None
            weights += [(g, -solved[i, 0]) for i, g in enumerate(given)]
        left = [sum((w * inner[g][j] for g, w in weights), arb(0)) for j in range(len(inner[f]))]
        alpha = sum((w * self.slope[g][k] for g, w in weights if self.slope[g][k] is not None), arb(0))
        if alpha.contains(0) or abs(float(alpha.mid())) < FLAT:
            return None
        norm = math.sqrt(sum(float(x.mid()) ** 2 for x in left))
        return Turn(f, weights, alpha, 0.0 if norm < KINK else norm / abs(float(alpha.mid())))

    def value(self):
        """The integral, a ball that knows of rounding only."""
        constant = arb(1)
        for f, kind in enumerate(self.kinds):
            if self.last[f] < 0 and kind != "exp":
                raise ValueError("a factor that is constant")
        if self.last[-1] < 0:
            constant = self.start[-1].exp()
        return constant * self.integral(0, self.start)

    def integral(self, k, p):
        """int phi(x_k) ... over x_k and the variables inside, given the forms `p` at the outer ones."""
        if k == self.rank:
            return arb(1)
        here, clips, smooth, powers, closed, turns = self.levels[k]
        low = high = None
        for f in clips:
            slope = self.slope[f][k]
            at = -p[f] / slope
            if slope > 0:
                low = at if low is None or at > low else low
            else:
                high = at if high is None or at < high else high
        if closed:
            return self.closed(k, p, low, high, smooth, powers)
        low = -self.reach if low is None or low < -self.reach else low
        high = self.reach if high is None or high > self.reach else high
        if not low < high:
            return arb(0)
        total, following = arb(0), k + 1
        exponent = self.last[-1] == k
        for a, b, n in self.panels(p, low, high, turns):
            middle, half = (a + b) / 2, (b - a) / 2
            part = arb(0)
            for t, weight in rule(n, ctx.prec):
                x = middle + half * t
                q = list(p)
                for f in here:
                    q[f] = p[f] + self.slope[f][k] * x
                value = weight * ((q[-1] if exponent else 0) - x * x / 2).exp()
                for f in smooth:
                    value *= self.soft(f, q[f], self.noise[f])
                for f in powers:
                    value *= q[f]
                part += value * self.integral(following, q)
            total += part * half
        return total * self.norm

    def panels(self, p, low, high, turns):
        """(a, b, nodes) between kinks and ends of narrow transitions."""
        points, narrow = [(float(low.mid()), low), (float(high.mid()), high)], []
        left, right = points[0][0], points[1][0]
        for turn in turns:
            at = -sum((w * p[g] for g, w in turn.combination), arb(0)) / turn.alpha
            centre = float(at.mid())
            reach = self.spread * turn.width
            if centre + reach <= left or centre - reach >= right:
                continue
            if turn.width == 0.0:
                points.append((centre, at))
                continue
            narrow.append((centre - reach, centre + reach, turn))
            if turn.width < NARROW:
                points += [(c, arb(c)) for c in (centre - reach, centre + reach)]
        points = sorted((x for x in points if left <= x[0] <= right), key=lambda x: x[0])
        result, (start, exact) = [], points[0]
        for c, at in points[1:]:
            if c - start < SAME_PLACE * (1 + abs(c)):
                continue
            rate = {}
            for a, b, turn in narrow:
                if a < c and b > start:
                    rate[turn.owner] = max(rate.get(turn.owner, 0.0), turn.width**-2)
            quarters = math.ceil(2 * (c - start) * math.sqrt(1 + sum(rate.values())))
            pieces = max(1, math.ceil(quarters / 100))
            n = count(max(4, math.ceil(quarters / pieces)), self.digits)
            for i in range(pieces):
                result.append((exact + (at - exact) * i / pieces, exact + (at - exact) * (i + 1) / pieces, n))
            start, exact = c, at
        return result

    def soft(self, f, argument, variance):
        """Phi(argument/sqrt variance) or 2 Phi - 1."""
        u = argument / ball(2 * variance).sqrt() if isinstance(variance, Fraction) else argument / (2 * variance).sqrt()
        return u.erf() if self.kinds[f] == "erf" else (-u).erfc() / 2

    def closed(self, k, p, low, high, smooth, powers):
        """The innermost variable: P(low < x < high), moments, or P(noise < form), under a shift by the exponent."""
        b = self.slope[-1][k]
        front = arb(1)
        if b is not None:
            front = (p[-1] + b * b / 2).exp()
            low, high = (None if c is None else c - b for c in (low, high))
        if smooth:
            (f,) = smooth
            slope = self.slope[f][k]
            return front * self.soft(f, p[f] if b is None else p[f] + slope * b, ball(self.noise[f]) + slope * slope)
        if low is not None and high is not None and not low < high:
            return arb(0)
        root = arb(2).sqrt()
        if low is None:
            mass = arb(1) if high is None else (-high / root).erfc() / 2
        elif high is None:
            mass = (low / root).erfc() / 2
        else:
            mass = ((low / root).erfc() - (high / root).erfc()) / 2
        if not powers:
            return front * mass
        polynomial = [arb(1)]
        for f in powers:
            c, s = p[f] if b is None else p[f] + self.slope[f][k] * b, self.slope[f][k]
            polynomial = [
                c * (polynomial[i] if i < len(polynomial) else 0) + s * (polynomial[i - 1] if i else 0)
                for i in range(len(polynomial) + 1)
            ]
        edges = [(sign, c, self.norm * (-c * c / 2).exp()) for sign, c in ((1, low), (-1, high)) if c is not None]
        moments = [mass]
        for i in range(1, len(polynomial)):
            moment = (i - 1) * moments[i - 2] if i > 1 else arb(0)
            moments.append(moment + sum((sign * c ** (i - 1) * d for sign, c, d in edges), arb(0)))
        return front * sum((c * m for c, m in zip(polynomial, moments, strict=True)), arb(0))


def expectation(expr, cov, mean, digits, order):
    """E[expr] for z ~ N(mean, cov), the variables taken in the `order` given (outermost first); a ball."""
    ctx.prec = int(3.33 * digits) + 80
    size = len(cov)
    root = factored(cov, order)
    total = arb(0)
    for (factors, exponent), c in Reader(size).visit(ast.parse(expr, mode="eval")).terms.items():
        total += ball(c) * Term(factors, exponent, root, mean, digits).value()
    return total
