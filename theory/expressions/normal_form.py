"""The kernel of every proof by algebra: the normal form of an expression on a region, and whether it is zero.

An expression becomes a rational function over the rationals in its parameters and in generators:

* roots, w^2 = p with p an irreducible polynomial or a prime, and w^q = p; w > 0;
* exp(m/12) of monomials m, log of primes and irreducible polynomials, sin u and cos u with sin^2 = 1 - cos^2, pi;
* atan u for every arc, by asin u = atan(u/sqrt(1 - u^2)) and acos u = pi/2 - asin u;
* erf and Owen's T, and expressions without a rule (integrals, unknown functions), one generator for each value.

Every step of the rewriting is an identity that holds at each point of the region at which all parts of the expression
are real and no function whose sign was needed vanishes. A normal form 0 therefore proves that the expression is
zero at these points. Signs are those that `Region` certifies. Numbers occur only in balls: to show that two generators
differ, that one factor of a vanishing product is not zero, and the sign of a number.
"""

from functools import lru_cache
from math import isqrt

import sympy

from theory.expressions.arcs import joined, known_arc
from theory.expressions.functions import OwensT, Phi, Phi2, Relu
from theory.expressions.generators import Field, Names, Point, Void
from theory.expressions.region import LINE, POSITIVE, Region

PRIME_LIMIT = 2**12
# Rational intervals that contain all values of a function.
RANGES = {
    sympy.erf: sympy.Interval.open(-1, 1),
    sympy.atan: sympy.Interval.open(-2, 2),
    sympy.sin: sympy.Interval.open(-2, 2),
    sympy.cos: sympy.Interval.open(-2, 2),
}
THREE_TO_FOUR = sympy.Interval.open(3, 4)
# The largest power of the generator of an exponential.
MOST_POWER = 12 * 64
TWELFTH = sympy.Rational(1, 12)
# sin(n/d) and cos(n/d) are written in sin(1/d) and cos(1/d) for n up to this.
MOST_MULTIPLE = 24


class NormalForm(Field):
    """The rewriting on one region, with the arguments of the generators for arcs, exponentials and logarithms."""

    def __init__(self, region: Region, names: Names, points: list[Point]) -> None:
        super().__init__(region, names, points)
        self.exponents: dict[sympy.Dummy, sympy.Expr] = {}
        self.units: dict[sympy.Expr, list[sympy.Rational]] = {}
        self.logarithms: dict[sympy.Dummy, sympy.Expr] = {}
        self.arcs: dict[sympy.Dummy, sympy.Expr] = {}
        self.functions: list[tuple[type, list[sympy.Expr], sympy.Expr]] = []

    def vanishes(self, expr: sympy.Expr) -> bool:
        """Whether `expr` is proved to be zero; raises Void, Open or NoForm where the rewriting does."""
        element = self.of(expr)
        if self.is_zero(element):
            return True
        sum_of_arcs = joined(self, element, self.arcs, self._pi())
        if sum_of_arcs is None:
            return False
        tangent, turn = sum_of_arcs  # atan u + q pi is 0 just where |q| < 1/2 and u = -tan(q pi)
        return abs(turn) < sympy.Rational(1, 2) and self.is_zero(tangent + self.of(sympy.tan(turn * sympy.pi)))

    def of(self, expr: sympy.Expr) -> sympy.Expr:
        """Write the expression as a rational function of parameters and generators."""
        if expr.is_Rational or expr.is_Symbol:
            return expr
        if expr.is_Add or expr.is_Mul:
            return expr.func(*(self.of(argument) for argument in expr.args))
        if expr.is_Pow and expr.exp.is_Rational:
            return self._power(self.of(expr.base), expr.exp)
        rewrite = getattr(self, f"_{expr.func.__name__}", None) if expr.func in REWRITTEN else None
        if rewrite is not None:
            return rewrite(*expr.args)
        if expr is sympy.E:
            return self._exp(sympy.Integer(1))
        if isinstance(expr, sympy.sinh | sympy.cosh | sympy.tanh):
            return self.of(expr.rewrite(sympy.exp))
        return self._atom(expr)

    def _atom(self, expr: sympy.Expr) -> sympy.Expr:
        """Return a generator for an expression without a rewriting rule; functions of equal arguments share one."""
        if expr is sympy.pi:
            return self._pi()
        plain = isinstance(expr, sympy.Function) and all(isinstance(a, sympy.Expr) for a in expr.args)
        if not plain or isinstance(expr, sympy.Piecewise):
            return self.generator(expr, "f", LINE)
        arguments = [self.of(argument) for argument in expr.args]
        for func, others, known in self.functions:
            if func is expr.func and len(others) == len(arguments):
                same = self._same(func, arguments, others, known)
                if same is not None:
                    return same
        dummy = self.generator(expr.func(*arguments, evaluate=False), "f", RANGES.get(expr.func, LINE))
        self.functions.append((expr.func, arguments, dummy))
        return dummy

    def _same(self, func: type, mine: list, other: list, known: sympy.Expr) -> sympy.Expr | None:
        """Return func(mine) if it follows from func(other) = known by a symmetry, else None."""
        flips = {sympy.erf: ((-1,), -1), sympy.sin: ((-1,), -1), sympy.cos: ((-1,), 1)}
        variants = [(other, known)]
        if func in flips:
            (sign,), result = flips[func]
            variants.append(([sign * other[0]], result * known))
        if func is OwensT:
            h, a = other
            variants += [([-h, a], known), ([h, -a], -known), ([-h, -a], -known)]
        if func is Phi2:
            variants.append(([other[1], other[0], other[2]], known))
        for arguments, value in variants:
            if all(self.is_zero(x - y) for x, y in zip(mine, arguments, strict=True)):
                return value
        return None

    def _power(self, base: sympy.Expr, exponent: sympy.Rational) -> sympy.Expr:
        if exponent.is_Integer:
            if exponent < 0 and self.is_zero(base):
                raise Void
            return base**exponent
        if exponent.q == 2:
            root = self._square_root(base)
        else:
            number, factors = self.factors(base)
            self.require_positive(number, factors)
            root = self._root(base, int(exponent.q))
        return root**exponent.p

    def _root(self, base: sympy.Expr, degree: int) -> sympy.Expr:
        """Return the generator w > 0 with w^degree = base."""
        if degree == 2 and base in self.exponents:
            return self._exponential(self.exponents[base] / 2)
        w = self.generator(sympy.Pow(base, sympy.Rational(1, degree), evaluate=False), "w", POSITIVE)
        self.relations.setdefault(w, (degree, base))
        if degree == 2 and base.is_Symbol and base not in self.names.meaning:
            self.substituted[base] = w**2
        return w

    def _square_root(self, base: sympy.Expr) -> sympy.Expr:
        """sqrt(N/D) = sqrt(N D)/|D|, with N D split into primes and irreducible factors."""
        numerator, denominator, number, factors = self.factored(base)
        if numerator == 0:
            return sympy.Integer(0)
        denested = self._denested(numerator * denominator)
        if denested is not None:
            return denested / (self.sign(denominator) * denominator)
        self.require_positive(number, factors)
        result = self._root_of_number(abs(number)) / (self.sign(denominator) * denominator)
        for factor, power in factors:
            positive = factor if power % 4 == 0 else self.sign_of_factor(factor) * factor
            result *= positive ** (power // 2) * (self._root(self._back(positive), 2) if power % 2 else 1)
        return result

    def _back(self, element: sympy.Expr) -> sympy.Expr:
        """Write an element with parameters in place of the squares of their roots."""
        return sympy.Mul(*self.over(element)) if self.substituted else element

    def _denested(self, base: sympy.Expr) -> sympy.Expr | None:
        """sqrt(A + B w) = sqrt((A + d)/2) + sign(B) sqrt((A - d)/2) where A^2 - B^2 w^2 = d^2 for a fraction d >= 0."""
        if self.parameters(base):
            return None
        for w, (degree, radicand) in reversed(self.relations.items()):
            if degree != 2 or w not in base.free_symbols:
                continue
            even, odd = (sympy.Poly(sympy.expand(base), w).coeff_monomial(w**k) for k in (0, 1))
            square = sympy.cancel(even**2 - odd**2 * radicand)
            if square.is_Rational and square >= 0 and sympy.sqrt(square).is_Rational:
                d = sympy.sqrt(square)
                if self.sign(even - d) < 0:
                    raise Void
                return self._square_root((even + d) / 2) + self.sign(odd) * self._square_root((even - d) / 2)
        return None

    def _root_of_number(self, number: sympy.Rational) -> sympy.Expr:
        result = sympy.Rational(1, number.q)
        for prime, power in divided(int(number.p) * int(number.q)).items():
            prime = sympy.Integer(prime)
            result *= prime ** (power // 2) * (self._root(prime, 2) if power % 2 else 1)
        return result

    def _exp(self, exponent: sympy.Expr) -> sympy.Expr:
        return self._exponential(self.of(exponent))

    def _exponential(self, exponent: sympy.Expr) -> sympy.Expr:
        """exp(sum c_j m_j) = prod exp(u_j m_j/12)^(12 c_j/u_j) with few units u_j, so that most powers are whole."""
        numerator, denominator = self.over(exponent)
        content, denominator = denominator.as_content_primitive()
        product = sympy.Integer(1)
        for term in sympy.Add.make_args(sympy.expand(numerator)):
            number, monomial = (term / denominator / content).as_coeff_Mul()
            if monomial in self.logarithms:
                product *= self._power(self.logarithms[monomial], number)
                continue
            units = self.units.setdefault(monomial, [])
            unit = next((u for u in (*units, sympy.Integer(1)) if _is_whole(12 * number / u)), number)
            units += [] if unit in units else [unit]
            inside = monomial * unit * TWELFTH
            dummy = self.generator(sympy.exp(inside, evaluate=False), "e", POSITIVE)
            self.exponents[dummy] = inside
            product *= dummy ** (12 * number / unit)
        return product

    def _log(self, argument: sympy.Expr) -> sympy.Expr:
        """log prod f^p = sum p log|f|, log w = log(w^q)/q and log exp(u) = u."""
        element = self.of(argument)
        number, factors = self.factors(element)
        self.require_positive(number, factors)
        _, denominator = self.over(element, roots=True)
        outside, below = sympy.factor_list(denominator)
        total = self._log_of_number(abs(number) / outside**2)
        for factor, power in [*factors, *((f, -2 * p) for f, p in below)]:
            total += power * self._log_of_factor(factor)
        return total

    def _log_of_number(self, number: sympy.Rational) -> sympy.Expr:
        parts = (divided(int(n)) for n in (number.p, number.q))
        total = sympy.Integer(0)
        for sign, part in zip((1, -1), parts, strict=True):
            for prime, power in part.items():
                total += sign * power * self._named_log(sympy.Integer(prime))
        return total

    def _named_log(self, positive: sympy.Expr) -> sympy.Dummy:
        dummy = self.generator(sympy.log(positive, evaluate=False), "l", LINE)
        self.logarithms[dummy] = positive
        return dummy

    def _log_of_factor(self, factor: sympy.Expr) -> sympy.Expr:
        if factor in self.exponents:
            return self.exponents[factor]
        positive = self.sign_of_factor(factor) * factor
        if factor in self.relations:
            degree, radicand = self.relations[factor]
            return self._log(radicand) / degree
        return self._named_log(self._back(positive))

    # --- functions with cases

    def _Abs(self, x: sympy.Expr) -> sympy.Expr:
        element = self.of(x)
        return self.sign(element) * element

    def _sign(self, x: sympy.Expr) -> sympy.Expr:
        return sympy.Integer(self.sign(self.of(x)))

    def _Heaviside(self, x: sympy.Expr, at_zero: sympy.Expr) -> sympy.Expr:
        sign = self.sign(self.of(x))
        return self.of(at_zero) if sign == 0 else sympy.Rational(1 + sign, 2)

    def _Max(self, *arguments: sympy.Expr) -> sympy.Expr:
        return self._extreme(1, arguments)

    def _Min(self, *arguments: sympy.Expr) -> sympy.Expr:
        return self._extreme(-1, arguments)

    def _extreme(self, side: int, arguments: tuple[sympy.Expr, ...]) -> sympy.Expr:
        best, *others = (self.of(argument) for argument in arguments)
        for other in others:
            best = other if side * self.sign(other - best) > 0 else best
        return best

    def _Relu(self, x: sympy.Expr) -> sympy.Expr:
        return self._extreme(1, (x, sympy.Integer(0)))

    def _Phi(self, x: sympy.Expr) -> sympy.Expr:
        return (1 + self.of(sympy.erf(x / sympy.sqrt(2)))) / 2

    def _erfc(self, x: sympy.Expr) -> sympy.Expr:
        return 1 - self.of(sympy.erf(x))

    def _Phi2(self, h: sympy.Expr, k: sympy.Expr, r: sympy.Expr) -> sympy.Expr:
        square = 1 - self.of(r) ** 2
        if not self.is_zero(square):
            self.require_positive(*self.factors(square))
        return self._atom(Phi2(h, k, r))

    def _tan(self, x: sympy.Expr) -> sympy.Expr:
        return self.of(sympy.sin(x)) / self.of(sympy.cos(x))

    def _sin(self, x: sympy.Expr) -> sympy.Expr:
        return self._circle(sympy.sin, x)

    def _cos(self, x: sympy.Expr) -> sympy.Expr:
        return self._circle(sympy.cos, x)

    def _circle(self, func: type, x: sympy.Expr) -> sympy.Expr:
        """Rewrite sin and cos of sums and multiples by the addition theorem, and sin^2 as 1 - cos^2.

        A fraction n/d is a multiple of 1/d.
        """
        if x.is_Rational and 1 < abs(x.p) <= MOST_MULTIPLE:
            t = sympy.Dummy(real=True)
            return self.of(sympy.expand_trig(func(x.p * t)).xreplace({t: sympy.Rational(1, x.q)}))
        expanded = sympy.expand_trig(func(x))
        if expanded.func is not func or expanded.args[0] != x:
            return self.of(expanded)
        sine, cosine = (self._atom(f(x)) for f in (sympy.sin, sympy.cos))
        if sine.is_Symbol:
            self.relations.setdefault(sine, (2, 1 - cosine**2))
        return sine if func is sympy.sin else cosine

    # --- arcs

    def _acos(self, x: sympy.Expr) -> sympy.Expr:
        return self._pi() / 2 - self._asin(x)

    def _asin(self, x: sympy.Expr) -> sympy.Expr:
        sine = self.of(x)
        square = self.over(1 - sine**2)
        if square[0] == 0:
            return self.sign(sine) * self._pi() / 2
        return self._arc(sine / self._square_root(square[0] / square[1]))

    def _atan(self, x: sympy.Expr) -> sympy.Expr:
        return self._arc(self.of(x))

    def _atan2(self, y: sympy.Expr, x: sympy.Expr) -> sympy.Expr:
        above, right = self.of(y), self.of(x)
        side, half = self.sign(right), self._pi() / 2
        if side == 0:
            return self.sign(above) * half
        turn = 0 if side > 0 else self.sign(above)
        if side < 0 and turn == 0:
            return 2 * half
        return self._arc(above / right) + 2 * turn * half

    def _arc(self, tangent: sympy.Expr) -> sympy.Expr:
        if self.is_zero(tangent):
            return sympy.Integer(0)
        same = known_arc(self, tangent, self.arcs, self._pi())
        if same is not None:
            return same
        dummy = self.generator(sympy.atan(tangent, evaluate=False), "a", RANGES[sympy.atan])
        self.arcs[dummy] = tangent
        return dummy

    def _pi(self) -> sympy.Dummy:
        return self.generator(sympy.pi, "p", THREE_TO_FOUR)


@lru_cache(maxsize=1024)
def divided(number: int) -> dict[int, int]:
    """Return the powers of the primes below PRIME_LIMIT in a positive number, and of the remaining cofactor.

    The cofactor is not factored, but a perfect square is recognised.

    >>> divided(12 * 4099**2)
    {2: 2, 3: 1, 4099: 2}
    """
    powers = {}
    for prime in sympy.primerange(PRIME_LIMIT):
        while number % prime == 0:
            number //= prime
            powers[prime] = powers.get(prime, 0) + 1
        if number == 1:
            return powers
    root = isqrt(number)
    return powers | ({root: 2} if root * root == number else {number: 1})


def _is_whole(power: sympy.Rational) -> bool:
    return power.is_Integer and abs(power) <= MOST_POWER


REWRITTEN = {
    *(sympy.exp, sympy.log, sympy.Abs, sympy.sign, sympy.Heaviside, sympy.Max, sympy.Min, Relu, Phi, Phi2, sympy.erfc),
    *(sympy.sin, sympy.cos, sympy.tan, sympy.asin, sympy.acos, sympy.atan, sympy.atan2),
}
